/* SPDX-License-Identifier: MIT */
/*
 * Random loss leaves the round trip near its minimum. A congested queue raises it, and not as
 * jitter: the average round trip exceeds the minimum by more than it varies. (Vegas, LEDBAT and
 * NADA, RFC 8698, read a queue from the same difference.)
 *
 * The minimum is each connection's own, since load balancers assign routes of different lengths. A
 * longer route looks like a queue, too. While a queue counts there are no copies that could
 * maintain it, so a round trip that stays constant all that time, unlike a queue's, is the new
 * minimum.
 *
 * Flows that fill a drop-tail queue back off together and leave it empty for seconds, so a queue
 * counts for some time after it was seen; twice as long if it returned soon, since copies may have
 * caused it. docs/research/tuning.md has the measurements.
 */
#include "policy/standing_queue.h"

#define HOLD_US      (10 * (livetcp_usec)LIVETCP_USEC_SEC)
#define HOLD_MOST_US (160 * (livetcp_usec)LIVETCP_USEC_SEC)
#define MOVED_US     (9 * (livetcp_usec)LIVETCP_USEC_SEC)
#define LEAST_US     (4 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define LEAST_PART   20 /* of the minimum round trip */
#define VARIATIONS   2
#define PACKETS      2
#define SEGMENT      ((livetcp_usec)1500) /* times the media rate */
#define WIDE         3                    /* times the media */

/* Packets placed within this time of each other are a burst: a frame. */
#define BURST_US (3 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define GAIN     16

static bool is_known(const livetcp_path *path)
{
    return path->usable && path->known & LIVETCP_PATH_RTT && path->rtt_us > 0;
}

/* The minimum seen so far; initially the platform's. */
static livetcp_usec base_of(livetcp_usec before, const livetcp_path *path)
{
    bool has_min = path->known & LIVETCP_PATH_MIN_RTT && path->min_rtt_us > 0;
    livetcp_usec least = before ? before : has_min ? path->min_rtt_us : path->rtt_us;

    return path->rtt_us < least ? path->rtt_us : least;
}

void lt_standing_queue_placed(lt_standing_queue *queue, size_t size, livetcp_usec now)
{
    if (now - queue->placed_us > BURST_US)
        queue->burst = 0;
    queue->placed_us = now;
    queue->ahead += (queue->burst - queue->ahead) / GAIN;
    queue->burst += (double)size;
}

/* Serialization time of the media's packets. The base is from the handshake, and a packet may wait
 * for another of the same media: on a link of a few Mbit/s they take milliseconds. If the link
 * hardly has time for both, they queue. */
static livetcp_usec packets_time(const livetcp_path *path, uint64_t media_rate)
{
    bool wide = path->known & LIVETCP_PATH_GROUP && path->group_rate > WIDE * media_rate;

    return wide ? PACKETS * SEGMENT * LIVETCP_USEC_SEC / (livetcp_usec)path->group_rate : 0;
}

/* The packets of a frame wait for each other, which lifts the average round trip. But their round
 * trips vary, and a group has a queue only if these exceed the minimum by more than they vary. */
static bool is_own_frame(const lt_standing_queue *queue, const livetcp_path *path)
{
    return queue->ahead > (double)SEGMENT && path->known & LIVETCP_PATH_GROUP &&
           !path->group_queue_us;
}

static bool stands(const livetcp_path *path, livetcp_usec base, uint64_t media_rate)
{
    livetcp_usec excess = path->rtt_us - base - packets_time(path, media_rate);

    return excess > LEAST_US && excess > base / LEAST_PART &&
           excess > VARIATIONS * path->rtt_variation_us;
}

/* A single connection's round trip may be outdated, or increased by its own repair; a shared queue
 * shows on most connections. */
static bool is_seen(lt_standing_queue *queue, const livetcp_policy_view *view)
{
    unsigned known = 0, standing = 0;

    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        if (!is_known(path))
            continue;
        queue->base_us[i] = base_of(queue->base_us[i], path);
        known++;
        standing += stands(path, queue->base_us[i], view->media_rate) && !is_own_frame(queue, path);
    }
    return known && 2 * standing >= known;
}

static void see(lt_standing_queue *queue, livetcp_usec now)
{
    livetcp_usec since = now - queue->seen_us;

    if (!queue->hold_us || since > queue->hold_us)
        queue->began_us = now;
    if (!queue->hold_us || since > 4 * queue->hold_us)
        queue->hold_us = HOLD_US;
    else if (since > queue->hold_us && queue->hold_us < HOLD_MOST_US)
        queue->hold_us *= 2;
    queue->seen_us = now;
}

/* The route has changed: no round trip of its group was shorter for long. */
static bool has_moved(const lt_standing_queue *queue, const livetcp_policy_view *view)
{
    if (!queue->hold_us || view->now_us - queue->began_us < MOVED_US)
        return false;
    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        if (is_known(path) && (!(path->known & LIVETCP_PATH_GROUP) || path->group_queue_us > 0))
            return false;
    }
    return true;
}

static void move(lt_standing_queue *queue, const livetcp_policy_view *view)
{
    for (unsigned i = 0; i < view->path_count; i++)
        if (is_known(livetcp_view_path(view, i)))
            queue->base_us[i] = livetcp_view_path(view, i)->rtt_us;
    queue->hold_us = 0;
}

static void look(lt_standing_queue *queue, const livetcp_policy_view *view)
{
    queue->looked = true;
    queue->looked_us = view->now_us;
    if (!is_seen(queue, view))
        return;
    see(queue, view->now_us);
    if (has_moved(queue, view))
        move(queue, view);
}

/* Packets placed and reviewed together see one result. */
bool lt_standing_queue_update(lt_standing_queue *queue, const livetcp_policy_view *view)
{
    if (!queue->looked || view->now_us != queue->looked_us)
        look(queue, view);
    return queue->hold_us && view->now_us - queue->seen_us < queue->hold_us;
}
