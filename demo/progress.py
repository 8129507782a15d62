# SPDX-License-Identifier: MIT
"""What is shown while the demonstration runs: one line, refreshed on a terminal."""

import shutil
import statistics
import sys
import time

import table


class Tail:
    """Reads the lines added to a growing CSV file since the last call."""

    def __init__(self, path):
        self.path = path
        self.position = 0
        self.rest = ""

    def lines(self):
        try:
            with open(self.path, encoding="ascii") as file:
                file.seek(self.position)
                text = file.read()
                self.position = file.tell()
        except FileNotFoundError:
            return []
        *lines, self.rest = (self.rest + text).split("\n")
        return [line.split(",") for line in lines if line and line[0].isdigit()]


class LegView:
    def __init__(self, directory, name):
        self.tail = Tail(directory / f"{name}.csv")
        # With an encoder of its own a leg has a trace of its own of what was sent.
        self.sent_tails = [Tail(directory / "sent.csv"), Tail(directory / f"sent-{name}.csv")]
        self.sent = 0
        self.first_us = None
        self.waiting = {}  # packets on their way: when they were sent, by key, in that order
        self.early = {}  # packets that came, and whose sending has not been written down yet
        self.delay_ms = None

    def read_sent(self):
        sent = {}
        for tail in self.sent_tails:
            for time_us, *identity in tail.lines():
                sent[tuple(identity[:3])] = int(time_us)
        if sent and self.first_us is None:
            self.first_us = next(iter(sent.values()))
        self.sent += len(sent)
        self.waiting.update(sent)

    def update(self, now_us):
        self.read_sent()
        for time_us, *identity in self.tail.lines():
            self.early[tuple(identity[:3])] = int(time_us)
        delays = []
        for key in list(self.early):
            if key in self.waiting:
                delays.append((self.early.pop(key) - self.waiting.pop(key)) / 1e3)
        if delays:
            self.delay_ms = statistics.median(delays)
        elif self.waiting:  # nothing comes: the oldest that is on its way gets older
            oldest = next(iter(self.waiting.values()))
            self.delay_ms = max(self.delay_ms or 0.0, (now_us - oldest) / 1e3)


class Progress:
    LINE_SECONDS = 5  # between lines where a line cannot be refreshed

    def __init__(self, directory, legs, duration, stream=sys.stdout):
        self.stream = stream
        self.refresh = stream.isatty()
        self.duration = duration
        self.titles = list(legs.values())
        self.views = [LegView(directory, name) for name in legs]
        self.encoder_tail = Tail(directory / "encoder.csv")
        self.encoder_kbit = None
        self.encoder_settings = 0
        self.shown = 0.0

    def update(self):
        now_us = time.monotonic_ns() // 1000
        for view in self.views:
            view.update(now_us)
        for _, kbit in self.encoder_tail.lines():
            self.encoder_kbit = int(kbit)
            self.encoder_settings += 1
        if self.refresh or time.monotonic() >= self.shown + self.LINE_SECONDS:
            self.shown = time.monotonic()
            self.show(self.text(now_us))

    def text(self, now_us):
        first_us = min((view.first_us for view in self.views if view.first_us), default=None)
        if first_us is None:
            return "connecting ..."
        elapsed = (now_us - first_us) / 1e6
        ended = elapsed > self.duration + 1
        when = (f"waiting for {max(len(view.waiting) for view in self.views):,}" if ended
                else f"{elapsed:4.0f} of {self.duration} s")
        delays = " | ".join(f"{title} {self.delay(view, ended):>8}"
                            for title, view in zip(self.titles, self.views))
        sent = max(view.sent for view in self.views)
        return f"{when} | {sent:,} packets | delay now: {delays}{self.encoder()}"

    def encoder(self):
        """The setting of LiveTCP's encoder, and how often it has changed."""
        if self.encoder_kbit is None:
            return ""
        return f" | encoder {self.encoder_kbit:,} kbit/s, {self.encoder_settings - 1} changes"

    @staticmethod
    def delay(view, ended):
        if ended and not view.waiting:
            return "all here"
        return "–" if view.delay_ms is None else table.format_ms(view.delay_ms)

    def show(self, text):
        if self.refresh:
            width = shutil.get_terminal_size().columns - 1  # a wrapped line cannot be refreshed
            self.stream.write(f"\r\x1b[K{text[:width]}")
        else:
            self.stream.write(f"{text}\n")
        self.stream.flush()

    def all_arrived(self):
        return (all(view.sent > 0 for view in self.views)
                and not any(view.waiting for view in self.views))

    def finish(self):
        if self.refresh:
            self.stream.write("\n")
            self.stream.flush()
