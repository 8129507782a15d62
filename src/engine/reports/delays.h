/* SPDX-License-Identifier: MIT */
/* Delay components of a packet's way, inferred from path info; see livetcp_delays. */
#ifndef LT_ENGINE_REPORTS_DELAYS_H
#define LT_ENGINE_REPORTS_DELAYS_H

#include "engine/packet.h"

#include <livetcp/engine.h>

/* An exponentially weighted moving average of some 16 samples; it begins as the first one. */
typedef struct lt_ewma {
    bool known;
    livetcp_usec us;
} lt_ewma;

void lt_ewma_add(lt_ewma *ewma, livetcp_usec sample_us);

/* -1 while there is no sample. */
livetcp_usec lt_ewma_us(const lt_ewma *ewma);

/* Time for which a frame of that size, just written, will wait in the send buffer. The path counts
 * it as unsent already. */
livetcp_usec lt_delay_in_buffer(const livetcp_path *path, size_t size);

/* One way of the path: half of the minimum round trip, and all of the present one above it, since
 * acknowledgements are small and meet no queue of ours. -1 if no round trip is known. */
livetcp_usec lt_delay_of_network(const livetcp_path *path);

/* Time for which a packet waited at the peer for the repair of a loss before it. TCP acknowledges
 * in order, so its acknowledgement is late by as much, beyond `buffered_us` and a round trip. It
 * came after `before_us` and by `now`, the times of the last two path infos (`before_us` may be
 * before it was written). Without a `repair` going on then, an acknowledgement that may have been
 * in time was. */
livetcp_usec lt_delay_at_head_of_line(const livetcp_path *path, livetcp_usec written_us,
                                      livetcp_usec buffered_us, bool repair, livetcp_usec before_us,
                                      livetcp_usec now);

/* Of the usable connections: the mean of the known round trips, and the minimum; -1 if none is
 * known. */
typedef struct lt_round_trip {
    unsigned connections;
    livetcp_usec rtt_us, variation_us, min_rtt_us;
} lt_round_trip;

lt_round_trip lt_round_trip_over(const livetcp_path *paths, unsigned count);

/* TCP's state on a connection at its last path info; at_us is INT64_MIN before the first. */
typedef struct lt_path_seen {
    livetcp_usec at_us;
    bool repairing; /* a loss, or about to find one */
} lt_path_seen;

/* The components that are inferred. */
typedef struct lt_inferred_delays {
    lt_ewma send_queue, send_buffer, network, repair; /* of packets sent */
    lt_ewma hold;                                     /* of packets received: arrival to delivery */
    lt_path_seen seen[LIVETCP_MAX_CONNECTIONS];
} lt_inferred_delays;

void lt_inferred_delays_init(lt_inferred_delays *delays);
void lt_inferred_delays_reset_slot(lt_inferred_delays *delays, unsigned slot);

/* As the functions of the same names in reports.h. on_written() is for media only. */
void lt_inferred_delays_on_written(lt_inferred_delays *delays, const livetcp_path *path,
                                   const lt_packet *packet, livetcp_usec now);
void lt_inferred_delays_on_acknowledged(lt_inferred_delays *delays, const livetcp_path *path,
                                        const lt_packet *packet, livetcp_usec written_us,
                                        livetcp_usec now);
static inline void lt_inferred_delays_on_path_info(lt_inferred_delays *delays,
                                                   const livetcp_path *path, livetcp_usec now)
{
    lt_path_seen *seen = &delays->seen[path->connection];

    if (!(path->known & LIVETCP_PATH_QUEUED))
        return;
    seen->at_us = now;
    seen->repairing = path->tcp_state >= LIVETCP_TCP_DISORDER;
}

#endif
