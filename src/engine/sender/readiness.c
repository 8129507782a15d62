/* SPDX-License-Identifier: MIT */
/* Which connections take a packet now, and when to look again: the send limit MIN_BUF(A,B), the
 * links' windows, and the kernel's notification that a send buffer has drained. */
#include "engine/sender/sender_private.h"

#include "base/usec.h"
#include "engine/links/path_info.h"

/* A policy that answered "wait" is asked again after RETRY_MAX_US, unless something else happens
 * before. While a send buffer is full, the time is this fraction of the round trip, within
 * [LT_RETRY_MIN_US, RETRY_MAX_US]. */
#define RETRY_MAX_US   5000
#define RETRY_RTT_PART 32

/* Bytes of a full segment over Ethernet and IPv4, where the platform does not report the MSS. */
#define TYPICAL_MSS 1448

/* MIN_BUF(A,B) in bytes (Goel et al., section 2.2): A * cwnd + min(B * MSS, cwnd) + sacked. With a
 * target delay (their section 6), the unsent part is instead what the window sends in that time.
 * UINT32_MAX = no limit, or the path info does not suffice. */
static uint32_t send_limit(const livetcp_config *config, const livetcp_path *path)
{
    const uint32_t needed = LIVETCP_PATH_CWND | LIVETCP_PATH_MSS | LIVETCP_PATH_QUEUED;
    uint64_t cwnd = path->cwnd_bytes, limit;
    uint64_t beyond = (uint64_t)config->send_buffer_segments * path->mss_bytes;

    if (!config->send_buffer_windows || (path->known & needed) != needed)
        return UINT32_MAX;
    limit = config->send_buffer_windows * cwnd + (beyond < cwnd ? beyond : cwnd);
    if (config->send_buffer_delay_us && path->known & LIVETCP_PATH_RTT && path->rtt_us > 0)
        limit = cwnd + cwnd * (uint64_t)config->send_buffer_delay_us / (uint64_t)path->rtt_us;
    if (path->known & LIVETCP_PATH_SACKED)
        limit += path->sacked_bytes;
    return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

/* Bytes on each link that the peer does not have: in kernel buffers and in outboxes. */
static void count_in_flight(const lt_sender *sender, const lt_links *links,
                            uint64_t bytes[LIVETCP_MAX_LINKS])
{
    unsigned count = lt_links_count(links);
    const livetcp_path *paths = lt_links_paths(links);

    for (unsigned i = 0; i < count; i++) {
        const livetcp_path *path = &paths[i];
        if (path->usable && path->tcp_state != LIVETCP_TCP_TIMEOUT)
            bytes[path->link] += lt_path_undelivered(path);
        if (sender->outboxes[i].packet)
            bytes[path->link] += lt_packet_size(sender->outboxes[i].packet);
    }
}

/* Bit i: the window of link i has space. */
static uint32_t open_links(const lt_sender *sender, const lt_links *links)
{
    uint64_t bytes[LIVETCP_MAX_LINKS] = {0};
    uint32_t open = 0;

    count_in_flight(sender, links, bytes);
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++) {
        uint64_t window = sender->limits[i].window;
        if (window == UINT64_MAX || bytes[i] < window)
            open |= UINT32_C(1) << i;
    }
    return open;
}

/* Where others overrun the link, late and lost packets say nothing about our extra bytes. A policy
 * that looks at the path may send some, and others would send all that their budget allows. */
bool lt_sender_takes_extra(const lt_sender *sender, const livetcp_path *path)
{
    const lt_link_limit *limit = &sender->limits[path->link];

    return limit->extra_allowed ||
           (limit->overrun && sender->policy.policy->wants & LIVETCP_WANTS_HEADROOM);
}

bool lt_sender_heeds_headroom(const lt_sender *sender, const livetcp_path *path)
{
    return sender->policy.policy->wants & LIVETCP_WANTS_HEADROOM &&
           !sender->limits[path->link].overrun;
}

/* Headroom may be nothing: the link is full of media, or it is tried whether it is. */
static bool has_room(const lt_sender *sender, const livetcp_path *path)
{
    bool none = lt_sender_heeds_headroom(sender, path) && sender->limits[path->link].headroom <= 0;

    return lt_sender_takes_extra(sender, path) && !none;
}

void lt_sender_refresh_paths(lt_sender *sender, const lt_links *links)
{
    unsigned count = lt_links_count(links);
    livetcp_path *paths = lt_links_paths(links);
    uint32_t open = open_links(sender, links);

    for (unsigned i = 0; i < count; i++) {
        livetcp_path *path = &paths[i];
        path->send_limit_bytes = send_limit(&sender->config, path);
        path->link_room = has_room(sender, path);
        path->link_overrun = sender->limits[path->link].overrun;
        path->ready =
            open >> path->link & 1 && !path->link_stalled && path->usable && !path->blocked &&
            !sender->outboxes[i].packet && !lt_links_is_early_full(links, i) &&
            (path->send_limit_bytes == UINT32_MAX || path->queued_bytes < path->send_limit_bytes);
    }
}

uint32_t lt_sender_ready_paths(const lt_links *links)
{
    unsigned count = lt_links_count(links);
    const livetcp_path *paths = lt_links_paths(links);
    uint32_t ready = 0;

    for (unsigned i = 0; i < count; i++)
        ready |= paths[i].ready ? UINT32_C(1) << i : 0;
    return ready;
}

livetcp_usec lt_sender_retry_after(const lt_links *links)
{
    unsigned count = lt_links_count(links);
    const livetcp_path *paths = lt_links_paths(links);
    livetcp_usec wait = RETRY_MAX_US;

    for (unsigned i = 0; i < count; i++) {
        const livetcp_path *path = &paths[i];
        bool full = path->usable && !path->blocked && !path->ready;
        if (full && path->known & LIVETCP_PATH_RTT)
            wait = lt_usec_min(wait, path->rtt_us / RETRY_RTT_PART);
    }
    return lt_usec_max(wait, LT_RETRY_MIN_US);
}

/* ---- the kernel's send buffers ---- */

/* Unsent bytes that the kernel may hold: the send limit without the window in flight. Without path
 * info there is no send limit, and B segments are the limit of the unsent part. */
uint32_t lt_sender_unsent_limit(const lt_sender *sender, const livetcp_path *path)
{
    uint32_t send_max = send_limit(&sender->config, path);
    uint64_t in_flight = path->cwnd_bytes;
    uint64_t limit = (uint64_t)sender->config.send_buffer_segments * TYPICAL_MSS;

    if (!sender->config.send_buffer_windows)
        return UINT32_MAX;
    if (path->known & LIVETCP_PATH_SACKED)
        in_flight += path->sacked_bytes;
    if (send_max != UINT32_MAX)
        limit = send_max > in_flight ? send_max - in_flight : 0;
    if (limit < 1)
        return 1;
    return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

/* The kernel's next sends bring the queue below the send limit, and its notification says when.
 * With less unsent, the window itself is full, as in recovery: sending frees nothing, and the timer
 * of lt_sender_retry_after() has to do. */
static bool has_unsent_excess(const lt_sender *sender, const livetcp_path *path)
{
    return path->usable && !path->blocked && path->queued_bytes >= path->send_limit_bytes &&
           (path->known & LIVETCP_PATH_UNSENT) &&
           path->unsent_bytes >= lt_sender_unsent_limit(sender, path);
}

uint32_t lt_sender_wants_writable(const lt_sender *sender, const lt_links *links)
{
    unsigned count = lt_links_count(links);
    const livetcp_path *paths = lt_links_paths(links);
    uint32_t wanted = 0;

    if (sender->retry_us == LIVETCP_NEVER)
        return 0;
    for (unsigned i = 0; i < count; i++)
        if (has_unsent_excess(sender, &paths[i]))
            wanted |= UINT32_C(1) << i;
    return wanted;
}

bool lt_sender_uses_path_info(const lt_sender *sender)
{
    return sender->policy.policy->wants & LIVETCP_WANTS_PATHS ||
           sender->config.send_buffer_windows > 0 || sender->config.max_send_delay_us > 0;
}
