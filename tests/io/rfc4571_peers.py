#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Other programs that are said to speak RFC 4571: the table in docs/reference/interop.md.

usage: rfc4571_peers.py ffmpeg | vlc | libnice MINIMAL_SEND NICE_RECEIVER

Exit code 77: the program is not here, or of another version than the table has.
"""

import hashlib
import hmac
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib

SKIPPED = 77
PATIENCE_S = 200  # for what hangs
QUIET_S = 3  # so long a program that has everything may take to do what it does not do


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(SKIPPED)


def need(program, pattern, *version_command):
    """Skips unless the program is here, in the version that the table has."""
    for name in (program, version_command[0]):
        if not shutil.which(name):
            skip(f"{name} is not installed")
    output = subprocess.run(version_command, capture_output=True, text=True, check=False).stdout
    if not re.search(pattern, output):
        skip(f"the table has {pattern}, and here is {output.splitlines()[:1]}")


def listen():
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(PATIENCE_S)
    return server, server.getsockname()[1]


def frame(packet):
    return struct.pack("!H", len(packet)) + packet


def end(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


# ---- ffmpeg: takes TCP/RTP/AVP for UDP ----

def has_udp_port(port):
    with open("/proc/net/udp", encoding="ascii") as table:
        return any(line.split()[1].endswith(f":{port:04X}") for line in table.readlines()[1:])


def check_ffmpeg():
    need("ffmpeg", r"ffmpeg version 5\.1\.", "ffmpeg", "-version")
    server, port = listen()
    with tempfile.NamedTemporaryFile("w", suffix=".sdp") as sdp:
        sdp.write("v=0\no=- 0 0 IN IP4 127.0.0.1\ns=t\nc=IN IP4 127.0.0.1\nt=0 0\n"
                  f"m=audio {port} TCP/RTP/AVP 0\na=setup:active\na=rtpmap:0 PCMU/8000\n")
        sdp.flush()
        with open(os.devnull, "w", encoding="ascii") as nothing:
            ffmpeg = subprocess.Popen(["ffmpeg", "-protocol_whitelist", "file,udp,rtp,tcp", "-i",
                                       sdp.name, "-f", "null", "-"], stdin=subprocess.DEVNULL,
                                      stdout=nothing, stderr=nothing)
        limit = time.monotonic() + PATIENCE_S
        while not has_udp_port(port) and ffmpeg.poll() is None and time.monotonic() < limit:
            time.sleep(0.05)
        udp = has_udp_port(port)
        connected = bool(select.select([server], [], [], QUIET_S)[0])
        end(ffmpeg)
    assert udp and not connected, f"UDP port opened: {udp}, connected by TCP: {connected}"


# ---- VLC: connects and never reads ----

def check_vlc():
    need("vlc", r"^3\.0\.", "dpkg-query", "-W", "-f", "${Version}", "vlc-bin")
    server, port = listen()
    with tempfile.TemporaryDirectory() as home:
        command = ["vlc", "-I", "dummy", "--no-video", "--aout", "adummy",
                   f"rtptcp://127.0.0.1:{port}"]
        if os.geteuid() == 0:  # VLC refuses to run as root
            os.chown(home, 65534, 65534)
            command = ["setpriv", "--reuid=65534", "--clear-groups", *command]
        vlc = subprocess.Popen(command, env={**os.environ, "HOME": home}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            peer, _ = server.accept()
            peer.setblocking(False)
            packet = frame(struct.pack("!BBHII", 0x80, 0, 0, 0, 7) + b"\xff" * 160)
            taken, limit = 0, 64 << 20  # more than a receive and a send buffer hold
            while taken < limit and select.select([], [peer], [], QUIET_S)[1]:
                taken += peer.send(packet * 100)
        finally:
            end(vlc)
    assert 0 < taken < limit, f"VLC has read: {taken} bytes went"


# ---- libnice: ICE-TCP frames everything so; a peer in Python does ICE, LiveTCP sends ----

PASSWORD = "0123456789abcdef01234567"
BINDING_REQUEST, BINDING_RESPONSE = 0x0001, 0x0101
COOKIE = 0x2112a442


def attribute(kind, value):
    return struct.pack("!HH", kind, len(value)) + value + bytes(-len(value) % 4)


def stun_message(kind, transaction, attributes, password):
    """A STUN message (RFC 8489) with MESSAGE-INTEGRITY and FINGERPRINT."""
    def header(size):
        return struct.pack("!HHI", kind, size, COOKIE) + transaction
    signed = header(len(attributes) + 24) + attributes
    attributes += attribute(0x0008, hmac.new(password.encode(), signed, hashlib.sha1).digest())
    whole = header(len(attributes) + 8) + attributes
    return whole + attribute(0x8028, struct.pack("!I", zlib.crc32(whole) ^ 0x5354554e))


def binding_request(name, password):
    return stun_message(BINDING_REQUEST, os.urandom(12), attribute(0x0006, f"{name}:peer".encode()) +
                        attribute(0x0024, struct.pack("!I", 1000)) +  # PRIORITY
                        attribute(0x802a, bytes(8)) +  # ICE-CONTROLLING
                        attribute(0x0025, b""), password)  # USE-CANDIDATE


def binding_response(request, remote):
    host, port = remote
    address = struct.unpack("!I", socket.inet_aton(host))[0] ^ COOKIE
    mapped = struct.pack("!BBHI", 0, 1, port ^ COOKIE >> 16, address)
    return stun_message(BINDING_RESPONSE, request[8:20], attribute(0x0020, mapped), PASSWORD)


def read_frame(stream):
    size = stream.read(2)
    return stream.read(struct.unpack("!H", size)[0])


def connect_ice(port, name, password):
    """Does ICE's checks on a TCP connection, both ways."""
    peer = socket.create_connection(("127.0.0.1", port))
    peer.settimeout(PATIENCE_S)
    stream = peer.makefile("rb")
    peer.sendall(frame(binding_request(name, password)))
    asked = answered = False
    while not (asked and answered):
        message = read_frame(stream)
        kind = struct.unpack("!H", message[:2])[0]
        if kind == BINDING_REQUEST:
            peer.sendall(frame(binding_response(message, peer.getpeername())))
            asked = True
        assert kind in (BINDING_REQUEST, BINDING_RESPONSE), f"STUN message {kind:#x}"
        answered = answered or kind == BINDING_RESPONSE
    return peer


def check_libnice(send, receiver):
    nice = subprocess.Popen([receiver, PASSWORD], stdout=subprocess.PIPE, text=True)
    server, port = listen()
    sender = subprocess.Popen([send, f"livetcp://127.0.0.1:{port}?wire=plain"],
                              stderr=subprocess.DEVNULL)
    try:
        word, nice_port, name, password = nice.stdout.readline().split()
        assert word == "local"
        peer = connect_ice(int(nice_port), name, password)
        source, _ = server.accept()
        for _ in range(50):  # a frame each, of 20 ms; LiveTCP's bytes as they are
            peer.sendall(source.recv(65536))
        found = re.fullmatch(r"rtp (\d+) other 0 last 172\n", nice.stdout.readline())
        assert found and int(found.group(1)) >= 10, "libnice does not deliver LiveTCP's packets"
    finally:
        end(sender)
        end(nice)


def main():
    if sys.argv[1:] == ["ffmpeg"]:
        check_ffmpeg()
    elif sys.argv[1:] == ["vlc"]:
        check_vlc()
    elif len(sys.argv) == 4 and sys.argv[1] == "libnice":
        check_libnice(*sys.argv[2:])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
