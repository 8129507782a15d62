#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that grow.py finds every struct that can grow, and no other."""

import pathlib
import re
import unittest

import grow

HEADERS = pathlib.Path(__file__).resolve().parents[2] / "include" / "livetcp"


class Grow(unittest.TestCase):
    def test_sized_structs_grow_at_their_end(self):
        text, names = grow.grow("typedef struct a {\n    size_t struct_size; /* x */\n"
                                "    int b;\n} a;\n")
        self.assertEqual(names, ["a"])
        self.assertTrue(text.endswith("int b;\n" + grow.GROWN + "} a;\n"))

    def test_other_structs_stay(self):
        text = "typedef struct a {\n    int b;\n    size_t struct_size;\n} a;\n"
        self.assertEqual(grow.grow(text), (text, []))

    def test_every_struct_size_in_the_headers_is_found(self):
        for header in HEADERS.glob("*.h"):
            text = header.read_text(encoding="utf-8")
            sized = len(re.findall(r"^ +size_t struct_size;", text, re.M))
            names = [n for n in grow.grow(text)[1] if n not in grow.STRIDED]
            self.assertEqual(len(names), sized, header.name)


if __name__ == "__main__":
    unittest.main()
