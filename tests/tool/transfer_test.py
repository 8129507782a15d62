#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""livetcp send and livetcp receive: recordings, streams, the test signal, and how they end.
usage: transfer_test.py LIVETCP"""

import json
import pathlib
import re
import signal
import socket
import struct
import subprocess
import threading
import unittest

from common import LIVETCP, ToolTest, text

HEADER = b"#!rtpplay1.0 0.0.0.0/0\n" + bytes(16)


def rtp(sequence, size=200):
    return struct.pack("!BBHII", 0x80, 96, sequence & 0xffff, sequence * 160, 0x1234) + bytes(
        (sequence + i) & 0xff for i in range(size - 12))


def rtpdump(packets, step_ms=1):
    return HEADER + b"".join(struct.pack("!HHI", len(p) + 8, len(p), i * step_ms) + p
                             for i, p in enumerate(packets))


def frames(packets):
    return b"".join(struct.pack("!H", len(p)) + p for p in packets)


def packets_of(dump):
    """Those of an rtpdump, and their times."""
    first = dump.index(b"\n") + 1 + 16
    assert dump.startswith(b"#!rtpplay1.0 ")
    found, times = [], []
    while first < len(dump):
        length, size, offset = struct.unpack_from("!HHI", dump, first)
        if size:  # RTCP has none
            found.append(dump[first + 8:first + length])
            times.append(offset)
        first += length
    return found, times


class Transfer(ToolTest):
    def receive(self, *arguments, **keywords):
        return self.listen("receive", *arguments, settings="&order=sequence", **keywords)

    def test_a_recording_arrives_as_it_was(self):
        packets = [rtp(i) for i in range(300)]
        source, target = self.folder / "in.rtpdump", self.folder / "out.rtpdump"
        source.write_bytes(rtpdump(packets))
        receiver, port = self.receive(target)
        sent = text("send", f"livetcp://127.0.0.1:{port}", source)
        self.assertEqual(sent.returncode, 0, sent.stderr)
        self.assertIn("sent 300 packets", sent.stderr)
        code, _, err = self.finish(receiver)
        self.assertEqual(code, 0, err)
        self.assertIn("received 300 packets", err)
        found, times = packets_of(target.read_bytes())
        self.assertEqual(found, packets)
        self.assertEqual(times, sorted(times))
        self.assertGreater(times[-1], 100)  # it was not sent at once

    def test_frames_by_pipes(self):
        packets = [rtp(i, 100 + i % 1000) for i in range(5000)]
        receiver, port = self.receive("-", "--format=frames")
        sent = subprocess.Popen([LIVETCP, "send", "-q", f"livetcp://127.0.0.1:{port}", "-"],
                                stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.started.append(sent)
        feeding = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=sent.stdin)
        sent.stdin.close()
        sent.stdin = None
        out = bytearray()
        reader = threading.Thread(target=lambda: out.extend(receiver.stdout.buffer.read()))
        reader.start()
        feeding.stdin.write(frames(packets))
        feeding.stdin.close()
        feeding.wait()
        sent.wait()
        self.assertEqual(sent.returncode, 0, sent.stderr.read())
        receiver.wait()
        reader.join()
        self.assertEqual(receiver.returncode, 0)
        self.assertEqual(bytes(out), frames(packets))

    def test_a_listener_sends_and_a_caller_receives(self):
        target = self.folder / "out.rtpdump"
        sender, port = self.listen("send", "--duration=400ms")
        received = text("receive", f"livetcp://127.0.0.1:{port}", target)
        self.assertEqual(received.returncode, 0, received.stderr)
        self.assertEqual(self.finish(sender)[0], 0)
        found, _ = packets_of(target.read_bytes())
        self.assertGreater(len(found), 2)
        for i, packet in enumerate(found):  # G.711, 20 ms
            self.assertEqual(len(packet), 172)
            self.assertEqual(packet[:2], b"\x80\x00")
        self.assertGreater(len(set(found[0][12:])), 20)  # a tone, not silence

    def test_a_signal_at_a_bit_rate(self):
        receiver, port = self.receive("--json=" + str(self.folder / "r.json"))
        sent = text("send", "--signal=1mbit", "--size=500", "--duration=1s", "--json",
                    f"livetcp://127.0.0.1:{port}")
        self.assertEqual(sent.returncode, 0, sent.stderr)
        self.assertEqual(self.finish(receiver)[0], 0)
        theirs = json.loads(sent.stdout)
        ours = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(theirs["schema"], "livetcp/send/1")
        self.assertEqual(ours["schema"], "livetcp/receive/1")
        self.assertEqual(theirs["session"]["sent"]["packets"],
                         ours["session"]["received"]["packets"])
        self.assertTrue(100 < theirs["session"]["sent"]["packets"] <= 252)

    def test_ctrl_c_ends_with_the_summary(self):
        receiver, port = self.receive()
        sender = self.start("send", f"livetcp://127.0.0.1:{port}")
        for line in sender.stderr:
            if "session open" in line:
                break
        sender.send_signal(signal.SIGINT)
        code, _, err = self.finish(sender)
        self.assertEqual(code, 0, err)
        self.assertRegex(err, r"sent \d+ packets|received 0 packets")
        self.assertEqual(self.finish(receiver)[0], 0)

    def test_a_listener_that_is_kept_serves_one_after_another(self):
        receiver, port = self.receive("--keep")
        for _ in range(2):
            sent = text("send", "--duration=100ms", f"livetcp://127.0.0.1:{port}")
            self.assertEqual(sent.returncode, 0, sent.stderr)
        seen = ""
        for line in receiver.stderr:
            seen += line
            if seen.count("received ") == 2:
                break
        receiver.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(receiver)[0], 0)  # as the last session ended

    def test_a_listener_that_is_kept_and_that_nobody_calls_has_failed(self):
        receiver, _ = self.receive("--keep")
        receiver.send_signal(signal.SIGTERM)
        code, _, err = self.finish(receiver)
        self.assertEqual(code, 1)
        self.assertIn("no caller", err)

    def test_nobody_there(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        done = text("send", f"livetcp://127.0.0.1:{port}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("refused", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_a_fallback_that_cannot_be_reached_is_said_once(self):
        receiver, port = self.listen("receive", "--keep", settings="&fallback=127.0.0.1:9")
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", port), timeout=60) as browser:
                browser.sendall(b"GET / HTTP/1.1\r\n\r\n")
                browser.recv(1)
        receiver.send_signal(signal.SIGTERM)
        said = self.finish(receiver)[2]
        self.assertEqual(said.count("127.0.0.1:9"), 1, said)

    def test_what_a_middlebox_takes_along_when_it_ends_a_session_is_said(self):
        receiver, port = self.receive()
        relay = socket.create_server(("127.0.0.1", 0))

        def carry(source, sink, most):
            carried = 0
            try:
                while data := source.recv(4096):
                    carried += len(data)
                    if carried < most:
                        sink.sendall(data)
                    elif carried > most + 5000:  # it has acknowledged these
                        break
            except OSError:
                pass
            for end in (source, sink):
                end.close()

        def serve():
            caller = relay.accept()[0]
            listener = socket.create_connection(("127.0.0.1", port))
            threading.Thread(target=carry, args=(listener, caller, 1 << 30), daemon=True).start()
            carry(caller, listener, 10000)

        threading.Thread(target=serve, daemon=True).start()
        sent = text("send", "--duration=20s", f"livetcp://127.0.0.1:{relay.getsockname()[1]}"
                    "?connections=1&auto-reconnect=false")
        relay.close()
        self.assertEqual(sent.returncode, 1, sent.stderr)
        found = re.search(r"(\d+) packets were not confirmed by the peer when the session ended",
                          sent.stderr)
        self.assertIsNotNone(found, sent.stderr)
        self.assertGreater(int(found[1]), 20)
        receiver.send_signal(signal.SIGTERM)
        self.finish(receiver)

    def test_a_peer_that_leaves_early_is_an_error(self):
        receiver, port = self.receive("--duration=100ms")
        sent = text("send", f"livetcp://127.0.0.1:{port}")
        self.assertEqual(sent.returncode, 1)
        self.assertIn("before everything was sent", sent.stderr)
        self.assertEqual(self.finish(receiver)[0], 0)

    def test_bad_recordings_are_named(self):
        good = rtpdump([rtp(i) for i in range(3)])
        cases = {"short": (good[:-10], "packet 3 is cut short"),
                 "header": (HEADER[:30], "its header is cut short"),
                 "length": (HEADER + struct.pack("!HHI", 3, 3, 0) + b"x", "impossible length"),
                 "snap": (HEADER + struct.pack("!HHI", 20, 200, 0) + bytes(12),
                          "without all of its payload"),
                 "text": (b"hello, world, this is no RTP\n", "packet 1")}
        for name, (content, says) in cases.items():
            with self.subTest(name):
                file = self.folder / name
                file.write_bytes(content)
                receiver, port = self.receive()
                done = text("send", f"livetcp://127.0.0.1:{port}", file)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(says, done.stderr)
                receiver.send_signal(signal.SIGTERM)
                self.finish(receiver)

    def test_bad_command_lines(self):
        for words, says in ((("send",), "a URI is missing"), (("receive", "http://x"), "livetcp://"),
                            (("send", "livetcp://h:1", "a", "b"), "one file"),
                            (("send", "--signal=loud", "livetcp://h:1"), "--signal loud"),
                            (("send", "--size=5", "livetcp://h:1"), "--size 5"),
                            (("receive", "--format=wav", "livetcp://h:1"), "rtpdump or frames"),
                            (("receive", "--json", "livetcp://h:1", "-"), "standard output"),
                            (("receive", "--duration=long", "livetcp://h:1"), "20ms")):
            with self.subTest(words):
                done = text(*words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(says, done.stderr)
        done = text("send", "livetcp://127.0.0.1:9", self.folder / "none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot read", done.stderr)
        done = text("receive", "livetcp://127.0.0.1:9", pathlib.Path("/nowhere/out"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/out", done.stderr)


if __name__ == "__main__":
    unittest.main()
