#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The livetcp command and WebSocket programs of others: Python's websockets as the other end of a
listener and of a caller, with TLS and without, and curl.

usage: websocket_peers.py LIVETCP listener | caller | curl
Exit code 77: the program is not installed.
"""

import asyncio
import json
import os
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

from certificates import certificate_for_localhost

SKIPPED = 77
PATIENCE_S = 100
DEBIANS_PYTHON = "/usr/bin/python3"  # has Debian's modules, if another is first in PATH

try:
    import websockets
except ImportError:
    if os.path.exists(DEBIANS_PYTHON) and not os.environ.get("LT_TEST_AGAIN"):
        os.environ["LT_TEST_AGAIN"] = "1"
        os.execv(DEBIANS_PYTHON, [DEBIANS_PYTHON] + sys.argv)
    print("SKIPPED: Python's websockets (Debian: python3-websockets) is not installed")
    sys.exit(SKIPPED)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def rtp(sequence, size=200):
    return struct.pack("!BBHII", 0x80, 96, sequence & 0xffff, sequence * 160, 0x1234) + \
        bytes((sequence * 7 + i) & 0xff for i in range(size - 12))


def frames_of(packets):
    return b"".join(struct.pack("!H", len(packet)) + packet for packet in packets)


class Deframer:
    """The stream of RFC 4571 frames inside of the messages."""

    def __init__(self):
        self.held, self.packets = b"", []

    def add(self, data):
        self.held += data
        while len(self.held) >= 2:
            size, = struct.unpack("!H", self.held[:2])
            if len(self.held) < 2 + size:
                return
            packet, self.held = self.held[2:2 + size], self.held[2 + size:]
            if packet and not 192 <= packet[1] <= 223:  # neither null nor RTCP
                self.packets.append(packet)


class Tool:
    """The command in the background; its output goes to a file."""

    def __init__(self, livetcp, folder, *arguments, port=None):
        self.command = [livetcp, *arguments]
        self.log = os.path.join(folder, f"log-{free_port()}")
        self.port = port

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE_S
        while self.port and not self.listens():
            if self.process.poll() is not None or time.monotonic() > end:
                sys.exit(f"{self.command} does not listen:\n{self.text()}")
            time.sleep(0.02)
        return self

    def listens(self):
        with open("/proc/net/tcp", encoding="ascii") as table:
            return any(line.split()[1].endswith(f":{self.port:04X}") and line.split()[3] == "0A"
                       for line in table.readlines()[1:])

    def wait(self):
        self.process.wait(PATIENCE_S)
        assert self.process.returncode == 0, self.text()

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()


async def status_of(uri, **options):
    try:
        async with websockets.connect(uri, **options):
            return 101
    except websockets.exceptions.InvalidStatusCode as error:
        return error.status_code


async def publish(uri, tls):
    """Sends packets in messages that are cut anywhere, with pings between."""
    packets = [rtp(i, 12 + i * 37 % 1400) for i in range(100)]
    stream = frames_of(packets)
    async with websockets.connect(uri, ssl=tls, subprotocols=["livetcp"]) as end:
        assert end.subprotocol == "livetcp", end.subprotocol
        pieces = [stream[at:at + 777] for at in range(0, len(stream), 777)]
        for piece in pieces[:20]:
            await end.send(piece)
            await (await end.ping())
        await end.send(pieces[20:])  # one message of many fragments
        await (await end.ping())
    assert end.close_code == 1000, end.close_code
    return packets


async def refuse(uri, tls):
    async with websockets.connect(uri, ssl=tls) as end:
        assert end.subprotocol is None
        await end.send(frames_of([rtp(1)]))
        await end.send("text")
        try:
            while True:
                await end.recv()
        except websockets.exceptions.ConnectionClosed as closed:
            assert closed.rcvd.code == 1003, closed
            assert "binary messages" in closed.rcvd.reason, closed


async def subscribe(uri, tls):
    got = Deframer()
    async with websockets.connect(uri, ssl=tls, subprotocols=["chat", "livetcp"]) as end:
        await end.send(frames_of([rtp(1)]))  # who speaks first is served at once
        async for message in end:
            got.add(message)
    assert end.close_code in (1000, 1001), end.close_code
    return got.packets


def check_listener(livetcp, folder):
    certificate, key = certificate_for_localhost(folder)
    trusted = ssl.create_default_context(cafile=certificate)
    for tls in (None, trusted):
        port, got = free_port(), os.path.join(folder, "got.json")
        secure = f"&tls-cert={certificate}&tls-key={key}" if tls else ""
        scheme = "livetcp+wss" if tls else "livetcp+ws"
        uri = f"{'wss' if tls else 'ws'}://localhost:{port}/live"
        listen = f"{scheme}://127.0.0.1:{port}/live?mode=listener&wire=auto{secure}"
        with Tool(livetcp, folder, "receive", f"--json={got}", listen,
                  os.path.join(folder, "got.rtpdump"), port=port) as tool:
            other = uri.replace("/live", "/other")
            status = asyncio.run(status_of(other, ssl=tls))
            assert status == 404, status
            status = asyncio.run(status_of(uri, ssl=tls, origin="https://evil.example"))
            assert status == 403, status
            status = asyncio.run(status_of(uri, ssl=tls, subprotocols=["x"]))
            assert status == 400, status
            packets = asyncio.run(publish(uri, tls))
            tool.wait()
        with open(os.path.join(folder, "got.rtpdump"), "rb") as file:
            received = file.read()
        for packet in packets:
            assert packet in received
        with Tool(livetcp, folder, "receive", "--keep", listen, os.devnull, port=port):
            asyncio.run(refuse(uri, tls))
        with Tool(livetcp, folder, "send", "--duration=1s", listen, port=port) as tool:
            media = asyncio.run(subscribe(uri, tls))
            tool.wait()
        assert len(media) >= 40, len(media)


def check_caller(livetcp, folder):
    certificate, key = certificate_for_localhost(folder)
    keys = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    keys.load_cert_chain(certificate, key)
    keys.set_alpn_protocols(["http/1.1"])
    for tls in (None, keys):
        port, got, paths = free_port(), Deframer(), []

        async def serve(end, path):
            paths.append((path, end.subprotocol))
            await (await end.ping())
            async for message in end:
                assert isinstance(message, bytes)
                got.add(message)

        async def run(tls=tls, port=port, serve=serve):
            async with websockets.serve(serve, "127.0.0.1", port, ssl=tls,
                                        subprotocols=["livetcp"]):
                secure = f"&tls-ca={certificate}" if tls else ""
                scheme = "livetcp+wss" if tls else "livetcp+ws"
                process = await asyncio.create_subprocess_exec(
                    livetcp, "send", "--duration=1s",
                    f"{scheme}://localhost:{port}/live/1?wire=plain{secure}")
                await asyncio.wait_for(process.wait(), PATIENCE_S)
                assert process.returncode == 0

        asyncio.run(run())
        assert paths == [("/live/1", "livetcp")], paths
        assert len(got.packets) >= 40, len(got.packets)
        assert not got.held


def check_curl(livetcp, folder):
    if not shutil.which("curl"):
        print("SKIPPED: curl is not installed")
        sys.exit(SKIPPED)
    port = free_port()
    listen = f"livetcp+ws://127.0.0.1:{port}/live?mode=listener"
    key = ["-H", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "-H", "Sec-WebSocket-Version: 13"]
    upgrade = ["-H", "Connection: Upgrade", "-H", "Upgrade: websocket", *key]
    with Tool(livetcp, folder, "receive", "--keep", listen, os.devnull, port=port):
        for arguments, status, text in (
                ([], "426", "Sec-WebSocket-Version: 13"),
                (["-X", "POST", "-d", "x"], "405", "Allow: GET"),
                (["-I"], "405", "Allow: GET"),
                (["--http1.0"], "426", "HTTP/1.1 and pass on Upgrade"),
                (["-H", "Big: " + "x" * 9000], "431", "8 KiB"),
                (upgrade[:4], "426", "version 13"),
                (upgrade, "101", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")):
            done = subprocess.run(["curl", "-s", "-i", "--max-time", "3", *arguments,
                                   f"http://127.0.0.1:{port}/live"], capture_output=True,
                                  check=False, timeout=PATIENCE_S)
            answer = done.stdout.decode("latin-1")
            assert answer.split(" ")[1] == status, answer
            assert text in answer, answer
            assert status == "101" or done.returncode == 0, (done.returncode, answer)


def main():
    checks = {"listener": check_listener, "caller": check_caller, "curl": check_curl}
    with tempfile.TemporaryDirectory() as folder:
        checks[sys.argv[2]](sys.argv[1], folder)
    print("passed")


if __name__ == "__main__":
    main()
