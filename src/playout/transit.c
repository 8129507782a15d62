/* SPDX-License-Identifier: MIT */
/*
 * Skew moves the minimum transit time slowly and permanently; a queue moves it at once, and drains.
 * A gate separates the two: a second whose minimum exceeds the base by more than the possible clock
 * drift is queueing, and does not update the base. The base is the minimum of the latest seconds
 * that passed the gate, each extrapolated to now along the skew's slope.
 *
 * A lower transit time becomes the base at once. A higher one does so only if it has lasted for two
 * minutes without interruption; or for two seconds after a pause of exactly that length in the
 * arrivals, since then the media clock stood still and not the network (a stalled TCP connection
 * delivers its backlog in a burst, and the transit time falls).
 */
#include "playout/transit.h"

#include <string.h>

#define SECOND_US  LIVETCP_USEC_SEC
#define QUARTER_US (SECOND_US / 4)

/* The gate: maximum excess of a second's minimum over the base. */
#define GATE_US      (3 * LIVETCP_USEC_MSEC)
#define DRIFT        200e-6 /* of the time since the base was last updated */
#define MAX_DRIFT_US (20 * LIVETCP_USEC_MSEC)

#define PATH_SECONDS 120
#define PAUSE_US     (2 * (livetcp_usec)LIVETCP_USEC_SEC)

void lt_transit_restart(lt_transit *t)
{
    lt_skew skew = t->skew;

    memset(t, 0, sizeof *t);
    t->skew = skew;
    lt_skew_restart(&t->skew);
}

/* The skew's contribution from one media time to another. It is extrapolated at most by the span
 * that it is based on. */
static livetcp_usec drift(const lt_transit *t, livetcp_usec from_us, livetcp_usec to_us)
{
    livetcp_usec max_us = t->known_us > (livetcp_usec)t->skew.slope_span
                              ? t->known_us
                              : (livetcp_usec)t->skew.slope_span;
    livetcp_usec way = to_us - from_us;

    way = way > max_us ? max_us : way < -max_us ? -max_us : way;
    return (livetcp_usec)(t->skew.slope * (double)way);
}

livetcp_usec lt_transit_base(const lt_transit *t, livetcp_usec media_us)
{
    livetcp_usec least = t->now.transit_us + drift(t, t->now.media_us, media_us);

    for (unsigned i = 0; i < t->count; i++) {
        const lt_transit_second *second = &t->ring[i];
        livetcp_usec moved = second->transit_us + drift(t, second->media_us, media_us);
        least = moved < least ? moved : least;
    }
    return least;
}

static livetcp_usec gate(const lt_transit *t, livetcp_usec media_us)
{
    double drifted = DRIFT * (double)(media_us - t->updated_us);

    drifted = drifted < 0 ? 0 : drifted > MAX_DRIFT_US ? (double)MAX_DRIFT_US : drifted;
    return GATE_US + (livetcp_usec)drifted;
}

static void begin_second(lt_transit *t, livetcp_usec media_us, livetcp_usec transit_us,
                         livetcp_usec arrival_us)
{
    t->now = (lt_transit_second){media_us, transit_us};
    t->now_begin_us = arrival_us;
}

/* Moves the base: all former values belong to another path. */
static void move_base(lt_transit *t, livetcp_usec media_us, livetcp_usec transit_us,
                      livetcp_usec arrival_us)
{
    lt_skew_restart(&t->skew);
    t->count = 0;
    t->known_us = 0;
    t->updated_us = media_us;
    t->above = 0;
    t->gap_us = 0;
    begin_second(t, media_us, transit_us, arrival_us);
}

/* Ends the current second: it updates the base, or was queueing. */
static void end_second(lt_transit *t)
{
    const lt_transit_second *second = &t->now;

    if (t->count &&
        second->transit_us - lt_transit_base(t, second->media_us) > gate(t, second->media_us)) {
        t->above++;
        return;
    }
    t->newest = t->count ? (t->newest + 1) % LT_TRANSIT_SECONDS : 0;
    t->ring[t->newest] = *second;
    if (t->count < LT_TRANSIT_SECONDS)
        t->count++;
    if (second->media_us > t->updated_us)
        t->known_us += second->media_us - t->updated_us;
    t->updated_us = second->media_us;
    t->above = 0;
    if ((double)(second->media_us - t->origin_us) > lt_skew_reach(&t->skew))
        lt_skew_add(&t->skew, (double)(second->media_us - t->origin_us),
                    (double)second->transit_us);
}

static void watch_floor(lt_transit_floor *floor, livetcp_usec queueing_us, livetcp_usec arrival_us)
{
    livetcp_usec age = arrival_us - floor->begin_us;

    if (age < QUARTER_US) {
        floor->min_us = queueing_us < floor->min_us ? queueing_us : floor->min_us;
        return;
    }
    floor->has_before = age < 2 * QUARTER_US;
    floor->before_us = floor->min_us;
    floor->min_us = queueing_us;
    floor->begin_us = arrival_us;
}

livetcp_usec lt_transit_standing_queue(const lt_transit *t)
{
    livetcp_usec least = t->floor.min_us;

    if (!t->floor.has_before)
        return 0;
    least = t->floor.before_us < least ? t->floor.before_us : least;
    return least > GATE_US ? least : 0;
}

/* True if the media clock stood still during a pause that is over. */
static bool stood_still(lt_transit *t, livetcp_usec media_us, livetcp_usec queueing_us,
                        livetcp_usec arrival_us)
{
    livetcp_usec paused = arrival_us - t->last_arrival_us - (media_us - t->last_media_us);

    if (paused > SECOND_US && media_us > t->last_media_us) {
        t->gap_us = queueing_us;
        t->gap_arrival_us = arrival_us;
    }
    if (queueing_us < t->gap_us - t->gap_us / 8)
        t->gap_us = 0;
    return t->gap_us && arrival_us - t->gap_arrival_us >= PAUSE_US;
}

static void start(lt_transit *t, livetcp_usec media_us, livetcp_usec arrival_us)
{
    t->started = true;
    t->origin_us = media_us;
    t->last_media_us = media_us;
    t->last_arrival_us = arrival_us;
    t->floor.begin_us = arrival_us;
    move_base(t, media_us, arrival_us - media_us, arrival_us);
}

lt_transit_move lt_transit_add(lt_transit *t, livetcp_usec media_us, livetcp_usec arrival_us)
{
    livetcp_usec transit_us = arrival_us - media_us, queueing_us;
    lt_transit_move move = LT_TRANSIT_SAME;

    if (!t->started)
        start(t, media_us, arrival_us);
    if (arrival_us - t->now_begin_us >= SECOND_US) {
        end_second(t);
        begin_second(t, media_us, transit_us, arrival_us);
    }
    queueing_us = transit_us - lt_transit_base(t, media_us);
    if (queueing_us < -GATE_US)
        move = LT_TRANSIT_LOWER;
    else if (stood_still(t, media_us, queueing_us, arrival_us) ||
             (queueing_us > GATE_US && t->above >= PATH_SECONDS))
        move = LT_TRANSIT_HIGHER;
    if (move != LT_TRANSIT_SAME)
        move_base(t, media_us, transit_us, arrival_us);
    else if (transit_us < t->now.transit_us + drift(t, t->now.media_us, media_us))
        t->now = (lt_transit_second){media_us, transit_us};
    watch_floor(&t->floor, move == LT_TRANSIT_SAME ? queueing_us : 0, arrival_us);
    t->last_media_us = media_us;
    t->last_arrival_us = arrival_us;
    return move;
}
