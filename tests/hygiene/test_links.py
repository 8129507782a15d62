#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants broken links and expects links.py to name them."""

import pathlib
import tempfile
import unittest

import links


class Links(unittest.TestCase):
    def problems(self, text, source=""):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "docs/wire.md").write_text("# Wire format\n\n## Join & leave\n")
            (root / "src").mkdir()
            (root / "src/a.c").write_text(source)
            (root / "README.md").write_text(text)
            return links.check(root)

    def test_good_links_pass(self):
        self.assertEqual(self.problems(
            "# Top\n[a](docs/wire.md) [b](docs/wire.md#join--leave) [c](#top) [d](docs)\n"
            "[e](https://example.org/nowhere)\n```\n[f](not-a-link)\n```\n"), [])

    def test_missing_file(self):
        self.assertEqual(len(self.problems("[a](docs/gone.md)")), 1)

    def test_missing_heading(self):
        self.assertEqual(len(self.problems("[a](docs/wire.md#gone) [b](#gone)")), 2)

    def test_named_files(self):
        self.assertEqual(self.problems("`src/a.c` `src/*.c` `src/` `src/a.c:1` `x` `./src/b`"), [])
        self.assertEqual(len(self.problems("`src/gone.c` `src/gone*`")), 2)

    def test_documents_that_sources_mention(self):
        self.assertEqual(self.problems("", "/* docs/wire.md, docs/wire.md#wire-format. */"), [])
        self.assertEqual(len(self.problems("", "/* docs/gone.md, docs/wire.md#gone */")), 2)


if __name__ == "__main__":
    unittest.main()
