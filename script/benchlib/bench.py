# SPDX-License-Identifier: MIT
"""Building the tool, running it, and what every experiment writes."""

import csv
import hashlib
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time


class BenchError(Exception):
    """An error that is reported without a traceback."""


class Bench:
    def __init__(self, root, options):
        self.root = root
        self.quick = options.quick
        self.results = options.results.resolve()
        self.revision = self._revision()  # of what is built, whatever changes during the run
        self.fresh = options.fresh
        self.tool = self._tool()
        self.build = hashlib.sha256(pathlib.Path(self.tool).read_bytes()).hexdigest()
        self._check_results()
        self.left = 0.0  # seconds, of the runs that are still to come

    def _tool(self):
        given = os.environ.get("LIVETCP_TOOL")
        if given:
            return given
        if not os.environ.get("LIVETCP_NO_BOOTSTRAP"):
            self._run(["script/bootstrap", "--demo"])
        self._run(["cmake", "--preset", "release", "--log-level=WARNING",
                   "-DLIVETCP_TESTS=OFF", "-DLIVETCP_GSTREAMER=OFF", "-DLIVETCP_SAMPLES=OFF",
                   "-B", "build/bench"])
        self._run(["cmake", "--build", "build/bench", "--parallel"])
        return str(self.root / "build/bench/src/tool/livetcp")

    def _check_results(self):
        """Checks that results can be written, before hours of measuring."""
        try:
            self.results.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.results):
                pass
        except OSError as error:
            raise BenchError(f"cannot write to {self.results}: {error.strerror}; --results names "
                             "another folder") from error

    def _run(self, command):
        """A build step; its output is shown only on failure."""
        print(f"== {' '.join(command[:4])}", flush=True)
        run = subprocess.run(command, cwd=self.root, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        if run.returncode:
            raise BenchError(f"{' '.join(command)} failed:\n{run.stdout}")

    def say(self, text):
        left = f" ({self.left / 60:.0f} min left)" if self.left >= 60 else ""
        print(f"== {text}{left}", flush=True)

    def measure(self, name, args, seconds):
        """Runs livetcp bench; returns its JSON report and the path of the raw CSV, both kept under
        results/. `seconds` is the expected duration, for the remaining time. Results of the same build
        and arguments are reused, unless --fresh."""
        earlier = self.earlier(name, args)
        if earlier:
            self.left -= seconds
            return earlier
        path, raw = self._files(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        command = [self.tool, "bench", *args, "--json", str(part), "--raw", str(raw)]
        self.say(" ".join(command[1:-4]))
        self.left -= seconds
        run = subprocess.run(command, text=True, stdout=subprocess.PIPE)
        if run.returncode:
            raise BenchError(f"livetcp bench failed with exit code {run.returncode}")
        path.with_suffix(".txt").write_text(run.stdout)
        report = json.loads(part.read_text())
        path.write_text(json.dumps(report | {"run": self._run_of(args)}, indent=2) + "\n")
        part.unlink()
        return report, raw

    def earlier(self, name, args):
        """The result of an earlier run of measure(), or None."""
        path, raw = self._files(name)
        if self.fresh or not path.exists() or not raw.exists():
            return None
        report = json.loads(path.read_text())
        return (report, raw) if report.get("run") == self._run_of(args) else None

    def _files(self, name):
        return self.results / f"{name}.json", self.results / f"{name}.packets.csv"

    def _run_of(self, args):
        return {"build": self.build, "arguments": list(args)}

    def write(self, name, text):
        path = self.results / name
        path.write_text(text)
        print(text)
        print(f"written to {path}", file=sys.stderr)

    def write_csv(self, name, rows):
        with (self.results / name).open("w", newline="") as out:
            names = list(dict.fromkeys(name for row in rows for name in row))
            writer = csv.DictWriter(out, fieldnames=names, restval="")
            writer.writeheader()
            writer.writerows(rows)

    def write_json(self, name, value):
        (self.results / name).write_text(json.dumps(value, indent=2) + "\n")

    def _revision(self):
        try:
            run = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=self.root,
                                 capture_output=True, text=True)
        except OSError:
            return "unknown"
        return run.stdout.strip() or "unknown"

    def circumstances(self):
        """A line for a report: date, system and load."""
        load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
        return (f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, Linux "
                f"{platform.release()}, {os.cpu_count()} CPUs, load {load}, "
                f"revision {self.revision}")


def percentile(ordered, share):
    """Nearest-rank percentile of sorted values."""
    if not ordered:
        return float("inf")
    rank = -(-len(ordered) * round(share * 1000) // 1000)
    return ordered[max(rank, 1) - 1]


def pooled_delays(files, near_stalls):
    """Sorted delays in ms of every scheme over several raw files; lost packets are infinite.
    Packets sent near a stall of the machine count only if `near_stalls`."""
    delays = {}
    for path in files:
        with open(path, newline="") as stream:
            for row in csv.DictReader(stream):
                if row["measured"] == "0" or (row["near_stall"] == "1" and not near_stalls):
                    continue
                delay = int(row["delay_us"]) / 1000 if row["delay_us"] else float("inf")
                delays.setdefault(row["scheme"], []).append(delay)
    return {scheme: sorted(values) for scheme, values in delays.items()}


def reduction(reference, value):
    """Reduction in percent, at most 100; None if the reference is zero or infinite."""
    if not 0 < reference < float("inf"):
        return None
    return min(100 * (1 - value / reference), 100)


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "|".join("---" for _ in header) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def ms(value):
    return "never" if value in (None, float("inf")) else f"{value:.2f}"


def percent(value):
    return "–" if value is None else f"{value:.1f} %"
