"""What the boxes of a diagram are drawn from: texts, bars, plots and edges, for every format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from penjing.render.box_texts import SMALL, TEXT_LINE, Strip
from penjing.render.data_plot import BASELINE, CLEAR, EXTRA, HEIGHT, INSET, TOP, WEDGE, DataPlot
from penjing.render.diagram import Box
from penjing.render.theme import Theme, leaf_colours
from penjing.render.value_scale import value_tints
from penjing.text.font_metrics import clip_middle

Point = tuple[float, float]
Area = tuple[float, float, float, float]
"""Left, top, width and height."""
BAR, LEAF_BAR = 9.0, 4.0
"""Heights of the bar of class shares on the card of a split, and on a leaf."""
LEAST_CLIPPED = 2
"""A clipped name below a plot shows at least so many letters, or nothing."""


@dataclass(frozen=True, slots=True)
class Label:
    """A text of a box: its place, and how it looks."""

    x: float
    y: float
    text: str
    look: Literal["branch", "name", "note", "plain"]
    anchor: Literal["left", "center", "right"] = "left"


@dataclass(frozen=True, slots=True)
class Card:
    """The rounded rectangle of a box; the colours of a split are those of the theme."""

    area: Area
    radius: float
    fill: str
    outline: str
    is_split: bool
    is_dashed: bool


@dataclass(frozen=True, slots=True)
class BarPiece:
    """A rectangle of a bar: of a class, a line between two, an outline, or a fill of its own."""

    area: Area
    kind: Literal["class", "line", "outline", "fill"]
    colour_index: int = -1
    fill: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line: an axis, a threshold (dashed), the mean of a branch, or of test rows."""

    start: Point
    end: Point
    kind: Literal["axis", "threshold", "mean", "mark"]


@dataclass(frozen=True, slots=True)
class Wedge:
    """A triangle that points upwards to a threshold."""

    points: tuple[Point, Point, Point]


Part = Label | Card | BarPiece | Line | Wedge


def box_parts(box: Box, theme: Theme) -> Iterator[Part]:
    """Yield the parts of a box in the order in which they are drawn."""
    left, centre, right = box.x + 10, box.x + box.width / 2, box.x + box.width - 10
    is_split = box.kind == "split"
    fill, outline = (theme.card, theme.outline) if is_split else _leaf_look(box, theme)
    area = (box.x, box.y, box.width, box.height)
    place = box.label_place
    yield Label(place.x, place.y, box.branch_label, "branch", place.anchor)
    yield Card(area, 6 if is_split else 14, fill, outline, is_split, box.kind == "folded")
    if is_split:
        below = 0.0 if box.plot is None else EXTRA
        yield Label(left, box.y + 18, box.name, "name")
        yield Label(right, box.y + 18, box.note, "note", "right")
        yield from _bar_pieces(box, 10, 24, BAR)
        if box.spread is not None:
            yield from _strip(box.spread, (left, box.y + 24, box.width - 20, BAR), theme)
        if box.plot is not None:
            size = (box.width - 2 * INSET, HEIGHT)
            yield from _plot_parts(box.plot, (box.x + INSET, box.y + TOP, *size), theme)
        yield Label(left, box.y + 47 + below, box.lines[0], "note")
        yield Label(right, box.y + 47 + below, box.lines[1], "note", "right")
        return
    yield Label(centre, box.y + 17, box.name, "name", "center")
    for i, line in enumerate(box.lines):
        yield Label(centre, box.y + 31 + i * TEXT_LINE, line, "plain", "center")
    y = 35.0 + TEXT_LINE * (len(box.lines) - 1 if box.lines else 0)
    yield from _bar_pieces(box, 12, y, LEAF_BAR)
    strip_area = (box.x + 12, box.y + y - 1, box.width - 24, LEAF_BAR + 2)
    if box.spread is not None:
        yield from _strip(box.spread, strip_area, theme)
    if box.test_text:
        last = 31 + TEXT_LINE * (len(box.lines) - 1) if box.lines else 17
        has_bar = box.bar or box.spread is not None
        base = box.y + TEXT_LINE + (y + LEAF_BAR if has_bar else last)
        yield Label(centre, base, box.test_text, "plain", "center")
        if box.test is not None:
            yield from _strip(box.test, (box.x + 12, base + 4, box.width - 24, 7), theme)


def _leaf_look(box: Box, theme: Theme) -> tuple[str, str]:
    """Return the fill and outline of a leaf: of its class, or of its value."""
    if box.value < 0:
        return leaf_colours(box.colour_index, theme)
    tints = value_tints(theme)
    return tints[round(box.value * (len(tints) - 1))], theme.outline


def _bar_pieces(box: Box, inset: float, top: float, height: float) -> Iterator[BarPiece]:
    """Yield the stacked bar of class shares, outlined because some class colours are pale."""
    if not box.bar:
        return
    x, y, width = box.x + inset, box.y + top, box.width - 2 * inset
    previous_index = -1
    for index, share in box.bar:
        yield BarPiece((x, y, width * share, height), "class", index)
        if index == previous_index:
            yield BarPiece((x, y, 0, height), "line")
        x, previous_index = x + width * share, index
    yield BarPiece((box.x + inset, y, width, height), "outline")


def _strip(strip: Strip, area: Area, theme: Theme) -> Iterator[Part]:
    """Yield an interval on its axis: a line, the interval as a bar, and a mark within it."""
    x, y, width, height = area
    middle = y + height / 2
    low, mark, high = (x + width * end for end in (strip.low, strip.mark, strip.high))
    if strip.kind == "spread":
        yield Line((x, middle), (x + width, middle), "axis")
        yield BarPiece((low, middle - 1.5, high - low, 3), "fill", fill=theme.muted)
        yield Line((mark, y - 1), (mark, y + height + 1), "mark")
        return
    if strip.kind == "share":  # filled up to the share, with a whisker
        yield BarPiece((x, y, mark - x, height), "fill", fill=theme.edge)
        yield BarPiece((x, y, width, height), "outline")
    else:
        yield Line((x, middle), (x + width, middle), "axis")
        yield BarPiece((mark - 2, middle - 2, 4, 4), "fill", fill=theme.text)
    yield Line((low, middle), (high, middle), "mark")
    for end in (low, high):
        yield Line((end, y + 1), (end, y + height - 1), "mark")


def _plot_parts(plot: DataPlot, area: Area, theme: Theme) -> Iterator[Part]:
    """Yield the parts of a plot, scaled to an area."""
    x, y, width, height = area
    bottom = y + height
    for bar in plot.bars:
        left, bar_width = x + width * bar.left, width * (bar.right - bar.left)
        for piece in bar.pieces:
            top = bottom - height * piece.top
            piece_area = (left, top, bar_width, height * (piece.top - piece.bottom))
            yield BarPiece(piece_area, "class", piece.colour_index)
        if bar.pieces:
            top = bottom - height * bar.pieces[-1].top
            yield BarPiece((left, top, bar_width, bottom - top), "outline")
    for mean in plot.means:
        left, mean_width = x + width * mean.left, width * (mean.right - mean.left)
        top, low = bottom - height * mean.high, bottom - height * mean.low
        yield BarPiece((left, top, mean_width, low - top), "fill", fill=_spread_fill(theme))
        at = bottom - height * mean.centre
        yield Line((left, at), (left + mean_width, at), "mark")
    yield Line((x, bottom), (x + width, bottom), "axis")
    for left, right, value in plot.branch_means:
        at = bottom - height * value
        yield Line((x + width * left, at), (x + width * right, at), "mean")
    for divider in plot.dividers:
        yield Line((x + width * divider, y), (x + width * divider, bottom + 3), "threshold")
    if plot.threshold is not None:
        at = x + width * plot.threshold
        yield Line((at, y - 2), (at, bottom), "threshold")
        yield Wedge(
            ((at, bottom + 1), (at - WEDGE, bottom + 1 + WEDGE), (at + WEDGE, bottom + 1 + WEDGE))
        )
    for label in plot.labels:
        text = _fitting(label.text, label.room * width) if label.is_name else label.text
        place = (x + width * label.x, bottom + BASELINE)
        yield Label(*place, text, "note", label.anchor)


def _spread_fill(theme: Theme) -> str:
    """Return the fill of the spread around a mean: a medium tint of values."""
    return value_tints(theme)[len(value_tints(theme)) // 3]


def _fitting(name: str, room: float) -> str:
    """Return a name below a plot, clipped to its room; nothing if too little of it fits."""
    short = clip_middle(name, SMALL, room - CLEAR)
    is_readable = short == name or len(short.replace("..", "")) >= LEAST_CLIPPED
    return short if is_readable else ""
