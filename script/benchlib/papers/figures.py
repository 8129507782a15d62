# SPDX-License-Identifier: MIT
"""A figure or table of a paper: what the paper says, what we measure for it, and what the models
say, as series of points over the same x."""

from dataclasses import dataclass, field

from .cells import Cell

PAPER, MEASURED, MODEL = "paper", "measured", "model"


class Unbounded(Exception):
    """The flow exceeds the capacity: its delay has no mean."""


@dataclass(frozen=True)
class Point:
    """A value read from the available reports of its cells."""
    x: float
    cells: tuple
    read: object  # (reports) -> number or None; may raise Unbounded


@dataclass(frozen=True)
class Known:
    """Points of the paper."""
    name: str
    points: tuple
    source: str = PAPER


@dataclass(frozen=True)
class Series:
    name: str
    source: str
    points: tuple  # of Point


@dataclass(frozen=True)
class Figure:
    name: str  # of the row: --row takes it
    figure: str  # "Brosh et al., Figure 5(a)"
    title: str
    x: str
    unit: str
    series: tuple
    says: tuple = ()  # (text, where in the paper)
    why: str = ""  # why ours differ
    digits: int = 1

    @property
    def cells(self):
        """All cells in order, each once."""
        return list(dict.fromkeys(cell for series in self.series if isinstance(series, Series)
                                  for point in series.points for cell in point.cells))


@dataclass
class Values:
    """A series with numbers."""
    name: str
    source: str
    points: list = field(default_factory=list)
    unbounded: list = field(default_factory=list)  # x where the flow is not carried
    missing: list = field(default_factory=list)  # x that is still to be measured


def evaluate(series, reports):
    """`reports` is {Cell: report} of the available reports."""
    if isinstance(series, Known):
        return Values(series.name, series.source, [list(point) for point in series.points])
    values = Values(series.name, series.source)
    for point in series.points:
        there = [reports[cell] for cell in point.cells if cell in reports]
        try:
            value = point.read(there) if there else None
        except Unbounded:
            values.unbounded.append(point.x)
            continue
        if len(there) < len(point.cells):
            values.missing.append(point.x)
        if value is not None:
            values.points.append([point.x, round(value, 4)])
    return values


def evaluate_figure(figure, reports):
    """The figure in papers.json's form."""
    values = [evaluate(series, reports) for series in figure.series]
    out = {"name": figure.name, "figure": figure.figure, "title": figure.title, "x": figure.x,
           "unit": figure.unit, "digits": figure.digits,
           "series": [{"name": v.name, "source": v.source, "points": v.points}
                      | ({"unbounded": v.unbounded} if v.unbounded else {})
                      | ({"missing": v.missing} if v.missing else {}) for v in values],
           "says": [{"text": text, "where": where} for text, where in figure.says],
           "why": figure.why}
    out["partial"] = any(v.missing for v in values)
    return out


def unique(cells):
    return list(dict.fromkeys(cells))


def cells_of(figures):
    return unique(cell for figure in figures for cell in figure.cells)


__all__ = ["Cell", "Figure", "Known", "MEASURED", "MODEL", "PAPER", "Point", "Series", "Unbounded",
           "cells_of", "evaluate", "evaluate_figure"]
