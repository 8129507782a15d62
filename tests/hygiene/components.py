#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the table of the engine's components into docs/architecture.md, or checks it.

usage: components.py [--check] [--root DIR]

A component is a folder of src/engine. Its struct is lt_<folder>, its header <folder>.h, its unit
tests those in tests/unit/engine/<folder>/, and those beside that include one of its headers.
--check changes nothing, and fails when the table is out of date.
"""

import argparse
import pathlib
import re
import sys

DOCUMENT = "docs/architecture.md"
TABLE = re.compile(r"(?<=<!-- components: begin -->\n).*?(?=<!-- components: end -->)", re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)


def plain(path):
    """A source without comments, texts and lines of the preprocessor."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(encoding="utf-8"), flags=re.S)
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    text = re.sub(r'extern\s+""\s*\{', "", text)
    return re.sub(r"^[ \t]*#(.*\\\n)*.*$", "", text, flags=re.M)


def flat(text):
    """What stands outside of braces; each block is {}."""
    out, depth = [], 0
    for character in text:
        depth += character == "{"
        if depth == 0 or (depth == 1 and character == "{"):
            out.append(character)
        if character == "}":
            if depth == 1:
                out.append("}")
            depth -= depth > 0
    return "".join(out)


def block(text, start):
    """The inside of the braces that open at `start`."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return text[start + 1:position]
    return text[start + 1:]


def fields(paths, name):
    """How many members struct `name` has, or None if no file defines it."""
    for path in paths:
        text = plain(path)
        found = re.search(rf"\bstruct\s+{name}\s*\{{", text)
        if found:
            members = flat(block(text, found.end() - 1)).split(";")
            return sum(len(re.sub(r"\([^()]*\)", "", member).split(","))
                       for member in members if member.strip())
    return None


def functions(header, prefix):
    """Functions that a header declares, or None without a header."""
    if not header.exists():
        return None
    statements = re.split(r";|\{\}", flat(plain(header)))
    return sum(1 for statement in statements
               if "typedef" not in statement and re.search(rf"\b{prefix}\w+\s*\(", statement))


def includes(path):
    """Names that a test includes, also through headers beside it."""
    todo, seen, names = [path], set(), set()
    while todo:
        current = todo.pop()
        for name in INCLUDE.findall(current.read_text(encoding="utf-8")):
            names.add(name)
            beside = current.parent / name
            if beside.is_file() and beside not in seen:
                seen.add(beside)
                todo.append(beside)
    return names


def unit_tests(root, component):
    folder = root / "tests/unit/engine"
    own = sorted((folder / component).glob("*.cc"))
    own += [path for path in sorted(folder.glob("*.cc"))
            if any(name.startswith(f"engine/{component}/") for name in includes(path))]
    return sum(path.read_text(encoding="utf-8").count("TEST_CASE(") for path in own)


def sources(folder):
    return sorted(path for path in folder.iterdir() if path.suffix in (".c", ".h"))


def rows(root):
    engine = root / "src/engine"
    yield ("`session`", fields(sources(engine), "livetcp_engine"),
           functions(root / "include/livetcp/engine.h", "livetcp_"), len(sources(engine)), None)
    for folder in sorted(path for path in engine.iterdir() if path.is_dir()):
        yield (f"`{folder.name}`", fields(sources(folder), f"lt_{folder.name}"),
               functions(folder / f"{folder.name}.h", "lt_"), len(sources(folder)),
               unit_tests(root, folder.name))


def table(root):
    lines = ["| Component | Fields | Functions in its header | Files | Unit tests |",
             "|---|---|---|---|---|"]
    for name, *numbers in rows(root):
        cells = ["–" if number is None else str(number) for number in numbers]
        lines.append(f"| {' | '.join([name] + cells)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    document = args.root / DOCUMENT
    before = document.read_text(encoding="utf-8")
    if not TABLE.search(before):
        print(f"{DOCUMENT}: no <!-- components: begin --> and <!-- components: end -->")
        return 1
    new = table(args.root)
    after = TABLE.sub(lambda _: new, before)
    if args.check and after != before:
        print(f"{DOCUMENT}: the table of components is out of date; script/docs writes it:\n{new}")
        return 1
    if after != before:
        document.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
