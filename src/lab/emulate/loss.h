/* SPDX-License-Identifier: MIT */
/* Packet loss: independent (Bernoulli) and bursty (Gilbert-Elliott) processes, seeded.
 *
 * Gilbert-Elliott (E. N. Gilbert 1960, E. O. Elliott 1963): a two-state chain. Before each packet
 * the chain moves from good to bad with probability p, or from bad to good with probability r; the
 * packet is then lost with the probability of the state it finds. The mean stay in the bad state
 * is 1/r packets, and p / (p + r) of all packets find it. */
#ifndef LT_LAB_EMULATE_LOSS_H
#define LT_LAB_EMULATE_LOSS_H

#include "base/rng.h"

#include <stdbool.h>

/* All four are probabilities. p == 0 and loss_good == 0 means no loss. */
typedef struct lt_gilbert {
    double p;         /* good to bad */
    double r;         /* bad to good */
    double loss_bad;  /* loss in the bad state */
    double loss_good; /* loss in the good state */
} lt_gilbert;

/* The chain with long-run loss `mean_loss`, whose bad state (loss 1) lasts `mean_burst` packets
 * on average (>= 1). False if there is none: it requires mean_loss <= mean_burst / (mean_burst +
 * 1). */
bool lt_gilbert_from_means(double mean_loss, double mean_burst, lt_gilbert *out);

typedef struct lt_gilbert_state {
    lt_rng rng;
    bool bad;
} lt_gilbert_state;

/* Starts in the good state. */
void lt_gilbert_init(lt_gilbert_state *state, uint64_t seed);

/* Advances by one packet: true = lost. Draws the same number of random values whatever the
 * parameters, so that a change does not shift the rest of the sequence. */
bool lt_gilbert_step(lt_gilbert_state *state, const lt_gilbert *gilbert);

#endif
