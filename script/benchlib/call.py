# SPDX-License-Identifier: MIT
"""A telephone call: two processes of samples/voip_call over an emulated path, recorded speech both
ways. What the program says of itself is checked against its recordings: when a word was spoken at
one end and heard at the other, by the clock that both share."""

import array
import json
import operator
import os
import pathlib
import random
import shlex
import statistics
import subprocess
import wave

from .bench import BenchError, markdown
from .congestion import peers

FOLDERS = ("/usr/share/asterisk/sounds/en_US_f_Allison", "/usr/share/asterisk/sounds/en")
PAUSE = 0.5  # s between two clips
PATH, RTT = "delay=50ms,loss=3%", 100
PORT = 5904
SCHEMES = {"auto": [], "single": ["--policy", "single", "--connections", "1"]}
CHECKED = "auto"
MOST_MS, LEAST_MOS, MOST_CPU = 150, 4.2, 2.0
WORDS = {True: "pass", False: "**fail**", None: "not judged"}

STEP = 48  # samples of the envelope that is compared: 1 ms
SEGMENT, LONGEST = 4000, 600  # of these: a piece of speech, and the longest delay looked for
LOUD = 200  # of 32768, on average: a piece of less is a pause
ALIKE = 0.6  # correlation of what was spoken and what was heard


# ---- speech ----

def write_speech(path, seconds, seed):
    """Clips of one voice with pauses between them."""
    folder = next((pathlib.Path(name) for name in FOLDERS if pathlib.Path(name).is_dir()), None)
    if not folder:
        raise BenchError("no recorded speech in /usr/share/asterisk/sounds; install the package "
                         "asterisk-core-sounds-en-wav (script/bootstrap does)")
    clips = sorted(folder.glob("*.wav"))
    random.Random(seed).shuffle(clips)
    speech, rate = array.array("h"), 8000
    for clip in clips:
        if len(speech) >= seconds * rate:
            break
        with wave.open(str(clip), "rb") as reader:
            if reader.getframerate() == rate and reader.getnchannels() == 1:
                speech.frombytes(reader.readframes(reader.getnframes()))
                speech.extend([0] * int(PAUSE * rate))
    with wave.open(str(path), "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes(speech[:int(seconds * rate)].tobytes())


# ---- from mouth to ear ----

def envelopes(path):
    """Loudness per ms of both channels: microphone and loudspeaker."""
    with wave.open(str(path), "rb") as reader:
        samples = array.array("h", reader.readframes(reader.getnframes()))
    return [[sum(map(abs, samples[at + channel:at + 2 * STEP:2])) / STEP
             for at in range(0, len(samples) - 2 * STEP + 1, 2 * STEP)] for channel in (0, 1)]


def correlation(a, b):
    mean_a, mean_b = statistics.fmean(a), statistics.fmean(b)
    a, b = [x - mean_a for x in a], [x - mean_b for x in b]
    power = sum(map(operator.mul, a, a)) * sum(map(operator.mul, b, b))
    return sum(map(operator.mul, a, b)) / power ** .5 if power > 0 else 0


def measure_delays(said, heard, apart):
    """ms from saying to hearing of each piece of speech; `apart`: ms from the first recording's start
    to the second's. Pieces that changed their delay half-way are like nothing, and left out."""
    delays = []
    for at in range(0, len(said) - SEGMENT + 1, SEGMENT):
        piece = said[at:at + SEGMENT]
        begin = at - apart
        if sum(piece) < LOUD * SEGMENT or begin < 0 or begin + LONGEST + SEGMENT > len(heard):
            continue
        mean = statistics.fmean(piece)
        centred = [x - mean for x in piece]
        lag = max(range(LONGEST), key=lambda k: sum(map(operator.mul, centred,
                                                        heard[begin + k:begin + k + SEGMENT])))
        if correlation(piece, heard[begin + lag:begin + lag + SEGMENT]) >= ALIKE:
            delays.append(lag)
    return delays


# ---- the calls ----

def find_program(bench):
    given = os.environ.get("LIVETCP_VOIP_CALL")
    if not given and os.environ.get("LIVETCP_TOOL"):
        given = str(pathlib.Path(bench.tool).resolve().parents[2] / "samples/voip_call")
    if not given:
        bench._run(["cmake", "-B", "build/bench", "-DLIVETCP_SAMPLES=ON", "--log-level=WARNING"])
        bench._run(["cmake", "--build", "build/bench", "--parallel"])
        given = str(bench.root / "build/bench/samples/voip_call")
    if not os.access(given, os.X_OK):
        raise BenchError(f"there is no {given}: it is built where SDL 2, Opus and speexdsp are "
                         "(Debian: libsdl2-dev, libopus-dev, libspeexdsp-dev)")
    return given


def phone(program, folder, name, arguments, uri):
    return [program, "--play", str(folder / f"{name}.wav"), "--loudspeaker", "none",
            "--record", str(folder / f"{name}.call.wav"),
            "--summary", str(folder / f"{name}.json"), *arguments, uri]


def run_call(bench, program, folder, arguments, seconds, seed):
    """The summaries of both ends."""
    for name, offset in (("near", 0), ("far", 1)):
        write_speech(folder / f"{name}.wav", seconds, 2 * seed + offset)
        (folder / f"{name}.json").unlink(missing_ok=True)
    far = shlex.join(phone(program, folder, "far", ["--once", *arguments],
                           f"livetcp://:{PORT}?mode=listener"))
    near = shlex.join(phone(program, folder, "near", ["--seconds", f"{seconds:g}", *arguments],
                            "livetcp://FAR")).replace("'livetcp://FAR'", "livetcp://FAR")
    near = near.replace("livetcp://FAR", f"livetcp://$LIVETCP_FAR:{PORT}")
    with (folder / "near.txt").open("w") as output:  # the far end has a second to end, too
        run = subprocess.run(
            [bench.tool, "emulate", "--quiet", "--both", PATH, "--seed", str(seed), "--far",
             f"exec {far} > {shlex.quote(str(folder / 'far.txt'))} 2>&1 < /dev/null", "--",
             "sh", "-c", f"{near} < /dev/null; code=$?; sleep 2; exit $code"],
            stdout=output, stderr=subprocess.STDOUT, timeout=seconds + 120)
    summaries = []
    for name in ("near", "far"):
        if run.returncode or not (folder / f"{name}.json").exists():
            raise BenchError(f"the call failed; {folder}/near.txt and far.txt say how")
        summaries.append(json.loads((folder / f"{name}.json").read_text()))
    return summaries


def measure(bench, program, scheme, seconds, seed):
    """Two rows: reception at the near end and at the far end."""
    folder = bench.results / "call" / f"{scheme}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    bench.say(f"a call of {seconds:g} s, {scheme}, seed {seed}")
    near, far = run_call(bench, program, folder, SCHEMES[scheme], seconds, seed)
    near_said, near_heard = envelopes(folder / "near.call.wav")
    far_said, far_heard = envelopes(folder / "far.call.wav")
    apart = round((far["start_us"] - near["start_us"]) / 1000)
    for listener, summary, said, heard, later in (("near", near, far_said, near_heard, -apart),
                                                  ("far", far, near_said, far_heard, apart)):
        delays = measure_delays(said, heard, later)
        due = summary["played"] + summary["late"] + summary["lost"]
        yield {"scheme": scheme, "seed": seed, "listener": listener, "seconds": seconds,
               "measured_ms": statistics.fmean(delays) if delays else None,
               "measured_median_ms": statistics.median(delays) if delays else None,
               "measured_max_ms": max(delays, default=None), "pieces": len(delays),
               "concealed_percent": 100 * summary["concealed"] / due if due else 100,
               **summary}


# ---- the floor ----

def build_floor(bench):
    """tests/bench/call_floor.c, or None if it cannot be built."""
    program = bench.results / "call/floor"
    program.parent.mkdir(parents=True, exist_ok=True)
    failed = peers.build_with("opus", "libopus-dev", bench.root / "tests/bench/call_floor.c", program)
    if failed:
        bench.say(f"the least CPU of a telephone is left out: {failed}")
    return None if failed else program


def measure_floor(bench, program, rows, seconds, seed):
    """Rows of both ends: they say what was said in the call of `rows`, with the settings that its
    encoder had."""
    folder = bench.results / "call" / f"{CHECKED}-{seed}"
    with_settings = [str(round(rows[0][name])) for name in ("bitrate", "complexity", "loss_percent")]
    bench.say(f"the least CPU of a telephone, {seconds:g} s, seed {seed}")
    run = subprocess.run([program, str(max(1, round(seconds))), *with_settings, folder / "near.call.wav",
                          folder / "far.call.wav"], text=True, capture_output=True,
                         timeout=seconds + 60)
    if run.returncode:
        raise BenchError(f"{program} failed: {run.stderr.strip()}")
    return [json.loads(line) | {"seed": seed} for line in run.stdout.splitlines()]


# ---- the report ----

def check(rows, floor):
    """(what, measured, wanted, passed)"""
    mine = [row for row in rows if row["scheme"] == CHECKED]
    worst = {"mos": min(row["mos"] for row in mine),
             "ms": max(max(row["mouth_to_ear_ms"], row["measured_ms"] or float("inf"))
                       for row in mine),
             "cpu": max(row["cpu_percent"] for row in mine)}
    yield "MOS (G.107, Opus), worst direction", f"{worst['mos']:.2f}", f"≥ {LEAST_MOS}", \
        worst["mos"] >= LEAST_MOS
    yield "mouth to ear, mean of the worst direction, estimated and measured", \
        f"{worst['ms']:.0f} ms", f"≤ {MOST_MS} ms", worst["ms"] <= MOST_MS
    yield "CPU of one end", f"{worst['cpu']:.1f} %", f"≤ {MOST_CPU:g} % of a core", \
        worst["cpu"] <= MOST_CPU
    if floor:
        yield "the floor: the least that an end can do with on this machine, now", \
            f"{max(row['cpu_percent'] for row in floor):.1f} %", "", None


def whole(value):
    return "–" if value is None else f"{value:.0f}"


FLOOR = """
## CPU, and the least of it

The floor is another program, tests/bench/call_floor.c, run after the call of `auto`: both ends say what they said in
that call, with the last settings of its encoder, over one TCP connection of the loopback interface. Each wakes up
for every frame of 20 ms, which it encodes and sends with one send(), and for what comes, which one recv() takes and
Opus decodes. It has no playout, conceals nothing, and knows nothing of LiveTCP: no telephone of two directions does
less on this machine.

"""


def describe_cpu(rows, floor):
    def mean(of, name):
        return statistics.fmean(row[name] for row in of)

    def rate(name):
        return f"{sum(row[name] for row in floor) / sum(row['seconds'] for row in floor):.0f}"

    lines = [(f"a call, `{scheme}`", f"{mean(of, 'cpu_percent'):.2f} %", "", "", "")
             for scheme in SCHEMES if (of := [row for row in rows if row["scheme"] == scheme])]
    lines.append(("floor", f"{mean(floor, 'cpu_percent'):.2f} %", f"{mean(floor, 'opus_percent'):.2f} %",
                  rate("wakeups"), f"{rate('sent')}, {rate('decoded')}"))
    return FLOOR + markdown(["", "CPU of a core, mean of the ends", "of it Opus", "wake-ups a second",
                             "packets a second, sent and decoded"], lines)


def describe(rows, floor, checked, circumstances):
    text = (f"# A telephone call\n\n{circumstances}\n\nTwo processes of samples/voip_call, recorded "
            f"speech both ways, `{PATH}` in both directions (round trip {RTT} ms, of which "
            f"{RTT // 2} ms are in every mouth-to-ear delay). Estimated: by the program, mean of its "
            "seconds. Measured: speech that was heard against speech that was said, in the "
            "recordings, pieces of "
            f"{SEGMENT // 1000} s. Late: packets that were not there when they were to be played; filled: "
            "from their copy in the next one (Opus' in-band FEC); the rest is concealed. No device and no echo "
            "canceller: files are spoken, and heard by nobody.\n\n")
    text += markdown(
        ["policy", "seed", "heard by", "mouth to ear, estimated ms", "measured ms (median, most)",
         "now: speaking + path + waiting + playout + loudspeaker", "packets", "late", "filled", "concealed", "MOS",
         "CPU"],
        [(r["scheme"], r["seed"], r["listener"], f"{r['mouth_to_ear_ms']:.0f}",
          f"{whole(r['measured_ms'])} ({whole(r['measured_median_ms'])}, "
          f"{whole(r['measured_max_ms'])})",
          " + ".join(f"{r[leg + '_ms']:.0f}" for leg in ("speaking", "path", "waiting", "playout",
                                                         "hearing")),
          r["played"] + r["late"] + r["lost"], r["late"] + r["lost"], r["corrected"], f"{r['concealed_percent']:.2f} %",
          f"{r['mos']:.2f}", f"{r['cpu_percent']:.1f} %") for r in rows])
    if floor:
        text += describe_cpu(rows, floor)
    return text + f"\n## What `{CHECKED}` must show\n\n" + markdown(
        ["", "measured", "wanted", ""],
        [(what, measured, wanted, WORDS[passed]) for what, measured, wanted, passed in checked])


def run(bench, options):
    seconds = options.seconds or (20 if options.quick else 60)
    seeds = options.seeds or 1
    program, floor_program = find_program(bench), build_floor(bench)
    bench.left = seeds * (len(SCHEMES) * (seconds + 15) + (seconds if floor_program else 0))
    rows, floor = [], []
    for scheme in SCHEMES:
        for seed in range(1, seeds + 1):
            measured = list(measure(bench, program, scheme, seconds, seed))
            rows += measured
            bench.left -= seconds + 15
            if scheme == CHECKED and floor_program:
                floor += measure_floor(bench, floor_program, measured, seconds, seed)
                bench.left -= seconds
    checked = list(check(rows, floor))
    bench.write_csv("call.csv", rows)
    bench.write_json("call.json", {"circumstances": bench.circumstances(), "rows": rows,
                                   "floor": floor,
                                   "verdicts": [dict(zip(("what", "measured", "wanted", "passed"), v))
                                                for v in checked]})
    bench.write("call.md", describe(rows, floor, checked, bench.circumstances()))
    return 0 if all(passed is not False for *_, passed in checked) else 1
