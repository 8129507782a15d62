/* SPDX-License-Identifier: MIT */
/*
 * One-way delays of frames, from the peer's reports of when they began to arrive (ARRIVAL). Where
 * media flows in both directions, an acknowledgement waits behind the peer's frame, so that a round
 * trip shows the queues of both directions; these delays show ours alone. The two clocks differ by
 * a constant, and drift slowly: a delay counts above the minimum of the recent past, as LEDBAT's
 * (RFC 6817, section 3.4.2). Acknowledgements that have waited come all at once, too, and would
 * show a faster path than there is: the rate of packet trains is as the peer has seen it.
 *
 * A report waits on its way back as acknowledgements do, and tells for how long. On a mobile link
 * that is slow for a moment this is far longer than a frame takes.
 */
#ifndef LT_ENGINE_RATE_FRAME_DELAYS_H
#define LT_ENGINE_RATE_FRAME_DELAYS_H

#include "engine/links/recent_min.h"
#include "engine/packet.h"
#include "engine/rate/delay_history.h"
#include "wire/control.h"

#define LT_FRAME_WRITES 64

/* The first packet of a frame that was written. */
typedef struct lt_frame_write {
    bool used;
    uint32_t ssrc, timestamp;
    livetcp_usec at_us; /* LIVETCP_NEVER = it waits in the kernel for TCP's window */
} lt_frame_write;

/* From one clock to the other: may be negative. */
typedef struct lt_way_delay {
    lt_recent_min min;
    int64_t last_us; /* the newest one */
} lt_way_delay;

typedef struct lt_frame_delays {
    lt_frame_write writes[LT_FRAME_WRITES]; /* a ring */
    unsigned next;
    lt_way_delay there, back; /* of frames, and of the reports */
    livetcp_usec begun_us;    /* first sample; INT64_MIN = none yet */
    livetcp_usec told_us;     /* when the last report came */
    livetcp_usec queue_us;    /* of reports since the last sample, minimum; LIVETCP_NEVER = none */
    double trip_us, way_us;   /* queues in round trips, and of these delays: averages */
    double train;             /* media of the newest train, bytes per second; 0 = none to count */
} lt_frame_delays;

void lt_frame_delays_init(lt_frame_delays *delays);

/* A packet of media was written for the first time. `path` as it was before. */
void lt_frame_delays_on_written(lt_frame_delays *delays, const lt_packet *packet,
                                const livetcp_path *path, livetcp_usec now);

/* The peer's report. One of an unknown frame is ignored. */
void lt_frame_delays_on_arrival(lt_frame_delays *delays, const lt_frame_arrival *arrival,
                                livetcp_usec now);

/* While reports come, their queue takes the place of that in the sample's round trip, and
 * `one_way`, `back_us`, `back_late_us` and `train` are set. `media_share`: media, of what is
 * written. */
void lt_frame_delays_apply(lt_frame_delays *delays, double media_share,
                           lt_congestion_sample *sample);

#endif
