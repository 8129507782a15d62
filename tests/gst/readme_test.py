#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The first pipelines of README.md as they stand there, for some seconds: every frame that is sent
is decoded. Only the window and the port are others, and the source ends.

usage: readme_test.py FRAMES
"""

import os
import pathlib
import re
import shlex
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_S = 250


def pipelines():
    """The arguments of the first two gst-launch-1.0 commands."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## GStreamer")[2]
    section = section.partition("\n## ")[0].replace("\\\n", " ")
    found = [shlex.split(line.strip())[1:] for line in section.splitlines()
             if line.strip().startswith("gst-launch-1.0 ")]
    assert len(found) >= 2, "README.md has no two pipelines any more"
    return found[:2]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def missing_element(arguments):
    for name in re.findall(r"(?:^|! )([a-z0-9_]+)", " ".join(arguments)):
        # Not --exists: that asks for GStreamer's own version, which only its own plugins have.
        if subprocess.run(["gst-inspect-1.0", name], stdout=subprocess.DEVNULL,
                          check=False).returncode:
            return name
    return None


def main(frames):
    if os.environ.get("LIVETCP_PRELOAD"):
        print("skipped: a sanitizer would look at all of GStreamer")
        return 77
    port = f"port={free_port()}"
    receive, send = ([re.sub(r"^port=\d+$", port, word) for word in words]
                     for words in pipelines())
    assert port in receive and port in send, "the pipelines name no port"
    assert "autovideosink" in receive, "the receiver shows no picture"
    receive = [word for name in receive for word in
               (["fakesink", "silent=false"] if name == "autovideosink" else [name])]
    source = send.index("is-live=true") + 1
    send.insert(source, f"num-buffers={frames}")
    for words in (receive, send):
        name = missing_element(words)
        if name:
            print(f"skipped: there is no element {name}")
            return 77
    with subprocess.Popen(["gst-launch-1.0", "-v", *receive], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as receiver:
        time.sleep(1)  # or the caller calls again
        sender = subprocess.run(["gst-launch-1.0", *send], timeout=PATIENCE_S, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        try:
            output, _ = receiver.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            receiver.kill()
            output, _ = receiver.communicate()
    shown = output.count("chain   ***")
    print(sender.stdout)
    print(f"{shown} of {frames} frames were decoded")
    if sender.returncode or receiver.returncode or shown != frames:
        print("\n".join(line for line in output.splitlines() if "chain" not in line))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
