/* SPDX-License-Identifier: MIT */
/*
 * Solves M x = b for M = I - F, F being the loss-free part of the chain: the number of visits of
 * each state before the next loss. In the chain's numbering M is lower triangular, so no
 * factorization is needed: CXSparse substitutes, which allocates nothing and cannot fail
 * (docs/adr/0009-model-is-a-library-of-its-own.md).
 */
#ifndef LT_LAB_MODEL_DELAY_TRIANGLE_H
#define LT_LAB_MODEL_DELAY_TRIANGLE_H

#include "lab/model/delay/chain.h"

typedef struct lt_triangle lt_triangle;

/* Copies the chain's free part; the chain may change afterwards. NULL on failure. */
lt_triangle *lt_triangle_make(const lt_chain *chain, livetcp_error *error);
void lt_triangle_destroy(lt_triangle **triangle);

/* In place: `columns` consecutive vectors of n numbers. */
void lt_triangle_solve(const lt_triangle *triangle, double *vectors, int columns);

#endif
