/* SPDX-License-Identifier: MIT */
/* The moves of the chain by the rules of Linux 6: LIVETCP_LOSS_RECOVERY_LINUX. */
#ifndef LT_LAB_MODEL_DELAY_LINUX_MOVES_H
#define LT_LAB_MODEL_DELAY_LINUX_MOVES_H

#include "lab/model/delay/losses.h"
#include "lab/model/delay/move_list.h"

/* Appends the moves after the loss of a packet in an application-limited state. */
void lt_linux_loss_moves(const lt_delay_params *params, const lt_loss_outcome *losses,
                         lt_moves *moves);

/* As lt_round_moves(). */
void lt_linux_round_moves(const lt_delay_params *params, unsigned w, unsigned b,
                          const lt_loss_outcome *losses, lt_moves *moves);

#endif
