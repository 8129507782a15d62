# SPDX-License-Identifier: MIT
"""What is shown while the demonstration runs: one line, refreshed on a terminal."""

import shutil
import statistics
import sys
import time

import table


class Tail:
    """The lines that were added to a growing CSV file since the last look."""

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
    def __init__(self, path):
        self.tail = Tail(path)
        self.waiting = {}  # packets on their way: when they were sent, by key, in that order
        self.early = {}  # packets that came, and whose sending has not been written down yet
        self.delay_ms = None

    def update(self, sent, now_us):
        self.waiting.update(sent)
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
        self.sent_tail = Tail(directory / "sent.csv")
        self.views = [LegView(directory / f"{name}.csv") for name in legs]
        self.sent = 0
        self.first_us = None
        self.shown = 0.0

    def update(self):
        now_us = time.monotonic_ns() // 1000
        sent = {}
        for time_us, *identity in self.sent_tail.lines():
            sent[tuple(identity[:3])] = int(time_us)
        if sent and self.first_us is None:
            self.first_us = next(iter(sent.values()))
        self.sent += len(sent)
        for view in self.views:
            view.update(sent, now_us)
        if self.refresh or time.monotonic() >= self.shown + self.LINE_SECONDS:
            self.shown = time.monotonic()
            self.show(self.text(now_us))

    def text(self, now_us):
        if self.first_us is None:
            return "connecting ..."
        elapsed = (now_us - self.first_us) / 1e6
        ended = elapsed > self.duration + 1
        when = (f"waiting for {max(len(view.waiting) for view in self.views):,}" if ended
                else f"{elapsed:4.0f} of {self.duration} s")
        delays = " | ".join(f"{title} {self.delay(view, ended):>8}"
                            for title, view in zip(self.titles, self.views))
        return f"{when} | {self.sent:,} packets | delay now: {delays}"

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
        return self.sent > 0 and not any(view.waiting for view in self.views)

    def finish(self):
        if self.refresh:
            self.stream.write("\n")
            self.stream.flush()
