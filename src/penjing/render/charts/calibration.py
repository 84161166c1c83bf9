"""Calibration: the share of correct predictions against the predicted probability."""

from __future__ import annotations

import math
from typing import Any

from penjing.data.statistics import wilson
from penjing.evaluate.metrics import Report
from penjing.i18n import say
from penjing.render.charts.axes import WIDTH, Frame
from penjing.render.charts.chart import Chart
from penjing.render.charts.shapes import Line, Mark, Shape
from penjing.render.charts.square import Extent, square_chart, square_frame, square_style
from penjing.text.phrases import rows_of


def draw(
    report: Report,
    *,
    bins: int = 10,
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    width: float = WIDTH,
) -> Chart:
    """Return the calibration of predictions, with 95% intervals (Wilson).

    Parameters
    ----------
    report : Report
        The report on predicted classes.
    bins : int
        The number of intervals of equal width between 0 and 1.
    lang, theme, title, width
        Language, theme, heading, and the width in pixels.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> draw(penjing.fit(fish, max_depth=1).score(fish)).kind
    'calibration'
    """
    points = report.calibration(bins)["points"]
    style = square_style(lang, theme, title, width)
    facts = say("joined_sentences", lang).join(
        (say("rows", lang, n=report.n), say("chart_calibration_facts", lang))
    )
    texts = (title or say("curve_calibration", lang), facts)
    entries = [("line0", "", say("curve_right", lang)), ("muted", "3 3", say("curve_ideal", lang))]
    low = _lowest(points)
    x, y = (Extent(say(f"curve_{axis}", lang), low=low, high=1.0) for axis in ("said", "right"))
    shapes, frame = square_frame(texts, entries, x, y, style.width)
    shapes.append(Line((frame.at(low, low), frame.at(1.0, 1.0)), "muted", 1.0, "3 3"))
    shapes += _points(points, frame, lang, is_weight=report.has_weights)
    return square_chart("calibration", texts, shapes, frame, style)


def _lowest(points: list[dict[str, Any]]) -> float:
    """Return the low end of both axes: no point and no interval is below it."""
    ends = [point["low"] for point in points]
    ends += [wilson(point["right"] * point["weight"], point["weight"])[0] for point in points]
    return math.floor(10 * min(ends, default=0.0)) / 10


def _points(
    points: list[dict[str, Any]], frame: Frame, lang: str, *, is_weight: bool
) -> list[Shape]:
    line = Line(tuple(frame.at(p["said"], p["right"]) for p in points), "line0", 1.6)
    shapes: list[Shape] = [line]
    largest = max((point["weight"] for point in points), default=1.0)
    for point in points:
        x, y = frame.at(point["said"], point["right"])
        low, high = wilson(point["right"] * point["weight"], point["weight"])
        ends = [frame.at(point["said"], end)[1] for end in (low, high)]
        shapes.append(Line(((x, ends[0]), (x, ends[1])), "line0", 1.2))
        shapes += [Line(((x - 4, end), (x + 4, end)), "line0", 1.2) for end in ends]
        radius = 3 + 5 * (point["weight"] / largest) ** 0.5
        names = ("said", "right", "weight")
        tooltip = say(
            "chart_calibration_point", lang, said=f"{point['said']:.3f}",
            right=f"{point['right']:.3f}", rows=rows_of(point["weight"], lang, is_weight=is_weight),
        )  # fmt: skip
        values = tuple((name, repr(float(point[name]))) for name in names)
        shapes.append(Mark(x, y, radius, "k0", "circle", "outline", values, tooltip))
    return shapes
