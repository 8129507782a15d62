# SPDX-License-Identifier: MIT
"""The demonstration's page in a browser: its charts are drawn, answer, and ask no network. Needs
chromium; skipped without."""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import common
import test_report

sys.path.insert(0, str(common.ROOT / "tests" / "report"))
import browser  # noqa: E402


def make_page(folder):
    rng = random.Random(20)
    sent = test_report.make_sent(rng)
    common.write_trace(folder / "sent.csv", sent)
    common.write_trace(folder / "plain.csv", test_report.make_received(rng, sent, 0, 1_500_000))
    common.write_trace(folder / "livetcp.csv", test_report.make_received(rng, sent, 0.01, 90_000))
    (folder / "run.json").write_text(json.dumps({
        "stop_us": 99_000_000, "legs": {"plain": "plain </script> TCP", "livetcp": "LiveTCP"},
        "propagation_ms": 50, "loss": 0.02, "bitrate_kbit": 1500, "congestion_control": "reno",
        "path": "A path.", "facts": {"Command": "a & b"}}), encoding="utf-8")
    subprocess.run([sys.executable, common.DEMO / "report.py", folder], check=True,
                   stdout=subprocess.DEVNULL)
    page = folder / "report.html"
    script = (common.ROOT / "tests" / "report" / "inspect.js").read_text(encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("<style>", f"<script>{script}</script><style>", 1),
                    encoding="utf-8")
    return page


def check(found, width):
    assert found["errors"] == [] and found["problems"] == "", found
    assert found["requests"] == [] and not found["overflow"], (width, found)
    figures = found["figures"]
    assert [f["id"] for f in figures] == ["time-0", "time-1", "later-0", "later-1"], figures
    for figure in figures:
        assert figure["drawn"] == 2 and figure["ink"]["pixels"] > 500, figure
        assert figure["legend"] == ["plain </script> TCP", "LiveTCP"], figure
    assert figures[2]["sentence"].startswith("95 of 100 frames arrive within "), figures[2]
    assert all(found["hovered"]) and found["hiding"]["after"] != found["hiding"]["before"], found
    for unit in ("Mb/s", "Mbit/s"):
        assert unit not in found["text"], unit


def main():
    if not browser.PROGRAM:
        common.skip("there is no chromium; script/bootstrap installs it")
    with tempfile.TemporaryDirectory() as folder, browser.Browser(common.PATIENCE_S) as program:
        page = make_page(pathlib.Path(folder))
        for width in (1280, 390):
            visit = program.visit(page.as_uri(), width, "inspected")
            found = json.loads(visit.reported)
            found["requests"] += [address for address in visit.requests
                                  if address != page.as_uri() and not address.startswith("data:")]
            check(found, width)


if __name__ == "__main__":
    main()
