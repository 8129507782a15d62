/* SPDX-License-Identifier: MIT */
/* How likely it is that a window's losses are found by duplicate acknowledgements, or only by a
 * timeout: Brosh et al., appendix A. */
#ifndef LT_MODEL_DELAY_LOSSES_H
#define LT_MODEL_DELAY_LOSSES_H

#include "model/delay/params.h"

typedef struct lt_loss_outcome {
    double none;     /* nothing is lost */
    double recovery; /* fast recovery */
    double timeout;
} lt_loss_outcome; /* the sum is 1 */

/* Of a whole window of `w` >= 1 full segments, while the connection is network-limited. */
lt_loss_outcome lt_window_losses(const lt_delay_params *params, unsigned w);

/* Of one packet and the up to w - 1 segments that may follow it before its acknowledgement, while
 * the connection is application-limited: the chain then moves by packets. */
lt_loss_outcome lt_packet_losses(const lt_delay_params *params, unsigned w);

#endif
