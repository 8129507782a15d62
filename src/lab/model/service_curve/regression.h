/* SPDX-License-Identifier: MIT */
/* Ordinary least squares of a vector on the first 1, 2, 3, ... columns of a matrix, from one QR
 * decomposition by CXSparse. */
#ifndef LT_LAB_MODEL_SERVICE_CURVE_REGRESSION_H
#define LT_LAB_MODEL_SERVICE_CURVE_REGRESSION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lt_regression {
    size_t rows, columns; /* rows > columns */
    double *x; /* column by column; filled in by the owner before lt_regression_solve() */
    double *y;
    double *scratch;          /* one coefficient per column */
    struct cs_di_numeric *qr; /* of x */
    size_t rank;              /* number of leading columns that are linearly independent */
} lt_regression;

/* Elements are 0. False if memory is out; nothing is held then. */
bool lt_regression_init(lt_regression *r, size_t rows, size_t columns);
void lt_regression_clear(lt_regression *r);

/* Decomposes; overwrites y. False if memory is out. */
bool lt_regression_solve(lt_regression *r);

/* Sum of the squared residuals with the first `columns` (at most `rank`). */
double lt_regression_rss(const lt_regression *r, size_t columns);

/* The t statistic of the first column's coefficient, with the first `columns` (1 to `rank`). */
double lt_regression_first_t(lt_regression *r, size_t columns);

#endif
