/* SPDX-License-Identifier: MIT */
/* Probability that a window's losses are found by duplicate acknowledgements, or only by a timeout:
 * Brosh et al., appendix A. */
#ifndef LT_LAB_MODEL_DELAY_LOSSES_H
#define LT_LAB_MODEL_DELAY_LOSSES_H

#include "lab/model/delay/params.h"

enum { LT_MOST_ROUNDS = 4 }; /* more are taken as that many */

typedef struct lt_loss_outcome {
    double none;     /* nothing is lost */
    double recovery; /* fast recovery */
    double timeout;  /* the sum of the three is 1 */
    /* Of recoveries, where Linux's rules hold, the shares that take 1, 2, ... round trips, and
     * those that end in a timeout since a repeated segment is lost, too; the sum is 1. */
    double rounds[LT_MOST_ROUNDS], repeated;
} lt_loss_outcome;

/* Of a whole window of `w` >= 1 full segments, while the connection is network-limited; by Linux's
 * rules, of the `sent` <= w segments that are used of it. */
lt_loss_outcome lt_window_losses(const lt_delay_params *params, unsigned w, unsigned sent);

/* Of one packet and the up to w - 1 segments that may follow it before its acknowledgement, while
 * the connection is application-limited: the chain then moves by packets. */
lt_loss_outcome lt_packet_losses(const lt_delay_params *params, unsigned w);

#endif
