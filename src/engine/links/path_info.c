/* SPDX-License-Identifier: MIT */
#include "engine/links/path_info.h"

/* Between two path infos the engine adds its own writes, so that only TCP's actions go unseen. The
 * limit saves a system call per packet at thousands of packets a second. */
#define MAX_AGE_US 1000

/* While nothing is in flight: a queue that is not written to stays empty. */
#define IDLE_MAX_AGE_US 100000

void lt_path_reset(livetcp_path *path, unsigned connection)
{
    *path = (livetcp_path){.known = LIVETCP_PATH_LINK | LIVETCP_PATH_OVERRUN,
                           .connection = connection,
                           .link = path->link,
                           .link_weight = path->link_weight,
                           .link_room = true,
                           .link_stalled = path->link_stalled,
                           .last_write_us = INT64_MIN,
                           .oldest_unacked_us = LIVETCP_NEVER,
                           .send_limit_bytes = UINT32_MAX};
}

static void update_queues(livetcp_path *path, const livetcp_path *info)
{
    if (info->known & LIVETCP_PATH_QUEUED)
        path->queued_bytes = info->queued_bytes;
    if (info->known & LIVETCP_PATH_UNSENT)
        path->unsent_bytes = info->unsent_bytes;
    if (info->known & LIVETCP_PATH_SACKED)
        path->sacked_bytes = info->sacked_bytes;
}

static void update_window(livetcp_path *path, const livetcp_path *info)
{
    if (info->known & LIVETCP_PATH_CWND)
        path->cwnd_bytes = info->cwnd_bytes;
    if (info->known & LIVETCP_PATH_MSS)
        path->mss_bytes = info->mss_bytes;
    if (info->known & LIVETCP_PATH_RETRANSMITS)
        path->retransmitted_segments = info->retransmitted_segments;
    if (info->known & LIVETCP_PATH_MARKS) {
        path->delivered_segments = info->delivered_segments;
        path->marked_segments = info->marked_segments;
    }
    if (info->known & LIVETCP_PATH_DELIVERY_RATE) {
        path->delivery_rate = info->delivery_rate;
        path->app_limited = info->app_limited;
    }
}

static void update_times(livetcp_path *path, const livetcp_path *info)
{
    if (info->known & LIVETCP_PATH_RTT) {
        path->rtt_us = info->rtt_us;
        path->rtt_variation_us = info->rtt_variation_us;
    }
    if (info->known & LIVETCP_PATH_MIN_RTT)
        path->min_rtt_us = info->min_rtt_us;
    if (info->known & LIVETCP_PATH_RTO)
        path->rto_us = info->rto_us;
}

static void update_state(livetcp_path *path, const livetcp_path *info, livetcp_usec now)
{
    if (!(info->known & LIVETCP_PATH_TCP_STATE))
        return;
    if (path->tcp_state != info->tcp_state || !(path->known & LIVETCP_PATH_TCP_STATE))
        path->state_since_us = now;
    path->tcp_state = info->tcp_state;
}

void lt_path_update(livetcp_path *path, const livetcp_path *info, livetcp_usec now)
{
    update_queues(path, info);
    update_window(path, info);
    update_times(path, info);
    update_state(path, info, now);
    path->known |= info->known & ~(uint32_t)LIVETCP_PATH_LINK;
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

/* RFC 6298, section 2, as TCP's own estimator. */
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

livetcp_usec lt_path_max_age(const livetcp_path *path)
{
    const uint32_t needed = LIVETCP_PATH_QUEUED | LIVETCP_PATH_TCP_STATE;
    bool idle = (path->known & needed) == needed && path->queued_bytes == 0 &&
                path->tcp_state == LIVETCP_TCP_OPEN;

    return idle ? IDLE_MAX_AGE_US : MAX_AGE_US;
}
