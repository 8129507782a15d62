/* SPDX-License-Identifier: MIT */
/*
 * The moves of the chain from a state (w, b) without a loss to recover to the next such states, by
 * the rules of the paper (moves.c) or of Linux (linux_moves.c).
 *
 * The paper's chain has states of fast recovery (l = 1) and timeout (w = 0, l = 1..6) in between.
 * Each is left in a way that depends on nothing but itself, so they are passed through here, which
 * leaves less than half of the states to solve for, and the same distribution.
 */
#ifndef LT_LAB_MODEL_DELAY_MOVES_H
#define LT_LAB_MODEL_DELAY_MOVES_H

#include "lab/model/delay/losses.h"
#include "lab/model/delay/move_list.h"

/* Table 2: the window lets every packet go at once. */
bool lt_application_limited(const lt_delay_params *params, unsigned w, unsigned b);

/* Segments of a round: the window, or by Linux's rules the segments to send. */
unsigned lt_segments_sent(const lt_delay_params *params, unsigned w, unsigned b);

/* Of an application-limited state, one packet on: staying, and two ways to leave, whose targets do
 * not depend on w. */
void lt_packet_moves(const lt_delay_params *params, unsigned w, const lt_loss_outcome *losses,
                     lt_moves *moves);

/* Of a network-limited state, one round-trip time on. */
void lt_round_moves(const lt_delay_params *params, unsigned w, unsigned b,
                    const lt_loss_outcome *losses, lt_moves *moves);

#endif
