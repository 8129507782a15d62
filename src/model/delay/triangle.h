/* SPDX-License-Identifier: MIT */
/*
 * Solves M x = b for M = I - F, where F is the loss-free part of the chain: how often each state is
 * visited before the next loss. SuperLU does it. In the order in which the chain numbers its
 * states M is triangular, so that its factors are M itself and nothing fills in; with an order of
 * SuperLU's own the factors of the whole chain have a hundred times its entries.
 */
#ifndef LT_MODEL_DELAY_TRIANGLE_H
#define LT_MODEL_DELAY_TRIANGLE_H

#include "model/delay/chain.h"

typedef struct lt_triangle lt_triangle;

/* Factors the chain's free part; the chain may change afterwards. NULL on failure. */
lt_triangle *lt_triangle_make(const lt_chain *chain, livetcp_error *error);
void lt_triangle_destroy(lt_triangle **triangle);

/* In place: `columns` vectors of n numbers each, one after the other. */
livetcp_result lt_triangle_solve(lt_triangle *triangle, double *vectors, int columns,
                                 livetcp_error *error);

#endif
