/* SPDX-License-Identifier: MIT */
#include "engine/rate/vain_periods.h"

#include "base/usec.h"

/* Sending less is in vain: in COUNT periods the rate fell to RATE, and the queue stayed above QUEUE
 * of its length. One period more on a path without losses: sessions like this one lower their rates
 * together, and seem to be such a flow to each other. */
#define PERIOD_US 300000
#define RATE      0.85
#define QUEUE     0.7
#define COUNT     2

/* The same little by little, as beside BBR, whose queue may be shorter than ours: a queue has stood
 * for STOOD_US, and the rate fell to FELL within FALL_US. Two sessions of one connection seem to be
 * such a flow to each other. */
#define STANDING_US 8000
#define STOOD_US    3000000
#define FELL        0.6
#define FALL_US     6000000

/* Nor does it matter whether the rate falls once a queue has stood for so long although the source
 * sends what it is told. BBR empties its own every ten seconds. */
#define LASTS_US 6500000

/* A queue that stands for so long, while no more than LITTLE of the rate is delivered, on the only
 * connection: several find such a flow by its losses. */
#define LITTLE    0.1
#define LITTLE_US 1000000

void lt_vain_periods_init(lt_vain_periods *vain)
{
    *vain = (lt_vain_periods){
        .since_us = LIVETCP_NEVER, .stood_us = LIVETCP_NEVER, .little_us = LIVETCP_NEVER};
}

void lt_vain_periods_stop(lt_vain_periods *vain)
{
    vain->since_us = vain->stood_us = vain->little_us = LIVETCP_NEVER;
}

static bool stands(const lt_delay_window *window)
{
    return window->known && window->queue_us >= STANDING_US;
}

/* A queue stands in vain: the rate fell, or that has lasted for long. */
static bool stands_in_vain(lt_vain_periods *vain, const lt_congestion_sample *s,
                           const lt_delay_window *window, double limit)
{
    if (!stands(window) || limit <= 0) {
        vain->stood_us = LIVETCP_NEVER;
        return false;
    }
    if (vain->stood_us == LIVETCP_NEVER) {
        vain->stood_us = s->now_us;
        vain->highest = 0;
    }
    if (limit > vain->highest || s->now_us - vain->highest_us > FALL_US) {
        vain->highest = limit;
        vain->highest_us = s->now_us;
    }
    bool fell = s->connections > 1 && limit < FELL * vain->highest;
    bool told = s->follows || s->may_follow;
    livetcp_usec time = s->now_us - vain->stood_us;
    return (fell && time > STOOD_US) || (told && time > LASTS_US);
}

static bool sends_little(lt_vain_periods *vain, const lt_congestion_sample *s,
                         const lt_delay_window *window, double limit)
{
    double bytes = (double)(s->delivered - window->delivered);
    double least = LITTLE * limit * (double)window->span_us / (double)LIVETCP_USEC_SEC;

    if (!stands(window) || bytes >= least || s->connections > 1) {
        vain->little_us = LIVETCP_NEVER;
        return false;
    }
    vain->little_us = lt_usec_min(vain->little_us, s->now_us);
    return s->now_us - vain->little_us > LITTLE_US + 2 * s->base_us + window->queue_us;
}

bool lt_vain_periods_update(lt_vain_periods *vain, const lt_congestion_sample *s,
                            const lt_delay_window *window, double limit, livetcp_usec own_us)
{
    livetcp_usec period = PERIOD_US + s->base_us + vain->queue_us;

    if (stands_in_vain(vain, s, window, limit)) {
        vain->before = vain->highest;
        return true;
    }
    if (sends_little(vain, s, window, limit)) {
        vain->before = limit;
        return true;
    }
    if (!window->known || window->queue_us < own_us || limit <= 0) {
        vain->since_us = LIVETCP_NEVER;
        vain->count = 0;
        return false;
    }
    if (vain->since_us != LIVETCP_NEVER && s->now_us - vain->since_us < period)
        return false;
    bool stayed = (double)window->queue_us > QUEUE * (double)vain->queue_us;
    if (vain->since_us == LIVETCP_NEVER || !stayed || limit > vain->limit) {
        vain->count = 0;
        vain->before = limit;
    } else if (limit < RATE * vain->limit) {
        vain->count++;
    } else {
        return false; /* little by little it falls as well */
    }
    vain->since_us = s->now_us;
    vain->limit = limit;
    vain->queue_us = window->queue_us;
    return vain->count >= COUNT + (unsigned)(s->connections > 1 && s->lossless);
}
