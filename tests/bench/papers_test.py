#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests `script/bench papers` with a stand-in for the tool: what it measures, keeps, spreads over
machines and writes."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import types
import unittest

from script_fixture import ROOT, ScriptTest

sys.path.insert(0, str(ROOT / "script"))

from benchlib.papers import brosh, brosh_queue, cells, document, figures  # noqa: E402
from benchlib.papers import goel, luebben, model, must_show, reading, setting, suite  # noqa: E402
from benchlib.papers.cells import Cell  # noqa: E402
from benchlib.papers.figures import Figure, Known, Point, Series, Unbounded  # noqa: E402

PATIENCE_S = 200  # for what hangs
AUTO = brosh.AUTO
FIVE_PERCENT = {"socket": [50.2] * 94 + [230] * 6, AUTO: [50.2] * 99 + [60]}


def refuses(reports):
    raise Unbounded


class Cells(unittest.TestCase):
    def test_a_name_is_for_one_cell_and_a_file(self):
        every = figures.cells_of(suite.figures(setting.Setting()))
        self.assertEqual(len({cell.name for cell in every}), len(every))
        for cell in every:
            self.assertRegex(cell.name, r"^[A-Za-z0-9_.-]{5,120}$")

    def test_what_a_job_prints_is_read_back(self):
        reader = cells.Reader()
        lines = ["noise", f"{cells.BEGIN} a 0", "{", "}", cells.END, f"{cells.BEGIN} b 3", "why",
                 cells.END, cells.END]
        self.assertEqual([done for line in lines if (done := reader.take(line + "\n"))],
                         [("a", 0, "{\n}"), ("b", 3, "why")])

    def test_the_shell_command_of_a_cell(self):
        cell = Cell("bench", ("--say", "it's $HOME", "--json", cells.REPORT))
        run = subprocess.run(["sh", "-c", cell.script("echo")], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(f"{cells.BEGIN} {cell.name} 0", run.stdout)
        self.assertIn(f"{cells.END}\n", run.stdout)
        run = subprocess.run(["sh", "-c", cell.script("cat")], capture_output=True, text=True)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("cat: ", run.stdout)  # why there is none


class Evaluation(unittest.TestCase):
    def test_points_without_all_their_cells(self):
        there, absent = Cell("bench", ("1",)), Cell("bench", ("2",))
        first = lambda reports: reports[0]["y"]  # noqa: E731
        made = figures.evaluate_figure(Figure(
            "f", "Paper, Figure 1", "t", "x", "ms",
            (Known("k", ((1, 2),)), Series("s", "measured", (
                Point(1, (there,), first), Point(2, (there, absent), first),
                Point(3, (absent,), first), Point(4, (there,), refuses))))), {there: {"y": 5}})
        known, series = made["series"]
        self.assertEqual(known["points"], [[1, 2]])
        self.assertEqual(series["points"], [[1, 5], [2, 5]])
        self.assertEqual(series["missing"], [2, 3])
        self.assertEqual(series["unbounded"], [4])
        self.assertTrue(made["partial"])

    def test_what_never_came_has_no_mean(self):
        result = {"spec": "a", "clean": {"sent": 1000, "lost": 2, "mean_ms": 5.0}}
        with self.assertRaises(Unbounded):
            reading.delay("a", "mean_ms")([{"results": [result]}])
        result["clean"]["lost"] = 1
        self.assertEqual(reading.delay("a", "mean_ms")([{"results": [result]}]), 5)

    def test_reductions(self):
        def report(mine, base, lost=0):
            return {"results": [
                {"spec": "m", "clean": {"sent": 10, "lost": 0, "p95_ms": mine}},
                {"spec": "b", "clean": {"sent": 10, "lost": lost, "p95_ms": base}}]}
        read = reading.reduction("m", "b", "p95_ms")
        self.assertAlmostEqual(read([report(25, 100)]), 75)
        self.assertAlmostEqual(read([report(25, 100), report(75, 100)]), 50)
        self.assertEqual(read([report(25, 100, lost=5)]), 100)
        self.assertIsNone(read([report(None, None)]))

    def test_the_edge_of_a_region(self):
        self.assertEqual(reading.largest([(1, 10), (2, 20), (3, 5)], 10), 1)
        self.assertEqual(reading.largest([(1, 10), (2, None)], 10), 1)
        self.assertIsNone(reading.largest([(1, 11)], 10))

    def test_goels_ecn_marks_where_the_queue_was_full(self):
        args = goel.with_ecn(("--path", "delay=50ms,rate=30mbit,queue=50p", "--path-back", "x"))
        self.assertEqual(args[1], "delay=50ms,rate=30mbit,queue=100p,ecn=50p")
        self.assertIn("net.ipv4.tcp_ecn=1", args)


class Models(unittest.TestCase):
    def test_delay(self):
        report = {"bounded": True, "mean_ms": 60, "percentiles_ms": {"95": 200}}
        self.assertEqual(model.model_delay("mean_ms")([report]), 60)
        self.assertEqual(model.model_delay("p95_ms")([report]), 200)
        with self.assertRaises(Unbounded):
            model.model_delay("mean_ms")([report | {"bounded": False}])
        better = {"bounded": True, "percentiles_ms": {"95": 50}}
        self.assertEqual(model.model_reduction("p95_ms")([report, better]), 75)
        self.assertEqual(model.model_reduction("p95_ms")([report | {"bounded": False}, better]),
                         100)

    def test_loss_behind_a_queue(self):
        """What TCP sent again of what it sent, over all runs; reports of older builds do not say it."""
        runs = [{"results": [{"spec": "socket", "segments": segments, "retransmitted": again,
                              "clean": {"p95_ms": p95}}]}
                for segments, again, p95 in ((1000, 10, 100), (3000, 70, 300), (None, 9, None))]
        self.assertEqual(brosh_queue.loss_rate(runs), 2)
        self.assertIsNone(brosh_queue.loss_rate(runs[2:]))
        self.assertAlmostEqual(brosh_queue.p95_mean(runs), 0.2)
        self.assertAlmostEqual(brosh_queue.p95_deviation(runs), 0.1414, 4)
        self.assertIsNone(brosh_queue.p95_deviation(runs[:1]))

    def test_attainable_rate(self):
        """The best of S = r(t - delay) over the rates, or nothing before the first delay."""
        report = [{"service_curve": {"points": [{"rate_bit_s": 1e6, "delay_ms": 20},
                                                {"rate_bit_s": 4e6, "delay_ms": 100}]}}]
        self.assertEqual(luebben.attainable(0.02)(report), 0)
        self.assertAlmostEqual(luebben.attainable(0.1)(report), 0.8)
        self.assertAlmostEqual(luebben.attainable(1)(report), 3.6)

    def test_probabilities_of_delays(self):
        report = [{"rates": [{"rate_bit_s": 5e6, "delays": {
            "total": {"ccdf": [[10, 0.5], [20, 0.1], [30, 0]]}, "sender": None}}]}]
        read = [luebben.beyond(5, "total", x)(report) for x in (9, 10, 25, 30)]
        self.assertEqual(read, [1, 0.5, 0.1, 0])
        self.assertIsNone(luebben.beyond(5, "sender", 9)(report))
        self.assertIsNone(luebben.beyond(6, "total", 9)(report))

    def test_a_bound_that_there_is_not(self):
        self.assertEqual(luebben.bound({"video": {"bound_ms": 7}}), 7)
        self.assertIsNone(luebben.bound({"video": None}))
        with self.assertRaises(Unbounded):
            luebben.bound({"video": {"bound_ms": None}})

    def test_what_was_sent_of_the_video(self):
        sent = {"frame_quantile_ms": 5, "frames_above_bound": 3}
        report = {"video": {"bound_ms": 7, "frames": 12, "sent": sent}}
        self.assertEqual(luebben.largest_of_frames(report), 5)
        self.assertEqual(luebben.above_bound(report), 25)
        for read in (luebben.largest_of_frames, luebben.above_bound):
            self.assertIsNone(read({"video": {"bound_ms": 7, "sent": None}}))
            self.assertIsNone(read({"video": None}))
            with self.assertRaises(Unbounded):
                read({"video": {"bound_ms": None, "sent": None}})

    def test_several_probes_of_one_setting(self):
        """Their mean, of those that say it; a video that one of them does not carry has no bound."""
        read = luebben.mean(luebben.bound)
        there, another = ({"video": {"bound_ms": ms}} for ms in (7, 10))
        self.assertEqual(read([there, another]), 8.5)
        self.assertEqual(read([there, {"video": None}]), 7)
        self.assertIsNone(read([{"video": None}]))
        with self.assertRaises(Unbounded):
            read([there, {"video": {"bound_ms": None}}])
        cells = [luebben.probed(setting.Setting(seeds=seeds)) for seeds in (1, 3)]
        self.assertEqual(cells[1][0], cells[0][0])
        self.assertEqual([len(set(runs)) for runs in cells], [2, 3])
        self.assertEqual(len(luebben.probed(setting.Setting(quick=True))), 1)

    def test_the_video_over_a_constant_rate(self):
        """Its first frame has 349007 bytes: 297 ms at 9.4 Mbit/s, and 10 ms there."""
        self.assertAlmostEqual(luebben.constant_rate(), 307, delta=1)
        self.assertAlmostEqual(luebben.constant_rate(1e6, 10), 10, delta=0.1)


class Fetch(unittest.TestCase):
    def test_every_retrieval_is_timed(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        script = str(ROOT / "script/benchlib/papers/fetch.py")
        with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
                [sys.executable, script, "serve", str(port)]) as server:
            report = pathlib.Path(folder, "report")
            try:
                self.wait_for(port)
                subprocess.run([sys.executable, script, "get", "127.0.0.1", str(port), "30000",
                                "5", str(report)], check=True, timeout=PATIENCE_S)
            finally:
                server.terminate()
            result = json.loads(report.read_text())
        self.assertEqual((result["trials"], result["failed"]), (5, 0))
        self.assertTrue(0 < result["median_s"] <= result["max_s"])

    def wait_for(self, port):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                time.sleep(0.02)
        self.fail("it does not listen")


class MustShow(unittest.TestCase):
    def check(self, points):
        report = {"figures": [{"name": "f", "series": [{"name": "s", "points": points}]}]}
        return must_show.most(report, "f", "s", (1, 2), 10, "w")[3]

    def test_limits(self):
        self.assertTrue(self.check([[1, 10], [2, 9], [3, 50]]))
        self.assertFalse(self.check([[1, 10.1], [2, 9]]))
        self.assertFalse(self.check([[1, 11]]))
        self.assertIsNone(self.check([[1, 9]]))
        self.assertIsNone(self.check([[3, 9]]))
        self.assertIsNone(must_show.reaches({"figures": []}, "f", "s", 100, 2, "w")[3])

    @staticmethod
    def check_bounds(bound, sent):
        report = {"figures": [{"name": "f", "series": [{"name": "bound", "points": bound},
                                                       {"name": "sent", "points": sent}]}]}
        return must_show.bounds(report, "f", "bound", "sent", "w")[3]

    def test_a_bound_is_above_what_it_bounds_but_not_far(self):
        self.assertTrue(self.check_bounds([[21, 15], [83, 20]], [[21, 10], [83, 20]]))
        self.assertFalse(self.check_bounds([[21, 15], [83, 19]], [[21, 10], [83, 20]]))
        self.assertFalse(self.check_bounds([[21, 21]], [[21, 10]]))
        self.assertIsNone(self.check_bounds([[21, 21]], []))

    def test_a_rate_is_found_but_for_the_accuracy_of_probing(self):
        def check(found):
            report = {"figures": [{"name": "f", "series": [
                {"name": "`livetcp probe`", "points": [[100, found]]}]}]}
            return must_show.converges(report, "f", 100, 4143, 100, "packets/s")[3]
        self.assertTrue(check(4100))
        self.assertFalse(check(4000))
        self.assertFalse(check(4200))

    def test_a_rate_that_nobody_knows_is_the_papers_but_for_the_accuracy_of_probing(self):
        def check(found):
            report = {"figures": [{"name": "luebben-13b", "series": [
                {"name": "NewReno, run 1", "points": found}]}]}
            return must_show.agrees(report, 1, 21, 8)[3]
        self.assertTrue(check([[21, 9], [83, 3]]))
        self.assertFalse(check([[21, 9.5]]))
        self.assertFalse(check([[21, 6]]))
        self.assertIsNone(check([[83, 9]]))

    def test_outcomes_are_about_existing_series(self):
        for quick in (False, True):
            options = setting.Setting(quick)
            names = {(figure.name, series.name) for figure in suite.figures(options)
                     for series in figure.series}
            asked = []
            original, must_show.points = must_show.points, lambda report, figure, series: \
                asked.append((figure, series))
            try:
                list(must_show.outcomes({"setting": options.describe(), "figures": []}))
            finally:
                must_show.points = original
            self.assertTrue(asked)
            self.assertLessEqual(set(asked), names)


class Document(unittest.TestCase):
    def test_docs_papers_md_is_what_its_json_makes(self):
        report = json.loads((ROOT / "docs/research/papers.json").read_text())
        self.assertEqual(report["schema"], document.SCHEMA)
        self.assertEqual((ROOT / "docs/research/papers.md").read_text(), document.markdown_of(report),
                         "python3 -m benchlib.papers.document ../docs/research/papers.json, in script/")


class Papers(ScriptTest):
    """Runs the suite over one figure with four cells."""
    ROWS = ("--quick", "--row", "brosh-14a")

    def papers(self, *args, delays=None, **more):
        return self.script(delays or FIVE_PERCENT, "papers", *args, fields={}, FAKE_LACKS="model",
                           **more)

    def measured(self):
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0

    def report(self):
        return json.loads((self.results / "papers.json").read_text())

    def series(self, name):
        figure, = self.report()["figures"]
        return next(s for s in figure["series"] if s["name"] == name)

    def start(self, *args, **more):
        command, env = self.command(FIVE_PERCENT, "papers", *args, fields={}, FAKE_LACKS="model",
                                    **more)
        return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, start_new_session=True)

    def check_interruption(self):
        """One cell of two waits for ever; what the other measured is kept."""
        run = self.start(*self.ROWS, FAKE_WAITS="loss=2%")
        deadline = time.monotonic() + PATIENCE_S

        def under_way():
            calls = self.calls.read_text() if self.calls.exists() else ""
            return "loss=2%" in calls and list((self.results / "papers").glob("*.json"))
        while not under_way() and run.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        os.killpg(run.pid, signal.SIGINT)
        _, err = run.communicate(timeout=PATIENCE_S)
        self.assertEqual(run.returncode, 1, err)
        self.assertIn("interrupted", err)
        self.assertNotIn("Traceback", err)
        self.assertTrue(self.report()["figures"][0]["partial"])
        self.assertIn("**Partial**", (self.results / "papers.md").read_text())
        kept = len(list((self.results / "papers").glob("*.json")))
        # In a file of their own: a cell that was ended while it began may yet be counted.
        self.calls = self.calls.with_name("calls-after")
        self.assertEqual(self.papers(*self.ROWS).returncode, 0)
        self.assertEqual(self.measured(), 4 - kept)


class Command(Papers):
    def test_a_run_and_its_repetition(self):
        run = self.papers(*self.ROWS)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("4/4 ", run.stdout)
        self.assertEqual(self.report()["schema"], "livetcp/papers/1")
        self.assertEqual(self.series("RTT 100 ms, today's kernel")["points"], [[0.5, 230], [2, 230]])
        self.assertEqual(self.series(f"RTT 100 ms, `{AUTO}`")["points"], [[0.5, 50.2], [2, 50.2]])
        self.assertEqual(self.measured(), 4)
        self.assertIn("--sysctl net.ipv4.tcp_sack=0", self.calls.read_text())
        run = self.papers(*self.ROWS)
        self.assertIn("4 of them measured before", run.stdout)
        self.assertEqual(self.measured(), 4)
        self.papers(*self.ROWS, "--fresh")
        self.assertEqual(self.measured(), 8)

    def test_a_report_of_what_there_is(self):
        self.papers(*self.ROWS, FAKE_FAILS="loss=2%")
        run = self.papers(*self.ROWS, "--report")
        self.assertEqual(run.returncode, 1)  # partial
        self.assertEqual(self.measured(), 4)
        self.assertEqual(self.series("RTT 100 ms, today's kernel")["missing"], [2])

    def test_outcomes_decide_the_exit_code(self):
        rows = ("--quick", "--row", "brosh-14a-edge")
        self.assertEqual(self.papers(*rows).returncode, 1)  # p95 is 230 ms everywhere
        self.assertIn("**fail**", (self.results / "papers.md").read_text())
        good = {"socket": [50.2], AUTO: [50.2]}
        run = self.papers(*rows, "--fresh", delays=good)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_what_a_build_lacks_is_left_out(self):
        run = self.papers("--quick", "--row", "brosh-5a")
        self.assertEqual(run.returncode, 1)  # partial
        self.assertIn("no 'livetcp model delay'", run.stdout)
        text = (self.results / "papers.md").read_text()
        self.assertIn("**Partial**", text)

    def test_a_cell_that_fails_loses_nothing_else(self):
        run = self.papers(*self.ROWS, FAKE_FAILS="loss=2%")
        self.assertEqual(run.returncode, 1)
        self.assertIn("2 cells failed", run.stderr)
        self.assertIn("told to fail", run.stderr)
        self.assertEqual(self.series("RTT 100 ms, today's kernel")["points"], [[0.5, 230]])
        self.assertIn("## Failed", (self.results / "papers.md").read_text())
        self.assertEqual(self.papers(*self.ROWS).returncode, 0)
        self.assertEqual(self.measured(), 6)  # four, and the two that failed

    def test_an_interrupted_suite_keeps_what_it_has_and_goes_on(self):
        self.check_interruption()

    def test_results_that_cannot_be_written(self):
        pathlib.Path(self.folder.name, "results").write_text("a file")
        run = self.papers(*self.ROWS)
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot write to", run.stderr)
        self.assertIn("--results", run.stderr)
        self.assertNotIn("Traceback", run.stderr)

    def test_rows(self):
        run = self.papers("--list")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(run.stdout.splitlines()), len(suite.figures(setting.Setting())))
        run = self.papers("--row", "nonesuch")
        self.assertEqual(run.returncode, 1)
        self.assertIn("'nonesuch'", run.stderr)
        self.assertIn("brosh-14a", run.stderr)
        names = [figure.name for figure in suite.figures(setting.Setting())]
        self.assertEqual(len(set(names)), len(names))

    def test_another_build(self):
        bench = types.SimpleNamespace(results=self.results, build="a", fresh=False)
        store = suite.Store(bench, any_build=False)
        store.folder.mkdir(parents=True)
        cell = Cell("bench", ("x",))
        store.keep(cell, "{}")
        bench.build = "b"
        self.assertFalse(suite.Store(bench, any_build=False).look(cell))
        again = suite.Store(bench, any_build=True)
        self.assertTrue(again.look(cell))
        self.assertEqual(again.other_builds, 1)


@unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
class Spreading(Papers):
    """Several cells at a time, and hosts."""
    ROWS = (*Papers.ROWS, "--jobs", "2")

    def hosts(self, *lines):
        path = pathlib.Path(self.folder.name, "hosts")
        path.write_text("# machines\n\n" + "".join(f"{line}\n" for line in lines))
        return "--hosts", str(path)

    def rsync(self):
        """A PATH with one that GNU parallel takes for rsync and that takes nothing anywhere."""
        folder = pathlib.Path(self.folder.name, "bin")
        folder.mkdir()
        (folder / "rsync").write_text("#!/bin/sh\necho 'rsync  version 3.2.7  protocol version 31'\n")
        (folder / "rsync").chmod(0o755)
        return f"{folder}:{os.environ['PATH']}"

    def ssh(self, name, body):
        """A stand-in for ssh HOST COMMAND."""
        path = pathlib.Path(self.folder.name, name)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return f"{path} {name}.example"

    def test_an_interrupted_suite_keeps_what_it_has_and_goes_on(self):
        self.check_interruption()

    def test_a_cell_that_fails_loses_nothing_else(self):
        run = self.papers(*self.ROWS, FAKE_FAILS="loss=2%")
        self.assertEqual(run.returncode, 1)
        self.assertIn("told to fail", run.stderr)
        self.assertEqual(self.series("RTT 100 ms, today's kernel")["points"], [[0.5, 230]])

    def test_hosts_that_do_not_answer_are_left_out(self):
        dead = self.ssh("dead", 'echo "no route" >&2; exit 255')
        run = self.papers(*self.ROWS, *self.hosts(dead, ":"), PATH=self.rsync())
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("dead.example does not answer", run.stdout)
        self.assertEqual(self.measured(), 4)
        self.assertEqual(len(self.series("RTT 100 ms, today's kernel")["points"]), 2)

    def test_the_cells_of_a_host_that_dies_are_given_to_others(self):
        """It answers when it is asked, and then no more."""
        log = pathlib.Path(self.folder.name, "asked")
        check, cell = (word.encode().hex() for word in ("emulate", "transport"))  # as it is sent
        dying = self.ssh("dying", f'case "$*" in *{check}*) exit 0 ;; *{cell}*) echo cell >>{log}; '
                         "exit 255 ;; esac")
        run = self.papers(*self.ROWS, *self.hosts(dying, ":"), PATH=self.rsync())
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertNotIn("does not answer", run.stdout)
        self.assertIn("cell", log.read_text())  # it was given some
        self.assertEqual(self.measured(), 4)

    def test_no_host_answers(self):
        dead = self.ssh("dead", "exit 255")
        run = self.papers(*self.ROWS, *self.hosts(dead), PATH=self.rsync())
        self.assertEqual(run.returncode, 1)
        self.assertIn("no host of the list can run", run.stderr)

    def test_lists_that_are_none(self):
        for args, word in ((("--hosts", "/no/such/list"), "/no/such/list"),
                           (self.hosts(), "names no host")):
            run = self.papers(*self.ROWS, *args)
            self.assertEqual(run.returncode, 1)
            self.assertIn(word, run.stderr)

    def test_without_gnu_parallel(self):
        empty = pathlib.Path(self.folder.name, "empty")
        empty.mkdir()
        for name in ("sh", "git", "env", "python3"):
            (empty / name).symlink_to(shutil.which(name))
        run = self.papers(*self.ROWS, PATH=str(empty))
        self.assertEqual(run.returncode, 1)
        self.assertIn("GNU parallel", run.stderr)


if __name__ == "__main__":
    unittest.main()
