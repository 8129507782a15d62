# SPDX-License-Identifier: MIT
"""The rows of `script/bench policies`: what is sent over which path, by which policy, beside which
peers, and what that must show. Data only; policies.py runs and checks it."""

from dataclasses import dataclass

from .wants import (Below, Bytes, Delay, FtpLoss, NearBest, NotAbove, NotWorse, Opening, Share,
                    Throughput)

WARMUP, ENDING = 5, 5  # seconds of a run beside the measured ones


@dataclass(frozen=True)
class Setting:
    """One source over one path. The schemes of all its rows share a run: the same parameters, the
    same seed, the same moments of this machine, and a path for each."""
    name: str
    flow: str  # for a person
    args: tuple
    rtt: float  # ms, without queues
    loss: str = "–"
    seconds: float = 60
    seeds: int = 3
    warmup: float = WARMUP  # seconds
    forward: float = 0  # ms of propagation, where it is not half the round trip
    back_at: float = 0  # when an outage ends, in seconds of the run

    @property
    def one_way(self):
        """L, in ms."""
        return self.forward or self.rtt / 2


@dataclass(frozen=True)
class Row:
    name: str
    setting: Setting
    scheme: str
    peers: tuple
    wants: tuple


RENO = ("--congestion-control", "reno")
FLOWS = {"video": ("video 1448 B/20 ms", ("--size", "1448", "--interval", "20", "--flows", "5")),
         "voice": ("voice 174 B/20 ms", ("--size", "174", "--interval", "20", "--flows", "5"))}
SINGLE, QUEUES = "single", "shortest-queue:connections=5"
EARLIEST = "earliest-delivery:connections=5"
HEDGE = "hedge:connections=5"
HEDGE_8, PARITY_8 = "hedge:connections=8", "parity:connections=8:parity-group=4"
PARITY = "parity:connections=5:parity-group=4"
MIN_BUF = "single:send-buffer-windows=1:send-buffer-segments={}"  # `single` is MIN_BUF(1,1)
TUNED = "single:send-buffer-delay=20"


def lossy(flow, loss, rtt, name=None, seeds=3):
    title, args = FLOWS[flow]
    delay = f"delay={rtt / 2:g}ms"
    return Setting(name or f"{flow}-loss{loss:g}-rtt{rtt}", title,
                   (*RENO, *args, "--path", f"{delay},loss={loss:g}%", "--path-back", delay),
                   rtt, f"{loss:g} %", seeds=seeds)


def random_loss(quick):
    rtt = 100
    video1, video3 = lossy("video", 1, rtt, "video-1"), lossy("video", 3, rtt, "video-3")
    peers = (SINGLE, QUEUES, EARLIEST)
    yield Row("video-1-duplicate", video1, "duplicate:connections=5:copies=2", peers,
              (Delay("p99", 1),
               # A copy waits behind an unknown loss twice as often as it is lost itself.
               Delay("p99_9", 5, "both copies are late in (3 · 0.01)² = 0.09 % of the cases",
                     rtt + 10),
               Bytes(2.02)))
    yield Row("video-1-duplicate-8", video1, "duplicate:connections=8:copies=2", peers,
              (Delay("p99", 1), Delay("p99_9", 5), Bytes(2.02)))
    yield Row("video-3-duplicate", video3, "duplicate:connections=8:copies=2", peers,
              (Delay("p99", 2),))
    yield Row("video-1-hedge", video1, HEDGE, peers,
              (Delay("p99_9", rtt + 10), Bytes(1.05)))
    yield Row("video-3-hedge", video3, HEDGE, peers,
              (Delay("p99", rtt + 10), Bytes(1.12), Delay("p99_9", 2 * rtt)))
    for loss, *limits in (
            (1, 1),
            (3, 60, "4.3 packets of a copy's connection are in doubt at any time, so both copies are "
                    "late in 1.2 % of the cases", 80)):
        yield Row(f"voice-{loss}-duplicate", lossy("voice", loss, rtt, f"voice-{loss}"),
                  "duplicate:connections=3:copies=2", (SINGLE, "shortest-queue:connections=3"),
                  (Delay("p99", *limits),))
    for setting in (video1, video3):
        yield Row(f"{setting.name}-parity", setting, PARITY_8, (HEDGE_8, *peers),
                  (Below("p99", HEDGE_8), Bytes(1.3)))


def automatic(quick):
    """What `auto` chooses must be as good as what a person would choose who knows the path."""
    frugal = (SINGLE, QUEUES, EARLIEST, "hedge:connections=5:redundancy-budget=0.1")
    lavish = ("duplicate:connections=5:copies=2", PARITY)
    for rtt in (100,) if quick else (20, 100, 300):
        for loss in (1, 3) if quick else (0.1, 1, 3, 5):
            for flow in FLOWS:
                setting = lossy(flow, loss, rtt, f"auto-{flow}-{loss:g}-{rtt}", seeds=1)
                for budget, best in ((1.0, frugal + lavish), (0.1, frugal)):
                    # Beside packets of 174 bytes tail probes are no small matter, and no media.
                    spent = (Bytes(1.03 * (1 + budget)),) if flow == "video" else ()
                    yield Row(f"{setting.name}-budget{budget:g}", setting,
                              f"auto:connections=8:redundancy-budget={budget:g}", best,
                              (NotWorse((SINGLE, QUEUES)), NearBest(best, 20), *spent))


def drop_tail(quick):
    setting = Setting(
        "drop-tail", "5 video, 5 FTP, 25 web; 30 Mbit/s, 100 packets drop-tail",
        (*RENO, "--background-cc", "reno", *FLOWS["video"][1], "--ftp", "5", "--web", "25",
         "--path", "delay=50ms,rate=30mbit,queue=100p", "--path-back", "delay=50ms"), 100)
    yield Row("drop-tail-auto", setting, "auto:connections=8", (QUEUES, SINGLE),
              (NotAbove(("p95", "p99"), QUEUES), FtpLoss(4, SINGLE)))


# How many mice get 30 % of the bottleneck beside the elephants, the UDP and two more flows, by
# bandwidth and round trip: measured (24 to 36 % of it around these numbers). The 80 mice of Goel et
# al. began with two segments; today's begin with ten and get half of it, with 14 % of all packets
# dropped.
MICE = {(30, 100): 32, (30, 50): 27, (30, 25): 24, (12, 100): 22, (12, 50): 20, (12, 25): 20}


def goel(quick):
    """Sections 3 and 4.1 of Goel et al., with their times: the flow that is measured starts first,
    15 elephants at 5 s, mice with some 30 % of the bandwidth at 20 s, UDP with 10 % at 40 s; the
    elephants end at 60 s and the rest at 75 s. The delay of a packet is from its write to its read;
    here the source keeps one packet ahead in the send queue, whose wait counts, so that their
    MIN_BUF(1,B) compares with our B - 1. Their drop-tail queues are not stated, only that there was
    one for each bandwidth and RTT; the mean delays of MIN_BUF(1,0) in their table 2 are 7 to 13 ms
    over propagation at 30 Mbit/s and 13 to 20 at 12 Mbit/s, repairs included, so these hold 20 and
    30 ms. Their own MIN_BUF(1,3) had 0.98 to 0.99 of its packets within 200 ms at 30 Mbit/s, 0.95
    to 0.99 at 12.

    The peer is fair: same bottleneck, same start, never without data. Two such flows differ by a
    third over one run (`socket`, which is one, shows how much), so there are three runs."""
    scale = 0.25 if quick else 1
    for mbit, queue in ((30, 50), (12, 30)):
        for rtt in (100,) if quick else (25, 50, 100):
            delay = f"delay={rtt / 2:g}ms"
            window = [f"{t * scale:g}" for t in (5, 20, 40, 60, 75)]
            setting = Setting(
                f"greedy-{mbit}-{rtt}", f"greedy, {mbit} Mbit/s, elephants + mice + UDP",
                (*RENO, "--background-cc", "reno", "--greedy", "--size", "1448", "--peer",
                 "--ftp", f"15@{window[0]}-{window[3]}",
                 "--mice", f"{MICE[mbit, rtt]}@{window[1]}-{window[4]}",
                 "--cbr", f"{mbit * 100}kbit@{window[2]}-{window[4]}",
                 "--path", f"{delay},rate={mbit}mbit,queue={queue}p", "--path-back", delay),
                rtt, seconds=75)
            for name, scheme in (("min-buf", MIN_BUF.format(3)), ("default", SINGLE),
                                 ("auto", "auto:connections=8")):
                yield Row(f"{setting.name}-{name}", setting, scheme,
                          (MIN_BUF.format(0), TUNED, "socket"),
                          (Share(200, 0.99), Throughput(0.95)))


def idle(quick):
    setting = Setting(
        "idle", "1448 B/2 ms, 5 s of silence between talkspurts of 5 s; first 100 packets of each",
        (*RENO, "--size", "1448", "--interval", "2", "--talkspurt", "5", "--silence", "5",
         "--opening", "100", "--path", "delay=50ms", "--path-back", "delay=50ms"), 100, seeds=1)
    yield Row("idle-packets", setting, "single:idle-packets=3", ("single:idle-packets=0",),
              (Opening("p95", 50, "single:idle-packets=0"),))


def rows(quick):
    return [row for part in (random_loss, drop_tail, idle, goel, automatic) for row in part(quick)]
