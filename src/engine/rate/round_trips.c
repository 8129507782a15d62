/* SPDX-License-Identifier: MIT */
#include "engine/rate/round_trips.h"

#include "base/usec.h"
#include "engine/links/path_info.h"

/* Once many marks are there, writes within this time share one. With the bytes of a frame in one
 * mark, its first packets would not show whether there was a queue before it. */
#define MARK_US    2000
#define MANY_MARKS (LT_ROUND_TRIP_MARKS / 2)
#define MARK_BYTES 10000 /* or an equal part of what is under way */

/* Period of the minimum round trip. */
#define BASE_US 5000000

/* A round trip that ended at some time in a longer silence of the platform is no sample. */
#define GAP_US 15000

void lt_round_trips_init(lt_round_trips *trips)
{
    *trips = (lt_round_trips){
        .asked_us = INT64_MIN, .repaired_us = INT64_MIN, .shared_us = LIVETCP_NEVER};
    lt_recent_min_init(&trips->base, BASE_US);
}

static lt_write_mark *mark_at(lt_round_trips *trips, unsigned position)
{
    return &trips->marks[(trips->first + position) % LT_ROUND_TRIP_MARKS];
}

/* Behind others that are unsent, or beyond the window. */
static bool will_wait(const livetcp_path *path, size_t size)
{
    return (path->known & LIVETCP_PATH_UNSENT && path->unsent_bytes > 0) ||
           lt_path_exceeds_window(path, size);
}

static bool shares_mark(const lt_round_trips *trips, const lt_write_mark *last, size_t size,
                        livetcp_usec now)
{
    uint64_t part = (trips->written - trips->delivered) / MANY_MARKS;

    return trips->count > MANY_MARKS && now - last->at_us < MARK_US &&
           last->size + size <= (part > MARK_BYTES ? part : MARK_BYTES);
}

void lt_round_trips_wrote(lt_round_trips *trips, const livetcp_path *path, size_t size,
                          lt_burst_place place, livetcp_usec now)
{
    bool waits = will_wait(path, size);

    lt_write_mark *last = trips->count ? mark_at(trips, trips->count - 1) : NULL;

    trips->written += size;
    if (last && (shares_mark(trips, last, size, now) || trips->count == LT_ROUND_TRIP_MARKS))
        *last = (lt_write_mark){trips->written, last->at_us, last->size + (uint32_t)size, place,
                                last->waits || waits};
    else
        *mark_at(trips, trips->count++) =
            (lt_write_mark){trips->written, now, (uint32_t)size, place, waits};
}

/* The peer has all written bytes but the queued ones, selectively acknowledged bytes excepted. Both
 * counts include the writes since the platform was asked, so the difference only changes with its
 * answers. */
static uint64_t newly_delivered(lt_round_trips *trips, const livetcp_path *path)
{
    uint64_t away = lt_path_undelivered(path), before = trips->delivered;

    if (trips->written < before + away)
        return 0;
    trips->delivered = trips->written - away;
    return trips->delivered - before;
}

/* The newest write that is delivered whole, with the size of the largest: it may have waited for
 * that one. */
static bool pop_delivered(lt_round_trips *trips, lt_write_mark *newest)
{
    bool popped = false;
    uint32_t largest = 0;

    while (trips->count && mark_at(trips, 0)->end <= trips->delivered) {
        *newest = *mark_at(trips, 0);
        largest = newest->size > largest ? newest->size : largest;
        newest->size = largest;
        popped = true;
        trips->first = (trips->first + 1) % LT_ROUND_TRIP_MARKS;
        trips->count--;
    }
    return popped;
}

/* It was not there yet when the platform was asked `before`: a queue is not overestimated. TCP
 * counts from when it sent, but smooths. */
static livetcp_usec queue_of(const lt_round_trips *trips, const lt_write_mark *mark,
                             const livetcp_path *path, livetcp_usec before)
{
    livetcp_usec queue = before - mark->at_us - lt_round_trips_base(trips);

    if (mark->waits && path->known & LIVETCP_PATH_RTT)
        queue = path->rtt_us - lt_round_trips_base(trips);
    return queue > 0 ? queue : 0;
}

/* Packets under way while a loss was repaired waited for the repair, and not in a queue. */
static void note_repair(lt_round_trips *trips, const livetcp_path *path, livetcp_usec now)
{
    bool disordered =
        path->known & LIVETCP_PATH_TCP_STATE && path->tcp_state >= LIVETCP_TCP_DISORDER;

    if (disordered || path->retransmitted_segments != trips->retransmitted)
        trips->repaired_us = now;
    trips->retransmitted = path->retransmitted_segments;
}

uint64_t lt_round_trips_update(lt_round_trips *trips, const livetcp_path *path, double rate,
                               livetcp_usec now, lt_queue_samples *samples)
{
    uint64_t delivered = newly_delivered(trips, path);
    livetcp_usec before = trips->asked_us;
    lt_write_mark newest;

    *samples = (lt_queue_samples){
        .queue_us = LIVETCP_NEVER, .busy_us = LIVETCP_NEVER, .exact_us = LIVETCP_NEVER};
    /* TCP's own minimum knows the handshake, before there was anything in a queue. */
    if (lt_round_trips_own_base(trips) == LIVETCP_NEVER && path->known & LIVETCP_PATH_MIN_RTT)
        lt_recent_min_add(&trips->base, path->min_rtt_us, now);
    trips->asked_us = now;
    note_repair(trips, path, now);
    if (!pop_delivered(trips, &newest) || newest.at_us <= trips->repaired_us ||
        !(path->known & LIVETCP_PATH_QUEUED))
        return delivered;
    lt_recent_min_add(&trips->base, now - newest.at_us, now);
    if (before < now - GAP_US)
        return delivered;
    samples->busy_us = queue_of(trips, &newest, path, before);
    livetcp_usec own = rate > 0 ? (livetcp_usec)(newest.size * 1e6 / rate) : 0;
    samples->queue_us = samples->busy_us > own ? samples->busy_us - own : 0;
    if (newest.waits)
        return delivered;
    samples->exact_us = samples->busy_us;
    samples->sent_us = newest.at_us;
    samples->place = newest.place;
    return delivered;
}

void lt_round_trips_lengthen(lt_round_trips *trips, livetcp_usec longer_us, livetcp_usec now)
{
    livetcp_usec base = lt_round_trips_base(trips);

    if (base == LIVETCP_NEVER)
        return;
    lt_recent_min_set(&trips->base, base + longer_us, now);
    trips->shared_us = LIVETCP_NEVER;
}

void lt_round_trips_keep_base(lt_round_trips *trips, livetcp_usec now)
{
    lt_recent_min_keep(&trips->base, now);
}

void lt_round_trips_share_base(lt_round_trips *trips, livetcp_usec least_us)
{
    trips->shared_us = least_us;
}

livetcp_usec lt_round_trips_own_base(const lt_round_trips *trips)
{
    return lt_recent_min_last(&trips->base);
}

livetcp_usec lt_round_trips_base(const lt_round_trips *trips)
{
    return lt_usec_min(lt_round_trips_own_base(trips), trips->shared_us);
}
