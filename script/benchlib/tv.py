# SPDX-License-Identifier: MIT
"""Television: samples/tv_server and samples/tv_client. How long a change of the channel and a step
back take over an emulated path, beside the same server as plain TCP usually is and beside
gst-rtsp-server; how many viewers two cores carry; and what one costs the others that stops
reading."""

import contextlib
import json
import os
import pathlib
import resource
import shlex
import signal
import subprocess
import time

from .bench import BenchError, markdown

PATH, RTT, FPS = "delay=50ms,loss=1%", 100, 25
PORT, EVERY_MS = 5997, 900
WIDTH, HEIGHT, KBITS, KEY_MS = 320, 180, 1000, 2000
PLAIN = "policy=single&send-buffer-windows=0&max-send-delay=0"
SCHEMES = {"auto": ("", ""), "plain TCP": (f"&{PLAIN}", f"?connections=1&{PLAIN}")}
CONTROLS = ("bbr", "reno")  # of all sockets at both ends
CHECKED, USUAL, RTSP = "auto", "plain TCP", "gst-rtsp-server"
MOST_ZAP_MS = 2 * RTT + 1000 / FPS + 50
MOST_RATIO = 1 / 3
MOST_GLASS_MS = RTT / 2 + 150
LEAST_VIEWERS, VIEWER_QUERY = 150, "connections=2"
MOST_VIEWER_MS, MOST_HARM_MS = 10, 5
STEPS = (150, 200, 250, 300, 400, 500)
FEWER = (125, 100, 75, 50)  # when the first step is too many
WORDS = {True: "pass", False: "**fail**", None: "not measured"}


# ---- programs ----

def find_programs(bench):
    given = os.environ.get("LIVETCP_TV")
    if not given and os.environ.get("LIVETCP_TOOL"):
        given = str(pathlib.Path(bench.tool).resolve().parents[2] / "samples")
    if not given:
        bench._run(["cmake", "-B", "build/bench", "-DLIVETCP_SAMPLES=ON", "--log-level=WARNING"])
        bench._run(["cmake", "--build", "build/bench", "--parallel"])
        given = str(bench.root / "build/bench/samples")
    programs = [str(pathlib.Path(given) / name) for name in ("tv_server", "tv_client")]
    for program in programs:
        if not os.access(program, os.X_OK):
            raise BenchError(f"there is no {program}: it is built where x264, libavcodec, SDL 2, "
                             "Opus and speexdsp are (Debian: libx264-dev, libavcodec-dev, "
                             "libsdl2-dev, libopus-dev, libspeexdsp-dev)")
    return programs


def rtsp_program(bench):
    """The peer's program, or None and the reason."""
    program = bench.root / "tests/bench/peers/rtsp/rtsp_zap.py"
    check = subprocess.run(["/usr/bin/python3", str(program), "check"], text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if check.returncode == 0:
        return ["/usr/bin/python3", str(program)]
    lines = check.stdout.strip().splitlines() or ["it does not start"]
    bench.say(f"{RTSP} is left out: {lines[-1]} (Debian: gir1.2-gst-rtsp-server-1.0, python3-gi)")
    return None


def last_json(text, of):
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    raise BenchError(f"{of} printed no figures, but: {text[-500:]}")


# ---- changes of the channel, over a path ----

def run_for(seconds, name, command):
    """On a signal the emulator ends everything it started."""
    process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output = process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        process.terminate()
        raise BenchError(f"{name} did not end after {seconds:.0f} s: "
                         f"{process.communicate()[0][-500:]}") from None
    return subprocess.CompletedProcess(command, process.returncode, output)


def emulate(bench, name, far, near, control, seed, seconds):
    """`near` may use $LIVETCP_FAR. Returns its results."""
    folder = bench.results / "tv"
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{name.replace(' ', '-')}-{control}-{seed}.txt"
    run = run_for(seconds + 60, name,
        [bench.tool, "emulate", "--quiet", "--both", PATH, "--seed", str(seed),
         "--congestion-control", control, "--head-start", "2s", "--far", f"exec {far} > {shlex.quote(str(log))} 2>&1 < /dev/null", "--", "sh", "-c",
         f"{near} < /dev/null"])
    if run.returncode:
        raise BenchError(f"{name} failed: {run.stdout[-500:]}\n{log} has the other end")
    return last_json(run.stdout, name)


def measure_zaps(bench, programs, scheme, control, changes, seed):
    server, client = SCHEMES[scheme]
    seconds = 2 * changes * EVERY_MS / 1000
    bench.say(f"{changes} changes of the channel and {changes} of the time, {scheme}, "
              f"{control}, seed {seed}")
    far = shlex.join([programs[0], "--width", str(WIDTH), "--height", str(HEIGHT), "--preset",
                      "ultrafast", "--bitrate", str(KBITS), "--key-interval", str(KEY_MS),
                      f"livetcp://:{PORT}?mode=listener{server}"])
    near = shlex.join([programs[1], "--headless", "--json", "--zaps", str(changes), "--seeks",
                       str(changes), "--every", str(EVERY_MS)])
    figures = emulate(bench, scheme, far, f"{near} \"livetcp://$LIVETCP_FAR:{PORT}{client}\"",
                      control, seed, seconds)
    return {"scheme": scheme, "tcp": control, "seed": seed, "changes": changes,
            **{f"{what}_{key}": figures[f"{what}_ms"].get(key)
               for what in ("zap", "seek", "glass") for key in ("p50", "p95", "p99", "max")},
            "lost": figures["presses_lost"], "late": figures["late"], "shown": figures["shown"],
            "broken": figures["undecodable"]}


def share_of(times, share):
    return sorted(times)[min(int(share * len(times)), len(times) - 1)]


def measure_rtsp(bench, peer, control, changes, seed):
    bench.say(f"{changes} changes of the channel, {RTSP}, {control}, seed {seed}")
    far = shlex.join([*peer, "server", "8554", str(WIDTH), str(HEIGHT), str(FPS), str(KBITS),
                      str(KEY_MS)])
    near = f"{shlex.join([*peer, 'client'])} $LIVETCP_FAR 8554 {changes} {EVERY_MS}"
    figures = emulate(bench, RTSP, far, near, control, seed, changes * 4)
    times = figures["zap_ms"]
    return {"scheme": RTSP, "tcp": control, "seed": seed, "changes": changes, "lost": figures["lost"],
            "zap_p50": share_of(times, 0.5), "zap_p95": share_of(times, 0.95),
            "zap_p99": share_of(times, 0.99), "zap_max": max(times)}


# ---- many viewers, on this computer ----

def more_files():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


@contextlib.contextmanager
def serving(bench, programs):
    """One channel of 1 Mbit/s on a port of the loopback interface."""
    command = [programs[0], "--width", str(WIDTH), "--height", str(HEIGHT), "--preset",
               "ultrafast", "--bitrate", str(KBITS - 40),
               "livetcp://127.0.0.1:0?mode=listener&max-send-delay=500", "one=test"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              preexec_fn=more_files)
    try:
        port = None
        for line in server.stdout:
            if line.startswith("listening on port "):
                port = int(line.split()[-1])
                break
        if not port:
            raise BenchError(f"the server does not start: {shlex.join(command)}")
        yield server, port
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=30)


def cpu_s(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def crowd(programs, port, viewers, seconds):
    return subprocess.Popen([programs[1], "--viewers", str(viewers), "--seconds", str(seconds),
                             f"livetcp://127.0.0.1:{port}?{VIEWER_QUERY}"], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=more_files)


def measure_viewers(bench, programs, viewers, seconds, stall=False):
    """`stall`: one more viewer, in a process of its own that is stopped before the measurement."""
    bench.say(f"{viewers} viewers{' and one that stops reading' if stall else ''}")
    with serving(bench, programs) as (server, port):
        extra = crowd(programs, port, 1, 10000) if stall else None
        try:
            many = crowd(programs, port, viewers, seconds)
            first = many.stdout.readline() if extra else ""
            if extra:
                extra.send_signal(signal.SIGSTOP)
            before, began = cpu_s(server), time.monotonic()
            figures = last_json(first + many.communicate(timeout=seconds + 300)[0], "the crowd")
            cpu = 100 * (cpu_s(server) - before) / (time.monotonic() - began)
        finally:
            if extra:
                extra.kill()
                extra.wait()
    return {"viewers": viewers, "stalled": stall, "open": figures["open"],
            "kbits_per_viewer": figures["kbits_per_viewer"], "missing": figures["missing"],
            "server_cpu": cpu, **{key: figures["delay_ms"].get(key)
                                  for key in ("min", "p50", "p95", "p99", "max")}}


def carries(row):
    return row["open"] == row["viewers"] and row["p99"] is not None and \
        row["p99"] <= MOST_VIEWER_MS


# ---- the report ----

def worst(rows, scheme, control, key):
    found = [row[key] for row in rows
             if (row["scheme"], row["tcp"]) == (scheme, control) and row.get(key) is not None]
    return max(found) if found else None


def check(zaps, viewers):
    """(what, measured, wanted, passed)"""
    for control in CONTROLS:
        for what, key in (("zap time p95", "zap_p95"), ("seek time p95", "seek_p95")):
            mine, usual = worst(zaps, CHECKED, control, key), worst(zaps, USUAL, control, key)
            yield f"{what}, {control}", f"{mine:.0f} ms", f"≤ {MOST_ZAP_MS:.0f} ms", \
                mine <= MOST_ZAP_MS
            yield f"{what}, {control}, beside plain TCP's", f"{mine / usual:.2f}", "≤ 1/3", \
                mine <= MOST_RATIO * usual
        glass = worst(zaps, CHECKED, control, "glass_p99")
        yield f"glass to glass p99, {control}", f"{glass:.0f} ms", f"≤ {MOST_GLASS_MS:.0f} ms", \
            glass <= MOST_GLASS_MS
    carried = [row["viewers"] for row in viewers if not row["stalled"] and carries(row)]
    yield f"viewers with p99 ≤ {MOST_VIEWER_MS} ms", f"{max(carried, default=0)}", \
        f"≥ {LEAST_VIEWERS}", max(carried, default=0) >= LEAST_VIEWERS
    stalled = [row for row in viewers if row["stalled"]]
    for row in stalled:
        same = [r for r in viewers if not r["stalled"] and r["viewers"] == row["viewers"]]
        harm = row["p99"] - same[0]["p99"]
        yield f"p99 of {row['viewers']} viewers with one that stops reading", f"{harm:+.1f} ms", \
            f"≤ +{MOST_HARM_MS} ms", harm <= MOST_HARM_MS


def number(value, digits=0):
    return "–" if value is None else f"{value:.{digits}f}"


def describe(zaps, viewers, checked, circumstances):
    text = (f"# Television\n\n{circumstances}\n\n## Changing channels\n\n`{PATH}` in both directions "
            f"(round trip {RTT} ms), test pictures of {WIDTH}x{HEIGHT}, {FPS}/s, {KBITS} kbit/s, a "
            f"key frame every {KEY_MS} ms or on request. From the key press to the first decoded "
            "picture; seeks are 10 s back and live again in turn. Glass to glass: from capture to "
            "display of every live picture. `plain TCP`: the same programs with one connection, "
            "policy `single`, unlimited send buffers, nothing dropped.\n\n")
    text += markdown(
        ["scheme", "TCP", "seed", "changes", "zap p50, ms", "p95", "max", "seek p50, ms", "p95", "max",
         "glass to glass p50, ms", "p99", "shown", "late", "nothing came"],
        [(r["scheme"], r["tcp"], r["seed"], r["changes"],
          *(number(r.get(key)) for key in ("zap_p50", "zap_p95", "zap_max", "seek_p50", "seek_p95",
                                           "seek_max", "glass_p50", "glass_p99", "shown", "late")),
          r["lost"]) for r in zaps])
    text += ("\n## Many viewers\n\nServer and viewers on the same computer, over its loopback "
             f"interface, each viewer with `{VIEWER_QUERY}`. From capture, encoding included, to the "
             "last packet of a picture at the viewer.\n\n")
    text += markdown(
        ["viewers", "one stops reading", "kbit/s each", "delay min, ms", "p50", "p95", "p99", "max",
         "packets missing", "CPU of the server"],
        [(r["viewers"], "yes" if r["stalled"] else "", number(r["kbits_per_viewer"]),
          *(number(r[key], 1) for key in ("min", "p50", "p95", "p99", "max")), r["missing"],
          f"{r['server_cpu']:.0f} %") for r in viewers])
    return text + f"\n## What `{CHECKED}` must show\n\n" + markdown(
        ["", "measured", "wanted", ""],
        [(what, measured, wanted, WORDS[passed]) for what, measured, wanted, passed in checked])


def run(bench, options):
    changes = 10 if options.quick else 50
    seeds = options.seeds or 1
    seconds = int(options.seconds or (8 if options.quick else 20))
    programs = find_programs(bench)
    peer = rtsp_program(bench)
    bench.left = 2 * seeds * changes * (4 * EVERY_MS / 1000 + 2 * bool(peer)) + 5 * (seconds + 10)
    zaps, viewers = [], []
    for seed in range(1, seeds + 1):
        for control in CONTROLS:
            for scheme in SCHEMES:
                zaps.append(measure_zaps(bench, programs, scheme, control, changes, seed))
                bench.left -= 2 * changes * EVERY_MS / 1000
            if peer:
                zaps.append(measure_rtsp(bench, peer, control, changes, seed))
                bench.left -= 2 * changes
    for count in STEPS[:1] if options.quick else STEPS:
        viewers.append(measure_viewers(bench, programs, count, seconds))
        bench.left -= seconds + 10
        if not carries(viewers[-1]):
            break
    for count in FEWER:
        if any(map(carries, viewers)):
            break
        viewers.append(measure_viewers(bench, programs, count, seconds))
    viewers.append(measure_viewers(bench, programs, STEPS[0], seconds, stall=True))
    checked = list(check(zaps, viewers))
    bench.write_csv("tv-zaps.csv", zaps)
    bench.write_csv("tv-viewers.csv", viewers)
    bench.write_json("tv.json", {"circumstances": bench.circumstances(), "zaps": zaps,
                                 "viewers": viewers,
                                 "verdicts": [dict(zip(("what", "measured", "wanted", "passed"), v))
                                              for v in checked]})
    bench.write("tv.md", describe(zaps, viewers, checked, bench.circumstances()))
    return 0 if all(passed for *_, passed in checked) else 1
