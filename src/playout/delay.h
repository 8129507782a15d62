/* SPDX-License-Identifier: MIT */
/* The playout delay, on top of the minimum transit time, by mode: none, fixed, static, adaptive or
 * policy-aware (livetcp_playout_mode). */
#ifndef LT_PLAYOUT_DELAY_H
#define LT_PLAYOUT_DELAY_H

#include "playout/delay_quantiles.h"

#include <livetcp/playout.h>

/* Adaptive: mean and variation of the delays measured, and spikes. */
typedef struct lt_playout_delay_adaptive {
    double u, v;           /* us */
    double last, previous; /* the latest delays */
    double slope;          /* of the delays in a spike */
    unsigned samples;      /* up to the number that matters */
    bool spike;
    livetcp_usec calm_us; /* u + beta*v when no spike was under way */
} lt_playout_delay_adaptive;

typedef struct lt_playout_delay {
    const livetcp_playout_config *config; /* the playout's */
    lt_playout_delay_adaptive adaptive;
    bool stalled;                  /*   see in_stall() */
    lt_delay_quantiles lateness;   /* policy-aware */
    livetcp_playout_repair repair; /*   of most packets, at the last call of target() */
} lt_playout_delay;

/* `config` outlives `delay`. */
void lt_playout_delay_init(lt_playout_delay *delay, const livetcp_playout_config *config);

/* Takes in the delay of a packet, or of the slowest packet of a frame, over the minimum transit
 * time; `duration_us` is its duration, or 0. */
void lt_playout_delay_add(lt_playout_delay *delay, livetcp_usec queueing_us,
                          livetcp_usec duration_us);

/* The same of one that came after later ones. */
void lt_playout_delay_add_overtaken(lt_playout_delay *delay, livetcp_usec queueing_us);

/* The base of the delays rose by so much: subtracts it from the measured delays. */
void lt_playout_delay_rebase(lt_playout_delay *delay, livetcp_usec higher_us);

/* The base turned out to be lower: discards the delays measured while it was being found. */
void lt_playout_delay_doubt(lt_playout_delay *delay);

/* The current delay, within the bounds of the config; latency_us while the mode has no result.
 * `packet_rate` is f, packets per second, or 0. */
livetcp_usec lt_playout_delay_target(lt_playout_delay *delay, const livetcp_playout_path *path,
                                     double packet_rate);

#endif
