/* SPDX-License-Identifier: MIT */
/* The stream's timing: the duration of a packet or frame, and f, the packets per second of media
 * (Brosh et al., section 4.2). */
#ifndef LT_PLAYOUT_INTERVAL_H
#define LT_PLAYOUT_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lt_interval {
    bool video;
    uint32_t clock_rate;
    double configured; /* in timestamp units; 0 = to be measured */

    bool started;
    uint64_t extended; /* of the latest packet */
    int64_t timestamp;
    int64_t step;      /* audio: between the last two consecutive packets */
    double duration;   /* of a packet (audio) or frame (video), in timestamp units; 0 = unknown */
    unsigned in_frame; /* video: packets of the current frame */
    double per_frame;  /* video: average number of packets of a frame; 0 = unknown */
} lt_interval;

void lt_interval_init(lt_interval *interval, bool video, uint32_t clock_rate,
                      int64_t configured_us);

/* Restarts with the next packet; measured values are kept. */
void lt_interval_restart(lt_interval *interval);

/* Adds the next packet in sequence. */
void lt_interval_add(lt_interval *interval, uint64_t extended, int64_t timestamp);

/* Both return 0 while unknown. */
int64_t lt_interval_duration_us(const lt_interval *interval);
double lt_interval_packet_rate(const lt_interval *interval);

#endif
