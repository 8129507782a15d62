#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Doxygen's input filter: makes the headers' plain comments visible to it. The headers stay as they
are.

usage: doxygen_filter.py HEADER

A comment before a declaration becomes one of Doxygen's, a comment behind one too, and the head
comment describes the file. A comment before several functions without a blank line between them
is for all of them. A comment that stands by itself, and a heading as /* ---- data ---- */, stay plain.
"""

import re
import sys

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
SPECIAL = re.compile(r"([\\@#<>%&*])")


def escaped(text):
    """Text without what Doxygen and Markdown read as a command. Line starts and code stay."""
    lines = [re.match(r"(\s*\*? ?)(.*)", line, re.S).groups() for line in text.split("\n")]
    return "\n".join(start + (rest if rest.startswith("    ") else SPECIAL.sub(r"\\\1", rest))
                     for start, rest in lines)


def block_end(header, start):
    """Where the declarations from `start` to the next blank line end, if they are several functions;
    None otherwise."""
    end = header.find("\n\n", start)
    end = len(header) if end < 0 else end + 1
    block = header[start:end]
    if not block.startswith("\nLIVETCP_") or len(re.findall(r"^(?:LIVETCP_\w*API\b|#define)", block,
                                                           re.M)) < 2:
        return None
    return end


def filtered(header):
    head_seen = False
    ends = []

    def replace(match):
        nonlocal head_seen
        text = match.group(1)
        before = header[header.rfind("\n", 0, match.start()) + 1:match.start()].strip()
        after = header[match.end():]
        if "SPDX-License-Identifier" in text or text.strip().startswith("----"):
            return match.group(0)
        if not head_seen and not before:
            head_seen = True
            return "/** @file\n *" + escaped(text) + "*/"
        if re.fullmatch(r"struct \w+;", before):
            return match.group(0)
        if before and (not before.startswith("#") or before.startswith("#define")):
            return "/**<" + escaped(text) + "*/"
        if before or re.match(r"[ \t]*\n[ \t]*(\n|$)", after):
            return match.group(0)
        end = block_end(header, match.end())
        if end:
            ends.append(end)
            return "/**@{*/ /**" + escaped(text) + "*/"
        return "/**" + escaped(text) + "*/"

    out, last = [], 0
    for match in COMMENT.finditer(header):
        while ends and ends[0] <= match.start():
            out += [header[last:ends[0]], "/**@}*/"]
            last = ends.pop(0)
        out += [header[last:match.start()], replace(match)]
        last = match.end()
    for end in ends:
        out += [header[last:end], "/**@}*/"]
        last = end
    return "".join(out) + header[last:]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as stream:
        sys.stdout.write(filtered(stream.read()))
