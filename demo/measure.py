# SPDX-License-Identifier: MIT
"""From packet traces to delays, and from delays to the numbers of the report.

A trace is a CSV file with a line for each RTP packet that passed a point; all times are
CLOCK_MONOTONIC in microseconds. The delay of a packet is the time from leaving the payloader to
coming out of the receiving transport. A frame of video is on screen, at the earliest, when all its
packets and all earlier frames are there: the frames are predicted from each other.

What had not come when the demonstration stopped is not left out, which would flatter the slower
leg. A packet that came after none of its stream is "on its way": its delay is at least the time it
has been waiting, and a percentile that falls on such a packet is given as "at least". A packet that
later ones have overtaken is "lost": its delay is infinite.
"""

import csv
import math

VIDEO, AUDIO = 96, 97
PERCENTILES = (50, 90, 95, 99, 99.9)
LIMITS_MS = (200, 500)


class Packet:
    """A sent packet. `key` identifies it among all packets of the run."""

    __slots__ = ("key", "sent_us", "payload_type", "timestamp", "ssrc", "size")

    def __init__(self, row):
        self.ssrc = row["ssrc"]
        self.timestamp = int(row["timestamp"])
        self.key = (row["ssrc"], int(row["sequence"]), self.timestamp)
        self.sent_us = int(row["time_us"])
        self.payload_type = int(row["payload_type"])
        self.size = int(row["size"])


class Sample:
    """The delay of a packet or frame. `at_s` is its send time, from the first one on."""

    __slots__ = ("at_s", "delay_ms", "state")
    ARRIVED, ON_ITS_WAY, LOST = "arrived", "on its way", "lost"

    def __init__(self, at_s, delay_ms, state):
        self.at_s = at_s
        self.delay_ms = delay_ms
        self.state = state


def read_sent(path):
    with open(path, newline="", encoding="ascii") as file:
        return [Packet(row) for row in csv.DictReader(file)]


def read_arrivals(path):
    """Time of the first arrival of each packet, by its key."""
    arrivals = {}
    with open(path, newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            key = (row["ssrc"], int(row["sequence"]), int(row["timestamp"]))
            arrivals.setdefault(key, int(row["time_us"]))
    return arrivals


def last_arrived(packets, arrivals):
    """Index in `packets` of the last one that arrived; -1: none."""
    for position in range(len(packets) - 1, -1, -1):
        if packets[position].key in arrivals:
            return position
    return -1


def packet_samples(packets, arrivals, stop_us):
    """A Sample for each packet of one stream, in the order they were sent."""
    if not packets:
        return []
    start_us = packets[0].sent_us
    last = last_arrived(packets, arrivals)
    samples = []
    for position, packet in enumerate(packets):
        at_s = (packet.sent_us - start_us) / 1e6
        arrived_us = arrivals.get(packet.key)
        if arrived_us is not None:
            sample = Sample(at_s, (arrived_us - packet.sent_us) / 1e3, Sample.ARRIVED)
        elif position > last:
            sample = Sample(at_s, (stop_us - packet.sent_us) / 1e3, Sample.ON_ITS_WAY)
        else:
            sample = Sample(at_s, math.inf, Sample.LOST)
        samples.append(sample)
    return samples


def group_frames(packets):
    """The packets of each frame: those with the same timestamp."""
    frames = {}
    for packet in packets:
        frames.setdefault((packet.ssrc, packet.timestamp), []).append(packet)
    return list(frames.values())


def frame_samples(packets, arrivals, stop_us):
    """A Sample for each frame, and the times at which complete frames could be shown, in us."""
    if not packets:
        return [], []
    start_us = packets[0].sent_us
    last = last_arrived(packets, arrivals)
    position_after = 0
    shown_us = 0
    samples, shown = [], []
    for frame in group_frames(packets):
        position_after += len(frame)
        sent_us = frame[0].sent_us
        at_s = (sent_us - start_us) / 1e6
        times = [arrivals.get(packet.key) for packet in frame]
        if None not in times:
            shown_us = max(shown_us, *times)
            shown.append(shown_us)
            sample = Sample(at_s, (shown_us - sent_us) / 1e3, Sample.ARRIVED)
        elif position_after - 1 > last:
            sample = Sample(at_s, (stop_us - sent_us) / 1e3, Sample.ON_ITS_WAY)
        else:
            sample = Sample(at_s, math.inf, Sample.LOST)
        samples.append(sample)
    return samples, shown


def percentile(ordered, percent):
    """The smallest value that at least `percent` % of the samples do not exceed."""
    rank = max(1, math.ceil(round(len(ordered) * percent / 100, 9)))
    return ordered[rank - 1]


def summarise(samples):
    """The numbers of one stream on one leg. Delays in ms; a value in "at_least" is a lower bound."""
    if not samples:
        return None
    ordered = sorted(samples, key=lambda s: s.delay_ms)
    finite = [s.delay_ms for s in ordered if s.state != Sample.LOST]
    first_bound = min((s.delay_ms for s in ordered if s.state == Sample.ON_ITS_WAY),
                      default=math.inf)
    numbers = {"mean": sum(finite) / len(finite) if finite else math.inf}
    for percent in PERCENTILES:
        numbers[f"p{percent:g}"] = percentile(ordered, percent).delay_ms
    numbers["max"] = ordered[-1].delay_ms
    # From the first waiting packet on, the true order is not known, only that it is no better.
    at_least = [name for name, value in numbers.items()
                if name != "mean" and first_bound <= value < math.inf]
    if first_bound < math.inf:
        at_least.append("mean")
    for limit in LIMITS_MS:
        in_time = sum(1 for s in samples if s.state == Sample.ARRIVED and s.delay_ms <= limit)
        numbers[f"within_{limit}"] = in_time / len(samples)
        numbers[f"later_{limit}"] = len(samples) - in_time
    numbers["sent"] = len(samples)
    for name, state in (("arrived", Sample.ARRIVED), ("on_its_way", Sample.ON_ITS_WAY),
                        ("lost", Sample.LOST)):
        numbers[name] = sum(1 for s in samples if s.state == state)
    numbers["at_least"] = at_least
    return numbers


def freezes(shown_us):
    """Intervals between shown frames that a viewer sees as a freeze, in ms: at least three times
    the mean, and at least 150 ms longer (the definition of WebRTC's freezeCount)."""
    intervals = [(b - a) / 1e3 for a, b in zip(shown_us, shown_us[1:])]
    if not intervals:
        return []
    mean = sum(intervals) / len(intervals)
    return [interval for interval in intervals if interval >= max(3 * mean, mean + 150)]


class Leg:
    """Everything measured on one leg."""

    def __init__(self, sent, arrivals, stop_us):
        video = [p for p in sent if p.payload_type == VIDEO]
        audio = [p for p in sent if p.payload_type == AUDIO]
        self.packets = packet_samples(video, arrivals, stop_us)
        self.frames, shown = frame_samples(video, arrivals, stop_us)
        self.sound = packet_samples(audio, arrivals, stop_us)
        self.freezes = freezes(shown)

    def numbers(self):
        frames = summarise(self.frames)
        if frames is not None:
            frames["freezes"] = len(self.freezes)
            frames["frozen_s"] = sum(self.freezes) / 1e3
        return {"frames": frames, "sound": summarise(self.sound),
                "packets": summarise(self.packets)}
