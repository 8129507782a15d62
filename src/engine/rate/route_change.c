/* SPDX-License-Identifier: MIT */
#include "engine/rate/route_change.h"

#include "base/usec.h"

/* A longer route lasts for at least this time. */
#define ROUTE_US 5000000

void lt_route_change_init(lt_route_change *change)
{
    *change = (lt_route_change){.changed_us = INT64_MIN};
    lt_route_change_stop(change);
}

void lt_route_change_stop(lt_route_change *change)
{
    lt_drain_test_init(&change->drain);
    lt_route_step_init(&change->step);
}

void lt_route_change_presume(lt_route_change *change, const lt_congestion_sample *s,
                             livetcp_usec longer_us)
{
    change->longer_us = longer_us;
    change->changed_us = s->now_us;
    change->shorter_us = s->base_us + longer_us / 2;
}

/* An excess that came at once on a calm path is tested. */
static bool is_tested(lt_route_change *change, const lt_congestion_sample *s, double rate,
                      bool may_test)
{
    bool tests = lt_drain_test_is_under_way(&change->drain);

    change->longer_us = lt_drain_test_update(&change->drain, s, may_test);
    if (change->longer_us)
        change->changed_us = s->now_us;
    if (!tests && lt_drain_test_is_under_way(&change->drain))
        change->before_drain = rate;
    return change->longer_us || lt_drain_test_is_presumed_route(&change->drain);
}

/* A longer route that was not tested shows once the window for the shorter one has become small. */
bool lt_route_change_update(lt_route_change *change, const lt_congestion_sample *s, double rate,
                            bool may_test, double *before)
{
    if (is_tested(change, s, rate, may_test)) {
        *before = change->before_drain;
        return true;
    }
    livetcp_usec longer_us = lt_route_step_update(&change->step, s, rate);
    if (!longer_us)
        return false;
    lt_route_change_presume(change, s, longer_us);
    *before = change->step.before;
    return true;
}

bool lt_route_change_was_none(lt_route_change *change, const lt_congestion_sample *s)
{
    if (change->shorter_us && s->now_us > change->changed_us + ROUTE_US)
        change->shorter_us = 0;
    if (!change->shorter_us || s->base_us > change->shorter_us)
        return false;
    change->shorter_us = 0;
    return true;
}

bool lt_route_change_is_judged(const lt_route_change *change, livetcp_usec now)
{
    return lt_drain_test_is_under_way(&change->drain) ||
           lt_route_step_is_likely(&change->step, now) || lt_route_step_is_open(&change->step, now);
}
