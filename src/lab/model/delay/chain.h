/* SPDX-License-Identifier: MIT */
/*
 * The chain as a whole: its reachable network-limited states and their transitions. Numbers are in
 * such an order (windows ascending, backlogs descending) that a round without loss leads from a
 * state to a later one: the loss-free part of the transition matrix is triangular.
 *
 * Application-limited states are absorbing here. From each of them a loss starts one of only two
 * kinds of excursion, and between losses nothing happens: see solve.c.
 */
#ifndef LT_LAB_MODEL_DELAY_CHAIN_H
#define LT_LAB_MODEL_DELAY_CHAIN_H

#include "lab/model/delay/moves.h"

#include <stdint.h>

enum { LT_START_RECOVERY, LT_START_TIMEOUT, LT_STARTS };

/* Compressed columns: the targets of state j are row[first[j]] .. row[first[j+1] - 1]. */
typedef struct lt_columns {
    int *first; /* n + 1 */
    int *row;   /* from n on: the application-limited state with window row - n */
    double *value;
} lt_columns;

typedef struct lt_chain {
    const lt_delay_params *params;
    int n;            /* network-limited states */
    int absorbing;    /* application-limited states, by window: 0 .. max_window */
    int *number;      /* by place(w, b); -1: not reachable */
    unsigned *w, *b;  /* by number */
    lt_columns free;  /* rounds without loss */
    lt_columns lossy; /* rounds with a loss */
    lt_loss_outcome *window_losses, *packet_losses; /* by w */
} lt_chain;

/* Enumerates the states. `params` must outlive the chain. */
livetcp_result lt_chain_make(lt_chain *chain, const lt_delay_params *params, size_t max_states,
                             livetcp_error *error);
void lt_chain_clear(lt_chain *chain);

/* The moves at the start of an excursion; their probabilities add up to 1. */
void lt_chain_start(const lt_chain *chain, int start, lt_moves *moves);

/* The moves of state `i`. */
void lt_chain_moves(const lt_chain *chain, int i, lt_moves *moves);

/* Targets of a move. A backlog between two integers is split between both, which keeps its mean;
 * one beyond the edge counts as the edge. Returns the number of targets, 1 or 2. */
typedef struct lt_target {
    int row;
    double share;
} lt_target;

int lt_chain_targets(const lt_chain *chain, const lt_move *move, lt_target targets[2]);

#endif
