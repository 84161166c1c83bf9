"""The frame of a chart: heading, legend, axes with titles, and ticks at round numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from penjing.arguments import optional_text
from penjing.i18n import catalogue
from penjing.render.charts.chart import Chart
from penjing.render.charts.shapes import Line, Mark, Rect, Shape, Text
from penjing.render.charts.ticks import LABEL, LINE_HEIGHT, ticks_between
from penjing.render.theme import find_theme
from penjing.text.font_metrics import clip_middle
from penjing.text.font_metrics import width as text_width

WIDTH = 560.0
"""The width of a chart, unless it needs more."""
MARGIN = 16.0
TITLE = 16.0
SMALLEST_SPAN, SMALLEST = 1e-12, 1e-300
"""Numbers that differ by a smaller share, or by less, are drawn as one."""
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Style:
    """What every chart is told: language, theme, heading and width."""

    lang: str = "en"
    theme: str = "light"
    title: str | None = None
    width: float = WIDTH

    def __post_init__(self) -> None:
        catalogue(self.lang)  # raises an error for an unknown language
        find_theme(self.theme)
        optional_text("title", self.title)


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its range, its title, its ticks and their labels."""

    low: float
    high: float
    title: str
    ticks: tuple[float, ...]
    labels: tuple[str, ...]

    def share(self, value: float) -> float:
        """Return where a value lies, from 0 at the low end to 1 at the high end."""
        return (value - self.low) / (self.high - self.low)


def number_axis(
    values: Sequence[float],
    title: str,
    *,
    room: float,
    low: float | None = None,
    high: float | None = None,
    whole: bool = False,
    is_vertical: bool = False,
    padding: float = 0.0,
) -> Axis:
    """Return an axis over numbers with at most as many ticks as have room.

    Parameters
    ----------
    values : sequence of float
        What it must span.
    title : str
        Its title.
    room : float
        Its length in pixels.
    low, high : float, optional
        Its ends; default: those of the values.
    whole : bool
        Whether only whole numbers are ticks.
    is_vertical : bool
        Whether labels stand above each other.
    padding : float
        The share of the range that is added where an end is not given.

    Examples
    --------
    >>> number_axis([3, 48], "leaves", room=300, whole=True).labels
    ('5', '10', '15', '20', '25', '30', '35', '40', '45')
    """
    start = min(values, default=0.0) if low is None else low
    end = max(values, default=1.0) if high is None else high
    largest = max(abs(start), abs(end))
    if not end - start > max(SMALLEST_SPAN * largest, SMALLEST):
        half = 0.1 * largest if largest > SMALLEST else 0.5
        start, end = (start - half if low is None else start), end + half
    extra = padding * (end - start)
    start, end = (start - extra if low is None else start), (end + extra if high is None else end)
    ticks, labels = ticks_between(start, end, room, whole=whole, is_vertical=is_vertical)
    return Axis(start, end, title, ticks, labels)


@dataclass(frozen=True, slots=True)
class Frame:
    """The area that data are drawn in, with an axis on two of its sides."""

    left: float
    top: float
    width: float
    height: float
    x: Axis
    y: Axis

    def at(self, x: float, y: float) -> Point:
        """Return where a pair of values lies, in pixels."""
        return (
            self.left + self.x.share(x) * self.width,
            self.top + (1 - self.y.share(y)) * self.height,
        )

    def shapes(self, *, grid: bool = True) -> list[Shape]:
        """Return the axes: lines, ticks, centred labels and titles."""
        right, bottom = self.left + self.width, self.top + self.height
        found: list[Shape] = []
        for value, label in zip(self.y.ticks, self.y.labels, strict=True):
            _, y = self.at(self.x.low, value)
            if grid:
                found.append(Line(((self.left, y), (right, y)), "edge", opacity=0.35))
            found.append(Text(self.left - 8, y + 4, label, LABEL, "end", "muted"))
        for value, label in zip(self.x.ticks, self.x.labels, strict=True):
            x, _ = self.at(value, self.y.low)
            found.append(Line(((x, bottom), (x, bottom + 4)), "outline"))
            found.append(Text(x, bottom + 18, label, LABEL, "middle", "muted"))
        found.append(Line(((self.left, self.top), (self.left, bottom)), "outline"))
        found.append(Line(((self.left, bottom), (right, bottom)), "outline"))
        middle = self.left + self.width / 2
        title = clip_middle(self.x.title, LABEL, self.width)
        found.append(Text(middle, bottom + 38, title, LABEL, "middle"))
        centre = self.top + self.height / 2
        title = clip_middle(self.y.title, LABEL, self.height)
        found.append(Text(18, centre, title, LABEL, "middle", is_turned=True))
        return found


AXIS_HEIGHT = 52.0
"""The height of the labels and the title below the frame."""


def left_room(axis_labels: Sequence[str]) -> float:
    """Return the room left of a frame: the title, and the widest label of the axis."""
    return 34.0 + max((text_width(label, LABEL) for label in axis_labels), default=0.0)


def heading(title: str, facts: str, width: float) -> tuple[list[Shape], float]:
    """Return the title and the line of facts, wrapped to the width, and the height they take."""
    shapes: list[Shape] = []
    y = 12.0
    for line in wrap(title, TITLE, width - 2 * MARGIN, bold=True):
        y += 20
        shapes.append(Text(MARGIN, y, line, TITLE, is_bold=True))
    for line in wrap(facts, LABEL, width - 2 * MARGIN):
        y += LINE_HEIGHT
        shapes.append(Text(MARGIN, y, line, LABEL, colour="muted"))
    return shapes, y + 14


def legend(
    entries: Sequence[tuple[str, str, str]], width: float, top: float
) -> tuple[list[Shape], float]:
    """Return the entries (colour role, look, text) in lines, and where they end.

    A look is ``mark``, ``ring``, or the dashes of a line.
    """
    shapes: list[Shape] = []
    x, y = MARGIN, top + 4
    for role, look, text in entries:
        label = clip_middle(text, LABEL, width - 2 * MARGIN - 30)
        size = text_width(label, LABEL) + 44
        if x > MARGIN and x + size - 16 > width - MARGIN:
            x, y = MARGIN, y + LINE_HEIGHT
        if look == "ring":
            shapes.append(Mark(x + 10, y + 2, 6, role, "ring"))
        elif look == "mark":
            shapes.append(Rect(x + 4, y - 4, 12, 12, role, "outline", 0.75, 2))
        else:
            shapes.append(Line(((x, y + 2), (x + 20, y + 2)), role, 2.0, look))
        shapes.append(Text(x + 26, y + 6, label, LABEL))
        x += size
    return shapes, y + 20 if entries else top


def wrap(text: str, size: float, room: float, *, bold: bool = False) -> list[str]:
    """Return a text in lines no wider than the room; a longer word is clipped.

    Examples
    --------
    >>> wrap("one two three", 12, 60)
    ['one two', 'three']
    """
    lines: list[str] = []
    for word in _pieces(text):
        candidate = f"{lines[-1]}{word}" if lines else word
        if lines and text_width(candidate.rstrip(), size, bold=bold) <= room:
            lines[-1] = candidate
        elif text_width(word.rstrip(), size, bold=bold) <= room:
            lines.append(word)
        else:
            lines.append(clip_middle(word.rstrip(), size, room, bold=bold) + " ")
    return [line.rstrip() for line in lines if line.strip()]


def _pieces(text: str) -> list[str]:
    """Return the parts of a text between which a line may break: words, Chinese clauses."""
    pieces: list[str] = []
    start = 0
    for place, character in enumerate(text, 1):
        if character in " ，。；：、":
            pieces.append(text[start:place])
            start = place
    return [*pieces, text[start:]] if start < len(text) else pieces


def chart_of(
    kind: str,
    texts: tuple[str, str],
    shapes: Sequence[Shape],
    size: tuple[float, float],
    style: Style,
) -> Chart:
    """Return a chart; ``texts`` are its title and its description."""
    width, height = size
    return Chart(kind, texts[0], texts[1], width, height, tuple(shapes), style.theme, style.lang)
