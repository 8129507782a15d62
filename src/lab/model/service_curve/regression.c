/* SPDX-License-Identifier: MIT */
#include "lab/model/service_curve/regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cs.h>

/* A diagonal element of R this much smaller than its column is a rounding error. */
#define DEPENDENT 1e-10

bool lt_regression_init(lt_regression *r, size_t rows, size_t columns)
{
    *r = (lt_regression){.rows = rows,
                         .columns = columns,
                         .x = calloc(rows * columns, sizeof *r->x),
                         .y = calloc(rows, sizeof *r->y),
                         .scratch = calloc(columns, sizeof *r->scratch)};
    if (r->x && r->y && r->scratch)
        return true;
    lt_regression_clear(r);
    return false;
}

void lt_regression_clear(lt_regression *r)
{
    free(r->x);
    free(r->y);
    free(r->scratch);
    cs_di_nfree(r->qr);
    *r = (lt_regression){0};
}

static double length(const double *column, size_t rows)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++)
        sum += column[i] * column[i];
    return sqrt(sum);
}

/* The matrix in CXSparse's form, with an entry for each element, also for zeros. */
static bool make_matrix(const lt_regression *r, cs_di *matrix)
{
    int rows = (int)r->rows, columns = (int)r->columns;

    *matrix = (cs_di){.nzmax = rows * columns,
                      .m = rows,
                      .n = columns,
                      .p = malloc((r->columns + 1) * sizeof(int)),
                      .i = malloc(r->rows * r->columns * sizeof(int)),
                      .x = r->x,
                      .nz = -1};
    if (!matrix->p || !matrix->i)
        return false;
    for (int k = 0; k <= columns; k++)
        matrix->p[k] = k * rows;
    for (int i = 0; i < rows * columns; i++)
        matrix->i[i] = i % rows;
    return true;
}

/* Replaces y by Q'y. */
static bool rotate(lt_regression *r, const cs_dis *symbolic)
{
    double *y = malloc(r->rows * sizeof *y);

    if (!y)
        return false;
    cs_di_ipvec(symbolic->pinv, r->y, y, (int)r->rows);
    for (int k = 0; k < (int)r->columns; k++)
        cs_di_happly(r->qr->L, k, r->qr->B[k], y);
    memcpy(r->y, y, r->rows * sizeof *y);
    free(y);
    return true;
}

/* Diagonal element of a column of R. */
static double diagonal(const lt_regression *r, size_t column)
{
    return r->qr->U->x[r->qr->U->p[column + 1] - 1];
}

bool lt_regression_solve(lt_regression *r)
{
    const int in_their_order = 0;
    cs_di x;
    bool made = make_matrix(r, &x);
    cs_dis *symbolic = made ? cs_di_sqr(in_their_order, &x, true) : NULL;

    r->qr = symbolic ? cs_di_qr(&x, symbolic) : NULL;
    free(x.p);
    free(x.i);
    bool solved = r->qr && rotate(r, symbolic);
    cs_di_sfree(symbolic);
    for (r->rank = 0; solved && r->rank < r->columns; r->rank++)
        if (!(fabs(diagonal(r, r->rank)) > DEPENDENT * length(r->x + r->rank * r->rows, r->rows)))
            break;
    return solved;
}

/* y is Q'y now: its first elements are the fit, the rest is the residual. */
double lt_regression_rss(const lt_regression *r, size_t columns)
{
    double sum = 0;
    for (size_t i = columns; i < r->rows; i++)
        sum += r->y[i] * r->y[i];
    return sum;
}

/* The variance of the coefficient is s^2 (X'X)^-1 [1,1], which is s^2 |R'^-1 e1|^2. */
double lt_regression_first_t(lt_regression *r, size_t columns)
{
    double s2 = lt_regression_rss(r, columns) / (double)(r->rows - columns);
    cs_di leading = *r->qr->U; /* the triangle of the first columns */

    leading.m = leading.n = (int)columns;
    for (size_t i = 0; i < columns; i++)
        r->scratch[i] = i == 0;
    cs_di_utsolve(&leading, r->scratch);
    double spread = length(r->scratch, columns);
    memcpy(r->scratch, r->y, columns * sizeof *r->scratch);
    cs_di_usolve(&leading, r->scratch);
    return r->scratch[0] / (sqrt(s2) * spread);
}
