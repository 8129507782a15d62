#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""livetcp probe as a user sees it, over the loopback interface: what it finds, and what it says of
peers that are none, files that cannot be written and runs that are interrupted.

usage: probe_command.py LIVETCP
"""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

LIVETCP = os.path.abspath(sys.argv.pop(1))
LIMIT = 60  # seconds; only reached when something hangs
QUICK = ("--samples=20", "--interval=5ms", "--settle=50ms", "--extensions=0", "--quiet",
         "--congestion-control=reno")
SIMULATION = ("--simulate=static,window=500kbit,rate=10mbit,delay=50ms", "--interval=10ms",
              "--settle=1s", "--quantile=1", "--quiet")


def probe(*arguments):
    return subprocess.run([LIVETCP, "probe", *arguments], capture_output=True, text=True,
                          timeout=LIMIT)


class Listener:
    def __enter__(self):
        self.process = subprocess.Popen([LIVETCP, "probe", "--listen=127.0.0.1:0"], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.port = re.match(r"listening on .*:(\d+)", self.process.stdout.readline()).group(1)
        self.peer = f"127.0.0.1:{self.port}"
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.output, self.errors = self.process.communicate(timeout=LIMIT)


def start_until_second_rate(peer):
    prober = subprocess.Popen([LIVETCP, "probe", peer, "--samples=100", "--interval=5ms",
                               "--settle=50ms", "--congestion-control=reno"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in prober.stderr:
        if line.startswith("2.000"):
            break
    return prober


class Stranger:
    """A peer that is no prober: answers whatever comes with `text`, or not at all."""

    def __init__(self, text):
        self.text = text
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.peer = "127.0.0.1:%d" % self.socket.getsockname()[1]

    def __enter__(self):
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()
        return self

    def serve(self):
        connection, _ = self.socket.accept()
        with connection, contextlib.suppress(ConnectionError):
            connection.recv(65536)
            if self.text is not None:
                connection.sendall(self.text)
                while connection.recv(65536):
                    pass

    def __exit__(self, *_):
        self.thread.join()
        self.socket.close()


class Findings(unittest.TestCase):
    def test_a_path_is_probed(self):
        with Listener() as listener, tempfile.TemporaryDirectory() as folder:
            trace, out = os.path.join(folder, "trace"), os.path.join(folder, "out.json")
            with open(trace, "w") as file:
                file.writelines(f"{i * 10000} {1000 + i}\n" for i in range(20))
            ran = probe(listener.peer, *QUICK, "--max-rate=2mbit", f"--json={out}",
                        f"--video={trace}", "--plays=3")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            with open(out) as file:
                found = json.load(file)
        self.assertIn("Path to 127.0.0.1", ran.stdout)
        self.assertIn("This path", ran.stdout)
        self.assertEqual(found["schema"], "livetcp/probe/1")
        self.assertEqual(found["path"]["congestion_control"], "reno")
        self.assertLess(abs(found["path"]["clock_offset_ms"]), 1000)  # of one clock
        self.assertIsNone(found["failure"])
        self.assertFalse(found["interrupted"])
        self.assertEqual(found["rates"][0]["rate_bit_s"], 1e6)
        self.assertGreater(found["rates"][0]["delays"]["total"]["count"], 0)
        if found["rates"][-1]["state"] != "unsteady":  # a machine that stalls may find it so
            self.assertEqual(found["service_curve"]["long_term_bit_s"], 2e6)
        self.assertEqual(found["video"]["frames"], 20)
        self.check_sent(found["video"])

    def check_sent(self, video):
        if video["bound_ms"] is None:  # nothing was steady: it is not sent
            self.assertIsNone(video["sent"])
            return
        self.assertEqual(video["sent"]["count"], 60)
        self.assertEqual(video["sent"]["plays"], 3)
        self.assertGreaterEqual(video["sent"]["frame_quantile_ms"], 0)
        self.assertLessEqual(video["sent"]["frame_quantile_ms"], video["sent"]["max_ms"])

    def test_the_legs_add_up(self):
        with Listener() as listener:
            ran = probe(listener.peer, *QUICK, "--max-rate=1mbit", "--json")
        delays = json.loads(ran.stdout)["rates"][0]["delays"]
        if not delays["network"]:
            self.skipTest("the kernel does not say when packets leave")
        legs = sum(delays[leg]["mean_ms"] for leg in ("sender", "network", "receiver"))
        self.assertAlmostEqual(legs, delays["total"]["mean_ms"], delta=0.5)

    def test_one_listener_serves_several_probers(self):
        with Listener() as listener:
            both = [subprocess.Popen([LIVETCP, "probe", listener.peer, *QUICK, "--max-rate=1mbit"],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    for _ in range(2)]
            for process in both:
                process.communicate(timeout=LIMIT)
                self.assertEqual(process.returncode, 0)
        self.assertEqual(listener.output.count("done"), 2)

    def test_a_simulation_gives_what_is_known_of_it(self):
        ran = probe(*SIMULATION, "--json")
        self.assertEqual(json.loads(ran.stdout)["service_curve"]["long_term_bit_s"], 5e6)


class Peers(unittest.TestCase):
    def check_refused(self, peer, *words):
        ran = probe(peer, *QUICK)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertEqual(ran.stdout, "")
        for word in words:
            self.assertIn(word, ran.stderr)

    def test_nobody_there(self):
        with socket.create_server(("127.0.0.1", 0)) as unused:
            peer = "127.0.0.1:%d" % unused.getsockname()[1]
        self.check_refused(peer, "nothing is listening", "--listen")

    def test_the_file_says_why_there_is_nothing(self):
        with Stranger(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n") as stranger:
            ran = probe(stranger.peer, *QUICK, "--json")
        found = json.loads(ran.stdout)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("is not a livetcp probe", found["failure"])
        self.assertEqual(found["rates"], [])
        self.assertIsNone(found["path"])

    def test_somebody_else(self):
        with Stranger(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n") as stranger:
            self.check_refused(stranger.peer, stranger.peer, "is not a livetcp probe")

    def test_somebody_who_hangs_up(self):
        with Stranger(None) as stranger:
            self.check_refused(stranger.peer, stranger.peer)

    def test_another_version(self):
        with Stranger(b"LTPR\x09" + bytes(60)) as stranger:
            self.check_refused(stranger.peer, "version 9")

    def test_a_host_that_is_not_there(self):
        self.check_refused("no-such-host.invalid:5500", "no-such-host.invalid")

    def test_a_listener_sends_strangers_away_and_stays(self):
        with Listener() as listener:
            with socket.create_connection(("127.0.0.1", int(listener.port))) as stranger:
                stranger.sendall(b"GET / HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\n\r\n")
                with contextlib.suppress(ConnectionError):
                    self.assertEqual(stranger.recv(100), b"")
            ran = probe(listener.peer, *QUICK, "--max-rate=1mbit")
            self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("is not a livetcp probe", listener.errors)

    def test_who_says_nothing_keeps_nobody_out(self):
        with Listener() as listener, contextlib.ExitStack() as stack:
            for _ in range(20):
                stack.enter_context(socket.create_connection(("127.0.0.1", int(listener.port))))
            ran = probe(listener.peer, *QUICK, "--max-rate=1mbit")
            self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_an_address_that_is_taken(self):
        with Listener() as listener:
            ran = probe(f"--listen={listener.peer}")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("cannot listen", ran.stderr)


class Ends(unittest.TestCase):
    def test_a_file_that_cannot_be_written_is_known_at_once(self):
        ran = probe(*SIMULATION, "--json=/nonexistent/out.json")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("/nonexistent/out.json", ran.stderr)
        self.assertEqual(ran.stdout, "")

    def test_a_disk_that_is_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        ran = probe(*SIMULATION, "--json=/dev/full")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("/dev/full", ran.stderr)
        self.assertIn("Mbit/s", ran.stdout)  # what was found is not lost

    def test_an_interrupted_probe_keeps_what_it_has(self):
        with Listener() as listener:
            prober = start_until_second_rate(listener.peer)
            prober.send_signal(signal.SIGINT)
            output, _ = prober.communicate(timeout=LIMIT)
        self.assertEqual(prober.returncode, 0)
        self.assertIn("Interrupted", output)
        self.assertRegex(output, r"\n +1\.000 ")

    def test_an_interrupted_simulation_keeps_what_it_has(self):
        prober = subprocess.Popen([LIVETCP, "probe", "--simulate=adaptive,loss=0.1%,delay=5ms",
                                   "--rate-step=1pps", "--samples=2000", "--json"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        prober.stderr.readline()  # the first rate
        prober.stderr.readline()
        prober.send_signal(signal.SIGINT)
        output, _ = prober.communicate(timeout=LIMIT)
        self.assertEqual(prober.returncode, 0)
        found = json.loads(output)
        self.assertTrue(found["interrupted"])
        self.assertTrue(found["rates"])

    def test_a_listener_that_goes_away(self):
        with Listener() as listener:
            prober = start_until_second_rate(listener.peer)
        output, errors = prober.communicate(timeout=LIMIT)
        self.assertEqual(prober.returncode, 1)
        self.assertIn(listener.peer, errors)
        self.assertRegex(output, r"\n +1\.000 ")  # what was found is not lost

    def test_options_that_make_no_sense(self):
        for arguments, word in (((), "which peer"), (("a:1", "--samples=5"), "--samples"),
                                (("--simulate=slow",), "static"), (("a:1", "--bogus"), "--bogus")):
            ran = probe(*arguments)
            self.assertEqual(ran.returncode, 2, arguments)
            self.assertIn(word, ran.stderr)


if __name__ == "__main__":
    unittest.main()
