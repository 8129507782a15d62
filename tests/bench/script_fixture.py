# SPDX-License-Identifier: MIT
"""script/bench with a stand-in for the tool, for the tests of its suites."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class ScriptTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.results = pathlib.Path(self.folder.name, "results")
        self.calls = pathlib.Path(self.folder.name, "calls")

    def script(self, delays, *args, fields=None, **more):
        """Runs it; fake_livetcp.py says what it makes of delays, fields and what else."""
        command, env = self.command(delays, *args, fields=fields, **more)
        return subprocess.run(command, env=env, capture_output=True, text=True)

    def command(self, delays, *args, fields=None, **more):
        """What script() runs, and its environment."""
        env = dict(os.environ, LIVETCP_TOOL=str(HERE / "fake_livetcp.py"),
                   FAKE_DELAYS=json.dumps(delays), FAKE_CALLS=str(self.calls), **more)
        if fields is not None:
            env["FAKE_RESULTS"] = json.dumps(fields)
        return [sys.executable, str(ROOT / "script/bench"), *args, "--results",
                str(self.results)], env
