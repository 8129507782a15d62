# SPDX-License-Identifier: MIT
"""The rows of `script/bench congestion`: which source goes over which path, beside what. Data only;
suite.py runs it and check.py checks it."""

from dataclasses import dataclass

from ..path_rows import TRACE

TRACE_RATE = 3.51e6  # bit/s, its mean
MBIT = 1e6
BEGIN = 3.0  # s: the start, which has bounds of its own
LEAST_QUEUE = 3000  # bytes: two packets


@dataclass(frozen=True)
class Row:
    name: str
    kind: str  # alone, trace, overload, greedy, sessions, step, mobile
    title: str
    rate: float  # bit/s, of the link at the start; of a mobile link, whose rate changes, the mean
    rtt: float  # ms
    queue: int  # bytes
    seconds: float
    start: float  # bit/s, of the encoder
    trace: str = "ideal"
    schedule: tuple = ()  # lines of livetcp bench --schedule
    steps: tuple = ()  # (time, bit/s, RTT in ms) from then on
    greedy: tuple = ()  # congestion control, from, to
    times: tuple = ()  # (join, leave) of each flow
    settings: str = ""  # of every LiveTCP scheme, ":KEY=VALUE"
    aqm: str = ""  # parameters of the link's queue; with ",ecn" TCP asks for marks
    main: bool = False  # measured unless rows are chosen

    @property
    def one_way(self):
        return self.rtt / 2

    @property
    def full_queue(self):
        """Drain time of a full queue in ms."""
        return self.queue * 8e3 / self.rate

    @property
    def interval(self):
        return 0.04

    @property
    def size(self):
        return 1446

    def link_at(self, time):
        """(bit/s, RTT) at this time."""
        now = (self.rate, self.rtt)
        for at, rate, rtt in self.steps:
            if time >= at:
                now = (rate, rtt)
        return now

    def arguments(self):
        """Arguments of livetcp bench, without schemes and seed."""
        rate = f"trace={TRACE}" if self.kind == "mobile" else f"rate={self.rate / 1e3:g}kbit"
        path = f"delay={self.one_way:g}ms,{rate},queue={self.queue}B"
        path += f",aqm={self.aqm}" if self.aqm else ""
        args = ["--path", path, "--path-back", f"delay={self.one_way:g}ms", "--size",
                str(self.size), "--warmup", f"{BEGIN:g}s", "--duration",
                f"{self.seconds - BEGIN:g}s", "--drain", "3s"]
        if self.kind == "overload":
            args += ["--interval", f"{self.size * 8e3 / self.start:.3f}"]
        else:
            args += [f"--adaptive={self.start / 1e3:g}kbit", "--trace", self.trace,
                     "--max-rate", f"{max(20e6, 2 * self.rate) / 1e3:g}kbit"]
        if self.aqm.endswith(",ecn"):
            args += ["--sysctl", "net.ipv4.tcp_ecn=1"]
        if self.greedy:
            control, begin, end = self.greedy
            args += ["--ftp", f"1@{begin:g}s-{end:g}s", "--background-cc", control]
        if self.times:
            args += ["--flows", str(len(self.times)), "--flow-times",
                     ",".join(f"{join:g}s-" + (f"{leave:g}s" if leave < self.seconds else "")
                              for join, leave in self.times)]
        return args


def queue_of(rate, rtt, products):
    """Bytes of that many bandwidth-delay products."""
    return max(round(rate / 8 * rtt / 1000 * products), LEAST_QUEUE)


def alone(rate, rtt, products, factor, seconds=20, main=False, **more):
    begin = "high" if factor > 1 else "low"
    name = f"alone-{rate / MBIT:g}mbit-rtt{rtt:g}-bdp{products:g}-{begin}"
    return Row(name, "alone", f"alone on {rate / MBIT:g} Mbit/s, RTT {rtt:g} ms, {products:g} BDP, "
               f"from {factor:g} of it", rate, rtt, queue_of(rate, rtt, products), seconds,
               factor * rate, main=main, **more)


def central(name, kind, title, seconds, **more):
    """1 Mbit/s, 30 ms each way and 40 kB: the path on which the defect was shown."""
    fields = {"rate": 1e6, "rtt": 60, "queue": 40000, "start": 1.5e6, "main": True} | more
    return Row(name, kind, title, seconds=seconds, **fields)


def rows(quick=False):
    all_rows = [
        central("central-high", "alone", "alone on 1 Mbit/s, 40 kB, from 1500 kbit/s", 33),
        central("central-low", "alone", "alone on 1 Mbit/s, 40 kB, from 300 kbit/s", 23,
                start=3e5),
        central("x264", "trace", "the same, a film by x264", 33, trace="x264"),
        central("screen", "trace", "the same, a screen share by x264", 43, trace="screen"),
        central("overload-2.9", "overload", "2.9 Mbit/s of CBR into 1.5", 23, rate=1.5e6,
                start=2.9e6, settings=":max-send-delay=400"),
        central("overload-1.9", "overload", "1.9 Mbit/s of CBR into 1.5", 23, rate=1.5e6,
                start=1.9e6, settings=":max-send-delay=400"),
        central("overload-fq-codel", "overload", "2.9 Mbit/s of CBR into 1.5 behind FQ-CoDel", 23,
                rate=1.5e6, start=2.9e6, settings=":max-send-delay=400", aqm="fq-codel"),
        *(central(f"greedy-{control}", "greedy", f"beside a greedy {control} flow, 12 to 37 s", 50,
                  start=7e5, greedy=(control, 12.0, 37.0)) for control in ("reno", "cubic", "bbr")),
        central("sessions", "sessions", "four sessions on 4 Mbit/s, joining every 12 s; one leaves", 72,
                rate=4e6, queue=60000, start=1e6,
                times=((0.0, 72.0), (12.0, 72.0), (24.0, 66.0), (36.0, 72.0))),
        central("rate-steps", "step", "the link has 1, 0.4 and 2 Mbit/s", 40,
                schedule=("13s forward rate=400kbit", "26s forward rate=2mbit"),
                steps=((13.0, 4e5, 60.0), (26.0, 2e6, 60.0))),
        central("rtt-steps", "step", "the round trip takes 60, 200 and 60 ms", 40,
                schedule=("13s both delay=100ms", "26s both delay=30ms"),
                steps=((13.0, 1e6, 200.0), (26.0, 1e6, 60.0))),
        central("codel", "alone", "alone behind CoDel", 33, aqm="codel"),
        central("codel-marks", "alone", "alone behind CoDel that marks", 33, aqm="codel,ecn"),
        central("fq-codel", "alone", "alone behind FQ-CoDel", 33, aqm="fq-codel"),
        central("fq-codel-marks", "alone", "alone on 5 Mbit/s behind FQ-CoDel that marks", 33,
                rate=5e6, queue=150000, start=7.5e6, aqm="fq-codel,ecn"),
        central("fq-codel-greedy", "greedy", "beside a greedy cubic flow behind FQ-CoDel, 12 to 37 s",
                50, start=7e5, aqm="fq-codel", greedy=("cubic", 12.0, 37.0)),
        central("lte", "mobile", "alone on a mobile link, 0.2 to 15 Mbit/s", 63, rate=TRACE_RATE,
                queue=300000, start=2.5e6),
        alone(5e6, 60, 1, 1.5, main=True),
        alone(3e5, 60, 4, 1.5, main=True),
        alone(1e6, 200, 1, 1.5, main=True),
        alone(1e6, 20, 4, 1.5, main=True),
    ]
    known = {row.name for row in all_rows}
    grid = [alone(rate, rtt, products, factor)
            for rate in (3e5, 1e6, 5e6, 2e7) for rtt in (20, 60, 200)
            for products in (0.5, 1, 4) for factor in (1.5, 0.3)]
    return all_rows + [row for row in grid if row.name not in known]
