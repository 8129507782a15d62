/* SPDX-License-Identifier: MIT */
#include "model/delay/triangle.h"

#include "base/error.h"

#include <slu_ddefs.h>
#include <stdlib.h>

struct lt_triangle {
    int n;
    SuperMatrix lower, upper; /* without Store until they are made */
    int *column_order, *row_order;
    SuperLUStat_t statistics;
    _Bool has_statistics;
};

/* I - F by columns; the rows of absorbing states are left out. */
typedef struct matrix {
    int *first, *row;
    double *value;
} matrix;

static livetcp_result no_memory(livetcp_error *error)
{
    return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for solving the chain");
}

static livetcp_result make_matrix(matrix *m, const lt_chain *c, livetcp_error *error)
{
    size_t most = (size_t)c->free.first[c->n] + (size_t)c->n;
    int at = 0;

    m->first = malloc(((size_t)c->n + 1) * sizeof *m->first);
    m->row = malloc(most * sizeof *m->row);
    m->value = malloc(most * sizeof *m->value);
    if (!m->first || !m->row || !m->value)
        return no_memory(error);
    for (int j = 0; j < c->n; j++) {
        m->first[j] = at;
        m->row[at] = j;
        m->value[at++] = 1;
        for (int k = c->free.first[j]; k < c->free.first[j + 1]; k++) {
            if (c->free.row[k] >= c->n)
                continue;
            m->row[at] = c->free.row[k];
            m->value[at++] = -c->free.value[k];
        }
    }
    m->first[c->n] = at;
    return LIVETCP_OK;
}

static livetcp_result factor(lt_triangle *t, matrix *m, livetcp_error *error)
{
    superlu_options_t options;
    SuperMatrix all, ordered = {0};
    GlobalLU_t work;
    int info = 0;
    int *tree = malloc((size_t)t->n * sizeof *tree);

    if (!tree)
        return no_memory(error);
    set_default_options(&options);
    options.ColPerm = NATURAL;
    options.DiagPivotThresh = 0; /* the diagonal is 1 and everything below it less */
    options.SymmetricMode = YES;
    for (int i = 0; i < t->n; i++)
        t->column_order[i] = i;
    dCreate_CompCol_Matrix(&all, t->n, t->n, m->first[t->n], m->value, m->row, m->first, SLU_NC,
                           SLU_D, SLU_GE);
    sp_preorder(&options, &all, t->column_order, tree, &ordered);
    dgstrf(&options, &ordered, 1, 1, tree, NULL, 0, t->column_order, t->row_order, &t->lower,
           &t->upper, &work, &t->statistics, &info);
    Destroy_CompCol_Permuted(&ordered);
    Destroy_SuperMatrix_Store(&all);
    free(tree);
    if (info > t->n)
        return no_memory(error);
    return info ? lt_fail(error, LIVETCP_ERR_BAD_STATE, "SuperLU finds row %d singular", info)
                : LIVETCP_OK;
}

static livetcp_result make(lt_triangle *t, const lt_chain *chain, livetcp_error *error)
{
    matrix m = {0};
    livetcp_result result = LIVETCP_OK;

    t->n = chain->n;
    t->column_order = calloc((size_t)t->n + 1, sizeof *t->column_order);
    t->row_order = calloc((size_t)t->n + 1, sizeof *t->row_order);
    if (!t->column_order || !t->row_order)
        return no_memory(error);
    StatInit(&t->statistics);
    t->has_statistics = 1;
    if (t->n == 0)
        return LIVETCP_OK;
    result = make_matrix(&m, chain, error);
    if (result == LIVETCP_OK)
        result = factor(t, &m, error);
    free(m.first);
    free(m.row);
    free(m.value);
    return result;
}

lt_triangle *lt_triangle_make(const lt_chain *chain, livetcp_error *error)
{
    lt_triangle *t = calloc(1, sizeof *t);

    if (!t)
        no_memory(error);
    else if (make(t, chain, error) != LIVETCP_OK)
        lt_triangle_destroy(&t);
    return t;
}

void lt_triangle_destroy(lt_triangle **triangle)
{
    lt_triangle *t = *triangle;

    if (!t)
        return;
    if (t->lower.Store)
        Destroy_SuperNode_Matrix(&t->lower);
    if (t->upper.Store)
        Destroy_CompCol_Matrix(&t->upper);
    if (t->has_statistics)
        StatFree(&t->statistics);
    free(t->column_order);
    free(t->row_order);
    free(t);
    *triangle = NULL;
}

livetcp_result lt_triangle_solve(lt_triangle *t, double *vectors, int columns, livetcp_error *error)
{
    SuperMatrix right;
    int info = 0;

    if (t->n == 0)
        return LIVETCP_OK;
    dCreate_Dense_Matrix(&right, t->n, columns, vectors, t->n, SLU_DN, SLU_D, SLU_GE);
    dgstrs(NOTRANS, &t->lower, &t->upper, t->column_order, t->row_order, &right, &t->statistics,
           &info);
    Destroy_SuperMatrix_Store(&right);
    return info ? lt_fail(error, LIVETCP_ERR_BAD_STATE, "SuperLU cannot solve: %d", info)
                : LIVETCP_OK;
}
