# SPDX-License-Identifier: MIT
"""A second opinion: iperf 2 sends the same stream (--isochronous --trip-times) over a path with the
same parameters at the same time as livetcp bench --transport socket does."""

import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

from .bench import BenchError, markdown, ms, percentile, pooled_delays

PATH, BACK = "delay=50ms,loss=1%", "delay=50ms"
SIZE, INTERVAL_MS = 1448, 20
BIN_MS = 0.1
ENDING = 6


def iperf_command(bench, seconds, seed, log):
    rate = SIZE * 8 * 1000 // INTERVAL_MS
    server = f"exec iperf -s -e --histograms={BIN_MS * 1000:g}u,100000 > {shlex.quote(log)} 2>&1"
    client = (f"iperf -c $LIVETCP_FAR -e --trip-times -N -Z reno -l {SIZE} -t {seconds:g} "
              f"--isochronous={1000 // INTERVAL_MS}:{rate},0 && sleep 2")
    return [bench.tool, "emulate", "--quiet", "--forward", PATH, "--backward", BACK,
            "--seed", str(seed), "--far", server, "--", "sh", "-c", client]


def read_histogram(text):
    """Delays in ms, the middle of their bins, of the last (the whole run's) histogram."""
    found = re.findall(r"F8.*?-PDF: bin\(w=(\d+)(us|ms)\):cnt\((\d+)\)=([0-9:,]+)", text)
    if not found:
        raise BenchError(f"iperf printed no histogram:\n{text}")
    width, unit, count, bins = found[-1]
    width = int(width) / (1000 if unit == "us" else 1)
    delays = []
    for entry in bins.split(","):
        number, times = map(int, entry.split(":"))
        delays += [(number - 0.5) * width] * times
    if len(delays) != int(count):
        raise BenchError(f"iperf's histogram has {len(delays)} of {count} values")
    return delays


def measure(bench, seconds, seed):
    """Both at the same time; iperf's delays and the path of our packets."""
    with tempfile.TemporaryDirectory() as folder:
        log = str(pathlib.Path(folder, "server"))
        other = subprocess.Popen(iperf_command(bench, seconds, seed, log),
                                 stdout=subprocess.DEVNULL)
        try:
            report, raw = bench.measure(
                f"iperf/seed-{seed}",
                ["--transport", "socket", "--congestion-control", "reno", "--size", str(SIZE),
                 "--interval", str(INTERVAL_MS), "--path", PATH, "--path-back", BACK,
                 "--warmup", "0", "--duration", f"{seconds:g}", "--seed", str(seed)],
                seconds + ENDING)
            other.wait(timeout=seconds + 60)
        finally:
            if other.poll() is None:
                other.terminate()
                other.wait()
        return read_histogram(pathlib.Path(log).read_text()), raw, report


def describe(name, delays):
    mean = sum(delays) / len(delays)
    return (name, len(delays), ms(mean), *(ms(percentile(delays, share))
                                           for share in (.5, .9, .95, .99, .999)), ms(delays[-1]))


def run(bench, options):
    if not shutil.which("iperf"):
        raise BenchError("iperf is not installed; script/bootstrap --demo installs it")
    seconds = options.seconds or (20 if options.quick else 60)
    seeds = options.seeds or (1 if options.quick else 4)
    bench.left = seeds * (seconds + ENDING)
    theirs, files, reports = [], [], []
    for seed in range(1, seeds + 1):
        delays, raw, report = measure(bench, seconds, seed)
        theirs += delays
        files.append(raw)
        reports.append(report)
    theirs.sort()
    ours = pooled_delays(files, near_stalls=True)["socket"]
    header = ["", "packets", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"]
    rows = [describe("iperf 2", theirs), describe("livetcp bench", ours)]
    bench.write_csv("iperf.csv", [dict(zip(["tool", *header[1:]], row)) for row in rows])
    bench.write_json("iperf.json", {"circumstances": bench.circumstances(), "reports": reports})
    stalls = sum(len(r["stalls"]) for r in reports)
    bench.write("iperf.md", f"# iperf 2 beside livetcp bench\n\n{bench.circumstances()}\n\n"
                f"Each over a path of its own with {PATH}, {SIZE} bytes every {INTERVAL_MS} ms, "
                f"reno, {seeds} seed(s) of {seconds:g} s; delays in ms, iperf's to {BIN_MS} ms.\n\n"
                + markdown(header, rows) + f"\nThe machine stalled {stalls} times.\n")
    return 0
