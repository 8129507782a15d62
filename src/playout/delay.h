/* SPDX-License-Identifier: MIT */
/* The playout delay, over the least transit time, that the mode asks for: none, fixed, static,
 * adaptive or policy-aware (livetcp_playout_mode). */
#ifndef LT_PLAYOUT_DELAY_H
#define LT_PLAYOUT_DELAY_H

#include <livetcp/playout.h>

/* Adaptive: mean and variation of the delays measured, and spikes. */
typedef struct lt_playout_delay_adaptive {
    double u, v;           /* us */
    double last, previous; /* the latest delays */
    double slope;          /* of the delays in a spike */
    unsigned samples;      /* as many as matter */
    bool spike;
    livetcp_usec calm_us; /* u + beta*v when no spike was under way */
} lt_playout_delay_adaptive;

enum { LT_PLAYOUT_DELAY_PARTS = 5 };

/* Policy-aware: the maximum that was needed of late. Zero is empty. */
typedef struct lt_playout_delay_needs {
    livetcp_usec max[LT_PLAYOUT_DELAY_PARTS]; /* of each part of the window */
    unsigned present;                         /* the part that began at `begin_us` */
    livetcp_usec begin_us;
    bool started;
} lt_playout_delay_needs;

typedef struct lt_playout_delay {
    const livetcp_playout_config *config; /* the playout's */
    lt_playout_delay_adaptive adaptive;
    lt_playout_delay_needs needs;
} lt_playout_delay;

/* `config` outlives `delay`. */
void lt_playout_delay_init(lt_playout_delay *delay, const livetcp_playout_config *config);

/* Takes in what a packet, or the slowest packet of a frame, took over the least transit time;
 * `duration_us` is its length, or 0. */
void lt_playout_delay_add(lt_playout_delay *delay, livetcp_usec queueing_us,
                          livetcp_usec duration_us);

/* The base of the delays rose by so much: what was measured is less over the new one. */
void lt_playout_delay_rebase(lt_playout_delay *delay, livetcp_usec higher_us);

/* The base turned out to be lower: what was measured while it was being found says nothing. */
void lt_playout_delay_doubt(lt_playout_delay *delay);

/* The delay for now, within the bounds of the config; latency_us while the mode cannot tell.
 * `packet_rate` is f, packets per second, or 0; time does not go back. */
livetcp_usec lt_playout_delay_target(lt_playout_delay *delay, const livetcp_playout_path *path,
                                     double packet_rate, livetcp_usec now);

#endif
