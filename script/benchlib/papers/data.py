# SPDX-License-Identifier: MIT
"""The papers' own numbers, which are in a JSON file for each paper with where they stand."""

import functools
import json
import pathlib

from .figures import Known


@functools.lru_cache
def load(paper):
    return json.loads(pathlib.Path(__file__).with_name(f"{paper}.json").read_text())


def says(paper, name):
    return tuple(tuple(pair) for pair in load(paper)["says"][name])


def known(paper, name, title):
    """Points that the paper's text gives."""
    points = load(paper)["points"][name]["points"]
    return Known(title, tuple(tuple(point) for point in points))
