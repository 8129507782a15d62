#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests `script/bench playout` with a stand-in for the tool: rows, checks, reports."""

import csv
import json
import sys
import unittest

from script_fixture import ROOT, ScriptTest

sys.path.insert(0, str(ROOT / "script"))

from benchlib import playout_load, playout_rows, policies, wants  # noqa: E402

SINGLE, DUPLICATE = playout_rows.SINGLE, playout_rows.DUPLICATE


class Wants(unittest.TestCase):
    def test_limits(self):
        figures = {"mine": {"late_static": 0.05, "late_10": None, "mos_10": 4.36,
                            "most_mos_10": 4.4, "mos_20": 4.34, "most_mos_20": 4.4,
                            "mos_40": None, "most_mos_40": None}}
        self.assertEqual(wants.Late("static", 5).check(None, figures, "mine"),
                         ("≤ 5 % late at L + RTT + 3/f", "5.000 %", True))
        self.assertFalse(wants.Late("static", 4.9).check(None, figures, "mine")[2])
        self.assertIsNone(wants.Late("10", 5).check(None, figures, "mine")[2])
        self.assertTrue(wants.MosNear("10", 0.05).check(None, figures, "mine")[2])
        self.assertFalse(wants.MosNear("20", 0.05).check(None, figures, "mine")[2])
        self.assertIsNone(wants.MosNear("40", 0.05).check(None, figures, "mine")[2])


class Rows(unittest.TestCase):
    def test_checked_rows_were_asked_for(self):
        for quick in (False, True):
            rows = playout_rows.rows(quick)
            self.assertEqual(len({row.name for row in rows}), len(rows))
            checked = [row for row in rows if row.wants]
            self.assertTrue({SINGLE, DUPLICATE} <= {row.scheme for row in checked})
            for row in rows:
                asked = row.setting.args[row.setting.args.index("--playout") + 1].split(",")
                self.assertLessEqual({want.playout for want in row.wants}, set(asked))
                self.assertIn("--discard-stalls", row.setting.args)
                if row.setting.name.startswith("load-"):
                    self.assertEqual((row.wants, asked), ((), ["adaptive"]))
                    continue
                outside = row.setting.rtt > 100 or float(row.setting.loss[:-2]) > 2
                self.assertFalse(outside and row.wants, row.name)

    def test_the_offered_load_is_the_calls_and_the_rest(self):
        # 5 calls of 226 bytes every 20 ms, 60 % of the time: 271.2 kbit/s.
        args = playout_load.setting(0.6).args
        self.assertEqual(args[args.index("--poisson") + 1], "2729kbit")
        self.assertIn("delay=10ms,rate=5mbit,queue=50p", args)
        self.assertTrue(any(load > 1 for load in playout_load.LOADS))

    def test_figures_of_an_adaptive_listener(self):
        point = {"playout": "adaptive", "over_ms": 0, "packets": 100, "late": 5, "primary": 80,
                 "secondary": 15, "delay_ms": 40, "stddev_ms": 3, "mos": None, "most_mos": 4.4}
        clean = point | {"primary": 100, "secondary": 0, "late": 0, "delay_ms": 20}
        figures = policies.describe_playout([{"playout": [point]}, {"playout": [clean]}])
        self.assertAlmostEqual(figures["played_adaptive"], 0.975)
        self.assertAlmostEqual(figures["primary_adaptive"], 0.9)
        self.assertAlmostEqual(figures["saved_adaptive"], 0.75)
        self.assertAlmostEqual(figures["delay_adaptive_ms"], 30)
        self.assertIsNone(policies.describe_playout([{"playout": [clean]}])["saved_adaptive"])

    def test_figures_of_all_seeds_together(self):
        point = {"playout": "10", "over_ms": 10, "packets": 100, "late": 1, "mos": 4.0,
                 "most_mos": 4.4}
        figures = policies.describe_playout([
            {"playout": [point]}, {"playout": [point | {"packets": 300, "late": 7, "mos": 3.0}]}])
        self.assertAlmostEqual(figures["late_10"], 0.02)
        self.assertAlmostEqual(figures["mos_10"], 3.5)
        self.assertEqual(policies.describe_playout([{}, {}]), {})
        nothing = point | {"packets": 0, "late": 0, "mos": None}
        self.assertIsNone(policies.describe_playout([{"playout": [nothing]}])["late_10"])


class Command(ScriptTest):
    def bench(self, delays, *args):
        return self.script(delays, "playout", *args, fields={})

    def outcomes(self):
        report = json.loads((self.results / "playout.json").read_text())
        return {row["row"]: [v["passed"] for v in row["verdicts"]] for row in report["rows"]}

    def test_a_run(self):
        # RTT 100 ms: L + RTT + 3/f is 210 ms.
        delays = {SINGLE: [50.2] * 960 + [200] * 30 + [211] * 10,
                  DUPLICATE: [50.2] * 999 + [61]}
        run = self.bench(delays, "--row", "voice-1-100-*")
        self.assertEqual(run.returncode, 0, run.stderr + run.stdout)
        self.assertEqual(self.outcomes(), {"voice-1-100-single": [True],
                                           "voice-1-100-duplicate": [True, True]})
        text = (self.results / "playout.md").read_text()
        self.assertIn(f"| 100 | 1 % | {SINGLE} | 4.00 | 4.00 |", text)
        self.assertIn("| 1.00 | 210 |", text)
        with (self.results / "playout.csv").open(newline="") as stream:
            lines = {line["policy"]: line for line in csv.DictReader(stream)}
        self.assertEqual(float(lines[SINGLE]["late_static"]), 0.01)
        self.assertEqual(float(lines[DUPLICATE]["late_10"]), 0.001)
        if policies.find_python():
            plot = (self.results / "playout/single-100.svg").read_text()
            self.assertIn("L + RTT + 3/f", plot)
            self.assertIn("1 % loss", plot)

    def test_too_late(self):
        delays = {SINGLE: [50.2] * 94 + [211] * 6, DUPLICATE: [50.2] * 99 + [61]}
        run = self.bench(delays, "--row", "voice-1-100-*")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertEqual(self.outcomes(), {"voice-1-100-single": [False],
                                           "voice-1-100-duplicate": [False, False]})

    def test_rows_that_are_only_shown_pass_and_fail_nothing(self):
        delays = {SINGLE: [50.2] * 50 + [900] * 50, DUPLICATE: [50.2]}
        run = self.bench(delays, "--row", "voice-1-100-duplicate", "--row", "voice-5-300-*")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertEqual(self.outcomes()["voice-5-300-single"], [])

    def test_offered_load(self):
        schemes = playout_load.SCHEMES
        delays = {scheme: [10.2] * 90 + [70] * 10 for scheme in schemes}
        run = self.bench(delays, "--row", "load-0.6-*", "--row", "load-1-*")
        self.assertEqual(run.returncode, 0, run.stderr + run.stdout)
        text = (self.results / "playout.md").read_text()
        self.assertIn(f"| 0.6 | {schemes[1]} | 95.00 | 90.00 | 5.00 | 50.0 | 5.00 | 30.0 | 1.5 |",
                      text)
        self.assertNotIn("L + RTT + 3/f", text)
        if policies.find_python():
            plot = (self.results / "playout/load.svg").read_text()
            self.assertIn("offered load", plot)
            self.assertIn(schemes[1], plot)

    def test_offered_load_beside_lossy_paths(self):
        delays = {scheme: [10.2] * 100
                  for scheme in (*playout_load.SCHEMES, SINGLE, DUPLICATE)}
        run = self.bench(delays, "--row", "load-0.6-single", "--row", "voice-1-20-*")
        self.assertEqual(run.returncode, 0, run.stderr + run.stdout)
        with (self.results / "playout.csv").open(newline="") as stream:
            lines = {(line["setting"], line["policy"]): line for line in csv.DictReader(stream)}
        self.assertEqual(float(lines["load-0.6", SINGLE]["played_adaptive"]), 1)
        self.assertEqual(lines["voice-1-20", SINGLE]["played_adaptive"], "")

    def test_list(self):
        run = self.bench({}, "--list")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(run.stdout.splitlines()), len(playout_rows.rows(False)))
        self.assertIn("voice-2-20-single", run.stdout)


if __name__ == "__main__":
    unittest.main()
