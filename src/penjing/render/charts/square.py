"""Charts with a square frame: heading, legend and two axes of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from penjing.render.charts.axes import (
    AXIS_HEIGHT,
    MARGIN,
    Frame,
    Style,
    chart_of,
    heading,
    left_room,
    legend,
    number_axis,
)
from penjing.render.charts.chart import Chart
from penjing.render.charts.shapes import Shape

MAX_WIDTH = 480.0
"""The largest width of a chart whose axes have the same range."""
MARGINS = 84.0
"""What the height of its frame is less than its width."""


@dataclass(frozen=True, slots=True)
class Extent:
    """An axis: its title, and the values that it spans or the ends that it has."""

    title: str
    values: Sequence[float] = ()
    low: float | None = None
    high: float | None = None
    padding: float = 0.0


def square_style(lang: str, theme: str, title: str | None, width: float) -> Style:
    """Return the style of a square chart, which is not wider than `MAX_WIDTH`."""
    return Style(lang, theme, title, min(width, MAX_WIDTH))


def square_frame(
    texts: tuple[str, str],
    entries: Sequence[tuple[str, str, str]],
    x: Extent,
    y: Extent,
    width: float,
) -> tuple[list[Shape], Frame]:
    """Return the heading, the legend and the axes, and the frame that data are drawn in.

    Parameters
    ----------
    texts : (str, str)
        The title and the line of facts.
    entries : sequence of (str, str, str)
        The entries of the legend.
    x, y : Extent
        The axes.
    width : float
        The width of the chart.
    """
    shapes, top = heading(*texts, width)
    more, top = legend(entries, width, top)
    height = width - MARGINS
    y_axis = number_axis(
        y.values, y.title, room=height, low=y.low, high=y.high, padding=y.padding, is_vertical=True
    )
    left = left_room(y_axis.labels)
    room = width - left - MARGIN - 8
    x_axis = number_axis(x.values, x.title, room=room, low=x.low, high=x.high, padding=x.padding)
    frame = Frame(left, top, room, height, x_axis, y_axis)
    return [*shapes, *more, *frame.shapes()], frame


def square_chart(
    kind: str, texts: tuple[str, str], shapes: Sequence[Shape], frame: Frame, style: Style
) -> Chart:
    """Return the chart of a square frame."""
    size = style.width, frame.top + frame.height + AXIS_HEIGHT
    return chart_of(kind, texts, shapes, size, style)
