/* SPDX-License-Identifier: MIT */
#include "engine/rate/window_push.h"

#include "base/usec.h"

#include <math.h>

#define SECOND ((double)LIVETCP_USEC_SEC)

/* Packets wait for so long, for this time. */
#define WAIT_US 40000
#define LONG_US 400000

/* After a push that has failed; it doubles. */
#define AGAIN_US 2000000
#define DOUBLED  3

/* Part of the additional bytes that is delivered, and part of the queue that a bottleneck would
 * have of them. */
#define DELIVERED 0.5
#define QUEUED    0.5

/* It is measured for so long, or a round trip. */
#define MEASURE_US 300000

#define SLACK_MAX_US   150000.0
#define SLACK_FADES_US 60e6

void lt_window_push_init(lt_window_push *push)
{
    *push = (lt_window_push){.slack = {0}};
    lt_window_push_stop(push);
}

void lt_window_push_stop(lt_window_push *push)
{
    *push = (lt_window_push){.waits_us = LIVETCP_NEVER,
                             .next_us = INT64_MIN,
                             .since_us = LIVETCP_NEVER,
                             .slack = push->slack};
}

/* ---- slack ---- */

/* The sample has the slack so far in its round trip. */
static void add_slack(lt_window_push *push, const lt_congestion_sample *s, livetcp_usec excess_us)
{
    push->slack.base_us = s->base_us - (livetcp_usec)push->slack.us;
    push->slack.at_us = s->now_us;
    push->slack.us = fmin(push->slack.us + (double)excess_us, SLACK_MAX_US);
}

static livetcp_usec without(livetcp_usec excess_us, livetcp_usec slack_us)
{
    if (excess_us == LIVETCP_NEVER)
        return LIVETCP_NEVER;
    return excess_us > slack_us ? excess_us - slack_us : 0;
}

void lt_window_push_take_slack(lt_window_push *push, lt_congestion_sample *s)
{
    livetcp_usec us;

    if (push->slack.us <= 0 || !s->base_us)
        return;
    push->slack.us *= exp(-(double)(s->now_us - push->slack.at_us) / SLACK_FADES_US);
    if (push->slack.base_us < s->base_us)
        push->slack.us = fmax(push->slack.us - (double)(s->base_us - push->slack.base_us), 0);
    push->slack.at_us = s->now_us;
    push->slack.base_us = s->base_us;
    us = (livetcp_usec)push->slack.us;
    s->base_us += us;
    s->queue_us = without(s->queue_us, us);
    s->busy_us = without(s->busy_us, us);
    s->exact_us = without(s->exact_us, us);
}

/* ---- pushes ---- */

static void begin(lt_window_push *push, const lt_congestion_sample *s,
                  const lt_delay_window *window, double rate)
{
    livetcp_usec round = s->base_us + window->queue_us;

    push->since_us = s->now_us;
    push->half_us = s->now_us + round;
    push->end_us = push->half_us + lt_usec_max(round, MEASURE_US);
    push->delivered = 0;
    push->queue_us = LIVETCP_NEVER;
    push->before = rate;
    push->before_us = window->queue_us;
}

static livetcp_usec end(lt_window_push *push, const lt_congestion_sample *s)
{
    double time = (double)(s->now_us - push->half_us);
    double rate = (double)(s->delivered - push->delivered) * SECOND / time;
    double round = (double)(s->base_us + push->before_us);
    bool more = rate > push->before * (1 + DELIVERED * (LT_PUSH_GAIN - 1));
    bool grew = push->queue_us == LIVETCP_NEVER ||
                (double)(push->queue_us - push->before_us) > QUEUED * (LT_PUSH_GAIN - 1) * round;

    push->since_us = LIVETCP_NEVER;
    push->waits_us = LIVETCP_NEVER;
    if (more && !grew) {
        livetcp_usec excess_us = lt_usec_max(push->queue_us, 1);
        push->failed = 0;
        add_slack(push, s, excess_us);
        return excess_us;
    }
    push->next_us = s->now_us + (AGAIN_US << (push->failed < DOUBLED ? push->failed : DOUBLED));
    push->failed++;
    return 0;
}

livetcp_usec lt_window_push_update(lt_window_push *push, const lt_congestion_sample *s,
                                   const lt_delay_window *window, double rate, bool may_begin)
{
    if (lt_window_push_is_under_way(push)) {
        if (s->now_us < push->half_us)
            return 0;
        if (!push->delivered) {
            push->delivered = s->delivered;
            push->end_us += s->now_us - push->half_us;
            push->half_us = s->now_us;
        }
        push->queue_us = lt_usec_min(push->queue_us, s->queue_us);
        return s->now_us < push->end_us ? 0 : end(push, s);
    }
    if (s->wait_us < WAIT_US) {
        push->waits_us = LIVETCP_NEVER;
        return 0;
    }
    if (push->waits_us == LIVETCP_NEVER)
        push->waits_us = s->now_us;
    if (may_begin && window->known && rate > 0 && s->now_us - push->waits_us >= LONG_US &&
        s->now_us >= push->next_us)
        begin(push, s, window, rate);
    return 0;
}
