/* SPDX-License-Identifier: MIT */
/*
 * The bit rate of media that the connections of a session carry together without building a queue:
 * what an encoder should be set to.
 *
 * TCP does the congestion control; this follows it, so that the encoder sends what TCP delivers
 * and nothing waits. It looks at what was acknowledged (which is the path's rate while something
 * waits, and only a lower bound while nothing does), and at the delay that is not the path's own:
 * what waits before the connections, and round trips above their minimum. Not thread-safe.
 */
#ifndef LT_ENGINE_RATE_BITRATE_H
#define LT_ENGINE_RATE_BITRATE_H

#include <livetcp/policy.h>

/* Enough for two windows of eight slots, and the one in use. */
#define LT_BITRATE_SLOTS 20

/* What has happened in a short time, as counters at its start and the least delays since. */
typedef struct lt_bitrate_slot {
    livetcp_usec start_us;
    uint64_t delivered, written, media;
    livetcp_usec waiting_us; /* before the connections: send queue and kernel */
    livetcp_usec delay_us;   /* the same and what the network adds to its minimum */
} lt_bitrate_slot;

typedef struct lt_bitrate {
    double min, max; /* bit/s; bounds, max = HUGE_VAL when there is none */
    double estimate; /* bit/s of media; 0 = not known yet */
    double told;     /* what the application knows */

    double ceiling;          /* bit/s, all, delivered when a queue last stood; 0 = not known */
    double floor;            /* no delay of the network alone pushes the estimate below */
    bool congested;          /* a queue stands, or has not been gone for long enough */
    livetcp_usec judged_us;  /* when the estimate was last thought about */
    livetcp_usec lowered_us; /* when it was last lowered; INT64_MIN = never */

    lt_bitrate_slot slots[LT_BITRATE_SLOTS]; /* a ring */
    unsigned newest, used;
    double media_share;                     /* bytes of media per byte written */
    double rate;                            /* delivered of late, bytes per second, all */
    livetcp_usec rtt_us;                    /* of the quickest connection */
    livetcp_usec base_us[2], base_since_us; /* least round trips: of late, and before */
} lt_bitrate;

/* The session now. Counters are totals in bytes and never fall. */
typedef struct lt_bitrate_sample {
    livetcp_usec now_us;
    uint64_t delivered;          /* acknowledged, on all connections together */
    uint64_t written;            /* handed to the kernel: framing, control, copies too */
    uint64_t media;              /* first copies of the application's packets, written */
    uint64_t media_rate;         /* bytes per second that the application has sent of late */
    livetcp_usec queue_delay_us; /* age of the oldest packet in the send queue */
    const livetcp_path *paths;   /* facts; best when a packet is about to be written */
    unsigned path_count;
} lt_bitrate_sample;

/* Bounds in bit/s, 0 = none. The estimate begins as `max`, or as unknown. */
void lt_bitrate_init(lt_bitrate *bitrate, uint32_t min, uint32_t max);

/* Other bounds from now on, which the estimate keeps to at once. True as lt_bitrate_update(). */
bool lt_bitrate_set_bounds(lt_bitrate *bitrate, uint32_t min, uint32_t max);

/* Takes a look. True if the estimate has changed by so much that the application should know. */
bool lt_bitrate_update(lt_bitrate *bitrate, const lt_bitrate_sample *sample);

/* bit/s; 0 = not known yet. */
uint32_t lt_bitrate_get(const lt_bitrate *bitrate);

#endif
