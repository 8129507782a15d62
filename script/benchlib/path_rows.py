# SPDX-License-Identifier: MIT
"""The rows of `script/bench paths`: paths that are not one route with room for everything, what is
sent over them, and the bounds that `auto` has to keep beside the other policies and protocols. Data
only; paths.py runs and checks it. Delays of a path are one way, and 30 ms unless its name says
otherwise; the media is that of FLOWS."""

import pathlib

from .policy_rows import FLOWS as FIVE_FLOWS
from .policy_rows import Row, Setting
from .wants import (Bytes, Delay, FtpLoss, Half, MostOn, NearOther, NotAbove, NothingLost, NotWorse,
                    Rate, Recovery)

TRACE = pathlib.Path(__file__).resolve().parents[2] / "tests/bench/traces/lte.trace"
FLOWS = {"video": ("video 1448 B/20 ms", ("--size", "1448", "--interval", "20ms")),
         "voice": ("voice 174 B/20 ms", ("--size", "174", "--interval", "20ms"))}
WIRE_KBIT = {"video": 600, "voice": 90}  # with the headers of TCP and IP
SINGLE, QUEUES = "single", "shortest-queue:connections=5"
AUTO = "auto:connections=8"
BUDGETS = {"default": AUTO, "1": f"{AUTO}:redundancy-budget=1",
           "0.1": f"{AUTO}:redundancy-budget=0.1"}
POLICIES = (SINGLE, QUEUES, "earliest-delivery:connections=5", "hedge:connections=8",
            "duplicate:connections=8:copies=2", "parity:connections=8:parity-group=4")
MEASURED = {}  # setting -> scheme -> figures, for demands that look at another setting
SRT = 120  # ms, the latency that it has by default


def srt_latencies(setting):
    """Latencies of SRT on that path: its default, and one with time for one repair."""
    return SRT, round(setting.one_way + setting.rtt + 60)


def others(path):
    return (*POLICIES, "plain", *(f"srt{latency}" for latency in srt_latencies(path)))


def setting(name, flow, forward, rtt, back="", loss="–", flows=FLOWS, **more):
    """`forward` is beside the delay, which a path of several links brings itself."""
    title, args = flows[flow]
    delay = f"delay={rtt / 2:g}ms"
    path = ("--path", f"{delay},{forward}" if forward else delay,
            "--path-back", f"{delay},{back}" if back else delay)
    return Setting(name, title, (*args, *path), rtt, loss, seconds=more.pop("seconds", 30), **more)


def rtts(quick, all_of=(20, 60, 200)):
    return (60,) if quick else all_of


def flows(quick):
    return ("video",) if quick else ("video", "voice")


def equal_cost(quick):
    """Half of the flows, on average, take the longer route."""
    for flow in flows(quick):
        for rtt in rtts(quick):
            same = setting(f"same-route-{flow}-{rtt}", flow, "loss=1%", rtt, loss="1 %")
            for budget, scheme in BUDGETS.items():
                if budget != "0.1":
                    yield Row(f"{same.name}-{budget}", same, scheme, others(same),
                              (NotWorse((SINGLE, QUEUES)),))
            for extra in (12,) if quick else (5, 12, 40):
                path = setting(f"routes-{extra}-{flow}-{rtt}", flow,
                               f"loss=1%,routes=0+{extra}ms", rtt, loss="1 %")
                for budget, scheme in BUDGETS.items():
                    if budget != "0.1":
                        yield Row(f"{path.name}-{budget}", path, scheme, others(path),
                                  (NearOther("p99", same.name, 2, MEASURED),))


def route_change(quick):
    """15 ms up, or down, at 5 s; what is measured begins 10 s later."""
    for rtt in rtts(quick):
        delay, longer = rtt / 2, rtt / 2 + 15
        for way, first, then in (("up", delay, longer), ("down", longer, delay)):
            end = then + delay
            path = Setting(f"change-{way}-{rtt}", FLOWS["video"][0],
                           (*FLOWS["video"][1], "--path",
                            f"delay={first:g}ms,loss=1%,delay={then:g}ms@5s",
                            "--path-back", f"delay={delay:g}ms"),
                           end, "1 %", seconds=30, warmup=15, forward=then)
            for budget in ("default", "1"):
                yield Row(f"{path.name}-{budget}", path, BUDGETS[budget], others(path),
                          (NearOther("p99", f"same-route-video-{rtt}", 2, MEASURED),
                           NotWorse((SINGLE, QUEUES))))


def thin(quick):
    """Links of 1.05 to 2.2 times the media with headers, and policers of as much."""
    for flow in flows(quick):
        kbit = WIRE_KBIT[flow]
        for share in (1.2,) if quick else (1.05, 1.2, 1.5, 2.2):
            for queue in (400,) if quick else (20, 100, 400):  # ms
                for loss in (0,) if quick else (0, 1):
                    rate = kbit * share
                    size = max(round(rate * queue / 8), 3200 if flow == "video" else 600)
                    path = setting(f"thin-{flow}-{share:g}-{queue}ms-{loss}", flow,
                                   f"rate={rate:g}kbit,queue={size}B"
                                   + (f",loss={loss}%" if loss else ""), 60,
                                   loss=f"{loss} %" if loss else "–")
                    yield from thin_rows(path)
            path = setting(f"policer-{flow}-{share:g}", flow,
                           f"policer={kbit * share:g}kbit:10kB", 60)
            yield from thin_rows(path)


def thin_rows(path):
    for budget, scheme in BUDGETS.items():
        yield Row(f"{path.name}-{budget}", path, scheme, others(path), (NotWorse((SINGLE, QUEUES)),))


def bursts(quick):
    """Five streams: for one alone bursts of packets last longer than copies can be apart (ADR 17).
    The length of bursts is learned in some 10 to 20 s. Less than a copy of each packet is not
    enough, so that this is judged for a budget of 1."""
    for rtt in rtts(quick):
        for mean, most in ((3, 30), (10, rtt + 30)):
            path = setting(f"burst-{mean}-{rtt}", "video", f"loss=2.4%,burst={mean}", rtt,
                           loss=f"2.4 % in bursts of {mean}", flows=FIVE_FLOWS, seconds=60,
                           warmup=20)
            yield Row(f"{path.name}-1", path, BUDGETS["1"], (AUTO, *others(path)),
                      (Delay("p99_9", most),))
        path = setting(f"burst-none-{rtt}", "video", "loss=1%", rtt, loss="1 %", seconds=60)
        yield Row(f"{path.name}-1", path, BUDGETS["1"], others(path), (Delay("p99", 1),))


def bbr(quick):
    """The setting of `script/bench main` and its drop-tail queue, with BBR for all."""
    path = Setting(
        "bbr", "5 video, 5 FTP, 25 web, all BBR; 30 Mbit/s, 100 packets drop-tail",
        ("--congestion-control", "bbr", "--background-cc", "bbr", *FIVE_FLOWS["video"][1], "--ftp",
         "5", "--web", "25", "--path", "delay=50ms,rate=30mbit,queue=100p", "--path-back",
         "delay=50ms"), 100, seconds=30 if quick else 60)
    few = (SINGLE, QUEUES, "hedge:connections=8")  # each brings 30 flows of its own
    yield Row("bbr", path, AUTO, few,
              (NotAbove(("p95", "p99"), few), Bytes(1.3), FtpLoss(4, SINGLE)))


def both_ways(quick):
    path = setting("both-ways", "video", "loss=5%", 40, "loss=5%", "5 % both ways", seconds=60)
    yield Row("both-ways-0.1", path, BUDGETS["0.1"], (AUTO, *others(path)), (Delay("p99_9", 80),))


def outage(quick):
    """1.5 s without anything, both ways; what waits longer than 400 ms is dropped."""
    cut = "outage=1.5s@8s"
    late = ":max-send-delay=400"
    for rtt in (60,) if quick else (60, 200):
        name = "outage" if rtt == 60 else f"outage-{rtt}"
        path = setting(name, "video", cut, rtt, cut, seconds=15, back_at=9.5)
        yield Row(name, path, AUTO + late,
                  (SINGLE + late, QUEUES + late, "hedge:connections=8" + late, "plain",
                   f"srt{SRT}"),
                  (Recovery(rtt + 200),))


def several_links(quick):
    """Two networks between the same hosts: RTT 30 and 90 ms, 1 % of each lost."""
    both, one, two = (f"{AUTO}:link={link}" for link in ("all", 1, 2))
    video = FLOWS["video"]

    def links(name, first, second, args=video[1], flow=video[0], **more):
        return Setting(name, flow,
                       (*args, "--path", f"delay=15ms,{first};delay=45ms,{second}", "--path-back",
                        "delay=15ms;delay=45ms"), 90, "1 %", seconds=more.pop("seconds", 30),
                       **more)

    carries = f"loss=1%,rate={0.6 * WIRE_KBIT['video']:g}kbit,queue=30kB"
    yield Row("links-60-60", links("links-60-60", carries, carries), both, (one, two),
              (NothingLost(), Delay("p95", 10)))
    wide = "loss=1%,rate={}mbit,queue=60kB"
    yield Row("links-greedy",
              links("links-greedy", wide.format(2), wide.format(4), ("--greedy", "--size", "1448"),
                    "greedy 1448 B"), both, (one, two),
              (Rate(0.95 * 6 * 1448 / 1500),))
    for cut in (1, 2):
        outages = ["loss=1%", "loss=1%"]
        outages[cut - 1] += ",outage=10s@8s/20s"
        path = links(f"links-cut-{cut}", *outages, seconds=60)
        yield Row(path.name, path, both, (one, two),
                  (NothingLost(), Delay("p99_9", 90 + 200)))
    better = links("links-better", "loss=1%,rate=2mbit,queue=60kB", "loss=2%,rate=2mbit,queue=60kB")
    yield Row("links-better", better, both, (one, two), (MostOn(0, 0.8),))
    lte = Setting("links-lte", video[0],
                  (*video[1], "--path", f"delay=10ms,loss=3%,burst=4;delay=35ms,trace={TRACE},"
                   "queue=200kB", "--path-back", "delay=10ms;delay=35ms"), 70, "3 % in bursts",
                  seconds=40)
    yield Row("links-lte", lte, both, (one, two), (Half("p99", (one, two)), Bytes(1.1)))


def rows(quick):
    parts = (equal_cost, route_change, thin, bursts, bbr, both_ways, outage, several_links)
    return [row for part in parts for row in part(quick)]
