/* SPDX-License-Identifier: MIT */
/* Possible results of one round of a chain: next states, their probabilities, and the delays of the
 * packets that leave. */
#ifndef LT_LAB_MODEL_DELAY_MOVE_LIST_H
#define LT_LAB_MODEL_DELAY_MOVE_LIST_H

#include "lab/model/delay/params.h"

typedef enum lt_cause {
    LT_CAUSE_NONE,
    LT_CAUSE_BACKLOG,
    LT_CAUSE_RECOVERY,
    LT_CAUSE_TIMEOUT
} lt_cause;

/* Packets with delays of delay, delay - step, delay - 2 step ... over the one-way delay, each at
 * least `min`. */
typedef struct lt_burst {
    double packets;
    double delay, step, min; /* seconds */
    lt_cause cause;
} lt_burst;

enum { LT_MOVE_BURSTS = 8 };

typedef struct lt_move {
    double probability;
    unsigned w;
    double b;       /* packets; not yet truncated */
    double seconds; /* duration */
    unsigned timeouts;
    bool loss; /* it began with a loss */
    unsigned bursts;
    lt_burst burst[LT_MOVE_BURSTS];
} lt_move;

enum { LT_MAX_MOVES = 48 };

typedef struct lt_moves {
    unsigned count;
    lt_move move[LT_MAX_MOVES];
} lt_moves;

/* Appends a move without packets; the list must have space. */
lt_move *lt_moves_add(lt_moves *moves, double probability);

/* Appends packets to a move, if there are any and there is space. */
void lt_move_send(lt_move *move, lt_burst burst);

/* Appends the moves after a timeout with backlog `b`: each timeout is twice as long as the one
 * before, up to the sixth. Backlogs beyond the chain's edge are one case. The packets that leave at
 * the end are the move's first burst; `prototype` is the move so far. */
void lt_moves_time_out(const lt_delay_params *params, lt_moves *moves, double probability, double b,
                       const lt_move *prototype);

#endif
