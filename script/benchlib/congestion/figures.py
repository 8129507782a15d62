# SPDX-License-Identifier: MIT
"""Figures of a run from the records of its packets. All peers have the same records, made by the bench
on one clock, so they are analysed alike. Times are in s from the start of the run, delays in ms."""

import csv
from dataclasses import dataclass
import math

from ..bench import percentile

NEVER = float("inf")


@dataclass(frozen=True)
class Packet:
    flow: int
    sent: float
    arrival: float  # NEVER: lost, or dropped by the sender
    size: int
    frame: int
    rate: float  # bit/s, of the encoder; 0 without one
    doubtful: bool  # sent near a stall of the machine

    @property
    def delay(self):
        return (self.arrival - self.sent) * 1000


def read(path, size):
    """{label: [Packet]} by time; `size` is that of packets without an encoder."""
    packets = {}
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            if not row["sent_us"]:
                continue
            arrival = int(row["arrival_us"]) / 1e6 if row["arrival_us"] else NEVER
            packets.setdefault(row["scheme"], []).append(Packet(
                int(row["flow"]), int(row["sent_us"]) / 1e6, arrival,
                int(row.get("bytes") or size), int(row.get("frame") or row["index"]),
                float(row.get("rate_bit_s") or 0), row["near_stall"] == "1"))
    for all_of_it in packets.values():
        all_of_it.sort(key=lambda packet: packet.sent)
    return packets


def within(packets, begin, end):
    return [packet for packet in packets if begin <= packet.sent < end]


def delays(packets, begin, end, delivered=False):
    """Sorted; without those near a stall. What was not delivered is later than all else, or left out."""
    return sorted(packet.delay for packet in within(packets, begin, end)
                  if not packet.doubtful and (packet.arrival != NEVER or not delivered))


def summary(packets, begin, end, delivered=False):
    """p50, p95, p99, maximum, and the share never delivered."""
    ordered = delays(packets, begin, end, delivered)
    came = [delay for delay in ordered if delay != NEVER]
    sent = within(packets, begin, end)
    lost = sum(packet.arrival == NEVER for packet in sent)
    return {"p50": percentile(ordered, .5), "p95": percentile(ordered, .95),
            "p99": percentile(ordered, .99), "max": came[-1] if came else NEVER,
            "lost": lost / len(sent) if sent else 0.0}


def rate(packets, begin, end):
    """Received bit/s of media."""
    if end <= begin:
        return 0.0
    return sum(p.size for p in packets if begin <= p.arrival < end) * 8 / (end - begin)


def rates(packets, end, step):
    """[(time, bit/s)] of received media, in steps."""
    bins = [0] * math.ceil(end / step)
    for packet in packets:
        if packet.arrival < end:
            bins[int(packet.arrival / step)] += packet.size
    return [((i + 0.5) * step, size * 8 / step) for i, size in enumerate(bins)]


def frames(packets):
    """[(frame, sent, completed)] of one flow; NEVER for an incomplete frame."""
    whole = {}
    for packet in packets:
        sent, arrival = whole.get(packet.frame, (packet.sent, 0.0))
        whole[packet.frame] = (min(sent, packet.sent), max(arrival, packet.arrival))
    return [(frame, *times) for frame, times in sorted(whole.items())]


def frozen(packets, begin, end, interval):
    """Seconds that the picture stood still, as WebRTC's statistics count freezes: from one whole frame
    to the next took max(3 intervals, an interval + 150 ms) or longer. One flow."""
    times = sorted(arrival for _, sent, arrival in frames(within(packets, begin, end))
                   if arrival != NEVER)
    limit = max(3 * interval, interval + 0.150)
    total = sum(b - a for a, b in zip(times, times[1:]) if b - a >= limit)
    if not times:
        return end - begin
    last = end - times[-1]
    return total + (last if last >= limit else 0.0)


def late_for(packets, begin, end, limit, step=0.1):
    """Seconds in which a packet that was sent then came later than `limit` ms."""
    return step * len({int((p.sent - begin) / step) for p in within(packets, begin, end)
                       if p.delay > limit and not p.doubtful})


def reaches(packets, begin, end, wanted, window=1.0, step=0.25):
    """Seconds from `begin` until `wanted` bit/s have arrived for `window` s; NEVER if not by `end`."""
    at = begin
    while at + window <= end + 1e-9:
        if rate(packets, at, at + window) >= wanted:
            return at - begin
        at += step
    return NEVER


def jain(shares):
    """Jain's index of fairness."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 0.0


def of_flow(packets, flow):
    return [packet for packet in packets if packet.flow == flow]


def fairness(packets, times, end, step):
    """[(time, Jain's index)] over the flows that take part all of a step; only where two do.
    `times` are (join, leave) of each flow."""
    series = [rates(of_flow(packets, flow), end, step) for flow in range(len(times))]
    points = []
    for i in range(int(end / step)):
        begin = i * step
        shares = [series[flow][i][1] for flow, (join, leave) in enumerate(times)
                  if join <= begin and begin + step <= leave]
        if len(shares) > 1:
            points.append((begin + step / 2, jain(shares)))
    return points
