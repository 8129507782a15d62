#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program for `livetcp bench --program`, as src/lab/bench/transport_program.c describes: RTP over
UDP, without any control. Its first argument is the rate that it tells the encoder, or "refuse"."""

import select
import socket
import sys


def main():
    bench = socket.socket(fileno=0)
    told, way, address = sys.argv[1:4]
    if told == "refuse":
        bench.send(b"error not today")
        return
    wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    if way == "receive":
        wire.bind((address, 0))
        bench.send(b"port %d" % wire.getsockname()[1])
    else:
        wire.connect((address, int(sys.argv[4])))
        bench.send(b"what nobody knows")
    bench.send(b"ready")
    while True:
        ready, _, _ = select.select([bench] + [wire] * (way == "receive"), [], [])
        if wire in ready:
            bench.send(wire.recv(65536))
        if bench in ready:
            packet = bench.recv(65536)
            if not packet:
                return
            wire.send(packet)
            bench.send(b"rate " + told.encode())


if __name__ == "__main__":
    main()
