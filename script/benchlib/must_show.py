# SPDX-License-Identifier: MIT
"""What LiveTCP must show: how much of TCP's delay its policies take away."""

import statistics

from .bench import markdown, ms, percent, percentile, pooled_delays, reduction

WARMUP, ENDING = 5, 4  # seconds of a run beside the measured ones
SINGLE, QUEUES = "single", "shortest-queue x5"

LOSS_SCHEMES = "single,shortest-queue:connections=5,round-robin:connections=5,single:split=2"
WORDS = {True: "pass", False: "**fail**", None: "undecided"}
DROP_TAIL_SCHEMES = "single,shortest-queue:connections=5"


class Setting:
    """One path with the same schemes over several seeds."""

    def __init__(self, name, title, args, seconds, seeds, propagation, full_queue=0):
        self.name = name
        self.title = title
        self.args = args
        self.seconds = seconds
        self.seeds = seeds
        self.base = propagation + full_queue
        self.propagation = propagation
        self.reports = []
        self.files = []

    def run_time(self):
        return self.seconds + WARMUP + ENDING

    def measure(self, bench):
        for seed in range(1, self.seeds + 1):
            report, raw = bench.measure(
                f"main/{self.name}-{seed}",
                [*self.args, "--warmup", str(WARMUP), "--duration", f"{self.seconds:g}",
                 "--seed", str(seed)], self.run_time())
            self.reports.append(report)
            self.files.append(raw)

    def results(self, scheme):
        return [r for report in self.reports for r in report["results"] if r["scheme"] == scheme]

    def rows(self):
        """One per scheme: percentiles over all seeds, without and with packets near stalls."""
        clean = pooled_delays(self.files, near_stalls=False)
        every = pooled_delays(self.files, near_stalls=True)
        reference = None
        for scheme, delays in clean.items():
            row = {"setting": self.name, "scheme": scheme, "packets": len(delays),
                   "lost": delays.count(float("inf"))}
            for name, share in (("p50", .5), ("p90", .9), ("p95", .95), ("p99", .99),
                                ("p99_9", .999)):
                row[name] = percentile(delays, share)
            row["max"] = delays[-1] if delays else float("inf")
            row["p95_with_stalls"] = percentile(every[scheme], .95)
            row["p95_excess"] = row["p95"] - self.base
            reference = row["p95_excess"] if reference is None else reference
            row["p95_excess_below_first"] = reduction(reference, row["p95_excess"])
            results = self.results(scheme)
            for name in ("bytes_per_media_byte", "cpu_send_us", "cpu_receive_us", "ftp_mbit_s"):
                row[name] = statistics.mean(r[name] for r in results)
            yield row


def settings(options):
    seconds = options.seconds or (15 if options.quick else 60)
    seeds = options.seeds or (1 if options.quick else 3)
    loss = ["--policy", LOSS_SCHEMES, "--congestion-control", "reno", "--size", "1448",
            "--interval", "20", "--flows", "5", "--path-back", "delay=50ms"]
    made = [Setting(f"loss-{rate}", f"RTT 100 ms, {rate} % loss, 1448 bytes every 20 ms",
                    [*loss, "--path", f"delay=50ms,loss={rate}%"], seconds, seeds, 50)
            for rate in (1, 3)]
    made.append(Setting(
        "drop-tail", "30 Mbit/s, 100 packets drop-tail, RTT 100 ms, 5 video, 5 FTP and 25 web flows",
        ["--policy", DROP_TAIL_SCHEMES, "--congestion-control", "reno", "--background-cc", "reno",
         "--flows", "5", "--ftp", "5", "--web", "25",
         "--path", "delay=50ms,rate=30mbit,queue=100p", "--path-back", "delay=50ms"],
        seconds, seeds, 50, 40))
    made.append(Setting(
        "clean", "RTT 100 ms, no loss, 174 bytes every 20 ms",
        ["--policy", "single,shortest-queue:connections=5,round-robin:connections=5",
         "--transport", "plain,socket", "--congestion-control", "reno", "--size", "174",
         "--path", "delay=50ms", "--path-back", "delay=50ms"],
        min(seconds, 30), 1, 50))
    return made


def check_excess(row, wanted):
    """(measured, passed): None = nothing to reduce, so this run decides nothing."""
    value = row["p95_excess_below_first"]
    if value is None:
        return f"nothing to reduce: {SINGLE} has no excess", None
    return percent(value), value >= wanted


def outcomes(made):
    """(what, measured, wanted, passed)"""
    rows = {(s.name, row["scheme"]): row for s in made for row in s.rows()}
    for rate, wanted in ((1, 95), (3, 80)):
        value, passed = check_excess(rows[f"loss-{rate}", QUEUES], wanted)
        yield (f"p95 over propagation, {QUEUES} below {SINGLE}, {rate} % loss", value,
               f"≥ {wanted} %", passed)
    value, passed = check_excess(rows["drop-tail", QUEUES], 90)
    yield (f"p95 over propagation and full queue, {QUEUES} below {SINGLE}, drop-tail", value,
           "≥ 90 %", passed)
    before = rows["drop-tail", SINGLE]["ftp_mbit_s"]
    change = 100 * (1 - rows["drop-tail", QUEUES]["ftp_mbit_s"] / before) if before else None
    yield ("FTP throughput lost beside it", percent(change), "≤ 4 %",
           change is not None and change <= 4)
    for (setting, scheme), row in rows.items():
        if setting == "clean" and scheme != "socket":
            yield (f"p50 over propagation, {scheme}, no loss", f"{row['p50'] - 50:.2f} ms",
                   "≤ 1 ms", row["p50"] - 50 <= 1)


def describe(made, checked, circumstances):
    text = f"# What LiveTCP must show\n\n{circumstances}\n\n"
    text += markdown(["", "measured", "wanted", ""],
                     [(what, value, wanted, WORDS[passed])
                      for what, value, wanted, passed in checked])
    for setting in made:
        text += f"\n## {setting.title}\n\n"
        text += f"`livetcp bench {' '.join(setting.args)} --duration {setting.seconds:g}`, "
        text += f"{setting.seeds} seed(s); delays in ms\n\n"
        text += markdown(
            ["scheme", "packets", "lost", "p50", "p90", "p95", "p99", "p99.9", "max",
             f"p95 − {setting.base}", "below first", "p95 with stalls", "bytes/media byte",
             "CPU µs send + receive", "FTP Mbit/s"],
            [(r["scheme"], r["packets"], r["lost"], ms(r["p50"]), ms(r["p90"]), ms(r["p95"]),
              ms(r["p99"]), ms(r["p99_9"]), ms(r["max"]), ms(r["p95_excess"]),
              percent(r["p95_excess_below_first"]), ms(r["p95_with_stalls"]),
              f"{r['bytes_per_media_byte']:.4f}",
              f"{r['cpu_send_us']:.0f} + {r['cpu_receive_us']:.0f}",
              f"{r['ftp_mbit_s']:.2f}" if r["ftp_mbit_s"] else "–") for r in setting.rows()])
        stalled = sum(report["stalled_ms"] for report in setting.reports)
        text += (f"\nThe machine stalled {sum(len(r['stalls']) for r in setting.reports)} times, "
                 f"{stalled:.0f} ms in all; packets sent near a stall are left out.\n")
    return text


def run(bench, options):
    made = settings(options)
    bench.left = sum(s.run_time() * s.seeds for s in made)
    for setting in made:
        setting.measure(bench)
    checked = list(outcomes(made))
    bench.write_csv("main.csv", [row for s in made for row in s.rows()])
    bench.write_json("main.json", {
        "circumstances": bench.circumstances(),
        "verdicts": [dict(zip(("what", "measured", "wanted", "passed"), v)) for v in checked],
        "reports": {s.name: s.reports for s in made}})
    bench.write("main.md", describe(made, checked, bench.circumstances()))
    return 0 if all(passed for *_, passed in checked) else 1
