#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws rate and delay over time for each scheme of a row, and the distribution of all delays.

usage: plot.py FILE.png < request, as suite.py makes it

A program of its own, because it may need another python3 than script/bench runs in.
"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("agg")

from matplotlib import pyplot, ticker  # noqa: E402  (the backend has to be chosen first)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from ccdf import COLOURS, curve  # noqa: E402

GREY = "#8a929c"
MOST = 1500  # ms, the longest delay shown over time


def link_steps(request, index):
    """Of what the link has: x, y of a line in steps."""
    links = request["links"]
    times = [link[0] for link in links] + [request["seconds"]]
    values = [link[index] for link in links]
    return times, values + values[-1:]


def draw_rates(axes, request, title, entry):
    times, rates = link_steps(request, 1)
    axes.step(times, [rate / 1e6 for rate in rates], where="post", color=GREY, linewidth=1,
              linestyle="--")
    for index, points in enumerate(entry["rates"]):
        axes.plot([t for t, _ in points], [rate / 1e6 for _, rate in points],
                  color=COLOURS[index % len(COLOURS)], linewidth=1)
    if entry["jain"]:
        right = axes.twinx()
        right.plot(*zip(*entry["jain"]), color="black", linewidth=0.8, marker=".", markersize=3)
        right.set_ylim(0, 1.05)
        right.tick_params(labelsize=6)
    axes.set_title(title, fontsize=8, pad=3)
    axes.set_ylim(0, 1.3 * max(rates) / 1e6)


def draw_delays(axes, request, entry, most):
    times, trips = link_steps(request, 2)
    axes.step(times, [rtt / 2 for rtt in trips], where="post", color=GREY, linewidth=1,
              linestyle=":")
    if entry["delays"]:
        # What is beyond the axis is a line along its edge.
        shown = [(at, min(delay, 0.97 * most)) for at, delay in entry["delays"]]
        axes.plot(*zip(*shown), ".", color=COLOURS[0], markersize=1.2, rasterized=True)
    axes.set_yscale("log")
    axes.set_ylim(min(trips) / 2.5, most)
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda ms, _: f"{ms:g}"))


def decorate(axes, request):
    axes.set_xlim(0, request["seconds"])
    axes.grid(True, color="#e6eaef", linewidth=0.6)
    axes.tick_params(labelsize=6)
    if request["greedy"]:
        axes.axvspan(*request["greedy"], color="#f2e6d0", zorder=0, linewidth=0)


def draw_distribution(axes, request):
    """The share that is later; what never came is a line that ends above the axis."""
    least = 1.0
    for index, (title, entry) in enumerate(request["curves"].items()):
        delays = sorted(entry["sorted"]) + [float("inf")] * (entry["count"] - len(entry["sorted"]))
        points = curve(delays) if delays else []
        if points:
            axes.step(*zip(*points), where="post", label=title, linewidth=1.1,
                      color=COLOURS[index % len(COLOURS)],
                      linestyle="-" if index < len(COLOURS) else "--")
            least = min(least, points[-1][1])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(max(least / 1.5, 1e-4), 1.2)
    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda ms, _: f"{ms:g}"))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda share, _: f"{100 * share:g} %"))
    axes.set_xlabel("one-way delay, ms, after the first 3 s", fontsize=7)
    axes.set_ylabel("packets that are later", fontsize=7)
    axes.tick_params(labelsize=6)
    axes.grid(True, color="#e6eaef", linewidth=0.6)
    axes.legend(frameon=False, fontsize=6.5, loc="center left", bbox_to_anchor=(1.0, 0.5))


def draw(request):
    curves = request["curves"]
    columns = 3
    groups = -(-len(curves) // columns)
    figure = pyplot.figure(figsize=(11, 2.6 * groups + 3.2), layout="constrained")
    figure.suptitle(request["title"], fontsize=10)
    top, bottom = figure.subfigures(2, 1, height_ratios=[2.6 * groups, 3])
    grid = top.subplots(2 * groups, columns, squeeze=False, sharex=True)
    most = max([300] + [1.2 * delay for entry in curves.values() for _, delay in entry["delays"]])
    most = min(most, MOST)
    for index, (title, entry) in enumerate(curves.items()):
        above, below = (grid[2 * (index // columns) + i][index % columns] for i in (0, 1))
        draw_rates(above, request, title, entry)
        draw_delays(below, request, entry, most)
        decorate(above, request)
        decorate(below, request)
        if index % columns == 0:
            above.set_ylabel("Mbit/s", fontsize=7)
            below.set_ylabel("delay, ms", fontsize=7)
    for index in range(len(curves), columns * groups):
        for i in (0, 1):
            grid[2 * (index // columns) + i][index % columns].set_visible(False)
    for axes in grid[-1]:
        axes.set_xlabel("s", fontsize=7)
    draw_distribution(bottom.subplots(), request)
    return figure


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    draw(json.load(sys.stdin)).savefig(sys.argv[1], dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()
