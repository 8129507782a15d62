#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the samples against each other, and with arguments that cannot work.

usage: samples_test.py MINIMAL_SEND MINIMAL_RECV CUSTOM_POLICY PLAYOUT_PULL REDUNDANT_AUDIO [OWN_LOOP]
"""

import array
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile

PATIENCE_S = 200  # for what hangs

# The other end may be kept waiting by other things than the network.
PATIENT = "handshake-timeout=60000&peer-timeout=3600000"


def start(*command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(process, pattern, stream=None):
    """The first line of output that matches; None if the program ends before."""
    for line in stream or process.stdout:
        match = re.search(pattern, line)
        if match:
            return match
    return None


def start_sending(send, port):
    """It says itself that it does: what the receiver says next may be about the sender before."""
    sender = start(send, f"livetcp://127.0.0.1:{port}?connections=2&{PATIENT}")
    assert wait_for(sender, "session open", sender.stderr), "minimal_send has ended"
    return sender


def stop(process, name):
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, f"{name} ended with {process.returncode}: {output}{errors}"


def check_stream(send, recv):
    receiver = start(recv, f"livetcp://127.0.0.1:0?{PATIENT}")
    port = wait_for(receiver, r"listening on port (\d+)").group(1)
    for _ in range(2):  # the second sender comes after the first has gone
        sender = start_sending(send, port)
        assert wait_for(receiver, r"received [1-9]\d* lost 0"), "nothing was received"
        stop(sender, "minimal_send")
    stop(receiver, "minimal_recv")


def bytes_per_packet(sender, recv):
    """Of the two connections, the smaller first. Goes on until the time before both are open, when
    voice and video share one, weighs little."""
    receiver = start(recv, f"livetcp://127.0.0.1:0?{PATIENT}")
    port = wait_for(receiver, r"listening on port (\d+)").group(1)
    process = start(sender, f"livetcp://127.0.0.1:{port}?connections=2&{PATIENT}")
    for _ in range(10):
        assert wait_for(receiver, r"received [1-9]\d* lost 0"), "nothing was received"
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, f"custom_policy failed: {errors}"
    assert "policy" not in errors, f"the policy was told on: {errors}"
    found = re.findall(r"connection \d: (\d+) packets, (\d+) bytes", output)
    assert len(found) == 2, f"custom_policy said: {output}"
    stop(receiver, "minimal_recv")
    return sorted(int(size) / int(packets) for packets, size in found)


def check_custom_policy(sender, recv):
    """Voice alone on one connection, video on the other: same packets, fewer bytes. On a busy machine
    the other connection may become the steadier one and the two change places: then once more."""
    for _ in range(10):
        voice, video = bytes_per_packet(sender, recv)
        if voice < 400 < video:
            return
    assert False, f"voice and video are not apart: {voice} and {video} bytes per packet"


def check_playout(send, playout):
    """What is sent is played; how much of it is late depends on the machine."""
    receiver = start(playout, f"livetcp://127.0.0.1:0?{PATIENT}")
    port = wait_for(receiver, r"listening on port (\d+)").group(1)
    sender = start_sending(send, port)
    assert wait_for(receiver, r"played [1-9]\d* "), "nothing was played"
    stop(sender, "minimal_send")
    stop(receiver, "playout_pull")


def check_sound(playout):
    """What is decoded is what was sent: two codes of mu-law whose values G.711's table has."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sound")
        receiver = start(playout, f"livetcp://127.0.0.1:0?wire=plain&{PATIENT}", path)
        port = int(wait_for(receiver, r"listening on port (\d+)").group(1))
        with socket.create_connection(("127.0.0.1", port)) as peer:
            for i in range(2):
                rtp = struct.pack("!BBHII", 0x80, 0, i, i * 160, 7) + bytes([0x00, 0xa5] * 80)
                peer.sendall(struct.pack("!H", len(rtp)) + rtp)
            assert wait_for(receiver, r"played [12] "), "nothing was played"
        stop(receiver, "playout_pull")
        with open(path, "rb") as stream:
            samples = array.array("h", stream.read())
    at = samples.index(-32124)
    assert list(samples[at:at + 160]) == [-32124, 6652] * 80, f"decoded: {samples[at:at + 160]}"
    assert not any(samples[:at]), "there was sound before the first packet"


def check_own_loop(program):
    """Voice goes both ways, a second call follows the first, and loops can be closed."""
    listener = start(program, f"livetcp://127.0.0.1:0?mode=listener&{PATIENT}")
    port = wait_for(listener, r"listening on port (\d+)").group(1)
    for _ in range(2):
        caller = start(program, f"livetcp://127.0.0.1:{port}?connections=2&{PATIENT}")
        for end in (listener, caller):
            played = int(wait_for(end, r"sent \d+ played (\d+)").group(1))
            while not (at := wait_for(end, r"sent [1-9]\d* played (\d+)")) or \
                    int(at.group(1)) <= played:
                assert at, "own_loop has ended"
        caller.send_signal(signal.SIGINT)
        _, errors = caller.communicate(timeout=PATIENCE_S)
        assert caller.returncode == 0 and "left on the loop" not in errors, errors
        assert wait_for(listener, "session closed", listener.stderr), "the listener did not notice"
    listener.send_signal(signal.SIGINT)
    _, errors = listener.communicate(timeout=PATIENCE_S)
    assert listener.returncode == 0 and "left on the loop" not in errors, errors


def check_redundancy(program, send):
    """Copies come with every packet; what is sent without them is played all the same."""
    receiver = start(program, f"livetcp://127.0.0.1:0?mode=listener&{PATIENT}")
    port = wait_for(receiver, r"listening on port (\d+)").group(1)
    sender = start(program, f"livetcp://127.0.0.1:{port}?connections=2&{PATIENT}")
    assert wait_for(receiver, r"played [1-9]\d* copies came [1-9]"), "no copies came"
    stop(sender, "redundant_audio")
    sender = start_sending(send, port)
    before = int(wait_for(receiver, r"played (\d+) ").group(1))
    while int(wait_for(receiver, r"played (\d+) ").group(1)) <= before:
        pass
    stop(sender, "minimal_send")
    stop(receiver, "redundant_audio")


def check_error(text, *command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 1, f"{command} ended with {done.returncode}"
    assert text in done.stderr, f"{command} said: {done.stderr}"


def main():
    if len(sys.argv) not in (6, 7):
        print(__doc__, file=sys.stderr)
        return 2
    send, recv, custom_policy, playout, redundant = sys.argv[1:6]
    for program in sys.argv[1:]:
        check_error("usage", program)
        check_error("livetcp://", program, "http://localhost:80")
        check_error("no-such", program, "livetcp://localhost:9?no-such=1")
    check_error("192.0.2.77", recv, "livetcp://192.0.2.77:0")
    check_error("host", send, "livetcp://:5004")
    check_stream(send, recv)
    check_error("needs at least 2", custom_policy, "livetcp://127.0.0.1:9?connections=1")
    check_custom_policy(custom_policy, recv)
    check_playout(send, playout)
    check_sound(playout)
    check_redundancy(redundant, send)
    for own_loop in sys.argv[6:]:
        check_own_loop(own_loop)
    return 0


if __name__ == "__main__":
    sys.exit(main())
