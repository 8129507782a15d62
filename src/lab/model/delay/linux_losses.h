/* SPDX-License-Identifier: MIT */
/* Probability that losses of a window are detected by acknowledgements, and the number of round
 * trips of their repair, by the rules of Linux 6. */
#ifndef LT_LAB_MODEL_DELAY_LINUX_LOSSES_H
#define LT_LAB_MODEL_DELAY_LINUX_LOSSES_H

#include "lab/model/delay/losses.h"

/* As lt_window_losses() and lt_packet_losses(). */
lt_loss_outcome lt_linux_window_losses(const lt_delay_params *params, unsigned w, unsigned sent);
lt_loss_outcome lt_linux_packet_losses(const lt_delay_params *params, unsigned w);

/* Mean time from sending a packet that is lost to its detection, with the stream otherwise
 * unimpeded; further losses directly after it make it longer. And the number of packets sent in
 * this time. */
double lt_linux_detection(const lt_delay_params *params);
double lt_linux_held(const lt_delay_params *params);

#endif
