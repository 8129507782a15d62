/* SPDX-License-Identifier: MIT */
/*
 * Random loss leaves the round trip near its minimum; a congested queue lifts it, and not by
 * jitter: the smoothed round trip stands above the minimum by more than it varies. (Vegas, LEDBAT
 * and the low-delay estimators of RFC 8698 read a queue from the same difference.)
 *
 * Flows that fill a drop-tail queue back off together and leave it empty for seconds, so what was
 * seen counts for a while. docs/research/tuning.md has the measurements.
 */
#include "policy/standing_queue.h"

#define HOLD_US    (10 * (livetcp_usec)LIVETCP_USEC_SEC)
#define LEAST_US   (4 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define LEAST_PART 20 /* of the smallest round trip */
#define VARIATIONS 2

static livetcp_usec base_of(const livetcp_path *path)
{
    bool has_min = path->known & LIVETCP_PATH_MIN_RTT && path->min_rtt_us > 0;

    return has_min && path->min_rtt_us < path->rtt_us ? path->min_rtt_us : path->rtt_us;
}

static bool stands(const livetcp_path *path, livetcp_usec base)
{
    livetcp_usec excess = path->rtt_us - base;

    return excess > LEAST_US && excess > base / LEAST_PART &&
           excess > VARIATIONS * path->rtt_variation_us;
}

bool lt_standing_queue_update(lt_standing_queue *queue, const livetcp_policy_view *view)
{
    unsigned known = 0, standing = 0;

    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        if (!path->usable || !(path->known & LIVETCP_PATH_RTT) || path->rtt_us <= 0)
            continue;
        livetcp_usec base = base_of(path);
        if (!queue->base_us || base < queue->base_us)
            queue->base_us = base;
        known++;
        standing += stands(path, queue->base_us);
    }
    /* One connection's round trip may be out of date or hurt by its own repair; a queue that all of
     * them share shows on most. */
    if (known && 2 * standing >= known) {
        queue->seen_us = view->now_us;
        queue->was_seen = true;
    }
    return queue->was_seen && view->now_us - queue->seen_us < HOLD_US;
}
