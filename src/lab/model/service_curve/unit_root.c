/* SPDX-License-Identifier: MIT */
/*
 * Three steps: the mean is taken out by generalized least squares under the local alternative
 * 1 + c/n with c = -10, where the first value has the variance of the steady state (Elliott 1999);
 * the number of lags is the one with the minimum Akaike criterion, computed on the series with its
 * ordinary mean taken out (Perron and Qu, Economics Letters 94(1), 2007), of at most
 * 12 (n/100)^(1/4) (Schwert 1989); the statistic is the t of the level in a Dickey-Fuller
 * regression without a constant.
 *
 * Critical values: a response surface in 1/n, fitted to the 5 % quantiles of 300000 random walks
 * each of 20 to 1000 values (critical.py beside the unit test). Elliott's own, for long series, is
 * -2.73.
 */
#include "lab/model/service_curve/unit_root.h"

#include "lab/model/service_curve/regression.h"

#include <math.h>
#include <stdlib.h>

#define LOCAL_ALTERNATIVE (-10.0)

/* A regression that leaves a smaller share of the squares explains everything: the rest is
 * rounding, and its t is meaningless. A straight line has one with a lag. */
#define ROUNDING 1e-12

static double critical_value(size_t observations)
{
    const double b[] = {-2.73747455, -4.11945282, -10.44798293};
    double x = 1 / (double)observations;

    return b[0] + x * (b[1] + x * b[2]);
}

static bool constant(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0])
            return false;
    return true;
}

static double ordinary_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* The coefficient of y[t] - a y[t-1] on 1 - a; the first value has 1 / (1 - a^2) times the variance
 * of the others. */
static double gls_mean(const double *values, size_t count)
{
    double a = 1 + LOCAL_ALTERNATIVE / (double)count, z = 1 - a, first = 1 - a * a;
    double zy = first * values[0], zz = first;

    for (size_t i = 1; i < count; i++) {
        zy += z * (values[i] - a * values[i - 1]);
        zz += z * z;
    }
    return zy / zz;
}

/* Change of y - mean on its level before and `lags` changes before. `skip` leaves out as many of
 * the first observations as a regression with that many lags would. */
static bool regress(const double *y, size_t count, double mean, size_t lags, size_t skip,
                    lt_regression *r)
{
    size_t rows = count - 1 - skip;

    if (!lt_regression_init(r, rows, lags + 1))
        return false;
    for (size_t i = 0; i < rows; i++) {
        size_t t = i + skip;
        r->y[i] = y[t + 1] - y[t];
        r->x[i] = y[t] - mean;
        for (size_t k = 1; k <= lags; k++)
            r->x[k * rows + i] = y[t + 1 - k] - y[t - k];
    }
    if (lt_regression_solve(r))
        return true;
    lt_regression_clear(r);
    return false;
}

static size_t max_lags(size_t count)
{
    size_t schwert = (size_t)ceil(12 * pow((double)count / 100, 0.25));
    size_t limit = (count - 1) / 2 - 1;

    return schwert < limit ? schwert : limit;
}

/* All candidates use the same observations. */
static bool select_lags(const double *y, size_t count, unsigned *lags)
{
    size_t max_lag = max_lags(count);
    double min_aic = INFINITY;
    lt_regression r;

    *lags = 0;
    if (!regress(y, count, ordinary_mean(y, count), max_lag, max_lag, &r))
        return false;
    for (size_t k = 0; k <= max_lag && k + 1 <= r.rank; k++) {
        double rss = lt_regression_rss(&r, k + 1);
        double aic = (double)r.rows * log(rss / (double)r.rows) + 2 * (double)k;
        if (rss > ROUNDING * lt_regression_rss(&r, 0) && aic < min_aic) {
            min_aic = aic;
            *lags = (unsigned)k;
        }
    }
    lt_regression_clear(&r);
    return true;
}

bool lt_unit_root_test(const double *values, size_t count, lt_unit_root *result)
{
    lt_regression r;

    *result = (lt_unit_root){.statistic = -INFINITY, .critical = critical_value(count - 1)};
    result->stationary = constant(values, count);
    if (result->stationary)
        return true;
    if (!select_lags(values, count, &result->lags) ||
        !regress(values, count, gls_mean(values, count), result->lags, result->lags, &r))
        return false;
    if (r.rank <= result->lags) /* a lag that was independent before is dependent here */
        result->lags = r.rank ? (unsigned)r.rank - 1 : 0;
    result->critical = critical_value(r.rows);
    result->statistic = r.rank ? lt_regression_first_t(&r, result->lags + 1) : 0;
    result->stationary = result->statistic < result->critical;
    lt_regression_clear(&r);
    return true;
}
