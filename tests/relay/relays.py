# SPDX-License-Identifier: MIT
"""Runs relays for tests."""

import json
import pathlib
import random
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tool"))
from common import LIVETCP, PATIENCE_S, ToolTest, environment, run, text  # noqa: E402,F401


class Relay:
    """A relay that runs: its process, and what it says, as it comes."""

    def __init__(self, test, *arguments, **keywords):
        self.test = test
        self.process = test.start("relay", *arguments, **keywords)
        self.lines, self.changed = [], threading.Condition()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        test.addCleanup(self.join)

    def read(self):
        for line in self.process.stderr:
            with self.changed:
                self.lines.append(line.rstrip("\n"))
                self.changed.notify_all()

    def join(self):
        if self.process.poll() is None:
            self.process.kill()
        self.reader.join()

    def wait_for(self, pattern, count=1):
        """The match of the line of that number."""
        deadline = time.monotonic() + PATIENCE_S
        with self.changed:
            while True:
                found = [m for m in (re.search(pattern, line) for line in self.lines) if m]
                if len(found) >= count:
                    return found[count - 1]
                if self.process.poll() is not None and not self.reader.is_alive():
                    self.test.fail(f"{pattern} not said: {self.lines}")
                if not self.changed.wait(min(0.2, deadline - time.monotonic())):
                    self.test.assertLess(time.monotonic(), deadline, f"{pattern}: {self.lines}")

    def port(self, count=1):
        """Of the end that waits: 0 in its URI took any."""
        return int(self.wait_for(r"(?:listening|waiting for datagrams) on port (\d+)", count)[1])

    def said(self, pattern):
        with self.changed:
            return [line for line in self.lines if re.search(pattern, line)]

    def end(self, number=signal.SIGINT):
        """Ends it: (exit code, seconds that it took)."""
        begin = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(timeout=PATIENCE_S)
        took = time.monotonic() - begin
        self.reader.join()
        return code, took


class RelayTest(ToolTest):
    def relay(self, *arguments, **keywords):
        return Relay(self, *arguments, **keywords)

    def socket(self, port=0):
        """A program's socket on the loopback interface."""
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(made.close)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        made.bind(("127.0.0.1", port))
        made.settimeout(PATIENCE_S)
        return made

    def pair_of_ports(self):
        """Two sockets on neighbouring ports, the first even."""
        while True:
            first = self.socket()
            port = first.getsockname()[1]
            if port % 2 == 0:
                try:
                    return first, self.socket(port + 1)
                except OSError:
                    pass
            first.close()

    def free_pair(self):
        """An even port and the next, free for UDP and TCP. Not among those that the system gives to
        sockets without one: other tests' sockets would take them before they are used here."""
        while True:
            port = random.randrange(20000, 32000, 2)
            try:
                for number in (port, port + 1):
                    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
                        with socket.socket(socket.AF_INET, kind) as probe:
                            probe.bind(("127.0.0.1", number))
                return port
            except OSError:
                pass


def port_of(made):
    return made.getsockname()[1]


def rtp(sequence, payload=b"x", kind=96, ssrc=0x1234):
    return struct.pack("!BBHII", 0x80, kind, sequence & 0xffff, sequence * 160, ssrc) + payload


def report(ssrc=0x1234):
    """An RTCP receiver report without blocks."""
    return struct.pack("!BBHI", 0x80, 201, 1, ssrc)
