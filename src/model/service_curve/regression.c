/* SPDX-License-Identifier: MIT */
#include "model/service_curve/regression.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

/* A diagonal element of R this much smaller than its column is rounding. */
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
    *r = (lt_regression){0};
}

static double length(const double *column, size_t rows)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++)
        sum += column[i] * column[i];
    return sqrt(sum);
}

bool lt_regression_solve(lt_regression *r)
{
    lapack_int rows = (lapack_int)r->rows, columns = (lapack_int)r->columns;
    double *tau = calloc(2 * r->columns, sizeof *tau), *lengths = tau + r->columns;

    if (!tau)
        return false;
    for (size_t k = 0; k < r->columns; k++)
        lengths[k] = length(r->x + k * r->rows, r->rows);
    bool solved =
        !LAPACKE_dgeqrf(LAPACK_COL_MAJOR, rows, columns, r->x, rows, tau) &&
        !LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', rows, 1, columns, r->x, rows, tau, r->y, rows);
    for (r->rank = 0; r->rank < r->columns; r->rank++)
        if (!(fabs(r->x[r->rank * r->rows + r->rank]) > DEPENDENT * lengths[r->rank]))
            break;
    free(tau);
    return solved;
}

/* y is now Q'y: what its first elements explain is fitted, the rest is left over. */
double lt_regression_rss(const lt_regression *r, size_t columns)
{
    double sum = 0;
    for (size_t i = columns; i < r->rows; i++)
        sum += r->y[i] * r->y[i];
    return sum;
}

/* Solves R z = y (transposed: R'z = y) for the leading triangle; z replaces the scratch. */
static void back_substitute(lt_regression *r, char transposed, size_t columns)
{
    LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', transposed, 'N', (lapack_int)columns, 1, r->x,
                   (lapack_int)r->rows, r->scratch, (lapack_int)columns);
}

/* The variance of the coefficient is s^2 (X'X)^-1 [1,1], which is s^2 |R'^-1 e1|^2. */
double lt_regression_first_t(lt_regression *r, size_t columns)
{
    double s2 = lt_regression_rss(r, columns) / (double)(r->rows - columns);

    for (size_t i = 0; i < columns; i++)
        r->scratch[i] = i == 0;
    back_substitute(r, 'T', columns);
    double spread = length(r->scratch, columns);
    for (size_t i = 0; i < columns; i++)
        r->scratch[i] = r->y[i];
    back_substitute(r, 'N', columns);
    return r->scratch[0] / (sqrt(s2) * spread);
}
