/* SPDX-License-Identifier: MIT */
#include "engine/rate/slack.h"

#include <math.h>

#define MAX_US   150000.0
#define FADES_US 60e6

void lt_slack_add(lt_slack *slack, const lt_congestion_sample *s, livetcp_usec excess_us)
{
    slack->base_us = s->base_us - (livetcp_usec)slack->us; /* the sample has the slack so far */
    slack->at_us = s->now_us;
    slack->us = fmin(slack->us + (double)excess_us, MAX_US);
}

static livetcp_usec without(livetcp_usec excess_us, livetcp_usec slack_us)
{
    if (excess_us == LIVETCP_NEVER)
        return LIVETCP_NEVER;
    return excess_us > slack_us ? excess_us - slack_us : 0;
}

void lt_slack_take(lt_slack *slack, lt_congestion_sample *s)
{
    livetcp_usec us;

    if (slack->us <= 0 || !s->base_us)
        return;
    slack->us *= exp(-(double)(s->now_us - slack->at_us) / FADES_US);
    if (slack->base_us < s->base_us)
        slack->us = fmax(slack->us - (double)(s->base_us - slack->base_us), 0);
    slack->at_us = s->now_us;
    slack->base_us = s->base_us;
    us = (livetcp_usec)slack->us;
    s->base_us += us;
    s->queue_us = without(s->queue_us, us);
    s->busy_us = without(s->busy_us, us);
    s->exact_us = without(s->exact_us, us);
}
