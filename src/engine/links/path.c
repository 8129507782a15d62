/* SPDX-License-Identifier: MIT */
/* Facts about a connection, from the platform and from what we wrote ourselves since. */
#include "engine/links/connection.h"

void lt_path_reset(livetcp_path *path, unsigned connection)
{
    *path = (livetcp_path){.connection = connection,
                           .last_write_us = INT64_MIN,
                           .oldest_unacked_us = LIVETCP_NEVER,
                           .send_limit_bytes = UINT32_MAX};
}

static void update_queues(livetcp_path *path, const livetcp_path *facts)
{
    if (facts->known & LIVETCP_PATH_QUEUED)
        path->queued_bytes = facts->queued_bytes;
    if (facts->known & LIVETCP_PATH_UNSENT)
        path->unsent_bytes = facts->unsent_bytes;
    if (facts->known & LIVETCP_PATH_SACKED)
        path->sacked_bytes = facts->sacked_bytes;
}

static void update_window(livetcp_path *path, const livetcp_path *facts)
{
    if (facts->known & LIVETCP_PATH_CWND)
        path->cwnd_bytes = facts->cwnd_bytes;
    if (facts->known & LIVETCP_PATH_MSS)
        path->mss_bytes = facts->mss_bytes;
    if (facts->known & LIVETCP_PATH_RETRANSMITS)
        path->retransmitted_segments = facts->retransmitted_segments;
    if (facts->known & LIVETCP_PATH_DELIVERY_RATE) {
        path->delivery_rate = facts->delivery_rate;
        path->app_limited = facts->app_limited;
    }
}

static void update_times(livetcp_path *path, const livetcp_path *facts)
{
    if (facts->known & LIVETCP_PATH_RTT) {
        path->rtt_us = facts->rtt_us;
        path->rtt_variation_us = facts->rtt_variation_us;
    }
    if (facts->known & LIVETCP_PATH_MIN_RTT)
        path->min_rtt_us = facts->min_rtt_us;
    if (facts->known & LIVETCP_PATH_RTO)
        path->rto_us = facts->rto_us;
}

static void update_state(livetcp_path *path, const livetcp_path *facts, livetcp_usec now)
{
    if (!(facts->known & LIVETCP_PATH_TCP_STATE))
        return;
    if (path->tcp_state != facts->tcp_state || !(path->known & LIVETCP_PATH_TCP_STATE))
        path->state_since_us = now;
    path->tcp_state = facts->tcp_state;
}

void lt_path_update(livetcp_path *path, const livetcp_path *facts, livetcp_usec now)
{
    update_queues(path, facts);
    update_window(path, facts);
    update_times(path, facts);
    update_state(path, facts, now);
    path->known |= facts->known;
}

static uint32_t add_saturating(uint32_t value, size_t more)
{
    return more > UINT32_MAX - value ? UINT32_MAX : value + (uint32_t)more;
}

void lt_path_wrote(livetcp_path *path, size_t size, livetcp_usec now)
{
    if (path->known & LIVETCP_PATH_QUEUED)
        path->queued_bytes = add_saturating(path->queued_bytes, size);
    if (path->known & LIVETCP_PATH_UNSENT)
        path->unsent_bytes = add_saturating(path->unsent_bytes, size);
    path->last_write_us = now;
}

/* The estimator of RFC 6298 section 2, which is TCP's own. */
void lt_path_measured_rtt(livetcp_path *path, livetcp_usec rtt_us)
{
    if (!(path->known & LIVETCP_PATH_RTT)) {
        path->known |= LIVETCP_PATH_RTT;
        path->rtt_us = rtt_us;
        path->rtt_variation_us = rtt_us / 2;
        return;
    }
    livetcp_usec error = rtt_us - path->rtt_us;
    path->rtt_variation_us += ((error < 0 ? -error : error) - path->rtt_variation_us) / 4;
    path->rtt_us += error / 8;
}
