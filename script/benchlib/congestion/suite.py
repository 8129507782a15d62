# SPDX-License-Identifier: MIT
"""`script/bench congestion`: what the congestion control of a session must show, beside its peers in the
same run: the same encoder, the same path, the same seeds, the same moments of this machine."""

import fnmatch
import json
import os
import pathlib
import statistics
import subprocess

from ..bench import BenchError, markdown
from ..policies import find_python
from . import check, figures
from .figures import NEVER
from .peers import FLOOR, LIVETCP, TITLES, find, schemes
from .rows import BEGIN, rows

WORDS = {True: "pass", False: "**fail**", None: "undecided"}
CHECKED = {title for title, _ in LIVETCP}
TRANSPORTS = {"plain", *TITLES}
STEP = 0.5  # s, of rates over time
STALLED, ATTEMPTS = 0.02, 3  # of a run; a machine that stands still longer measures again


class Trial:
    """A row and its measurements: packets by title, a list per seed."""

    def __init__(self, row, found):
        self.row = row
        self.schemes = found
        self.packets = {title: [] for title, _ in found}
        self.background = []  # load when it began, stalls of each run

    def measure(self, bench, peers, seeds):
        for seed in range(1, seeds + 1):
            runs = []
            for attempt in range(ATTEMPTS):
                load = os.getloadavg()[0]
                name = f"congestion/{self.row.name}-{seed}" + "-again" * attempt
                report, raw = bench.measure(name, self.arguments(bench, peers, seed),
                                            0 if attempt else self.row.seconds + 8)
                runs.append((report["stalled_ms"], load, report, raw))
                if report["stalled_ms"] <= STALLED * self.row.seconds * 1000:
                    break
                bench.say(f"{self.row.name}: the machine stood still for "
                          f"{report['stalled_ms'] / 1000:.1f} s")
            stalled, load, report, raw = min(runs, key=lambda run: run[0])
            self.background.append({"load": load, "stalled_ms": stalled})
            self.take(report, raw)

    def arguments(self, bench, peers, seed):
        args = [*self.row.arguments(), "--seed", str(seed), "--quiet"]
        if self.row.schedule:
            path = bench.results / f"congestion/{self.row.name}.schedule"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(self.row.schedule) + "\n")
            args += ["--schedule", str(path)]
        used = {spec.split(":")[0] for _, spec in self.schemes}
        for name, command in peers.commands.items():
            if name in used:
                args += ["--program", f"{name}={command}"]
        for _, spec in self.schemes:
            args += ["-t" if spec.split(":")[0] in TRANSPORTS else "-p", spec]
        return args

    def take(self, report, raw):
        found = figures.read(raw, self.row.size)
        labels = {result["spec"]: result["scheme"] for result in report["results"]}
        for title, spec in self.schemes:
            self.packets[title].append(found.get(labels.get(spec), []))

    def windows(self):
        """[(name, begin, end)] of the rows of the table."""
        row = self.row
        if row.kind == "greedy":
            _, begin, end = row.greedy
            return [(f"beside it, {begin + 10:g} to {end:g} s", begin + 10, end),
                    (f"after it, from {end + 5:g} s", end + 5, row.seconds)]
        if row.kind == "step":
            ends = [at for at, _, _ in row.steps[1:]] + [row.seconds]
            return [(f"{at:g} to {end:g} s", at, end)
                    for (at, _, _), end in zip(row.steps, ends)]
        windows = [("whole run", 0, row.seconds), (f"from {BEGIN:g} s", BEGIN, row.seconds)]
        if row.kind == "sessions":
            windows = [("whole run", 0, row.seconds),
                       ("all four", max(join for join, _ in row.times) + 5,
                        min(leave for _, leave in row.times))]
        elif row.name.startswith("central"):
            windows.append(("from 10 s", 10, row.seconds))
        return windows

    def frozen(self, packets, begin, end):
        """Freezes of all flows while they take part."""
        times = self.row.times or ((0, self.row.seconds),)
        return sum(figures.frozen(figures.of_flow(packets, flow), max(begin, join + (join > 0)),
                                  min(end, leave), self.row.interval)
                   for flow, (join, leave) in enumerate(times))

    def outcomes(self, title):
        return check.outcomes(self.row, self.packets[title], self.packets.get(FLOOR, []))

    def cells(self, title, begin, end):
        """A line of the table: medians over the seeds, and the overall maximum."""
        runs = [packets for packets in self.packets[title] if packets]
        if not runs:
            return ["–"] * 7
        delivered = self.row.kind == "overload"  # much of it cannot be
        parts = [figures.summary(packets, begin, end, delivered) for packets in runs]
        link = self.row.link_at(begin)[0]

        def middle(values):
            return statistics.median(values)

        delays = [middle(part[name] for part in parts) for name in ("p50", "p95", "p99")]
        frozen = max(self.frozen(packets, begin, end) for packets in runs)
        return [*(check.spell(delay) for delay in delays),
                check.spell(max(part["max"] for part in parts)),
                f"{middle(part['lost'] for part in parts):.3f}",
                f"{middle(figures.rate(p, begin, end) for p in runs) / link:.2f}",
                "–" if self.row.kind == "overload" else f"{frozen:.1f}"]


HEADER = ["", "p50", "p95", "p99", "most", "not delivered", "share of the link", "frozen, s"]


def describe(trials, peers, circumstances):
    text = ("# Congestion control beside its peers\n\n" + circumstances + "\n\n"
            "Delays are one way, in ms, from the hand-over to the delivery; a packet that was not delivered "
            "counts as later than all others, but for \"most\" and under overload. Medians over the seeds; \"most\" and freezes "
            "are the worst of all. Packets sent near a stall of the machine are left out of delays; a run with "
            f"stalls of more than {STALLED * 100:g} % of its time is measured again.\n\n")
    for reason in peers.absent:
        text += f"* Left out: {reason}\n"
    for trial in trials:
        row = trial.row
        loads = ", ".join(f"{b['load']:.1f} ({b['stalled_ms']:.0f} ms of stalls)"
                          for b in trial.background)
        text += (f"\n## {row.name}: {row.title}\n\nRTT {row.rtt:g} ms, queue {row.queue} bytes "
                 f"({row.full_queue:.0f} ms), {row.seconds:g} s, load of the machine {loads}\n")
        for name, begin, end in trial.windows():
            text += f"\n{name}:\n\n"
            text += markdown(HEADER, [[title, *trial.cells(title, begin, end)]
                                      for title, _ in trial.schemes])
        text += "\n" + checked_table(trial)
    return text


def checked_table(trial):
    """A line for each bound, a column for each scheme."""
    columns = [title for title, _ in trial.schemes if title != FLOOR]
    all_outcomes = {title: trial.outcomes(title) for title in columns}
    columns = [title for title in columns if all_outcomes[title]]
    lines = []
    for i, (wanted, _, _) in enumerate(all_outcomes[columns[0]] if columns else []):
        cells = [f"{measured} {WORDS[passed]}" for _, measured, passed in
                 (all_outcomes[title][i] for title in columns)]
        lines.append([wanted, *cells])
    return markdown(["wanted", *columns], lines) if lines else ""


def report(trials, circumstances):
    def plain(value):
        return None if value == NEVER else value

    return {"circumstances": circumstances,
            "rows": {trial.row.name: {
                "title": trial.row.title, "runs": trial.background,
                "schemes": {title: {
                    "spec": spec,
                    "windows": {name: [{key: plain(value) for key, value in
                                        figures.summary(packets, begin, end).items()}
                                       | {"bit_s": figures.rate(packets, begin, end)}
                                       for packets in trial.packets[title]]
                                for name, begin, end in trial.windows()},
                    "verdicts": [dict(zip(("wanted", "measured", "passed"), outcome))
                                 for outcome in trial.outcomes(title)]}
                    for title, spec in trial.schemes}} for trial in trials}}


def request(trial):
    """The request for plot.py, of the first seed."""
    row, curves = trial.row, {}
    for title, _ in trial.schemes:
        packets = trial.packets[title][0] if trial.packets[title] else []
        if not packets:
            continue
        flows = range(len(row.times) or 1)
        curves[title] = {
            "rates": [figures.rates(figures.of_flow(packets, flow), row.seconds, STEP)
                      for flow in flows],
            "delays": [[p.arrival, p.delay] for p in packets if p.arrival != NEVER],
            "sorted": [plain for plain in figures.delays(packets, BEGIN, row.seconds)
                       if plain != NEVER],
            "count": len(figures.delays(packets, BEGIN, row.seconds)),
            "jain": figures.fairness(packets, row.times, row.seconds, 2.0) if row.times else []}
    links = [(0, row.rate, row.rtt), *row.steps]
    return {"title": row.title, "seconds": row.seconds, "links": links, "curves": curves,
            "greedy": row.greedy[1:], "full_queue": row.full_queue}


def plot(bench, trials):
    python = find_python()
    if not python:
        bench.say("no plots: no python3 has matplotlib; script/bootstrap --demo installs it")
        return
    for trial in trials:
        path = bench.results / f"congestion/{trial.row.name}.png"
        run = subprocess.run([python, str(pathlib.Path(__file__).with_name("plot.py")), str(path)],
                             text=True, capture_output=True, input=json.dumps(request(trial)))
        if run.returncode:
            raise BenchError(f"cannot plot {path}:\n{run.stderr}")


def choose(options):
    known = rows(options.quick)
    if not options.row:
        chosen = [row for row in known if row.main]
        return chosen[:1] if options.quick else chosen
    for pattern in options.row:
        if not any(fnmatch.fnmatch(row.name, pattern) for row in known):
            raise BenchError(f"no row is called '{pattern}'; --list names them")
    return [row for row in known if any(fnmatch.fnmatch(row.name, p) for p in options.row)]


def print_rows(options):
    chosen = {row.name for row in choose(options)}
    for row in rows(options.quick):
        if not options.row or row.name in chosen:
            print(f"{row.name:32} {row.title}{'' if row.main else ' (by --row)'}")


def run(bench, options):
    chosen = choose(options)
    seeds = options.seeds or (1 if options.quick else 3)
    peers = find(bench.root, bench.results / "peers")
    for reason in peers.absent:
        bench.say(f"left out: {reason}")
    trials = [Trial(row, schemes(row, peers, options.scheme)) for row in chosen]
    bench.left = sum(seeds * (row.seconds + 8) for row in chosen)
    for trial in trials:
        trial.measure(bench, peers, seeds)
    if not options.no_plots:
        plot(bench, trials)
    circumstances = bench.circumstances()
    bench.write_json("congestion.json", report(trials, circumstances))
    bench.write("congestion.md", describe(trials, peers, circumstances))
    passed = [outcome[2] for trial in trials for title, _ in trial.schemes if title in CHECKED
              for outcome in trial.outcomes(title)]
    return 0 if all(passed) else 1
