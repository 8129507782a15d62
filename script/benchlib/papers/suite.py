# SPDX-License-Identifier: MIT
"""`script/bench papers`: measures what the figures need, keeps it, and writes papers.json and
papers.md from what there is."""

import fnmatch
import json
import subprocess
import time

from ..bench import BenchError
from . import brosh, brosh_queue, document, goel, luebben, spread, zhang
from .figures import cells_of, evaluate_figure
from .setting import Setting

PAPERS = (brosh, brosh_queue, goel, luebben, zhang)


def figures(setting):
    return [figure for paper in PAPERS for figure in paper.figures(setting)]


def choose(options):
    every = figures(Setting.of(options))
    patterns = options.row or ["*"]
    for pattern in patterns:
        if not any(fnmatch.fnmatch(figure.name, pattern) for figure in every):
            raise BenchError(f"no row is called '{pattern}'; there are "
                             + ", ".join(figure.name for figure in every))
    return [figure for figure in every
            if any(fnmatch.fnmatch(figure.name, pattern) for pattern in patterns)]


def print_rows(options):
    for figure in choose(options):
        cells = figure.cells
        minutes = sum(cell.seconds for cell in cells) / 60
        print(f"{figure.name:24} {figure.figure:38} {len(cells):3} cells {minutes:5.0f} min  "
              f"{figure.title}")


class Store:
    """Reports of cells under results/papers/: what the same build has measured with the same
    arguments is not measured again."""

    def __init__(self, bench, any_build):
        self.bench = bench
        self.any_build = any_build
        self.other_builds = 0
        self.folder = bench.results / "papers"
        self.reports = {}
        self.failed = {}  # cell: why

    def _path(self, cell):
        return self.folder / f"{cell.name}.json"

    def _run(self, cell):
        return {"build": self.bench.build, "arguments": [cell.command, *cell.args]}

    def look(self, cell):
        """True if it need not be measured."""
        try:
            report = json.loads(self._path(cell).read_text())
        except (OSError, ValueError):
            return False
        run, wanted = report.get("run", {}), self._run(cell)
        if self.bench.fresh or run.get("arguments") != wanted["arguments"]:
            return False
        if run["build"] != wanted["build"]:
            if not self.any_build:
                return False
            self.other_builds += 1
        self.reports[cell] = report
        return True

    def keep(self, cell, text):
        report = json.loads(text) | {"run": self._run(cell)}
        part = self._path(cell).with_suffix(".part")
        part.write_text(json.dumps(report) + "\n")
        part.rename(self._path(cell))
        self.reports[cell] = report


class Progress:
    """Prints what was measured, and an estimate of the remaining time."""

    def __init__(self, bench, store, cells, jobs):
        self.bench, self.store = bench, store
        self.by_name = {cell.name: cell for cell in cells}
        self.total, self.done = len(cells), 0
        self.left = sum(cell.seconds for cell in cells)
        self.speed = float(jobs)  # seconds of cells in a second
        self.spent, self.start = 0.0, time.monotonic()

    def take(self, name, code, text):
        cell = self.by_name[name]
        try:
            if code == 0:
                self.store.keep(cell, text)
            else:
                self.store.failed[cell] = text.strip() or f"exit code {code}"
        except ValueError as error:
            self.store.failed[cell] = f"its report is no JSON: {error}"
        self.done += 1
        self.left -= cell.seconds
        self.spent += cell.seconds
        elapsed = time.monotonic() - self.start
        if elapsed > 1:
            self.speed = max(self.spent / elapsed, 0.1)
        self.bench.left = self.left / self.speed
        word = f"failed: {self.store.failed[cell]}" if cell in self.store.failed else "done"
        self.bench.say(f"{self.done}/{self.total} {name}: {word}")


def can_run(bench, words):
    """True if this build has the command."""
    run = subprocess.run([bench.tool, *words, "--help"], capture_output=True)
    return run.returncode == 0


def measure(bench, options, store, cells):
    """What is missing, here or wherever it is to be; raises KeyboardInterrupt."""
    lacking = {words for words in {cell.needs for cell in cells} if not can_run(bench, words)}
    for words in sorted(lacking):
        bench.say(f"this build has no 'livetcp {' '.join(words)}': what needs it is left out")
    missing = [cell for cell in cells if not store.look(cell)]
    bench.say(f"{len(cells)} cells, {len(cells) - len(missing)} of them measured before")
    todo = [cell for cell in missing if cell.needs not in lacking]
    if not todo or options.report:
        return
    progress = Progress(bench, store, todo, options.jobs)
    bench.left = progress.left / options.jobs
    bench.say(f"measuring {len(todo)} cells")
    if options.hosts or options.jobs > 1:
        spread.Spread(bench, options).run(todo, progress.take)
    else:
        spread.here(bench, todo, progress.take)


def gather(bench, options, chosen, store):
    """papers.json: the figures that have more than the paper's numbers."""
    evaluated = [evaluate_figure(figure, store.reports) for figure in chosen]
    ours = {figure["name"]: any(document.has_values(series) for series in figure["series"]
                                if series["source"] != "paper") for figure in evaluated}
    stalls = sum(report.get("stalled_ms", 0) for report in store.reports.values())
    return {"schema": document.SCHEMA, "circumstances": bench.circumstances(),
            "setting": Setting.of(options).describe(), "cells": len(store.reports),
            "other_builds": store.other_builds, "stalled_s": round(stalls / 1000, 1),
            "failed": {cell.name: why for cell, why in store.failed.items()},
            "figures": [figure for figure in evaluated if ours[figure["name"]]],
            "not_measured": [figure["name"] for figure in evaluated if not ours[figure["name"]]]}


def run(bench, options):
    chosen = choose(options)
    store = Store(bench, options.any_build)
    store.folder.mkdir(parents=True, exist_ok=True)
    interrupted = False
    try:
        measure(bench, options, store, cells_of(chosen))
    except KeyboardInterrupt:
        interrupted = True
    report = gather(bench, options, chosen, store)
    bench.write_json("papers.json", report)
    bench.write("papers.md", document.markdown_of(report))
    if interrupted:
        raise BenchError("interrupted: what was measured so far is in "
                         f"{bench.results}/papers.md; the same command goes on from there")
    if store.failed:
        raise BenchError(f"{len(store.failed)} cells failed, such as "
                         + "; ".join(f"{cell.name}: {why}"
                                     for cell, why in list(store.failed.items())[:3]))
    return 0 if document.all_shown(report) else 1
