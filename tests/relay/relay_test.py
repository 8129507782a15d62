#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""livetcp relay: ends, directions, what stays when peers leave, and how it ends.
usage: relay_test.py LIVETCP"""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

from relays import PATIENCE_S, RelayTest, port_of, report, rtp, text


class Relaying(RelayTest):
    def pair(self, near="udp://@127.0.0.1:0", far="udp://127.0.0.1:{}", settings="",
             extra=()):
        """Two relays between a program that sends to us, and one that listens: (near, far, its
        port, the listening program's socket)."""
        there = self.socket()
        far_relay = self.relay("livetcp://127.0.0.1:0?mode=listener" + settings,
                               far.format(port_of(there)), *extra)
        near_relay = self.relay(near, f"livetcp://127.0.0.1:{far_relay.port()}{settings}", *extra)
        near_relay.wait_for("session open")
        far_relay.wait_for("session open")
        return near_relay, far_relay, near_relay.port(), there

    def test_datagrams_both_ways(self):
        near, far, port, there = self.pair()
        here = self.socket()
        sent = [bytes([i % 256]) * (i * 7) for i in range(200)]  # the first is empty
        for datagram in sent:
            here.sendto(datagram, ("127.0.0.1", port))
        got, answer_to = [], None
        for _ in sent:
            datagram, answer_to = there.recvfrom(65535)
            got.append(datagram)
        self.assertEqual(sorted(got), sorted(sent))
        for i in range(50):
            there.sendto(b"answer %d" % i, answer_to)
        answers = {here.recv(100) for _ in range(50)}
        self.assertEqual(answers, {b"answer %d" % i for i in range(50)})
        for relay in far, near:
            code, took = relay.end()
            self.assertEqual(code, 0, relay.lines)
            self.assertLess(took, 20)
        self.assertTrue(near.said(r"relayed 200 packets from IN and 50 from OUT"), near.lines)

    def test_answers_go_to_the_latest_program(self):
        near, _, port, there = self.pair()
        for name in b"one", b"two":
            here = self.socket()
            here.sendto(name, ("127.0.0.1", port))
            datagram, back = there.recvfrom(100)
            self.assertEqual(datagram, name)
            there.sendto(b"for " + name, back)
            self.assertEqual(here.recv(100), b"for " + name)
        near.wait_for("a program sends from", 2)

    def multicaster(self, address="127.0.0.1"):
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(made.close)
        made.bind((address, 0))
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
        return made

    def test_multicast_from_one_source_and_its_type_of_service(self):
        there, port, group = self.socket(), self.free_pair(), "232.77.1.1"
        to_group = self.relay("udp://127.0.0.1:0", f"udp://{group}:{port}?adapter=127.0.0.1&ttl=1&iptos=0xb8")
        from_group = self.relay(f"udp://{group}:{port}?adapter=127.0.0.1&source=127.0.0.1",
                                f"udp://127.0.0.1:{port_of(there)}")
        from_group.port()
        listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(listening.close)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((group, port))
        listening.settimeout(PATIENCE_S)
        listening.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                             socket.inet_aton(group) + socket.inet_aton("127.0.0.1"))
        listening.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        self.socket().sendto(b"relayed", ("127.0.0.1", to_group.port()))
        datagram, extra, _, _ = listening.recvmsg(100, 100)
        self.assertEqual(datagram, b"relayed")
        self.assertEqual(extra[0][2], b"\xb8")
        self.multicaster("127.0.0.3").sendto(b"another source", (group, port))
        self.multicaster().sendto(b"this source", (group, port))
        # The last socket that was bound to a group may get all; the relay is asked without it.
        listening.close()
        self.multicaster("127.0.0.3").sendto(b"another source", (group, port))
        self.multicaster().sendto(b"this source again", (group, port))
        got = there.recv(100)
        while got in (b"relayed", b"this source"):
            got = there.recv(100)
        self.assertEqual(got, b"this source again")

    def test_names_are_looked_up(self):
        there = self.socket()
        relay = self.relay("udp://@localhost:0", f"udp://localhost:{port_of(there)}")
        port = relay.port()
        for _ in range(1000):  # the other name may take longer
            self.socket().sendto(b"x", ("127.0.0.1", port))
            there.settimeout(0.2)
            try:
                self.assertEqual(there.recv(10), b"x")
                break
            except TimeoutError:
                pass
        else:
            self.fail(relay.lines)
        lost = self.relay("udp://127.0.0.1:0", "udp://no-such-host.invalid:9")
        lost.wait_for("no-such-host.invalid:9: .*trying again in 5 s")
        self.assertEqual(lost.end()[0], 0)

    def in_a_place_without_dns(self, *arguments):
        """A relay where the only server of names never answers."""
        resolver = self.folder / "resolv.conf"
        resolver.write_text("nameserver 127.0.0.1\noptions timeout:30\n")
        place = ["unshare", "--map-root-user", "--mount", "--net", "sh", "-c", f"""
            ip link set lo up && mount --bind {resolver} /etc/resolv.conf || exit 77
            rm -f {resolver}.serves; exec 3<&0
            python3 -c 'if True:
                import pathlib, socket, sys
                server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                server.bind(("127.0.0.1", 53))
                pathlib.Path("{resolver}.serves").touch()
                sys.stdin.read()' <&3 >/dev/null 2>&1 &
            until [ -e {resolver}.serves ]; do sleep 0.02; done
            exec "$@" """, "sh"]
        if subprocess.run([*place, "true"], stdin=subprocess.DEVNULL, capture_output=True,
                          check=False).returncode:
            self.skipTest("no namespaces")
        return self.relay(*arguments, place=place, stdin=subprocess.PIPE)

    def test_names_that_nobody_looks_up_hold_up_nothing(self):
        for far in "udp://far.example:5000", "srt://far.example:5000":
            with self.subTest(far):
                relay = self.in_a_place_without_dns("udp://127.0.0.1:0", far)
                if relay.process.poll() == 2:
                    continue  # built without libsrt
                relay.wait_for("waiting for datagrams")
                time.sleep(0.2)
                code, took = relay.end()
                self.assertEqual(code, 0, relay.lines)
                self.assertLess(took, 15)  # the server has 30 s
                self.assertTrue(relay.said("relayed 0 packets"), relay.lines)

    def test_only_the_host_that_is_sent_to_is_heard(self):
        near, far, port, there = self.pair()
        here = self.socket()
        here.sendto(b"hello", ("127.0.0.1", port))
        _, back = there.recvfrom(100)
        stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(stranger.close)
        stranger.bind(("127.0.0.2", 0))
        stranger.sendto(b"from a stranger", back)
        far.wait_for("127.0.0.2:[0-9]+ is dropped: only 127.0.0.1 is accepted")
        there.sendto(b"from the program", back)
        self.assertEqual(here.recv(100), b"from the program")

    def test_rtp_and_rtcp_have_two_ports(self):
        media, control = self.pair_of_ports()
        far = self.relay("livetcp://127.0.0.1:0?mode=listener",
                         f"rtp://127.0.0.1:{port_of(media)}")
        port = self.free_pair()
        near = self.relay(f"rtp://127.0.0.1:{port}", f"livetcp://127.0.0.1:{far.port()}")
        near.wait_for("session open")
        here, here_control = self.pair_of_ports()
        here.sendto(rtp(1), ("127.0.0.1", port))
        here_control.sendto(report(), ("127.0.0.1", port + 1))
        packet, back = media.recvfrom(2000)
        self.assertEqual(packet, rtp(1))
        packet, back_control = control.recvfrom(2000)
        self.assertEqual(packet, report())
        media.sendto(rtp(2, ssrc=7), back)
        control.sendto(report(7), back_control)
        self.assertEqual(here.recv(2000), rtp(2, ssrc=7))
        self.assertEqual(here_control.recv(2000), report(7))
        here.sendto(b"no RTP at all", ("127.0.0.1", port))
        near.wait_for("13 bytes is not relayed: it is neither RTP nor RTCP")

    def test_rtcp_on_the_same_port_or_off(self):
        for mode in "mux", "off":
            with self.subTest(mode):
                media = self.socket()
                far = self.relay("livetcp://127.0.0.1:0?mode=listener",
                                 f"rtp://127.0.0.1:{port_of(media)}?rtcp={mode}")
                port = self.free_pair()
                near = self.relay(f"rtp://127.0.0.1:{port}?rtcp={mode}",
                                  f"livetcp://127.0.0.1:{far.port()}")
                near.wait_for("session open")
                here = self.socket()
                here.sendto(report(), ("127.0.0.1", port))
                here.sendto(rtp(1), ("127.0.0.1", port))
                first = media.recv(2000)
                if mode == "mux":
                    self.assertEqual({first, media.recv(2000)}, {rtp(1), report()})
                else:
                    self.assertEqual(first, rtp(1))
                near.end()
                far.end()

    def test_transport_streams_are_rfc_2250_between_the_relays(self):
        there = self.socket()
        watcher, port = self.listen("receive", str(self.folder / "x.rtpdump"))
        near = self.relay("udp://@127.0.0.1:0?encap=ts", f"livetcp://127.0.0.1:{port}")
        near.wait_for("session open")
        here = self.socket()
        packets = [b"".join(b"G" + bytes([i] * 187) for _ in range(7)) for i in range(20)]
        for packet in packets:
            here.sendto(packet, ("127.0.0.1", near.port()))
        here.sendto(packets[0][:1000], ("127.0.0.1", near.port()))
        near.wait_for("1000 bytes is not relayed: it is no whole number of MPEG-TS packets")
        self.assertEqual(near.end()[0], 0)
        self.assertEqual(self.finish(watcher)[0], 0)
        dump = (self.folder / "x.rtpdump").read_bytes()
        for packet in packets:
            header = dump.index(packet) - 12
            self.assertEqual(dump[header:header + 2], b"\x80\x21")  # payload type 33

    def test_transport_streams_come_out_as_they_were(self):
        near, far, port, there = self.pair("udp://@127.0.0.1:0?encap=ts",
                                           "udp://127.0.0.1:{}?encap=ts")
        here = self.socket()
        packets = [b"".join(b"G" + bytes([i] * 187) for _ in range(1 + i % 7)) for i in range(100)]
        for packet in packets:
            here.sendto(packet, ("127.0.0.1", port))
        self.assertEqual([there.recv(2000) for _ in packets], packets)

    def test_both_ends_need_the_same_encap(self):
        near, far, port, there = self.pair("udp://@127.0.0.1:0?encap=ts", "udp://127.0.0.1:{}")
        self.socket().sendto(b"G" + bytes(187), ("127.0.0.1", port))
        far.wait_for("a packet of payload type 33 is dropped: .* the same encap and pt")

    def test_one_to_many_and_a_slow_one_costs_only_itself(self):
        hub = self.relay("udp://@127.0.0.1:0", "livetcp://127.0.0.1:0?mode=listener&policy=single")
        hub_port = hub.port(1), hub.port(2)
        udp = int(hub.wait_for(r"waiting for datagrams on port (\d+)")[1])
        tcp = next(p for p in hub_port if p != udp)
        sockets, viewers = [self.socket() for _ in range(4)], []
        for made in sockets:
            viewers.append(self.relay(f"livetcp://127.0.0.1:{tcp}?policy=single&connections=1",
                                      f"udp://127.0.0.1:{port_of(made)}"))
        hub.wait_for("session open", 4)
        viewers[0].process.send_signal(signal.SIGSTOP)
        here, count = self.socket(), 6000  # more than all buffers of the slow one hold
        counts = [0] * 4

        def read(i):
            while counts[i] < count:
                sockets[i].recv(2000)
                counts[i] += 1

        readers = [threading.Thread(target=read, args=(i,), daemon=True) for i in (1, 2, 3)]
        for reader in readers:
            reader.start()
        for i in range(count):
            here.sendto(bytes(1200), ("127.0.0.1", udp))
            if i % 20 == 19:
                wait_until = time.monotonic() + PATIENCE_S
                while min(counts[1:]) < i - 100 and time.monotonic() < wait_until:
                    time.sleep(0.001)
        for reader in readers:
            reader.join(PATIENCE_S)
        self.assertEqual(counts[1:], [count] * 3)
        viewers[0].process.send_signal(signal.SIGCONT)
        self.assertEqual(hub.end()[0], 0)

    def test_names_of_streams_choose_the_route(self):
        port, there, other = self.free_pair(), self.socket(), self.socket()
        config = self.folder / "routes.yaml"
        config.write_text(
            f"routes:\n  one: {{in: 'livetcp://:{port}/one', "
            f"out: 'udp://127.0.0.1:{port_of(there)}'}}\n"
            f"  two: {{in: 'livetcp://:{port}/two', "
            f"out: 'udp://127.0.0.1:{port_of(other)}?encap=ts'}}\n")
        hub = self.relay("--config", config)
        if hub.process.poll() == 2:
            self.skipTest("this livetcp was built without libyaml")
        hub.wait_for("two: listening on port .*, stream two")
        here = self.socket()
        for name, key, target, datagram in (("one", "", there, b"for one"),
                                            ("two", "?encap=ts", other, b"G" + bytes(187))):
            near = self.relay(f"udp://@127.0.0.1:0{key}", f"livetcp://127.0.0.1:{port}/{name}")
            hub.wait_for(f"{name}: .*session open")
            near.wait_for("session open")
            here.sendto(datagram, ("127.0.0.1", near.port()))
            self.assertEqual(target.recv(1000), datagram)
        stranger = self.relay("udp://@127.0.0.1:0",
                              f"livetcp://127.0.0.1:{port}/three")
        stranger.wait_for("no route of the relay has this name")
        self.assertEqual(hub.end()[0], 0)
        for names, says in ((("one", "one"), "for the name 'one' already"),
                            (("one", "two?max-sessions=7"), "the same settings, but for")):
            config.write_text("routes:\n" + "".join(
                f"  r{i}: {{in: 'livetcp://:{port}/{name}', out: 'udp://127.0.0.1:9'}}\n"
                for i, name in enumerate(names)))
            done = text("relay", "--config", config)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(says, done.stderr)

    def test_it_goes_on_when_a_peer_leaves_and_comes_back(self):
        there = self.socket()
        far = self.relay("livetcp://127.0.0.1:0?mode=listener", f"udp://127.0.0.1:{port_of(there)}")
        port = far.port()
        here = self.socket()
        for i in range(2):
            near = self.relay("udp://@127.0.0.1:0", f"livetcp://127.0.0.1:{port}")
            near.wait_for("session open")
            here.sendto(b"%d" % i, ("127.0.0.1", near.port()))
            self.assertEqual(there.recv(100), b"%d" % i)
            self.assertEqual(near.end()[0], 0)
            far.wait_for("closed the session", i + 1)
        # And the other way: the caller calls again.
        near = self.relay("udp://@127.0.0.1:0", f"livetcp://127.0.0.1:{port}")
        near.wait_for("session open")
        self.assertEqual(far.end()[0], 0)
        far = self.relay(f"livetcp://127.0.0.1:{port}?mode=listener",
                         f"udp://127.0.0.1:{port_of(there)}")
        near.wait_for("session open", 2)
        here.sendto(b"again", ("127.0.0.1", near.port()))
        self.assertEqual(there.recv(100), b"again")

    def test_once_and_timeout(self):
        far = self.relay("--once", "livetcp://127.0.0.1:0?mode=listener", "udp://127.0.0.1:9")
        near = self.relay("udp://@127.0.0.1:0", f"livetcp://127.0.0.1:{far.port()}")
        near.wait_for("session open")
        near.end()
        self.assertEqual(far.process.wait(PATIENCE_S), 0)
        done = text("relay", "--timeout=200ms", "udp://@127.0.0.1:0", "livetcp://127.0.0.1:0?mode=listener")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no packet has come for 0.2 s", done.stderr)

    def test_ctrl_c_with_a_peer_that_does_not_answer(self):
        near, far, port, _ = self.pair()
        far.process.send_signal(signal.SIGSTOP)
        here = self.socket()
        for _ in range(3000):
            here.sendto(bytes(1200), ("127.0.0.1", port))
        code, took = near.end()
        self.assertEqual(code, 0)
        # A second by the clock of an idle machine; tests do not depend on speed.
        self.assertLess(took, 10)
        self.assertTrue(near.said("relayed"))
        far.process.send_signal(signal.SIGCONT)

    def test_too_large_datagrams_are_counted_and_named_once(self):
        near, far, port, there = self.pair(extra=("--json=" + str(self.folder / "{}.json"),))
        here = self.socket()
        for _ in range(5):
            here.sendto(bytes(9000), ("127.0.0.1", port))
        here.sendto(b"small", ("127.0.0.1", port))
        self.assertEqual(there.recv(100), b"small")
        self.assertEqual(near.end()[0], 0)
        self.assertEqual(len(near.said("max-packet is 8190")), 1, near.lines)
        summary = json.loads((self.folder / "{}.json").read_text())
        self.assertEqual(summary["schema"], "livetcp/relay/1")
        self.assertEqual(summary["routes"][0]["ends"][1]["not_relayed"]["too-large"], 5)
        self.assertEqual(summary["routes"][0]["ends"][0]["packets_in"], 6)
        self.assertTrue(summary["success"])

    def test_standard_input_and_output(self):
        data = b"".join(b"G" + struct.pack("!I", i) + bytes(183) for i in range(20000))
        source = self.folder / "in.ts"
        source.write_bytes(data)
        out = open(self.folder / "out.ts", "wb")
        self.addCleanup(out.close)
        far = self.relay("--once", "livetcp://127.0.0.1:0?mode=listener", "file://con", stdout=out)
        with source.open("rb") as file:
            near = self.relay("file://con", f"livetcp://127.0.0.1:{far.port()}", stdin=file)
        self.assertEqual(near.process.wait(PATIENCE_S), 0)
        self.assertEqual(far.process.wait(PATIENCE_S), 0)
        self.assertEqual((self.folder / "out.ts").read_bytes(), data)

    def test_standard_input_from_a_pipe(self):
        far = self.relay("--once", "livetcp://127.0.0.1:0?mode=listener", "file://con",
                         stdout=subprocess.PIPE)
        near = self.relay("file://con", f"livetcp://127.0.0.1:{far.port()}", stdin=subprocess.PIPE)
        near.wait_for("session open")
        far.wait_for("session open")
        data = b"garbage" + b"".join(b"G" + struct.pack("!I", i) + bytes(183) for i in range(100))
        near.process.stdin.buffer.write(data)
        near.process.stdin.close()
        near.process.stdin = None
        got = far.process.stdout.buffer.read()
        self.assertEqual(got, data[7:], (near.lines, far.lines))
        near.wait_for("no MPEG-TS")

    def test_an_even_pace(self):
        near, far, port, there = self.pair(far="udp://127.0.0.1:{}?playout=300ms")
        here, times = self.socket(), []
        for i in range(20):
            times.append(time.monotonic())
            here.sendto(b"%d" % i, ("127.0.0.1", port))
            time.sleep(0.02)
        for i in range(20):
            self.assertEqual(there.recv(100), b"%d" % i)
            times[i] = time.monotonic() - times[i]
        self.assertGreater(times[-1], 0.28)  # it was not sent at once

    def wait_for_text(self, file, words):
        deadline = time.monotonic() + PATIENCE_S
        while not file.exists() or words not in file.read_text():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_hooks(self):
        log = self.folder / "log"
        command = f'echo "$LIVETCP_EVENT $LIVETCP_REMOTE $LIVETCP_REASON" >>{log}'
        far = self.relay("--on-open", command, "--on-close", command,
                         "livetcp://127.0.0.1:0?mode=listener", "udp://127.0.0.1:9")
        near = self.relay("udp://@127.0.0.1:0", f"livetcp://127.0.0.1:{far.port()}")
        near.wait_for("session open")
        self.wait_for_text(log, "open")
        near.end()
        self.wait_for_text(log, "close")
        self.assertRegex(log.read_text(), r"open 127.0.0.1:\d+ \nclose 127.0.0.1:\d+ .*closed")
        failing = self.relay("--on-open", "exit 3", "livetcp://127.0.0.1:0?mode=listener",
                             "udp://127.0.0.1:9")
        self.relay("udp://@127.0.0.1:0", f"livetcp://127.0.0.1:{failing.port()}")
        failing.wait_for("command of --on-open or --on-close failed: exit code 3")

    def test_a_recording_of_what_passes(self):
        near, far, port, there = self.pair(extra=("--pcap", str(self.folder / "x.pcap")))
        far.end()
        near.end()
        near, far, port, there = self.pair()
        far.end()
        recorded = self.folder / "y.pcap"
        udp = self.relay("--pcap", recorded, "udp://@127.0.0.1:0",
                         f"udp://127.0.0.1:{port_of(there)}")
        here = self.socket()
        for i in range(10):
            here.sendto(b"%d" % i * 100, ("127.0.0.1", udp.port()))
            self.assertEqual(there.recv(1000), b"%d" % i * 100)
        udp.end()
        data = recorded.read_bytes()
        self.assertEqual(struct.unpack_from("!IHH8xII", data),
                         (0xa1b2c3d4, 2, 4, 65535, 101))
        at, seen = 24, []
        while at < len(data):
            size, whole = struct.unpack_from("!8xII", data, at)[0:2]
            self.assertEqual(size, whole)
            packet = data[at + 16:at + 16 + size]
            self.assertEqual(packet[:1], b"E")
            self.assertEqual(packet[12:16], bytes([10, 0, 0, 1]))
            seen.append(packet[28 + 12:])
            at += 16 + size
        self.assertEqual(seen, [b"%d" % i * 100 for i in range(10)])

    def test_messages_as_json(self):
        relay = self.relay("--log-json", "udp://@127.0.0.1:0", "livetcp://127.0.0.1:0?mode=listener")
        relay.wait_for("listening")
        relay.end()
        for line in relay.lines:
            message = json.loads(line)
            self.assertEqual(message["level"], "info")
            self.assertGreater(message["time"], 1.6e9)

    def test_lines_of_statistics(self):
        relay = self.relay("--stats", "20", "-q", "udp://@127.0.0.1:0",
                           "livetcp://127.0.0.1:0?mode=listener")
        lines = [json.loads(relay.process.stdout.readline()) for _ in range(3)]
        self.assertEqual(relay.end()[0], 0)
        self.assertEqual(relay.lines, [])
        self.assertLess(lines[0]["seconds"], lines[2]["seconds"])
        self.assertEqual([e["side"] for e in lines[0]["routes"][0]["ends"]], ["in", "out"])

    def test_secrets_are_not_said(self):
        relay = self.relay("--log-level=trace", "udp://@127.0.0.1:0",
                           "livetcp://127.0.0.1:0?mode=listener&passphrase=open-sesame-2",
                           "--json=" + str(self.folder / "s.json"))
        relay.wait_for("listening")
        relay.end()
        self.assertNotIn("sesame", "".join(relay.lines) + (self.folder / "s.json").read_text())

    def test_ports_that_cannot_be_had(self):
        taken = self.socket()
        done = text("relay", f"udp://127.0.0.1:{port_of(taken)}", "livetcp://127.0.0.1:0?mode=listener")
        self.assertEqual(done.returncode, 1)
        self.assertIn("another program has the port", done.stderr)
        done = text("relay", "udp://239.1.1.1:5000?adapter=192.0.2.1", "livetcp://127.0.0.1:0?mode=listener")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "adapter= is an address of this machine: [^;]*$")
        port = self.free_pair()
        done = text("relay", f"livetcp://:{port}", f"livetcp://:{port}")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"waits on port {port} already; with a name", done.stderr)
        done = text("relay", "udp://192.0.2.1:5000", "livetcp://127.0.0.1:0?mode=listener")
        self.assertEqual(done.returncode, 1)
        self.assertIn("one of this machine's addresses", done.stderr)

    def test_bad_command_lines(self):
        for words, says in (((), "IN is missing"), (("udp://:5000",), "OUT is missing"),
                            (("http://x", "udp://h:1"), "udp://"),
                            (("udp://:5?enacp=ts", "livetcp://:6"), "did you mean 'encap'"),
                            (("udp://:5", "livetcp://h:6?polizy=x"), "policy"),
                            (("--stats=x", "udp://:5", "livetcp://:6"), "20ms"),
                            (("--log-level=loud", "udp://:5", "livetcp://:6"), "trace"),
                            (("--stats=1s", "livetcp://:6", "file://con"), "standard output"),
                            (("--config=x", "udp://:5", "livetcp://:6"), "--config")):
            with self.subTest(words):
                done = text("relay", *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(says, done.stderr)
        done = text("relay", "--pcap=/nowhere/x", "udp://@127.0.0.1:0", "livetcp://:0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/x", done.stderr)
        done = text("relay", "--help-url")
        self.assertEqual(done.returncode, 0)
        for key in ("encap", "latch", "source", "policy", "max-send-delay"):
            self.assertRegex(done.stdout, rf"(?m)^  {key}\b")


if __name__ == "__main__":
    unittest.main()
