#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""livetcp relay: ends that speak SRT, to another relay, to GStreamer's elements, to ffmpeg and to
srt-live-transmit.
usage: srt_test.py LIVETCP"""

import os
import re
import shutil
import signal
import subprocess
import sys
import unittest

from relays import PATIENCE_S, RelayTest, port_of, text

SECRET = "correct-horse-battery"


def packets(number, count=7):
    """MPEG-TS: null packets with a number in them."""
    return (b"\x47\x1f\xff\x10" + number.to_bytes(2, "big") + bytes(182)) * count


class Srt(RelayTest):
    def listener(self, query="", name="srt://127.0.0.1:0?mode=listener"):
        """A relay with an SRT listener before a program, the program's socket, and the SRT port."""
        there = self.socket()
        relay = self.relay(name + query, f"udp://127.0.0.1:{port_of(there)}?encap=ts")
        return relay, there, relay.port()

    def test_caller_and_listener_both_ways(self):
        for query in "", f"&passphrase={SECRET}&pbkeylen=32", "&streamid=camera&latency=40":
            with self.subTest(query=query):
                far, there, port = self.listener(query)
                near = self.relay("udp://@127.0.0.1:0?encap=ts",
                                  f"srt://127.0.0.1:{port}?{query.lstrip('&')}".rstrip("?"))
                far.wait_for("SRT connection open")
                near.wait_for(f"127.0.0.1:{port}: SRT connection open")
                here = self.socket()
                for number in range(100):
                    here.sendto(packets(number), ("127.0.0.1", near.port()))
                for number in range(100):
                    datagram, back = there.recvfrom(2000)
                    self.assertEqual(datagram, packets(number))
                there.sendto(packets(7, 3), back)
                self.assertEqual(here.recv(2000), packets(7, 3))
                for relay in near, far:
                    code, took = relay.end()
                    self.assertEqual(code, 0, relay.lines)
                    self.assertLess(took, 20)
                    self.assertFalse(relay.said(SECRET), "the passphrase is shown")

    def test_it_goes_on_when_the_other_end_leaves(self):
        far, there, port = self.listener()
        near = self.relay("udp://@127.0.0.1:0?encap=ts", f"srt://127.0.0.1:{port}")
        near.wait_for("SRT connection open")
        far.end()
        near.wait_for("the SRT connection has ended")
        near.wait_for("no answer|connection|timed? ?out")
        far, there, _ = self.listener(name=f"srt://127.0.0.1:{port}?mode=listener")
        near.wait_for("SRT connection open", 2)
        far.wait_for("SRT connection open")
        self.socket().sendto(packets(3), ("127.0.0.1", near.port()))
        self.assertEqual(there.recv(2000), packets(3))

    def test_wrong_secrets_and_stream_ids_are_turned_away(self):
        far, _, port = self.listener(f"&passphrase={SECRET}&streamid=camera")
        for query, says, there in (
                ("passphrase=another-secret&streamid=camera", "Incorrect passphrase", None),
                (f"passphrase={SECRET}&streamid=attic", "has ended", "another streamid")):
            near = self.relay("udp://@127.0.0.1:0?encap=ts", f"srt://127.0.0.1:{port}?{query}")
            near.wait_for(says)
            if there:
                far.wait_for(there)
            near.end()
            self.assertFalse(near.said("another-secret|" + SECRET), near.lines)
        self.assertFalse(far.said("SRT connection open"), far.lines)

    def test_one_to_many_over_livetcp_and_srt(self):
        """A source of SRT for two callers of SRT and one of LiveTCP."""
        first = self.free_pair()
        hub = self.relay(f"srt://127.0.0.1:{first}?mode=listener&streamid=in",
                         f"srt://127.0.0.1:{first + 1}?mode=listener",
                         "livetcp://127.0.0.1:0?mode=listener")
        port = hub.wait_for(r"(?<!SRT: )listening on port (\d+)")[1]
        source = self.relay("udp://@127.0.0.1:0?encap=ts",
                            f"srt://127.0.0.1:{first}?streamid=in")
        viewers = []
        for uri in (f"srt://127.0.0.1:{first + 1}", f"srt://127.0.0.1:{first + 1}",
                    f"livetcp://127.0.0.1:{port}"):
            program = self.socket()
            viewer = self.relay(uri, f"udp://127.0.0.1:{port_of(program)}?encap=ts")
            viewer.wait_for("(connection|session) open")
            viewers.append(program)
        source.wait_for("SRT connection open")
        hub.wait_for("(connection|session) open", 4)
        self.socket().sendto(packets(5), ("127.0.0.1", source.port()))
        for program in viewers:
            self.assertEqual(program.recv(2000), packets(5))

    def test_too_large_datagrams_are_counted_and_named_once(self):
        there = self.socket()
        far = self.relay("srt://127.0.0.1:0?mode=listener&encap=raw",
                         f"udp://127.0.0.1:{port_of(there)}")
        near = self.relay("udp://@127.0.0.1:0", f"srt://127.0.0.1:{far.port()}?encap=raw")
        near.wait_for("SRT connection open")
        here = self.socket()
        for size in 1457, 3000, 1456:
            here.sendto(bytes(size), ("127.0.0.1", near.port()))
        self.assertEqual(there.recv(4000), bytes(1456))
        near.end()
        self.assertEqual(len(near.said("takes at most 1456")), 1, near.lines)
        self.assertTrue(near.said("2 packets not relayed"), near.lines)

    def test_elements_of_gstreamer(self):
        for element in "srtsrc", "srtsink", "x264enc", "avdec_h264", "mpegtsmux":
            if subprocess.run(["gst-inspect-1.0", element], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode:
                self.skipTest(f"there is no element {element}")
        first = self.free_pair()
        hub = self.relay(f"srt://:{first}", f"srt://:{first + 1}")
        hub.port(2)
        sender = subprocess.Popen(
            ["gst-launch-1.0", "-q", "videotestsrc", "is-live=true", "!",
             "video/x-raw,width=160,height=120", "!", "x264enc", "tune=zerolatency",
             "key-int-max=15", "!", "mpegtsmux",
             "alignment=7", "!", "srtsink", f"uri=srt://127.0.0.1:{first}?mode=caller"],
            stderr=subprocess.DEVNULL)
        self.addCleanup(sender.wait)
        self.addCleanup(sender.kill)
        done = subprocess.run(
            ["gst-launch-1.0", "-v", "srtsrc", f"uri=srt://127.0.0.1:{first + 1}?mode=caller",
             "!", "tsdemux", "!", "h264parse", "!", "avdec_h264", "!",
             "identity", "eos-after=20", "!", "fakesink", "silent=false"],
            capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        self.assertGreaterEqual(len(re.findall(r"chain   \*\*\*", done.stdout)), 15, done.stderr)

    def ffmpeg(self, *arguments):
        process = subprocess.Popen(["ffmpeg", "-nostdin", *arguments], text=True,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.started.append(process)
        return process

    def test_ffmpeg_and_srt_live_transmit(self):
        """ffmpeg calls the first relay and srt-live-transmit the second, with a passphrase and a
        stream id; between the relays it is LiveTCP. The pictures arrive as they were."""
        for program in "ffmpeg", "srt-live-transmit":
            if not shutil.which(program):
                self.skipTest(f"{program} is not installed")
        protocols = subprocess.run(["ffmpeg", "-protocols"], capture_output=True, text=True,
                                   timeout=PATIENCE_S, check=True).stdout
        if "srt" not in protocols.split():
            self.skipTest("this ffmpeg has no SRT")
        first = self.free_pair()
        patient = "&latency=2000"  # SRT drops what a busy machine makes later than this
        out = self.relay("livetcp://127.0.0.1:0?mode=listener",
                         f"srt://127.0.0.1:{first + 1}?mode=listener&passphrase={SECRET}{patient}")
        port = out.wait_for(r"(?<!SRT: )listening on port (\d+)")[1]
        into = self.relay(f"srt://127.0.0.1:{first}?mode=listener&streamid=camera{patient}",
                          f"livetcp://127.0.0.1:{port}")
        into.wait_for("session open")
        there = self.free_pair()
        sent, came = self.folder / "sent.crc", self.folder / "came.crc"
        receiver = self.ffmpeg("-v", "debug", "-i",
                               f"udp://127.0.0.1:{there}?timeout=60000000&buffer_size=4000000",
                               "-map", "0", "-c", "copy", "-frames:v", "75", "-f", "framecrc",
                               str(came))
        viewer = subprocess.Popen(
            ["srt-live-transmit", "-q", f"srt://127.0.0.1:{first + 1}?mode=caller&passphrase={SECRET}",
             f"udp://127.0.0.1:{there}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(viewer.wait)
        self.addCleanup(viewer.kill)
        out.wait_for("SRT connection open")
        source = self.ffmpeg(
            "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25",
            "-t", "600", "-c:v", "mpeg2video", "-b:v", "2M", "-map", "0", "-f", "tee",
            f"[f=mpegts]srt\\://127.0.0.1\\:{first}?mode=caller&streamid=camera&pkt_size=1316|"
            f"[f=framecrc]{sent}")
        said = receiver.communicate(timeout=PATIENCE_S)[1]
        self.assertEqual(said.count("Continuity check failed"), 0)
        source.send_signal(signal.SIGINT)
        source.communicate(timeout=PATIENCE_S)

        def pictures(path):
            """Size and checksum of each."""
            return [line.split(",")[4:6] for line in path.read_text().splitlines()
                    if not line.startswith("#")]

        self.assertEqual(len(pictures(came)), 75)
        self.assertEqual(pictures(came), pictures(sent)[:75])
        self.assertFalse(out.said(SECRET), "the passphrase is shown")
        for relay in into, out:
            self.assertEqual(relay.end()[0], 0, relay.lines)

    def test_bad_input(self):
        for uri, says in (("srt://:1?passphrase=short", "passphrase=...: it is 10 to 79 characters"),
                          ("srt://:1?pbkeylen=20", "it is 16, 24 or 32"),
                          ("srt://:1?latency=-1", "it is 0..60000 ms"),
                          ("srt://:1?mode=caller", "whom?"),
                          ("srt://h:0", "which port?"),
                          ("srt://h:1?ttl=1", "is no key of this URI")):
            with self.subTest(uri=uri):
                done = text("relay", uri, "udp://127.0.0.1:9")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(says, done.stderr)
        first, _, port = self.listener()
        done = text("relay", f"srt://127.0.0.1:{port}?mode=listener", "udp://127.0.0.1:9")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "srt://127.0.0.1:[0-9]+: cannot wait there: .*another program")
        first.end()


if __name__ == "__main__":
    if os.environ.get("LIVETCP_PRELOAD"):
        print("skipped: a sanitizer would look at libsrt and GStreamer")
        sys.exit(77)
    if "built without libsrt" in text("relay", "srt://:1", "udp://127.0.0.1:9", "--timeout=1").stderr:
        print("skipped: this livetcp was built without libsrt")
        sys.exit(77)
    unittest.main()
