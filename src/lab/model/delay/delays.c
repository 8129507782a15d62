/* SPDX-License-Identifier: MIT */
/* Brosh et al., equation (3). */
#include "lab/model/delay/solve.h"

/* Adds the packets of a burst; the last one may be a fraction. */
static void add_burst(lt_delays *d, const lt_burst *burst, double weight)
{
    double delay = burst->delay;

    d->by_cause[burst->cause] += weight * burst->packets;
    if (burst->step == 0) {
        lt_histogram_add(&d->histogram, delay, weight * burst->packets);
        return;
    }
    for (double left = burst->packets; left > 1e-9; left--, delay -= burst->step) {
        if (delay <= burst->min) { /* all that follow have the same delay */
            lt_histogram_add(&d->histogram, burst->min, weight * left);
            return;
        }
        lt_histogram_add(&d->histogram, delay, left < 1 ? weight * left : weight);
    }
}

static void add_move(lt_delays *d, const lt_delay_params *params, const lt_move *move,
                     double weight)
{
    if (weight <= 0)
        return;
    for (unsigned i = 0; i < move->bursts; i++)
        add_burst(d, &move->burst[i], weight);
    if (move->b >= params->max_backlog)
        for (unsigned i = 0; i < move->bursts; i++)
            d->truncated += weight * move->burst[i].packets;
    d->seconds += weight * move->seconds;
    d->timeouts += weight * move->timeouts;
}

static void add_moves(lt_delays *d, const lt_delay_params *params, const lt_moves *moves,
                      double visits)
{
    for (unsigned i = 0; i < moves->count; i++)
        add_move(d, params, &moves->move[i], visits * moves->move[i].probability);
}

livetcp_result lt_delays_collect(lt_delays *d, const lt_chain *chain, const lt_visits *visits,
                                 livetcp_error *error)
{
    const lt_delay_params *params = chain->params;
    double max = params->max_backlog / params->f + params->rtt + 2 * params->detect + params->rto;
    lt_moves moves;
    livetcp_result result;

    *d = (lt_delays){0};
    result = lt_histogram_init(&d->histogram, max, error);
    if (result != LIVETCP_OK)
        return result;
    for (int i = 0; i < chain->n; i++) {
        if (visits->state[i] <= 0)
            continue;
        lt_chain_moves(chain, i, &moves);
        add_moves(d, params, &moves, visits->state[i]);
    }
    for (int w = 1; w < chain->absorbing; w++) {
        const lt_loss_outcome *losses = &chain->packet_losses[w];
        if (visits->arrivals[w] <= 0)
            continue;
        /* Each arrival stays for a geometrically distributed number of packets. */
        lt_packet_moves(params, (unsigned)w, losses, &moves);
        add_moves(d, params, &moves, visits->arrivals[w] / (1 - losses->none));
    }
    return LIVETCP_OK;
}
