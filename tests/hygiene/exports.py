#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what the shared library exports: livetcp_* only, and each of it declared in a header.

usage: exports.py LIBRARY INCLUDE-DIR...
"""

import pathlib
import re
import subprocess
import sys


def exported(library):
    out = subprocess.run(["nm", "--dynamic", "--defined-only", "--extern-only", "--format=posix",
                          library], check=True, capture_output=True, text=True).stdout
    return {line.split()[0].split("@")[0] for line in out.splitlines() if line.strip()}


def declared(include):
    """Names of the functions that public headers declare with LIVETCP_API."""
    names = set()
    for header in sorted(pathlib.Path(include).rglob("*.h")):
        text = re.sub(r"/\*.*?\*/", " ", header.read_text(encoding="utf-8"), flags=re.S)
        names |= set(re.findall(r"\bLIVETCP_API\b[^;{(]*?\b(\w+)\s*[(;\[]", text))
    return names


def judge(symbols, names):
    problems = [f"{name} is exported and is not livetcp_*" for name in sorted(symbols)
                if not name.startswith("livetcp_")]
    problems += [f"{name} is exported and no public header declares it"
                 for name in sorted(symbols - names) if name.startswith("livetcp_")]
    if not symbols:
        problems.append("the library exports nothing")
    return problems


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    problems = judge(exported(sys.argv[1]), set().union(*map(declared, sys.argv[2:])))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
