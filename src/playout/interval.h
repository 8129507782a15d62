/* SPDX-License-Identifier: MIT */
/* What the stream says about itself: how long a packet or a frame lasts, and f, the packets per
 * second of media (Brosh et al., section 4.2). */
#ifndef LT_PLAYOUT_INTERVAL_H
#define LT_PLAYOUT_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lt_interval {
    bool video;
    uint32_t clock_rate;
    double configured; /* in timestamp units; 0 = to be learnt */

    bool started;
    uint64_t extended; /* of the latest packet */
    int64_t stamp;
    int64_t step;      /* audio: between the last two neighbours */
    double duration;   /* of a packet (audio) or frame (video), in timestamp units; 0 = unknown */
    unsigned in_frame; /* video: packets of the frame under way */
    double per_frame;  /* video: packets of a frame, on average; 0 = unknown */
} lt_interval;

void lt_interval_init(lt_interval *interval, bool video, uint32_t clock_rate,
                      int64_t configured_us);

/* Begins again with the next packet; what was learnt stays until then. */
void lt_interval_restart(lt_interval *interval);

/* Takes in the next packet by sequence. */
void lt_interval_add(lt_interval *interval, uint64_t extended, int64_t stamp);

/* Both are 0 as long as they are not known. */
int64_t lt_interval_duration_us(const lt_interval *interval);
double lt_interval_packet_rate(const lt_interval *interval);

#endif
