# SPDX-License-Identifier: MIT
"""The results of the legs side by side, as text and as HTML."""

import html
import math

STREAMS = (
    ("frames", "Video, per frame", "complete and decodable, after it left the encoder"),
    ("sound", "Sound, per packet", "20 ms of speech each"),
    ("packets", "Video, per packet", "up to 1400 bytes each"),
)


def format_ms(value, short=False):
    if math.isinf(value):
        return "lost"
    if value >= 9999.5 or (short and value >= 999.5):
        return f"{value / 1e3:.{2 if value < 9995 else 1}f} s"
    return f"{value:,.0f} ms" if short or value >= 1000 else f"{value:.1f} ms"


def format_share(value):
    return f"{100 * value:.2f} %" if 0.9 <= value < 1 else f"{100 * value:.1f} %"


def delay_cell(numbers, name, short=False):
    return ("≥ " if name in numbers["at_least"] else "") + format_ms(numbers[name], short)


def rows(stream, numbers):
    """(label, a cell per leg) of one stream; `numbers` has each leg's results or None."""
    present = [n for n in numbers if n is not None]
    if not present:
        return []

    def row(label, cell):
        return (label, ["–" if n is None else cell(n) for n in numbers])

    result = [row(label, lambda n, name=name: delay_cell(n, name)) for label, name in (
        ("mean", "mean"), ("p50", "p50"), ("p90", "p90"), ("p95", "p95"), ("p99", "p99"),
        ("p99.9", "p99.9"), ("max", "max"))]
    result += [row(f"within {limit} ms", lambda n, limit=limit: format_share(n[f"within_{limit}"]))
               for limit in (200, 500)]
    if stream == "frames":
        result += [row(f"later than {limit} ms", lambda n, limit=limit: f"{n[f'later_{limit}']:,}")
                   for limit in (200, 500)]
        result.append(row("freezes", lambda n: f"{n['freezes']}, {n['frozen_s']:.1f} s"))
    result.append(row("sent", lambda n: f"{n['sent']:,}"))
    result.append(row("lost", lambda n: f"{n['lost']:,}"))
    if any(n["on_its_way"] for n in present):
        result.append(row("still on its way", lambda n: f"{n['on_its_way']:,}"))
    return result


def as_text(titles, results):
    """`results` maps each title to measure.Leg.numbers()."""
    lines = []
    for stream, name, what in STREAMS:
        body = rows(stream, [result[stream] for result in results])
        if not body:
            continue
        lines.append("")
        lines.append(f"{name:<22}" + "".join(f"{title:>16}" for title in titles))
        for label, cells in body:
            lines.append(f"  {label:<20}" + "".join(f"{cell:>16}" for cell in cells))
    return "\n".join(lines[1:])


def as_html(titles, results):
    parts = []
    for stream, name, what in STREAMS:
        body = rows(stream, [result[stream] for result in results])
        if not body:
            continue
        heads = "".join(f'<th scope="col">{html.escape(title)}</th>' for title in titles)
        parts.append(f'<div class="card"><h3>{html.escape(name)}</h3><p class="what">{html.escape(what)}</p>'
                     f'<div class="scroll"><table class="wide"><thead><tr><th scope="col">delay</th>{heads}</tr></thead><tbody>')
        for label, cells in body:
            columns = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
            parts.append(f'<tr><th scope="row">{html.escape(label)}</th>{columns}</tr>')
        parts.append("</tbody></table></div></div>")
    return "\n".join(parts)
