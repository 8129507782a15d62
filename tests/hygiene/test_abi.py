#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds small libraries that differ in one way and expects script/abi to notice."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "script/abi"
SOURCE = """
struct config { unsigned long struct_size; int connections; };
enum mode { CALLER, LISTENER };
int livetcp_open(const struct config *config, enum mode mode) { return config != 0 && mode; }
int livetcp_close(int id) { return id; }
"""


class Abi(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.temporary.name)
        self.baseline = self.root / "baseline.abi"
        self.run_script("--update", source=SOURCE)

    def tearDown(self):
        self.temporary.cleanup()

    def run_script(self, *options, source):
        (self.root / "library.c").write_text(source)
        subprocess.run([os.environ.get("CC", "cc"), "-g", "-shared", "-fPIC", "library.c", "-o",
                        "library.so"], cwd=self.root, check=True)
        return subprocess.run([SCRIPT, *options, "--library", self.root / "library.so",
                               "--baseline", self.baseline], capture_output=True).returncode

    def test_same_interface_passes(self):
        self.assertEqual(self.run_script(source=SOURCE), 0)

    def test_other_code_behind_it_passes(self):
        self.assertEqual(self.run_script(source=SOURCE.replace("return id", "return id + 1")), 0)

    def differs(self, before, after):
        self.assertIn(before, SOURCE)
        self.assertEqual(self.run_script(source=SOURCE.replace(before, after)), 1)

    def test_function_removed(self):
        self.differs("int livetcp_close", "static int livetcp_close")

    def test_parameter_changed(self):
        self.differs("livetcp_close(int id)", "livetcp_close(long id)")

    def test_member_moved(self):
        self.differs("unsigned long struct_size; int connections",
                     "int connections; unsigned long struct_size")

    def test_constant_renumbered(self):
        self.differs("CALLER, LISTENER", "LISTENER, CALLER")

    def test_update_accepts_the_change(self):
        changed = SOURCE.replace("int id", "long id")
        self.run_script("--update", source=changed)
        self.assertEqual(self.run_script(source=changed), 0)

    def test_missing_baseline_fails(self):
        self.baseline.unlink()
        self.assertEqual(self.run_script(source=SOURCE), 1)


if __name__ == "__main__":
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("abidw and abidiff are not installed (Debian: abigail-tools)")
        sys.exit(77)
    unittest.main()
