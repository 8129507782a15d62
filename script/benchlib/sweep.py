#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws figures against what was varied, in four panels.

usage: sweep.py FILE.svg < {"title": ..., "x": ..., "order": [label, ...],
                            "panels": [{"title": ..., "curves": {label: [[x, y], ...]}}, ...]}

A program of its own, as ccdf.py is.
"""

import json
import sys

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot  # noqa: E402  (the backend has to be chosen first)

from ccdf import COLOURS  # noqa: E402

MARKERS = "osD^vPX*"


def draw(axes, panel, request):
    for index, label in enumerate(request["order"]):
        if label in panel["curves"]:
            axes.plot(*zip(*panel["curves"][label]), color=COLOURS[index % len(COLOURS)],
                      marker=MARKERS[index % len(MARKERS)], markersize=4, linewidth=1.2,
                      label=label)
    axes.set_title(panel["title"], fontsize=9)
    axes.set_xlabel(request["x"], fontsize=9)
    axes.grid(True, color="#dfe4ea")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    request = json.load(sys.stdin)
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "livetcp"})
    figure = pyplot.figure(figsize=(10, 7.5), layout="constrained")
    figure.suptitle(request["title"], fontsize=10)
    for axes, panel in zip(figure.subplots(2, 2).flat, request["panels"]):
        draw(axes, panel, request)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.axes[0].legend(handles, labels, frameon=False, fontsize=7)
    figure.savefig(sys.argv[1], metadata={"Date": None})


if __name__ == "__main__":
    main()
