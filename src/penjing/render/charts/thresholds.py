"""The gain of every threshold of a column in a node; the best threshold is marked."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from penjing.explain.node_text import heading_key
from penjing.i18n import say
from penjing.render.charts.axes import (
    AXIS_HEIGHT,
    MARGIN,
    WIDTH,
    Frame,
    Point,
    Style,
    chart_of,
    heading,
    left_room,
    number_axis,
)
from penjing.render.charts.candidates import score_text
from penjing.render.charts.chart import Chart
from penjing.render.charts.shapes import Line, Mark, Shape, Text
from penjing.text.font_metrics import width as text_width
from penjing.text.labels import cut_label, quoted

HEIGHT = 240.0
MAX_MARKS = 120
"""With more thresholds, only the line and the best one are drawn."""
PIXELS_PER_GROUP = 0.5
"""Of the thresholds within so many pixels, the line passes the ones at its ends and extremes."""


def draw(
    candidate: dict[str, Any],
    *,
    node: str = "",
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    width: float = WIDTH,
) -> Chart:
    """Return the gain over all thresholds of one column.

    Parameters
    ----------
    candidate : dict
        What :func:`penjing.explain.node.cuts_of` returns.
    node : str
        The name of the node, for the heading.
    lang, theme, title, width
        Language, theme, heading (default: column and node), and the width in pixels.

    Examples
    --------
    >>> draw({"column": "x", "cuts": [1.5, 2.5], "gains": [0.1, 0.4], "cut": 2.5, "n_cuts": 2}).kind
    'thresholds'
    """
    column, cuts = quoted(candidate["column"]), list(candidate["cuts"])
    points = [
        (float(cut), float(gain))
        for cut, gain in zip(cuts, candidate["gains"], strict=True)
        if gain is not None
    ]
    measure = say(heading_key("gain", candidate), lang)
    style = Style(lang, theme, title, width)
    best = candidate.get("cut")
    best_text = "" if best is None else cut_label(float(best), cuts)
    facts = [say("chart_thresholds_facts", lang, n=candidate["n_cuts"])]
    if best_text:
        facts.append(say("chart_best_threshold", lang, threshold=best_text))
    if hidden := candidate["n_cuts"] - len(cuts):
        facts.append(say("chart_hidden_thresholds", lang, n=hidden))
    where = say("chart_in_node", lang, column=column, node=node) if node else column
    texts = (
        title or say("chart_thresholds", lang, where=where),
        say("joined_sentences", lang).join(facts),
    )
    shapes, top = heading(*texts, width)
    frame = _frame(points, (say("chart_threshold_of", lang, column=column), measure), top, width)
    shapes += frame.shapes()
    largest = max((abs(gain) for _, gain in points), default=0.0)
    if not hidden:  # between thresholds that are not known, a line would tell gains of its own
        shapes.append(Line(_thinned([frame.at(*point) for point in points]), "line0", 1.6))
    colon = say("label_colon", lang)
    if hidden or len(points) <= MAX_MARKS:
        shapes += [
            Mark(
                *frame.at(x, y), 1.6 if hidden else 2.6, "line0",
                values=(("threshold", repr(x)), ("gain", repr(y))),
                tooltip=f"{cut_label(x, cuts)}{colon}{score_text(y, largest)}",
            )
            for x, y in points
        ]  # fmt: skip
    if best is not None and points:
        shapes += _best(frame, points, float(best), best_text)
    return chart_of("thresholds", texts, shapes, (width, top + HEIGHT + AXIS_HEIGHT), style)


def _frame(
    points: list[tuple[float, float]], titles: tuple[str, str], top: float, width: float
) -> Frame:
    y_axis = number_axis(
        [y for _, y in points], titles[1], room=HEIGHT, low=0.0, is_vertical=True, padding=0.08
    )
    left = left_room(y_axis.labels)
    room = width - left - MARGIN - 8
    x_axis = number_axis([x for x, _ in points], titles[0], room=room, padding=0.02)
    return Frame(left, top, room, HEIGHT, x_axis, y_axis)


def _thinned(places: list[Point]) -> tuple[Point, ...]:
    """Return the points of a line that look like all of them."""
    if len(places) <= MAX_MARKS:
        return tuple(places)
    kept = set()
    for _, group in groupby(range(len(places)), key=lambda i: places[i][0] // PIXELS_PER_GROUP):
        column = list(group)
        heights = [places[i][1] for i in column]
        low, high = heights.index(min(heights)), heights.index(max(heights))
        kept |= {column[0], column[low], column[high], column[-1]}
    return tuple(places[i] for i in sorted(kept))


def _best(frame: Frame, points: list[tuple[float, float]], best: float, text: str) -> list[Shape]:
    """Return the line and the ring at the best threshold, and its label inside the frame."""
    x, gain = min(points, key=lambda point: abs(point[0] - best))
    x_pixel, y_pixel = frame.at(x, gain)
    bottom = frame.top + frame.height
    is_right = x_pixel + 8 + text_width(text, 12, bold=True) < frame.left + frame.width
    return [
        Line(((x_pixel, y_pixel), (x_pixel, bottom)), "accent", 1.5, "4 3"),
        Mark(
            x_pixel, y_pixel, 5.5, "accent", "ring",
            values=(("best", repr(x)), ("gain", repr(gain))),
        ),
        Text(
            x_pixel + (8 if is_right else -8), bottom - 8, text, 12,
            "start" if is_right else "end", "accent", is_bold=True,
        ),
    ]  # fmt: skip
