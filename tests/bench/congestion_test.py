#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests `script/bench congestion` with a stand-in for the tool: figures, bounds, rows, peers, reports."""

import json
import pathlib
import sys
import unittest

from script_fixture import ROOT, ScriptTest

sys.path.insert(0, str(ROOT / "script"))

from benchlib.congestion import check, figures, peers, rows, suite  # noqa: E402
from benchlib.congestion.figures import NEVER, Packet  # noqa: E402

ROWS = {row.name: row for row in rows.rows()}


def stream(rate, end, delay, begin=0.0, flow=0, interval=0.04):
    """Frames of one packet; `delay` in ms is a number or depends on the time."""
    packets, frame, at = [], 0, begin
    while at < end:
        late = delay(at) if callable(delay) else delay
        arrival = NEVER if late == NEVER else at + late / 1000
        packets.append(Packet(flow, at, arrival, round(rate * interval / 8), frame, rate, False))
        frame += 1
        at = begin + frame * interval
    return packets


class Figures(unittest.TestCase):
    def test_percentiles_count_what_was_not_delivered_as_latest(self):
        packets = stream(1e6, 4, lambda at: NEVER if at > 3.9 else 50 + at)
        found = figures.summary(packets, 0, 4)
        self.assertEqual(found["p99"], NEVER)
        self.assertAlmostEqual(found["max"], 53.88, 2)
        self.assertAlmostEqual(found["lost"], 0.02)
        self.assertLess(figures.summary(packets, 0, 4, delivered=True)["p99"], 54)

    def test_packets_near_a_stall_have_no_delay(self):
        packets = stream(1e6, 1, 50)
        packets += [Packet(0, 0.5, 9.5, 100, 99, 1e6, True)]
        self.assertEqual(figures.summary(packets, 0, 1)["max"], 50.00000000000004)

    def test_rates(self):
        packets = stream(1e6, 10, 40)
        self.assertAlmostEqual(figures.rate(packets, 2, 8), 1e6, delta=1e4)
        series = figures.rates(packets, 10, 2.0)
        self.assertEqual([at for at, _ in series], [1, 3, 5, 7, 9])
        self.assertAlmostEqual(series[2][1], 1e6, delta=3e4)

    def test_a_frame_is_whole_with_its_last_packet(self):
        packets = [Packet(0, 0.0, 0.1, 1, 0, 0, False), Packet(0, 0.0, 0.3, 1, 0, 0, False),
                   Packet(0, 0.04, NEVER, 1, 1, 0, False), Packet(0, 0.04, 0.2, 1, 1, 0, False)]
        self.assertEqual(figures.frames(packets), [(0, 0.0, 0.3), (1, 0.04, NEVER)])

    def test_freezes(self):
        self.assertEqual(figures.frozen(stream(1e6, 5, 50), 0, 5, 0.04), 0)
        ends = stream(1e6, 5, lambda at: 50 if at < 2 else NEVER)
        self.assertAlmostEqual(figures.frozen(ends, 0, 5, 0.04), 5 - (1.96 + 0.05))
        gap = [p for p in stream(1e6, 5, 50) if not 2 <= p.sent < 2.5]
        self.assertAlmostEqual(figures.frozen(gap, 0, 5, 0.04), 0.56, 2)
        self.assertEqual(figures.frozen([], 0, 5, 0.04), 5)

    def test_time_above_a_limit(self):
        packets = stream(1e6, 10, lambda at: 400 if 4 <= at < 5 else 50)
        self.assertAlmostEqual(figures.late_for(packets, 3, 10, 230), 1.0, 5)
        self.assertEqual(figures.late_for(packets, 3, 10, 430), 0)

    def test_shares(self):
        self.assertEqual(figures.jain([1, 1, 1, 1]), 1)
        self.assertEqual(figures.jain([1, 0, 0, 0]), 0.25)
        self.assertEqual(figures.jain([0, 0]), 0)
        packets = stream(1e6, 10, 30) + stream(5e5, 10, 30, begin=4, flow=1)
        points = dict(figures.fairness(packets, [(0, 10), (4, 10)], 10, 2.0))
        self.assertEqual(sorted(points), [5, 7, 9])
        self.assertAlmostEqual(points[7], 0.9, 2)

    def test_when_a_rate_is_reached(self):
        packets = stream(2e5, 5, 0) + stream(1e6, 10, 0, begin=5)
        self.assertAlmostEqual(figures.reaches(packets, 0, 10, 9e5), 5, delta=0.3)
        self.assertEqual(figures.reaches(packets, 0, 10, 2e6), NEVER)


def passed(row, *runs, floors=None):
    floor = floors or [stream(0.93e6, row.seconds, 70)]
    return {wanted: outcome for wanted, _, outcome in check.outcomes(row, list(runs), floor)}


class Bounds(unittest.TestCase):
    def test_alone(self):
        row = ROWS["central-high"]
        self.assertTrue(all(passed(row, stream(0.94e6, row.seconds, 80)).values()))
        late = passed(row, stream(0.94e6, row.seconds, lambda at: 300 if at < 1 else 95))
        self.assertEqual([wanted for wanted, well in late.items() if not well],
                         ["first 3 s, largest: L + 200 ≤ 230 ms", "p95: floor + 20 ≤ 90 ms"])
        thin = passed(row, stream(0.5e6, row.seconds, 70))
        self.assertEqual(sum(not well for well in thin.values()), 2)

    def test_a_median_forgives_one_seed_and_the_largest_does_not(self):
        row = ROWS["central-high"]
        good = stream(0.94e6, row.seconds, 80)
        bad = stream(0.94e6, row.seconds, 260)
        found = passed(row, good, good, bad)
        self.assertEqual([wanted for wanted, well in found.items() if not well],
                         ["first 3 s, largest: L + 200 ≤ 230 ms"])

    def test_beside_a_greedy_flow(self):
        row = ROWS["greedy-cubic"]
        control, begin, end = row.greedy
        self.assertEqual(control, "cubic")

        def share(part):
            return (stream(0.93e6, begin, 70) + stream(part * row.rate, end, 300, begin=begin) +
                    stream(0.94e6, row.seconds, 70, begin=end))

        self.assertTrue(all(passed(row, share(0.5)).values()))
        for part in 0.3, 0.65:
            found = passed(row, share(part))
            self.assertEqual([wanted for wanted, well in found.items() if not well],
                             ["share of a fair one, 0.7 to 1.2, after 10 s"])

    def test_sessions(self):
        row = ROWS["sessions"]

        def shares(*parts):
            return [p for flow, (part, (join, leave)) in enumerate(zip(parts, row.times))
                    for p in stream(part, leave, 50, begin=join, flow=flow)]

        fair = shares(*[1.7e6] * 4)
        self.assertTrue(all(passed(row, fair).values()), passed(row, fair))
        self.assertFalse(all(passed(row, shares(3e6, 5e5, 3e5, 2e5)).values()))

    def test_steps(self):
        row = ROWS["rate-steps"]

        def follows(at):
            return 500 if 13 <= at < 13.8 else 60

        def run(delay):
            return (stream(0.93e6, 13, delay) + stream(0.38e6, 26, delay, begin=13) +
                    stream(1.9e6, 40, delay, begin=26))

        self.assertTrue(all(passed(row, run(follows)).values()), passed(row, run(follows)))
        slow = passed(row, run(lambda at: 500 if 13 <= at < 15 else 60))
        self.assertEqual(sum(not well for well in slow.values()), 1)

    def test_nothing_measured_is_not_checked(self):
        self.assertEqual(check.outcomes(ROWS["central-high"], [[]], []), [])


class Rows(unittest.TestCase):
    def test_the_grid_of_the_defect(self):
        names = set(ROWS)
        self.assertEqual(len(names), len(rows.rows()))
        for rate in ("0.3", "1", "5", "20"):
            for rtt in (20, 60, 200):
                for products in ("0.5", "1", "4"):
                    self.assertIn(f"alone-{rate}mbit-rtt{rtt}-bdp{products}-high", names)
                    self.assertIn(f"alone-{rate}mbit-rtt{rtt}-bdp{products}-low", names)
        self.assertGreaterEqual(min(row.queue for row in ROWS.values()), 3000)

    def test_a_run_has_room_for_all_peers(self):
        everything = peers.Peers({name: "x" for name in peers.TITLES}, ())
        for row in ROWS.values():
            found = peers.schemes(row, everything)
            self.assertLessEqual(len(found), 14, row.name)
            self.assertEqual(len({title for title, _ in found}), len(found))
            self.assertEqual(found[0][0] == peers.FLOOR, row.kind not in ("overload", "mobile"))

    def test_a_mobile_link_has_a_trace_instead_of_a_rate(self):
        path = ROWS["lte"].arguments()[1]
        self.assertIn("lte.trace", path)
        self.assertNotIn("rate=", path)
        self.assertEqual(check.outcomes(ROWS["lte"], [stream(1e6, 63, 60)], []), [])


class Script(ScriptTest):
    def fake(self, row, *more, **env):
        """Only the floor and LiveTCP over CUBIC, in a run that the stand-in makes up."""
        found = [(title, spec) for title, spec in peers.schemes(row, peers.Peers({}, ()))
                 if title == peers.FLOOR or "cubic" in title]
        delays = {spec: [70, 80] for _, spec in found}
        bare = pathlib.Path(self.folder.name, "bin")  # nothing that peers are built with
        bare.mkdir()
        (bare / "python3").symlink_to(sys.executable)
        return self.script(delays, "congestion", "--row", row.name, "--seeds", "1", "--no-plots",
                           "--scheme", "cubic", *more, LIVETCP_SCREAM="", PATH=str(bare), **env)

    def test_a_row_is_measured_and_checked_and_names_what_is_absent(self):
        run = self.fake(ROWS["central-high"])
        self.assertEqual(run.returncode, 1, run.stderr)  # two packets do not fill a link
        text = (self.results / "congestion.md").read_text()
        self.assertIn("Left out: WebRTC's GCC", text)
        self.assertIn("Left out: SCReAM V2", text)
        self.assertIn("| auto × 8, cubic | 70 | 80 |", text)
        self.assertIn("**fail**", text)
        report = json.loads((self.results / "congestion.json").read_text())
        scheme = report["rows"]["central-high"]["schemes"]["auto × 8, cubic"]
        self.assertEqual(scheme["windows"]["whole run"][0]["p50"], 70)
        self.assertIn({"wanted": "no freeze", "measured": "30.0 s", "passed": False},
                      scheme["verdicts"])
        call = self.calls.read_text()
        for word in ("--adaptive=1500kbit", "rate=1000kbit,queue=40000B", "--trace ideal",
                     "plain:congestion-control=cubic:start-rate=930kbit"):
            self.assertIn(word, call)

    def test_steps_are_a_schedule(self):
        self.fake(ROWS["rate-steps"])
        self.assertIn("--schedule", self.calls.read_text())
        schedule = pathlib.Path(self.results, "congestion/rate-steps.schedule").read_text()
        self.assertEqual(schedule, "13s forward rate=400kbit\n26s forward rate=2mbit\n")

    def test_a_machine_that_stood_still_measures_again(self):
        run = self.fake(ROWS["rate-steps"], FAKE_STALLED="2000")
        self.assertEqual(len(self.calls.read_text().splitlines()), suite.ATTEMPTS)
        self.assertIn("stood still for 2.0 s", run.stdout)

    def test_rows_are_listed_and_unknown_ones_named(self):
        run = self.script({}, "congestion", "--list")
        self.assertIn("greedy-bbr", run.stdout)
        self.assertIn("(by --row)", run.stdout)
        run = self.script({}, "congestion", "--row", "nonesuch")
        self.assertEqual(run.returncode, 1)
        self.assertIn("no row is called 'nonesuch'", run.stderr)
        run = self.script({}, "congestion", "--row", "x264", "--scheme", "nonesuch")
        self.assertIn("no scheme has 'nonesuch'", run.stderr)


class Plots(unittest.TestCase):
    def test_a_plot_has_all_curves(self):
        trial = suite.Trial(ROWS["sessions"], [("auto × 8, cubic", "auto")])
        trial.packets["auto × 8, cubic"] = [stream(1e6, 64, 50)]
        request = suite.request(trial)
        curve = request["curves"]["auto × 8, cubic"]
        self.assertEqual(len(curve["rates"]), 4)
        self.assertEqual(curve["count"], len(curve["sorted"]))
        self.assertTrue(curve["jain"])
        json.dumps(request)


if __name__ == "__main__":
    unittest.main()
