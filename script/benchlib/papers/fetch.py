#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Short TCP connections, one for each file: how long a retrieval takes from connect() to the last
byte, as in Zhang and Schulzrinne, section 3.1. Runs at the two ends of an emulated path.

usage: fetch.py serve PORT
       fetch.py get HOST PORT BYTES TRIALS REPORT
"""

import asyncio
import json
import socket
import sys
import time

ALGORITHM = b"reno"
PER_SECOND = 40  # retrievals that are started
PATIENCE = 240  # seconds for one
REQUEST = b"GET / HTTP/1.0\r\nHost: far\r\nX-Bytes: %d\r\n\r\n"
RESPONSE = b"HTTP/1.0 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n"


async def answer(reader, writer):
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(head.split(b"X-Bytes: ")[1].split(b"\r\n")[0])
        writer.write(RESPONSE % size + bytes(size))
        await writer.drain()
        writer.close()
        await writer.wait_closed()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass  # the other end gave up


async def serve(port):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, ALGORITHM)
    listener.bind(("", port))
    async with await asyncio.start_server(answer, sock=listener, backlog=1000) as server:
        await server.serve_forever()


async def retrieve(host, port, size):
    """Seconds, or None when it took too long or failed."""
    start = time.monotonic()
    writer = None
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection(host, port), PATIENCE)
        writer.write(REQUEST % size)
        got = await asyncio.wait_for(reader.read(-1), PATIENCE)
        return time.monotonic() - start if len(got) > size else None
    except (OSError, asyncio.TimeoutError):
        return None
    finally:
        if writer:
            writer.close()


async def get(host, port, size, trials, report):
    """Started at regular intervals, whatever the earlier ones take: those that are under way
    together must not wait for each other's processor."""
    async def later(number):
        await asyncio.sleep(number / PER_SECOND)
        return await retrieve(host, port, size)
    times = await asyncio.gather(*map(later, range(trials)))
    done = sorted(t for t in times if t is not None)
    with open(report, "w", encoding="utf-8") as out:
        json.dump({"bytes": size, "trials": trials, "failed": trials - len(done),
                   "mean_s": sum(done) / len(done) if done else None,
                   "median_s": done[len(done) // 2] if done else None,
                   "max_s": done[-1] if done else None}, out)


def main():
    if sys.argv[1] == "serve":
        asyncio.run(serve(int(sys.argv[2])))
    else:
        host, port, size, trials, report = sys.argv[2:]
        asyncio.run(get(host, int(port), int(size), int(trials), report))


if __name__ == "__main__":
    main()
