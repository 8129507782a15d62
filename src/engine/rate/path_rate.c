/* SPDX-License-Identifier: MIT */
#include "engine/rate/path_rate.h"

#include "base/usec.h"

#include <math.h>

#define SECOND ((double)LIVETCP_USEC_SEC)

/* The rate is measured over LT_RATE_US of a standing queue, or two round trips, and averaged over
 * the samples. Beyond FASTER and SLOWER it replaces the average. */
#define LIMIT_GAIN 0.08
#define FASTER     1.15
#define SLOWER     0.8
#define FALL       0.985 /* at most, from one sample to the next */
#define FALL_FULL  0.99

/* An encoder's queue that hardly stands is empty at times, which no round trip shows: a rate of
 * less than the limit, but more than HARDLY of it, is what was sent. */
#define HARDLY_US 12000
#define HARDLY    0.85

/* Maximum fall in a second: measurements are wrong while a route changes. */
#define FLOOR_PART 0.3
#define FLOOR_US   1000000

/* Upper bound of a standing queue that may be another's. */
#define SUSPECTED_US 45000

/* A queue is our own if the bytes in flight grow by this part of what a window delivers, and more.
 */
#define GROWTH_PART  10
#define GROWTH_BYTES 1500

/* The limit ends when no queue has stood for this time. */
#define FORGET_US 5000000

void lt_path_rate_init(lt_path_rate *path)
{
    *path = (lt_path_rate){.congested_us = INT64_MIN, .floor_us = INT64_MIN};
}

void lt_path_rate_forget_queue(lt_path_rate *path)
{
    path->standing_us = path->queue_us = 0;
    path->present = 0;
}

void lt_path_rate_begin_anew(lt_path_rate *path, double limit)
{
    path->limit = limit;
    path->capacity = 0;
    path->congested_us = INT64_MIN;
    lt_path_rate_forget_queue(path);
}

bool lt_path_rate_is_congested(const lt_path_rate *path, livetcp_usec now)
{
    return path->congested_us > now - FORGET_US;
}

void lt_path_rate_end(lt_path_rate *path, livetcp_usec now)
{
    if (lt_path_rate_is_congested(path, now))
        path->congested_us = now - FORGET_US;
}

void lt_path_rate_keep(lt_path_rate *path, livetcp_usec now)
{
    path->congested_us = now;
}

void lt_path_rate_assume(lt_path_rate *path, double capacity, livetcp_usec now)
{
    path->capacity = capacity;
    lt_path_rate_keep(path, now);
}

void lt_path_rate_raise(lt_path_rate *path, double least)
{
    path->limit = fmax(path->limit, least);
}

void lt_path_rate_average(lt_path_rate *path, double rate)
{
    path->limit += LIMIT_GAIN * (rate - path->limit);
}

void lt_path_rate_on_queue(lt_path_rate *path, const lt_delay_window *window)
{
    path->standing_us = window->total_us;
    path->queue_us = window->queue_us;
}

bool lt_path_rate_is_our_doing(const lt_congestion_sample *s, const lt_delay_window *window,
                               bool full)
{
    uint64_t growth = (s->delivered - window->delivered) / GROWTH_PART + GROWTH_BYTES;

    return window->total_us > window->queue_us + LT_BUSY_US || full ||
           s->in_flight > window->in_flight + growth;
}

static bool hardly_stands(const lt_path_rate *path, const lt_congestion_sample *s,
                          const lt_delay_window *window, double rate)
{
    return s->follows && window->total_us < HARDLY_US && rate < path->limit &&
           rate > HARDLY * path->limit;
}

static double smoothed(double before, double now)
{
    if (now > before * FASTER || now < before * SLOWER)
        return now;
    return before + LIMIT_GAIN * (now - before);
}

/* A smaller window delivers less, also where the queue is another's: the fall is limited. */
static double limited_fall(lt_path_rate *path, double rate, bool full, livetcp_usec now)
{
    if (path->floor_us <= now - FLOOR_US) {
        path->floor_us = now;
        path->floor = FLOOR_PART * path->limit;
    }
    return fmax(fmax(rate, (full ? FALL_FULL : FALL) * path->limit), path->floor);
}

void lt_path_rate_measure(lt_path_rate *path, const lt_delay_history *history,
                          const lt_congestion_sample *s, const lt_delay_window *window, bool full)
{
    livetcp_usec span = lt_usec_max(2 * s->base_us, LT_RATE_US);
    double rate = lt_delay_history_busy_rate(history, s, LT_STANDING_US, span);

    if (rate <= 0)
        return;
    if (!lt_path_rate_is_our_doing(s, window, full)) {
        if (path->limit > 0 && rate > path->limit)
            path->limit = rate;
        path->standing_us = lt_usec_min(path->standing_us, SUSPECTED_US);
        return;
    }
    path->present = rate;
    rate = hardly_stands(path, s, window, rate) ? path->limit : smoothed(path->limit, rate);
    path->limit = limited_fall(path, rate, full, s->now_us);
    if (window->queue_us < LT_BUSY_US)
        return;
    lt_path_rate_assume(path, path->limit, s->now_us);
}

/* A queue was seen by other means than round trips. */
static void set_seen(lt_path_rate *path, double rate, double limit, livetcp_usec queue_us,
                     livetcp_usec now)
{
    path->limit = limit;
    path->present = rate;
    path->standing_us = queue_us;
    path->queue_us = LT_BUSY_US;
    lt_path_rate_assume(path, limit, now);
}

void lt_path_rate_measure_unseen(lt_path_rate *path, const lt_delay_history *history,
                                 const lt_congestion_sample *s, const lt_delay_window *window,
                                 double overflow, double marked)
{
    livetcp_usec unseen_us = 0, queue_us = LT_STANDING_US;
    double rate = overflow;

    if (path->standing_us || !s->may_follow)
        return;
    if (overflow <= 0 && path->limit > 0)
        unseen_us = lt_unseen_queue_update(&path->unseen, s, window, path->limit);
    if (unseen_us) {
        queue_us = unseen_us;
        rate = lt_delay_history_rate(history, s->now_us, LT_RATE_US);
    } else if (overflow <= 0 && marked > 0) {
        /* The queue of a router that marks is empty at times: the path may carry more than is
         * delivered. */
        rate = fmax(marked, path->limit);
    }
    if (rate > 0)
        set_seen(path, rate, overflow > path->limit ? rate : smoothed(path->limit, rate), queue_us,
                 s->now_us);
}

void lt_path_rate_measure_in_flight(lt_path_rate *path, const lt_congestion_sample *s, double rate)
{
    livetcp_usec total_us = (livetcp_usec)((double)s->in_flight * SECOND / rate);

    set_seen(path, rate, rate, total_us - s->base_us, s->now_us);
}
