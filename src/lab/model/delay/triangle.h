/* SPDX-License-Identifier: MIT */
/*
 * Solves M x = b for M = I - F, where F is the loss-free part of the chain: how often each state is
 * visited before the next loss. In the order in which the chain numbers its states M is lower
 * triangular, so that nothing is to be factored: CXSparse substitutes, which needs no memory and
 * cannot fail (docs/adr/0009-model-is-a-library-of-its-own.md).
 */
#ifndef LT_LAB_MODEL_DELAY_TRIANGLE_H
#define LT_LAB_MODEL_DELAY_TRIANGLE_H

#include "lab/model/delay/chain.h"

typedef struct lt_triangle lt_triangle;

/* Copies the chain's free part; the chain may change afterwards. NULL on failure. */
lt_triangle *lt_triangle_make(const lt_chain *chain, livetcp_error *error);
void lt_triangle_destroy(lt_triangle **triangle);

/* In place: `columns` vectors of n numbers each, one after the other. */
void lt_triangle_solve(const lt_triangle *triangle, double *vectors, int columns);

#endif
