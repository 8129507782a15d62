#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the complementary distribution of delays: how many packets are later than that.

usage: ccdf.py FILE.svg < {"title": ..., "one_way": ms, "delays": {label: [ms, ...]},
                           "marks": {label: ms}}

A program of its own, because it may need another python3 than script/bench runs in.
"""

import json
import sys

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot, ticker  # noqa: E402  (the backend has to be chosen first)

# Okabe and Ito's palette: told apart with every kind of colour vision.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
POINTS = 400


def curve(delays):
    """(delay, share that is later): at most POINTS points, evenly spaced on a logarithmic axis."""
    count = len(delays)
    ranks = {0, count - 1}
    ranks |= {count - max(round(count ** (i / POINTS)), 1) for i in range(POINTS)}
    # What is never there is a line that ends above the axis.
    return [(delays[i], (count - i) / count) for i in sorted(ranks) if delays[i] != float("inf")]


def draw(figure, request):
    axes = figure.subplots()
    least = 1.0
    for colour, (label, delays) in zip(COLOURS, request["delays"].items()):
        points = curve(sorted(delays)) if delays else []
        if points:
            axes.step(*zip(*points), where="post", color=colour, label=label)
            least = min(least, points[-1][1])
    axes.axvline(request["one_way"], color="#999999", linewidth=0.8, linestyle=":")
    for label, at in request.get("marks", {}).items():
        axes.axvline(at, color="#999999", linewidth=0.8, linestyle="--", label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(least / 1.5, 1.2)
    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda ms, _: f"{ms:g}"))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda share, _: f"{100 * share:g} %"))
    axes.set_xlabel("delay, ms (dotted: L)")
    axes.set_ylabel("packets that are later")
    axes.set_title(request["title"], fontsize=10)
    axes.grid(True, color="#dfe4ea")
    axes.legend(frameon=False, fontsize=8)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    request = json.load(sys.stdin)
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "livetcp"})
    figure = pyplot.figure(figsize=(8, 5), layout="constrained")
    draw(figure, request)
    figure.savefig(sys.argv[1], metadata={"Date": None})


if __name__ == "__main__":
    main()
