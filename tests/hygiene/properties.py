#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that docs/reference/properties.md has one row for each property that the elements have in
docs/reference/elements.md, and none for others.

usage: properties.py [--root DIR]
"""

import argparse
import pathlib
import re
import sys

ELEMENT = re.compile(r"^## `?(\w+)`?$", re.M)
PROPERTY = re.compile(r"^  ([a-z][\w-]*)\s*: (.*)$", re.M)
ROW = re.compile(r"^\| `([\w-]+)` \| ([SRP ]+) \|", re.M)
LETTERS = {"livetcpsink": "S", "livetcpsrc": "R", "livetcpplayout": "P"}
# Of GstObject, GstBaseSink, GstBaseSrc and GstPushSrc.
INHERITED = {"name", "parent", "async", "blocksize", "enable-last-sample", "last-sample",
             "max-bitrate", "max-lateness", "processing-deadline", "qos", "render-delay", "sync",
             "throttle-time", "ts-offset", "do-timestamp", "num-buffers", "typefind"}


def properties_of(text):
    """Property -> letters of the elements that have it; former names are left out."""
    found = {}
    parts = ELEMENT.split(text)
    for element, body in zip(parts[1::2], parts[2::2]):
        listed = body.partition("Element Properties:")[2].partition("Element Signals:")[0]
        for name, blurb in PROPERTY.findall(listed):
            if name not in INHERITED and not blurb.startswith("Former name of"):
                found[name] = found.get(name, "") + LETTERS[element]
    return found


def check(root):
    have = properties_of((root / "docs/reference/elements.md").read_text(encoding="utf-8"))
    page = (root / "docs/reference/properties.md").read_text(encoding="utf-8")
    problems = ["elements.md has no properties"] if not have else []
    rows = {}
    for name, letters in ROW.findall(page):
        if name in rows:
            problems.append(f"{name} has two rows")
        rows[name] = letters.replace(" ", "")
    for name in sorted(have.keys() | rows.keys()):
        if name not in rows:
            problems.append(f"{name} has no row")
        elif name not in have:
            problems.append(f"no element has {name}")
        elif sorted(have[name]) != sorted(rows[name]):
            problems.append(f"{name} is of {have[name]}, and the row says {rows[name]}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    problems = check(parser.parse_args().root)
    for problem in problems:
        print("docs/reference/properties.md:", problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
