#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the demonstration says when something is wrong, and what it leaves when interrupted. No
emulated path: both ends on loopback."""

import argparse
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import common

BUILD = PYTHON = PROGRAMME = None


def run(*arguments, **environment):
    environment = {**os.environ, **environment}
    return subprocess.run(common.demo_command(PYTHON, BUILD, PROGRAMME, *arguments), check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=environment, timeout=common.PATIENCE_S)


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.output = pathlib.Path(self.folder.name) / "out"

    def tearDown(self):
        self.folder.cleanup()

    def refused(self, words, *arguments, code=1, **environment):
        result = run("--loopback", "--output", self.output, *arguments, **environment)
        self.assertEqual(result.returncode, code, result)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        self.assertEqual(common.left_behind(str(self.output)), [])

    def test_bad_values_are_named(self):
        self.refused(["--loss", "'2x'"], "--loss", "2x", code=2)
        self.refused(["--loss", "'120%'"], "--loss", "120%", code=2)
        self.refused(["--delay", "'-5ms'"], "--delay=-5ms", code=2)
        self.refused(["--path", "--loopback"], "--path", "rate=1mbit", code=2)
        self.refused(["--connections", "1 to 32"], "--connections", "33", code=2)
        self.refused(["--duration"], "--duration", "soon", code=2)

    def test_window_without_display(self):
        self.refused(["--window", "DISPLAY"], "--window", DISPLAY="", WAYLAND_DISPLAY="")

    def test_programme_that_is_missing_or_no_programme(self):
        self.refused(["file", "No such file"], "--leg", "plain", "--programme", "/nonexistent.mkv")
        self.refused(["demo-send"], "--leg", "plain", "--programme", __file__)

    def test_missing_element(self):
        self.refused(["no GStreamer element \"tcpserversrc\"", "gstreamer1.0-plugins-base"],
                     "--leg", "plain", GST_PLUGIN_SYSTEM_PATH=self.folder.name,
                     GST_REGISTRY=self.folder.name + "/registry")

    def test_output_that_is_no_directory(self):
        self.output.write_text("a file", encoding="ascii")
        self.refused(["out"], "--leg", "plain")


class Programs(unittest.TestCase):
    def test_port_in_use(self):
        with socket.socket(socket.AF_INET6) as taken, tempfile.TemporaryDirectory() as folder:
            taken.bind(("::", 0))
            taken.listen()
            port = taken.getsockname()[1]
            result = subprocess.run(
                [str(BUILD / "demo/demo-receive"), "--directory", folder, "--legs", "plain",
                 "--port", str(port)], check=False, capture_output=True, text=True,
                stdin=subprocess.DEVNULL, timeout=common.PATIENCE_S)
            self.assertEqual(result.returncode, 1, result)
            self.assertIn("plain-transport", result.stderr)
            self.assertIn("already in use", result.stderr)


class Interruption(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.output = pathlib.Path(self.folder.name) / "out"
        self.process = subprocess.Popen(
            common.demo_command(PYTHON, BUILD, PROGRAMME, "--loopback", "--leg", "plain",
                                "--duration", 600, "--output", self.output),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(self.end)
        self.wait_for(lambda: (self.output / "sending").exists())
        running = common.processes_naming(str(self.output))
        self.assertEqual(len(running), 3, running)

    def end(self):
        self.process.kill()
        self.process.communicate()

    def wait_for(self, condition):
        deadline = time.monotonic() + common.PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def interrupt(self, number):
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=common.PATIENCE_S)
        self.assertEqual(self.process.returncode, 130, said)
        self.assertIn("interrupted", said)
        self.assertNotIn("Traceback", said)
        self.assertEqual(common.left_behind(str(self.output)), [])

    def test_interrupt(self):
        self.interrupt(signal.SIGINT)

    def test_terminate(self):
        self.interrupt(signal.SIGTERM)

    def test_killed_demo_leaves_nothing_behind(self):
        self.process.kill()
        self.wait_for(lambda: not common.processes_naming(str(self.output)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    BUILD, PYTHON = options.build, sys.executable
    with tempfile.TemporaryDirectory() as here:
        PROGRAMME = common.make_programme(here)
        unittest.main(argv=[__file__, *rest])
