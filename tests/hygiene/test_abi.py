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
HEADER = """
struct session;
struct config { unsigned long struct_size; int connections; };
enum mode { CALLER, LISTENER };
int livetcp_open(struct session *session, const struct config *config, enum mode mode);
int livetcp_close(int id);
"""
SOURCE = """
#include "livetcp.h"
struct session { int secret; };
int livetcp_open(struct session *s, const struct config *c, enum mode m) { return s && c && m; }
int livetcp_close(int id) { return id; }
"""


class Abi(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.temporary.name)
        self.baseline = self.root / "baseline.abi"
        self.run_script("--update")

    def tearDown(self):
        self.temporary.cleanup()

    def run_script(self, *options, header=HEADER, source=SOURCE):
        (self.root / "include").mkdir(exist_ok=True)
        (self.root / "include/livetcp.h").write_text(header)
        (self.root / "library.c").write_text(source)
        subprocess.run([os.environ.get("CC", "cc"), "-g", "-shared", "-fPIC", "-Iinclude",
                        "library.c", "-o", "library.so"], cwd=self.root, check=True)
        return subprocess.run([SCRIPT, *options, "--library", self.root / "library.so",
                               "--headers", self.root / "include", "--baseline", self.baseline],
                              capture_output=True).returncode

    def test_same_interface_passes(self):
        self.assertEqual(self.run_script(), 0)

    def test_other_code_behind_it_passes(self):
        self.assertEqual(self.run_script(source=SOURCE.replace("return id", "return id + 1")), 0)

    def test_opaque_type_may_change(self):
        self.assertEqual(self.run_script(source=SOURCE.replace("int secret", "long secret[9]")), 0)

    def differs(self, before, after, **texts):
        self.assertEqual(self.run_script(**{name: text.replace(before, after)
                                            for name, text in texts.items()}), 1)

    def test_function_removed(self):
        self.differs("int livetcp_close", "static int livetcp_close", header=HEADER, source=SOURCE)

    def test_function_added(self):
        self.differs("int livetcp_close", "int livetcp_new(void) { return 1; }\nint livetcp_close",
                     source=SOURCE)

    def test_parameter_changed(self):
        self.differs("livetcp_close(int id)", "livetcp_close(long id)", header=HEADER,
                     source=SOURCE)

    def test_member_moved(self):
        self.differs("unsigned long struct_size; int connections",
                     "int connections; unsigned long struct_size", header=HEADER)

    def test_member_added(self):
        self.differs("int connections;", "int connections, more;", header=HEADER)

    def test_constant_renumbered(self):
        self.differs("CALLER, LISTENER", "LISTENER, CALLER", header=HEADER)

    def test_update_accepts_the_change(self):
        header = HEADER.replace("int connections;", "int connections, more;")
        self.assertEqual(self.run_script("--update", header=header), 0)
        self.assertEqual(self.run_script(header=header), 0)

    def test_missing_baseline_fails(self):
        self.baseline.unlink()
        self.assertEqual(self.run_script(), 1)


if __name__ == "__main__":
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("abidw and abidiff are not installed (Debian: abigail-tools)")
        sys.exit(77)
    unittest.main()
