#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The elements from Python, as Debian's python3-gi has it: statistics and messages are things that a
binding can read."""

import os
import sys
import threading
import time
import unittest

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
except (ImportError, ValueError) as error:
    print(f"skipped: {error} (Debian: python3-gi, gir1.2-gstreamer-1.0)")
    sys.exit(77)
if os.environ.get("LIVETCP_PRELOAD"):
    print("skipped: a sanitizer would look at all of Python")
    sys.exit(77)

PATIENCE_S = 200


def eventually(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class Elements(unittest.TestCase):
    def setUp(self):
        self.receiver = Gst.parse_launch(
            "livetcpsrc name=src uri=livetcp://127.0.0.1:0?mode=listener ! fakesink async=false")
        self.source = self.receiver.get_by_name("src")
        self.receiver.set_state(Gst.State.PLAYING)
        port = self.source.get_property("bound-port")
        self.sender = Gst.parse_launch(
            "audiotestsrc is-live=true ! alawenc ! rtppcmapay ! "
            f"livetcpsink name=sink host=127.0.0.1 port={port} connections=3")
        self.sink = self.sender.get_by_name("sink")
        self.sender.set_state(Gst.State.PLAYING)

    def tearDown(self):
        self.sender.set_state(Gst.State.NULL)
        self.receiver.set_state(Gst.State.NULL)

    def open_connections(self, element):
        # What is in the list belongs to the structure: PyGObject does not copy it.
        self.stats = element.get_property("stats")
        return [one for one in self.stats.get_value("connections")
                if one.get_value("state") == "open"]

    def test_connections_are_a_list_of_structures(self):
        for element in (self.sink, self.source):
            self.assertTrue(eventually(lambda: len(self.open_connections(element)) == 3))
            for index, one in enumerate(self.open_connections(element)):
                self.assertEqual(one.get_name(), "livetcp-connection-stats")
                self.assertEqual(one.get_value("connection"), index)
                self.assertIn("127.0.0.1:", one.get_value("remote"))

    def test_delays_are_structures(self):
        stats = self.sink.get_property("stats")
        self.assertIsInstance(stats.get_value("sent-delays"), Gst.Structure)

    def test_properties_change_while_playing(self):
        self.sink.set_property("policy", "duplicate")
        self.sink.set_property("redundancy-budget", "7")
        self.sink.set_property("policy", "duplicate")
        self.assertTrue(eventually(
            lambda: self.sink.get_property("stats").get_value("copies-sent") > 0))


class Admission(unittest.TestCase):
    """As docs/guide/security.md has it: a server is asked, on a thread of its own."""

    def test_an_answer_that_comes_later(self):
        for allowed in (True, False):
            with self.subTest(allowed=allowed):
                self.call(allowed)

    def call(self, allowed):
        listener = Gst.parse_launch(
            "livetcpsrc name=src uri=livetcp://127.0.0.1:0?mode=listener ! fakesink async=false")
        source = listener.get_by_name("src")
        done, asked = [], []

        def answer(number):
            time.sleep(0.1)
            if allowed:
                done.append(source.emit("admit-waiting-caller", number))
            else:
                done.append(source.emit("reject-waiting-caller", number, 403, "not for you"))
            done.append(source.emit("admit-waiting-caller", number))

        def connecting(element, _address):
            asked.append(element.get_property("connecting-caller").get_value("stream-id"))
            number = element.emit("admit-caller-later")
            threading.Thread(target=answer, args=(number,)).start()
            return True

        source.connect("caller-connecting", connecting)
        listener.set_state(Gst.State.PLAYING)
        sender = Gst.parse_launch(
            "audiotestsrc is-live=true ! alawenc ! rtppcmapay ! livetcpsink name=sink "
            f"uri=livetcp://127.0.0.1:{source.get_property('bound-port')}/studio")
        sink = sender.get_by_name("sink")
        sender.set_state(Gst.State.PLAYING)
        try:
            self.assertTrue(eventually(lambda: len(done) == 2))
            self.assertEqual(done, [True, False])
            self.assertEqual(asked[0], "studio")
            if allowed:
                self.assertTrue(eventually(lambda: source.get_property("state") == "open"))
            else:
                self.assertTrue(eventually(
                    lambda: "not for you (403)" in (sink.get_property("last-error") or "")))
        finally:
            sender.set_state(Gst.State.NULL)
            listener.set_state(Gst.State.NULL)


if __name__ == "__main__":
    Gst.init(None)
    unittest.main()
