/* SPDX-License-Identifier: MIT */
#include "engine/rate/window_opening.h"

#include "base/usec.h"

#include <math.h>

/* After a step a window and a round trip show whether MORE gets through, a quarter of the step.
 * With less than MUCH of what the path has carried something else is the limit. */
#define STEP      1.3
#define MORE      1.075
#define MUCH      0.8
#define WINDOW_US 160000

/* Until the next attempt. */
#define PAUSE_US 10000000

static void begin(lt_window_opening *o, livetcp_usec now, double rate, double capacity)
{
    o->opened_us = now;
    o->rate = fmin(rate, capacity); /* what had waited before may come, too */
    o->capacity = capacity;
}

bool lt_window_opening_may(lt_window_opening *o, const lt_delay_history *history,
                           const lt_congestion_sample *s, bool overload, double *capacity)
{
    livetcp_usec window_us = lt_usec_max(s->base_us, WINDOW_US);
    double rate = overload && s->base_us ? lt_delay_history_rate(history, s->now_us, window_us) : 0;

    if (rate <= 0 || *capacity <= 0) {
        o->capacity = 0;
        return true;
    }
    if (o->vain_us && s->now_us < o->vain_us + PAUSE_US)
        return false;
    if (o->capacity <= 0 || *capacity < o->capacity)
        begin(o, s->now_us, rate, *capacity);
    if (*capacity < STEP * o->capacity) {
        o->opened_us = s->now_us;
        return true;
    }
    if (s->now_us - o->opened_us < s->base_us + window_us)
        return false;
    if (rate >= MORE * o->rate || rate < MUCH * s->carried) {
        begin(o, s->now_us, rate, *capacity);
        return true;
    }
    o->vain_us = s->now_us;
    *capacity = fmax(o->capacity, rate);
    o->capacity = 0;
    return false;
}
