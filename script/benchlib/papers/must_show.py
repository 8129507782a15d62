# SPDX-License-Identifier: MIT
"""What the figures together must show. An outcome is about figures as they stand in papers.json and
says (what, measured, wanted, passed); passed is None when nothing was measured."""

from . import luebben
from .data import load
from .setting import Setting


def points(report, figure, series):
    """{x: y} of a series, or None if it is missing."""
    for entry in report["figures"]:
        if entry["name"] == figure:
            for values in entry["series"]:
                if values["name"] == series:
                    return dict((x, y) for x, y in values["points"])
    return None


def most(report, figure, series, xs, wanted, what, unit="%"):
    """True if each y of these x is at most this."""
    found = points(report, figure, series) or {}
    values = [found[x] for x in found if x in xs]
    if not values:
        return what, "not measured", f"≤ {wanted:g} {unit}", None
    complete = len(values) == len(xs)
    return (what, f"{max(values):.1f} {unit}" + ("" if complete else ", not all measured"),
            f"≤ {wanted:g} {unit}", max(values) <= wanted if complete or max(values) > wanted
            else None)


def reaches(report, figure, series, x, wanted, what):
    found = points(report, figure, series) or {}
    if x not in found:
        return what, "not measured", f"≥ {wanted:g} %", None
    return what, f"{found[x]:g} %", f"≥ {wanted:g} %", found[x] >= wanted


def bounds(report, figure, bound, sent, what):
    """Every bound is at least what was measured, and at most twice that."""
    most, least = points(report, figure, bound) or {}, points(report, figure, sent) or {}
    ratios = [most[x] / least[x] for x in most if x in least]
    wanted = "1 to 2 times the largest quantile of a frame"
    if not ratios:
        return what, "not measured", wanted, None
    text = " to ".join(f"{ratio:.2f}" for ratio in sorted({min(ratios), max(ratios)}))
    return what, f"{text} times", wanted, min(ratios) >= 1 and max(ratios) <= 2


def converges(report, figure, x, to, step, unit):
    """The long-term rate equals the known one, within the accuracy of probing."""
    found = points(report, figure, "`livetcp probe`") or {}
    what = f"long-term rate of simulated flow control, known: {to:g} {unit}"
    wanted = f"{to - step:g} to {to:g} {unit}"
    if x not in found:
        return what, "not measured", wanted, None
    return what, f"{found[x]:g} {unit}", wanted, to - step <= found[x] <= to


def agrees(report, run, queue, to, step=1):
    """Beside greedy flows the true rate is unknown: the paper's result, within its accuracy of
    probing."""
    found = points(report, "luebben-13b", luebben.run_name("NewReno", run)) or {}
    what = (f"long-term rate of NewReno beside nine flows, buffer of {queue} packets, run {run}; the "
            f"paper: {to:g}")
    wanted = f"{to - step:g} to {to + step:g} Mbit/s"
    if queue not in found:
        return what, "not measured", wanted, None
    return what, f"{found[queue]:g} Mbit/s", wanted, abs(found[queue] - to) <= step


def outcomes(report):
    small, smaller = (0.1, 0.5, 1, 2), (0.1, 0.5, 1)
    if report["setting"]["quick"]:
        small, smaller = (0.5, 2), (0.5,)
    off = "RACK and TLP off"
    trips = (100,) if report["setting"]["quick"] else (20, 100, 300)
    for kernel, constants in ((off, "paper"), (off, "newreno"), ("today's kernel", "linux")):
        model = f"the model ({constants}) against the measured mean"
        for rtt in trips:
            yield most(report, "brosh-8", f"VoIP, RTT {rtt} ms, {kernel}, model {constants}",
                       small, 10, f"{model}, VoIP, loss ≤ 2 %, RTT {rtt} ms, {kernel}")
        yield most(report, "brosh-8", f"video, RTT 100 ms, {kernel}, model {constants}", smaller,
                   20, f"{model}, video, loss ≤ 1 %, RTT 100 ms, {kernel}")
    for kernel in (off, "today's kernel"):
        yield reaches(report, "brosh-14a-edge", kernel, 100, 2,
                      f"working region of VoIP, RTT 100 ms, {kernel}")
        if not report["setting"]["quick"]:
            yield reaches(report, "brosh-14b-edge", kernel, 100, 3,
                          f"working region of video, RTT 100 ms, {kernel}")
    auto = "`auto:connections=8`"
    yield reaches(report, "brosh-14a-edge", auto, 100, 2,
                  f"working region of VoIP, RTT 100 ms, {auto}")
    if not report["setting"]["quick"]:
        yield reaches(report, "brosh-14b-edge", auto, 100, 3,
                      f"working region of video, RTT 100 ms, {auto}")
    for rtt in [rtt for rtt in trips if rtt <= 100]:
        yield most(report, "brosh-23-static", f"RTT {rtt} ms, {off}", small, 5,
                   f"late at L + RTT + 3/f, VoIP, loss ≤ 2 %, RTT {rtt} ms, {off}")
    for window, rate in ((500, 5), (2000, 10)):
        yield converges(report, "luebben-4", window, rate, 1, "Mbit/s")
    for step in (800,) if report["setting"]["quick"] else (100, 800):
        yield converges(report, "luebben-5", step, 4143, step, "packets/s")
    for run in luebben.runs(Setting(**report["setting"])):
        yield from probing(report, run)


def probing(report, run):
    """Beside greedy flows, in one of the runs."""
    queues = (21, 167) if report["setting"]["quick"] else luebben.BUFFERS
    for queue, rate in load("luebben")["points"]["buffers"]["points"]:
        if queue in queues:
            yield agrees(report, run, queue, rate)
    for name in ("NewReno", "Cubic"):
        title = luebben.run_name(name, run)
        yield bounds(report, "luebben-17", luebben.run_name(f"{name}, bound", run),
                     luebben.run_name(f"{name}, sent", run),
                     f"bound of the video's delay, {title}")
        yield most(report, "luebben-6", title, queues if name == "NewReno" else (167,), 0,
                   f"frames of the video that are later than their own bounds, {title}")
