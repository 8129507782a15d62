# SPDX-License-Identifier: MIT
"""Brosh et al. behind a drop-tail queue (section 5.3): Tables 3 and 4, Figures 26 and 28. Five CBR
flows compete with five FTP and a number of web flows: those of the paper, and with video more of
them, because ours take more flows to make the paper's losses."""

import statistics

from . import reading
from .data import known, load, says
from .figures import MEASURED, PAPER, Figure, Known, Point, Series

SOCKET = "socket"
LINKS = {  # Table: packet size, rate, and the queue in packets and in bytes
    3: (174, "3mbit", {"packets": "100p", "bytes": "50kB"}),
    4: (1448, "30mbit", {"packets": "100p", "bytes": "100kB"})}
RUNS = 3  # of each setting of the tables; theirs five, of five minutes
MORE_WEB = {3: (), 4: (150, 200, 250, 275)}
WEB = (0, 25, 50, 100, 200, 250)
SPLITS = tuple(f"single:split={n}" for n in (2, 3, 4))
STRIPES = {f"{policy}:connections={n}": (title, n)
           for policy, title in (("round-robin", "blind"), ("shortest-queue", "intelligent"))
           for n in (2, 5)}


def run(setting, size, rate, queue, web, schemes, seeds=1):
    return setting.bench(
        (*schemes, "--congestion-control", "reno", "--background-cc", "reno", "--flows", 5,
         "--size", size, "--interval", 20, "--ftp", 5, "--web", web,
         "--path", f"delay=50ms,rate={rate},queue={queue}", "--path-back", "delay=50ms"), False,
        seeds=seeds)


def loss_rate(reports):
    """Of the CBR flows, %: what TCP sent again of what it sent."""
    found = [r for r in reading.results(reports, SOCKET) if r.get("segments")]
    segments = sum(r["segments"] for r in found)
    return 100 * sum(r["retransmitted"] for r in found) / segments if segments else None


def round_trip(reports):
    """The median way there, and 50 ms back."""
    there = reading.clean(reports, SOCKET, "p50_ms")
    return None if there is None else (there + 50) / 1000


def p95s(reports):
    """Of each run, s; of what came, where the flow is not carried."""
    found = [r["clean"]["p95_ms"] for r in reading.results(reports, SOCKET)]
    return [value / 1000 for value in found if value is not None]


def p95_mean(reports):
    found = p95s(reports)
    return statistics.mean(found) if found else None


def p95_deviation(reports):
    found = p95s(reports)
    return statistics.stdev(found) if len(found) > 1 else None


def tables(setting):
    for number, (size, rate, queues) in LINKS.items():
        data = load("brosh")[f"table-{number}"]
        flows = ([data["web"][0], data["web"][-2]] if setting.quick
                 else [*data["web"], *MORE_WEB[number]])
        for what, unit, key, read, digits in (
                ("loss", "%", "loss_percent", loss_rate, 2),
                ("round trip", "s", "rtt_s", round_trip, 3),
                ("95th percentile of the delay", "s", "p95_s", p95_mean, 3),
                ("standard deviation of the 95th percentile from run to run", "s",
                 "p95_jitter_s", p95_deviation, 3)):
            series = []
            for queue, limit in queues.items():
                title = f"queue in {queue}"
                series.append(Known(title, tuple(zip(data["web"], data[queue][key])), PAPER))
                series.append(Series(title, MEASURED, tuple(
                    Point(web, run(setting, size, rate, limit, web, ("--transport", SOCKET),
                                   1 if setting.quick else RUNS), read)
                    for web in flows)))
            name = key.rsplit("_", 1)[0].replace("_", "-")
            yield Figure(f"brosh-table-{number}-{name}",
                         f"Brosh et al., Table {number}", f"{what}, "
                         f"{'VoIP' if number == 3 else 'video'}", "web flows", unit, tuple(series),
                         says("brosh", f"table-{number}"), WHY["table"], digits)


def ftp_change(scheme):
    """How much less the FTP flows get than beside `single`, %."""
    def read(reports):
        mine, base = (reading.mean_of(s, "ftp_mbit_s")(reports) for s in (scheme, "single"))
        return 100 * (1 - mine / base) if base else None
    return read


def against_web(setting, size, schemes, name):
    """Reads a value for each scheme over the number of web flows."""
    webs = (0, 50) if setting.quick else WEB
    policies = ",".join(("single", *schemes))

    def points(read):
        return tuple(Point(web, run(setting, size, "30mbit", "100p", web, ("--policy", policies)),
                           read) for web in webs)
    return [Series(name(scheme), MEASURED, points(reading.reduction(scheme, "single", "p95_ms")))
            for scheme in schemes], \
           [Series(name(scheme), MEASURED, points(ftp_change(scheme))) for scheme in schemes]


def striping(setting):
    delay, ftp = against_web(setting, 1448, SPLITS, lambda s: f"split-{s[-1]}")
    yield Figure("brosh-26a", "Brosh et al., Figure 26(a)",
                 "video in N writes behind a drop-tail queue: reduction of the 95th percentile",
                 "web flows", "%", tuple(delay), says("brosh", "split-queue"), WHY["queue"])
    yield Figure("brosh-26b", "Brosh et al., Figure 26(b)",
                 "video in N writes: reduction of the throughput of the five FTP flows",
                 "web flows", "%", tuple(ftp),
                 says("brosh", "split-ftp"), WHY["ftp"])
    delay, ftp = against_web(setting, 1448, STRIPES, lambda s: "{}, {} connections".format(
        *STRIPES[s]))
    yield Figure("brosh-28a", "Brosh et al., Figure 28(a)",
                 "video on N connections behind a drop-tail queue: reduction of the 95th percentile",
                 "web flows", "%", tuple(delay), says("brosh", "parallel-queue"), WHY["queue"])
    yield Figure("brosh-28b", "Brosh et al., Figure 28(b)",
                 "video on N connections: reduction of the throughput of the five FTP flows",
                 "web flows", "%", tuple(ftp),
                 says("brosh", "parallel-ftp"), WHY["ftp"])


WHY = {
    "table": "Loss is the share of the CBR flows' segments that TCP retransmitted. It depends "
             "on how bursty the web flows are, and the paper gives only their mean interval and "
             "packet size; its FTP flows ran on Linux 2.6. Our video needs more than 200 web "
             "flows for the losses that 50 to 100 gave theirs; at 2 to 4 % the delays are of "
             "the same size. The round trip here is the median delay plus 50 ms, which includes "
             "a backlog at the sender. The deviation is that of three runs of a minute, theirs "
             "of five of five minutes.",
    "queue": "With 250 web flows, 2 % of loss, a single connection hardly carries the flow, and "
             "five connections give the paper's 90 %. With fewer web flows most of the delay is "
             "propagation, 50 ms, and queue, up to 40 ms, which no scheme reduces. One run of a "
             "minute each: the effect of splitting varies from run to run by more than its "
             "size.",
    "ftp": "Five FTP flows on one queue differ by several percent from run to run even alone.",
}


def figures(setting):
    return [figure for part in (tables, striping) for figure in part(setting)]
