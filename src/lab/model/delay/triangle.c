/* SPDX-License-Identifier: MIT */
#include "lab/model/delay/triangle.h"

#include "base/error.h"

#include <stdlib.h>
#include <suitesparse/cs.h>

/* I - F by columns, the diagonal first; rows of absorbing states are left out. */
struct lt_triangle {
    int n;
    int *first, *row;
    double *value;
};

/* A round without a loss leads to the same state (a backlog between two integers is split between
 * both) or a later one, never to an earlier one: chain.h. */
static livetcp_result fill(lt_triangle *t, const lt_chain *c, livetcp_error *error)
{
    int at = 0;

    for (int j = 0; j < c->n; j++) {
        const int diagonal = t->first[j] = at;
        t->row[at] = j;
        t->value[at++] = 1;
        for (int k = c->free.first[j]; k < c->free.first[j + 1]; k++) {
            const int row = c->free.row[k];
            if (row < j)
                return lt_fail(error, LIVETCP_ERR_BAD_STATE,
                               "a round without loss leads from state %d back to %d", j, row);
            if (row == j)
                t->value[diagonal] -= c->free.value[k];
            if (row == j || row >= c->n)
                continue;
            t->row[at] = row;
            t->value[at++] = -c->free.value[k];
        }
    }
    t->first[c->n] = at;
    return LIVETCP_OK;
}

static livetcp_result make(lt_triangle *t, const lt_chain *chain, livetcp_error *error)
{
    size_t n = (size_t)chain->n, capacity = (size_t)chain->free.first[n] + n;

    t->n = chain->n;
    t->first = malloc((n + 1) * sizeof *t->first);
    t->row = malloc((capacity + 1) * sizeof *t->row);
    t->value = malloc((capacity + 1) * sizeof *t->value);
    if (t->first && t->row && t->value)
        return fill(t, chain, error);
    return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for solving the chain");
}

lt_triangle *lt_triangle_make(const lt_chain *chain, livetcp_error *error)
{
    lt_triangle *t = calloc(1, sizeof *t);

    if (!t)
        lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for solving the chain");
    else if (make(t, chain, error) != LIVETCP_OK)
        lt_triangle_destroy(&t);
    return t;
}

void lt_triangle_destroy(lt_triangle **triangle)
{
    lt_triangle *t = *triangle;

    if (!t)
        return;
    free(t->first);
    free(t->row);
    free(t->value);
    free(t);
    *triangle = NULL;
}

void lt_triangle_solve(const lt_triangle *t, double *vectors, int columns)
{
    const cs_di lower = {.nzmax = t->first[t->n],
                         .m = t->n,
                         .n = t->n,
                         .p = t->first,
                         .i = t->row,
                         .x = t->value,
                         .nz = -1};

    for (int i = 0; i < columns; i++)
        cs_di_lsolve(&lower, vectors + (size_t)i * (size_t)t->n);
}
