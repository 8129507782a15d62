#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests `script/bench call`: its measure of a delay, its checks, its report, and what it lacks."""

import array
import pathlib
import random
import subprocess
import sys
import tempfile
import types
import unittest
import wave

from script_fixture import ROOT, ScriptTest

sys.path.insert(0, str(ROOT / "script"))

from benchlib import bench, call  # noqa: E402


def speech(count, seed):
    """An envelope of words and pauses."""
    source, levels = random.Random(seed), []
    while len(levels) < count:
        levels += [source.uniform(500, 5000)] * source.randint(40, 250)
        levels += [10.0] * source.randint(30, 200)
    return levels[:count]


class Delays(unittest.TestCase):
    def test_a_delay_is_found_whatever_the_start(self):
        said = speech(20000, 1)
        for delay, apart in ((0, 0), (107, 0), (250, 40), (107, -900)):
            pad = [0.0] * max(delay - apart, 0)
            heard = [0.8 * x + 5 for x in pad + said[max(apart - delay, 0):]] + [5.0] * 2000
            found = call.measure_delays(said, heard, apart)
            self.assertGreaterEqual(len(found), 3, (delay, apart))
            self.assertEqual(set(found), {delay})

    def test_what_is_not_alike_has_no_delay(self):
        self.assertEqual(call.measure_delays(speech(20000, 1), speech(22000, 2), 0), [])
        self.assertEqual(call.measure_delays([3.0] * 20000, [3.0] * 22000, 0), [])

    def test_envelopes_of_a_recording(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "call.wav")
            with wave.open(str(path), "wb") as out:
                out.setnchannels(2)
                out.setsampwidth(2)
                out.setframerate(48000)
                out.writeframes(array.array("h", [100, -7] * 48 + [-300, 0] * 48).tobytes())
            self.assertEqual(call.envelopes(path), [[100, 300], [7, 0]])


def row(scheme, **more):
    return {"scheme": scheme, "seed": 1, "listener": "near", "mouth_to_ear_ms": 110,
            "measured_ms": 112.0, "measured_median_ms": 111, "measured_max_ms": 130,
            "speaking_ms": 26.5, "path_ms": 50, "waiting_ms": 3, "playout_ms": 17, "hearing_ms": 10,
            "played": 990, "late": 8, "lost": 2, "corrected": 7, "concealed_percent": 0.3,
            "mos": 4.28, "cpu_percent": 1.5} | more


FLOOR = [{"end": end, "seed": 1, "cpu_percent": cpu, "opus_percent": 0.61, "frames": 1000, "sent": 860,
          "decoded": 860, "wakeups": 1840, "seconds": 20.0} for end, cpu in (("near", 1.5), ("far", 1.7))]


class Report(unittest.TestCase):
    def passed(self, **more):
        return [passed for *_, passed in call.check([row("auto"), row("auto", **more),
                                                     row("single", mos=2.0, cpu_percent=9)], [])]

    def test_the_worst_direction_of_the_default_policy_is_checked(self):
        self.assertEqual(self.passed(), [True, True, True])
        self.assertEqual(self.passed(mos=4.19), [False, True, True])
        self.assertEqual(self.passed(mouth_to_ear_ms=151), [True, False, True])
        self.assertEqual(self.passed(measured_ms=151), [True, False, True])
        self.assertEqual(self.passed(measured_ms=None), [True, False, True])
        self.assertEqual(self.passed(cpu_percent=2.1), [True, True, False])

    def test_the_table_has_both(self):
        rows = [row("auto"), row("single", mos=2.67, measured_ms=None)]
        text = call.describe(rows, [], list(call.check(rows, [])), "today")
        self.assertIn("| auto | 1 | near | 110 | 112 (111, 130) | 26 + 50 + 3 + 17 + 10 | 1000 | 10 "
                      "| 7 | 0.30 % | 4.28 | 1.5 % |", text)
        self.assertRegex(text, r"\| single .* – .*2\.67")
        self.assertNotIn("floor", text)

    def test_the_floor_is_shown_and_not_checked(self):
        rows = [row("auto"), row("auto", cpu_percent=2.5), row("single")]
        checked = list(call.check(rows, FLOOR))
        self.assertEqual([passed for *_, passed in checked], [True, True, False, None])
        text = call.describe(rows, FLOOR, checked, "today")
        self.assertIn("| a call, `auto` | 2.00 % |", text)
        self.assertIn("| floor | 1.60 % | 0.61 % | 92 | 43, 43 |", text)
        self.assertRegex(text, r"\| the floor: .* \| 1\.7 % \|  \| not judged \|")


class Floor(unittest.TestCase):
    """The program itself, with the settings of a call."""

    def test_both_ends_tell_their_cpu(self):
        with tempfile.TemporaryDirectory() as folder:
            made = types.SimpleNamespace(root=ROOT, results=pathlib.Path(folder), say=print)
            program = call.build_floor(made)
            if not program:
                self.skipTest("no Opus here")
            recordings = made.results / "call/auto-1"
            recordings.mkdir()
            for name in ("near", "far"):
                with wave.open(str(recordings / f"{name}.call.wav"), "wb") as out:
                    out.setnchannels(2)
                    out.setsampwidth(2)
                    out.setframerate(48000)
                    out.writeframes(array.array("h", [x for i in range(48000) for x in (
                        (i * 997 % 8000) if i % 12000 < 8000 else 0, 0)]).tobytes())
            settings = [row("auto", bitrate=32000, complexity=3, loss_percent=5)]
            floor = call.measure_floor(made, program, settings, 1, 1)
        self.assertEqual({end["end"] for end in floor}, {"near", "far"})
        for end in floor:
            self.assertEqual(end["frames"], 50)
            self.assertGreater(end["decoded"], 20)
            self.assertGreater(end["wakeups"], end["frames"])
            self.assertGreaterEqual(end["cpu_percent"], end["opus_percent"])


class Speech(unittest.TestCase):
    def test_it_is_as_long_as_asked_for_and_follows_the_seed(self):
        if not any(pathlib.Path(folder).is_dir() for folder in call.FOLDERS):
            self.skipTest("no recorded speech here")
        with tempfile.TemporaryDirectory() as folder:
            made = [pathlib.Path(folder, name) for name in "abc"]
            for path, seed in zip(made, (1, 1, 2)):
                call.write_speech(path, 20, seed)
            with wave.open(str(made[0]), "rb") as reader:
                self.assertEqual(reader.getnframes(), 20 * reader.getframerate())
            self.assertEqual(made[0].read_bytes(), made[1].read_bytes())
            self.assertNotEqual(made[0].read_bytes(), made[2].read_bytes())


class Missing(ScriptTest):
    def test_a_build_without_the_sample_is_told(self):
        command, env = self.command({}, "call", LIVETCP_VOIP_CALL="/no/such/voip_call")
        run = subprocess.run(command, env=env, capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("there is no /no/such/voip_call", run.stderr)
        self.assertIn("libsdl2-dev", run.stderr)

    def test_a_call_that_fails_is_told(self):
        """The stand-in for the tool knows no `emulate`."""
        if not any(pathlib.Path(folder).is_dir() for folder in call.FOLDERS):
            self.skipTest("no recorded speech here")
        made = types.SimpleNamespace(tool="/bin/false", results=pathlib.Path(self.folder.name))
        with self.assertRaisesRegex(bench.BenchError, "near.txt and far.txt"):
            call.run_call(made, "/bin/true", pathlib.Path(self.folder.name), [], 1, 1)


if __name__ == "__main__":
    unittest.main()
