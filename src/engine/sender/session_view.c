/* SPDX-License-Identifier: MIT */
/* What a policy sees: the facts about the connections, and the packet in question. */
#include "engine/session_internal.h"
#include "policy/forecast.h"

/* MIN_BUF(A,B): Goel et al., section 2.2, in bytes, with the SACK correction. With a delay to keep
 * to (their section 6), the unsent part is what the window sends in that time. */
uint32_t lt_session_send_limit(const livetcp_config *config, const livetcp_path *path)
{
    const uint32_t needed = LIVETCP_PATH_CWND | LIVETCP_PATH_MSS | LIVETCP_PATH_QUEUED;
    uint64_t cwnd = path->cwnd_bytes, limit;
    uint64_t beyond = (uint64_t)config->min_buf_b * path->mss_bytes;

    if (!config->min_buf_a || (path->known & needed) != needed)
        return UINT32_MAX;
    limit = config->min_buf_a * cwnd + (beyond < cwnd ? beyond : cwnd);
    if (config->min_buf_delay_us && path->known & LIVETCP_PATH_RTT && path->rtt_us > 0)
        limit = cwnd + cwnd * (uint64_t)config->min_buf_delay_us / (uint64_t)path->rtt_us;
    if (path->known & LIVETCP_PATH_SACKED)
        limit += path->sacked_bytes;
    return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

void lt_session_refresh_paths(livetcp_engine *session)
{
    for (unsigned i = 0; i < session->count; i++) {
        livetcp_path *path = &session->paths[i];
        path->send_limit_bytes = lt_session_send_limit(&session->config, path);
        path->ready =
            path->usable && !path->blocked && !session->connections[i].outbox.packet &&
            (path->send_limit_bytes == UINT32_MAX || path->queued_bytes < path->send_limit_bytes);
    }
}

uint32_t lt_session_ready_paths(const livetcp_engine *session)
{
    uint32_t ready = 0;

    for (unsigned i = 0; i < session->count; i++)
        ready |= session->paths[i].ready ? UINT32_C(1) << i : 0;
    return ready;
}

livetcp_policy_view lt_session_view(livetcp_engine *session, livetcp_usec now)
{
    double cost = session->policy->cost ? session->policy->cost(&session->config) : 0;
    uint64_t rate = lt_budget_media_rate(&session->budget, now);

    lt_session_refresh_paths(session);
    session->budget.ratio = lt_budget_ratio(session->config.redundancy_budget, cost, rate);
    return (livetcp_policy_view){.now_us = now,
                                 .paths = session->paths,
                                 .path_size = sizeof *session->paths,
                                 .path_count = session->count,
                                 .queue_packets = lt_send_queue_packets(session->queue),
                                 .queue_bytes = lt_send_queue_bytes(session->queue),
                                 .budget_bytes = lt_budget_left(&session->budget, now),
                                 .budget_ratio = session->budget.ratio,
                                 .media_rate = rate};
}

livetcp_packet_view lt_session_describe(const lt_packet *packet)
{
    return (livetcp_packet_view){.size = lt_packet_size(packet),
                                 .enqueued_us = packet->enqueued_us,
                                 .ssrc = packet->ssrc,
                                 .sequence = packet->sequence,
                                 .rtcp = packet->rtcp,
                                 .parity = packet->parity,
                                 .importance = packet->importance,
                                 .carried_by = packet->carried,
                                 .avoid = packet->avoid,
                                 .copies = packet->copies,
                                 .first_sent_us = packet->first_sent_us,
                                 .last_sent_us = packet->last_sent_us};
}

livetcp_usec lt_session_round_trip(const livetcp_engine *session)
{
    livetcp_usec longest = 0;

    for (unsigned i = 0; i < session->count; i++)
        if (session->paths[i].usable && session->paths[i].rtt_us > longest)
            longest = session->paths[i].rtt_us;
    return longest ? longest : LT_TYPICAL_RTT_US;
}
