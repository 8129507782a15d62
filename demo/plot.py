# SPDX-License-Identifier: MIT
"""The plots of the report, as SVG text to be put inside a page."""

import io
import math
import re

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot, ticker  # noqa: E402  (the backend has to be chosen first)

# Okabe and Ito's palette: told apart with every kind of colour vision, and in grey.
COLOURS = ("#d55e00", "#0072b2")
INK, GRID = "#3c4654", "#dfe4ea"
POINTS = 1500  # more would not be seen

matplotlib.rcParams.update({
    "svg.fonttype": "none",
    "svg.hashsalt": "livetcp",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 11,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titleweight": "bold",
    "axes.titlesize": 12,
    "axes.titlecolor": "#17202c",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "grid.color": GRID,
    "legend.frameon": False,
})


def format_delay(ms, _position=None):
    return f"{ms:g} ms" if ms < 1000 else f"{ms / 1000:g} s"


def format_share(share, _position=None):
    return f"{100 * share:g} %"


def delay_axis(axis, low, high):
    """A logarithmic axis of delays with a labelled 1-2-5 grid."""
    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(ticker.FuncFormatter(format_delay))
    axis.set_minor_locator(ticker.NullLocator())
    low = 10 ** math.floor(math.log10(low)) if low < 10 else low * 0.8
    return low, high * 1.25


def thin(samples):
    """At most POINTS (time, delay) pairs: of each bin the worst, so that no peak is hidden."""
    points = [(s.at_s, s.delay_ms) for s in samples if s.state == s.ARRIVED]
    if len(points) <= POINTS:
        return points
    size = len(points) / POINTS
    bins = [points[int(i * size):int((i + 1) * size)] for i in range(POINTS)]
    return [max(b, key=lambda point: point[1]) for b in bins if b]


def delay_range(streams):
    delays = [s.delay_ms for stream in streams for s in stream if s.state == s.ARRIVED]
    return (max(min(delays), 0.1), max(delays)) if delays else (10, 1000)


def svg_of(figure, label):
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    pyplot.close(figure)
    svg = text.getvalue()
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r'<metadata>.*?</metadata>', "", svg, flags=re.DOTALL)
    svg = re.sub(r' xmlns:xlink="[^"]*"', "", svg, count=1).replace("xlink:href", "href")
    # Ids must differ between the figures of one page.
    mark = re.sub(r"\W+", "-", label.lower())[:24]
    svg = re.sub(r'id="([^"]+)"', rf'id="{mark}-\1"', svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{mark}-\1"', svg)
    svg = re.sub(r'url\(#([^)]+)\)', rf'url(#{mark}-\1)', svg)
    return re.sub(r'<svg ', f'<svg role="img" aria-label="{label}" ', svg, count=1)


def over_time(panels, titles, propagation_ms):
    """`panels` is (name, a list of samples for each title)."""
    figure, axes = pyplot.subplots(len(panels), 1, figsize=(10, 3.1 * len(panels)), sharex=True,
                                   squeeze=False, layout="constrained")
    for (name, streams), axis in zip(panels, axes[:, 0]):
        for samples, title, colour in zip(streams, titles, COLOURS):
            points = thin(samples)
            axis.plot([p[0] for p in points], [p[1] for p in points], color=colour,
                      linewidth=1.2, label=title, solid_joinstyle="round")
        axis.set_yscale("log")
        low, high = delay_range(streams)
        axis.set_ylim(*delay_axis(axis.yaxis, low, high))
        if propagation_ms > 0:
            axis.axhline(propagation_ms, color="#7a8594", linewidth=1, linestyle=(0, (4, 3)),
                         label=f"propagation, {propagation_ms:g} ms", zorder=1)
        axis.grid(axis="y", linewidth=0.8)
        axis.set_axisbelow(True)
        axis.set_title(name, loc="left")
        axis.set_ylabel("delay")
        axis.margins(x=0.01)
    axes[0, 0].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, borderaxespad=0.2)
    axes[-1, 0].set_xlabel("sent at, seconds into the programme")
    return svg_of(figure, "Delay over time")


def share_later(samples):
    """Points (delay, share of all samples that took longer), for a step curve. What has not come
    counts as later than everything that has."""
    arrived = sorted(s.delay_ms for s in samples if s.state == s.ARRIVED)
    total = len(samples)
    points = [(delay, (total - i - 1) / total) for i, delay in enumerate(arrived)]
    if len(points) > POINTS:  # keeps every point of the tail
        head = points[:-POINTS // 2]
        points = head[::max(1, len(head) * 2 // POINTS)] + points[-POINTS // 2:]
    return [(arrived[0], 1.0)] + points if arrived else []


def distribution(panels, titles, propagation_ms):
    figure, axes = pyplot.subplots(1, len(panels), figsize=(10, 4.2), squeeze=False,
                                   layout="constrained")
    for (name, streams), axis in zip(panels, axes[0]):
        floor = 1.0
        for samples, title, colour in zip(streams, titles, COLOURS):
            points = [p for p in share_later(samples) if p[1] > 0]
            axis.step([p[0] for p in points], [p[1] for p in points], where="post", color=colour,
                      linewidth=2, label=title)
            if samples:
                floor = min(floor, 1 / len(samples))
        axis.set_xscale("log")
        axis.set_yscale("log")
        low, high = delay_range(streams)
        axis.set_xlim(*delay_axis(axis.xaxis, low, high))
        axis.tick_params(axis="x", labelrotation=45)
        axis.yaxis.set_major_formatter(ticker.FuncFormatter(format_share))
        axis.yaxis.set_minor_locator(ticker.NullLocator())
        axis.set_ylim(floor * 0.8, 1.15)
        if propagation_ms > 0:
            axis.axvline(propagation_ms, color="#7a8594", linewidth=1, linestyle=(0, (4, 3)),
                         zorder=1)
        axis.grid(linewidth=0.8)
        axis.set_axisbelow(True)
        axis.set_title(name, loc="left")
        axis.set_xlabel("delay")
    axes[0, 0].set_ylabel("share that took longer")
    axes[0, -1].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.2,
                       handlelength=1.2, columnspacing=1)
    return svg_of(figure, "Share of packets that took longer than a delay")
