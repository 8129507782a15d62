# SPDX-License-Identifier: MIT
"""Rows of `script/bench playout` after Zhang et al., Figure 10 (a) and (b): what a listener with an
adaptive playout delay gets of a call beside more and more other traffic, with and without
redundancy. What they vary is the load that is offered to the link, normalized by its capacity."""

from .bench import markdown
from .policy_rows import RENO, Row, Setting

CAPACITY = 5e6  # bit/s of the bottleneck, whose drop-tail queue takes QUEUE packets
QUEUE = 50
DELAY = 10  # ms, L
LOADS = (0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2)
QUICK_LOADS = (0.6, 1.0)

FLOWS, SIZE, INTERVAL = 5, 174, 20  # calls, bytes and ms
TALKSPURT, SILENCE = 1.2, 0.8  # s
HEADERS = 52  # bytes of IP and TCP with a packet of a call
MEDIA = FLOWS * 8e3 * (SIZE + HEADERS) / INTERVAL * TALKSPURT / (TALKSPURT + SILENCE)

SCHEMES = ("single", "single:redundancy=1", "shortest-queue:connections=5",
           "shortest-queue:connections=5:redundancy=1", "duplicate:connections=5:copies=2")


def setting(load):
    """The calls, without redundancy, are part of the load."""
    delay = f"delay={DELAY}ms"
    other = max(load * CAPACITY - MEDIA, 0)
    return Setting(f"load-{load:g}", f"voice 174 B/20 ms, offered load {load:g}",
                   (*RENO, "--size", str(SIZE), "--interval", str(INTERVAL), "--flows", str(FLOWS),
                    "--talkspurt", str(TALKSPURT), "--silence", str(SILENCE),
                    "--playout", "adaptive", "--discard-stalls",
                    "--poisson", f"{other / 1e3:.0f}kbit",
                    "--path", f"{delay},rate={CAPACITY / 1e6:g}mbit,queue={QUEUE}p",
                    "--path-back", delay),
                   2 * DELAY, seeds=1)


def rows(quick):
    """Nothing is checked: the paper gives a figure, and of another transport."""
    for load in QUICK_LOADS if quick else LOADS:
        at = setting(load)
        for scheme in SCHEMES:
            name = scheme.replace(":connections=", "-").replace(":copies=", "-")
            yield Row(f"{at.name}-{name.replace(':redundancy=1', '-red')}", at, scheme, (), ())


def load_of(trial):
    """None: the trial belongs to another experiment."""
    name = trial.setting.name
    return float(name.removeprefix("load-")) if name.startswith("load-") else None


def percent(value, digits=2):
    return "–" if value is None else f"{100 * value:.{digits}f}"


def table(trials):
    lines = []
    for trial in trials:
        for scheme, f in trial.figures.items():
            lines.append((f"{load_of(trial):g}", scheme, percent(f["played_adaptive"]),
                          percent(f["primary_adaptive"]), percent(f["secondary_adaptive"]),
                          percent(f["saved_adaptive"], 1), percent(f["late_adaptive"]),
                          f"{f['delay_adaptive_ms']:.1f}", f"{f['stddev_adaptive_ms']:.1f}",
                          "–" if f["mos_adaptive"] is None else f"{f['mos_adaptive']:.2f}",
                          percent(f["dropped_by_queue"])))
    return markdown(["load", "policy", "played", "primary", "secondary", "saved", "late",
                     "delay, ms", "± ms", "MOS", "dropped"], lines)


def describe(trials):
    if not trials:
        return ""
    return (f"\n## Offered load\n\n{FLOWS} calls in talkspurts of {TALKSPURT} s with {SILENCE} s of "
            f"silence, beside packets of 512 bytes at random intervals, through {CAPACITY / 1e6:g} "
            f"Mbit/s with a drop-tail queue of {QUEUE} packets. The listener's delay is adaptive. "
            "Ratios in % of the packets sent: played, of these primary and secondary; saved: "
            "of what was late as a primary. Delay: from sending to playing, mean and standard "
            "deviation over talkspurts. Dropped: of all packets, by the queue.\n\n" + table(trials))


PANELS = (("played, %", "played_adaptive", 100), ("saved, %", "saved_adaptive", 100),
          ("playout delay, ms: mean", "delay_adaptive_ms", 1),
          ("playout delay, ms: standard deviation", "stddev_adaptive_ms", 1))


def plots(trials):
    if len(trials) < 2:
        return
    panels = []
    for title, figure, factor in PANELS:
        curves = {}
        for scheme in SCHEMES:
            points = [(load_of(trial), factor * trial.figures[scheme][figure]) for trial in trials
                      if trial.figures.get(scheme, {}).get(figure) is not None]
            if points and (figure != "saved_adaptive" or "redundancy" in scheme):
                curves[scheme] = points
        panels.append({"title": title, "curves": curves})
    yield "load", {"program": "sweep.py", "title": "Voice beside other traffic: adaptive playout",
                   "x": "offered load", "order": list(SCHEMES), "panels": panels}
