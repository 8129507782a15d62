#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the documentation's relative links lead somewhere, headings included, and so do the
files of this project that documents name in `code`, and the documents that sources mention.

usage: links.py [--root DIR]
"""

import argparse
import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*?)\s*$", re.M)
NAMED = re.compile(r"`((?:cmake|demo|docs|include|plugins|samples|script|src|tests)/[^\s`]*)`")
MENTIONED = re.compile(r"(?<![\w./-])docs/[\w./-]*\.md(?:#[\w-]+)?")
CODE = ("CMakeLists.txt", ".cmake", ".c", ".h", ".cc", ".py", ".js", ".sh", ".json", ".txt", ".in")
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


def leads(target, fragment):
    """What is wrong with a link to a heading of a file, or None."""
    if not target.exists():
        return "leads nowhere"
    if fragment and target.suffix == ".md" and fragment not in anchors(target):
        return "no such heading"
    return None


def check_document(root, path):
    where = path.relative_to(root).as_posix()
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    for link in LINK.findall(text):
        if not re.match(r"[a-z]+:", link):
            name, _, fragment = link.partition("#")
            why = leads(path.parent / name if name else path, fragment)
            if why:
                yield f"{where}: {link}: {why}"
    for name in NAMED.findall(text) if where != "CHANGELOG.md" else ():
        if not any(root.glob(name.split(":")[0].rstrip("/"))):
            yield f"{where}: there is no {name}"


def sources(root):
    for folder in ("demo", "include", "plugins", "samples", "script", "src", "tests"):
        for path in sorted((root / folder).rglob("*")):
            # Headers of earlier versions stay as they were.
            left_out = {"hygiene", "corpus", "headers-0.1", "headers-0.2"} & set(path.parts)
            if path.is_file() and not left_out and (
                    path.name.endswith(CODE) or path.suffix == ""):
                yield path


def check_source(root, path):
    text = path.read_bytes().decode("utf-8", errors="replace")
    for match in MENTIONED.finditer(text):
        name, _, fragment = match.group().partition("#")
        why = leads(root / name, fragment)
        if why:
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path.relative_to(root).as_posix()}:{line}: {match.group()}: {why}"


def check(root):
    return [problem for path in documents(root) for problem in check_document(root, path)] + [
        problem for path in sources(root) for problem in check_source(root, path)]


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
