#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests script/bench with a stand-in for the tool: what it computes, checks and keeps."""

import csv
import json
import pathlib
import sys
import tempfile
import unittest

from script_fixture import ROOT, ScriptTest

sys.path.insert(0, str(ROOT / "script"))

from benchlib import iperf  # noqa: E402
from benchlib.bench import BenchError, percentile, pooled_delays, reduction  # noqa: E402

SINGLE, QUEUES = "single", "shortest-queue x5"


def read_csv(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


class Arithmetic(unittest.TestCase):
    def test_percentile(self):
        values = [15, 20, 35, 40, 50]
        self.assertEqual([percentile(values, p) for p in (.05, .3, .4, .5, .999)],
                         [15, 20, 20, 35, 50])
        self.assertEqual(percentile([], .5), float("inf"))
        self.assertEqual(percentile(list(range(1, 1001)), .999), 999)

    def test_reduction(self):
        self.assertAlmostEqual(reduction(100, 5), 95)
        self.assertEqual(reduction(100, -5), 100)
        self.assertIsNone(reduction(0, 5))
        self.assertIsNone(reduction(float("inf"), 5))
        self.assertEqual(reduction(100, float("inf")), -float("inf"))

    def test_pooled_delays(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "raw.csv")
            path.write_text("scheme,measured,near_stall,delay_us\na,1,0,2000\na,0,0,7\n"
                            "a,1,1,9000\na,1,0,\nb,1,0,1000\n")
            self.assertEqual(pooled_delays([path, path], near_stalls=False),
                             {"a": [2, 2, float("inf"), float("inf")], "b": [1, 1]})
            self.assertEqual(pooled_delays([path], near_stalls=True)["a"], [2, 9, float("inf")])

    def test_histogram_of_iperf(self):
        text = ("[  1] 0.0-5.0 sec F8-PDF: bin(w=100us):cnt(3)=501:2,502:1 (5.00/95.00)\n"
                "[  1] 0.0-9.0 sec F8(f)-PDF: bin(w=100us):cnt(4)=501:3,1500:1 (5.00/95.00)\n")
        delays = iperf.read_histogram(text)
        self.assertEqual(len(delays), 4)
        self.assertAlmostEqual(delays[0], 50.05)
        self.assertAlmostEqual(delays[3], 149.95)
        with self.assertRaises(BenchError):
            iperf.read_histogram("nothing here")
        with self.assertRaises(BenchError):
            iperf.read_histogram("F8-PDF: bin(w=1ms):cnt(3)=5:2 (")


class Experiments(ScriptTest):
    def bench(self, delays, *args):
        return self.script(delays, *args)

    def outcomes(self):
        report = json.loads((self.results / "main.json").read_text())
        return {v["what"]: v["passed"] for v in report["verdicts"]}

    def test_good_numbers_pass(self):
        run = self.bench({SINGLE: [50.1] * 90 + [150] * 10, QUEUES: [50.1] * 99 + [250]}, "main",
                         "--seeds", "2")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertTrue(all(self.outcomes().values()), self.outcomes())
        self.assertIn("99.9 %", run.stdout)
        rows = read_csv(self.results / "main.csv")
        row = next(r for r in rows if r["setting"] == "loss-1" and r["scheme"] == QUEUES)
        self.assertEqual(row["packets"], "200")  # both seeds, neither warm-up nor stall
        self.assertEqual(float(row["p95"]), 50.1)
        self.assertEqual(len(self.calls.read_text().splitlines()), 7)
        self.assertTrue((self.results / "main/loss-3-2.txt").exists())

    def test_bad_numbers_fail(self):
        run = self.bench({SINGLE: [50.1] * 90 + [150] * 10, QUEUES: [52] * 90 + [110] * 10},
                         "main", "--seeds", "1")
        self.assertEqual(run.returncode, 1)
        outcomes = self.outcomes()
        self.assertFalse(outcomes[f"p95 over propagation, {QUEUES} below {SINGLE}, 1 % loss"])
        self.assertFalse(outcomes[f"p50 over propagation, {QUEUES}, no loss"])
        self.assertIn("**fail**", run.stdout)

    def test_nothing_to_reduce_decides_nothing(self):
        run = self.bench({SINGLE: [50.1] * 99 + [60], QUEUES: [50.1] * 100}, "main", "--seeds",
                         "1")
        self.assertEqual(run.returncode, 1)
        self.assertIn("undecided", run.stdout)

    def test_grid_goes_on_where_it_stopped(self):
        delays = {SINGLE: [50.1], QUEUES: [50.2]}
        self.assertEqual(self.bench(delays, "grid", "--quick").returncode, 0)
        first = len(self.calls.read_text().splitlines())
        self.assertEqual(first, 8)
        next((self.results / "grid").glob("*.json")).unlink()
        self.assertEqual(self.bench(delays, "grid", "--quick").returncode, 0)
        self.assertEqual(len(self.calls.read_text().splitlines()), first + 1)
        rows = read_csv(self.results / "grid.csv")
        self.assertEqual(len(rows), 16)
        self.assertEqual(self.bench(delays, "grid", "--quick", "--fresh").returncode, 0)
        self.assertEqual(len(self.calls.read_text().splitlines()), 2 * first + 1)

    def test_what_was_measured_with_other_arguments_is_measured_again(self):
        delays = {SINGLE: [50.1] * 90 + [150] * 10, QUEUES: [50.1] * 100}
        self.bench(delays, "main", "--seeds", "1")
        first = len(self.calls.read_text().splitlines())
        table = (self.results / "main.csv").read_text()
        self.bench(delays, "main", "--seeds", "1")
        self.assertEqual(len(self.calls.read_text().splitlines()), first)
        self.assertEqual((self.results / "main.csv").read_text(), table)
        self.bench(delays, "main", "--seeds", "1", "--seconds", "20")
        self.assertEqual(len(self.calls.read_text().splitlines()), 2 * first)

    def test_a_tool_that_fails_is_an_error(self):
        run = self.bench("not a dictionary", "grid", "--quick")
        self.assertEqual(run.returncode, 1)
        self.assertIn("exit code 1", run.stderr)
        self.assertEqual(list((self.results / "grid").glob("*.json")), [])


if __name__ == "__main__":
    unittest.main()
