# SPDX-License-Identifier: MIT
"""What the policies must show, row by row, compared with their peers in the same run."""

from collections.abc import Callable
import csv
from dataclasses import dataclass, field
import fnmatch
import json
import pathlib
import statistics
import subprocess

from .bench import BenchError, markdown, percentile
from .policy_rows import ENDING, rows
from .wants import BOUND, spell

WORDS = {True: "pass", False: "**fail**", None: "undecided", BOUND: "bound"}
SHARES = {"p50": .5, "p95": .95, "p99": .99, "p99_9": .999}
MOST_SCHEMES = 14  # of one run of livetcp bench
PYTHONS = ("python3", "/usr/bin/python3")  # one of them has matplotlib


class Support:
    """Queries which schemes this build has."""

    def __init__(self, tool):
        self.tool = tool
        self.known = {}

    def reason_against(self, scheme, args=()):
        """None if the scheme can run with these arguments."""
        key = scheme, tuple(args)
        if key not in self.known:
            run = subprocess.run([self.tool, "bench", "--check", *args, "--policy", scheme],
                                 capture_output=True, text=True)
            lines = run.stderr.strip().splitlines() or ["livetcp bench --check failed"]
            reason = lines[0].removeprefix("livetcp bench: ")
            self.known[key] = reason if run.returncode else None
        return self.known[key]


class Trial:
    """A setting and the rows measured on it."""

    def __init__(self, suite, setting, chosen, support):
        self.suite = suite
        self.setting = setting
        self.rows = chosen
        self.args = (*setting.args, *suite.more(setting))
        self.skipped = {row.name: support.reason_against(row.scheme, self.args) for row in chosen}
        wanted = [s for row in chosen if not self.skipped[row.name]
                  for s in (row.scheme, *row.peers)]
        self.schemes = [s for s in dict.fromkeys(wanted) if not support.reason_against(s, self.args)]
        self.figures = {}
        self.delays = {}
        self.reports = []
        if len(self.schemes) > MOST_SCHEMES:
            raise BenchError(f"{setting.name}: more than {MOST_SCHEMES} schemes in one run")

    def plan(self, options):
        self.seconds = options.seconds or (
            min(self.setting.seconds, 15) if options.quick else self.setting.seconds)
        self.seeds = options.seeds or (1 if options.quick else self.setting.seeds)
        self.run_time = self.seconds + self.setting.warmup + ENDING
        return self.run_time * self.seeds if self.schemes else 0

    def measure(self, bench):
        files = []
        for seed in range(1, self.seeds + 1):
            report, raw = bench.measure(
                f"{self.suite.name}/{self.setting.name}-{seed}",
                [*self.args, "--policy", ",".join(self.schemes), "--warmup",
                 f"{self.setting.warmup:g}", "--duration", f"{self.seconds:g}", "--seed", str(seed)],
                self.run_time)
            self.reports.append(report)
            files.append(raw)
        results = {}
        for report in self.reports:
            for result in report["results"]:
                results.setdefault(result["spec"], []).append(result)
        parameters = self.reports[0]["parameters"]
        delays, opening = read_delays(files, parameters)
        for scheme in self.schemes:
            label = results[scheme][0]["scheme"]
            self.delays[scheme] = delays.get(label, [])
            self.figures[scheme] = self.describe(self.delays[scheme], opening.get(label, []),
                                                 results[scheme])
        if self.setting.back_at:
            for label, worst in read_recovery(files, self.setting.back_at).items():
                scheme = next(s for s in self.schemes if results[s][0]["scheme"] == label)
                self.figures[scheme]["recovery_ms"] = worst
        self.suite.measured[self.setting.name] = self.figures

    def describe(self, delays, opening, results):
        """Results over all seeds; delays in ms over L."""
        one_way = self.setting.one_way
        figures = {name: percentile(delays, share) - one_way for name, share in SHARES.items()}
        figures |= {f"opening_{name}": percentile(opening, share) - one_way
                    for name, share in SHARES.items() if opening}
        figures["packets"] = len(delays)
        figures["lost"] = delays.count(float("inf"))
        for limit in (200, 500):
            near = sum(delay <= limit for delay in delays)
            figures[f"within_{limit}ms"] = near / len(delays) if delays else 0.0
        for name in ("bytes_per_media_byte", "wire_bytes_per_media_byte", "media_mbit_s",
                     "peer_mbit_s", "ftp_mbit_s", "mice_mbit_s", "cpu_send_us", "cpu_receive_us"):
            values = [r[name] for r in results if r[name] is not None]
            figures[name] = statistics.mean(values) if values else None
        return figures | describe_playout(results) | describe_queue(results) | describe_links(results)

    def outcomes(self, row):
        """(wanted, measured, passed) of each requirement; none for a skipped row."""
        if self.skipped[row.name]:
            return []
        return [want.check(self.setting, self.figures, row.scheme) for want in row.wants]

    def absent_peers(self, row):
        return [peer for peer in row.peers if peer not in self.figures]


def describe_playout(results):
    """Results of the requested playout delays."""
    figures = {}
    for points in zip(*(result.get("playout", []) for result in results)):
        name = points[0]["playout"]
        packets = sum(point["packets"] for point in points)
        figures[f"playout_{name}_over_ms"] = points[0]["over_ms"]
        figures[f"late_{name}"] = (sum(point["late"] for point in points) / packets if packets
                                   else None)
        for key in ("mos", "most_mos"):
            values = [point[key] for point in points if point[key] is not None]
            figures[f"{key}_{name}"] = statistics.mean(values) if values else None
        if name == "adaptive":
            figures |= describe_adaptive(points, packets)
    return figures


def describe_adaptive(points, packets):
    """The metrics of Zhang et al., section 4.1.3."""
    primary = sum(point["primary"] for point in points)
    secondary = sum(point["secondary"] for point in points)
    missed = packets - primary
    return {"played_adaptive": (primary + secondary) / packets if packets else None,
            "primary_adaptive": primary / packets if packets else None,
            "secondary_adaptive": secondary / packets if packets else None,
            "saved_adaptive": secondary / missed if missed else None,
            "delay_adaptive_ms": statistics.mean(point["delay_ms"] for point in points),
            "stddev_adaptive_ms": statistics.mean(point["stddev_ms"] for point in points)}


def describe_queue(results):
    """Share of packets that the bottleneck dropped."""
    paths = [result["path"] for result in results if "path" in result]
    packets = sum(path["packets"] for path in paths)
    return {"dropped_by_queue": sum(path["dropped_queue"] for path in paths) / packets
            if packets else None}


def describe_links(results):
    """Each link's share of the bytes."""
    links = [result["path"]["links"] for result in results if "links" in result.get("path", {})]
    total = sum(link["bytes"] for path in links for link in path)
    return {f"link_{i}_share": sum(path[i]["bytes"] for path in links) / total
            for i in range(len(links[0]) if links and total else 0)}


def read_recovery(files, back_at):
    """By label: ms from the end of an outage, at `back_at` s of the run, to the arrival of the first
    packet that was sent after it; the worst of all flows and files."""
    worst = {}
    for path in files:
        first = {}
        with open(path, newline="") as stream:
            for line in csv.DictReader(stream):
                if line["sent_us"] and int(line["sent_us"]) >= back_at * 1e6:
                    key = line["scheme"], line["flow"]
                    arrival = int(line["arrival_us"]) if line["arrival_us"] else float("inf")
                    first[key] = min(first.get(key, float("inf")), arrival)
        for (label, _), arrival in first.items():
            worst[label] = max(worst.get(label, 0), arrival / 1000 - back_at * 1000)
    return worst


def read_delays(files, parameters):
    """Sorted delays in ms by label, of all packets and of those at the opening of talkspurts;
    without packets sent near a stall of the machine."""
    spurt, first = parameters["packets_per_talkspurt"], parameters["opening_packets"]
    everything, opening = {}, {}
    for path in files:
        with open(path, newline="") as stream:
            for line in csv.DictReader(stream):
                if line["measured"] == "0" or line["near_stall"] == "1":
                    continue
                delay = int(line["delay_us"]) / 1000 if line["delay_us"] else float("inf")
                everything.setdefault(line["scheme"], []).append(delay)
                if spurt and int(line["index"]) >= spurt and int(line["index"]) % spurt < first:
                    opening.setdefault(line["scheme"], []).append(delay)
    return tuple({label: sorted(values) for label, values in delays.items()}
                 for delays in (everything, opening))


def choose(suite, options):
    """The trials' rows by setting, in order."""
    every = suite.rows(options.quick)
    patterns = options.row or ["*"]
    for pattern in patterns:
        if not any(fnmatch.fnmatch(row.name, pattern) for row in every):
            raise BenchError(f"no row is called '{pattern}'; there are "
                             + ", ".join(row.name for row in every))
    chosen = {}
    for row in every:
        if any(fnmatch.fnmatch(row.name, pattern) for pattern in patterns):
            chosen.setdefault(row.setting, []).append(row)
    return chosen


def print_rows(suite, options):
    for rows_of_setting in choose(suite, options).values():
        for row in rows_of_setting:
            print(f"{row.name:32} {row.scheme:44} {row.setting.flow}")


def overall(checked):
    if not checked:
        return None
    results = [passed for _, _, passed in checked]
    return False if False in results else None if None in results else True


def milliseconds(value):
    return "never" if value in (None, float("inf")) else f"{value:.2f}"


def times(value):
    return "–" if value is None else f"{value:.3f}"


def table(trials):
    lines = []
    for trial in trials:
        subjects = {row.scheme: row for row in trial.rows if not trial.skipped[row.name]}
        for scheme, f in trial.figures.items():
            row = subjects.get(scheme)
            checked = trial.outcomes(row) if row else []
            word = WORDS[overall(checked)] if row else ""
            lines.append((
                f"**{scheme}**" if row else scheme, trial.setting.flow, trial.setting.loss,
                f"{trial.setting.rtt:g}", *(milliseconds(f[name]) for name in SHARES),
                times(f["bytes_per_media_byte"]), times(f["wire_bytes_per_media_byte"]),
                "; ".join(wanted for wanted, _, _ in checked), word))
    header = ["policy", "flow", "loss", "RTT", *map(spell, SHARES), "bytes", "on the wire",
              "must show", ""]
    return markdown(header, lines)


def describe(trials, circumstances):
    text = (f"# What the policies must show\n\n{circumstances}\n\nDelays in ms over L, half the "
            "round trip; packets sent near a stall of the machine left out. Bytes: given to the kernel, "
            "and on the wire, per byte of media. What is judged is bold, the rest are its peers in "
            "the same run.\n\n")
    return text + table(trials) + row_by_row(trials)


def row_by_row(trials):
    text = "\n## Row by row\n\n"
    checked, skipped = [], []
    for trial in trials:
        for row in trial.rows:
            if trial.skipped[row.name]:
                skipped.append(f"* {row.name}: {trial.skipped[row.name]}")
                continue
            absent = trial.absent_peers(row)
            note = f" (without {', '.join(absent)})" if absent else ""
            checked += [(row.name, wanted, measured + note, WORDS[passed])
                       for wanted, measured, passed in trial.outcomes(row)]
    text += markdown(["row", "wanted", "measured", ""], checked)
    if skipped:
        text += "\n## Skipped\n\nThis build does not have what these rows are about:\n\n"
        text += "\n".join(skipped) + "\n"
    return text


def csv_lines(trials):
    for trial in trials:
        subjects = {row.scheme: row for row in trial.rows}
        for scheme, figures in trial.figures.items():
            row = subjects.get(scheme)
            line = {"setting": trial.setting.name, "row": row.name if row else "",
                    "policy": scheme, "flow": trial.setting.flow, "loss": trial.setting.loss,
                    "rtt_ms": trial.setting.rtt, "seeds": trial.seeds, "seconds": trial.seconds}
            line |= {f"{name}_over_l_ms": figures[name] for name in SHARES}
            line |= {f"opening_{name}_over_l_ms": figures.get(f"opening_{name}", "")
                     for name in SHARES}
            line |= {name: value for name, value in figures.items()
                     if name not in SHARES and not name.startswith("opening_")}
            line["passed"] = {True: "yes", False: "no", None: ""}[
                overall(trial.outcomes(row)) if row else None]
            yield line


def report(trials, circumstances):
    return {"circumstances": circumstances,
            "rows": [{"row": row.name, "setting": trial.setting.name, "policy": row.scheme,
                      "skipped": trial.skipped[row.name],
                      "verdicts": [dict(zip(("wanted", "measured", "passed"), v))
                                   for v in trial.outcomes(row)]}
                     for trial in trials for row in trial.rows],
            "settings": {t.setting.name: {
                "args": t.setting.args, "reports": t.reports,
                "figures": {s: {name: None if value == float("inf") else value  # JSON has no inf
                                for name, value in f.items()} for s, f in t.figures.items()}}
                for t in trials if t.schemes}}


def find_python():
    """A Python with matplotlib, or None."""
    for python in PYTHONS:
        try:
            run = subprocess.run([python, "-c", "import matplotlib"], capture_output=True)
            if run.returncode == 0:
                return python
        except OSError:
            pass
    return None


def plots(trials):
    """(name, request to ccdf.py)"""
    for trial in trials:
        s = trial.setting
        loss = "" if s.loss == "–" else f", {s.loss} loss"
        yield s.name, {"title": f"{s.flow}; RTT {s.rtt:g} ms{loss}", "one_way": s.one_way,
                       "delays": trial.delays}


def plot(bench, suite, trials):
    python = find_python()
    if not python:
        bench.say("no plots: no python3 has matplotlib; script/bootstrap --demo installs it")
        return
    for name, request in suite.plots([trial for trial in trials if trial.delays]):
        path = bench.results / f"{suite.name}/{name}.svg"
        script = pathlib.Path(__file__).with_name(request.get("program", "ccdf.py"))
        run = subprocess.run([python, str(script), str(path)], text=True, capture_output=True,
                             input=json.dumps(request))
        if run.returncode:
            raise BenchError(f"cannot plot {path}:\n{run.stderr}")


@dataclass(frozen=True)
class Suite:
    """An experiment made of rows; its name is that of its results."""
    name: str
    rows: Callable  # (quick) -> rows
    describe: Callable  # (trials, circumstances) -> Markdown
    plots: Callable  # (trials) -> (name, request to its "program", ccdf.py) of each plot
    more: Callable = lambda setting: ()  # arguments of a setting that depend on this machine
    measured: dict = field(default_factory=dict)  # figures by setting, for demands across settings


SUITE = Suite("policies", rows, describe, plots)


def run(bench, options):
    return run_suite(bench, options, SUITE)


def run_suite(bench, options, suite):
    chosen = choose(suite, options)
    support = Support(bench.tool)
    trials = [Trial(suite, setting, picked, support) for setting, picked in chosen.items()]
    bench.left = sum(trial.plan(options) for trial in trials)
    for trial in trials:
        for row in trial.rows:
            if trial.skipped[row.name]:
                bench.say(f"{row.name}: skipped, {trial.skipped[row.name]}")
    for trial in trials:
        if trial.schemes:
            trial.measure(bench)
    lines = list(csv_lines(trials))
    if lines:
        bench.write_csv(f"{suite.name}.csv", lines)
        plot(bench, suite, trials)
    bench.write_json(f"{suite.name}.json", report(trials, bench.circumstances()))
    bench.write(f"{suite.name}.md", suite.describe(trials, bench.circumstances()))
    results = [overall(trial.outcomes(row)) for trial in trials for row in trial.rows
               if row.wants and not trial.skipped[row.name]]
    return 0 if lines and all(results) else 1
