#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""livetcp relay --metrics: what Prometheus reads, and what it says to others.
usage: metrics_test.py LIVETCP"""

import http.client
import re
import shutil
import socket
import subprocess
import unittest

from relays import PATIENCE_S, RelayTest, port_of, text

PROMTOOL = shutil.which("promtool")


class Metrics(RelayTest):
    def setUp(self):
        super().setUp()
        done = text("relay", "--metrics=nowhere", "udp://@127.0.0.1:0", "livetcp://127.0.0.1:0?mode=listener")
        if "built without libmicrohttpd" in done.stderr:
            self.skipTest("this livetcp was built without libmicrohttpd")

    def ask(self, port, path="/metrics", method="GET", body=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        self.addCleanup(connection.close)
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"], answer.read().decode()

    def value(self, page, name, **labels):
        for line in page.splitlines():
            found = re.fullmatch(rf"{name}\{{(.*)\}} (\S+)", line)
            if found and all(f'{k}="{v}"' in found[1] for k, v in labels.items()):
                return float(found[2])
        self.fail(f"{name} {labels} is not in\n{page}")

    def test_figures_of_a_route(self):
        there = self.socket()
        far = self.relay("--metrics=127.0.0.1:0", "livetcp://127.0.0.1:0?mode=listener",
                         f"udp://127.0.0.1:{port_of(there)}")
        near = self.relay("--metrics=[::1]:0" if socket.has_dualstack_ipv6() else "-q",
                          "udp://@127.0.0.1:0", f"livetcp://127.0.0.1:{far.port()}?connections=2")
        near.wait_for("session open")
        here = self.socket()
        for _ in range(10):
            here.sendto(bytes(88), ("127.0.0.1", near.port()))
        for _ in range(10):
            there.recv(100)
        port = int(far.wait_for(r"metrics at http://127.0.0.1:(\d+)/metrics")[1])
        status, kind, page = self.ask(port)
        self.assertEqual((status, kind), (200, "text/plain; version=0.0.4; charset=utf-8"))
        self.assertEqual(self.value(page, "livetcp_relay_packets_total", end="in",
                                    direction="in"), 10)
        self.assertEqual(self.value(page, "livetcp_relay_bytes_total", end="in",
                                    direction="in"), 1000)  # with the headers of RTP
        self.assertEqual(self.value(page, "livetcp_relay_bytes_total", end="out1",
                                    direction="out"), 880)
        self.assertEqual(self.value(page, "livetcp_received_packets_total", stream="", end="in"), 10)
        self.assertGreater(self.value(page, "livetcp_connection_received_packets_total",
                                      connection="0") +
                           self.value(page, "livetcp_connection_received_packets_total",
                                      connection="1"), 9)
        if PROMTOOL:
            checked = subprocess.run([PROMTOOL, "check", "metrics"], input=page, text=True,
                                     capture_output=True, timeout=PATIENCE_S)
            self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))
        far.end()

    def test_names_are_escaped_and_types_are_given_once(self):
        config = self.folder / "routes.yaml"
        config.write_text("routes:\n  a.b-c_1: {in: 'udp://@127.0.0.1:0', out: 'udp://127.0.0.1:9'}\n"
                          "  z: {in: 'udp://@127.0.0.1:0', out: 'udp://127.0.0.1:9'}\n")
        relay = self.relay("--metrics=127.0.0.1:0", "--config", config)
        page = self.ask(int(relay.wait_for(r"metrics at .*:(\d+)/")[1]))[2]
        self.assertIn('livetcp_relay_packets_total{stream="a.b-c_1",end="out1",direction="in"} 0',
                      page)
        self.assertIn("livetcp_relay_streams 2\n", page)
        types = re.findall(r"(?m)^# TYPE (\S+)", page)
        self.assertEqual(len(types), len(set(types)))

    def test_other_requests(self):
        relay = self.relay("--metrics=127.0.0.1:0", "udp://@127.0.0.1:0",
                           "livetcp://127.0.0.1:0?mode=listener")
        port = int(relay.wait_for(r"metrics at .*:(\d+)/")[1])
        self.assertEqual(self.ask(port, "/")[0], 404)
        self.assertEqual(self.ask(port, "/metrics", "POST", "x" * 100000)[0], 405)
        for garbage in b"\0" * 1000, b"GET " + b"/" * 100000, b"\x16\x03\x01" * 100:
            with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as client:
                try:
                    client.sendall(garbage)
                except OSError:
                    pass
        idle = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        self.addCleanup(idle.close)
        self.assertEqual(self.ask(port)[0], 200)
        code, took = relay.end()
        self.assertEqual(code, 0)
        self.assertLess(took, 10)

    def test_bad_addresses(self):
        taken = socket.socket()
        self.addCleanup(taken.close)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for address, says in (("localhost:1", "such as 127.0.0.1:9464"), ("127.0.0.1", "such as"),
                              ("127.0.0.1:99999", "such as"), ("[::1:5", "such as"),
                              (f"127.0.0.1:{port_of(taken)}", "another program has the port")):
            done = text("relay", "--metrics", address, "udp://@127.0.0.1:0",
                        "livetcp://127.0.0.1:0?mode=listener")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main()
