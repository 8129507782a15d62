#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests `script/bench tv`: its checks, its report, and what it lacks."""

import pathlib
import subprocess
import sys
import types
import unittest

from script_fixture import ROOT, ScriptTest

sys.path.insert(0, str(ROOT / "script"))

from benchlib import bench, tv  # noqa: E402


def zap(scheme, tcp="bbr", **more):
    return {"scheme": scheme, "tcp": tcp, "seed": 1, "changes": 50, "zap_p50": 130.0, "zap_p95": 200.0,
            "zap_max": 300.0, "seek_p50": 110.0, "seek_p95": 150.0, "seek_max": 220.0,
            "glass_p50": 140.0, "glass_p99": 190.0, "shown": 1000, "late": 3, "lost": 0} | more


def crowd(viewers, p99, stalled=False, **more):
    return {"viewers": viewers, "stalled": stalled, "open": viewers, "kbits_per_viewer": 1000.0,
            "missing": 0, "server_cpu": 71.0, "min": 1.0, "p50": 3.0, "p95": 6.0, "p99": p99,
            "max": 30.0} | more


USUAL = zap("plain TCP", zap_p95=700.0, seek_p95=600.0)


class Judgement(unittest.TestCase):
    def passed(self, viewers=None, usual=USUAL, **more):
        viewers = viewers or [crowd(150, 8.0), crowd(200, 9.0), crowd(150, 8.5, True)]
        rows = [zap("auto", **more), usual, zap("auto", "reno"), usual | {"tcp": "reno"}]
        return [passed for *_, passed in tv.check(rows, viewers)]

    def test_all_is_well(self):
        self.assertEqual(self.passed(), [True] * 12)

    def test_times_of_changes(self):
        self.assertEqual(self.passed(zap_p95=291)[:2], [False, False])
        self.assertEqual(self.passed(zap_p95=240)[:2], [True, False])
        self.assertEqual(self.passed(seek_p95=291)[2:4], [False, False])
        self.assertEqual(self.passed(glass_p99=201)[4], False)

    def test_the_worst_seed_counts(self):
        rows = [zap("auto"), zap("auto", zap_p95=400), USUAL, zap("auto", "reno"),
                USUAL | {"tcp": "reno"}]
        self.assertFalse(next(iter(tv.check(rows, [crowd(150, 8.0)])))[-1])

    def test_viewers(self):
        self.assertEqual(self.passed([crowd(150, 11.0)])[10], False)
        self.assertEqual(self.passed([crowd(150, 9.0, open=149)])[10], False)
        self.assertEqual(self.passed([crowd(150, 8.0), crowd(150, 13.5, True)])[10:], [True, False])

    def test_the_table(self):
        rows = [zap("auto"), USUAL, zap("auto", "reno"), USUAL | {"tcp": "reno"},
                {"scheme": tv.RTSP, "tcp": "bbr", "seed": 1, "changes": 50, "lost": 1,
                                     "zap_p50": 560.0, "zap_p95": 1500.0, "zap_max": 10000.0}]
        viewers = [crowd(150, 8.0), crowd(150, 8.5, True)]
        text = tv.describe(rows, viewers, list(tv.check(rows, viewers)), "today")
        self.assertIn("| auto | bbr | 1 | 50 | 130 | 200 | 300 | 110 | 150 | 220 | 140 | 190 | 1000 | 3 "
                      "| 0 |", text)
        self.assertIn("| gst-rtsp-server | bbr | 1 | 50 | 560 | 1500 | 10000 | – |", text)
        self.assertIn("| 150 | yes | 1000 | 1.0 | 3.0 | 6.0 | 8.5 | 30.0 | 0 | 71 % |", text)

    def test_percentiles(self):
        self.assertEqual(tv.share_of([5.0], 0.95), 5.0)
        self.assertEqual(tv.share_of(range(100), 0.95), 95)


class Missing(ScriptTest):
    def test_a_build_without_the_samples_is_told(self):
        command, env = self.command({}, "tv", LIVETCP_TV="/no/such")
        run = subprocess.run(command, env=env, capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("there is no /no/such/tv_server", run.stderr)
        self.assertIn("libx264-dev", run.stderr)

    def test_a_run_that_fails_is_told(self):
        """The stand-in for the tool knows no `emulate`."""
        made = types.SimpleNamespace(tool="/bin/false", results=pathlib.Path(self.folder.name),
                                     say=lambda text: None)
        with self.assertRaisesRegex(bench.BenchError, "auto failed"):
            tv.measure_zaps(made, ["/bin/true", "/bin/true"], "auto", "bbr", 1, 1)


if __name__ == "__main__":
    unittest.main()
