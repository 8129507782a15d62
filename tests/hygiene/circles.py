#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks in the compiled objects that files of a folder, and folders, do not call each other in a
circle.

usage: circles.py [--root DIR] [--build DIR]

A folder's members are its files and its folders: in src/ the rooms, in src/engine/ session.c and
the components. Each use of a symbol that another file defines is an arrow between two members of
the folder that holds both. Calls through a function pointer are no arrows: they are how a file
calls back. DIR needs a compile_commands.json and compiled objects, as for layering.py.
"""

import argparse
import pathlib
import sys

import layering

ROOTS = ("src", "plugins/gst", "demo")

ALL = None

# The folders in which a circle is an error, or ALL. In any other it is a remark.
FOLDERS = ALL


def members(a, b):
    """(folder, member, member): where the paths of two files part."""
    a, b = a.split("/"), b.split("/")
    depth = next(i for i, (x, y) in enumerate(zip(a, b)) if x != y)
    return "/".join(a[:depth]) or ".", a[depth], b[depth]


def nearest(source, definers):
    """The definer that a source means. Programs may have functions of one name."""
    def shared(other):
        return next((i for i, (x, y) in enumerate(zip(source, other)) if x != y), len(source))
    return max(sorted(definers), key=shared)


def arrows(uses, definitions):
    """{folder: {(member, member): symbols}}, from {source: used} and {source: defined}."""
    owners, found = {}, {}
    for source, names in definitions.items():
        for name in names:
            owners.setdefault(name, set()).add(source)
    for source, names in uses.items():
        for name in names:
            if name not in owners or source in owners[name]:
                continue
            folder, user, used = members(source, nearest(source, owners[name]))
            found.setdefault(folder, {}).setdefault((user, used), set()).add(name)
    return found


def reached(start, edges):
    """What `start` calls, directly or not: {member: the member before it on a shortest way}."""
    before, todo = {}, [start]
    for member in todo:
        for user, used in sorted(edges):
            if user == member and used not in before:
                before[used] = user
                todo.append(used)
    return before


def circles(edges):
    """Sets of members that all reach each other, each with its shortest round."""
    ways = {member: reached(member, edges) for member in sorted({a for a, _ in edges})}
    done = set()
    for member, way in ways.items():
        if member in done or member not in way:
            continue
        group = {other for other in way if member in ways.get(other, {})}
        done |= group
        yield sorted(group), min((round_of(start, ways[start]) for start in sorted(group)), key=len)


def round_of(start, before):
    way = [start]
    while len(way) == 1 or way[-1] != start:
        way.append(before[way[-1]])
    return way[::-1]


def line_of(folder, group, way, edges):
    steps = [f"{user} calls {used} ({', '.join(shortened(edges[user, used]))})"
             for user, used in zip(way, way[1:])]
    text = f"{folder}: in a circle: {'; '.join(steps)}"
    others = [member for member in group if member not in way]
    return text + (f"; so do {', '.join(others)}" if others else "")


def shortened(names):
    names = sorted(names)
    return names if len(names) <= 3 else names[:2] + [f"{len(names) - 2} more"]


def check(root, build, folders):
    """(problems, remarks): circles in `folders`, and in the others."""
    compiled = [(source, path) for _, source, path in layering.objects(root, build)
                if any(source.startswith(top + "/") for top in ROOTS)]
    present = [entry for entry in compiled if entry[1].exists()]
    missing = sorted({source for source, _ in compiled} - {source for source, _ in present})
    problems, remarks = [], []
    if missing:
        problems.append(f"{build}: not compiled yet, build first: {', '.join(missing)}")
    if not present:
        problems.append(f"{build}: no object found; nothing was checked")
    uses, definitions = gather(present, "--undefined-only"), gather(present, "--defined-only")
    found = arrows(uses, definitions)
    for folder, edges in sorted(found.items()):
        lines = [line_of(folder, *circle, edges) for circle in circles(edges)]
        strict = folders is ALL or folder in folders
        (problems if strict else remarks).extend(lines)
        if not lines and not strict:
            remarks.append(f"{folder}: no circle; name it in FOLDERS, so that it stays so")
    return problems, remarks


def gather(compiled, flag):
    names = layering.symbols([path for _, path in compiled], flag)
    found = {}
    for source, path in compiled:
        found.setdefault(source, set()).update(names[path])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    args = parser.parse_args()
    problems, remarks = check(args.root.resolve(), args.build.resolve(), FOLDERS)
    for line in [f"remark: {remark}" for remark in remarks] + problems:
        print(line)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
