"""The regions of a tree over two numeric columns: exact rectangles, and rows as points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing.arguments import text
from penjing.data.table import Floats, Table
from penjing.errors import ChoiceError, unknown_name_error
from penjing.i18n import Names, say
from penjing.predict.inputs import align_to
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
from penjing.render.charts.shapes import Mark, Rect, Shape
from penjing.render.class_colours import colour_indices, grey_names, legend_entries
from penjing.render.value_scale import value_scale
from penjing.text.labels import cut_text, quoted, value_text
from penjing.tree.tree_data import TreeData

WIDTH = 640.0
MAX_HEIGHT = 480.0
MAX_POINTS = 2000
"""Of more rows, every n-th is drawn."""
EXTRA = 0.25
"""Without rows, the plane reaches this share of their range beyond the thresholds."""


@dataclass(frozen=True, slots=True)
class Region:
    """The rectangle of a leaf: bounds may be infinite."""

    node: int
    x_low: float
    x_high: float
    y_low: float
    y_high: float


def regions(tree: TreeData, x: str, y: str) -> list[Region]:
    """Return the rectangle of every leaf in the plane of two numeric columns.

    Parameters
    ----------
    tree : TreeData
        A tree that splits on no other column.
    x, y : str
        The names of the columns.

    Examples
    --------
    >>> import penjing
    >>> rows = [{"a": a, "b": 0.0, "y": "u" if a < 2 else "v"} for a in (0.0, 1.0, 3.0, 4.0)]
    >>> tree = penjing.fit(rows, "y", recipe="cart-binary")
    >>> [(r.x_low, r.x_high) for r in regions(tree, "a", "b")]
    [(-inf, 2.0), (2.0, inf)]
    """
    first, second = _plane_columns(tree, x, y)
    found: list[Region] = []
    stack = [Region(0, -math.inf, math.inf, -math.inf, math.inf)]
    while stack:
        at = stack.pop()
        children = tree.children(at.node)
        if not children:
            if at.x_low < at.x_high and at.y_low < at.y_high:
                found.append(at)
            continue
        column, cut = int(tree.nodes.column[at.node]), float(tree.nodes.cut[at.node])
        if math.isnan(cut) or len(children) != 2:
            raise ChoiceError("plane_not_threshold", column=tree.schema[column].name)
        low, high = children
        if column == first:
            stack.append(Region(high, max(cut, at.x_low), at.x_high, at.y_low, at.y_high))
            stack.append(Region(low, at.x_low, min(cut, at.x_high), at.y_low, at.y_high))
        else:
            assert column == second
            stack.append(Region(high, at.x_low, at.x_high, max(cut, at.y_low), at.y_high))
            stack.append(Region(low, at.x_low, at.x_high, at.y_low, min(cut, at.y_high)))
    return found


def _plane_columns(tree: TreeData, x: str, y: str) -> tuple[int, int]:
    """Return the positions of two columns; raise an error if the tree has no such plane."""
    names = [field.name for field in tree.schema]
    places = []
    for name in (x, y):
        if name not in names:
            raise unknown_name_error("plane_no_column", name, names)
        place = names.index(name)
        if tree.schema[place].kind != "numeric":
            others = [f.name for f in tree.schema if f.kind == "numeric"]
            if len(others) < 2:
                raise ChoiceError("plane_too_few_numeric", column=name, n=len(others))
            raise ChoiceError("plane_not_numeric", column=name, columns=Names(others))
        places.append(place)
    if x == y:
        raise ChoiceError("plane_one_column", column=x)
    used = {int(column) for column in tree.nodes.column[~tree.is_leaf]}
    others = [names[column] for column in sorted(used - set(places))]
    if others:
        raise ChoiceError("plane_other_columns", columns=Names(others), x=x, y=y)
    return places[0], places[1]


def draw(
    tree: TreeData,
    x: str,
    y: str,
    points: Any = None,  # noqa: ANN401 - whatever `penjing.read` can read
    *,
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    width: float = WIDTH,
) -> Chart:
    """Return the decision regions of a tree over two numeric columns.

    Parameters
    ----------
    tree : TreeData
        A tree that splits on no other column.
    x, y : str
        The names of the columns.
    points : Table or source, optional
        Rows that are drawn as points in the colour of their class (or number).
    lang, theme, title, width
        Language, theme, heading (default: the target's name), and the width in pixels.

    Examples
    --------
    >>> import penjing
    >>> rows = [{"a": a, "b": 0.0, "y": "u" if a < 2 else "v"} for a in (0.0, 1.0, 3.0, 4.0)]
    >>> draw(penjing.fit(rows, "y", recipe="cart-binary"), "a", "b").kind
    'plane'
    """
    style = Style(lang, theme, title, width)
    found = regions(tree, text("x", x), text("y", y))
    table = None
    if points is not None:  # also a column that the tree does not split on
        table = align_to(tree.schema, tree.target, points, {x, y}, reading=tree.reading)
    values: list[Floats | None] = [
        None if table is None else _numbers(table, name) for name in (x, y)
    ]
    colours = _Colours(tree)
    texts = (title or tree.target.name, _facts(tree, table, lang))
    shapes, top = heading(*texts, width)
    more, top = legend(colours.legend(lang), width, top)
    shapes += more
    height = min(MAX_HEIGHT, width * 0.75)
    spans = [
        _span(numbers, bounds)
        for numbers, bounds in zip(
            values,
            (
                [b for r in found for b in (r.x_low, r.x_high)],
                [b for r in found for b in (r.y_low, r.y_high)],
            ),
            strict=True,
        )
    ]
    y_axis = number_axis(
        (), quoted(y), room=height, low=spans[1][0], high=spans[1][1], is_vertical=True
    )
    left = left_room(y_axis.labels)
    room = width - left - MARGIN - 8
    x_axis = number_axis((), quoted(x), room=room, low=spans[0][0], high=spans[0][1])
    frame = Frame(left, top, room, height, x_axis, y_axis)
    shapes += [_region_shape(tree, region, frame, colours, (x, y), lang=lang) for region in found]
    shapes += frame.shapes(grid=False)
    if table is not None:
        assert values[0] is not None
        assert values[1] is not None
        shapes += _point_shapes(tree, table, (values[0], values[1]), frame, colours)
    return chart_of("plane", texts, shapes, (width, top + height + AXIS_HEIGHT), style)


class _Colours:
    """The colours of predictions: those of the classes, or shades between two numbers."""

    def __init__(self, tree: TreeData) -> None:
        self._tree = tree
        self._indices = [] if tree.is_regression else colour_indices(tree)
        self._scale = value_scale(tree)

    def of_node(self, node: int) -> str:
        answer = self._tree.answer(node)
        if self._scale is not None:
            return self.of_value(float(answer))
        return f"tint:{self._indices[list(self._tree.classes).index(answer)]}:0.38"

    def of_value(self, value: float) -> str:
        return f"heat:{0.0 if self._scale is None else self._scale.relative(value):.4f}"

    def of_class(self, code: int) -> str:
        return f"k{self._indices[code]}" if code < len(self._indices) else "muted"

    def legend(self, lang: str) -> list[tuple[str, str, str]]:
        if self._scale is not None:
            values = self._scale.legend_values()
            return [(self.of_value(value), "mark", self._scale.text(value)) for value in values]
        entries = legend_entries(self._tree, lang)
        return [(f"k{i}", "mark", name) for i, (name, _) in enumerate(entries)]


def _facts(tree: TreeData, table: Table | None, lang: str) -> str:
    facts = [say("chart_plane_facts", lang, n=tree.n_leaves)]
    if table is not None:
        step = -(-table.n_rows // MAX_POINTS)
        shown = len(range(0, table.n_rows, step)) if table.n_rows else 0
        key = "chart_points" if step <= 1 else "chart_points_shown"
        facts.append(say(key, lang, n=shown, of=table.n_rows))
    if names := grey_names(tree, lang):
        facts.append(say("list_comma", lang).join(names))
    return say("joined_sentences", lang).join(facts)


def _numbers(table: Table, name: str) -> Floats:
    return next(column for column in table.columns if column.name == name).numbers()


def _span(numbers: Floats | None, bounds: Sequence[float]) -> tuple[float, float]:
    """Return the range of an axis: that of the thresholds and of the rows, and some more."""
    finite = [bound for bound in bounds if math.isfinite(bound)]
    extra = EXTRA
    if numbers is not None and np.isfinite(numbers).any():
        known = numbers[np.isfinite(numbers)]
        finite += [float(known.min()), float(known.max())]
        extra = 0.04
    if not finite:
        return 0.0, 1.0
    low, high = min(finite), max(finite)
    span = (high - low) or abs(low) or 1.0
    return low - extra * span, high + extra * span


def _region_shape(
    tree: TreeData,
    region: Region,
    frame: Frame,
    colours: _Colours,
    names: tuple[str, str],
    *,
    lang: str,
) -> Rect:
    left = max(region.x_low, frame.x.low)
    right = min(region.x_high, frame.x.high)
    bottom, top = max(region.y_low, frame.y.low), min(region.y_high, frame.y.high)
    (x0, y1), (x1, y0) = frame.at(left, bottom), frame.at(right, top)
    answer = value_text(tree, region.node)
    bounds = ("x_low", "x_high", "y_low", "y_high")
    values = (
        ("node", region.node),
        ("answer", answer),
        *((name.replace("_", "-"), repr(getattr(region, name))) for name in bounds),
    )
    intervals = [
        _interval(tree, names[0], region.x_low, region.x_high),
        _interval(tree, names[1], region.y_low, region.y_high),
    ]
    tooltip = f"{answer}{say('label_colon', lang)}{say('clause_semicolon', lang).join(intervals)}"
    return Rect(
        x0, y0, max(x1 - x0, 0.0), max(y1 - y0, 0.0), colours.of_node(region.node),
        "outline", 0.8, values=values, tooltip=tooltip,
    )  # fmt: skip


def _interval(tree: TreeData, name: str, low: float, high: float) -> str:
    ends = ["…" if math.isinf(end) else _threshold(tree, name, end) for end in (low, high)]
    return f"{quoted(name)} {ends[0]} – {ends[1]}"


def _threshold(tree: TreeData, name: str, cut: float) -> str:
    """Return a threshold as the tree prints it."""
    column = next(i for i, field in enumerate(tree.schema) if field.name == name)
    at = np.flatnonzero((tree.nodes.column == column) & (tree.nodes.cut == cut))
    return cut_text(tree, int(at[0])).number


def _point_shapes(
    tree: TreeData,
    table: Table,
    places: tuple[Floats, Floats],
    frame: Frame,
    colours: _Colours,
) -> list[Shape]:
    shapes: list[Shape] = []
    step = max(1, -(-table.n_rows // MAX_POINTS))
    target = table.target
    numbers = target.numbers() if target is not None and tree.is_regression else None
    for row in range(0, table.n_rows, step):
        x, y = float(places[0][row]), float(places[1][row])
        if not (math.isfinite(x) and math.isfinite(y)):
            continue
        fill = "muted"
        if numbers is not None:
            fill = colours.of_value(float(numbers[row]))
        elif target is not None and target.codes[row] >= 0:
            fill = colours.of_class(int(target.codes[row]))
        values = (("row", table.row_number(row)), ("x", repr(x)), ("y", repr(y)))
        shapes.append(Mark(*frame.at(x, y), 3.2, fill, "circle", "outline", values))
    return shapes
