# SPDX-License-Identifier: MIT
"""Lübben and Fidler, Figures 4, 5, 6, 8, 9, 12, 13, 16 and 17, with `livetcp probe`: on simulated flow
control, and beside nine greedy flows over 100 Mbit/s and 10 ms each way. Theirs came from Emulab, with
propagation delays of 8 to 12 ms for the cross traffic. Ours has one delay, and 1 ms of jitter: without
that, drop-tail decides by the phase of ACKs who loses, run after run (docs/research/emulate.md, phase
effects)."""

import pathlib
import statistics

from .cells import REPORT, SCRIPTS, Cell
from .data import known, says
from .figures import MEASURED, MODEL, Figure, Known, Point, Series, Unbounded

BUFFERS = (21, 83, 167, 251)  # packets; 167 is the bandwidth-delay product
ALGORITHMS = {"reno": "NewReno", "cubic": "Cubic", "scalable": "Scalable", "bbr": "BBR"}
TIMES = (0.03, 0.1, 0.3, 1, 3, 10, 30, 100)  # s
DELAYS = (12, 15, 20, 25, 30, 40, 60, 100, 200, 500, 1000, 2000)  # ms
RATES = (1, 3, 5, 7, 9)  # Mbit/s, of Figure 12
MEAN_RATE = 4  # Mbit/s, of the video
PLAYS = 50  # of it, for the quantile of each frame's delay
RUNS = 2  # of a probe, at least: what ten flows leave each other changes over minutes


def simulated(spec, *more, seconds=2.0):
    return Cell("probe", (f"--simulate={spec}", *more, "-q", f"--json={REPORT}"), seconds)


def runs(setting):
    """The numbers of the runs, which are the paths' seeds."""
    return range(1, max(setting.seeds, 1 if setting.quick else RUNS) + 1)


def run_name(title, run):
    return f"{title}, run {run}"


def probed(setting, queue=167, algorithm="reno"):
    """A probe beside nine greedy flows, all with one algorithm, once for each seed. Where the window's
    saw-tooth shows, delays depend on each other for tens of seconds: a train may take eleven minutes."""
    samples, goes_on = ((40, "--extensions=1") if setting.quick else
                        (round(setting.seconds * 10 / 3),
                         "--extensions=3 --patience=31 --settle=20s --delay-limit=60s"))
    video = f"--video={SCRIPTS}/video.trace --plays={10 if setting.quick else PLAYS}"
    far = "iperf -s >/dev/null 2>&1 & exec $LIVETCP probe --listen=:5500"
    near = (f"iperf -c $LIVETCP_FAR -P 9 -Z {algorithm} -t 9999 >/dev/null 2>&1 & cross=$!; sleep 3; "
            f"$LIVETCP probe $LIVETCP_FAR:5500 --congestion-control={algorithm} --max-rate=10mbit "
            f"--samples={samples} --interval=100ms {goes_on} {video} -q --json={REPORT}; code=$?; "
            "kill $cross; exit $code")
    return tuple(
        Cell("emulate", ("--forward", f"delay=9.5ms,jitter=1ms,rate=100mbit,queue={queue}p",
                         "--backward", "delay=9.5ms,jitter=1ms", "--seed", str(seed),
                         "--sysctl", "net.ipv4.tcp_no_metrics_save=1", "-q", "--far", far, "--",
                         "sh", "-c", near), 150 if setting.quick else 1700)
        for seed in runs(setting))


def mean(read_one):
    """Mean of a value over the reports that have it."""
    def read(reports):
        values = [value for report in reports if (value := read_one(report)) is not None]
        return statistics.mean(values) if values else None
    return read


def by_run(title, probes, read_one):
    """A series per run of probes, {x: its runs}."""
    return [Series(run_name(title, run), MEASURED, tuple(
        Point(x, (cells[run - 1],), mean(read_one)) for x, cells in probes.items()))
        for run in range(1, min(map(len, probes.values())) + 1)]


def long_term(report):
    rate = report["service_curve"]["long_term_bit_s"]
    return None if rate is None else rate / 1e6


def packets_per_second(size=1448):
    return mean(lambda report: long_term(report) * 1e6 / 8 / size)


def attainable(t):
    """S(t)/t in Mbit/s, from the rates and delays that S is the maximum of."""
    def read(report):
        points = report["service_curve"]["points"]
        service = max((p["rate_bit_s"] * (t - p["delay_ms"] / 1000) for p in points), default=0)
        return max(service, 0) / t / 1e6
    return mean(read)


def rate_of(report, mbit):
    for rate in report["rates"]:
        if abs(rate["rate_bit_s"] / 1e6 - mbit) < 0.01:
            return rate
    return None


def beyond(mbit, part, delay):
    """Probability of a larger delay, of one delay component."""
    def read(report):
        rate = rate_of(report, mbit)
        delays = rate["delays"][part] if rate else None
        if not delays:
            return None
        probability = 1.0
        for at, above in delays["ccdf"]:
            if at > delay:
                break
            probability = above
        return probability
    return mean(read)


def bound(report):
    """Bound of the video's delay. There is none if the long-term rate is not above the video's."""
    video = report["video"]
    if video and video["bound_ms"] is None:
        raise Unbounded
    return video["bound_ms"] if video else None


def largest_of_frames(report):
    """Over the plays of the video: of each frame the quantile that the bound is of, and of these the
    largest."""
    sent = sent_video(report)
    return sent["frame_quantile_ms"] if sent else None


def above_bound(report):
    """Percentage of frames whose quantile over the plays is above their own bound."""
    sent = sent_video(report)
    return 100 * sent["frames_above_bound"] / report["video"]["frames"] if sent else None


def sent_video(report):
    return report["video"]["sent"] if bound(report) is not None else None


def constant_rate(mbit=9.4, propagation=10):
    """Maximum delay of the video over a lossless link of this rate, in ms."""
    backlog = worst = last = 0.0
    for line in pathlib.Path(__file__).with_name("video.trace").read_text().splitlines():
        if line.startswith("#"):
            continue
        time, size = map(int, line.split())
        backlog = max(backlog - (time - last) / 1e6 * mbit * 1e6, 0) + 8 * size
        worst, last = max(worst, backlog), time
    return worst / mbit / 1e3 + propagation


def available():
    """The algorithms of the paper that this kernel has."""
    try:
        names = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text()
    except OSError:
        names = "reno cubic"
    return [name for name in ALGORITHMS if name in names.split()]


def simulations(setting):
    windows = {500: "window=500kbit", 2000: "window=2mbit"}
    yield Figure(
        "luebben-4", "Lübben and Fidler, Figure 4", "static window: long-term rate",
        "window, kbit", "Mbit/s",
        (known("luebben", "static", "paper"),
         Series("`livetcp probe`", MEASURED, tuple(
             Point(kbit, (simulated(f"static,{spec},rate=10mbit,delay=50ms", "--quantile=1"),),
                   mean(long_term)) for kbit, spec in windows.items()))),
        says("luebben", "static"), digits=2)
    steps = (800,) if setting.quick else (100, 800)
    yield Figure(
        "luebben-5", "Lübben and Fidler, Figure 5", "adaptive window: long-term rate",
        "accuracy of probing, packets/s", "packets/s",
        (known("luebben", "adaptive", "paper"),
         Series("`livetcp probe`", MEASURED, tuple(
             Point(step, (simulated("adaptive,loss=0.1%,delay=5ms", f"--rate-step={step}pps",
                                    "--interval=1s", "--settle=20s", "--samples=100",
                                    "--extensions=60", "--delay-limit=0", seconds=30),),
                   packets_per_second()) for step in steps))),
        says("luebben", "adaptive"), WHY["adaptive"], digits=0)


def curve(title, cells):
    return Series(title, MEASURED, tuple(Point(t, cells, attainable(t)) for t in TIMES))


def measured(setting):
    usual = probed(setting)
    yield Figure("luebben-8", "Lübben and Fidler, Figure 8", "attainable rate of NewReno",
                 "time, s", "Mbit/s", (curve("NewReno", usual),), says("luebben", "rate"),
                 WHY["rate"], digits=2)
    yield Figure("luebben-9", "Lübben and Fidler, Figure 9",
                 "P(delay > x) and its parts at 5 Mbit/s", "x, ms", "probability", tuple(
                     Series(title, MEASURED, tuple(
                         Point(x, usual, beyond(5, part, x)) for x in (0.5, 1, 5, *DELAYS)))
                     for part, title in (("total", "end to end"), ("sender", "sender"),
                                         ("network", "network"), ("receiver", "receiver"))),
                 says("luebben", "parts"), WHY["parts"], digits=3)
    yield Figure("luebben-12", "Lübben and Fidler, Figure 12", "P(delay > x) by rate", "x, ms",
                 "probability", tuple(
                     Series(f"{rate} Mbit/s", MEASURED, tuple(
                         Point(x, usual, beyond(rate, "total", x)) for x in DELAYS))
                     for rate in RATES), says("luebben", "utilization"), WHY["rate"], digits=3)
    queues = (21, 167) if setting.quick else BUFFERS
    names = ["reno", "cubic"] if setting.quick else available()
    probes = {name: {queue: probed(setting, queue, name)
                     for queue in (queues if name == "reno" else (167,))} for name in names}
    yield Figure("luebben-13a", "Lübben and Fidler, Figure 13(a)",
                 "attainable rate by bottleneck buffer", "time, s", "Mbit/s",
                 tuple(curve(f"{queue} packets", probed(setting, queue)) for queue in queues),
                 says("luebben", "buffers"), WHY["buffers"], digits=2)
    yield Figure("luebben-13b", "Lübben and Fidler, Figure 13(b)", "long-term rate", "packets",
                 "Mbit/s", (known("luebben", "buffers", "paper"),
                            *by_run("NewReno", probes["reno"], long_term)),
                 says("luebben", "buffers"), WHY["buffers"])
    yield Figure("luebben-16", "Lübben and Fidler, Figure 16(a)",
                 "attainable rate by congestion control, of probe and cross traffic alike",
                 "time, s", "Mbit/s", tuple(
                     curve(ALGORITHMS[name], probed(setting, 167, name)) for name in names),
                 says("luebben", "algorithms"), WHY["algorithms"], digits=2)
    yield Figure("luebben-6", "Lübben and Fidler, Figure 6",
                 "frames with a delay quantile above their own bound, beside greedy flows",
                 "buffer, packets", "%", tuple(
                     series for name in names
                     for series in by_run(ALGORITHMS[name], probes[name], above_bound)),
                 says("luebben", "frames"), WHY["frames"], digits=0)
    yield Figure("luebben-17", "Lübben and Fidler, Figure 17",
                 f"bound of the delay of video with a mean of {MEAN_RATE} Mbit/s",
                 "buffer, packets", "ms", (
                     Known("9.4 Mbit/s without loss", ((167, round(constant_rate(), 1)),), MODEL),
                     *(series for name in names
                       for what, read in (("bound", bound), ("sent", largest_of_frames))
                       for series in by_run(f"{ALGORITHMS[name]}, {what}", probes[name], read))),
                 says("luebben", "video"), WHY["video"], digits=0)


WHY = {
    "adaptive": "Within the accuracy of probing. Near the long-term rate only a long train "
                "shows a difference from one that is not stationary.",
    "rate": "A train continues until its delays are stationary, 20 s to 640 s, and all delays "
            "count, independent or not; the paper waits for 750 independent ones. Each way "
            "takes 9.5 to 10.5 ms at random, theirs 8 to 12 ms by flow. In some runs the probe "
            "holds 10 Mbit/s, a step above an even share of 9.65, as far as a train of minutes "
            "shows.",
    "buffers": "As Figure 8. With 21 packets ten flows do not fill the link: an even share is "
               "9.0 Mbit/s. Behind so short a queue, 2.5 ms, runs differ most: the probe's loss "
               "at one rate varies from 0.3 to 2 %, depending on when its packets meet those of "
               "the other flows.",
    "parts": "The same two regions. Packets wait at the sender less often than theirs: today's "
             "NewReno has SACK and probes for a lost tail.",
    "algorithms": "This kernel has no Scalable. BBR, newer than the paper, shares its "
                  "bottleneck with BBR only, and a flow with a limited rate gets a third of its "
                  "share.",
    "frames": f"Theirs is a simulation with 150000 transmissions, ours a path with {PLAYS}. With "
              "21 packets, trains of 20 to 80 s do not see everything that the plays meet, "
              "since the shares that flows leave each other change over minutes.",
    "video": "Another video, scaled to the same mean, with a first frame of 300 ms at 9.4 "
             "Mbit/s, and the 95 % quantile of each of nine rates, not 99 %: the bound holds "
             "except with probability ε = 0.45. *sent*: each frame's (1 - ε)-quantile over "
             f"{PLAYS} plays, and of these the largest.",
}


def figures(setting):
    return [figure for part in (simulations, measured) for figure in part(setting)]
