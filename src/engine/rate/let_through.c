/* SPDX-License-Identifier: MIT */
#include "engine/rate/let_through.h"

#define SECOND ((double)LIVETCP_USEC_SEC)

/* The source takes this part of the link at most. */
#define SMALL 0.5

/* Bytes under way: what is delivered in a round trip and this time. */
#define QUEUE_US 300000

/* It does not keep up if less than this part of the offer was delivered, over both times and a
 * round trip: a link that is far too slow shows at once. Where another flow has just overrun the
 * queue, connections repair, and what gets through shows no rate: after losses all that is offered
 * is tried for a time, a round trip and that queue. */
#define KEEPS    0.5
#define LONG_US  1000000
#define SHORT_US 300000

#define TRY_US 500000

/* After that it is tried again. */
#define AGAIN_US 2000000
#define DOUBLED  2

void lt_let_through_init(lt_let_through *let)
{
    *let = (lt_let_through){.from_us = INT64_MIN / 2};
}

static double rate_over(const lt_delay_history *history, const lt_congestion_sample *s,
                        livetcp_usec time_us)
{
    return lt_delay_history_rate(history, s->now_us, time_us + s->base_us);
}

static bool keeps_up(const lt_delay_history *history, const lt_congestion_sample *s)
{
    double least = KEEPS * s->offered;

    return rate_over(history, s, LONG_US) >= least || rate_over(history, s, SHORT_US) >= least;
}

double lt_let_through_update(lt_let_through *let, const lt_delay_history *history,
                             const lt_congestion_sample *s, bool fixed, livetcp_usec lost_us)
{
    livetcp_usec tried_us = s->now_us - let->from_us;
    bool lossy = s->now_us < lost_us + LONG_US + s->base_us;
    double rate;

    /* Packets that wait for the window can be dropped in time, and others not. */
    if (!fixed || s->limit_us || s->offered > SMALL * s->link_rate) {
        lt_let_through_init(let);
        return 0;
    }
    if (tried_us < 0)
        return 0;
    if (keeps_up(history, s)) {
        let->is_tried = false;
        if (tried_us > LONG_US + AGAIN_US)
            let->failed = 0;
    } else if (lossy && !let->is_tried) {
        let->is_tried = true;
        let->from_us = s->now_us;
    } else if (tried_us > TRY_US + QUEUE_US + s->base_us) {
        let->from_us = s->now_us + (AGAIN_US << (let->failed < DOUBLED ? let->failed : DOUBLED));
        let->is_tried = false;
        let->failed++;
        return 0;
    }
    rate = rate_over(history, s, SHORT_US);
    if (let->is_tried && rate < s->offered)
        rate = s->offered;
    return rate * (double)(s->base_us + QUEUE_US) / SECOND;
}
