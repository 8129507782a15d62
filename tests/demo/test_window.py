#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""script/demo --window on a display of its own, both ends on loopback: something is shown in the
place of each leg, however long that takes, and Ctrl-C ends it. Needs Xvfb."""

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import common

WIDTH, HEIGHT = 1320, 448
SECONDS = 3600  # longer than it is waited for


def start_display():
    """(process of Xvfb, name of its display)."""
    if shutil.which("Xvfb") is None:
        common.skip("Xvfb is not installed")
    reader, writer = os.pipe()
    xvfb = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-noreset", "-nolisten", "tcp",
                             "-screen", "0", f"{WIDTH}x{HEIGHT}x24"], pass_fds=[writer],
                            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writer)
    with os.fdopen(reader, encoding="ascii") as pipe:
        number = pipe.readline().strip()
    if not number:
        xvfb.kill()
        xvfb.wait()
        common.skip("Xvfb does not start here")
    return xvfb, ":" + number


def grab(display, target):
    """The screen in grey, a byte each pixel."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("GST_")}
    subprocess.run(["gst-launch-1.0", "-q", "ximagesrc", "num-buffers=1", f"display-name={display}",
                    "show-pointer=false", "!", "videoconvert", "!",
                    f"video/x-raw,format=GRAY8,width={WIDTH},height={HEIGHT}", "!", "filesink",
                    f"location={target}"], check=True, stdin=subprocess.DEVNULL, env=environment)
    return target.read_bytes()


def shades(picture, left):
    """Different greys where a leg's picture is; the canvas has one, a picture of video many."""
    rows = [picture[y * WIDTH + left:y * WIDTH + left + 300] for y in range(100, 180)]
    return len(set(b"".join(rows)))


def watch(process, display, folder):
    """Looks until both legs show something; what was seen if the demonstration ends before that."""
    seen = (0, 0)
    deadline = time.monotonic() + common.PATIENCE_S
    while process.poll() is None and time.monotonic() < deadline and min(seen) < 10:
        picture = grab(display, folder / "screen")
        seen = (max(seen[0], shades(picture, 20)), max(seen[1], shades(picture, 680)))
        time.sleep(0.2)
    return seen


def demonstrate(command, display, folder):
    """(greys in the place of each leg, exit code, what was said)."""
    log = folder / "said"
    with open(log, "wb") as said:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                   env={**os.environ, "DISPLAY": display})
    try:
        seen = watch(process, display, folder)
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=common.PATIENCE_S)
    finally:
        process.terminate()
        process.wait()
    return seen, code, log.read_text(encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    python = sys.executable
    xvfb, display = start_display()
    try:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            command = common.demo_command(
                python, options.build, common.make_programme(folder), "--loopback", "--window",
                "--duration", SECONDS, "--output", folder / "out")
            seen, code, said = demonstrate(command, display, folder)
            left = common.left_behind(str(folder / "out"))
        assert min(seen) >= 10, f"nothing is shown: {seen} greys\n{said}"
        assert code == 130 and "interrupted" in said, (code, said)
        assert left == [], left
        print(f"{seen[0]} and {seen[1]} greys")
    finally:
        xvfb.terminate()
        xvfb.wait()


if __name__ == "__main__":
    main()
