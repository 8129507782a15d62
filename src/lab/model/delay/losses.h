/* SPDX-License-Identifier: MIT */
/* Probability that losses of a window are detected by duplicate acknowledgements, or only by a
 * timeout: Brosh et al., appendix A. */
#ifndef LT_LAB_MODEL_DELAY_LOSSES_H
#define LT_LAB_MODEL_DELAY_LOSSES_H

#include "lab/model/delay/params.h"

enum { LT_MAX_ROUNDS = 4 }; /* more round trips count as that many */

typedef struct lt_loss_outcome {
    double none;     /* no loss */
    double recovery; /* fast recovery */
    double timeout;  /* the three add up to 1 */
    /* By Linux's rules, shares of recoveries that take 1, 2, ... round trips, and of those that end
     * in a timeout because a retransmission is lost as well; they add up to 1. */
    double rounds[LT_MAX_ROUNDS], repeated;
} lt_loss_outcome;

/* For a window of `w` >= 1 full segments of a network-limited connection; by Linux's rules, for its
 * `sent` <= w segments in use. */
lt_loss_outcome lt_window_losses(const lt_delay_params *params, unsigned w, unsigned sent);

/* For one packet and the up to w - 1 segments that may follow before its acknowledgement, of an
 * application-limited connection: there the chain moves by packets. */
lt_loss_outcome lt_packet_losses(const lt_delay_params *params, unsigned w);

#endif
