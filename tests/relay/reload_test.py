#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""livetcp relay --config: routes in a file, and SIGHUP.
usage: reload_test.py LIVETCP"""

import signal
import unittest

from relays import PATIENCE_S, RelayTest, port_of, text


class Reload(RelayTest):
    def setUp(self):
        super().setUp()
        self.config = self.folder / "routes.yaml"
        self.config.write_text("x")
        if "built without libyaml" in text("relay", "--config", self.config).stderr:
            self.skipTest("this livetcp was built without libyaml")

    def write(self, **routes):
        self.config.write_text("routes:\n" + "".join(
            f"  {name}:\n    in: {ends[0]}\n    out: {ends[1]}\n"
            for name, ends in routes.items()))

    def reload(self, relay, count):
        relay.process.send_signal(signal.SIGHUP)
        return relay.wait_for(r"(\d+) routes stay, (\d+) ended, (\d+) started", count).groups()

    def test_routes_that_stay_are_not_disturbed(self):
        there, other = self.socket(), self.socket()
        ports = [self.free_pair() for _ in range(3)]
        stay = (f"udp://127.0.0.1:{ports[0]}", f"udp://127.0.0.1:{port_of(there)}")
        session = (f"livetcp://127.0.0.1:{ports[1]}?mode=listener",
                   f"udp://127.0.0.1:{port_of(other)}")
        moves = f"udp://127.0.0.1:{ports[2]}"
        self.write(stay=stay, session=session, moves=(moves, f"udp://127.0.0.1:{port_of(other)}"))
        relay = self.relay("--config", self.config)
        near = self.relay("udp://@127.0.0.1:0", f"livetcp://127.0.0.1:{ports[1]}")
        near.wait_for("session open")
        here = self.socket()

        def check():
            here.sendto(b"1", ("127.0.0.1", ports[0]))
            self.assertEqual(there.recv(10), b"1")
            here.sendto(b"2", ("127.0.0.1", near.port()))
            self.assertEqual(other.recv(10), b"2")

        check()
        # One goes elsewhere from the same port, one comes.
        self.write(new=("udp://@127.0.0.1:0", "udp://127.0.0.1:9"), session=session, stay=stay,
                   moves=(moves, f"udp://127.0.0.1:{port_of(there)}"))
        self.assertEqual(self.reload(relay, 1), ("2", "1", "2"))
        check()
        here.sendto(b"3", ("127.0.0.1", ports[2]))
        self.assertEqual(there.recv(10), b"3")
        # A bad file changes nothing.
        self.config.write_text("routes:\n  stay: {in: 7}\n")
        relay.process.send_signal(signal.SIGHUP)
        relay.wait_for(r"routes.yaml:2: .*all routes stay as they were")
        check()
        # A port that is taken leaves one route out.
        self.write(stay=stay, session=session,
                   bad=(f"udp://127.0.0.1:{port_of(there)}", "udp://127.0.0.1:9"))
        self.assertEqual(self.reload(relay, 2), ("2", "2", "0"))
        relay.wait_for("bad: .*another program has the port.*the route is not started")
        check()
        # A listener ends, and its caller learns it.
        self.write(stay=stay)
        self.assertEqual(self.reload(relay, 3), ("1", "1", "0"))
        near.wait_for("the peer closed the session")
        self.write(stay=stay, session=session)
        self.assertEqual(self.reload(relay, 4), ("1", "0", "1"))
        near.wait_for("session open", 2)
        check()
        self.assertEqual(len(near.said("session open")), 2)
        code, _ = relay.end()
        self.assertEqual(code, 0)

    def test_sighup_without_a_file(self):
        relay = self.relay("udp://@127.0.0.1:0", "udp://127.0.0.1:9")
        relay.port()
        relay.process.send_signal(signal.SIGHUP)
        relay.wait_for("reads the file of --config again, and there is none")

    def test_bad_files(self):
        for content, says in (("routes: {}", "there is no route"),
                              ("routes:\n  a: {in: udp://:5, out: x}\n", "routes.yaml:2: 'x'"),
                              ("{" * 1000, "no YAML")):
            self.config.write_text(content)
            done = text("relay", "--config", self.config)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(says, done.stderr)
        done = text("relay", "--config", self.folder / "none")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot read", done.stderr)
        self.config.write_bytes(b"#" * (5 << 20))
        self.assertIn("longer than 4 MiB", text("relay", "--config", self.config).stderr)


if __name__ == "__main__":
    unittest.main()
