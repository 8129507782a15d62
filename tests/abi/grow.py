#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a copy of the public headers from a future in which every struct that can grow has grown.

usage: grow.py INCLUDE-DIR VERSION-H OUTPUT-DIR
"""

import pathlib
import re
import sys

STRUCT = re.compile(r"typedef struct (\w+) \{\n.*?\n\} \1;", re.S)
# Eight bytes wide, so that it cannot hide in the padding at the end of the struct.
GROWN = "    unsigned long long grown[8];\n"
# Without struct_size: policies are given an array of these with its stride.
STRIDED = {"livetcp_path"}


def grow(text):
    """The header with its grown structs, and their names."""
    names = []

    def one(match):
        name, struct = match.group(1), match.group(0)
        first = re.search(r"\{\s*(?:/\*.*?\*/\s*)*size_t struct_size;", struct, re.S)
        if not first and name not in STRIDED:
            return struct
        names.append(name)
        end = struct.rindex("}")
        return struct[:end] + GROWN + struct[end:]

    return STRUCT.sub(one, text), names


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    include, version, output = map(pathlib.Path, sys.argv[1:])
    grown = []
    for header in sorted((include / "livetcp").glob("*.h")) + [version]:
        text, names = grow(header.read_text(encoding="utf-8"))
        grown += names
        target = output / "livetcp" / header.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    missing = sorted(STRIDED - set(grown))
    if missing or len(grown) < 20:
        print(f"grow.py: only {len(grown)} structs have grown; not {missing}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
