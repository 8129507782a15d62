/* SPDX-License-Identifier: MIT */
#include "engine/rate/constant_rate.h"

#include <math.h>

/* So many looks, one every LOOK_US, at this part of the maximum. */
#define LOOKS   3
#define LOOK_US 500000
#define NEARLY  0.88

void lt_constant_rate_begin(lt_constant_rate *c, double carried, livetcp_usec now)
{
    *c = (lt_constant_rate){.looked_us = now, .highest = carried};
}

void lt_constant_rate_update(lt_constant_rate *c, double rate, livetcp_usec now)
{
    if (now < c->looked_us + LOOK_US)
        return;
    c->looked_us = now;
    c->count = rate > NEARLY * c->highest ? c->count + 1 : 0;
    c->highest = fmax(c->highest, rate);
}

bool lt_constant_rate_is(const lt_constant_rate *c)
{
    return c->count >= LOOKS;
}
