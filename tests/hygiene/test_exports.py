#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exports one wrong name at a time and expects exports.py to name it."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import exports

HEADER = """
/* LIVETCP_API int livetcp_commented_out(void); */
LIVETCP_API const char *livetcp_name(int a);
LIVETCP_API int livetcp_open(int (*callback)(void *),
                             void *data);
"""


class Exports(unittest.TestCase):
    def problems(self, source):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "livetcp.h").write_text(HEADER)
            (root / "library.c").write_text(source)
            subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "library.c", "-o",
                            "library.so"], cwd=root, check=True)
            return exports.judge(exports.exported(root / "library.so"), exports.declared(root))

    def test_declared_names_pass(self):
        self.assertEqual(self.problems("int livetcp_name; int livetcp_open(void) { return 0; }"),
                         [])

    def test_internal_name(self):
        self.assertEqual(len(self.problems("int livetcp_name; int lt_ring;")), 1)

    def test_undeclared_name(self):
        self.assertEqual(len(self.problems("int livetcp_name; int livetcp_secret;")), 1)

    def test_commented_out_declaration_is_none(self):
        self.assertEqual(len(self.problems("int livetcp_commented_out;")), 1)

    def test_nothing_exported(self):
        self.assertEqual(len(self.problems("static int a; static int *b = &a;")), 1)


if __name__ == "__main__":
    unittest.main()
