# SPDX-License-Identifier: MIT
"""livetcp report as it is typed. usage: command_test.py LIVETCP"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIVETCP = os.path.abspath(sys.argv.pop(1))
PATIENCE_S = 200  # for what hangs
FIXTURES = pathlib.Path(__file__).parent / "fixtures"


def data_of(page):
    """The data inside a page."""
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1]
    return json.loads(text)


class Command(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_report(self, *arguments):
        return subprocess.run([LIVETCP, "report", *map(str, arguments)], capture_output=True,
                              text=True, timeout=PATIENCE_S, cwd=self.folder, stdin=subprocess.DEVNULL)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_every_file_is_in_the_page(self):
        files = sorted(FIXTURES.iterdir())
        done = self.run_report(*files, "-o", "page.html", "--title", "Title & <more>")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"page.html: {len(files)} files\n")
        data = data_of((self.folder / "page.html").read_text(encoding="utf-8"))
        self.assertEqual([file["name"] for file in data["files"]], [str(f) for f in files])
        self.assertEqual(data["title"], "Title & <more>")
        for file, path in zip(data["files"], files):
            if path.suffix == ".json":
                self.assertEqual(file["document"]["schema"], json.loads(path.read_text())["schema"])
            else:
                self.assertEqual(file["document"]["schema"], "livetcp/report-raw/1")
                self.assertLess(len(json.dumps(file["document"])), path.stat().st_size / 3)

    def test_without_an_output_it_is_report_html(self):
        self.assertEqual(self.run_report(FIXTURES / "doctor.json").returncode, 0)
        self.assertEqual(len(data_of((self.folder / "report.html").read_text())["files"]), 1)

    def test_to_standard_output(self):
        done = self.run_report(FIXTURES / "doctor.json", "--output=-")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.endswith("</html>\n"))

    def test_what_cannot_be_used_is_named(self):
        bad = self.file("bad.json", '{"schema": ')
        alien = self.file("alien.json", '{"schema": "livetcp/bench/99"}')
        plain = self.file("plain.json", '{"results": []}')
        array = self.file("array.json", "[1]")
        text = self.file("text.txt", "hello\n")
        empty = self.file("empty.json", "  \n")
        summary = self.file("summary.csv", "scheme,transport,policy\n")
        good = FIXTURES / "doctor.json"
        for arguments, expected in [
            ([good, "nowhere.json"], "cannot read nowhere.json: No such file"),
            ([self.folder], "Is a directory"),
            ([good, bad], "bad.json:1: "),
            ([alien], "alien.json: its schema is 'livetcp/bench/99'"),
            ([plain], 'plain.json: JSON without a "schema"'),
            ([array], 'array.json: JSON without a "schema"'),
            ([text], "text.txt: neither JSON"),
            ([empty], "empty.json: the file is empty"),
            ([summary], "summary.csv: neither JSON"),
            ([good, "-o", "/nonexistent/page.html"], "cannot write /nonexistent/page.html"),
            ([good, "-o", "/dev/full"], "cannot write /dev/full"),
            ([good, "--colour"], "--colour"),
            ([], "no input files"),
        ]:
            done = self.run_report(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(expected, done.stderr, arguments)
            self.assertFalse((self.folder / "report.html").exists(), arguments)

    def test_help_names_what_it_takes(self):
        done = self.run_report("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("FILE...", "--raw", "probe", "doctor", "papers"):
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    unittest.main()
