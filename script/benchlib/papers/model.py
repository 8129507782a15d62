# SPDX-License-Identifier: MIT
"""Cells of `livetcp model`, and values from their reports."""

from .cells import REPORT, Cell
from .figures import Unbounded

MODELS = {"classic": ("paper", "newreno"), "today": ("linux",)}  # --constants beside a kernel


def delay_cell(size, interval, loss, rtt, constants, *more):
    return Cell("model", ("delay", f"--packet={size}", f"--interval={interval}ms",
                          f"--loss={loss:g}%", f"--rtt={rtt}ms", f"--constants={constants}", *more,
                          f"--json={REPORT}"))


def delay_of(report, field):
    if not report["bounded"]:
        raise Unbounded
    if field.startswith("p"):
        return report["percentiles_ms"][field.removeprefix("p").removesuffix("_ms")]
    return report[field]


def model_delay(field):
    return lambda reports: delay_of(reports[0], field)


def model_reduction(field):
    """Reduction of the second report against the first, in percent."""
    def read(reports):
        if len(reports) < 2:
            return None
        mine = delay_of(reports[1], field)
        try:
            return 100 * (1 - mine / delay_of(reports[0], field))
        except Unbounded:
            return 100.0
    return read


def startup_cell(size, delay, loss, constants):
    """How long one connection takes for so many bytes; the delay is one way, the loss both."""
    return Cell("model", ("startup", f"--bytes={size}", f"--rtt={2 * delay:g}ms",
                          f"--loss={loss:g}%", f"--constants={constants}", f"--json={REPORT}"))


def startup_total(model):
    """In seconds, by `zhang` or `cardwell`."""
    return lambda reports: reports[0][model]["total_ms"] / 1000
