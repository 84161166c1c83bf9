"""What the boxes of a diagram are drawn from: texts, bars and edges, for every output format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from penjing.render.diagram import MARGIN, SMALL, Box
from penjing.render.theme import Theme, leaf_colours
from penjing.text.font_metrics import width as text_width

Point = tuple[float, float]
Area = tuple[float, float, float, float]
"""Left, top, width and height."""


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
    """A piece of the bar of class shares: of a class, a line between two, or the outline."""

    area: Area
    kind: Literal["class", "line", "outline"]
    colour_index: int = -1


def box_parts(box: Box, theme: Theme) -> Iterator[Label | Card | BarPiece]:
    """Yield the parts of a box in the order in which they are drawn."""
    left, centre, right = box.x + 10, box.x + box.width / 2, box.x + box.width - 10
    is_split = box.kind == "split"
    fill, outline = (
        (theme.card, theme.outline) if is_split else leaf_colours(box.colour_index, theme)
    )
    area = (box.x, box.y, box.width, box.height)
    yield Label(centre, box.y - 6, box.branch_label, "branch", "center")
    yield Card(area, 6 if is_split else 14, fill, outline, is_split, box.kind == "folded")
    if is_split:
        yield Label(left, box.y + 18, box.name, "name")
        yield Label(right, box.y + 18, box.note, "note", "right")
        yield from _bar_pieces(box, 10, 24, 9)
        yield Label(left, box.y + 47, box.lines[0], "note")
        yield Label(right, box.y + 47, box.lines[1], "note", "right")
    else:
        yield Label(centre, box.y + 17, box.name, "name", "center")
        yield Label(centre, box.y + 31, box.lines[0], "plain", "center")
        yield from _bar_pieces(box, 12, 35, 4)


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


def edge_points(parent: Box, box: Box) -> tuple[Point, Point, Point, Point]:
    """Return the start, the two control points and the end of the curve above a box."""
    x0, y0 = parent.x + parent.width / 2, parent.y + parent.height
    x1, y1 = box.x + box.width / 2, box.y - 20
    middle = (y0 + y1) / 2
    return (x0, y0), (x0, middle), (x1, middle), (x1, y1)


def legend_places(legend: tuple[tuple[str, str], ...]) -> Iterator[tuple[float, str]]:
    """Yield where each entry of the legend begins, and its text."""
    x = MARGIN
    for name, count in legend:
        text = f"{name} ({count})" if count else name
        yield x, text
        x += text_width(text, SMALL + 1) + 34
