#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that a library needs no libuv, socket, clock or thread: what LIVETCP_IO=OFF builds.

usage: sans_io.py ARCHIVE

ARCHIVE is a static library. What its objects call and none of them defines is judged by the lists
in rules.py for pure code.
"""

import subprocess
import sys

import layering


def symbols(archive, flag):
    """(object, symbol) of an archive."""
    out = subprocess.run(["nm", "--print-file-name", "--extern-only", flag, "--format=posix",
                          archive], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        place, separator, symbol = line.rpartition(": ")
        if separator:
            yield place, symbol.split()[0]


def check(archive):
    defined = {symbol for _, symbol in symbols(archive, "--defined-only")}
    problems = [f"{place}: calls {symbol}: {layering.forbidden_call(symbol)}"
                for place, symbol in symbols(archive, "--undefined-only")
                if symbol not in defined and layering.forbidden_call(symbol)]
    problems += [f"{archive}: defines {symbol}, which needs sockets" for symbol in sorted(defined)
                 if symbol.startswith(("livetcp_context_", "livetcp_session_", "livetcp_listener_"))]
    if "livetcp_engine_create" not in defined:
        problems.append(f"{archive}: there is no engine in it; nothing was checked")
    return problems


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    problems = check(sys.argv[1])
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
