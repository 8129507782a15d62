#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""livetcp stat, and the sockets that it reads. usage: stat_test.py LIVETCP"""

import contextlib
import json
import os
import signal
import socket
import stat
import unittest

from common import ToolTest, environment, text


class Stat(ToolTest):
    def setUp(self):
        super().setUp()
        self.sockets = self.folder / "stats"
        self.sockets.mkdir(0o700)
        self.env = environment(LIVETCP_STATS_DIR=str(self.sockets))

    def pair(self):
        """A receiver and a sender, with a session between them."""
        receiver, port = self.listen("receive", env=self.env)
        sender = self.start("send", f"livetcp://127.0.0.1:{port}?connections=2", env=self.env)
        for line in sender.stderr:
            if "session open" in line:
                break
        return receiver, sender

    def end(self, *processes):
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            self.finish(process)

    def name(self, process):
        return self.sockets / f"{process.pid}-1.sock"

    def test_both_ends_are_shown_and_leave_nothing(self):
        receiver, sender = self.pair()
        for process in (receiver, sender):
            mode = os.stat(self.name(process)).st_mode
            self.assertTrue(stat.S_ISSOCK(mode))
            self.assertEqual(stat.S_IMODE(mode), 0o600)
        table = text("stat", "-c", "--count=2", "--interval=50ms", env=self.env)
        self.assertEqual(table.returncode, 0, table.stderr)
        for process in (receiver, sender):
            self.assertIn(f"{process.pid} livetcp", table.stdout)
        self.assertRegex(table.stdout, rf"{sender.pid} livetcp +127.0.0.1:\d+ +open +2/2 +auto")
        self.assertIn("listening", table.stdout)
        self.assertIn("kbit/s", table.stdout)
        one = text("stat", "--json", str(sender.pid), env=self.env)
        documents = [json.loads(line) for line in one.stdout.splitlines()]
        self.assertEqual([d["pid"] for d in documents], [sender.pid])
        session = documents[0]["sessions"][0]
        self.assertEqual(documents[0]["schema"], "livetcp/stats/1")
        self.assertGreater(session["sent"]["accepted"], 0)
        self.assertEqual(len(session["connection_stats"]), 2)
        self.end(sender, receiver)
        self.assertEqual(list(self.sockets.iterdir()), [])

    def test_what_is_left_behind_is_skipped_and_said(self):
        receiver, sender = self.pair()
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(self.sockets / "999999-1.sock"))
        (self.sockets / "note.txt").write_text("not a socket of ours")
        done = text("stat", env=self.env)
        self.assertEqual(done.returncode, 0)
        self.assertIn("999999-1.sock: left behind", done.stderr)
        self.assertNotIn("note.txt", done.stderr)
        self.end(sender, receiver)

    def test_readers_that_never_read_do_not_stop_anything(self):
        receiver, sender = self.pair()
        deaf = []
        for _ in range(8):
            reader = socket.socket(socket.AF_UNIX)
            self.addCleanup(reader.close)
            reader.connect(str(self.name(sender)))
            reader.setblocking(False)
            deaf.append(reader)
        asked = 0
        for _ in range(3000):  # more than their socket buffers hold of answers
            for reader in deaf:
                try:
                    asked += reader.send(b"\n")
                except (BlockingIOError, BrokenPipeError, ConnectionResetError):
                    pass
        self.assertGreater(asked, 0)
        # the next one hears that there are too many
        done = text("stat", str(sender.pid), env=self.env)
        self.assertIn("too many readers", done.stderr)
        for reader in deaf:
            reader.close()
        self.assertIsNone(sender.poll())
        before = self.accepted(sender)
        self.assertGreater(self.accepted(sender, more_than=before), before)
        self.end(sender, receiver)
        self.assertEqual(sender.returncode, 0)

    def accepted(self, sender, more_than=-1):
        for _ in range(2000):
            done = text("stat", "--json", str(sender.pid), env=self.env)
            for line in done.stdout.splitlines():
                count = json.loads(line)["sessions"][0]["sent"]["accepted"]
                if count > more_than:
                    return count
        self.fail("the sender does not send")

    def test_a_reader_that_leaves_before_the_answer_ends_nobody(self):
        receiver, sender = self.pair()
        for _ in range(200):
            with socket.socket(socket.AF_UNIX) as reader:
                reader.connect(str(self.name(sender)))
                with contextlib.suppress(BrokenPipeError):  # one of too many was told so already
                    reader.send(b"\n")
        self.accepted(sender)
        self.assertIsNone(sender.poll())
        self.end(sender, receiver)

    def test_a_directory_that_does_not_exist_is_a_warning_once(self):
        env = environment(LIVETCP_STATS_DIR=str(self.folder / "none"))
        receiver, port = self.listen("receive", env=env)
        sent = text("send", "--duration=100ms", f"livetcp://127.0.0.1:{port}", env=env)
        self.assertEqual(sent.returncode, 0, sent.stderr)
        self.assertEqual(sent.stderr.count("LIVETCP_STATS_DIR"), 1)
        self.assertIn("no such file or directory", sent.stderr)
        self.assertEqual(self.finish(receiver)[0], 0)
        long = environment(LIVETCP_STATS_DIR=str(self.folder) + "/." * 100)
        sent = text("send", "livetcp://127.0.0.1:9", env=long)
        self.assertIn("name too long", sent.stderr)

    def test_nobody_answers(self):
        done = text("stat", "--dir", str(self.sockets))
        self.assertEqual(done.returncode, 1)
        self.assertIn("LIVETCP_STATS_DIR=", done.stderr)
        done = text("stat", env={k: v for k, v in os.environ.items() if k != "LIVETCP_STATS_DIR"})
        self.assertEqual(done.returncode, 2)
        done = text("stat", "--dir", str(self.folder / "none"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("No such file", done.stderr)


if __name__ == "__main__":
    unittest.main()
