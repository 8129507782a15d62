/* SPDX-License-Identifier: MIT */
#include "lab/probe/clock_sync.h"

#include "base/error.h"
#include "lab/clock.h"
#include "lab/probe/interrupt.h"

#include <math.h>

#define PINGS         8
#define MORE_PINGS    32 /* in the first round, if round trips differ */
#define PING_INTERVAL (LIVETCP_USEC_SEC / 10)
#define ANSWER_WITHIN (5 * LIVETCP_USEC_SEC)
#define DRIFT_AFTER   (60 * LIVETCP_USEC_SEC) /* before that, jitter would look like drift */
#define WINDOW        (5 * LIVETCP_USEC_SEC)
#define MAX_DRIFT     1e-3 /* larger drifts do not occur */

/* ---- windows ---- */

/* True if anything changed. */
static bool tighten(lt_clock_window *into, const lt_clock_window *with)
{
    bool tighter = with->max < into->max || with->min > into->min;

    if (with->max < into->max) {
        into->max = with->max;
        into->max_at = with->max_at;
    }
    if (with->min > into->min) {
        into->min = with->min;
        into->min_at = with->min_at;
    }
    return tighter;
}

/* Merges pairs of windows: half as many, each twice as long. */
static void make_space(lt_clock_sync *sync)
{
    for (unsigned i = 0; i < sync->count / 2; i++) {
        sync->windows[i] = sync->windows[2 * i];
        tighten(&sync->windows[i], &sync->windows[2 * i + 1]);
    }
    sync->count /= 2;
    sync->window_length *= 2;
}

/* True if they tighten the bounds. */
static bool add_bounds(lt_clock_sync *sync, const lt_clock_window *bounds, livetcp_usec at)
{
    if (sync->count && at - sync->window_began < sync->window_length)
        return tighten(&sync->windows[sync->count - 1], bounds);
    if (!sync->count)
        sync->window_length = WINDOW;
    if (sync->count == LT_CLOCK_SYNC_WINDOWS)
        make_space(sync);
    sync->windows[sync->count++] = *bounds;
    sync->window_began = at;
    return true;
}

/* ---- the line between the bounds ---- */

typedef struct line {
    double drift, offset; /* at sync->at */
    double margin;        /* to the nearest bound on each side */
} line;

/* The best line with this drift. */
static line with_drift(const lt_clock_sync *sync, double drift)
{
    double max = INFINITY, min = -INFINITY;

    for (unsigned i = 0; i < sync->count; i++) {
        const lt_clock_window *w = &sync->windows[i];
        max = fmin(max, (double)w->max - drift * (double)(w->max_at - sync->at));
        min = fmax(min, (double)w->min - drift * (double)(w->min_at - sync->at));
    }
    return (line){.drift = drift, .offset = (max + min) / 2, .margin = (max - min) / 2};
}

/* The margin is a concave function of the drift. */
static line best_line(const lt_clock_sync *sync)
{
    const double golden = 0.6180339887498949;
    double low = -MAX_DRIFT, high = MAX_DRIFT;
    line left = with_drift(sync, high - golden * (high - low)),
         right = with_drift(sync, low + golden * (high - low));

    for (int i = 0; i < 60; i++) {
        if (left.margin < right.margin) {
            low = left.drift;
            left = right;
            right = with_drift(sync, low + golden * (high - low));
        } else {
            high = right.drift;
            right = left;
            left = with_drift(sync, high - golden * (high - low));
        }
    }
    return left.margin > right.margin ? left : right;
}

/* A drift that improves the margin only slightly is caused by queues, and is not used. */
static line fit(const lt_clock_sync *sync)
{
    line still = with_drift(sync, 0);
    const lt_clock_window *first = &sync->windows[0];

    if (sync->at - (first->max_at < first->min_at ? first->max_at : first->min_at) < DRIFT_AFTER)
        return still;
    line drifting = best_line(sync);
    return drifting.margin > still.margin + (double)sync->min_rtt / 50 + 100 ? drifting : still;
}

void lt_clock_sync_take(lt_clock_sync *sync, livetcp_usec sent, livetcp_usec came,
                        livetcp_usec peer_came, livetcp_usec peer_sent)
{
    const lt_clock_window bounds = {
        .max = peer_came - sent, .max_at = sent, .min = peer_sent - came, .min_at = came};
    livetcp_usec rtt = came - sent - (peer_sent - peer_came);

    if (rtt < 0)
        rtt = 0;
    if (!sync->known || rtt < sync->min_rtt)
        sync->min_rtt = rtt;
    sync->known = true;
    if (!add_bounds(sync, &bounds, came))
        return; /* usually nothing changed: the line stays, and packets are due */
    sync->at = came;
    line found = fit(sync);
    sync->offset = (livetcp_usec)llround(found.offset);
    sync->drift = found.drift;
}

livetcp_usec lt_clock_sync_ours(const lt_clock_sync *sync, livetcp_usec peers)
{
    livetcp_usec ours = peers - sync->offset;

    return ours - (livetcp_usec)(sync->drift * (double)(ours - sync->at));
}

/* ---- pings ---- */

/* Waits for the answer to the ping sent at `sent`; skips other messages, which are late reports. */
static livetcp_result await_pong(lt_probe_connection *c, livetcp_usec sent,
                                 const lt_wire_message **pong, livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    *pong = NULL;
    while (result == LIVETCP_OK && !lt_probe_interrupted()) {
        if ((result = lt_connection_write(c, error)) == LIVETCP_OK)
            result = lt_connection_read(c, pong, error);
        if (*pong && (*pong)->type == LT_WIRE_PONG && (*pong)->a == (uint64_t)sent)
            return LIVETCP_OK;
        if (*pong)
            continue;
        if (result == LIVETCP_OK && lt_clock_now() >= sent + ANSWER_WITHIN)
            return lt_fail(error, LIVETCP_ERR_PEER_TIMEOUT,
                           c->identified
                               ? "%s has not answered for 5 s"
                               : "%s accepts connections and does not answer: is livetcp probe "
                                 "--listen running there?",
                           c->peer);
        lt_connection_wait(c, sent + ANSWER_WITHIN);
    }
    *pong = NULL;
    return result;
}

static livetcp_result ping(lt_clock_sync *sync, lt_probe_connection *connection, livetcp_usec *rtt,
                           livetcp_error *error)
{
    const lt_wire_message *pong;
    livetcp_usec sent = lt_clock_now();

    lt_connection_put(
        connection,
        &(lt_wire_message){.type = LT_WIRE_PING, .length = LT_WIRE_HEAD, .a = (uint64_t)sent},
        false);
    livetcp_result result = await_pong(connection, sent, &pong, error);
    if (result == LIVETCP_OK && pong) {
        *rtt = lt_clock_now() - sent;
        lt_clock_sync_take(sync, sent, sent + *rtt, (livetcp_usec)pong->b, (livetcp_usec)pong->c);
    }
    return result;
}

/* True if the ping was queued: a later one may find a shorter queue. */
static bool waited(livetcp_usec rtt, livetcp_usec min)
{
    return rtt > min + min / 20 + LIVETCP_USEC_MSEC;
}

livetcp_result lt_clock_sync_round(lt_clock_sync *sync, lt_probe_connection *connection,
                                   livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;
    bool first = !sync->known, queue = false;

    for (int i = 0; i < (first && queue ? MORE_PINGS : PINGS); i++) {
        livetcp_usec rtt = 0;
        if (i >= PINGS)
            lt_connection_wait(connection, lt_clock_now() + PING_INTERVAL);
        if (result == LIVETCP_OK && !lt_probe_interrupted())
            result = ping(sync, connection, &rtt, error);
        queue = queue || waited(rtt, sync->min_rtt);
    }
    return result;
}
