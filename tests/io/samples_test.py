#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the samples against each other, and with arguments that cannot work.

usage: samples_test.py MINIMAL_SEND MINIMAL_RECV CUSTOM_POLICY PLAYOUT_PULL REDUNDANT_AUDIO
"""

import re
import signal
import subprocess
import sys

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


def check_custom_policy(sender, recv):
    """Voice alone on one connection, video on the other: same packets, fewer bytes. Not before both
    are open, so it goes on until that beginning weighs little."""
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
    voice, video = sorted(int(size) / int(packets) for packets, size in found)
    assert voice < 400 < video, f"voice and video are not apart: {output}"
    stop(receiver, "minimal_recv")


def check_playout(send, playout):
    """What is sent is played; how much of it is late depends on the machine."""
    receiver = start(playout, f"livetcp://127.0.0.1:0?{PATIENT}")
    port = wait_for(receiver, r"listening on port (\d+)").group(1)
    sender = start_sending(send, port)
    assert wait_for(receiver, r"played [1-9]\d* "), "nothing was played"
    stop(sender, "minimal_send")
    stop(receiver, "playout_pull")


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
    if len(sys.argv) != 6:
        print(__doc__, file=sys.stderr)
        return 2
    send, recv, custom_policy, playout, redundant = sys.argv[1:]
    for program in (send, recv, custom_policy, playout, redundant):
        check_error("usage", program)
        check_error("livetcp://", program, "http://localhost:80")
        check_error("no-such", program, "livetcp://localhost:9?no-such=1")
    check_error("192.0.2.77", recv, "livetcp://192.0.2.77:0")
    check_error("host", send, "livetcp://:5004")
    check_stream(send, recv)
    check_error("needs at least 2", custom_policy, "livetcp://127.0.0.1:9?connections=1")
    check_custom_policy(custom_policy, recv)
    check_playout(send, playout)
    check_redundancy(redundant, send)
    return 0


if __name__ == "__main__":
    sys.exit(main())
