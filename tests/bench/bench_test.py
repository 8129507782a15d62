#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs `livetcp bench` for a moment and checks what it reports.

usage: bench_test.py LIVETCP CASE

Asserts nothing about speed. Exit code 77: no emulated path is possible here.
"""

import csv
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
PATIENCE_S = 200  # for what hangs


def bench(tool, *args):
    return subprocess.run([tool, "bench", *args], capture_output=True, text=True, timeout=PATIENCE_S)


def measured(tool, folder, *args):
    """The JSON report of a run that must succeed."""
    path = pathlib.Path(folder, "report.json")
    run = bench(tool, "--json", str(path), *args)
    print(run.stdout, run.stderr)
    if run.returncode and "--path none" in run.stderr:
        print("skipped: no emulated path here")
        sys.exit(SKIPPED)
    assert run.returncode == 0, run.returncode
    return json.loads(path.read_text()), run


def read_csv(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def check_common(result, sent):
    assert result["all"]["sent"] == sent, result["all"]
    assert result["all"]["lost"] == 0, result["all"]
    assert 0 < result["all"]["min_ms"] <= result["all"]["p50_ms"] <= result["all"]["max_ms"]
    assert result["all"]["p99_ms"] <= result["all"]["p99_9_ms"] <= result["all"]["max_ms"]
    assert result["bytes_per_media_byte"] >= 1, result
    assert result["cpu_send_us"] > 0 and result["cpu_receive_us"] > 0, result
    assert result["all"]["sent"] - result["flagged"] == result["clean"]["sent"]
    if result["transport"] != "socket":
        assert result["segments"] is None, result
    else:
        assert 0 <= result["retransmitted"] < result["segments"], result


def loopback(tool, folder):
    table = pathlib.Path(folder, "report.csv")
    report, run = measured(tool, folder, "--path", "none", "--duration", "2", "--warmup", "0.2",
                           "--policy", "single,shortest-queue:connections=3",
                           "--transport", "plain,socket,socket:nagle=1", "--csv", str(table))
    names = ["single", "shortest-queue x3", "plain", "socket", "socket nagle"]
    assert [r["scheme"] for r in report["results"]] == names, report["results"]
    for result in report["results"]:
        check_common(result, 100)
        assert result["propagation_ms"] == 0
        assert result["scheme"] in run.stdout
    rows = read_csv(table)
    assert [r["scheme"] for r in rows] == names
    assert all(r["sent"] == "100" and r["lost"] == "0" for r in rows)
    assert "infinitely late" in run.stdout


def both_ways(tool, folder):
    raw = pathlib.Path(folder, "raw.csv")
    report, _ = measured(tool, folder, "--path", "none", "--duration", "1", "--warmup", "0.1",
                         "--direction", "both", "--flows", "3", "--size", "174",
                         "--interval", "10", "--policy", "shortest-queue:connections=2",
                         "--raw", str(raw), "--consecutive", "--transport", "socket")
    ways = [(r["scheme"], r["direction"]) for r in report["results"]]
    assert ways == [("shortest-queue x2", "forward"), ("socket", "forward"),
                    ("shortest-queue x2", "backward"), ("socket", "backward")], ways
    for result in report["results"]:
        check_common(result, 300)
    rows = read_csv(raw)
    assert len(rows) == 2 * 2 * 3 * 110, len(rows)
    for row in rows:
        delay = int(row["arrival_us"]) - int(row["sent_us"])
        assert delay == int(row["delay_us"]) and delay > 0, row
        assert int(row["sent_us"]) >= int(row["due_us"]), row


def emulated(tool, folder):
    report, _ = measured(tool, folder, "--path", "delay=20ms,loss=3%,rate=20mbit,queue=100p",
                         "--path-back", "delay=10ms", "--duration", "3", "--warmup", "0.5",
                         "--flows", "2", "--ftp", "1", "--web", "3",
                         "--policy", "single,shortest-queue:connections=3",
                         "--congestion-control", "reno", "--background-cc", "reno",
                         "--playout", "0,static,60000")
    assert len(report["results"]) == 2
    for result in report["results"]:
        check_common(result, 300)
        assert result["all"]["min_ms"] >= 20, result["all"]
        assert result["propagation_ms"] == 20
        assert result["full_queue_ms"] == 60
        assert result["congestion_control"] == "reno"
        assert result["ftp_mbit_s"] > 0 and result["web_mbit_s"] > 0, result
        assert result["path"]["packets"] > 300 and result["path"]["lost"] > 0, result["path"]
        assert result["wire_bytes_per_media_byte"] is None  # others send, too
        never, static, always = result["playout"]
        assert never["late_share"] == 1 and never["mos"] < 1.5, never
        assert static["delay_ms"] == 20 + 30 + 60, static
        assert always["late"] == 0 and always["packets"] == 300, always


def paths(tool, folder):
    """What a path can do at times, and two links, of which a scheme takes one."""
    report, run = measured(tool, folder, "--path",
                           "delay=5ms,delay=25ms@1s,rate=10mbit,aqm=fq-codel,ecn;delay=60ms",
                           "--path-back", "delay=5ms;delay=60ms", "--duration", "2", "--warmup", "0",
                           "--policy", "single,single:link=2")
    first, second = report["results"]
    check_common(first, 100)
    assert first["all"]["min_ms"] >= 5 and first["all"]["p95_ms"] >= 25, first["all"]
    assert second["all"]["min_ms"] >= 60, second["all"]
    for result, link in ((first, 0), (second, 1)):
        packets = [path["packets"] for path in result["path"]["links"]]
        assert packets[link] > 10 and packets[1 - link] == 0, packets
    for args, word in ((["--policy", "single:link=2"], "1 link"),
                       (["--policy", "single:link=0", "--path", "delay=1ms;delay=2ms"], "2 links"),
                       (["--path", "delay=1ms;delay=2ms", "--path-back", "loss=1%"], "2 links"),
                       (["--path", ";;;;"], "at most 4 links"),
                       (["--path", "trace=/dev/null"], "line 1")):
        run = bench(tool, "--check", *args)
        assert run.returncode == 2 and word in run.stderr, (args, run.returncode, run.stderr)
    script_rows(tool)


def script_rows(tool):
    """Every path of script/bench paths can be emulated."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "script"))
    from benchlib import path_rows  # pylint: disable=import-outside-toplevel
    settings = {row.setting.name: row.setting for quick in (False, True)
                for row in path_rows.rows(quick)}
    assert len(settings) > 80
    for name, setting in settings.items():
        run = bench(tool, "--check", *setting.args, "--policy", "auto")
        assert run.returncode == 0, (name, run.stderr)


def sysctls(tool, folder):
    """Both ends of the path have the settings; only it has any."""
    report, run = measured(tool, folder, "--path", "delay=5ms", "--duration", "0.2", "--warmup",
                           "0", "--policy", "single", "--sysctl", "net.ipv4.tcp_recovery=0",
                           "--sysctl", "net.ipv4.tcp_early_retrans=0")
    wanted = ["net.ipv4.tcp_recovery=0", "net.ipv4.tcp_early_retrans=0"]
    assert report["parameters"]["sysctls"] == wanted, report["parameters"]
    assert ", ".join(wanted) in run.stdout, run.stdout
    for args, code, word in ((["net.ipv4.tcp_ecn"], 2, "KEY=VALUE"),
                             (["net.ipv4.nonesuch=1"], 1, "nonesuch"),
                             (["net.ipv4.tcp_ecn=1", "--path", "none"], 2, "loopback")):
        run = bench(tool, "--duration", "0.2", "--sysctl", *args)
        assert run.returncode == code and word in run.stderr, (run.returncode, run.stderr)


def greedy(tool, folder):
    """Goel's experiment in small: everything on one path gets something through."""
    report, run = measured(tool, folder, "--path", "delay=5ms,rate=10mbit,queue=30p",
                           "--path-back", "delay=5ms", "--greedy", "--duration", "5", "--warmup",
                           "0.5", "--policy", "single", "--transport", "socket", "--peer", "--ftp",
                           "2@0.5-2", "--mice", "3@0-5", "--cbr", "500kbit@0-5")
    assert len(report["results"]) == 2
    for result in report["results"]:
        assert result["all"]["sent"] > 10 and result["all"]["min_ms"] >= 5, result["all"]
        for name in ("media", "peer", "ftp", "mice", "cbr"):
            assert result[f"{name}_mbit_s"] > 0, (name, result)
        total = sum(result[f"{name}_mbit_s"] for name in ("media", "peer", "ftp", "mice", "cbr"))
        assert total <= 10 * 1.5, total  # they share one bottleneck
        assert result["cbr_mbit_s"] <= 0.5 * 1.5, result
        assert result["source_lateness"]["sent"] == 0
    assert "mouse flows" in run.stdout, run.stdout


def adaptive(tool, folder):
    """Video that follows the estimate leaves a rate that the path does not carry; others keep it."""
    raw = pathlib.Path(folder, "raw.csv")
    report, run = measured(tool, folder, "--path", "delay=10ms,rate=2mbit,queue=60kB",
                           "--adaptive=3mbit", "--policy", "single", "--transport", "plain",
                           "--warmup", "1", "--duration", "3", "--raw", str(raw))
    assert report["parameters"]["trace"] == "x264", report["parameters"]
    single, plain = report["results"]
    assert single["adaptive"]["follows_estimate"] and not plain["adaptive"]["follows_estimate"]
    assert single["adaptive"]["rate_min_bit_s"] < 3e6, single["adaptive"]
    assert plain["adaptive"]["rate_min_bit_s"] == plain["adaptive"]["rate_max_bit_s"] == 3e6
    for result in report["results"]:
        assert result["adaptive"]["frames"] == 75, result["adaptive"]
        assert result["adaptive"]["whole"]["sent"] > result["all"]["sent"] > 75, result
        assert result["all"]["min_ms"] >= 10, result["all"]
        assert 0 < result["adaptive"]["link_share"] < 1.5, result["adaptive"]
    frames = {}
    for row in read_csv(raw):
        if row["scheme"] == "plain":
            frames.setdefault(int(row["frame"]), []).append(int(row["bytes"]))
    assert sorted(frames) == list(range(100)), sorted(frames)
    assert max(frames, key=lambda f: sum(frames[f])) % 50 == 0  # a key frame
    assert sum(map(sum, frames.values())) * 8 / 4 > 2e6
    assert "fixed rate" in run.stdout and "encoder, kbit/s" in run.stdout, run.stdout


def programs(tool, folder):
    """Another protocol carries the same frames; its rate is followed, and one that fails is named."""
    peer = f"{sys.executable} {pathlib.Path(__file__).with_name('udp_peer.py')}"
    raw = pathlib.Path(folder, "raw.csv")
    report, _ = measured(tool, folder, "--path", "none", "--program", f"udp={peer} 400000",
                         "--transport", "udp,plain:start-rate=200kbit", "--adaptive=1mbit",
                         "--trace", "ideal", "--warmup", "1", "--duration", "2", "--raw", str(raw))
    other, plain = report["results"]
    assert other["transport"] == "program" and other["scheme"] == "udp", other
    assert other["adaptive"]["rate_last_bit_s"] == 400000, other["adaptive"]
    assert plain["adaptive"]["rate_last_bit_s"] == 200000, plain["adaptive"]
    assert other["all"]["sent"] > 50 and other["all"]["lost"] < other["all"]["sent"], other
    assert 0 < other["all"]["min_ms"], other["all"]
    first = next(row for row in read_csv(raw) if row["scheme"] == "udp")
    assert first["rate_bit_s"] == "1000000", first
    for command, word in (f"{peer} refuse", "not today"), ("false", "the program ended"), (
            "/no/such/program", "the program ended"):
        run = bench(tool, "--path", "none", "--program", f"udp={command}", "--transport", "udp",
                    "--warmup", "0", "--duration", "0.2")
        assert run.returncode == 1 and f"udp: {word}" in run.stderr, (run.returncode, run.stderr)


def flow_times(tool, folder):
    """A flow connects when it joins, begins with a key frame, and leaves."""
    raw = pathlib.Path(folder, "raw.csv")
    measured(tool, folder, "--path", "none", "--policy", "auto:connections=2", "--adaptive=500kbit",
             "--flows", "2", "--flow-times", "0-,0.5s-6s", "--warmup", "0.5", "--duration", "6",
             "--raw", str(raw))
    sent = {flow: [int(row["due_us"]) / 1e6 for row in read_csv(raw) if row["flow"] == flow]
            for flow in "01"}
    assert min(sent["0"]) < 0.1 and max(sent["0"]) > 6.3, sent["0"]
    assert 0.5 <= min(sent["1"]) and max(sent["1"]) < 6, sent["1"]
    first = min(sent["1"])
    packets = {flow: sum(begin <= at < begin + 0.001 for at in sent[flow])
               for flow, begin in (("0", min(sent["0"])), ("1", first))}
    assert packets["1"] > 1, packets  # a key frame takes several packets


def schedule(tool, folder):
    """The path changes while media flows."""
    raw, changes = pathlib.Path(folder, "raw.csv"), pathlib.Path(folder, "changes")
    changes.write_text("# a longer way\n0.5s forward delay=300ms\n")
    measured(tool, folder, "--path", "delay=5ms", "--transport", "socket", "--congestion-control",
             "reno", "--size", "200", "--interval", "50ms", "--schedule", str(changes),
             "--warmup", "0.5", "--duration", "5", "--raw", str(raw))
    delays = [int(row["delay_us"]) for row in read_csv(raw) if row["delay_us"]]
    assert min(delays) < 300000 <= delays[-1], delays


def talkspurts(tool, folder):
    raw = pathlib.Path(folder, "raw.csv")
    report, run = measured(tool, folder, "--path", "none", "--duration", "2", "--warmup", "0.5",
                           "--policy", "single", "--talkspurt", "0.2", "--silence", "0.3",
                           "--opening", "3", "--raw", str(raw))
    result = report["results"][0]
    check_common(result, 40)  # four talkspurts of ten packets, after one of warm-up
    assert result["opening"]["sent"] == 12, result["opening"]
    assert report["parameters"]["packets_per_talkspurt"] == 10
    sent = [int(row["due_us"]) for row in read_csv(raw)]
    gaps = [b - a for a, b in zip(sent, sent[1:])]
    assert sorted(set(gaps)) == [20000, 320000] and gaps.count(320000) == 4, gaps
    assert "first 3 of a talkspurt" in run.stdout, run.stdout


def speech(tool, folder):
    report, run = measured(tool, folder, "--path", "none", "--duration", "2", "--warmup", "0.5", "--adaptive=500kbit",
                           "--max-rate=500kbit", "--speech", "--direction", "both", "--policy", "single",
                           "--transport", "plain")
    assert report["parameters"]["speech"] is True
    assert len(report["results"]) == 4, report["results"]
    for result in report["results"]:
        assert 99 <= result["speech"]["sent"] <= 101, result["speech"]
        assert result["speech"]["lost"] == 0 and result["speech"]["max_ms"] is not None, result["speech"]
        assert 49 <= result["adaptive"]["frames"] <= 51, result["adaptive"]
        assert result["media_mbit_s"] < 0.6, result["media_mbit_s"]  # of the video
    assert run.stdout.count("delay of speech, ms") == 2, run.stdout


def check(tool, folder):
    del folder
    run = bench(tool, "--check", "--policy", "single,shortest-queue:connections=3", "--greedy")
    assert run.returncode == 0 and run.stdout == "", (run.returncode, run.stdout)
    run = bench(tool, "--check", "--policy", "single,nonesuch")
    assert run.returncode == 2 and "nonesuch" in run.stderr, (run.returncode, run.stderr)


def errors(tool, folder):
    for args, word in (["--policy", "nonesuch"], "shortest-queue"), (["--size", "3"], "3 bytes"), (
            ["--wrong"], "--wrong"):
        run = bench(tool, *args)
        assert run.returncode == 2, (args, run.returncode)
        assert word in run.stderr, run.stderr
        assert run.stdout == "", run.stdout
    run = bench(tool, "--path", "none", "--duration", "0.1", "--warmup", "0", "--transport",
                "socket", "--congestion-control", "nonesuch")
    assert run.returncode == 1 and "'nonesuch'" in run.stderr, (run.returncode, run.stderr)
    run = bench(tool, "--path", "none", "--duration", "0.1", "--warmup", "0", "--json",
                str(pathlib.Path(folder, "no/such/folder")))
    assert run.returncode == 1 and "no/such/folder" in run.stderr, (run.returncode, run.stderr)
    run = bench(tool, "--help")
    assert run.returncode == 0 and "Examples:" in run.stdout


def children_of(pid):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # gone meanwhile
        if int(fields[1]) == pid:
            found.append(int(path.parent.name))
    return found


def eventually(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def start(tool, *args):
    """A run that is still under way, and its four processes."""
    run = subprocess.Popen([tool, "bench", "--duration", "3600", *args],
                           stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    eventually(lambda: run.poll() is not None or len(children_of(run.pid)) == 4)
    return run, children_of(run.pid)


def stop(run, children):
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 1 and "interrupted" in err, (run.returncode, err)
    assert not [c for c in children if pathlib.Path(f"/proc/{c}").exists()], children


def interrupt(tool, folder):
    del folder
    run, children = start(tool, "--path", "none")
    assert len(children) == 4, (children, run.poll())
    stop(run, children)


def holds(pid, name):
    """True when a descriptor of the process is of that file."""
    return any(str(path.readlink()) == name for path in pathlib.Path(f"/proc/{pid}/fd").iterdir())


def descriptors(tool, folder):
    """A process keeps no path alive but the coordinator."""
    del folder
    run, children = start(tool, "--path", "delay=5ms")
    if run.poll() is not None and "--path none" in run.stderr.read():
        print("skipped: no emulated path here")
        sys.exit(SKIPPED)
    assert len(children) == 4, (children, run.poll())
    assert holds(run.pid, "/dev/net/tun")
    for child in children:
        assert eventually(lambda pid=child: not holds(pid, "/dev/net/tun")), child
    stop(run, children)


def main():
    cases = {f.__name__: f for f in (loopback, both_ways, emulated, paths, sysctls, greedy,
                                     adaptive, programs, flow_times, schedule, talkspurts, speech, check, errors, interrupt, descriptors)}
    if len(sys.argv) != 3 or sys.argv[2] not in cases:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        cases[sys.argv[2]](sys.argv[1], folder)


if __name__ == "__main__":
    main()
