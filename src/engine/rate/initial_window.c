/* SPDX-License-Identifier: MIT */
#include "engine/rate/initial_window.h"

/* Ten segments. */
#define INITIAL 14600

/* A window of which less was under way does not grow (as Linux has it, in slow start). */
#define USED_PART 2

/* Nothing is a beginning any more after this time. */
#define LASTS_US 2000000

/* A path that delivers so much of an initial window within FAST_US is fast, and the round trips in
 * which slow start finds out how fast would be lost. The looks of the platform are 5 to 10 ms
 * apart. */
#define FAST_PART 0.9
#define FAST_US   20000

/* After so long a time in which no more was under way than speech and its copies need, what follows
 * is a beginning again, such as video that is switched on. */
#define QUIET_US    5000000
#define QUIET_BYTES 1448
#define QUIET_RATE  25000 /* bytes per second, for a round trip */

/* Bytes under way on connections that carry nothing must not hold up the others for longer. */
#define STUCK_US    300000
#define STUCK_TRIPS 2

void lt_initial_window_init(lt_initial_window *initial)
{
    *initial = (lt_initial_window){.window = INITIAL,
                                   .limit = UINT64_MAX,
                                   .begun_us = LIVETCP_NEVER,
                                   .from_us = INT64_MIN / 2};
}

static bool is_fast(lt_initial_window *w, const lt_initial_window_sample *s)
{
    if (s->delivered == w->delivered) {
        w->from = s->delivered;
        w->from_us = s->now_us;
    }
    return s->now_us - w->from_us <= FAST_US &&
           (double)(s->delivered - w->from) >= FAST_PART * INITIAL;
}

static bool is_stuck(const lt_initial_window_sample *s)
{
    return s->now_us - s->progress_us > STUCK_US + STUCK_TRIPS * s->base_us;
}

static void begin_again(lt_initial_window *w, const lt_initial_window_sample *s)
{
    livetcp_usec quiet = QUIET_BYTES + QUIET_RATE * s->base_us / (livetcp_usec)LIVETCP_USEC_SEC;

    if (s->in_flight > (uint64_t)quiet)
        w->loud_us = s->now_us;
    if (w->window == UINT64_MAX && !s->shown && s->now_us - w->loud_us > QUIET_US) {
        w->window = s->held > INITIAL ? s->held : INITIAL;
        w->begun_us = LIVETCP_NEVER;
    }
}

void lt_initial_window_update(lt_initial_window *w, const lt_initial_window_sample *s)
{
    begin_again(w, s);
    bool fast = is_fast(w, s), used = s->media && USED_PART * s->in_flight > w->window;

    if (w->window != UINT64_MAX) {
        if (used && w->begun_us == LIVETCP_NEVER)
            w->begun_us = s->now_us;
        if (s->shown || fast || is_stuck(s) || s->now_us - LASTS_US > w->begun_us)
            w->window = UINT64_MAX;
        else if (used)
            w->window += s->delivered - w->delivered;
    }
    w->limit = s->connections > 1 ? w->window : UINT64_MAX;
    w->delivered = s->delivered;
}
