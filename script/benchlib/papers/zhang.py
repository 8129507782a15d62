# SPDX-License-Identifier: MIT
"""Zhang and Schulzrinne, Figures 5 to 7: how long a short TCP connection takes to bring 3, 10 and 30
kB, against delay and loss, beside model C and their model. Their Entrapid is the emulated path with
loss both ways, their Apache and HTTP/1.0 client fetch.py."""

from .cells import REPORT, SCRIPTS, Cell
from .data import says
from .figures import MEASURED, MODEL, Figure, Point, Series
from .model import startup_cell, startup_total

SIZES = (3000, 10000, 30000)
TRIALS = {3000: 1000, 10000: 400, 30000: 300}  # section 3.1.3
DELAYS = (10, 20, 50, 100, 200)  # ms, one way
LOSSES = (1, 2, 5, 10, 20)  # %
WINDOWS = {None: "today", 2: "initial window of 2"}
LEAST_DELAY = 0.05  # ms: of the path where the paper has none
MODELS = (("cardwell", "paper", "model C"), ("zhang", "paper", "their model"),
          ("zhang", "linux", "their model with today's constants"))


def fetch(setting, size, delay, loss, window):
    """The loss is of both directions. An initial window is a property of the far end's route."""
    link = f"delay={max(delay, LEAST_DELAY):g}ms" + (f",loss={loss:g}%" if loss else "")
    route = (f"ip route change $(ip -4 route show | head -n 1) initcwnd {window} && "
             if window else "")
    trials = 60 if setting.quick else TRIALS[size]
    seconds = trials / 40 + 8 * delay / 1000 + loss + 2
    return (Cell("emulate", (
        "--both", link, "--seed", "1", "--sysctl", "net.ipv4.tcp_no_metrics_save=1", "-q", "--far",
        f"{route}exec python3 {SCRIPTS}/fetch.py serve 8080", "--head-start", "1s", "--", "sh",
        "-c", f"exec python3 {SCRIPTS}/fetch.py get $LIVETCP_FAR 8080 {size} {trials} {REPORT}"),
        seconds),)


def mean(reports):
    return reports[0]["mean_s"]


def kilobytes(size):
    return f"{size // 1000} kB"


def series(setting, points, windows=None):
    """points(size, window): one series for each size and initial window."""
    return tuple(Series(f"{kilobytes(size)}, {WINDOWS[window]}", MEASURED, points(size, window))
                 for size in SIZES for window in (windows or WINDOWS))


def modelled(points):
    """The model's results for all sizes; a point is x, delay and loss."""
    return tuple(Series(f"{kilobytes(size)}, {title}", MODEL, tuple(
        Point(x, (startup_cell(size, max(delay, LEAST_DELAY), loss, constants),),
              startup_total(model)) for x, delay, loss in points))
                 for size in SIZES for model, constants, title in MODELS)


def figures(setting):
    delays = (20, 100) if setting.quick else DELAYS
    losses = (2, 10) if setting.quick else LOSSES
    together = series(setting, lambda size, window: tuple(
        Point(loss, fetch(setting, size, 10 * loss, loss, window), mean)
        for loss in both(setting)), (None,))
    sums = tuple(Series(f"{kilobytes(size)}, sum of the two", MEASURED, tuple(
        Point(loss, (*fetch(setting, size, 10 * loss, 0, None),
                     *fetch(setting, size, 0, loss, None)), total)
        for loss in both(setting))) for size in SIZES)
    yield Figure("zhang-5", "Zhang and Schulzrinne, Figure 5",
                 "retrieval with delay and loss together, 10 ms per percent, and the sum of the "
                 "two alone", "loss, %", "s",
                 together + sums + modelled([(loss, 10 * loss, loss) for loss in both(setting)]),
                 says("zhang", "both"), WHY["both"], digits=2)
    yield Figure("zhang-6", "Zhang and Schulzrinne, Figure 6", "retrieval without loss",
                 "delay, one way, ms", "s", series(setting, lambda size, window: tuple(
                     Point(delay, fetch(setting, size, delay, 0, window), mean)
                     for delay in delays)) + modelled([(d, d, 0) for d in delays]),
                 says("zhang", "delay"), WHY["delay"], digits=3)
    yield Figure("zhang-7", "Zhang and Schulzrinne, Figure 7", "retrieval without delay",
                 "loss, %", "s", series(setting, lambda size, window: tuple(
                     Point(loss, fetch(setting, size, 0, loss, window), mean)
                     for loss in losses)) + modelled([(loss, 0, loss) for loss in losses]),
                 says("zhang", "loss"), WHY["loss"], digits=2)


def both(setting):
    return (2, 10) if setting.quick else (2, 5, 10, 20)


def total(reports):
    return sum(report["mean_s"] for report in reports) if len(reports) == 2 else None


WHY = {
    "both": "The paper only plots the delay and loss of an offered load (Figure 3), so here "
            "delay and loss grow together instead. Timeouts follow the round trip, so with "
            "delay they cost more than alone.",
    "delay": "Today's initial window of ten segments delivers 10 kB in one round trip after the "
             "handshake; Linux 2.0 with one or two segments took several.",
    "loss": "A SYN is repeated after 1 s, not 3, and the minimum timeout is 200 ms. Fast "
            "retransmit, RACK and the tail loss probe repair losses that the models count as "
            "timeouts.",
}
