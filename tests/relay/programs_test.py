#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that never heard of LiveTCP, through livetcp relay: ffmpeg, iperf3, datagrams of
WireGuard's shape, and a peer with the framing of mullvad's udp-over-tcp.
usage: programs_test.py LIVETCP"""

import json
import os
import random
import shlex
import shutil
import socket
import struct
import subprocess
import threading
import unittest

from relays import LIVETCP, PATIENCE_S, RelayTest, port_of, report, rtp

FRAMES = 75


def can_emulate():
    return subprocess.run([LIVETCP, "emulate", "-q", "true"], capture_output=True,
                          timeout=PATIENCE_S).returncode == 0


class Mullvad:
    """The TCP end of udp-over-tcp: each datagram behind its length of two bytes, big-endian."""

    def __init__(self, test, udp_to):
        self.server = socket.create_server(("127.0.0.1", 0))
        test.addCleanup(self.server.close)
        self.udp = test.socket()
        self.udp_to = ("127.0.0.1", udp_to)
        self.port = port_of(self.server)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        tcp, _ = self.server.accept()
        threading.Thread(target=self.forward, args=(tcp,), daemon=True).start()
        while True:
            datagram = self.udp.recv(65535)
            tcp.sendall(struct.pack("!H", len(datagram)) + datagram)

    def forward(self, tcp):
        stream = tcp.makefile("rb")
        while header := stream.read(2):
            datagram = stream.read(struct.unpack("!H", header)[0])
            if datagram:
                self.udp.sendto(datagram, self.udp_to)


class Programs(RelayTest):
    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
    def test_ffmpeg_over_a_lossy_path(self):
        if not can_emulate():
            self.skipTest("no namespaces, or no TUN device")
        livetcp, folder = shlex.quote(LIVETCP), shlex.quote(str(self.folder))
        receive = ("ffmpeg -nostdin -v debug -i 'udp://{}?timeout=2500000&buffer_size=4000000' -map 0 "
                   f"-f framecrc {folder}/{{}}.crc 2>{folder}/{{}}.log")
        # The same stream goes through the relays, and beside them as UDP.
        far = self.folder / "far.sh"
        far.write_text(f"""
            {livetcp} relay livetcp://:5004 2>{folder}/far.log 'udp://@127.0.0.1:5000?encap=ts' &
            until grep -q 'session open' {folder}/far.log; do sleep 0.05; done
            exec ffmpeg -nostdin -v error -re -f lavfi -i testsrc2=size=320x240:rate=25 \
                -frames:v {FRAMES} -c:v mpeg2video -b:v 4M -minrate 4M -maxrate 4M -bufsize 1M \
                -map 0 -f tee \
                '[f=mpegts]udp\\://127.0.0.1\\:5000?pkt_size=1316|[f=mpegts]udp\\://10.77.0.1\\:6001?pkt_size=1316' \
                2>{folder}/ffmpeg.log
            """)
        near = self.folder / "near.sh"
        near.write_text(f"""
            {livetcp} relay livetcp://10.77.0.2:5004 'udp://127.0.0.1:6000?encap=ts' \
                2>{folder}/near.log &
            relay=$!
            {receive.format('10.77.0.1:6001', 'plain', 'plain')} &
            {receive.format('127.0.0.1:6000', 'relayed', 'relayed')}
            wait $!
            kill -INT $relay
            wait $relay
            """)
        done = subprocess.run([LIVETCP, "emulate", "-q", "--both", "delay=20ms,loss=1%", "--far",
                               f"sh {shlex.quote(str(far))}", "sh", str(near)], text=True,
                              capture_output=True, timeout=PATIENCE_S)
        logs = {f.name: f.read_text(errors="replace")[-3000:] for f in self.folder.glob("*.log")}
        self.assertEqual(done.returncode, 0, (done, logs))

        def look(name):
            text = (self.folder / f"{name}.log").read_text(errors="replace")
            crc = (self.folder / f"{name}.crc").read_text()
            frames = [line for line in crc.splitlines() if not line.startswith("#")]
            return text.count("Continuity check failed"), len(frames)

        self.assertEqual(look("relayed"), (0, FRAMES), logs)
        self.assertGreater(look("plain")[0], 0)  # the path was lossy, and the check can fail

    @unittest.skipUnless(shutil.which("iperf3"), "iperf3 is not installed")
    def test_iperf3(self):
        port = self.free_pair()
        server = subprocess.Popen(["iperf3", "-s", "-1", "-B", "127.0.0.2", "-p", str(port)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.started.append(server)
        far = self.relay("livetcp://127.0.0.1:0?mode=listener", f"udp://127.0.0.2:{port}")
        near = self.relay(f"udp://127.0.0.1:{port}", f"livetcp://127.0.0.1:{far.port()}")
        near.wait_for("session open")
        self.forward_tcp(("127.0.0.1", port), ("127.0.0.2", port))
        done = subprocess.run(["iperf3", "-c", "127.0.0.1", "-p", str(port), "-u", "-b", "4M", "-l",
                               "1200", "-t", "1", "--json"], capture_output=True, text=True,
                              timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 0, (done, near.lines, far.lines))
        result = json.loads(done.stdout)["end"]["sum"]
        self.assertEqual(result["lost_packets"], 0, result)
        self.assertGreater(result["packets"], 250)

    def forward_tcp(self, here, there):
        """iperf3 talks of its test over TCP, to the same port."""
        server = socket.create_server(here)
        self.addCleanup(server.close)

        def pump(a, b):
            try:
                while data := a.recv(65536):
                    b.sendall(data)
                b.shutdown(socket.SHUT_WR)
            except OSError:
                pass

        def serve():
            client, _ = server.accept()
            far = socket.create_connection(there)
            threading.Thread(target=pump, args=(far, client), daemon=True).start()
            pump(client, far)

        threading.Thread(target=serve, daemon=True).start()

    def test_datagrams_of_wireguards_shape(self):
        there, rng = self.socket(), random.Random(1)
        far = self.relay("livetcp://127.0.0.1:0?mode=listener", f"udp://127.0.0.1:{port_of(there)}")
        near = self.relay("udp://127.0.0.1:0", f"livetcp://127.0.0.1:{far.port()}")
        near.wait_for("session open")
        here, back = self.socket(), None
        here.sendto(b"\1" + rng.randbytes(147), ("127.0.0.1", near.port()))  # initiation
        _, back = there.recvfrom(2000)
        there.sendto(b"\2" + rng.randbytes(91), back)  # response
        self.assertEqual(len(here.recv(2000)), 92)
        sent = [struct.pack("<IIQ", 4, 7, i) + rng.randbytes(16 * rng.randint(1, 88))
                for i in range(1000)]
        for i, datagram in enumerate(sent):
            here.sendto(datagram, ("127.0.0.1", near.port()))
            there.sendto(datagram, back)
            if i % 50 == 49:
                got = {there.recv(2000) for _ in range(50)}, {here.recv(2000) for _ in range(50)}
                self.assertEqual(got, (set(sent[i - 49:i + 1]),) * 2)

    def test_the_framing_of_udp_over_tcp(self):
        program = self.socket()
        peer = Mullvad(self, port_of(program))
        media = self.free_pair()
        relay = self.relay(f"rtp://127.0.0.1:{media}?rtcp=mux",
                           f"livetcp://127.0.0.1:{peer.port}?wire=plain")
        relay.wait_for("session open")
        here = self.socket()
        for i in range(100):
            packet = rtp(i, os.urandom(1 + 10 * i)) if i % 10 else report()
            here.sendto(packet, ("127.0.0.1", media))
            self.assertEqual(program.recv(2000), packet)
            program.sendto(packet, peer.udp.getsockname())
            self.assertEqual(here.recv(2000), packet)


if __name__ == "__main__":
    unittest.main()
