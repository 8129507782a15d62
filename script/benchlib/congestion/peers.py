# SPDX-License-Identifier: MIT
"""Peers that LiveTCP is compared with, and which of them this machine has."""

from dataclasses import dataclass
import os
import pathlib
import shutil
import subprocess

from ..bench import BenchError

LIVETCP = (("auto × 8, cubic", "auto:connections=8:congestion-control=cubic"),
           ("auto × 8, bbr", "auto:connections=8:congestion-control=bbr"),
           ("auto × 8, reno", "auto:connections=8:congestion-control=reno"),
           ("single, cubic", "single:congestion-control=cubic"),
           ("single, bbr", "single:congestion-control=bbr"),
           ("single, reno", "single:congestion-control=reno"))
FLOOR, FIXED = "floor", "plain"
FLOOR_SHARE = 0.93  # of the link: at more, plain TCP's own overhead leaves nothing to drain with
PLAIN = "plain:congestion-control=cubic"


@dataclass(frozen=True)
class Peers:
    commands: dict  # name -> command of livetcp bench --program
    absent: tuple  # for a person


def shell(path):
    return str(path).replace("'", "'\\''").join("''")


def build(command, **more):
    run = subprocess.run(command, capture_output=True, text=True, **more)
    return None if run.returncode == 0 else (run.stderr or run.stdout).strip().splitlines()[-1]


def build_gcc(source, output):
    """None, or why it cannot be built."""
    go = shutil.which("go")
    if not go:
        return "Go is not installed (https://go.dev/dl, 1.24 or later)"
    failed = build([go, "build", "-o", str(output), "."], cwd=source)
    return failed and f"it does not build: {failed}"


def build_with(module, package, source, output):
    """Builds a file of C with a library: its name for pkg-config, and where Debian has it. None, or why
    there is no program."""
    flags = None
    if shutil.which("pkg-config") and shutil.which("cc"):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", module], capture_output=True,
                               text=True)
    if not flags or flags.returncode:
        return f"lib{module} is not installed (Debian: {package})"
    failed = build(["cc", "-std=gnu11", "-O2", str(source), "-o", str(output),
                    *flags.stdout.split(), "-lpthread", "-lm"])
    return failed and f"it does not build: {failed}"


def build_srt(source, output):
    return build_with("srt", "libsrt-gnutls-dev", source / "main.c", output)


def find(root, folder):
    """Builds the available peers. LIVETCP_SCREAM is the command of one for SCReAM."""
    commands, absent = {}, []
    folder.mkdir(parents=True, exist_ok=True)
    gcc, srt = folder / "gcc", folder / "srt"
    sources = pathlib.Path(root, "tests/bench/peers")
    failed = build_gcc(sources / "gcc", gcc)
    if failed:
        absent.append(f"WebRTC's GCC: {failed}")
    else:
        commands["gcc"] = shell(gcc)
    failed = build_srt(sources / "srt", srt)
    if failed:
        absent.append(f"SRT: {failed}")
    else:
        commands |= {"srt120": f"{shell(srt)} 120", "srt500": f"{shell(srt)} 500"}
    scream = os.environ.get("LIVETCP_SCREAM")
    if scream:
        commands["scream"] = scream
    else:
        absent.append("SCReAM V2: LIVETCP_SCREAM names no program with it (tests/bench/peers/README.md)")
    return Peers(commands, tuple(absent))


TITLES = {"gcc": "WebRTC's GCC (pion)", "scream": "SCReAM V2", "srt120": "SRT, 120 ms",
          "srt500": "SRT, 500 ms"}


def schemes(row, peers, wanted=None):
    """[(title, --policy or --transport, spec)] of a row, the floor first."""
    kbit = row.start / 1e3 if row.kind == "overload" else FLOOR_SHARE * row.rate / 1e3
    if row.times:
        kbit /= len(row.times)
    fixed = f":start-rate={kbit:g}kbit" if row.kind != "overload" else ""
    found = []
    if row.kind not in ("overload", "mobile"):  # no fixed rate suits a link that changes
        found.append((FLOOR, PLAIN + fixed))
    if row.kind in ("overload", "step") or row.name == "central-high":
        found.append((FIXED, PLAIN))
    found += [(title, spec + row.settings) for title, spec in LIVETCP]
    for name in ("gcc", "scream", "srt120", "srt500"):
        is_fixed = name.startswith("srt")
        if name in peers.commands and row.kind != ("mobile" if is_fixed else "overload"):
            found.append((TITLES[name], name + (fixed if is_fixed else "")))
    if wanted:
        unknown = [w for w in wanted if not any(w in title for title, _ in found)]
        if len(unknown) == len(wanted):
            raise BenchError(f"{row.name}: no scheme has '{unknown[0]}' in its name; there are "
                             + ", ".join(title for title, _ in found))
        found = [(title, spec) for title, spec in found
                 if title == FLOOR or any(w in title for w in wanted)]
    return found
