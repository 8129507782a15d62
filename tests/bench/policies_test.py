#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests `script/bench policies` with a stand-in for the tool: rows, checks, reports."""

import csv
import json
import sys
import types
import unittest

from script_fixture import ROOT, ScriptTest

sys.path.insert(0, str(ROOT / "script"))

from benchlib import policies, policy_rows, wants  # noqa: E402

SETTING = types.SimpleNamespace(one_way=50)
NEVER = float("inf")
DUPLICATE, HEDGE = "duplicate:connections=5:copies=2", "hedge:connections=5"


def passed(want, figures, scheme="mine"):
    return want.check(SETTING, figures, scheme)[2]


class Wants(unittest.TestCase):
    def test_limits(self):
        figures = {"mine": {"p99": 1.0, "p99_9": NEVER, "bytes_per_media_byte": 2.03,
                            "within_200ms": 0.99, "media_mbit_s": 1.9, "peer_mbit_s": 2.0}}
        self.assertTrue(passed(wants.Delay("p99", 1), figures))
        self.assertFalse(passed(wants.Delay("p99", 0.9), figures))
        self.assertFalse(passed(wants.Delay("p99_9", 500), figures))
        self.assertFalse(passed(wants.Bytes(2.02), figures))
        self.assertTrue(passed(wants.Share(200, 0.99), figures))
        self.assertTrue(passed(wants.Throughput(0.95), figures))
        self.assertFalse(passed(wants.Throughput(0.96), figures))
        figures["mine"]["peer_mbit_s"] = 0
        self.assertIsNone(passed(wants.Throughput(0.95), figures))

    def test_comparisons(self):
        figures = {"mine": {"p95": 1.0, "p99": 20.0, "p99_9": 100.0, "opening_p95": 1.0,
                            "ftp_mbit_s": 9.7},
                   "good": {"p95": 0.5, "p99": 19.0, "p99_9": 120.0, "opening_p95": 2.0,
                            "ftp_mbit_s": 10.0},
                   "bad": {"p95": NEVER, "p99": NEVER, "p99_9": NEVER}}
        self.assertTrue(passed(wants.NotWorse(("good", "bad")), figures))  # by noise alone
        self.assertTrue(passed(wants.NotAbove(("p95", "p99"), "good"), figures))
        self.assertTrue(passed(wants.NearBest(("good", "bad", "absent"), 20), figures))
        self.assertFalse(passed(wants.Below("p99", "good"), figures))
        self.assertTrue(passed(wants.Below("p99_9", "good"), figures))
        self.assertTrue(passed(wants.Opening("p95", 50, "good"), figures))
        self.assertFalse(passed(wants.Opening("p95", 49, "good"), figures))
        self.assertTrue(passed(wants.FtpLoss(4, "good"), figures))
        self.assertFalse(passed(wants.FtpLoss(2, "good"), figures))
        figures["mine"]["p99"] = 24.0
        self.assertFalse(passed(wants.NotWorse(("good", "bad")), figures))
        self.assertTrue(passed(wants.NearBest(("good",), 20), figures))
        figures["mine"]["p99"] = 40.0
        self.assertFalse(passed(wants.NearBest(("good",), 20), figures))
        self.assertIn("p99 L + 40.00 ms",
                      wants.NearBest(("good",), 20).check(SETTING, figures, "mine")[1])

    def test_what_was_not_measured_decides_nothing(self):
        figures = {"mine": {"p95": 1.0, "p99": 1.0, "p99_9": 1.0, "ftp_mbit_s": 1.0}}
        for want in (wants.Below("p99", "x"), wants.NotAbove(("p95",), "x"),
                     wants.NotWorse(("mine", "x")), wants.NearBest(("x",), 20),
                     wants.FtpLoss(4, "x"), wants.Opening("p95", 50, "x")):
            wanted, measured, result = want.check(SETTING, figures, "mine")
            self.assertIsNone(result, want)
            self.assertIn("measured", measured)
            self.assertTrue(wanted)


class Rows(unittest.TestCase):
    def test_every_row_is_complete(self):
        for quick in (False, True):
            rows = policy_rows.rows(quick)
            self.assertEqual(len({row.name for row in rows}), len(rows))
            schemes = {}
            for row in rows:
                self.assertTrue(row.wants, row.name)
                self.assertNotIn(row.scheme, row.peers)
                for want in row.wants:
                    for name in ("other", "others"):
                        others = getattr(want, name, ())
                        others = (others,) if isinstance(others, str) else others
                        self.assertLessEqual(set(others), set(row.peers), row.name)
                schemes.setdefault(row.setting, set()).update((row.scheme, *row.peers))
            self.assertLessEqual(max(map(len, schemes.values())), policies.MOST_SCHEMES)
            self.assertEqual(len({s.name for s in schemes}), len(schemes))


class Command(ScriptTest):
    def bench(self, delays, *args, fields=None):
        return self.script(delays, "policies", *args, fields=fields or {})

    def outcomes(self):
        report = json.loads((self.results / "policies.json").read_text())
        return {row["row"]: row for row in report["rows"]}

    def test_rows_are_checked_over_all_seeds(self):
        delays = {"single": [50.2] * 900 + [200] * 100, DUPLICATE: [50.2] * 995 + [54] * 5,
                  HEDGE: [50.2] * 990 + [150] * 10}
        run = self.bench(delays, "--row", "video-1-*", "--seeds", "2", fields={
            DUPLICATE: {"bytes_per_media_byte": 2.01}, HEDGE: {"bytes_per_media_byte": 1.06}})
        self.assertEqual(run.returncode, 1, run.stderr)
        rows = self.outcomes()
        self.assertEqual([v["passed"] for v in rows["video-1-duplicate"]["verdicts"]], [True] * 3)
        self.assertEqual([v["passed"] for v in rows["video-1-hedge"]["verdicts"]], [True, False])
        self.assertIn("parity", rows["video-1-parity"]["skipped"])
        self.assertEqual(rows["video-1-parity"]["verdicts"], [])
        with (self.results / "policies.csv").open(newline="") as stream:
            lines = {line["policy"]: line for line in csv.DictReader(stream)}
        self.assertEqual(set(lines), {"single", DUPLICATE, HEDGE})
        self.assertEqual(lines[DUPLICATE]["packets"], "2000")
        self.assertEqual(lines[DUPLICATE]["passed"], "yes")
        self.assertEqual(lines[HEDGE]["passed"], "no")
        self.assertEqual(lines["single"]["passed"], "")
        self.assertAlmostEqual(float(lines["single"]["p95_over_l_ms"]), 150)
        text = (self.results / "policies.md").read_text()
        self.assertIn("## Skipped", text)
        self.assertIn("**fail**", text)
        self.assertIn("without", text)  # earliest-delivery was not there to compare with
        if policies.find_python():
            self.assertIn("<svg", (self.results / "policies/video-1.svg").read_text())

    def test_one_run_has_all_schemes_of_a_setting(self):
        delays = {"single": [50.2], DUPLICATE: [50.2], HEDGE: [50.2]}
        self.assertEqual(self.bench(delays, "--row", "video-1-d*", "--row", "video-1-hedge",
                                    "--quick").returncode, 0)
        runs = self.calls.read_text().splitlines()
        self.assertEqual(len(runs), 1)
        self.assertIn(f"--policy {DUPLICATE},single,{HEDGE}", runs[0])

    def test_a_build_without_the_policy_skips(self):
        run = self.bench({"single": [50.2]}, "--row", "video-1-hedge")
        self.assertEqual(run.returncode, 1)  # nothing was shown
        self.assertIn("video-1-hedge: skipped, no policy is called 'hedge", run.stdout)
        self.assertFalse(self.calls.exists())

    def test_the_opening_of_talkspurts(self):
        kept, lost = "single:idle-packets=3", "single:idle-packets=0"
        first = [500] * 200  # without a silence before it, so nobody looks at it
        slow, slower = ([60] * 100 + [50] * 100) * 4, ([90] * 100 + [50] * 100) * 4
        run = self.bench({kept: first + slow, lost: first + slower}, "--row", "idle-packets")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("L + 10.00 ms, L + 40.00 ms", run.stdout)
        run = self.bench({kept: first + slower, lost: first + slow}, "--row", "idle-packets",
                         "--fresh")
        self.assertEqual(run.returncode, 1, run.stdout)

    def test_an_unknown_row_is_an_error_that_names_those_there_are(self):
        run = self.bench({"single": [50.2]}, "--row", "nonesuch")
        self.assertEqual(run.returncode, 1)
        self.assertIn("'nonesuch'", run.stderr)
        self.assertIn("video-1-hedge", run.stderr)

    def test_list(self):
        run = self.bench({}, "--list")
        self.assertEqual(run.returncode, 0)
        self.assertEqual(len(run.stdout.splitlines()), len(policy_rows.rows(False)))
        self.assertFalse(self.calls.exists())
        run = self.bench({}, "--list", "--row", "video-?-hedge")
        self.assertEqual([line.split()[0] for line in run.stdout.splitlines()],
                         ["video-1-hedge", "video-3-hedge"])


if __name__ == "__main__":
    unittest.main()
