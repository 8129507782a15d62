#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The delays, percentiles and freezes of demo/measure.py, against slow and obvious definitions."""

import math
import pathlib
import random
import tempfile
import unittest

import common
import measure
import table


def packets(rows):
    """measure.Packet of (time_us, sequence, timestamp)."""
    names = common.HEADER
    return [measure.Packet(dict(zip(names, (str(t), "0000abcd", str(seq), str(ts), "96", "0", "9"))))
            for t, seq, ts in rows]


def key(sequence, timestamp):
    return ("0000abcd", sequence, timestamp)


class Percentiles(unittest.TestCase):
    def test_against_the_definition(self):
        rng = random.Random(7)
        for size in list(range(1, 40)) + [100, 999, 1000, 1001]:
            values = sorted(rng.choice((1, 2, 3, 50, 51.5, 700)) for _ in range(size))
            for percent in measure.PERCENTILES:
                expected = min(v for v in values
                               if sum(1 for w in values if w <= v) * 100 >= percent * size - 1e-9)
                self.assertEqual(measure.percentile(values, percent), expected, (size, percent))


class PacketStates(unittest.TestCase):
    def test_arrived_lost_and_on_its_way(self):
        sent = packets([(1000, 1, 10), (2000, 2, 20), (3000, 3, 30), (4000, 4, 40)])
        arrivals = {key(1, 10): 51000, key(3, 30): 60000}
        samples = measure.packet_samples(sent, arrivals, 104000)
        self.assertEqual([s.delay_ms for s in samples], [50.0, math.inf, 57.0, 100.0])
        self.assertEqual([s.state for s in samples], ["arrived", "lost", "arrived", "on its way"])

    def test_what_has_not_come_makes_percentiles_lower_bounds(self):
        sent = packets([(i * 1000, i, i) for i in range(100)])
        arrivals = {key(i, i): i * 1000 + 50000 for i in range(94)}
        numbers = measure.summarise(measure.packet_samples(sent, arrivals, 1_000_000))
        self.assertEqual(numbers["p90"], 50.0)
        self.assertEqual(numbers["on_its_way"], 6)
        self.assertEqual(set(numbers["at_least"]), {"mean", "p95", "p99", "p99.9", "max"})
        self.assertEqual(table.delay_cell(numbers, "p90"), "50.0 ms")
        self.assertEqual(table.delay_cell(numbers, "p95"), "≥ 901.0 ms")
        self.assertEqual(numbers["within_200"], 0.94)

    def test_nothing_came(self):
        sent = packets([(0, 1, 1), (1000, 2, 2)])
        numbers = measure.summarise(measure.packet_samples(sent, {}, 500_000))
        self.assertEqual((numbers["arrived"], numbers["on_its_way"], numbers["lost"]), (0, 2, 0))
        self.assertEqual(numbers["within_500"], 0)

    def test_a_lost_packet_has_no_finite_maximum(self):
        sent = packets([(0, 1, 1), (1000, 2, 2), (2000, 3, 3)])
        numbers = measure.summarise(
            measure.packet_samples(sent, {key(1, 1): 100, key(3, 3): 2100}, 9000))
        self.assertEqual(numbers["max"], math.inf)
        self.assertEqual(table.delay_cell(numbers, "max"), "lost")
        self.assertAlmostEqual(numbers["mean"], 0.1)


class Frames(unittest.TestCase):
    def test_a_frame_waits_for_its_packets_and_for_earlier_frames(self):
        sent = packets([(0, 1, 1), (10, 2, 1), (40000, 3, 2), (80000, 4, 3)])
        arrivals = {key(1, 1): 50000, key(2, 1): 170000, key(3, 2): 90000, key(4, 3): 200000}
        samples, shown = measure.frame_samples(sent, arrivals, 999999)
        self.assertEqual(shown, [170000, 170000, 200000])
        self.assertEqual([s.delay_ms for s in samples], [170.0, 130.0, 120.0])

    def test_an_incomplete_frame_is_lost_or_on_its_way(self):
        sent = packets([(0, 1, 1), (10, 2, 1), (40000, 3, 2), (80000, 4, 3), (80010, 5, 3)])
        arrivals = {key(1, 1): 50000, key(3, 2): 90000, key(4, 3): 130000}
        samples, shown = measure.frame_samples(sent, arrivals, 180000)
        self.assertEqual([s.state for s in samples], ["lost", "arrived", "on its way"])
        self.assertEqual(samples[2].delay_ms, 100.0)
        self.assertEqual(shown, [90000])

    def test_freezes(self):
        steady = [i * 40000 for i in range(100)]
        self.assertEqual(measure.freezes(steady), [])
        paused = steady + [steady[-1] + 400000 + i * 40000 for i in range(100)]
        self.assertEqual(measure.freezes(paused), [400.0])
        slow = [i * 400000 for i in range(10)]  # slow, but steady
        self.assertEqual(measure.freezes(slow), [])
        self.assertEqual(measure.freezes([]), [])


class Traces(unittest.TestCase):
    def test_the_first_arrival_counts_and_a_wrapped_number_is_another_packet(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t.csv"
            common.write_trace(path, [(5, "0000abcd", 9, 1, 96, 0, 100),
                                      (7, "0000abcd", 9, 1, 96, 0, 100),
                                      (8, "0000abcd", 9, 2, 96, 0, 100)])
            self.assertEqual(measure.read_arrivals(path), {key(9, 1): 5, key(9, 2): 8})


if __name__ == "__main__":
    unittest.main()
