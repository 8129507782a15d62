# SPDX-License-Identifier: MIT
"""Reads values from the reports of `livetcp bench`. All take the reports of several seeds and give
the mean over them, as the papers do; packets sent near a stall of the machine are left out."""

import statistics

from .cells import MOST_LOST
from .figures import Unbounded


def results(reports, scheme):
    """The result of a scheme in each report, by the name that it was requested with."""
    return [result for report in reports for result in report["results"]
            if result["spec"] == scheme]


def carried(found):
    """A delay that grows without end shows in packets that never came while the bench waited."""
    if any(r["clean"]["lost"] > MOST_LOST * r["clean"]["sent"] for r in found):
        raise Unbounded


def clean(reports, scheme, field):
    """A statistic of the delay in ms."""
    found = results(reports, scheme)
    carried(found)
    values = [r["clean"][field] for r in found if r["clean"][field] is not None]
    return statistics.mean(values) if values else None


def delay(scheme, field):
    return lambda reports: clean(reports, scheme, field)


def mean_of(scheme, key):
    """Mean of any number in a result."""
    def read(reports):
        values = [r[key] for r in results(reports, scheme) if r.get(key) is not None]
        return statistics.mean(values) if values else None
    return read


def late(scheme, playout):
    """Percentage of packets late for a playout delay; packets never received are late."""
    def read(reports):
        points = [p for r in results(reports, scheme) for p in r["playout"]
                  if p["playout"] == str(playout)]
        packets = sum(p["packets"] for p in points)
        return 100 * sum(p["late"] for p in points) / packets if packets else None
    return read


def reduction(scheme, base, field):
    """Of a statistic of the delay, in percent of that of `base` in the same run. A scheme that
    carries what `base` does not is 100 % better."""
    def read(reports):
        mine = clean(reports, scheme, field)
        try:
            other = clean(reports, base, field)
        except Unbounded:
            return 100.0
        return 100 * (1 - mine / other) if mine is not None and other else None
    return read


def largest(values, limit):
    """The largest x of (x, value) up to which every value is within the limit; None is beyond."""
    within = None
    for x, value in sorted(values):
        if value is None or value > limit:
            break
        within = x
    return within
