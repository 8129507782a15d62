#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The syntax that all commands share. usage: syntax_test.py LIVETCP"""

import json
import re
import unittest

from common import ToolTest, text

COMMANDS = re.findall(r"^  ([a-z]+) ", text("--help").stdout, re.M)


class Syntax(ToolTest):
    def test_help_and_version(self):
        self.assertIn("send", COMMANDS)
        for words in (("-h",), ("--help",), ("help",)):
            done = text(*words)
            self.assertEqual(done.returncode, 0)
            self.assertIn("Commands:", done.stdout)
        self.assertEqual(text("-V").stdout, text("--version").stdout)
        self.assertRegex(text("-V").stdout, r"^livetcp \d+\.\d+\.\d+\n$")

    def test_every_command_has_help(self):
        for command in COMMANDS:
            for words in ((command, "-h"), (command, "--help"), ("help", command)):
                with self.subTest(words):
                    done = text(*words)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertIn("Usage:", done.stdout)
                    if command != "model":  # its forms have
                        self.assertIn("Examples:" if command not in ("report",) else "Example",
                                      done.stdout)

    def test_did_you_mean(self):
        for words, meant in ((("doktor",), "'doctor'"), (("recieve",), "'receive'"),
                             (("--versoin",), None), (("model", "dealy"), "'delay'"),
                             (("bench", "--polici=x"), "'--policy'"),
                             (("send", "--durration=1s"), "'--duration'"),
                             (("stat", "--intervall", "1s"), "'--interval'"),
                             (("probe", "--jsno"), "'--json'")):
            with self.subTest(words):
                done = text(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("--help", done.stderr)
                if meant:
                    self.assertIn(f"did you mean {meant}?", done.stderr)
        self.assertNotIn("did you mean", text("quite-something-else").stderr)

    def test_times_have_units(self):
        for words in (("--interval", "20ms"), ("--interval=20",), ("--duration=2s",),
                      ("--warmup", "500ms"), ("--ftp=1@5s-60s",), ("--playout=10ms,static",)):
            with self.subTest(words):
                done = text("bench", "--check", *words)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = text("bench", "--check", "--interval", "20 ms")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--interval 20 ms: it is a time such as 20ms", done.stderr)

    def test_json_goes_to_a_file_or_standard_output(self):
        file = self.folder / "out.json"
        for words in (("--json",), ("--json", "-"), ("--json=-",)):
            with self.subTest(words):
                done = text("model", "startup", *words)
                self.assertEqual(json.loads(done.stdout)["schema"], "livetcp/model-startup/1")
        for words in (("--json", file), (f"--json={file}",)):
            with self.subTest(words):
                done = text("model", "startup", *words)
                self.assertIn("first connection", done.stdout)
                self.assertEqual(json.loads(file.read_text())["schema"], "livetcp/model-startup/1")
                file.unlink()

    def test_json_before_an_argument_takes_none(self):
        done = text("probe", "--json", "nonsense")
        self.assertIn("'nonsense': a peer is HOST:PORT", done.stderr)

    def test_the_models_default_is_linux(self):
        default = json.loads(text("model", "delay", "--json").stdout)
        self.assertEqual(default["config"]["constants"], "linux")


if __name__ == "__main__":
    unittest.main()
