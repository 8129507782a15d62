#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A short run of the whole demonstration over the emulated path: packets come over every leg, and
a self-contained page is written. How late they come is for people to look at, not for a test."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import common

SECONDS = 10


def have_path(build):
    """Whether an emulated path can be made here."""
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as error:
        common.skip(f"/dev/net/tun cannot be opened: {error.strerror}")
    probe = subprocess.run([str(build / "src/tool/livetcp"), "emulate", "--quiet", "--", "true"],
                           check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if probe.returncode != 0:
        common.skip(f"no emulated path can be made here: {probe.stderr.strip()}")


def check(output, legs):
    results = json.loads((output / "results.json").read_text(encoding="utf-8"))
    assert sorted(results) == sorted(legs), results.keys()
    for leg in legs:
        frames, sound = results[leg]["frames"], results[leg]["sound"]
        assert frames["sent"] == SECONDS * 25, (leg, frames)
        assert SECONDS * 50 - 5 <= sound["sent"] <= SECONDS * 50 + 5, (leg, sound)
        assert frames["arrived"] > 0 and sound["arrived"] > 0, (leg, frames, sound)
        if frames["on_its_way"] == 0 and frames["lost"] == 0:
            assert frames["p50"] >= 30, (leg, "faster than the path", frames)
    received = json.loads((output / "received").read_text(encoding="utf-8"))
    for leg in legs:
        assert 0 < received[leg]["video"] <= SECONDS * 25 and received[leg]["audio"] > 0, received
    page = common.check_page(output / "report.html", panels=2)
    assert any("encoder adapts" in text for text in page.text), "the page hides that one adapts"
    rates = [line.split(",")[1] for line in (output / "encoder.csv").read_text().splitlines()]
    assert rates[:2] == ["kbit", "300"] and all(150 <= int(rate) <= 300 for rate in rates[1:]), rates
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    python = sys.executable
    have_path(options.build)
    legs = ["plain", "livetcp"]
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "out"
        programme = common.make_programme(folder)
        run = subprocess.run(
            common.demo_command(python, options.build, programme, "--duration", SECONDS, "--delay",
                                "30ms", "--loss", "1%", "--bitrate", 300, "--output", output),
            check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr
        assert "\x1b" not in run.stdout and "\r" not in run.stdout, "not a terminal"
        assert str(output / "report.html") in run.stdout, run.stdout
        results = check(output, legs)
        assert common.left_behind(str(output)) == []
    for leg in legs:
        frames = results[leg]["frames"]
        print(f"{leg}: {frames['arrived']} of {frames['sent']} frames")


if __name__ == "__main__":
    main()
