/* SPDX-License-Identifier: MIT */
/* Playout delay on top of the minimum transit time, by mode: none, fixed, static, adaptive or
 * policy-aware (livetcp_playout_mode). */
#ifndef LT_PLAYOUT_DELAY_H
#define LT_PLAYOUT_DELAY_H

#include "playout/delay_quantiles.h"

#include <livetcp/playout.h>

/* Adaptive mode: mean and variation of the delays, and spikes. */
typedef struct lt_playout_delay_adaptive {
    double u, v;           /* microseconds */
    double last, previous; /* the latest delays */
    double slope;          /* of the delays in a spike */
    unsigned samples;      /* saturates at the largest number that matters */
    bool spike;
    livetcp_usec calm_us; /* u + beta*v outside of spikes */
} lt_playout_delay_adaptive;

typedef struct lt_playout_delay {
    const livetcp_playout_config *config; /* of the playout */
    lt_playout_delay_adaptive adaptive;
    bool stalled;                  /* see in_stall() */
    lt_delay_quantiles lateness;   /* policy-aware mode */
    livetcp_playout_repair repair; /* main protection at the last lt_playout_delay_target() */
} lt_playout_delay;

/* `config` must outlive `delay`. */
void lt_playout_delay_init(lt_playout_delay *delay, const livetcp_playout_config *config);

/* Adds the queueing delay of a packet, or of the slowest packet of a frame: the excess over the
 * minimum transit time. `duration_us` is its duration, or 0. */
void lt_playout_delay_add(lt_playout_delay *delay, livetcp_usec queueing_us,
                          livetcp_usec duration_us);

/* lt_playout_delay_add() for a packet that arrived after later ones. */
void lt_playout_delay_add_overtaken(lt_playout_delay *delay, livetcp_usec queueing_us);

/* The minimum transit time rose by `higher_us`: subtracts that from the measured delays. */
void lt_playout_delay_rebase(lt_playout_delay *delay, livetcp_usec higher_us);

/* The minimum transit time is lower than assumed: discards the delays measured so far. */
void lt_playout_delay_reset(lt_playout_delay *delay);

/* The current delay, within the bounds of the config; latency_us while the mode has no result.
 * `packet_rate` is f in packets per second, or 0. */
livetcp_usec lt_playout_delay_target(lt_playout_delay *delay, const livetcp_playout_path *path,
                                     double packet_rate);

#endif
