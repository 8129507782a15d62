#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds small archives with one call that needs a system and expects sans_io.py to name it."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import sans_io

ENGINE = "void *malloc(unsigned long);\nvoid *livetcp_engine_create(void) { return malloc(1); }\n"


class SansIo(unittest.TestCase):
    def problems(self, *sources):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for number, source in enumerate(sources):
                (root / f"{number}.c").write_text(source)
                subprocess.run([os.environ.get("CC", "cc"), "-w", "-c", f"{number}.c"], cwd=root,
                               check=True)
            subprocess.run(["ar", "rc", "library.a", *sorted(p.name for p in root.glob("*.o"))],
                           cwd=root, check=True)
            return sans_io.check(str(root / "library.a"))

    def expect(self, complaint, *sources):
        problems = self.problems(*sources)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(complaint, problems[0])

    def test_the_engine_passes(self):
        self.assertEqual(self.problems(ENGINE), [])

    def test_a_socket(self):
        self.expect("1.o]: calls connect: a socket", ENGINE, "int f(void) { return connect(); }")

    def test_libuv(self):
        self.expect("libuv", ENGINE, "int f(void) { return uv_run(); }")

    def test_a_thread(self):
        self.expect("a thread", ENGINE, "int f(void) { return pthread_create(); }")

    def test_a_function_of_its_own_with_such_a_name(self):
        self.assertEqual(self.problems(ENGINE, "int f(void) { return bind(); }",
                                       "int bind(void) { return 0; }"), [])

    def test_a_session_function(self):
        self.expect("livetcp_session_send", ENGINE, "int livetcp_session_send(void) { return 0; }")

    def test_nothing_to_check(self):
        self.expect("no engine", "int f;")


if __name__ == "__main__":
    unittest.main()
