#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""livetcp relay --tokens: who is let in to which route, and what the others are told.
usage: tokens_test.py LIVETCP"""

import json
import signal
import unittest

from relays import RelayTest, port_of, rtp, text

PASSPHRASE = "passphrase=correct-horse-battery"
PUBLISHER, VIEWER, BOTH = (name + "-0123456789abcdef" for name in ("studio", "viewer", "intercom"))


class Admission(RelayTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "tokens.json"
        self.file.write_text(json.dumps({"tokens": [
            {"token": PUBLISHER, "sub": "studio", "roles": ["publish"]},
            {"token": VIEWER, "sub": "*", "roles": ["subscribe"]},
            {"token": BOTH, "sub": "studio", "roles": ["publish", "subscribe"]}]}))

    def hub(self, *arguments, name="/studio"):
        """A relay between callers of a stream and a program, and that program's socket."""
        there = self.socket()
        hub = self.relay(*arguments, f"livetcp://127.0.0.1:0{name}?mode=listener&{PASSPHRASE}",
                         f"udp://127.0.0.1:{port_of(there)}?encap=rtp")
        return hub, hub.port(), there

    def caller(self, port, token="", role="both", stream="studio", settings=PASSPHRASE):
        token = f"&token={token}" if token else ""
        return self.relay("udp://@127.0.0.1:0?encap=rtp",
                          f"livetcp://127.0.0.1:{port}/{stream}?{settings}&role={role}{token}")

    def send(self, caller, sequence):
        self.socket().sendto(rtp(sequence), ("127.0.0.1", caller.port()))

    def test_a_token_and_its_role_are_let_in(self):
        hub, port, there = self.hub(f"--tokens={self.file}")
        for token, role, stream, words in [
                ("", "both", "studio", "this listener wants a token"),
                ("nobody-knows-this-token", "both", "studio", "the token is not known here"),
                (VIEWER, "publish", "studio", r"does not allow that \(roles\)"),
                (PUBLISHER, "both", "studio", "does not allow to publish and subscribe: set role"),
                (PUBLISHER, "publish", "attic", r"not for this stream \(sub\)"),
                (VIEWER, "subscribe", "attic", "no route of the relay has this name")]:
            with self.subTest(words=words):
                caller = self.caller(port, token, role, stream)
                caller.wait_for(words)
                hub.wait_for(words)
                self.assertEqual(caller.end()[0], 0)
        self.assertFalse(hub.said("session open"), hub.lines)
        publisher = self.caller(port, PUBLISHER, "publish")
        publisher.wait_for("session open")
        self.send(publisher, 7)
        self.assertEqual(there.recv(100), rtp(7))
        self.caller(port, BOTH).wait_for("session open")
        hub.end()
        for token in PUBLISHER, VIEWER, BOTH, "nobody-knows":
            self.assertFalse(hub.said(token), "a token is shown")

    def test_who_subscribes_gets_media_and_is_not_heard(self):
        hub, port, there = self.hub(f"--tokens={self.file}")
        publisher = self.caller(port, PUBLISHER, "publish")
        viewer = self.caller(port, VIEWER, "subscribe")
        viewer.wait_for("session open")
        publisher.wait_for("session open")
        hub.wait_for("session open", 2)
        here = self.socket()  # the programs of the two
        here.sendto(rtp(1), ("127.0.0.1", viewer.port()))
        watching = self.socket()
        watching.sendto(rtp(2), ("127.0.0.1", publisher.port()))
        datagram, hub_address = there.recvfrom(100)
        self.assertEqual(datagram, rtp(2))  # not rtp(1): the viewer may not
        there.sendto(rtp(3), hub_address)
        self.assertEqual(here.recv(100), rtp(3))
        watching.settimeout(0.3)
        with self.assertRaises(TimeoutError):
            watching.recv(100)  # who only publishes is sent no media

    def test_one_publisher_at_a_time(self):
        for arguments in ((), (f"--tokens={self.file}",)):
            with self.subTest(arguments=arguments):
                hub, port, there = self.hub(*arguments)
                first = self.caller(port, PUBLISHER, "publish")
                first.wait_for("session open")
                hub.wait_for("session open")
                second = self.caller(port, PUBLISHER, "publish")
                second.wait_for("another caller publishes this stream")
                hub.wait_for("another caller publishes this stream")
                self.send(first, 1)
                self.assertEqual(there.recv(100), rtp(1))
                first.end()
                second.wait_for("session open")  # it calls again, and is next
                self.send(second, 2)
                self.assertEqual(there.recv(100), rtp(2))
                hub.end()

    def test_a_route_without_protection_is_not_added(self):
        config = self.folder / "routes.yaml"
        good = f"routes:\n  one: {{in: 'livetcp://127.0.0.1:0?mode=listener&{PASSPHRASE}', " \
            "out: 'udp://127.0.0.1:9'}\n"
        config.write_text(good)
        hub = self.relay(f"--tokens={self.file}", "--config", config)
        if hub.process.poll() == 2:
            self.skipTest("this livetcp was built without libyaml")
        hub.port()
        config.write_text(good + "  two: {in: 'livetcp://127.0.0.1:0?mode=listener', "
                          "out: 'udp://127.0.0.1:9'}\n")
        hub.process.send_signal(signal.SIGHUP)
        hub.wait_for("two: .*under TLS or a passphrase only")
        self.assertEqual(len(hub.said("listening on port")), 1, hub.lines)
        self.assertEqual(hub.end()[0], 0)

    def test_a_file_that_changes_is_read_again(self):
        hub, port, _ = self.hub(f"--tokens={self.file}")
        self.file.write_text(json.dumps({"tokens": [
            {"token": "new-" + BOTH, "sub": "studio", "roles": ["publish", "subscribe"]}]}))
        self.caller(port, BOTH).wait_for("the token is not known here")
        hub.wait_for("read the tokens again")
        self.caller(port, "new-" + BOTH).wait_for("session open")
        self.file.write_text("{")
        self.caller(port, "new-" + BOTH).wait_for("session open")
        hub.wait_for("the tokens before stay in use: .*not JSON")
        self.assertEqual(hub.end()[0], 0)

    def test_bad_input(self):
        wrong = self.folder / "wrong.json"
        wrong.write_text('{"tokens": [{"token": "' + PUBLISHER + '"}]}')
        secure = f"livetcp://127.0.0.1:0?mode=listener&{PASSPHRASE}"
        for file, end, words in [
                (self.file, "livetcp://127.0.0.1:0?mode=listener",
                 "livetcp://127.0.0.1:0?mode=listener: --tokens: tokens come under TLS or a passphrase only"),
                (self.file, f"livetcp://h:1?{PASSPHRASE}", "--tokens is for ends that wait"),
                (self.folder / "missing.json", secure, "cannot read"),
                (wrong, secure, "tokens, number 1: sub is missing")]:
            with self.subTest(words=words):
                done = text("relay", f"--tokens={file}", end, "udp://127.0.0.1:9")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(words, done.stderr)
                self.assertNotIn(PUBLISHER, done.stderr)


if __name__ == "__main__":
    unittest.main()
