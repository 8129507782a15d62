# SPDX-License-Identifier: MIT
"""Brosh et al. over configured loss (section 5.1): Figures 5 to 8, 14, 17, 18, 23, 25 and 27. NIST
Net with random loss and a round trip of 20, 100 and 300 ms is the emulated path; their tool that
sends CBR over one TCP socket is `--transport socket`."""

from . import reading
from .data import known, says
from .figures import MEASURED, MODEL, Figure, Point, Series, Unbounded
from .model import MODELS, delay_cell, model_delay, model_reduction

LOSSES, RTTS = (0.1, 0.5, 1, 2, 3, 5, 10), (20, 100, 300)
VOICE, INTERACTIVE, VIDEO = 174, 724, 1448
FLOWS = 5  # at once, each like one of their runs
SOCKET, AUTO = "socket", "auto:connections=8"
PLAYOUTS = (10, 20, 40, 60, 80, 100, 120, 160, 200, 300, 400, 600, 1000)  # ms over L
KERNELS = {"classic": "RACK and TLP off", "today": "today's kernel"}
NAMES = {VOICE: "VoIP", INTERACTIVE: "interactive video", VIDEO: "video"}
CHECKED_SEEDS = 3
# A kernel, and the constants of the model (livetcp model --constants) that it is held against.
CHECKED_BY = (("classic", "paper"), ("classic", "newreno"), ("today", "paper"), ("today", "linux"))
REGION_P95_MS, REGION_MAX_MS = 200, 5000  # section 6.1


def path(loss, rtt):
    half = f"delay={rtt / 2:g}ms"
    return ("--path", f"{half},loss={loss:g}%", "--path-back", half)


def flow(setting, size, interval, loss, rtt, kernel):
    """Cells of one flow over one path; today's kernel has `auto` beside the socket."""
    schemes = ("--transport", SOCKET)
    if kernel == "today" and interval == 20:
        schemes += ("--policy", AUTO)
    return setting.bench(
        (*schemes, "--congestion-control", "reno", "--flows", FLOWS, "--size", size, "--interval",
         interval, *path(loss, rtt), "--playout", ",".join(map(str, (*PLAYOUTS, "static")))),
        kernel == "classic", seeds=1 if setting.quick else CHECKED_SEEDS if checked(
            size, interval, loss, rtt, kernel) else 1)


def checked(size, interval, loss, rtt, kernel):
    """Where the model's error is held against a limit."""
    most = 2 if size == VOICE else 1 if size == VIDEO and rtt == 100 else 0
    return kernel == "classic" and interval == 20 and loss <= most


def losses(setting):
    return (0.5, 2) if setting.quick else LOSSES


def rtts(setting):
    return (100,) if setting.quick else RTTS


def compared(setting, size, interval, rtt, field, kernels=("classic", "today")):
    """Measured and computed delay over the loss rates."""
    title = f"{NAMES[size]}, RTT {rtt} ms"
    for kernel in kernels:
        yield Series(f"{title}, {KERNELS[kernel]}", MEASURED, tuple(
            Point(loss, flow(setting, size, interval, loss, rtt, kernel),
                  reading.delay(SOCKET, field)) for loss in losses(setting)))
        for constants in MODELS[kernel]:
            yield Series(f"{title}, model, {constants}", MODEL, tuple(
                Point(loss, (delay_cell(size, interval, loss, rtt, constants),),
                      model_delay(field)) for loss in losses(setting)))


def delays(setting):
    """Figures 5 to 7: mean and 95th percentile, measured and by the model."""
    both = ((VOICE, 20), (VIDEO, 20))
    parts = (("5", both, rtts(setting), ("classic", "today"), "64 and 573 kbit/s"),
             ("6", ((VOICE, 30), (VIDEO, 30)), (100, 300), ("classic",), "42 and 378 kbit/s"),
             ("7", ((INTERACTIVE, 20), (INTERACTIVE, 30)), (100, 300), ("classic",),
              "interactive video, 284 and 187 kbit/s"))
    for number, flows, trips, kernels, rates in parts[:1] if setting.quick else parts:
        for letter, field, what in (("a", "mean_ms", "mean"), ("b", "p95_ms", "95th percentile")):
            yield Figure(
                f"brosh-{number}{letter}", f"Brosh et al., Figure {number}({letter})",
                f"TCP delay, {what}: model against measurement, {rates}", "loss, %", "ms",
                tuple(named(series, interval, number) for size, interval in flows for rtt in trips
                      for series in compared(setting, size, interval, rtt, field, kernels)),
                says("brosh", "delay" if number == "5" else "delay-lower-rates"), WHY["delay"])


def named(series, interval, number):
    """Figure 7 has two flows of one size."""
    if number != "7":
        return series
    return Series(series.name.replace("video,", f"video each {interval} ms,"), series.source,
                  series.points)


def error(size, rtt, loss, kernel, constants, setting):
    """Of the model, in percent of the measured mean; the model's report is the last."""
    cells = (*flow(setting, size, 20, loss, rtt, kernel),
             delay_cell(size, 20, loss, rtt, constants))

    def read(reports):
        if len(reports) < len(cells):
            return None
        measured = reading.clean(reports[:-1], SOCKET, "mean_ms")
        if not measured:
            return None
        return 100 * abs(model_delay("mean_ms")(reports[-1:]) - measured) / measured
    return Point(loss, cells, read)


def errors(setting):
    series = [known("brosh", "error-voice", "VoIP, at most (text)"),
              known("brosh", "error-video-100", "video, RTT 100 ms, about (text)"),
              known("brosh", "error-video-300", "video, RTT 300 ms, about (text)")]
    for size in (VOICE, VIDEO):
        for rtt in rtts(setting):
            for kernel, constants in CHECKED_BY:
                series.append(Series(
                    f"{NAMES[size]}, RTT {rtt} ms, {KERNELS[kernel]}, model {constants}", MODEL,
                    tuple(error(size, rtt, loss, kernel, constants, setting)
                          for loss in losses(setting))))
    yield Figure("brosh-8", "Brosh et al., Figure 8", "error of the model's mean delay", "loss, %",
                 "%", tuple(series), says("brosh", "error"), WHY["error"])


def edge(setting, size, rtt, kernel, scheme, field, limit):
    """The largest loss rate of the grid within the working region."""
    grid = [(loss, flow(setting, size, 20, loss, rtt, kernel)) for loss in losses(setting)]

    def read(reports):
        values, rest = [], list(reports)
        for loss, group in grid:
            mine, rest = rest[:len(group)], rest[len(group):]
            try:
                values.append((loss, reading.clean(mine, scheme, field)))
            except Unbounded:
                values.append((loss, None))
        return reading.largest(values, limit) or 0
    cells = tuple(cell for _, group in grid for cell in group)
    return Point(rtt, cells, lambda reports: read(reports) if len(reports) == len(cells) else None)


def regions(setting):
    for letter, size, field, what, limit in (
            ("a", VOICE, "p95_ms", "95th percentile", REGION_P95_MS),
            ("b", VIDEO, "max_ms", "largest", REGION_MAX_MS)):
        schemes = (("classic", SOCKET), ("today", SOCKET), ("today", AUTO))
        yield Figure(
            f"brosh-14{letter}", f"Brosh et al., Figure 14({letter})",
            f"{NAMES[size]}: {what} delay", "loss, %", "ms",
            tuple(Series(f"RTT {rtt} ms, {title(kernel, scheme)}", MEASURED, tuple(
                Point(loss, flow(setting, size, 20, loss, rtt, kernel),
                      reading.delay(scheme, field)) for loss in losses(setting)))
                  for rtt in rtts(setting) for kernel, scheme in schemes),
            says("brosh", f"region-{'voice' if size == VOICE else 'video'}"), WHY["region"])
        yield Figure(
            f"brosh-14{letter}-edge", f"Brosh et al., Figure 14({letter}), edge",
            f"{NAMES[size]}: the largest loss of the grid with the {what} delay ≤ {limit} ms",
            "RTT, ms", "% loss",
            (known("brosh", f"region-{'voice' if size == VOICE else 'video'}", "paper"),
             *(Series(title(kernel, scheme), MEASURED, tuple(
                 edge(setting, size, rtt, kernel, scheme, field, limit) for rtt in rtts(setting)))
               for kernel, scheme in schemes)),
            says("brosh", f"region-{'voice' if size == VOICE else 'video'}"), WHY["region"])


def title(kernel, scheme):
    return KERNELS[kernel] if scheme == SOCKET else f"`{scheme}`"


def sizes(setting):
    """Figure 17(a), and what Figure 18 shows of one such flow."""
    rates = {"video": (VIDEO, 20), "video, split in two": (INTERACTIVE, 10), "VoIP": (VOICE, 20)}
    yield Figure("brosh-17a", "Brosh et al., Figure 17(a)",
                 "95th percentile by packet size, RTT 100 ms, RACK and TLP off", "loss, %", "ms",
                 tuple(Series(name, MEASURED, tuple(
                     Point(loss, flow(setting, size, interval, loss, 100, "classic"),
                           reading.delay(SOCKET, "p95_ms")) for loss in losses(setting)))
                       for name, (size, interval) in rates.items()),
                 says("brosh", "packet-size"), WHY["size"])
    whole = half_mss(setting, VIDEO, 10)
    halves = {VIDEO: whole, INTERACTIVE: half_mss(setting, INTERACTIVE, 5)}
    yield Figure("brosh-18", "Brosh et al., Figure 18",
                 "peak delay over L, in percent of that of packets of one MSS; 1.16 Mbit/s, "
                 "RTT 200 ms, bursts of two losses, RACK and TLP off", "packet, bytes", "%",
                 (known("brosh", "half-mss", "paper"),
                  *(Series(f"{what} of all packets", MEASURED, tuple(
                      Point(size, (*whole, *cells), ratio(field))
                      for size, cells in halves.items()))
                    for field, what in (("p99_ms", "99th percentile"), ("max_ms", "largest")))),
                 says("brosh", "half-mss"), WHY["size"])


def half_mss(setting, size, interval):
    return setting.bench(("--transport", SOCKET, "--congestion-control", "reno", "--flows", FLOWS,
                          "--size", size, "--interval", interval, "--path",
                          "delay=100ms,loss=0.1%,burst=2", "--path-back", "delay=100ms"), True)


def ratio(field, one_way=100):
    """Of what is over L, of the second half of the reports to the first."""
    def read(reports):
        half = len(reports) // 2
        whole, mine = (reading.clean(part, SOCKET, field) for part in (reports[:half],
                                                                       reports[half:]))
        if mine is None or not whole or whole <= one_way:
            return None
        return 100 * (mine - one_way) / (whole - one_way)
    return read


def lateness(setting):
    """Figure 23: late packets for a fixed playout delay. The paper's x is from the sending, ours
    over L."""
    rates = (0.5, 2) if setting.quick else (0.1, 1, 2, 5)
    for size in (VOICE, VIDEO):
        series = [Series(f"RTT {rtt} ms, {loss:g} % loss", MEASURED, tuple(
            Point(over, flow(setting, size, 20, loss, rtt, "classic"), reading.late(SOCKET, over))
            for over in PLAYOUTS)) for rtt in rtts(setting) for loss in rates]
        yield Figure(f"brosh-23-{'voice' if size == VOICE else 'video'}", "Brosh et al., Figure 23",
                     f"{NAMES[size]}: late packets for a fixed playout delay, RACK and TLP off",
                     "playout delay over L, ms", "% late", tuple(series), says("brosh", "late"),
                     WHY["late"], digits=2)
    yield Figure("brosh-23-static", "Brosh et al., section 6.6",
                 "VoIP: late packets at L + RTT + 3/f", "loss, %", "% late",
                 tuple(Series(f"RTT {rtt} ms, {KERNELS[kernel]}", MEASURED, tuple(
                     Point(loss, flow(setting, VOICE, 20, loss, rtt, kernel),
                           reading.late(SOCKET, "static")) for loss in losses(setting)))
                       for rtt in rtts(setting) for kernel in KERNELS),
                 says("brosh", "late"), WHY["late"], digits=2)


STRIPES = {  # Figure: text, what, why, counts, how, policy and option of the model
    "25": ("split-loss", "split", (2, 3, 4), "in N writes", "single:split={}", "--split={}"),
    "27": ("blind-loss", "blind", (2, 3, 5), "on N connections, round-robin",
           "round-robin:connections={}", "--connections={}")}


def striping(setting):
    """Figures 25 and 27, which the paper has from its model."""
    rates = (2,) if setting.quick else (0.5, 1, 2, 3)
    for number, (text, word, counts, how, spec, option) in STRIPES.items():
        schemes = ",".join(["single", *(spec.format(n) for n in counts)])
        for size in (VIDEO,) if number == "25" else (VIDEO, VOICE):
            series = [known("brosh", text, "average over its grid, by its model")] \
                if size == VIDEO else []
            for loss in rates:
                title = f"{loss:g} % loss, RTT 100 ms"
                series.append(Series(title, MEASURED, tuple(
                    Point(n, parallel(setting, schemes, size, loss, 100),
                          reading.reduction(spec.format(n), "single", "p95_ms")) for n in counts)))
                series.append(Series(title, MODEL, tuple(
                    Point(n, (delay_cell(size, 20, loss, 100, "paper"),
                              delay_cell(size, 20, loss, 100, "paper", option.format(n))),
                          model_reduction("p95_ms")) for n in counts)))
            yield Figure(f"brosh-{number}-{'voice' if size == VOICE else 'video'}",
                         f"Brosh et al., Figure {number}",
                         f"{NAMES[size]} {how}: reduction of the 95th percentile, RACK and TLP off",
                         "N", "%", tuple(series), says("brosh", text), WHY[word])


def parallel(setting, schemes, size, loss, rtt):
    return setting.bench(("--policy", schemes, "--congestion-control", "reno", "--flows", FLOWS,
                          "--size", size, "--interval", 20, *path(loss, rtt)), True)


WHY = {
    "delay": "Without SACK the kernel takes a round trip for every loss in a window, where the "
             "paper's model takes one for all of them: from 1 % on, measured video is slower. "
             "The paper's timeout is 4 RTT, the kernel's RTT + 200 ms: at RTT 300 ms and 2 % or "
             "more the paper's model is slower. RACK detects a loss sooner than three packets "
             "after it. The model with the constants *newreno* and *linux* includes the "
             "kernel's recovery.",
    "error": "*paper* at RTT 20 ms, one packet per round trip: the paper's window falls to one "
             "segment and waits for timeouts, the kernel's never falls below two. The kernel "
             "merges small packets into the repeated segment, after which two duplicate ACKs "
             "suffice. At RTT 300 ms the paper's timeout of 4 RTT is more than twice the "
             "kernel's. Close to TCP's capacity, chance decides a minute. At 0.1 % many first "
             "losses meet the window that slow start left, which is larger than the model's.",
    "region": "With RACK and TLP off the edges are the paper's. 10 % is the end of the grid. "
              "RACK and SACK widen the region; `auto` sends copies ahead and does not wait for "
              "repairs.",
    "size": "Today's kernel also counts windows in packets, so one loss costs a flow of "
            "half-sized packets half as many bytes. But the flow sends twice as many packets "
            "and meets twice as many losses, and without SACK two losses in a window cost two "
            "round trips.",
    "late": "A repair takes a round trip and three packets, as in the paper. If two losses meet "
            "in one window, the kernel without SACK takes longer.",
    "split": "Half-sized packets meet twice as many losses. The model repairs all of them "
             "within one round trip, the kernel without SACK one per round trip: there "
             "splitting makes the delay worse.",
    "blind": "The reduction is of the whole delay, as in the paper, and L is always part of it. "
             "A connection with fewer packets detects its losses later, so voice loses.",
}


def figures(setting):
    return [figure for part in (delays, errors, regions, sizes, lateness, striping)
            for figure in part(setting)]
