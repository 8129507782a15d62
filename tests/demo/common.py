# SPDX-License-Identifier: MIT
"""What the tests of the demonstration share."""

import csv
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO = ROOT / "demo"
SKIPPED = 77
PATIENCE_S = 600  # for what hangs
GONE_S = 30  # for what is ending to have ended
HEADER = ["time_us", "ssrc", "sequence", "timestamp", "payload_type", "marker", "size"]

sys.path.insert(0, str(DEMO))


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def write_trace(path, rows):
    with open(path, "w", newline="", encoding="ascii") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        writer.writerows(rows)


class Page(html.parser.HTMLParser):
    """What a page refers to, and what it contains."""

    REFERRING = ("src", "href", "xlink:href", "srcset", "action", "data", "poster")
    LOADING = ("link", "img", "iframe", "object", "embed", "video", "audio", "base")

    def __init__(self, text):
        super().__init__()
        self.references, self.tags, self.ids, self.text = [], [], [], []
        self.styles = []
        self.scripts = {}  # by id, "" for those without
        self.within = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name in self.REFERRING:
                self.references.append(value)
            elif name == "id":
                self.ids.append(value)
            elif name == "style":
                self.styles.append(value)

        if tag in ("script", "style"):
            self.within = (tag, dict(attrs).get("id", ""))

    def handle_endtag(self, tag):
        if self.within and tag == self.within[0]:
            self.within = None

    def handle_data(self, data):
        if not self.within:
            self.text.append(data)
        elif self.within[0] == "style":
            self.styles.append(data)
        else:
            self.scripts[self.within[1]] = self.scripts.get(self.within[1], "") + data

    def problems(self):
        """Why the page would need anything but itself."""
        found = [f"<{tag}>" for tag in self.tags if tag in self.LOADING]
        found += [ref for ref in self.references if not ref.startswith("#")]
        style = "".join(self.text + self.styles)
        found += re.findall(r"@import[^;]*", style)
        found += [url for url in re.findall(r"url\(([^)]*)\)", style) if not url.startswith("#")]
        found += [f"id {i} twice" for i in set(self.ids) if self.ids.count(i) > 1]
        missing = {ref[1:] for ref in self.references if ref.startswith("#")} - set(self.ids)
        return found + [f"id {i} missing" for i in sorted(missing)]


def check_page(path, panels):
    """The page, and what its script draws."""
    page = Page(path.read_text(encoding="utf-8"))
    assert not page.problems(), page.problems()[:5]
    charts = json.loads(page.scripts["data"])
    assert len(charts["panels"]) == panels, charts["panels"]
    for panel in charts["panels"]:
        for stream in panel["streams"]:
            assert stream["over_time"] and stream["later"][0][1] == 1, panel["name"]
    return page


def make_programme(folder):
    """A programme of 2 s, so that it has to be looped, made here: no network, no recordings."""
    target = pathlib.Path(folder) / "programme.mkv"
    pipeline = (f"matroskamux name=mux ! filesink location={target} "
                "videotestsrc num-buffers=50 pattern=ball ! "
                "video/x-raw,format=I420,width=320,height=180,framerate=25/1 ! "
                "x264enc speed-preset=ultrafast key-int-max=25 bframes=0 ! h264parse ! queue ! mux. "
                "audiotestsrc num-buffers=50 samplesperbuffer=320 ! "
                "audio/x-raw,format=S16LE,rate=8000,channels=1 ! queue ! mux.")
    # Our own elements are not needed, and gst-launch-1.0 cannot load them in a sanitized build.
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("GST_")}
    run = subprocess.run(["gst-launch-1.0", "-q", *pipeline.split()], check=False, text=True,
                         stdin=subprocess.DEVNULL, capture_output=True, env=environment)
    assert run.returncode == 0, f"no programme can be encoded: {run.stderr.strip()}"
    return target


def demo_command(python, build, programme, *arguments):
    return [python, str(DEMO / "run.py"), "--build", str(build), "--programme", str(programme),
            *map(str, arguments)]


def processes_naming(text):
    """Processes that have `text` in their command line, but this one."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(
                    errors="replace")
            except OSError:
                continue
            if text in line:
                found.append(line)
    return found


def left_behind(text):
    """Processes that have `text` in their command line, and keep running.

    A sanitized program that is told to end while it looks for leaks is outlived, by an instant, by
    the process that looks for them: the runtime's own, which has the program's command line."""
    deadline = time.monotonic() + GONE_S
    while (found := processes_naming(text)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found
