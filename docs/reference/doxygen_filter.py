#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Doxygen's input filter: makes the headers' plain comments visible to it. The headers stay as they
are.

usage: doxygen_filter.py HEADER

A comment before a declaration becomes one of Doxygen's, a comment behind one too, and the head
comment describes the file. A comment that stands by itself, and a heading as /* ---- data ---- */,
stay plain.
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


def filtered(header):
    head_seen = False

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
        return "/**" + escaped(text) + "*/"

    return COMMENT.sub(replace, header)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as stream:
        sys.stdout.write(filtered(stream.read()))
