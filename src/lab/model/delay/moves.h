/* SPDX-License-Identifier: MIT */
/*
 * Moves of the chain from a state (w, b) without recovery to the next such states, by the rules of
 * the paper (moves.c) or of Linux (linux_moves.c).
 *
 * The paper's chain has states of fast recovery (l = 1) and timeout (w = 0, l = 1..6) in between.
 * The way out of each depends on that state only, so they are resolved here. That leaves less than
 * half of the states to solve for, with the same distribution.
 */
#ifndef LT_LAB_MODEL_DELAY_MOVES_H
#define LT_LAB_MODEL_DELAY_MOVES_H

#include "lab/model/delay/losses.h"
#include "lab/model/delay/move_list.h"

/* Table 2: the window admits every packet at once. */
bool lt_application_limited(const lt_delay_params *params, unsigned w, unsigned b);

/* Segments of a round: the window; by Linux's rules, the segments to send. */
unsigned lt_segments_sent(const lt_delay_params *params, unsigned w, unsigned b);

/* Moves from an application-limited state, one packet later: staying, and two ways to leave, whose
 * targets do not depend on w. */
void lt_packet_moves(const lt_delay_params *params, unsigned w, const lt_loss_outcome *losses,
                     lt_moves *moves);

/* Moves from a network-limited state, one round trip later. */
void lt_round_moves(const lt_delay_params *params, unsigned w, unsigned b,
                    const lt_loss_outcome *losses, lt_moves *moves);

#endif
