# SPDX-License-Identifier: MIT
"""Goel et al., Tables 1 to 3, without and with ECN: one flow that sends as fast as it can beside
15 elephants, mice and UDP. The settings are those of `script/bench policies --row 'greedy-*'`; the
source keeps one packet ahead, whose wait counts, so that their MIN_BUF(1,3) is our (1,2)."""

from ..policy_rows import goel as goel_rows
from . import reading
from .data import load, says
from .figures import MEASURED, PAPER, Figure, Known, Point, Series

SCHEMES = {"std": "socket", "m10": "single:send-buffer-windows=1:send-buffer-segments=0",
           "m13": "single:send-buffer-windows=1:send-buffer-segments=2", "m20": "single:send-buffer-windows=2:send-buffer-segments=0"}
SECONDS = 75  # of their profile of the cross traffic
ECN = ("--sysctl", "net.ipv4.tcp_ecn=1")


def settings(quick):
    """{(Mbit/s, RTT): (arguments, seconds)} of the rows of `policies`."""
    found = {}
    for row in goel_rows(quick):
        mbit = int(row.setting.name.split("-")[1])
        found[mbit, int(row.setting.rtt)] = tuple(row.setting.args)
    return found


def with_ecn(args):
    """Marks where the queue without ECN was full, and drops at twice that: DRED as they set it
    marks from one bandwidth-delay product and drops from two."""
    at = args.index("--path") + 1
    path, queue = args[at].rsplit(",queue=", 1)
    packets = int(queue.removesuffix("p"))
    return (*args[:at], f"{path},queue={2 * packets}p,ecn={packets}p", *args[at + 1:], *ECN)


def cells(setting, mbit, rtt, ecn):
    args = settings(setting.quick)[mbit, rtt]
    schemes = ("--transport", SCHEMES["std"], "--policy",
               ",".join(SCHEMES[t] for t in ("m10", "m13", "m20")))
    seconds = SECONDS / 4 if setting.quick else SECONDS
    return setting.bench((*schemes, *(with_ecn(args) if ecn else args)), False, seconds)


def paper_points(table, mbit, kind):
    data = load("goel")
    return tuple(sorted(zip(data["rtt_ms"], data[table][str(mbit)][kind])))


def series(setting, table, read):
    names = load("goel")["types"]
    for mbit in (30, 12):
        trips = sorted(rtt for m, rtt in settings(setting.quick) if m == mbit)
        for kind, scheme in SCHEMES.items():
            title = f"{names[kind]}, {mbit} Mbit/s"
            yield Known(title, paper_points(table, mbit, kind), PAPER)
            for ecn in (False, True):
                yield Series(title + (", ECN" if ecn else ""), MEASURED, tuple(
                    Point(rtt, cells(setting, mbit, rtt, ecn), read(scheme)) for rtt in trips))


def share(field):
    """Share of all packets; packets never received are late."""
    def of(scheme):
        def read(reports):
            found = reading.results(reports, scheme)
            return sum(r["clean"][field] for r in found) / len(found) if found else None
        return read
    return of


def mean_delay(scheme):
    """Mean over received packets: a greedy flow always has packets under way."""
    def read(reports):
        values = [r["clean"]["mean_ms"] for r in reading.results(reports, scheme)
                  if r["clean"]["mean_ms"] is not None]
        return sum(values) / len(values) if values else None
    return read


def throughput(scheme):
    def read(reports):
        mine, std = (reading.mean_of(s, "media_mbit_s")(reports) for s in (scheme, SCHEMES["std"]))
        return mine / std if mine is not None and std else None
    return read


WHY = {
    "delay": "Their send buffer had a fixed size; today's grows with the window to megabytes, "
             "and a greedy socket waits behind all of it. MIN_BUF is unchanged, since it limits "
             "the send buffer. The paper does not state its queues. Today's mice begin with ten "
             "segments, so 20 to 32 of them take the 30 % that 80 took.",
    "throughput": "Our source keeps a packet ahead and is woken at once, so MIN_BUF(1,0) hardly "
                  "ever leaves the window unused. Two equal flows differ by a third over one "
                  "run.",
}


def figures(setting):
    ecn = says("goel", "ecn")
    for table, number, title, unit, read, digits in (
            ("table-1-d200", "1, D200", "share of packets within 200 ms", "share", share("within_200ms"), 3),
            ("table-1-d500", "1, D500", "share of packets within 500 ms", "share", share("within_500ms"), 3),
            ("table-2", "2", "average delay", "ms", mean_delay, 1),
            ("table-3", "3", "throughput, normalised by standard TCP's", "share", throughput, 2)):
        yield Figure(f"goel-{table}", f"Goel et al., Table {number}", title, "RTT, ms", unit,
                     tuple(series(setting, table, read)),
                     says("goel", "table-3") if table == "table-3" else ecn,
                     WHY["throughput" if table == "table-3" else "delay"], digits)
