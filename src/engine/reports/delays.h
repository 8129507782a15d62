/* SPDX-License-Identifier: MIT */
/* Delay components of a packet, inferred from path info; see livetcp_delays. */
#ifndef LT_ENGINE_REPORTS_DELAYS_H
#define LT_ENGINE_REPORTS_DELAYS_H

#include "engine/packet.h"

#include <livetcp/engine.h>

/* Exponentially weighted moving average with a weight of about 1/16; the first sample is its
 * initial value. */
typedef struct lt_ewma {
    bool known;
    livetcp_usec us;
} lt_ewma;

void lt_ewma_add(lt_ewma *ewma, livetcp_usec sample_us);

/* -1 without samples. */
livetcp_usec lt_ewma_us(const lt_ewma *ewma);

/* Time that a frame of that size, which was just written, will spend in the send buffer. The path
 * includes it in its unsent bytes. */
livetcp_usec lt_delay_in_buffer(const livetcp_path *path, size_t size);

/* One-way delay: half of the minimum round trip, and the whole excess of the current one, since
 * acknowledgements are small and meet no queue of ours. -1 without a round trip. */
livetcp_usec lt_delay_of_network(const livetcp_path *path);

/* Time that a packet waited at the peer for the repair of a loss ahead of it. TCP acknowledges in
 * order, so the acknowledgement is late by this time, beyond `buffered_us` and a round trip. It
 * arrived after `before_us` and until `now`, the times of the last two path infos (`before_us` may
 * precede the write). Unless a `repair` was in progress, an acknowledgement that may have been in
 * time counts as in time. */
livetcp_usec lt_delay_at_head_of_line(const livetcp_path *path, livetcp_usec written_us,
                                      livetcp_usec buffered_us, bool repair, livetcp_usec before_us,
                                      livetcp_usec now);

/* Over the usable connections: the mean round trip and its variation, and the minimum; -1 =
 * unknown. */
typedef struct lt_round_trip {
    unsigned connections;
    livetcp_usec rtt_us, variation_us, min_rtt_us;
} lt_round_trip;

lt_round_trip lt_round_trip_over(const livetcp_path *paths, unsigned count);

/* TCP's state on a connection at its last path info; at_us is INT64_MIN before the first one. */
typedef struct lt_path_seen {
    livetcp_usec at_us;
    bool repairing; /* a loss is being repaired, or suspected */
} lt_path_seen;

/* The inferred components. */
typedef struct lt_inferred_delays {
    lt_ewma send_queue, send_buffer, network, repair; /* of sent packets */
    lt_ewma hold; /* of received packets: from arrival to delivery */
    lt_path_seen seen[LIVETCP_MAX_CONNECTIONS];
} lt_inferred_delays;

void lt_inferred_delays_init(lt_inferred_delays *delays);
void lt_inferred_delays_reset_slot(lt_inferred_delays *delays, unsigned slot);

/* As the functions of the same names in reports.h; on_written() for media only. */
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
