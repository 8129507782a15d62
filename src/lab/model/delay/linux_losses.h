/* SPDX-License-Identifier: MIT */
/* Probability that a window's losses are found by acknowledgements, and the round trips until they
 * are repaired, by the rules of Linux 6. */
#ifndef LT_LAB_MODEL_DELAY_LINUX_LOSSES_H
#define LT_LAB_MODEL_DELAY_LINUX_LOSSES_H

#include "lab/model/delay/losses.h"

/* As lt_window_losses() and lt_packet_losses(). */
lt_loss_outcome lt_linux_window_losses(const lt_delay_params *params, unsigned w, unsigned sent);
lt_loss_outcome lt_linux_packet_losses(const lt_delay_params *params, unsigned w);

/* From sending a packet that is lost to knowing it, on average, while the stream flows freely;
 * packets lost right after it make it longer. And the packets sent in this time. */
double lt_linux_detection(const lt_delay_params *params);
double lt_linux_held(const lt_delay_params *params);

#endif
