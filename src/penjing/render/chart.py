"""Curves as pictures and as text: axes, lines and marks, nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from penjing.errors import unknown_name_error
from penjing.i18n import say
from penjing.render.svg import PALETTE, THEMES, Head, Theme, page, text_at
from penjing.text.text_table import align_right, max_width

WIDE, HIGH = 640.0, 340.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 24.0, 12.0, 52.0
TICKS = 5


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart: what it is called and where it goes; None is a gap."""

    name: str
    points: tuple[tuple[float, float | None], ...]


def write(curve: dict[str, Any], *, theme: str = "light", lang: str = "en", title: str = "") -> str:
    """Return a curve as an SVG picture.

    Parameters
    ----------
    curve : dict
        As :mod:`penjing.evaluate.curves` makes them.
    theme : str
        ``light``, ``dark`` or ``print``.
    lang : str
        ``en`` or ``zh``.
    title : str
        The heading; the kind of the curve if not given.

    Examples
    --------
    >>> points = [{"rows": 10, "train": 1.0, "test": 0.5}, {"rows": 20, "train": 1.0, "test": 0.8}]
    >>> write({"kind": "learning", "measure": "accuracy", "points": points}).startswith("<svg")
    True
    """
    if theme not in THEMES:
        raise unknown_name_error("unknown_plug", theme, THEMES, socket="theme")
    lines = lines_of(curve, lang)
    across = {"learning": "rows", "pruning": "leaves", "calibration": "said"}[curve["kind"]]
    names = (say(f"curve_{across}", lang), say(f"curve_{curve.get('measure', 'right')}", lang))
    shapes = _drawn(lines, names, THEMES[theme], unit=curve.get("measure") != "rmse")
    legend = tuple((line.name, "") for line in lines)
    head = Head(title or say(f"curve_{curve['kind']}", lang), " · ".join(names), legend)
    return page(shapes, (WIDE, HIGH, 92.0), head, THEMES[theme], lang)


def lines_of(curve: dict[str, Any], lang: str = "en") -> list[Line]:
    """Return the lines of a curve."""
    points = curve["points"]
    if curve["kind"] == "calibration":
        found = tuple((p["said"], p["right"]) for p in points)
        ideal: tuple[tuple[float, float | None], ...] = ((0.0, 0.0), (1.0, 1.0))
        return [Line(say("curve_right", lang), found), Line(say("curve_ideal", lang), ideal)]
    across = "rows" if curve["kind"] == "learning" else "leaves"
    lines = [
        Line(say(f"curve_{which}", lang), tuple((p[across], p[which]) for p in points))
        for which in ("train", "test")
    ]
    return [line for line in lines if any(y is not None for _, y in line.points)]


def text(curve: dict[str, Any], lang: str = "en") -> str:
    """Return a curve as a table, a point a line.

    Examples
    --------
    >>> points = [{"rows": 10, "train": 1.0, "test": 0.5}]
    >>> print(text({"kind": "learning", "measure": "accuracy", "points": points}))
      rows  training   test
        10     1.000  0.500
    """
    keys = {
        "learning": ("rows", "train", "test"),
        "pruning": ("alpha", "leaves", "train", "test"),
        "calibration": ("said", "right", "weight"),
    }[curve["kind"]]
    heads = [say(f"curve_{key}", lang) for key in keys]
    rows = [[_cell(key, point.get(key)) for key in keys] for point in curve["points"]]
    wide = [max_width([head, *(row[i] for row in rows)]) + 2 for i, head in enumerate(heads)]
    return "\n".join(
        "".join(align_right(cell, w) for cell, w in zip(cells, wide, strict=True))
        for cells in [heads, *rows]
    )


def _cell(key: str, value: float | None) -> str:
    if value is None:
        return "-"
    if key in ("leaves", "rows", "weight"):
        return f"{value:.10g}" if float(value).is_integer() else f"{value:.1f}"
    return f"{value:.4g}" if key == "alpha" else f"{value:.3f}"


def _drawn(lines: Sequence[Line], names: tuple[str, str], theme: Theme, *, unit: bool) -> list[str]:
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points if y is not None]
    low_x, high_x = _ends(xs)
    low_y, high_y = _ends(ys)
    if unit:
        low_y, high_y = max(0.0, low_y - 0.02), min(1.0, high_y + 0.02)
    else:
        low_y = 0.0

    def at(x: float, y: float) -> tuple[float, float]:
        across = (x - low_x) / (high_x - low_x)
        up = (y - low_y) / (high_y - low_y)
        return LEFT + across * (WIDE - LEFT - RIGHT), TOP + (1 - up) * (HIGH - TOP - BOTTOM)

    shapes = []
    for value in _ticks(low_y, high_y):
        _, y = at(low_x, value)
        shapes.append(_path([(LEFT, y), (WIDE - RIGHT, y)], theme.arm, 'stroke-opacity="0.35"'))
        shapes.append(text_at(8, y + 4, f"{value:.4g}", "l f"))
    for value in _ticks(low_x, high_x):
        x, _ = at(value, low_y)
        shapes.append(text_at(x - 8, HIGH - BOTTOM + 18, f"{value:.4g}", "l f"))
    shapes.append(text_at(WIDE / 2 - 20, HIGH - 10, names[0], "l"))
    for place, line in enumerate(lines):
        shade = PALETTE[place % len(PALETTE)]
        known = [at(x, y) for x, y in line.points if y is not None]
        dashes = 'stroke-dasharray="6 4"' if place % 2 else ""
        shapes.append(_path(known, shade, f'stroke-width="2" {dashes}'))
        shapes += [_mark(x, y, place, shade) for x, y in known]
    return shapes


def _ends(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two, four to nine of them."""
    step = 10 ** math.floor(math.log10((high - low) / TICKS))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= 2 * TICKS - 1)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _path(points: Sequence[tuple[float, float]], stroke: str, more: str) -> str:
    if not points:
        return ""
    d = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="{d}" fill="none" stroke="{stroke}" {more}/>'


def _mark(x: float, y: float, place: int, shade: str) -> str:
    if place % 2:
        return f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" fill="{shade}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{shade}"/>'
