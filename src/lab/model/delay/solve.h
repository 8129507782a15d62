/* SPDX-License-Identifier: MIT */
/* The stationary distribution of the chain, and from it the distribution of the delay. */
#ifndef LT_LAB_MODEL_DELAY_SOLVE_H
#define LT_LAB_MODEL_DELAY_SOLVE_H

#include "lab/model/delay/chain.h"
#include "lab/model/delay/histogram.h"

/* Visits per excursion, for the stationary mixture of excursions. */
typedef struct lt_visits {
    double *state;    /* by number: visits to network-limited states */
    double *arrivals; /* by window: share of excursions that end application-limited with this
                         window; they add up to 1 */
    double start[LT_STARTS]; /* share of excursions by way to start; they add up to 1 */
    unsigned iterations;
} lt_visits;

/* LIVETCP_ERR_BAD_STATE if excursions do not end. */
livetcp_result lt_visits_solve(lt_visits *visits, const lt_chain *chain, livetcp_error *error);
void lt_visits_clear(lt_visits *visits);

typedef struct lt_delays {
    lt_histogram histogram; /* seconds over the one-way delay, by packet */
    double by_cause[4];     /* packets per excursion, by lt_cause */
    double seconds;         /* per excursion */
    double timeouts;        /* per excursion */
    double truncated;       /* packets per excursion with the backlog at the chain's edge */
} lt_delays;

/* Equation (3): weights the packets of each transition with its frequency. */
livetcp_result lt_delays_collect(lt_delays *delays, const lt_chain *chain, const lt_visits *visits,
                                 livetcp_error *error);

#endif
