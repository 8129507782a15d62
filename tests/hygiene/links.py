#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the documentation's relative links lead somewhere, headings included.

usage: links.py [--root DIR]
"""

import argparse
import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*?)\s*$", re.M)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)


def documents(root):
    yield from sorted(root.glob("*.md"))
    for folder in ("docs", "src", "plugins", "samples", "tests"):
        yield from sorted((root / folder).rglob("*.md"))


def anchors(path):
    """The fragments a heading can be reached by, as GitHub and GitLab make them."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in HEADING.findall(text)}


def check(root):
    problems = []
    for path in documents(root):
        text = FENCE.sub("", path.read_text(encoding="utf-8"))
        for link in LINK.findall(text):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, fragment = link.partition("#")
            target = path.parent / name if name else path
            where = path.relative_to(root).as_posix()
            if not target.exists():
                problems.append(f"{where}: {link} leads nowhere")
            elif fragment and target.suffix == ".md" and fragment not in anchors(target):
                problems.append(f"{where}: {link}: no such heading")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    problems = check(parser.parse_args().root)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
