#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands in for `livetcp bench` in the test of script/bench: writes the reports of a run whose
delays in ms are in FAKE_DELAYS, {scheme: [delay, ...]}, and counts its calls in FAKE_CALLS. With
FAKE_RESULTS, {scheme: {field: value}}, which replaces fields of the results, a scheme is the text of
a --policy or --transport, and the report has only those that were asked for. The MOS of a --playout is 4.4, less a
tenth for each percent that is late."""

import json
import os
import sys
import time


def option(name, default=None):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def result(scheme, delays):
    ordered = sorted(delays)
    rank = {share: ordered[max(-(-len(ordered) * share // 1000), 1) - 1]
            for share in (500, 950, 990, 999)}
    summary = {"sent": len(delays), "lost": 0, "mean_ms": sum(delays) / len(delays),
               "p50_ms": rank[500], "p95_ms": rank[950], "p99_ms": rank[990],
               "p99_9_ms": rank[999], "max_ms": ordered[-1],
               "within_200ms": sum(d <= 200 for d in delays) / len(delays),
               "within_500ms": sum(d <= 500 for d in delays) / len(delays)}
    fields = {"scheme": scheme, "spec": scheme, "all": summary, "clean": summary, "flagged": 0,
              "bytes_per_media_byte": 1.0, "wire_bytes_per_media_byte": 1.0, "cpu_send_us": 1.0,
              "cpu_receive_us": 1.0, "ftp_mbit_s": 20.0, "media_mbit_s": 2.0, "peer_mbit_s": 2.0,
              "mice_mbit_s": 1.0, "path": {"packets": 200, "dropped_queue": 3}}
    if "--playout" in sys.argv:
        fields["playout"] = list(playout(delays))
    return fields | json.loads(os.environ.get("FAKE_RESULTS", "{}")).get(scheme, {})


def playout(delays):
    """Delays over L, which is that of the --path."""
    one_way = float(option("--path").split("ms")[0].removeprefix("delay="))
    for name in option("--playout").split(","):
        if name == "adaptive":
            yield adaptive(delays, one_way)
            continue
        over = 2 * one_way + 3 * float(option("--interval")) if name == "static" else float(name)
        late = sum(delay > one_way + over for delay in delays)
        yield {"playout": name, "over_ms": over, "delay_ms": one_way + over,
               "packets": len(delays), "late": late, "most_mos": 4.4,
               "mos": 4.4 - 10 * late / len(delays)}


def adaptive(delays, one_way):
    """As if it always were 20 ms over L, and copies came for half of what is late."""
    late = sum(delay > one_way + 20 for delay in delays)
    return {"playout": "adaptive", "over_ms": 0, "delay_ms": one_way + 20, "stddev_ms": 1.5,
            "talkspurts": 3, "packets": len(delays), "late": late - late // 2,
            "primary": len(delays) - late, "secondary": late // 2, "most_mos": 4.4, "mos": 4.0}


def check(known):
    unknown = [name for name in option("--policy").split(",") if name not in known]
    if unknown:
        print(f"livetcp bench: no policy is called '{unknown[0]}'\nmore", file=sys.stderr)
    sys.exit(2 if unknown else 0)


def asked_for():
    """Schemes, as they were asked for."""
    return [name for kind in ("--transport", "--policy") if kind in sys.argv
            for name in option(kind).split(",")]


def other_command():
    """Every command can be asked what it does, unless FAKE_LACKS names it; an emulated path
    always works."""
    command = sys.argv[1]
    if "--help" in sys.argv:
        sys.exit(2 if command in os.environ.get("FAKE_LACKS", "").split() else 0)
    if command == "emulate":
        sys.exit(0)


def hold_up():
    """Fails, or waits to be ended, at the arguments that a test names."""
    line = " ".join(sys.argv)
    if "FAKE_FAILS" in os.environ and os.environ["FAKE_FAILS"] in line:
        sys.exit("livetcp bench: the fake was told to fail")
    if "FAKE_WAITS" in os.environ and os.environ["FAKE_WAITS"] in line:
        time.sleep(600)


def main():
    other_command()
    delays = json.loads(os.environ["FAKE_DELAYS"])
    if "--check" in sys.argv:
        check(delays)
    if "FAKE_RESULTS" in os.environ:
        delays = {name: delays[name] for name in asked_for()}
    with open(os.environ["FAKE_CALLS"], "a", encoding="utf-8") as calls:
        calls.write(" ".join(sys.argv) + "\n")
    hold_up()
    if "--raw" in sys.argv:
        write_raw(delays)
    with open(option("--json"), "w", encoding="utf-8") as report:
        json.dump({"parameters": {"duration_s": float(option("--duration").rstrip("s")),
                                  "packets_per_talkspurt": 200 if "--talkspurt" in sys.argv else 0,
                                  "opening_packets": int(option("--opening", 1))},
                   "stalled_ms": float(os.environ.get("FAKE_STALLED", 0)),
                   "stalls": [], "results": [result(*item) for item in delays.items()]}, report)
    print("a table")


def write_raw(delays):
    with open(option("--raw"), "w", encoding="utf-8") as raw:
        raw.write("scheme,direction,flow,index,measured,near_stall,due_us,sent_us,arrival_us,"
                  "delay_us\n")
        for scheme, values in delays.items():
            raw.write(f"{scheme},forward,0,0,0,1,0,0,9000000,9000000\n")  # warm-up: not to be counted
            raw.write(f"{scheme},forward,0,1,1,1,0,0,9000000,9000000\n")  # near a stall: the same
            for i, value in enumerate(values):
                delay = round(value * 1000)
                raw.write(f"{scheme},forward,0,{i},1,0,0,0,{delay},{delay}\n")


if __name__ == "__main__":
    main()
