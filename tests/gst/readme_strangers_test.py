#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Strangers at the port of README.md's pipelines, as they stand there, with either end as the
listener: pictures go on, nobody is asked for a key frame, nothing ends, and the caller keeps his
session. Only the window, the port and the address are others.

usage: readme_strangers_test.py receiver|sender    (which of them listens)
"""

import os
import re
import shlex
import socket
import struct
import sys
import threading
import time

from guide_test import ROOT, Pipeline, free_port, missing_element
from readme_test import pipelines

ROUNDS = 20
HELD = 100  # connections that stay, the newest
CREATE, PROOF, BYE = 0, 4, 9  # docs/reference/wire-format.md
LOG = "videoencoder:5,livetcp*:4"
KEY_FRAME_ASKED = "force-key-unit event"  # GstVideoEncoder says so
ENDS = "Got EOS", "ERROR", "Lost a connection"
PATIENCE_S = 200


def message(kind, fields=b""):
    packet = struct.pack("!BBHI4s", 0x80 | kind, 204, (12 + len(fields)) // 4 - 1, 0, b"LTCP") + fields
    return struct.pack("!H", len(packet)) + packet


def create():
    return message(CREATE, struct.pack("!BBBBI", 1, 0, 1, 0, 0) + os.urandom(16 + 16 + 32))


class Strangers:
    """They come again and again, in every way of those who can prove nothing."""

    def __init__(self, port):
        self.port = port
        self.held = []
        self.came = self.answered = self.rounds = 0

    def come(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        self.came += 1
        self.held.append(connection)
        if len(self.held) > HELD:
            self.held.pop(0).close()
        return connection

    def say(self, data):
        connection = self.come()
        connection.sendall(data)
        return connection

    @staticmethod
    def reset(connection):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    def half_join(self, then=b""):
        """CREATE; the answer, if it comes soon, or the end; and what follows."""
        connection = self.say(create())
        connection.settimeout(0.2)
        try:
            self.answered += bool(connection.recv(4096))
            connection.sendall(then)
        except OSError:  # it was pushed out, or its turn does not come
            pass
        return connection

    def round(self):
        self.come().close()  # a port scan
        self.reset(self.come())
        self.come()
        for data in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02", b"garbage garbage", b"\x00\x54\x80",
                     create() * 2, create() + message(BYE), create() + os.urandom(2000)):
            self.say(data)
        self.say(create()).close()
        self.reset(self.say(create()))
        for then in (b"", message(BYE), message(PROOF, bytes(32)), b"\xff" * 1000,
                     struct.pack("!H", 100) + b"\x80\x60" + bytes(98)):
            self.half_join(then)
        self.half_join().close()
        self.reset(self.half_join())
        self.rounds += 1

    def leave(self):
        for connection in self.held:
            connection.close()


def fragments():
    """The arguments of livetcpsink and livetcpsrc in README.md that have a URI."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## GStreamer")[2]
    words = [shlex.split(line) for line in section.partition("\n## ")[0].splitlines()
             if " uri=" in line]
    found = {line[i]: line[i:i + 2] for line in words for i, word in enumerate(line)
             if word in ("livetcpsink", "livetcpsrc")}
    assert set(found) == {"livetcpsink", "livetcpsrc"}, "README.md has no URIs any more"
    return found


def commands(listener, port):
    """Receiver and sender."""
    receive, send = pipelines()
    if listener == "sender":
        uris = fragments()
        send[send.index("livetcpsink"):] = uris["livetcpsink"]
        caps = next(word for word in receive if word.startswith("caps="))
        receive[:receive.index("!")] = uris["livetcpsrc"] + [caps]
    made = []
    for words in (receive, send):
        words = [re.sub(r"^port=\d+$", f"port={port}", word) for word in words]
        words = [re.sub(r"^uri=livetcp://[^?]*:\d+\?(.*)$", "uri=livetcp://127.0.0.1:" + str(port) +
                        r"?\1", word) for word in words]
        assert str(port) in " ".join(words), "a pipeline names no port"
        made.append([part for word in words for part in
                     (["fakesink", "silent=false"] if word == "autovideosink" else [word])])
    return made


def wait(receiver, sender, done):
    end = time.monotonic() + PATIENCE_S
    while not done():
        if time.monotonic() > end or not (receiver.reader.is_alive() and sender.reader.is_alive()):
            return False
        time.sleep(0.05)
    return True


def attack(receiver, sender, port, viewer_asks):
    """What is wrong, or None."""
    def asked():
        return sender.text.count(KEY_FRAME_ASKED)

    if not wait(receiver, sender, lambda: receiver.shown > 60):
        return "no pictures before anybody came"
    before, shown = asked(), receiver.shown
    if viewer_asks and not before:
        return "the log does not show the viewer's own key frame"
    strangers = Strangers(port)
    def come():
        while strangers.rounds < ROUNDS:
            strangers.round()
    thread = threading.Thread(target=come, daemon=True)
    thread.start()
    if not wait(receiver, sender, lambda: not thread.is_alive() and receiver.shown > shown + 100):
        return f"after {strangers.rounds} rounds the pictures stopped"
    strangers.leave()
    shown = receiver.shown
    if not wait(receiver, sender, lambda: receiver.shown > shown + 60):
        return "the pictures stopped when the strangers had left"
    print(f"{strangers.came} strangers came, {strangers.answered} had an answer; {asked()} key frames "
          f"asked for, {before} of them before")
    if strangers.rounds < ROUNDS or not strangers.answered:
        return "the strangers did not do all they meant to"
    if asked() != before:
        return "key frames were asked for"
    for pipeline in (receiver, sender):
        for end in ENDS:
            if end in pipeline.text:
                return f"a stream or a session ended: {end}"
    return None


def main(listener):
    port = free_port()
    receive, send = commands(listener, port)
    for words in (receive, send):
        name = missing_element(words)
        if name:
            print(f"skipped: there is no element {name}")
            return 77
    os.environ.update(GST_DEBUG=LOG, GST_DEBUG_NO_COLOR="1")
    first, second = (receive, send) if listener == "receiver" else (send, receive)
    started = [Pipeline(first)]
    time.sleep(1)  # or the caller calls again
    started.append(Pipeline(second))
    receiver, sender = started if listener == "receiver" else started[::-1]
    wrong = attack(receiver, sender, port, listener == "sender")
    codes = [pipeline.interrupt() for pipeline in (sender, receiver)]
    if not wrong and any(codes):
        wrong = f"they ended with {codes}"
    if wrong:
        print(f"receiver:\n{receiver.text}\nsender:\n{sender.text}\n{wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    if os.environ.get("LIVETCP_PRELOAD"):
        print("skipped: a sanitizer would look at all of GStreamer")
        sys.exit(77)
    sys.exit(main(sys.argv[1]))
