#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the report generator on traces made here, and checks every number of the table and of
results.json against one computed from the same traces in another way, and the page for being
self-contained."""

import fractions
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import common

VIDEO_SSRC, AUDIO_SSRC = "00c0ffee", "0badcafe"
SECONDS = 6


def make_sent(rng):
    """A row for each packet: frames of 1 to 9 packets every 40 ms, sound every 20 ms."""
    rows, sequence = [], 65500  # wraps
    for frame in range(SECONDS * 25):
        for i in range(rng.randint(1, 9)):
            rows.append([frame * 40000 + i * 10 + 1_000_000, VIDEO_SSRC, sequence % 65536,
                         frame * 3600, 96, 0, 1400])
            sequence += 1
    for i in range(SECONDS * 50):
        rows.append([i * 20000 + 1_000_003, AUDIO_SSRC, i, i * 960, 97, 0, 80])
    return sorted(rows)


def make_received(rng, sent, lost, slow):
    rows = []
    for row in sent:
        if rng.random() >= lost:
            delay = 50000 + rng.expovariate(1 / 3000) + rng.choice((0,) * 9 + (slow,))
            rows.append([int(row[0] + delay)] + row[1:])
    return sorted(rows)


def exact_percentile(delays, percent):
    """The smallest delay that `percent` % of all do not exceed, by counting."""
    share = fractions.Fraction(str(percent)) / 100
    for candidate in sorted(set(delays)):
        if fractions.Fraction(sum(1 for d in delays if d <= candidate), len(delays)) >= share:
            return candidate
    raise AssertionError("unreachable")


def expected(units, arrived):
    """Percentiles, shares and counts for `units`: for each, when it was sent and the packets that
    it needs. Every unit here is either complete or lost; the traces end with what arrived."""
    delays, ready = [], 0
    for sent_us, needed, in_order in units:
        times = [arrived.get(packet) for packet in needed]
        if None in times:
            delays.append(math.inf)
        else:
            ready = max(times + ([ready] if in_order else []))
            delays.append((ready - sent_us) / 1000)
    finite = [d for d in delays if d < math.inf]
    numbers = {f"p{p}": exact_percentile(delays, p) for p in ("50", "90", "95", "99", "99.9")}
    numbers.update(max=max(delays), mean=math.fsum(finite) / len(finite), sent=len(delays),
                   lost=len(delays) - len(finite), on_its_way=0)
    for limit in (200, 500):
        numbers[f"within_{limit}"] = sum(1 for d in delays if d <= limit) / len(delays)
    return numbers


def identity(row):
    return tuple(row[1:4])


def expected_of_leg(sent, received):
    arrived = {}
    for row in received:
        arrived[identity(row)] = min(row[0], arrived.get(identity(row), math.inf))
    video = [row for row in sent if row[1] == VIDEO_SSRC]
    frames = {}
    for row in video:
        frames.setdefault(row[3], []).append(row)
    return {
        "packets": expected([(r[0], [identity(r)], False) for r in video], arrived),
        "sound": expected([(r[0], [identity(r)], False) for r in sent if r[1] == AUDIO_SSRC],
                          arrived),
        "frames": expected([(f[0][0], [identity(r) for r in f], True) for f in frames.values()],
                           arrived),
    }


def same(a, b):
    if b == math.inf:
        return a is None  # JSON has no infinity
    return a is not None and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def as_in_table(name, value):
    if name.startswith("within"):
        return f"{100 * value:.2f} %" if 0.9 <= value < 1 else f"{100 * value:.1f} %"
    if name in ("sent", "lost"):
        return f"{value:,}"
    if value == math.inf:
        return "lost"
    return f"{value:.1f} ms" if value < 1000 else f"{value:,.0f} ms"


def as_in_headline(value):
    return f"within {value:.0f} ms over" if value < 999.5 else f"within {value / 1000:.2f} s over"


LABELS = {"within_200": "within 200 ms", "within_500": "within 500 ms"}
HEADINGS = {"frames": "Video, per frame", "sound": "Sound, per packet",
            "packets": "Video, per packet"}


def table_of(text):
    """{heading: {label: cells}} of the printed table."""
    tables, current = {}, None
    for line in text.splitlines():
        for heading in HEADINGS.values():
            if line.startswith(heading):
                current = tables.setdefault(heading, {})
        if line.startswith("  ") and current is not None:
            current[line[2:22].strip()] = [line[22:38].strip(), line[38:54].strip()]
    return tables


def check_numbers(results, tables, wanted):
    checked = 0
    for position, (leg, streams) in enumerate(wanted.items()):
        for stream, numbers in streams.items():
            for name, value in numbers.items():
                got = results[leg][stream][name]
                assert same(got, value), (leg, stream, name, got, value)
                if name == "on_its_way":
                    continue
                cell = tables[HEADINGS[stream]][LABELS.get(name, name)][position]
                assert cell == as_in_table(name, value), (leg, stream, name, cell, value)
                checked += 1
    return checked


def check_failure(python, folder):
    (folder / "livetcp.csv").unlink()
    run = subprocess.run([python, common.DEMO / "report.py", folder], check=False,
                         capture_output=True, text=True)
    assert run.returncode == 1 and "livetcp.csv is missing" in run.stderr, run


def main():
    python = sys.executable
    rng = random.Random(20)
    sent = make_sent(rng)
    received = {"plain": make_received(rng, sent, 0, 1_500_000),
                "livetcp": make_received(rng, sent[:-40], 0.01, 90_000) + sent_on_time(sent[-40:])}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        common.write_trace(folder / "sent.csv", sent)
        for leg, rows in received.items():
            common.write_trace(folder / f"{leg}.csv", rows)
        (folder / "run.json").write_text(json.dumps({
            "stop_us": 99_000_000, "legs": {"plain": "plain TCP", "livetcp": "LiveTCP"},
            "propagation_ms": 50, "loss": 0.02, "bitrate_kbit": 1500,
            "congestion_control": "reno", "path": "A path <of> this test.",
            "facts": {"Command": "a & b"}}), encoding="utf-8")
        run = subprocess.run([python, common.DEMO / "report.py", folder], check=True,
                             capture_output=True, text=True)
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        wanted = {leg: expected_of_leg(sent, rows) for leg, rows in received.items()}
        checked = check_numbers(results, table_of(run.stdout), wanted)
        assert checked == 2 * 3 * 11, checked
        page = common.check_page(folder / "report.html", panels=2)
        text = "".join(page.text)
        assert "A path <of> this test." in text and "a & b" in text
        for leg in wanted:
            assert as_in_headline(wanted[leg]["frames"]["p95"]) in text, leg
        check_failure(python, folder)
    print(f"{checked} numbers are right")


def sent_on_time(rows):
    """The end of a trace arrives, so that what did not is lost and not on its way."""
    return [[row[0] + 51234] + row[1:] for row in rows]


if __name__ == "__main__":
    main()
