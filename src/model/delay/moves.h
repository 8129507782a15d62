/* SPDX-License-Identifier: MIT */
/*
 * What one round of the chain may bring: from a state (w, b) without a loss to recover, the next
 * such states, their probabilities, and the packets that leave meanwhile with their delays.
 *
 * The paper's chain has states of fast recovery (l = 1) and timeout (w = 0, l = 1..6) in between.
 * Each is left in a way that depends on nothing but itself, so they are passed through here, which
 * leaves less than half of the states to solve for, and the same distribution.
 */
#ifndef LT_MODEL_DELAY_MOVES_H
#define LT_MODEL_DELAY_MOVES_H

#include "model/delay/losses.h"
#include "model/delay/params.h"

typedef enum lt_cause {
    LT_CAUSE_NONE,
    LT_CAUSE_BACKLOG,
    LT_CAUSE_RECOVERY,
    LT_CAUSE_TIMEOUT
} lt_cause;

/* Packets with delays of delay, delay - step, delay - 2 step ... over the one-way delay, none of
 * them less than least. */
typedef struct lt_burst {
    double packets;
    double delay, step, least; /* seconds */
    lt_cause cause;
} lt_burst;

enum { LT_MOVE_BURSTS = 2 };

typedef struct lt_move {
    double probability;
    unsigned w;
    double b;       /* packets; not yet truncated */
    double seconds; /* that it takes */
    unsigned timeouts;
    bool loss; /* it began with one */
    unsigned bursts;
    lt_burst burst[LT_MOVE_BURSTS];
} lt_move;

enum { LT_MAX_MOVES = 24 };

typedef struct lt_moves {
    unsigned count;
    lt_move move[LT_MAX_MOVES];
} lt_moves;

/* Table 2: the window lets every packet go at once. */
bool lt_application_limited(const lt_delay_params *params, unsigned w, unsigned b);

/* Of an application-limited state, one packet on: staying, and two ways to leave, whose targets do
 * not depend on w. */
void lt_packet_moves(const lt_delay_params *params, unsigned w, const lt_loss_outcome *losses,
                     lt_moves *moves);

/* Of a network-limited state, one round-trip time on. */
void lt_round_moves(const lt_delay_params *params, unsigned w, unsigned b,
                    const lt_loss_outcome *losses, lt_moves *moves);

#endif
