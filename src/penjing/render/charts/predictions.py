"""Predicted against actual numbers, one point for each row."""

from __future__ import annotations

import numpy as np

from penjing.errors import ChoiceError
from penjing.evaluate.number_report import NumberReport
from penjing.i18n import say
from penjing.render.charts.axes import WIDTH
from penjing.render.charts.chart import Chart
from penjing.render.charts.shapes import Line, Mark
from penjing.render.charts.square import Extent, square_chart, square_frame, square_style

MAX_POINTS = 2000
"""Of more rows, every n-th is drawn."""


def draw(
    report: NumberReport,
    *,
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    width: float = WIDTH,
) -> Chart:
    """Return predicted against actual numbers, with the line of perfect predictions.

    Parameters
    ----------
    report : NumberReport
        The report on predicted numbers.
    lang, theme, title, width
        Language, theme, heading, and the width in pixels.

    Examples
    --------
    >>> import penjing
    >>> rows = [{"x": x, "y": x + 0.5} for x in (0, 1, 4, 5)]
    >>> draw(penjing.fit(rows, "y", recipe="sklearn").score(rows)).kind
    'predictions'
    """
    if report.pairs is None:
        raise ChoiceError("chart_no_rows")
    actual, predicted = report.pairs
    step = -(-len(actual) // MAX_POINTS)
    shown_actual, shown_predicted = actual[::step].tolist(), predicted[::step].tolist()
    style = square_style(lang, theme, title, width)
    facts = [" ".join(report.text(lang).splitlines()[0].split())]
    if step > 1:
        facts.append(say("chart_points_shown", lang, n=len(shown_actual), of=len(actual)))
    texts = (title or say("chart_predictions", lang), say("joined_sentences", lang).join(facts))
    ends = [
        float(np.min([actual.min(), predicted.min()])),
        float(max(actual.max(), predicted.max())),
    ]
    x, y = (
        Extent(say(f"chart_axis_{name}", lang, target=report.target), ends, padding=0.03)
        for name in ("actual", "predicted")
    )
    entries = [("muted", "3 3", say("chart_perfect", lang))]
    shapes, frame = square_frame(texts, entries, x, y, style.width)
    low, high = frame.x.low, frame.x.high
    shapes.append(Line((frame.at(low, low), frame.at(high, high)), "muted", 1.0, "3 3"))
    shapes += [
        Mark(
            *frame.at(one, other), 2.6, "k0", stroke="background",
            values=(("actual", repr(one)), ("predicted", repr(other))),
        )
        for one, other in zip(shown_actual, shown_predicted, strict=True)
    ]  # fmt: skip
    return square_chart("predictions", texts, shapes, frame, style)
