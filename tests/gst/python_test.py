#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The elements from Python, as Debian's python3-gi has it: statistics and messages are things that a
binding can read."""

import os
import sys
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


if __name__ == "__main__":
    Gst.init(None)
    unittest.main()
