#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what every file owes: a licence line, a bearable length, and nothing left to do.

usage: files.py [--root DIR]

A source file above 500 lines fails, one above 350 is mentioned.
"""

import argparse
import pathlib
import re
import sys

LICENCE = "SPDX-License-Identifier: MIT"
MOST_LINES, MANY_LINES = 500, 350
LIMITED = ("src", "include", "plugins", "samples", "demo")
CODE = (".c", ".h", ".cc", ".cpp", ".hpp")
LEFT_OVER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|^(<<<<<<<|>>>>>>>) ", re.M)


def files(root):
    """Every file that somebody wrote as code: sources, and scripts by their first line."""
    for folder in LIMITED + ("tests", "script", ".ci"):
        for path in sorted((root / folder).rglob("*")):
            if not path.is_file() or "__pycache__" in path.parts:
                continue
            if path.suffix in CODE + (".py", ".sh"):
                yield path
            else:
                with path.open("rb") as stream:
                    if stream.read(2) == b"#!":
                        yield path


def judge(root, path):
    """(problems, remarks) about one file."""
    where = path.relative_to(root).as_posix()
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    problems, remarks = [], []
    if path.suffix in CODE:
        if not lines or lines[0] != f"/* {LICENCE} */":
            problems.append(f"{where}:1: the first line is not /* {LICENCE} */")
    elif f"# {LICENCE}" not in lines[:2]:
        problems.append(f"{where}:1: no '# {LICENCE}' in the first two lines")
    if path.suffix in CODE and where.split("/")[0] in LIMITED:
        if len(lines) > MOST_LINES:
            problems.append(f"{where}: {len(lines)} lines, at most {MOST_LINES}: split it")
        elif len(lines) > MANY_LINES:
            remarks.append(f"{where}: {len(lines)} lines; think about splitting it")
    if path.name not in ("files.py", "test_files.py"):
        for match in LEFT_OVER.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            problems.append(f"{where}:{line}: '{match.group(0).strip()}' left in the code")
    return problems, remarks


def check(root):
    problems, remarks, count = [], [], 0
    for path in files(root):
        bad, remark = judge(root, path)
        problems += bad
        remarks += remark
        count += 1
    if count == 0:
        problems.append(f"{root}: no source file found; nothing was checked")
    return problems, remarks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    problems, remarks = check(parser.parse_args().root)
    for line in remarks + problems:
        print(line)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
