/* SPDX-License-Identifier: MIT */
#include "engine/reports/delays.h"

#include "policy/forecast.h"

#define WEIGHT 16

void lt_ewma_add(lt_ewma *ewma, livetcp_usec sample_us)
{
    if (ewma->known)
        ewma->us += (sample_us - ewma->us) / WEIGHT;
    else
        *ewma = (lt_ewma){.known = true, .us = sample_us};
}

livetcp_usec lt_ewma_us(const lt_ewma *ewma)
{
    return ewma->known ? ewma->us : -1;
}

livetcp_usec lt_delay_in_buffer(const livetcp_path *path, size_t size)
{
    livetcp_path before = *path;

    before.unsent_bytes -= size < before.unsent_bytes ? (uint32_t)size : before.unsent_bytes;
    before.queued_bytes -= size < before.queued_bytes ? (uint32_t)size : before.queued_bytes;
    return lt_path_window_wait(&before, size);
}

livetcp_usec lt_delay_of_network(const livetcp_path *path)
{
    if (!(path->known & LIVETCP_PATH_RTT))
        return -1;
    if (!(path->known & LIVETCP_PATH_MIN_RTT) || path->min_rtt_us > path->rtt_us)
        return path->rtt_us / 2;
    return path->min_rtt_us / 2 + path->rtt_us - path->min_rtt_us;
}

livetcp_usec lt_delay_at_head_of_line(const livetcp_path *path, livetcp_usec written_us,
                                      livetcp_usec buffered_us, bool repair, livetcp_usec before_us,
                                      livetcp_usec now)
{
    livetcp_usec in_time = written_us + buffered_us + path->rtt_us;
    livetcp_usec slack = lt_ack_due(path) - path->rtt_us;

    if (!(path->known & LIVETCP_PATH_RTT) || now <= in_time)
        return 0;
    if (before_us <= in_time + slack && !repair)
        return 0;
    livetcp_usec from = before_us > in_time ? before_us : in_time;
    return from + (now - from) / 2 - in_time;
}

lt_round_trip lt_round_trip_over(const livetcp_path *paths, unsigned count)
{
    lt_round_trip all = {.rtt_us = -1, .variation_us = -1, .min_rtt_us = -1};
    livetcp_usec rtts = 0, variations = 0;
    unsigned known = 0;

    for (unsigned i = 0; i < count; i++) {
        const livetcp_path *path = &paths[i];
        all.connections += path->usable;
        if (!path->usable || !(path->known & LIVETCP_PATH_RTT) || path->rtt_us <= 0)
            continue;
        bool has_least = path->known & LIVETCP_PATH_MIN_RTT;
        livetcp_usec least = has_least ? path->min_rtt_us : path->rtt_us;
        known++;
        rtts += path->rtt_us;
        variations += path->rtt_variation_us;
        if (all.min_rtt_us < 0 || least < all.min_rtt_us)
            all.min_rtt_us = least;
    }
    if (known) {
        all.rtt_us = rtts / known;
        all.variation_us = variations / known;
    }
    return all;
}

/* ---- inferred components ---- */

void lt_inferred_delays_init(lt_inferred_delays *delays)
{
    *delays = (lt_inferred_delays){.hold = {.known = false}};
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        lt_inferred_delays_reset_slot(delays, i);
}

void lt_inferred_delays_reset_slot(lt_inferred_delays *delays, unsigned slot)
{
    delays->seen[slot] = (lt_path_seen){.at_us = INT64_MIN};
}

void lt_inferred_delays_on_written(lt_inferred_delays *delays, const livetcp_path *path,
                                   const lt_packet *packet, livetcp_usec now)
{
    livetcp_usec network = lt_delay_of_network(path);

    lt_ewma_add(&delays->send_queue, now - packet->enqueued_us);
    if (path->known & LIVETCP_PATH_UNSENT)
        lt_ewma_add(&delays->send_buffer, packet->buffered_us);
    if (network >= 0)
        lt_ewma_add(&delays->network, network);
}

void lt_inferred_delays_on_acknowledged(lt_inferred_delays *delays, const livetcp_path *path,
                                        const lt_packet *packet, livetcp_usec written_us,
                                        livetcp_usec now)
{
    const lt_path_seen *seen = &delays->seen[path->connection];

    lt_ewma_add(&delays->repair, lt_delay_at_head_of_line(path, written_us, packet->buffered_us,
                                                          seen->repairing, seen->at_us, now));
}
