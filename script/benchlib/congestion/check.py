# SPDX-License-Identifier: MIT
"""What each row must show, and whether it does. An outcome is (wanted, measured, passed); passed is None
when there was nothing to measure it with."""

from statistics import median

from . import figures
from .figures import NEVER
from .rows import BEGIN, MBIT

UTILISATION, FROM_START = 0.92, 0.9


def spell(value, unit=""):
    return "never" if value == NEVER else f"{value:.0f}{unit}"


def at_most(wanted, value, limit, unit=" ms"):
    return (f"{wanted} ≤ {spell(limit, unit)}", spell(value, unit), value <= limit)


def at_least(wanted, value, limit):
    return (f"{wanted} ≥ {limit:g}", f"{value:.3f}", value >= limit)


def middle(runs, function):
    return median(function(run) for run in runs)


def worst(runs, function):
    return max(function(run) for run in runs)


def near_floor(row, runs, floors, begin, end, calm=None):
    """Delays near those of the floor, which were measured from `calm`, (from, to), at the same rate.
    `runs` and `floors` are packets, a list for each seed."""
    for which, over in ("p95", 20), ("p99", 35):
        floor = middle(floors, lambda p: figures.summary(p, *(calm or (begin, end)))[which])
        yield at_most(f"{which}: floor + {over}",
                      middle(runs, lambda p: figures.summary(p, begin, end)[which]), floor + over)


def settled(row, runs, floors, begin, end, calm=None):
    """Checks of the row "alone"."""
    def used(packets):
        return figures.rate(packets, begin, end) / row.link_at(begin)[0]

    yield at_least(f"share of the link from {begin:g} s", middle(runs, used), UTILISATION)
    yield from near_floor(row, runs, floors, begin, end, calm)
    frozen = worst(runs, lambda packets: figures.frozen(packets, begin, end, row.interval))
    yield ("no freeze", f"{frozen:.1f} s", frozen == 0)


def beginning(row, runs):
    late = worst(runs, lambda p: figures.summary(p, 0, BEGIN, delivered=True)["max"])
    yield at_most(f"first {BEGIN:g} s, largest: L + 200", late, row.one_way + 200)
    yield at_least("share of the link at 4 to 6 s",
                   middle(runs, lambda p: figures.rate(p, 4, 6) / row.rate), FROM_START)


def alone(row, runs, floors):
    yield from beginning(row, runs)
    yield from settled(row, runs, floors, BEGIN, row.seconds)


def trace(row, runs, floors):
    """Frames of very different sizes: a floor and freezes of its own, and no share that could be had."""
    yield from near_floor(row, runs, floors, BEGIN, row.seconds)

    def frozen(packets):
        return figures.frozen(packets, BEGIN, row.seconds, row.interval)

    least = worst(floors, frozen)
    found = worst(runs, frozen)
    yield (f"frozen no longer than the floor, {least:.1f} s", f"{found:.1f} s", found <= least)


def overload(row, runs, floors):
    late = worst(runs, lambda p: figures.summary(p, 0, row.seconds, delivered=True)["max"])
    used = middle(runs, lambda p: figures.rate(p, BEGIN, row.seconds) / row.rate)
    yield at_most("largest: 400 + RTT", late, 400 + row.rtt)
    yield at_least("delivered, share of the link", used, UTILISATION)


def greedy(row, runs, floors):
    _, begin, end = row.greedy
    share = middle(runs, lambda p: figures.rate(p, begin + 10, end) / (row.rate / 2))
    late = middle(runs, lambda p: figures.summary(p, begin + 10, end)["p95"])
    yield ("share of a fair one, 0.7 to 1.2, after 10 s", f"{share:.2f}", 0.7 <= share <= 1.2)
    yield at_most("p95 then: L + full queue + 30", late, row.one_way + row.full_queue + 30)
    calm = (BEGIN, begin)  # what keeps a fixed rate is not over it by then
    for wanted, measured, passed in settled(row, runs, floors, end + 5, row.seconds, calm):
        yield (f"after it: {wanted}", measured, passed)


def sessions(row, runs, floors):
    full = max(join for join, _ in row.times)
    least = min(leave for _, leave in row.times)

    def index(packets):
        return figures.jain([figures.rate(figures.of_flow(packets, flow), full + 20, least)
                             for flow in range(len(row.times))])

    yield at_least("Jain's index from 20 s after the last joined", middle(runs, index), 0.95)
    for flow, (join, _) in enumerate(row.times):
        count = sum(other <= join for other, _ in row.times)
        if join:  # before the next one joins
            share = middle(runs, lambda p: figures.rate(figures.of_flow(p, flow), join + 8,
                                                        join + 12) / (row.rate / count))
            yield at_least(f"session {flow + 1}: its share {join + 8:g} to {join + 12:g} s", share, 0.8)


def step(row, runs, floors):
    for i, (at, rate, rtt) in enumerate(row.steps):
        end = row.steps[i + 1][0] if i + 1 < len(row.steps) else row.seconds
        what = f"from {at:g} s ({rate / MBIT:g} Mbit/s, RTT {rtt:g} ms)"
        if rate < row.link_at(at - 1)[0] or rtt > row.link_at(at - 1)[1]:
            late = worst(runs, lambda p: figures.late_for(p, at - 1, end, rtt / 2 + 200))
            yield (f"{what}: above L + 200 ms ≤ 1 s", f"{late:.1f} s", late <= 1)
        used = middle(runs, lambda p: figures.rate(p, at + 5, end) / rate)
        yield at_least(f"{what}: share of the link 5 s later", used, UTILISATION)


def mobile(row, runs, floors):
    """Nothing is wanted of it but to be compared."""
    return []


KINDS = {"alone": alone, "trace": trace, "overload": overload, "greedy": greedy, "sessions": sessions, "step": step,
         "mobile": mobile}


def outcomes(row, runs, floors):
    if not any(runs):
        return []
    return list(KINDS[row.kind](row, runs, floors))
