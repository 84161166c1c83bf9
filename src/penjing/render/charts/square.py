"""Charts with a square frame: heading, legend and two axes of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from penjing.render.charts.axes import (
    AXIS_HEIGHT,
    MARGIN,
    Axis,
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
"""About what a frame is smaller than its chart is wide."""


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
    """Return the heading, the legend and the axes, and the square frame that data are drawn in.

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
    y_axis = _axis(y, width - MARGINS, is_vertical=True)
    left = left_room(y_axis.labels)
    side = width - left - MARGIN - 8
    x_axis, y_axis = _axis(x, side), _axis(y, side, is_vertical=True)
    if (x_axis.low, x_axis.high) == (y_axis.low, y_axis.high):  # the same ticks on both
        y_axis = replace(y_axis, ticks=x_axis.ticks, labels=x_axis.labels)
    frame = Frame(left, top, side, side, x_axis, y_axis)
    return [*shapes, *more, *frame.shapes()], frame


def _axis(extent: Extent, room: float, *, is_vertical: bool = False) -> Axis:
    return number_axis(
        extent.values, extent.title, room=room, low=extent.low, high=extent.high,
        padding=extent.padding, is_vertical=is_vertical,
    )  # fmt: skip


def square_chart(
    kind: str, texts: tuple[str, str], shapes: Sequence[Shape], frame: Frame, style: Style
) -> Chart:
    """Return the chart of a square frame."""
    size = style.width, frame.top + frame.height + AXIS_HEIGHT
    return chart_of(kind, texts, shapes, size, style)
