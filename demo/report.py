#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns the traces of a run into a table, results.json, and one self-contained page, report.html.

usage: report.py DIRECTORY

The directory holds sent.csv, a trace for each leg, and run.json, which says how the traces were
made.
"""

import html
import json
import math
import pathlib
import re
import sys

import measure
import table

HERE = pathlib.Path(__file__).resolve().parent
# The style and the charts are those of livetcp report.
PARTS = HERE.parent / "src" / "lab" / "report" / "page"
UPLOT = HERE.parent / "third_party" / "uplot"
SCRIPTS = ("dom.js", "format.js", "theme.js", "curves.js", "labels.js", "chart.js", "bench.js")
PANELS = (("Video, per frame", "frames", "frames"), ("Sound, per packet", "sound", "packets"))
POINTS = 1500  # of a curve; more would not be seen


class ReportError(Exception):
    """The traces are unusable; the text has the reason."""


def sent_trace(directory, leg):
    """The packets sent over a leg: a trace of its own if it has its own encoder."""
    own = directory / f"sent-{leg}.csv"
    return own if own.exists() else directory / "sent.csv"


def encoder_rates(directory):
    """The bit rates that LiveTCP's encoder was set to, in kbit/s, one after the other."""
    try:
        lines = (directory / "encoder.csv").read_text(encoding="ascii").splitlines()[1:]
    except FileNotFoundError:
        return []
    return [int(line.split(",")[1]) for line in lines]


def encoder_note(run, directory):
    """Says that LiveTCP's encoder adapts, and its range: the pictures differ then."""
    rates = encoder_rates(directory)
    if not run.get("adapt") or not rates:
        return ""
    changes = len(rates) - 1
    went = (f"it was lowered to {min(rates):,} kbit/s, is at {rates[-1]:,} kbit/s in the end, and "
            f"changed {changes} times" if min(rates) < run["bitrate_kbit"] else
            "here it never had to go lower")
    return (f"LiveTCP's encoder adapts: it follows the bit rate that LiveTCP estimates, from "
            f"{run['bitrate_kbit']:,} kbit/s downwards; {went}. Plain TCP's encoder stays at "
            f"{run['bitrate_kbit']:,} kbit/s.")


def load(directory):
    """(run, titles of the legs, their measure.Leg)."""
    try:
        run = json.loads((directory / "run.json").read_text(encoding="utf-8"))
        sent = {name: measure.read_sent(sent_trace(directory, name)) for name in run["legs"]}
        legs = [measure.Leg(sent[name], measure.read_arrivals(directory / f"{name}.csv"),
                            run["stop_us"]) for name in run["legs"]]
    except FileNotFoundError as error:
        raise ReportError(f"{error.filename} is missing: {directory} is not the directory of a "
                          "run that came to its end") from error
    except (KeyError, ValueError, TypeError) as error:
        raise ReportError(f"a trace in {directory} is damaged: {error!r}") from error
    for name, packets in sent.items():
        if not packets:
            raise ReportError(f"{sent_trace(directory, name)} has no packets: nothing was sent")
    return run, list(run["legs"].values()), legs


def plain_json(value):
    """JSON has no infinity: an infinite delay becomes null."""
    if isinstance(value, dict):
        return {key: plain_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_json(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return None
    return value


def headline(titles, results):
    """The headline: p95 of the frames, or of the sound without pictures."""
    for stream, what in (("frames", "frames of video could be shown"),
                         ("sound", "packets of sound had come")):
        numbers = [result[stream] for result in results]
        if None in numbers or len(numbers) < 2:
            continue
        values = [table.delay_cell(n, "p95", short=True) for n in numbers]
        return (f"95 of 100 {what} within {values[1]} over {titles[1]}, "
                f"within {values[0]} over {titles[0]}.")
    return "What the traces say."


def mathis_bit_rate(mss, rtt_s, loss):
    """Mathis et al. 1997, eq. 3, with C = sqrt(3/2): what one Reno connection carries, in bit/s."""
    return mss * 8 / rtt_s * math.sqrt(1.5 / loss)


def capacity_note(run):
    """The capacity of a single connection on this path, where theory gives one."""
    loss, rtt_s = run["loss"], 2 * run["propagation_ms"] / 1e3
    if run["congestion_control"] != "reno" or loss <= 0 or rtt_s <= 0:
        return ""
    capacity = mathis_bit_rate(1448, rtt_s, loss)
    rate = run["bitrate_kbit"] * 1e3 * 1.03 + 40e3
    verdict = ("less than the programme needs, so the delay of a single connection grows for as "
               "long as the programme lasts" if capacity < rate else
               "enough for the programme on average, but not after every loss")
    return (f"One Reno connection on this path carries about {capacity / 1e3:,.0f} kbit/s "
            f"(Mathis et al. 1997): {verdict}. The programme needs about {rate / 1e3:,.0f} kbit/s.")


def thin(samples):
    """At most POINTS (time, delay) pairs: the largest delay of each bin, so that all peaks are kept."""
    points = [(s.at_s, s.delay_ms) for s in samples if s.state == s.ARRIVED]
    if len(points) <= POINTS:
        return points
    size = len(points) / POINTS
    bins = [points[int(i * size):int((i + 1) * size)] for i in range(POINTS)]
    return [max(b, key=lambda point: point[1]) for b in bins if b]


def share_later(samples):
    """Points (delay, share of samples that took longer), for a step curve. Packets that never arrived
    count as later than all others."""
    arrived = sorted(s.delay_ms for s in samples if s.state == s.ARRIVED)
    total = len(samples)
    points = [(delay, (total - i - 1) / total) for i, delay in enumerate(arrived)]
    if len(points) > POINTS:  # keeps every point of the tail
        head = points[:-POINTS // 2]
        points = head[::max(1, len(head) * 2 // POINTS)] + points[-POINTS // 2:]
    return [(arrived[0], 1.0)] + points if arrived else []


def charts(run, titles, legs, results):
    """Data for the page's script."""
    panels = []
    for name, stream, unit in PANELS:
        streams = [getattr(leg, stream) for leg in legs]
        if not any(streams):
            continue
        panels.append({
            "name": name, "unit": unit,
            "p95_ms": [result[stream] and result[stream]["p95"] for result in results],
            "streams": [{"over_time": thin(samples), "later": share_later(samples)}
                        for samples in streams]})
    return {"titles": titles, "propagation_ms": run["propagation_ms"], "panels": panels}


def embedded_json(value):
    """JSON for a script element: it cannot contain the element's end tag."""
    return json.dumps(plain_json(value)).replace("<", "\\u003c")


def read_part(path):
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ReportError(f"no page was drawn: {error}: demo/ needs the tree it is in") from error


def write_page(directory, run, titles, legs, results):
    facts = "\n".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(str(value))}</dd>"
                      for name, value in run["facts"].items())
    parts = {
        "headline": html.escape(headline(titles, results)),
        "path": html.escape(" ".join(filter(None, (run["path"], capacity_note(run),
                                                   encoder_note(run, directory))))),
        "tables": table.as_html(titles, results),
        "facts": facts,
        "css": read_part(PARTS / "report.css"),
        "uplot_css": read_part(UPLOT / "uPlot.min.css"),
        "uplot_js": read_part(UPLOT / "uPlot.iife.min.js"),
        "js": "\n".join([*(read_part(PARTS / "report" / name) for name in SCRIPTS),
                         read_part(HERE / "report.js")]),
        "data": embedded_json(charts(run, titles, legs, results)),
    }
    page = re.sub("@([a-z_]+)@", lambda found: parts[found[1]],
                  read_part(HERE / "report.template.html"))
    target = directory / "report.html"
    target.write_text(page, encoding="utf-8")
    return target


def write_report(directory):
    """Writes results.json and report.html. Returns (text of the table, path of the page)."""
    run, titles, legs = load(directory)
    results = [leg.numbers() for leg in legs]
    (directory / "results.json").write_text(
        json.dumps(plain_json(dict(zip(run["legs"], results))), indent=2) + "\n", encoding="utf-8")
    page = write_page(directory, run, titles, legs, results)
    text = table.as_text(titles, results)
    notes = [note for note in (capacity_note(run), encoder_note(run, directory)) if note]
    return "\n\n".join([text, *notes]), page


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    try:
        text, page = write_report(pathlib.Path(sys.argv[1]))
    except (ReportError, OSError) as error:
        sys.exit(f"report: {error}")
    print(text)
    print(f"\n{page}")


if __name__ == "__main__":
    main()
