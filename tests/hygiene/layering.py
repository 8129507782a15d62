#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the layers in rules.py: includes in the sources, and symbols in the compiled objects.

usage: layering.py [--root DIR] [--build DIR]

Without --build only the includes are checked. DIR needs a compile_commands.json (CMake writes one)
and compiled objects.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

from rules import CONFINED, FORBIDDEN_CALLS, LAYERS, layer_of

INCLUDE = re.compile(r'^\s*#\s*include\s*(<([^>]+)>|"([^"]+)")', re.M)
SOURCES = ("*.c", "*.h", "*.cc", "*.cpp", "*.hpp")
# Written by the compiler or the C library's headers, not by us.
PRIVATE_LIBC = re.compile(r"^__isoc\d+_|^__(\w+)_chk$")


def sources(root, layer):
    folder = root / layer.folder
    for pattern in SOURCES:
        for path in sorted(folder.rglob(pattern)):
            if layer_of(path.relative_to(root).as_posix()) is layer:
                yield path


def includes(path):
    """(line, name, quoted) of every #include."""
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        yield line, match.group(2) or match.group(3), match.group(3) is not None


def public_closure(root, names):
    """The public headers `names` and every public header they include."""
    todo, seen = list(names), set()
    while todo:
        name = todo.pop()
        path = root / "include/livetcp" / name
        if name in seen:
            continue
        seen.add(name)
        if path.exists():
            todo += [n[len("livetcp/"):] for _, n, _ in includes(path)
                     if n.startswith("livetcp/")]
    return seen


def resolve(root, path, name, quoted):
    """The project file an #include means, relative to the root, or None for a system header."""
    if name.startswith("livetcp/"):
        return "include/" + name
    if not quoted:
        return None
    beside = (path.parent / name).resolve()
    if beside.is_relative_to(root) and beside.exists():
        return beside.relative_to(root).as_posix()
    return "src/" + name


def within(folder, *others):
    return any(folder == other or folder.startswith(other + "/") for other in others)


def may_use(layer, other):
    return within(other.folder, *("src/" + module for module in layer.modules))


def judge_include(layer, public, target, name):
    """Why this #include breaks a rule, or None."""
    if target is None:
        for pattern, folders in CONFINED:
            if pattern.search(name) and not any(within(layer.folder, f) for f in folders):
                return f"<{name}> is for {' and '.join(folders)} only"
        if layer.system is not None and name not in layer.system:
            return f"<{name}> is not allowed in {layer.folder}"
        return None
    if target.startswith("include/livetcp/"):
        if public is not None and target[len("include/livetcp/"):] not in public:
            return f"{layer.folder} may not use the public header {name}"
        return None
    if target.startswith(layer.folder + "/"):
        return None
    other = layer_of(target)
    if other is None or not other.folder.startswith("src/") or not may_use(layer, other):
        return f"{layer.folder} may not include {target}"
    return None


def check_includes(root):
    problems = []
    for layer in LAYERS:
        public = None if layer.public is None else public_closure(root, layer.public)
        for path in sources(root, layer):
            where = path.relative_to(root).as_posix()
            for line, name, quoted in includes(path):
                target = resolve(root, path, name, quoted)
                why = judge_include(layer, public, target, name)
                if why:
                    problems.append(f"{where}:{line}: {why}")
    return problems


def objects(root, build):
    """(layer, source, object) of everything compiled from a layer of src/."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if not source.is_relative_to(root):
            continue
        layer = layer_of(source.relative_to(root).as_posix())
        output = entry.get("output")
        if output is None:
            output = re.search(r" -o (\S+)", entry["command"]).group(1)
        yield layer, source.relative_to(root).as_posix(), pathlib.Path(entry["directory"], output)


def symbols(paths, flag):
    """Names by object, of all objects at once: a process for each takes most of the time."""
    names = {path: [] for path in paths}
    if not paths:
        return names
    out = subprocess.run(["nm", "--print-file-name", "--extern-only", flag, "--format=posix",
                          *map(str, paths)], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        path, separator, symbol = line.rpartition(": ")
        if separator:
            names[pathlib.Path(path)].append(symbol.split()[0])
    return names


def forbidden_call(symbol):
    name = symbol.split("@")[0]
    for candidate in {name, PRIVATE_LIBC.sub(lambda m: m.group(1) or "", name)}:
        for what, pattern in FORBIDDEN_CALLS:
            if pattern.match(candidate):
                return what
    return None


def check_symbols(root, build):
    compiled = [(layer, source, path) for layer, source, path in objects(root, build)
                if layer is not None and layer.folder.startswith("src/")]
    missing = [source for _, source, path in compiled if not path.exists()]
    present = [entry for entry in compiled if entry[2].exists()]
    paths = [path for _, _, path in present]
    defined, undefined = symbols(paths, "--defined-only"), symbols(paths, "--undefined-only")
    problems, owner = [], {}
    for layer, _, path in present:
        for name in defined[path]:
            owner.setdefault(name, layer)
    if missing:
        problems.append(f"{build}: not compiled yet, build first: {', '.join(missing)}")
    if not present:
        problems.append(f"{build}: no object of src/ found; nothing was checked")
    for layer, source, path in present:
        for name in undefined[path]:
            problems += judge_symbol(layer, source, name, owner.get(name))
    return problems


def judge_symbol(layer, source, name, owner):
    what = forbidden_call(name) if layer.pure and owner is None else None
    if what and what not in layer.may_call:
        return [f"{source}: calls {name}: {layer.folder} may not use {what}"]
    if owner is None or owner is layer:
        return []
    if name.startswith("livetcp_") and within(layer.folder, "src/lab", "src/relay", "src/tool"):
        return []
    if not may_use(layer, owner):
        return [f"{source}: uses {name} of {owner.folder}, which {layer.folder} may not call"]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=pathlib.Path)
    args = parser.parse_args()
    root = args.root.resolve()
    problems = check_includes(root)
    if args.build:
        problems += check_symbols(root, args.build.resolve())
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
