/* SPDX-License-Identifier: MIT */
/*
 * The loop of Figure 3 there: sent data is never more than a window ahead of acknowledged data. The
 * adaptive window grows by 1/w for an acknowledgement without, and is halved by one with a
 * congestion notification. In the fluid model it is not rounded to whole packets; with 41 packets
 * on their way, rounding down would cost 1.2 % of the rate.
 */
#include "lab/model/service_curve/flow.h"

#include "base/error.h"
#include "base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct lt_flow {
    lt_flow_config config;
    lt_rng rng;
    double window;
    double link_free;      /* time at which the network accepts the next packet */
    uint64_t until_marked; /* packets, including this one, to the next congestion notification */
    uint64_t sent, acked;
    double acked_at[LT_FLOW_MAX_WINDOW]; /* by number, ring buffer */
    bool marked[LT_FLOW_MAX_WINDOW];
};

#define SLOT(number) ((number) % LT_FLOW_MAX_WINDOW)

static livetcp_result check(const lt_flow_config *c, livetcp_error *error)
{
    const char *wrong =
        !(c->window >= 1 && c->window <= LT_FLOW_MAX_WINDOW) ? "the window has 1 to 1048576 packets"
        : !(c->rate > 0)                                     ? "the network's rate is above 0"
        : !(c->delay > 0 && c->delay <= 3600) ? "the delay is above 0 and at most an hour"
        : !(c->loss >= 0 && c->loss < 1) ? "the probability of congestion is 0 or more and below 1"
                                         : NULL;
    return wrong ? lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "simulated flow control: %s", wrong)
                 : LIVETCP_OK;
}

/* Geometric: number of packets up to and including the next marked one. */
static void draw_mark(lt_flow *f)
{
    double u = 1 - lt_rng_uniform(&f->rng);
    double packets = f->config.loss > 0 ? ceil(log(u) / log1p(-f->config.loss)) : 1e18;

    f->until_marked = packets < 1 ? 1 : packets > 1e18 ? UINT64_C(1) << 60 : (uint64_t)packets;
}

livetcp_result lt_flow_create(const lt_flow_config *config, lt_flow **flow, livetcp_error *error)
{
    livetcp_result result = check(config, error);

    *flow = NULL;
    if (result != LIVETCP_OK)
        return result;
    lt_flow *f = calloc(1, sizeof *f);
    if (!f)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for simulated flow control");
    f->config = *config;
    f->window = config->window;
    lt_rng_seed(&f->rng, config->seed);
    draw_mark(f);
    *flow = f;
    return LIVETCP_OK;
}

void lt_flow_destroy(lt_flow **flow)
{
    free(*flow);
    *flow = NULL;
}

static void take_acknowledgement(lt_flow *f)
{
    bool marked = f->marked[SLOT(f->acked)];

    f->acked++;
    if (f->config.loss <= 0)
        return;
    f->window = marked ? fmax(f->window / 2, 1) : f->window + 1 / f->window;
    if (f->window > LT_FLOW_MAX_WINDOW)
        f->window = LT_FLOW_MAX_WINDOW;
}

/* Time covered by the acknowledgement that arrives at `at`: since the previous one, unless the
 * sender had paused. */
static double spacing(const lt_flow *f, double at)
{
    double before = f->acked ? f->acked_at[SLOT(f->acked - 1)] : 0;

    return fmin(at - before, 2 * f->config.delay / f->window);
}

/* Equation 3: when the packet may be sent. Of the acknowledgement that its last bit waits for, it
 * needs the share given by the window's fraction. */
static double wait_for_window(lt_flow *f, double time)
{
    double now = time, lacking;

    while (f->acked < f->sent && f->acked_at[SLOT(f->acked)] <= now)
        take_acknowledgement(f);
    while ((lacking = (double)(f->sent - f->acked + 1) - f->window) > 0) {
        double at = f->acked_at[SLOT(f->acked)];
        if (lacking < 1)
            return fmax(now, at - (1 - lacking) * spacing(f, at));
        now = at;
        take_acknowledgement(f);
    }
    return now;
}

double lt_flow_send(lt_flow *flow, double time)
{
    lt_flow *f = flow;
    double begin = fmax(wait_for_window(f, time), f->link_free);
    double arrival = begin + f->config.delay;

    f->link_free = begin + 1 / f->config.rate;
    f->marked[SLOT(f->sent)] = --f->until_marked == 0;
    if (!f->until_marked)
        draw_mark(f);
    f->acked_at[SLOT(f->sent++)] = arrival + f->config.delay;
    return arrival - time;
}
