/* SPDX-License-Identifier: MIT */
/* Adaptive playout: mean and variation of the delays measured, and spikes. */
#ifndef LT_PLAYOUT_ADAPTIVE_H
#define LT_PLAYOUT_ADAPTIVE_H

#include <livetcp/time.h>

#include <stdbool.h>

typedef struct lt_adaptive {
    double alpha, beta;
    double u, v;           /* us */
    double last, previous; /* the latest delays */
    double slope;          /* of the delays in a spike */
    unsigned samples;      /* as many as matter */
    bool spike;
    livetcp_usec calm_us; /* u + beta*v when no spike was under way */
} lt_adaptive;

void lt_adaptive_init(lt_adaptive *adaptive, double alpha, double beta);

/* Takes in what a packet, or the slowest packet of a frame, took over the least transit time;
 * `duration_us` is its length, or 0. */
void lt_adaptive_add(lt_adaptive *adaptive, livetcp_usec delay_us, livetcp_usec duration_us);

/* The base of the delays rose by so much: what was measured is less over the new one. */
void lt_adaptive_rebase(lt_adaptive *adaptive, livetcp_usec higher_us);

/* The base turned out to be lower: what was measured while it was being found says nothing. */
void lt_adaptive_doubt(lt_adaptive *adaptive);

/* u + beta*v; -1 while too little was measured. `calm` leaves the spike under way out. */
livetcp_usec lt_adaptive_delay(const lt_adaptive *adaptive, bool calm);

#endif
