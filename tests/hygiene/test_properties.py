#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants missing and wrong rows and expects properties.py to name them."""

import pathlib
import tempfile
import unittest

import properties

ELEMENTS = """# Elements

## livetcpsink

Pad Templates:
  sink                : not a property

Element Properties:
  copies              : Copies of every packet
                        flags: readable
  estimated-bitrate-max: Upper bound
  name                : The name of the object
  reconnect           : Former name of auto-reconnect
  uri                 : URI

Element Signals:
  "caller-added" :  void

## livetcpsrc

Element Properties:
  uri                 : URI
"""
GOOD = ("| `copies` | S | – | |\n| `estimated-bitrate-max` | S | – | |\n| `uri` | S R | – | |\n"
        "| `passphrase` of SRT | why |\n")


class Properties(unittest.TestCase):
    def problems(self, page, elements=ELEMENTS):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs/reference").mkdir(parents=True)
            (root / "docs/reference/elements.md").write_text(elements, encoding="utf-8")
            (root / "docs/reference/properties.md").write_text(page, encoding="utf-8")
            return properties.check(root)

    def test_good(self):
        self.assertEqual(self.problems(GOOD), [])

    def test_missing_row(self):
        self.assertEqual(self.problems(GOOD.replace("copies", "copys")),
                         ["copies has no row", "no element has copys"])

    def test_two_rows(self):
        self.assertEqual(self.problems(GOOD + "| `uri` | S R | – | |\n"), ["uri has two rows"])

    def test_wrong_element(self):
        self.assertEqual(self.problems(GOOD.replace("S R", "S")),
                         ["uri is of SR, and the row says S"])

    def test_no_elements(self):
        self.assertIn("elements.md has no properties", self.problems("", "# Elements\n"))


if __name__ == "__main__":
    unittest.main()
