#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants one fault at a time and expects files.py to name it."""

import pathlib
import tempfile
import unittest

import files

LICENCE = "/* SPDX-License-Identifier: MIT */\n"


class Files(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.temporary.name)
        self.plant("src/a.c", LICENCE + "int a;\n")
        self.plant("script/b", "#!/bin/sh\n# SPDX-License-Identifier: MIT\n")

    def tearDown(self):
        self.temporary.cleanup()

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def expect(self, name, text, complaint):
        self.plant(name, text)
        problems = files.check(self.root)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(name, problems[0])
        self.assertIn(complaint, problems[0])

    def test_clean_tree_passes(self):
        self.assertEqual(files.check(self.root), [])

    def test_source_without_licence(self):
        self.expect("src/bad.c", "int a;\n", "SPDX")

    def test_licence_below_the_first_line(self):
        self.expect("tests/bad.cc", "\n" + LICENCE, "SPDX")

    def test_script_without_licence(self):
        self.expect("script/bad", "#!/bin/sh\n", "SPDX")

    def test_length_is_free(self):
        self.plant("plugins/gst/long.c", LICENCE + "int a;\n" * 800)
        self.assertEqual(files.check(self.root), [])

    def test_left_over(self):
        self.expect("include/livetcp/bad.h", LICENCE + "/* TODO */\n", "bad.h:2")

    def test_whole_caps(self):
        self.expect("plugins/gst/bad.c", LICENCE + 'int a;\nGST_INFO("%" GST_PTR_FORMAT, caps);\n',
                    "bad.c:3")

    def test_empty_tree_is_a_failure(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(len(files.check(pathlib.Path(empty))), 1)


if __name__ == "__main__":
    unittest.main()
