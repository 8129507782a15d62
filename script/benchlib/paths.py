# SPDX-License-Identifier: MIT
"""`auto` on the paths that people have, row by row, beside the other policies, plain RFC 4571 and
SRT in the same run."""

from . import policies
from .bench import markdown
from .congestion import peers
from .path_rows import MEASURED, rows, srt_latencies
from .policies import WORDS, Suite, overall, row_by_row

programs = {}  # name -> command, of this machine


def more(setting):
    """Arguments of SRT with the latencies for that path."""
    if "srt" not in programs:
        return ()
    return tuple(word for latency in sorted(set(srt_latencies(setting)))
                 for word in ("--program", f"srt{latency}={programs['srt']} {latency}"))


def plots(trials):
    """A distribution for each path, of all that was measured on it."""
    for name, request in policies.plots(trials):
        title = request["title"]
        yield name, request | {"title": f"{name}: {title}"}


def summary(trials):
    """How many rows of each kind pass."""
    kinds = {}
    for trial in trials:
        for row in trial.rows:
            counts = kinds.setdefault(row.name.split("-")[0], {True: 0, False: 0, None: 0})
            counts[None if trial.skipped[row.name] else overall(trial.outcomes(row))] += 1
    return markdown(["paths", *(WORDS[key] for key in (True, False, None))],
                    [(kind, counts[True], counts[False], counts[None])
                     for kind, counts in kinds.items()])


def describe(trials, circumstances):
    return (f"# `auto` on the paths people have\n\n{circumstances}\n\nDelays in ms over L, the "
            "propagation of the way forward; a lost packet is never there; packets sent near a stall "
            "of the machine left out. Bytes: given to the kernel, and on the wire, per byte of media. "
            "What is judged is bold, the rest ran beside it. SRT waits for its latency (the number in "
            "its name, ms) with every packet: it is compared by what is lost, and by that latency.\n\n"
            + summary(trials) + "\n" + policies.table(trials) + row_by_row(trials))


SUITE = Suite("paths", rows, describe, plots, more, MEASURED)


def run(bench, options):
    folder = bench.results / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    failed = peers.build_srt(bench.root / "tests/bench/peers/srt", folder / "srt")
    if failed:
        bench.say(f"without SRT: {failed}")
    else:
        programs["srt"] = peers.shell(folder / "srt")
    return policies.run_suite(bench, options, SUITE)
