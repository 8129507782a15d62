# SPDX-License-Identifier: MIT
"""How many packets of a voice call are late for a fixed playout delay, and what that does to the
call; and what an adaptive one gives beside other traffic."""

from . import playout_load, policies
from .bench import markdown
from .playout_rows import DELAYS, rows
from .policies import WORDS, Suite, overall, row_by_row


def share(value):
    return "–" if value is None else f"{100 * value:.2f}"


def mos(value):
    return "–" if value is None else f"{value:.2f}"


def table(trials):
    lines = []
    for trial in trials:
        subjects = {row.scheme: row for row in trial.rows}
        for scheme, f in trial.figures.items():
            row = subjects.get(scheme)
            checked = trial.outcomes(row) if row else []
            lines.append((
                f"{trial.setting.rtt:g}", trial.setting.loss, scheme,
                *(share(f[f"late_{delay}"]) for delay in DELAYS),
                f"{trial.setting.one_way + f['playout_static_over_ms']:g}",
                *(mos(f[f"{key}_{delay}"]) for delay in ("10", "static")
                  for key in ("mos", "most_mos")),
                WORDS[overall(checked)] if checked else ""))
    header = ["RTT", "loss", "policy",
              *(f"L + {d}" if d != "static" else "static" for d in DELAYS), "static is",
              "MOS L + 10", "most", "MOS static", "most", ""]
    return markdown(header, lines)


def split(trials):
    """(those over lossy paths, those beside other traffic)"""
    return ([trial for trial in trials if playout_load.load_of(trial) is None],
            [trial for trial in trials if playout_load.load_of(trial) is not None])


def describe_lossy(trials):
    if not trials:
        return ""
    return ("\n## Lossy paths\n\nThe share of late packets, in %, for playout delays in ms over L, "
            "half the round trip; static is L + RTT + 3/f. Most: the MOS with this delay and "
            "nothing late.\n\n" + table(trials) + row_by_row(trials))


def describe(trials, circumstances):
    lossy, loaded = split(trials)
    return (f"# Late packets and playout delay\n\n{circumstances}\n\nVoice, packets of 174 bytes "
            "every 20 ms. Packets sent near a stall of the machine left out. MOS by the E-model, "
            "G.711 with concealment.\n" + describe_lossy(lossy) + playout_load.describe(loaded))


def plots(trials):
    """One for each policy and round-trip time, a curve for each loss rate: what is later than a
    delay is what is late for a playout delay."""
    lossy, loaded = split(trials)
    yield from playout_load.plots(loaded)
    groups = {}
    for trial in lossy:
        for scheme, delays in trial.delays.items():
            groups.setdefault((scheme, trial.setting.rtt), []).append((trial, delays))
    for (scheme, rtt), members in groups.items():
        setting = members[0][0].setting
        static = members[0][0].figures[scheme]["playout_static_over_ms"]
        yield f"{scheme.split(':')[0]}-{rtt:g}", {
            "title": f"{setting.flow}; RTT {rtt:g} ms; {scheme}: late for a playout delay",
            "one_way": setting.one_way, "marks": {"L + RTT + 3/f": setting.one_way + static},
            "delays": {f"{trial.setting.loss} loss": delays for trial, delays in members}}


SUITE = Suite("playout", rows, describe, plots)


def run(bench, options):
    return policies.run_suite(bench, options, SUITE)
