#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""livetcp model as somebody types it: tables, JSON, and what it says about bad input.

usage: command_test.py LIVETCP
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = None
PATIENCE_S = 200  # for what hangs


def run(*args):
    return subprocess.run([TOOL, "model", *args], capture_output=True, text=True, timeout=PATIENCE_S)


class Command(unittest.TestCase):
    def document(self, *args):
        done = run(*args, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, *args, mentions):
        done = run(*args)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(mentions, done.stderr)

    def test_delay(self):
        d = self.document("delay", "--rtt=100ms", "--loss=1%", "--packet=174", "--interval=20ms",
                          "--loss-model=random", "--queue=packets", "--limited-transmit",
                          "--constants=paper")
        self.assertEqual(next(iter(d.items())), ("schema", "livetcp/model-delay/1"))
        self.assertTrue(d["bounded"])
        self.assertTrue(50 < d["mean_ms"] < 70)
        self.assertEqual(set(d["percentiles_ms"]), {"50", "90", "95", "99", "99.9"})
        ccdf = d["ccdf"]
        self.assertEqual(ccdf, sorted(ccdf))
        self.assertEqual(ccdf[-1][1], 0)
        self.assertTrue(all(a[1] > b[1] for a, b in zip(ccdf, ccdf[1:])))
        self.assertEqual(d["static_playout_ms"], 210)

    def test_delay_without_bound(self):
        d = self.document("delay", "--rtt=300ms", "--loss=5%", "--packet=1448")
        self.assertFalse(d["bounded"])
        self.assertIsNone(d["mean_ms"])
        self.assertEqual(d["ccdf"], [])
        table = run("delay", "--rtt=300ms", "--loss=5%", "--packet=1448")
        self.assertEqual(table.returncode, 0)
        self.assertIn("unbounded", table.stdout)

    def test_region(self):
        d = self.document("region", "--packet=174", "--target=200ms", "--quantile=95%",
                          "--rtts=20ms,100ms", "--constants=paper")
        self.assertEqual(d["schema"], "livetcp/model-region/1")
        self.assertEqual([row["rtt_ms"] for row in d["rows"]], [20, 100])
        row = d["rows"][1]
        self.assertTrue(0.02 <= row["largest_loss"] < 0.03)
        for cell in row["grid"]:
            self.assertEqual(cell["works"], cell["loss"] <= row["largest_loss"])

    def test_help_has_no_empty_section(self):
        for form in ("delay", "region", "startup"):
            lines = run(form, "--help").stdout.splitlines()
            for line, following in zip(lines, lines[1:]):
                if line.endswith(":"):
                    self.assertTrue(following.startswith("  "), f"{form}: {line}")

    def test_startup(self):
        d = self.document("startup", "--connections=5", "--rtt=100ms", "--loss=1%", "--bytes=3000")
        self.assertEqual(d["schema"], "livetcp/model-startup/1")
        self.assertEqual(set(d["session"]), {"first_ready", "all_ready", "delivered",
                                             "all_open"})
        self.assertLessEqual(d["session"]["first_ready"]["mean_ms"],
                             d["session"]["all_ready"]["mean_ms"])
        self.assertLess(d["session"]["all_ready"]["mean_ms"], d["session"]["all_open"]["mean_ms"])
        self.assertAlmostEqual(d["zhang"]["total_ms"], sum(
            d["zhang"][part] for part in ("handshake_ms", "timeouts_ms", "transfer_ms")), places=2)

    def test_json_into_a_file_leaves_the_table(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "out.json")
            done = run("startup", f"--json={file}")
            self.assertIn("first connection", done.stdout)
            self.assertEqual(json.loads(file.read_text())["schema"], "livetcp/model-startup/1")
            done = run("delay", f"--json={folder}/none/out.json")
            self.assertEqual(done.returncode, 1)
            self.assertIn("none/out.json", done.stderr)

    def test_help(self):
        for form in ("delay", "region", "startup"):
            done = run(form, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("Examples:", done.stdout)
            self.assertIn(form, run("--help").stdout)

    def test_bad_input_is_named(self):
        self.refused("delay", "--loss=100%", mentions="--loss 100%")
        self.refused("delay", "--loss=-1", mentions="--loss -1")
        self.refused("delay", "--rtt=-5ms", mentions="--rtt -5ms")
        self.refused("delay", "--rtt=5", mentions="--rtt 5")
        self.refused("delay", "--rtt=0ms", mentions="rtt_us")
        self.refused("delay", "--packet=1449", mentions="packet_bytes")
        self.refused("delay", "--loss-model=some", mentions="correlated")
        self.refused("delay", "--constants=old", mentions="paper, linux or newreno")
        self.refused("delay", "--connections=0", mentions="--connections")
        self.refused("delay", "--nothing", mentions="--nothing")
        self.refused("delay", "extra", mentions="extra")
        self.refused("region", "--quantile=100%", mentions="--quantile")
        self.refused("region", "--rtts=10ms,x", mentions="--rtts x")
        self.refused("startup", "--bytes=many", mentions="--bytes many")
        self.refused("startup", "--loss-back=1", mentions="--loss-back 1")
        self.refused("sideways", mentions="sideways")
        self.refused(mentions="Forms:")


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()
