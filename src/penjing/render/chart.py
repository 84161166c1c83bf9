"""Learning, pruning and calibration curves as SVG charts and as text tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from penjing.formatting.text_table import right_aligned
from penjing.i18n import say
from penjing.render.diagram import Heading
from penjing.render.svg import svg_document, text_at
from penjing.render.theme import PALETTE, Theme, find_theme

WIDTH, HEIGHT = 640.0, 340.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 24.0, 12.0, 52.0
TICKS = 5


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart: its name and its points (x, y); a y of None is a gap."""

    name: str
    points: tuple[tuple[float, float | None], ...]


def write(curve: dict[str, Any], *, theme: str = "light", lang: str = "en", title: str = "") -> str:
    """Return a curve as an SVG chart.

    Parameters
    ----------
    curve : dict
        A curve of :mod:`penjing.evaluate.curves`.
    theme : str
        ``light``, ``dark`` or ``print``.
    lang : str
        ``en`` or ``zh``.
    title : str
        The heading; default: the kind of the curve.

    Examples
    --------
    >>> points = [{"rows": 10, "train": 1.0, "test": 0.5}, {"rows": 20, "train": 1.0, "test": 0.8}]
    >>> write({"kind": "learning", "measure": "accuracy", "points": points}).startswith("<svg")
    True
    """
    look = find_theme(theme)
    lines = curve_lines(curve, lang)
    x_key = {"learning": "rows", "pruning": "leaves", "calibration": "said"}[curve["kind"]]
    axis_names = (say(f"curve_{x_key}", lang), say(f"curve_{curve.get('measure', 'right')}", lang))
    elements = _draw_lines(lines, axis_names, look, is_share=curve.get("measure") != "rmse")
    legend = tuple((line.name, "") for line in lines)
    heading = Heading(title or say(f"curve_{curve['kind']}", lang), " · ".join(axis_names), legend)
    return svg_document(elements, (WIDTH, HEIGHT, 92.0), heading, look, lang)


def curve_lines(curve: dict[str, Any], lang: str = "en") -> list[Line]:
    """Return the lines of a curve."""
    points = curve["points"]
    if curve["kind"] == "calibration":
        observed = tuple((p["said"], p["right"]) for p in points)
        ideal: tuple[tuple[float, float | None], ...] = ((0.0, 0.0), (1.0, 1.0))
        return [Line(say("curve_right", lang), observed), Line(say("curve_ideal", lang), ideal)]
    x_key = "rows" if curve["kind"] == "learning" else "leaves"
    lines = [
        Line(say(f"curve_{series}", lang), tuple((p[x_key], p[series]) for p in points))
        for series in ("train", "test")
    ]
    return [line for line in lines if any(y is not None for _, y in line.points)]


def text(curve: dict[str, Any], lang: str = "en") -> str:
    """Return a curve as a text table with one line for each point.

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
    headings = [say(f"curve_{key}", lang) for key in keys]
    rows = [[_cell(key, point.get(key)) for key in keys] for point in curve["points"]]
    return "\n".join(right_aligned([headings, *rows]))


def _cell(key: str, value: float | None) -> str:
    if value is None:
        return "-"
    if key in ("leaves", "rows", "weight"):
        return f"{value:.10g}" if float(value).is_integer() else f"{value:.1f}"
    return f"{value:.4g}" if key == "alpha" else f"{value:.3f}"


def _draw_lines(
    lines: Sequence[Line], axis_names: tuple[str, str], theme: Theme, *, is_share: bool
) -> list[str]:
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points if y is not None]
    low_x, high_x = _value_range(xs)
    low_y, high_y = _value_range(ys)
    if is_share:
        low_y, high_y = max(0.0, low_y - 0.02), min(1.0, high_y + 0.02)
    else:
        low_y = 0.0

    def position(x: float, y: float) -> tuple[float, float]:
        across = (x - low_x) / (high_x - low_x)
        up = (y - low_y) / (high_y - low_y)
        return LEFT + across * (WIDTH - LEFT - RIGHT), TOP + (1 - up) * (HEIGHT - TOP - BOTTOM)

    elements = []
    for value in _ticks(low_y, high_y):
        _, y = position(low_x, value)
        elements.append(_path([(LEFT, y), (WIDTH - RIGHT, y)], theme.edge, 'stroke-opacity="0.35"'))
        elements.append(text_at(8, y + 4, f"{value:.4g}", "l f"))
    for value in _ticks(low_x, high_x):
        x, _ = position(value, low_y)
        elements.append(text_at(x - 8, HEIGHT - BOTTOM + 18, f"{value:.4g}", "l f"))
    elements.append(text_at(WIDTH / 2 - 20, HEIGHT - 10, axis_names[0], "l"))
    for index, line in enumerate(lines):
        colour = PALETTE[index % len(PALETTE)]
        points = [position(x, y) for x, y in line.points if y is not None]
        dashes = 'stroke-dasharray="6 4"' if index % 2 else ""
        elements.append(_path(points, colour, f'stroke-width="2" {dashes}'))
        elements += [_marker(x, y, index, colour) for x, y in points]
    return elements


def _value_range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _ticks(low: float, high: float) -> list[float]:
    """Return four to nine round numbers between two numbers."""
    step = 10 ** math.floor(math.log10((high - low) / TICKS))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= 2 * TICKS - 1)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _path(points: Sequence[tuple[float, float]], stroke: str, attributes: str) -> str:
    if not points:
        return ""
    d = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="{d}" fill="none" stroke="{stroke}" {attributes}/>'


def _marker(x: float, y: float, index: int, colour: str) -> str:
    if index % 2:
        return f'<rect x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6" fill="{colour}"/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
