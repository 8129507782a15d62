#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every file begins with its licence, that nothing is left to do in it, and that the
elements print no caps but by gst_livetcp_caps_describe(): caps have keys in them.

usage: files.py [--root DIR]
"""

import argparse
import pathlib
import re
import sys

LICENCE = "SPDX-License-Identifier: MIT"
FOLDERS = ("src", "include", "plugins", "samples", "demo", "tests", "script", ".ci")
CODE = (".c", ".h", ".cc", ".cpp", ".hpp")
LEFT_OVER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|^(<<<<<<<|>>>>>>>) ", re.M)
# What would print them whole, a structure or an object with them in it.
WHOLE_CAPS = re.compile(r"GST_PTR_FORMAT|\bgst_caps_(?:to_string|serialize)\b")


def files(root):
    """Every file that somebody wrote as code: sources, and scripts by their first line."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if not path.is_file() or "__pycache__" in path.parts:
                continue
            if path.suffix in CODE + (".py", ".sh"):
                yield path
            else:
                with path.open("rb") as stream:
                    if stream.read(2) == b"#!":
                        yield path


def problems_of(root, path):
    """Problems of one file."""
    where = path.relative_to(root).as_posix()
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    problems = []
    if path.suffix in CODE:
        if not lines or lines[0] != f"/* {LICENCE} */":
            problems.append(f"{where}:1: the first line is not /* {LICENCE} */")
    elif f"# {LICENCE}" not in lines[:2]:
        problems.append(f"{where}:1: no '# {LICENCE}' in the first two lines")
    if path.name not in ("files.py", "test_files.py"):
        for match in LEFT_OVER.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            problems.append(f"{where}:{line}: '{match.group(0).strip()}' left in the code")
    if where.startswith("plugins/"):
        for match in WHOLE_CAPS.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            problems.append(f"{where}:{line}: {match.group(0)} may print a key: use "
                            "gst_livetcp_caps_describe()")
    return problems


def check(root):
    problems, count = [], 0
    for path in files(root):
        problems += problems_of(root, path)
        count += 1
    if count == 0:
        problems.append(f"{root}: no source file found; nothing was checked")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    problems = check(parser.parse_args().root)
    for line in problems:
        print(line)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
