#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests `script/bench paths` with a stand-in for the tool: rows, checks, reports."""

import json
import sys
import types
import unittest

from script_fixture import ROOT, ScriptTest

sys.path.insert(0, str(ROOT / "script"))

from benchlib import path_rows, policies, wants  # noqa: E402

SETTING = types.SimpleNamespace(one_way=30)
NEVER = float("inf")


def passed(want, figures, scheme="mine"):
    return want.check(SETTING, figures, scheme)[2]


class Wants(unittest.TestCase):
    def test_another_setting(self):
        there = {"same": {"mine": {"p99": 1.0}}}
        figures = {"mine": {"p99": 3.0}}
        self.assertTrue(passed(wants.NearOther("p99", "same", 2, there), figures))
        self.assertFalse(passed(wants.NearOther("p99", "same", 1.9, there), figures))
        self.assertIsNone(passed(wants.NearOther("p99", "absent", 2, there), figures))

    def test_limits(self):
        figures = {"mine": {"lost": 0, "media_mbit_s": 5.5, "link_0_share": 0.8,
                            "recovery_ms": 260.0, "p99": 10.0},
                   "one": {"p99": 50.0}, "two": {"p99": 60.0}}
        self.assertTrue(passed(wants.NothingLost(), figures))
        self.assertTrue(passed(wants.Rate(5.5), figures))
        self.assertFalse(passed(wants.Rate(5.6), figures))
        self.assertTrue(passed(wants.MostOn(0, 0.8), figures))
        self.assertIsNone(passed(wants.MostOn(1, 0.8), figures))
        self.assertTrue(passed(wants.Recovery(260), figures))
        self.assertFalse(passed(wants.Recovery(259), figures))
        self.assertFalse(passed(wants.Recovery(9999), {"mine": {"recovery_ms": NEVER}}))
        self.assertTrue(passed(wants.Half("p99", ("one", "two")), figures))
        figures["mine"] |= {"lost": 1, "p99": 10.1}
        self.assertFalse(passed(wants.NothingLost(), figures))
        self.assertFalse(passed(wants.Half("p99", ("one", "two")), figures))
        self.assertIsNone(passed(wants.Half("p99", ("absent",)), figures))

    def test_the_best_of_several(self):
        figures = {"mine": {"p99": 30.0}, "one": {"p99": 25.0}, "two": {"p99": NEVER}}
        self.assertFalse(passed(wants.NotAbove(("p99",), ("one", "two")), figures))
        figures["mine"]["p99"] = 26.0
        self.assertTrue(passed(wants.NotAbove(("p99",), ("one", "two")), figures))


class Rows(unittest.TestCase):
    def test_every_row_is_complete(self):
        for quick in (False, True):
            rows = path_rows.rows(quick)
            self.assertEqual(len({row.name for row in rows}), len(rows))
            settings, schemes = {row.setting.name for row in rows}, {}
            for row in rows:
                self.assertTrue(row.wants, row.name)
                self.assertNotIn(row.scheme, row.peers)
                for want in row.wants:
                    others = getattr(want, "others", ())
                    self.assertLessEqual(set(others), set(row.peers), row.name)
                    if isinstance(want, wants.NearOther):
                        self.assertIn(want.setting, settings, row.name)
                schemes.setdefault(row.setting, set()).update((row.scheme, *row.peers))
            self.assertLessEqual(max(map(len, schemes.values())), policies.MOST_SCHEMES)
            self.assertEqual(len({s.name for s in schemes}), len(schemes))


class Command(ScriptTest):
    AUTO, SINGLE = "auto:connections=8", "single"

    def paths(self, delays, *args, fields=None):
        return self.script(delays, "paths", "--quick", *args, fields=fields or {})

    def rows(self):
        report = json.loads((self.results / "paths.json").read_text())
        return {row["row"]: row for row in report["rows"]}

    def test_rows_are_checked_across_settings(self):
        delays = {self.AUTO: [30.2] * 995 + [31] * 5, self.SINGLE: [30.2] * 900 + [90] * 100,
                  "shortest-queue:connections=5": [30.2] * 900 + [80] * 100}
        run = self.paths(delays, "--row", "*route*-default")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        rows = self.rows()
        self.assertEqual(set(rows), {"same-route-video-60-default", "routes-12-video-60-default"})
        for row in rows.values():
            self.assertEqual([v["passed"] for v in row["verdicts"]], [True], row)
        text = (self.results / "paths.md").read_text()
        self.assertIn("| routes | 1 | 0 | 0 |", text)
        run = self.paths(delays, "--row", "routes-12-*-default", "--fresh")
        self.assertEqual(run.returncode, 1)  # there is nothing to compare with
        self.assertIn("was not measured", json.dumps(self.rows()))

    def test_links_and_failures(self):
        both = f"{self.AUTO}:link=all"
        links = {"path": {"packets": 9, "dropped_queue": 0, "links": [{"bytes": 70}, {"bytes": 30}]}}
        run = self.paths({both: [46.0] * 100}, "--row", "links-better", fields={both: links})
        self.assertEqual(run.returncode, 1)
        self.assertIn("70.0 %", json.dumps(self.rows(), ensure_ascii=False))

    def test_what_the_build_cannot_is_skipped(self):
        run = self.paths({self.SINGLE: [30.0]}, "--row", "links-60-60")
        self.assertEqual(run.returncode, 1)
        self.assertIn("links-60-60: skipped", run.stdout)
        self.assertFalse(self.calls.exists())


if __name__ == "__main__":
    unittest.main()
