#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes reference.txt: series, and what well-kept libraries say about them.

    python3 -m venv v && v/bin/pip install arch==8.0.0 statsmodels==0.15.0 scipy numpy
    v/bin/python tests/unit/model/service_curve/reference.py > tests/unit/model/service_curve/reference.txt

The correction of statsmodels' runs test for short series goes the wrong way where fewer than half
a run is in question, so the short series here alternates. DF-GLS: the lags are those of
arch.unitroot.DFGLS; the statistic for a first value that may lie anywhere (Elliott 1999), which no
library has, is that of statsmodels' regressions. Runs test: statsmodels' runstest_1samp. Interval
of the quantile: scipy's binomial distribution. The series are of the kinds that a probe meets.
"""

import numpy
from arch.unitroot import DFGLS
from scipy.stats import binom
from statsmodels.regression.linear_model import OLS
from statsmodels.sandbox.stats.runs import runstest_1samp

RANDOM = numpy.random.default_rng(20161)


def autoregressive(count, coefficient):
    values = [0.0]
    for noise in RANDOM.exponential(10, count):
        values.append(coefficient * values[-1] + noise)
    return numpy.array(values[1:])


def lindley(count, load):
    """Delays in a queue."""
    values = [0.0]
    for service, gap in zip(RANDOM.exponential(load, count), RANDOM.exponential(1, count)):
        values.append(max(0.0, values[-1] + service - gap))
    return 50 + 10 * numpy.array(values[1:])


SERIES = {
    "independent": 50 + RANDOM.exponential(10, 200),
    "alternating-short": autoregressive(30, -0.9),
    "correlated": autoregressive(200, 0.9),
    "alternating": autoregressive(150, -0.8),
    "walk": 1000 + numpy.cumsum(RANDOM.normal(0, 1, 200)),
    "growing": numpy.arange(120) * 2 + RANDOM.normal(0, 5, 120),
    "queue": lindley(400, 0.7),
    "queue-full": lindley(400, 1.05),
    "begins-far-off": 50 + 950 * 0.9 ** numpy.arange(400) + autoregressive(400, 0.5),
}


def unit_root(series, lags):
    """Two regressions: on the constant, and of Dickey and Fuller with that taken out."""
    a = 1 - 10 / len(series)
    first = numpy.sqrt(1 - a * a)
    constant = numpy.full(len(series), 1 - a)
    constant[0] = first
    level = OLS(numpy.r_[first * series[0], series[1:] - a * series[:-1]], constant).fit().params[0]
    left = series - level
    change = numpy.diff(left)
    before = [left[lags:-1], *(change[lags - k:len(change) - k] for k in range(1, lags + 1))]
    return OLS(change[lags:], numpy.column_stack(before)).fit().tvalues[0]


def interval(values, share):
    ordered = numpy.sort(values)
    n = len(values)
    low = [k for k in range(n) if binom.cdf(k, n, share) <= 0.025]
    high = [k for k in range(n) if binom.cdf(k, n, share) >= 0.975]
    return (ordered[low[-1]] if low else ordered[0], ordered[high[0]] if high else numpy.inf)


def main():
    for name, series in SERIES.items():
        series = numpy.round(series, 3)
        lags = DFGLS(series, trend="c").lags
        z, _ = runstest_1samp(series, cutoff="median")
        low, high = interval(series, 0.9)
        print(name, len(series), repr(float(unit_root(series, lags))), lags, repr(float(z)),
              float(low), float(high))
        print(*series)


if __name__ == "__main__":
    main()
