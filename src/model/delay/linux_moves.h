/* SPDX-License-Identifier: MIT */
/* The moves of the chain by the rules of Linux 6: LIVETCP_LOSS_RECOVERY_LINUX. */
#ifndef LT_MODEL_DELAY_LINUX_MOVES_H
#define LT_MODEL_DELAY_LINUX_MOVES_H

#include "model/delay/losses.h"
#include "model/delay/move_list.h"

/* As lt_packet_moves() and lt_round_moves(). */
void lt_linux_packet_moves(const lt_delay_params *params, unsigned w, const lt_loss_outcome *losses,
                           lt_moves *moves);
void lt_linux_round_moves(const lt_delay_params *params, unsigned w, unsigned b,
                          const lt_loss_outcome *losses, lt_moves *moves);

#endif
