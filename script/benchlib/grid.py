# SPDX-License-Identifier: MIT
"""Every policy over packet sizes, intervals, loss rates and round-trip times."""

from .bench import markdown, ms

SCHEMES = ("single,round-robin:connections=5,shortest-queue:connections=5,single:split=2,"
           "shortest-queue:connections=5:split=2")
WARMUP, ENDING = 5, 6


class Cell:
    def __init__(self, size, interval, loss, rtt, seed):
        self.size, self.interval, self.loss, self.rtt, self.seed = size, interval, loss, rtt, seed

    def name(self):
        return (f"grid/{self.size}B-{self.interval}ms-loss{self.loss:g}-rtt{self.rtt}"
                f"-seed{self.seed}")

    def args(self, seconds):
        delay = f"delay={self.rtt / 2:g}ms"
        return ["--policy", SCHEMES, "--congestion-control", "reno", "--flows", "5",
                "--size", str(self.size), "--interval", str(self.interval),
                "--path", f"{delay},loss={self.loss:g}%", "--path-back", delay,
                "--warmup", str(WARMUP), "--duration", f"{seconds:g}", "--seed", str(self.seed)]


def cells(options):
    sizes, intervals = ((174, 1448), (20,)) if options.quick else ((174, 724, 1448), (20, 30))
    losses = (1, 3) if options.quick else (0.1, 0.5, 1, 2, 3, 5)
    rtts = (20, 100) if options.quick else (20, 100, 300)
    return [Cell(size, interval, loss, rtt, seed)
            for seed in range(1, (options.seeds or 1) + 1)
            for rtt in rtts for loss in losses for size in sizes for interval in intervals]


def row(cell, result):
    clean = result["clean"]
    return {"rtt_ms": cell.rtt, "loss_percent": cell.loss, "size": cell.size,
            "interval_ms": cell.interval, "seed": cell.seed, "scheme": result["scheme"],
            "packets": clean["sent"], "flagged": result["flagged"], "lost": clean["lost"],
            "mean_ms": clean["mean_ms"], "p50_ms": clean["p50_ms"], "p95_ms": clean["p95_ms"],
            "p99_ms": clean["p99_ms"], "p99_9_ms": clean["p99_9_ms"], "max_ms": clean["max_ms"],
            "within_200ms": clean["within_200ms"], "within_500ms": clean["within_500ms"],
            "bytes_per_media_byte": result["bytes_per_media_byte"],
            "wire_bytes_per_media_byte": result["wire_bytes_per_media_byte"],
            "cpu_send_us": result["cpu_send_us"], "cpu_receive_us": result["cpu_receive_us"]}


def run(bench, options):
    seconds = options.seconds or (15 if options.quick else 60)
    plan = cells(options)
    missing = sum(bench.earlier(cell.name(), cell.args(seconds)) is None for cell in plan)
    bench.say(f"{len(plan)} cells, {len(plan) - missing} of them measured before")
    bench.left = len(plan) * (seconds + WARMUP + ENDING)
    rows, reports = [], []
    for cell in plan:
        report, _ = bench.measure(cell.name(), cell.args(seconds), seconds + WARMUP + ENDING)
        rows += [row(cell, result) for result in report["results"]]
        reports.append(report)
    bench.write_csv("grid.csv", rows)
    bench.write_json("grid.json", reports)
    bench.write("grid.md", f"# Delay by policy\n\n{bench.circumstances()}\n\n"
                "Delays in ms, packets sent near a stall of the machine left out.\n\n" + markdown(
                    ["RTT", "loss %", "bytes", "interval", "scheme", "packets", "p50", "p95", "p99",
                     "p99.9", "≤ 200 ms"],
                    [(r["rtt_ms"], r["loss_percent"], r["size"], r["interval_ms"], r["scheme"],
                      r["packets"], ms(r["p50_ms"]), ms(r["p95_ms"]), ms(r["p99_ms"]),
                      ms(r["p99_9_ms"]), f"{100 * r['within_200ms']:.2f} %") for r in rows]))
    return 0
