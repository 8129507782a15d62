#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the response surface of the critical values in unit_root.c: the 5 % quantile of the
statistic over random walks, by the number of observations of the regression.

    v/bin/python tests/unit/model/service_curve/critical.py      (v: see reference.py; half an hour)
"""

import numpy

RANDOM = numpy.random.default_rng(20221)
LENGTHS = (20, 25, 32, 40, 50, 65, 80, 100, 130, 160, 200, 300, 400, 700, 1000)
BATCHES, WALKS = 10, 30000


def statistics(walks):
    """One for each row."""
    length = walks.shape[1]
    a = 1 - 10 / length
    first, constant = 1 - a * a, 1 - a
    level = ((first * walks[:, 0] + constant * (walks[:, 1:] - a * walks[:, :-1]).sum(axis=1))
             / (first + constant ** 2 * (length - 1)))
    left = walks - level[:, None]
    change, before = numpy.diff(left, axis=1), left[:, :-1]
    squares = (before * before).sum(axis=1)
    slope = (before * change).sum(axis=1) / squares
    rest = change - slope[:, None] * before
    return slope / numpy.sqrt((rest * rest).sum(axis=1) / (length - 2) / squares)


def quantile(length):
    """Of one batch, in pieces that fit into memory."""
    pieces, size = [], max(500, 3000000 // length)
    for begin in range(0, WALKS, size):
        count = min(size, WALKS - begin)
        steps = RANDOM.standard_normal((count, length))
        pieces.append(statistics(numpy.cumsum(steps, axis=1)))
    return numpy.quantile(numpy.concatenate(pieces), 0.05)


def main():
    found = numpy.array([[quantile(length) for _ in range(BATCHES)] for length in LENGTHS])
    middle, error = found.mean(axis=1), found.std(axis=1) / numpy.sqrt(BATCHES)
    surface = numpy.vander(1 / (numpy.array(LENGTHS) - 1), 3, increasing=True)
    fit = numpy.linalg.lstsq(surface / error[:, None], middle / error, rcond=None)[0]
    print(*fit)
    print("largest distance", numpy.abs(surface @ fit - middle).max())


if __name__ == "__main__":
    main()
