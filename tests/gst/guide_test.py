#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pipelines of docs/guide/gstreamer.md as they stand there, a section at a time: every one that
receives shows pictures, plays sound or records, until it is interrupted. Only ports, windows,
loudspeakers, the camera and places of files are others.

usage: guide_test.py SECTION [VIEWERS [FAKE_DEVICES]]
"""

import os
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_S = 250
ENOUGH = 20  # buffers shown, by each
RECORDED = 20000  # bytes
CAMERA = "/dev/video7"  # of FAKE_DEVICES
FAKE_SINK = ["fakesink", "silent=false", "sync=true"]
SHOWN = "video", "audio"  # by a player: both
RTCP = "rtp_session_process_sr: got SR packet"  # in the log of rtpbin: from the other end


def pipelines(section):
    """The arguments of the section's gst-launch-1.0 commands that are whole."""
    text = (ROOT / "docs/guide/gstreamer.md").read_text(encoding="utf-8")
    text = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0].replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines()]
    found = [shlex.split(line)[1:] for line in lines
             if line.startswith("gst-launch-1.0 ") and "..." not in line]
    assert len(found) >= 2, f"'{section}' has no two pipelines any more"
    return found[:2]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def missing_element(words):
    for name in re.findall(r"(?:^|! )([a-z0-9_]+)(?![\w./-])", " ".join(words)):
        if subprocess.run(["gst-inspect-1.0", name], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode:
            return name
    return None


def adapt(words, ports, folder):
    """What a test cannot do as it stands: look at a window, listen, wait for Ctrl-C."""
    made = []
    for word in words:
        port = re.fullmatch(r"(port=|uri=livetcp://[^?]*:)(\d+)(\?.*)?", word)
        if port:
            word = port.group(1) + str(ports.setdefault(port.group(2), free_port())) + \
                (port.group(3) or "")
        word = re.sub("^location=", f"location={folder}/", word)
        if word in ("autovideosink", "autoaudiosink"):
            made += FAKE_SINK
        elif word == "v4l2src":
            made += [word, f"device={CAMERA}"]
        elif word == "playbin":
            made += [word] + [f"{kind}-sink={' '.join(FAKE_SINK)} name={kind}" for kind in SHOWN]
        else:
            made.append(word)
    return made


class Pipeline:
    """A program and what it says, up to its end."""

    def __init__(self, words, folder=None):
        self.shows = "fakesink" in words or "playbin" in words
        self.wants = [f"({kind}:sink)" for kind in SHOWN] if "playbin" in words else [""]
        self.reports = 0 if "rtpbin" in words else None
        self.folder = folder if "filesink" in words else None
        self.shown = 0
        self.text = ""
        more = {} if self.reports is None else {"GST_DEBUG": "rtpsession:5",
                                                "GST_DEBUG_NO_COLOR": "1"}
        if "v4l2src" in words:
            more = {"LD_PRELOAD": fake_devices, "LIVETCP_FAKE_CAMERA": "works"}
        self.process = subprocess.Popen(["gst-launch-1.0", "-v", *words], text=True,
                                        env={**os.environ, **more}, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            if "chain   ***" in line:
                self.shown += 1
                self.wants = [sink for sink in self.wants if sink not in line]
            elif self.reports is not None and "rtpsession" in line:
                self.reports += RTCP in line
            else:
                self.text += line

    def has_enough(self):
        if self.folder:
            return any(path.stat().st_size > RECORDED for path in pathlib.Path(self.folder).iterdir())
        if self.reports == 0:
            return False
        return not self.shows or self.shown >= ENOUGH and not self.wants

    def interrupt(self):
        """Its exit code; None if it has to be killed."""
        self.process.send_signal(signal.SIGINT)
        self.reader.join(PATIENCE_S / 4)
        hangs = self.reader.is_alive()
        if hangs:
            self.process.kill()
            self.reader.join()
        code = self.process.wait()
        # A receiver ends by itself when the sender has: it may have given its handler back already.
        if code == -signal.SIGINT and "Freeing pipeline" in self.text:
            code = 0
        return None if hangs else code


def wait_for_all(pipelines_):
    """Until every one has enough, or one has ended."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and all(p.reader.is_alive() for p in pipelines_):
        if all(p.has_enough() for p in pipelines_):
            return True
        time.sleep(0.05)
    return False


def is_recorded(folder):
    """The file has an end, and pictures that can be decoded."""
    for path in pathlib.Path(folder).iterdir():
        done = subprocess.run(["gst-launch-1.0", "-v", "filesrc", f"location={path}", "!",
                               "matroskademux", "!", "h264parse", "!", "avdec_h264", "!", "fakesink",
                               "silent=false"], capture_output=True, text=True, check=False)
        return done.returncode == 0 and done.stdout.count("chain   ***") > 0
    return False


class Screen:
    """An X server without a screen, for the time of a test; None where there is none."""

    @staticmethod
    def start():
        read, write = os.pipe()
        try:
            process = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "320x240x24"],
                                       pass_fds=[write], stderr=subprocess.DEVNULL)
        except FileNotFoundError:
            return None
        finally:
            os.close(write)
        with os.fdopen(read) as answer:
            number = answer.readline().strip()  # "" if it ends without one
        os.environ["DISPLAY"] = f":{number}"
        return process if number else None


def run(section, viewers):
    words, ports = pipelines(section), {}
    screen = None
    if any("ximagesrc" in command for command in words):
        screen = Screen.start()
        if not screen:
            print("skipped: there is no Xvfb")
            return 77
    if any("v4l2src" in command for command in words) and not fake_devices:
        print("skipped: there is no fake camera")
        return 77
    try:
        return show(words, ports, viewers)
    finally:
        if screen:
            screen.terminate()
            screen.wait()


def show(words, ports, viewers):
    for command in words:
        name = missing_element([word for word in command if word != "-e"])
        if name:
            print(f"skipped: there is no element {name}")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        first, second = (adapt(command, ports, folder) for command in words)
        started = [Pipeline(first, folder)] + [Pipeline(second, folder) for _ in range(viewers)]
        good = wait_for_all(started)
        codes = [pipeline.interrupt() for pipeline in reversed(started)][::-1]
        good = good and not any(code is None or code < 0 for code in codes)
        if good and any(p.folder for p in started):
            good = is_recorded(folder)
    for pipeline, code in zip(started, codes):
        print(f"ended with {code}, {pipeline.shown} buffers shown")
        if not good:
            print(pipeline.text)
    return 0 if good else 1


if __name__ == "__main__":
    if os.environ.get("LIVETCP_PRELOAD"):
        print("skipped: a sanitizer would look at all of GStreamer")
        sys.exit(77)
    fake_devices = sys.argv[3] if len(sys.argv) > 3 else None
    sys.exit(run(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1))
