# SPDX-License-Identifier: MIT
"""Runs the tool for tests."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LIVETCP = sys.argv.pop(1)
PATIENCE_S = 200  # for what hangs


def run(*arguments, **keywords):
    keywords.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([LIVETCP, *map(str, arguments)], capture_output=True,
                          timeout=PATIENCE_S, **keywords)


def text(*arguments, **keywords):
    return run(*arguments, text=True, **keywords)


class ToolTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="livetcp-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.started = []
        self.addCleanup(self.end_started)

    def end_started(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def start(self, *arguments, place=(), **keywords):
        """The process, whose standard error is a pipe. `place`: the command that it is run by."""
        keywords.setdefault("stdin", subprocess.DEVNULL)
        keywords.setdefault("stdout", subprocess.PIPE)
        process = subprocess.Popen([*place, LIVETCP, *map(str, arguments)], stderr=subprocess.PIPE,
                                   text=True, **keywords)
        self.started.append(process)
        return process

    def listen(self, command, *arguments, settings="", **keywords):
        """A listener on a free port: the process and its port."""
        process = self.start(command, f"livetcp://127.0.0.1:0?mode=listener{settings}", *arguments,
                             **keywords)
        lines = []
        for line in process.stderr:
            lines.append(line)
            found = re.search(r"listening on port (\d+)", line)
            if found:
                return process, int(found[1])
        self.fail(f"no port: {lines}")

    def finish(self, process):
        """(exit code, standard output, the rest of standard error)"""
        out, err = process.communicate(timeout=PATIENCE_S)
        return process.returncode, out, err


def environment(**more):
    return {**os.environ, **more}
