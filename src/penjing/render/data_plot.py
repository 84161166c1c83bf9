"""The rows of a split as a small plot: a histogram by class, or the means of a numeric target.

The plot is computed from a node's sketch (:mod:`penjing.training.sketches`), in units of its own:
x from 0 (left) to 1 (right), y from 0 (bottom) to 1 (top). A renderer only scales it to the area of
the card, so that every format draws the same. The rules:

* The height of a bar is proportional to its rows, those without a value included. The bin beside a
  threshold may be narrower or wider than the others: its height still counts its rows.
* Bins of equal width stand on a linear axis. Bins that hold about equally many rows (the sketch
  has them where one bin would hold most rows) are drawn equally wide: the axis is not linear then,
  but it shows every part of the data.
* The bars of categories stand in the order of the branches, as they are drawn below the card. Where
  a branch takes several categories, a line divides the branches. Of more categories than a sketch
  holds, each branch has one bar, from the counts of the tree.
* A name stands below its bar. Where bars are too narrow for names, the categories of each branch
  (or all, where each has its own branch) have one label together: as many names as fit and the
  number of the others, or only their number.
* Rows without a value have a bar of their own at the right, labelled "?".
* The pieces of a bar are classes in the order of the legend, from the bottom.
* A numeric target: for each bin the mean and, above and below it, the standard deviation; a line
  for the mean of each branch over its part of the axis. One vertical axis serves all nodes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Literal, NamedTuple

from penjing.formatting.lists import join_names
from penjing.i18n import say
from penjing.render.class_colours import OTHER_CLASSES
from penjing.render.value_scale import ValueScale, short_ends
from penjing.text.branch_order import children_in_order
from penjing.text.font_metrics import width as text_width
from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData

TOP, HEIGHT, AXIS = 38.0, 42.0, 19.0
"""In pixels: where the plot begins below the top of its card, its height, and that of the labels
below it. A card with a plot is ``HEIGHT + AXIS`` + 2 higher than one without."""
EXTRA = HEIGHT + AXIS + 2
"""What a plot adds to the height of a card."""
BASELINE = 16.0
"""From the bottom of the plot to the baseline of its labels."""
INSET = 10.0
"""From the sides of a card to its plot."""
WEDGE = 4.0
"""Half the width, and the height, of the wedge below a threshold."""
LEAST_WIDTH, MOST_WIDTH = 150.0, 250.0
"""A plot asks for at least and at most this width; a wider card stretches it."""
MOST_LABEL = 64.0
"""A category asks for at most this width for its name; longer names are clipped."""
LEAST_LABEL = 30.0
"""Names that have to be clipped to less than this width are not shown one by one."""
CLEAR = 4.0
"""What stays free of the room of a label."""
LABEL_GAP = 6.0
"""Between the names of two categories."""
SMALL = 11.0
"""The font size of labels."""
BAR_PART = 0.86
"""The part of its place that the bar of a category takes."""
BRANCH_GAP = 0.5
"""Between the categories of two branches, in places of a bar."""
MISSING_WIDTH, MISSING_GAP = 0.07, 0.05
"""The bar of rows without a value, and the space to its left."""
SAME = 1e-6
"""Bins are equally wide if their widths differ by at most this part."""


class Piece(NamedTuple):
    """A piece of a bar: the rows of a class, or of all classes without a colour."""

    colour_index: int
    rows: float
    bottom: float
    top: float


@dataclass(frozen=True, slots=True)
class PlotBar:
    """A bar of a bin or category, with its pieces from the bottom."""

    left: float
    right: float
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class PlotMean:
    """The mean of a numeric target in a bin, with the standard deviation around it."""

    left: float
    right: float
    rows: float
    mean: float
    low: float
    centre: float
    high: float


@dataclass(frozen=True, slots=True)
class PlotLabel:
    """A text below the axis; names are clipped to `room` (of the plot's width), numbers are not."""

    x: float
    anchor: Literal["left", "center", "right"]
    text: str
    room: float
    is_name: bool


@dataclass(frozen=True, slots=True)
class DataPlot:
    """The plot of a node.

    Attributes
    ----------
    bars : tuple of PlotBar
        Of classes.
    means : tuple of PlotMean
        Of a numeric target.
    branch_means : tuple of (float, float, float)
        Left, right and y of the line of each branch; for a numeric target.
    threshold : float or None
        Where the wedge stands.
    dividers : tuple of float
        Where a line divides the categories of two branches.
    labels : tuple of PlotLabel
        The texts below the axis.
    width : float
        The width, in pixels, that the plot asks for.
    """

    bars: tuple[PlotBar, ...] = ()
    means: tuple[PlotMean, ...] = ()
    branch_means: tuple[tuple[float, float, float], ...] = ()
    threshold: float | None = None
    dividers: tuple[float, ...] = ()
    labels: tuple[PlotLabel, ...] = ()
    width: float = LEAST_WIDTH


class _Slot(NamedTuple):
    """The place of a bin or category: its ends, its sums, its name, and its branch (or -1)."""

    left: float
    right: float
    entry: Sequence[float]
    name: str
    branch: int


def data_plot(
    tree: TreeData,
    sketch: Mapping[str, Any],
    indices: Sequence[int],
    order: Sequence[int],
    scale: ValueScale | None,
    *,
    branches: Sequence[Sequence[int]] | None = None,
    lang: str = "en",
) -> DataPlot:
    """Return the plot of a node.

    Parameters
    ----------
    tree : TreeData
        The tree.
    sketch : mapping
        The sketch of one of its nodes.
    indices, order : sequence of int
        The colour of each class, and the order of classes in bars.
    scale : ValueScale or None
        The scale of a regression tree.
    branches : sequence of sequences of int, optional
        The branches as they are drawn, each with the nodes that it stands for; default: every
        child of the node.
    lang : str
        ``en`` or ``zh``.
    """
    node = int(sketch["node"])
    is_binned = "bounds" in sketch
    is_by_branch = has_words(sketch)
    if is_by_branch:
        drawn = branches or [[child] for child in children_in_order(tree, node)]
        slots, threshold, labels = _branch_slots(tree, drawn, lang)
        sketch = {"classes": range(len(tree.classes))}
    elif is_binned:
        slots, threshold, labels = _bins(tree, node, sketch)
    else:
        slots, threshold, labels = _categories(tree, node, sketch)
        labels = _readable(slots, labels, lang)
    dividers = () if is_binned else _dividers(slots)
    if scale is None:
        bars = _bars(slots, sketch, indices, order)
        means: tuple[PlotMean, ...] = ()
        lines: tuple[tuple[float, float, float], ...] = ()
    else:
        bars = ()
        means = _means(slots, scale)
        lines = (
            tuple((slot.left, slot.right, scale.on_axis(slot.entry[1])) for slot in slots)
            if is_by_branch
            else _branch_means(tree, node, slots, scale)
        )
    is_dense = len(labels) < len(slots) and not is_binned
    width = MOST_WIDTH if is_dense else _width(slots, labels)
    return DataPlot(bars, means, lines, threshold, dividers, labels, width)


def has_words(sketch: Mapping[str, Any]) -> bool:
    """Return whether the plot of a sketch has words of a language: if its bars are branches."""
    return "bounds" not in sketch and len(sketch["counts"]) > len(sketch["codes"])


# -- where bins and categories stand ----------------------------------------------------------


def _bins(
    tree: TreeData, node: int, sketch: Mapping[str, Any]
) -> tuple[list[_Slot], float | None, tuple[PlotLabel, ...]]:
    """Return the places of the bins of a numeric column, the threshold, and the labels."""
    cut = float(tree.nodes.cut[node])
    end = 1.0 - (MISSING_WIDTH + MISSING_GAP if "missing" in sketch else 0.0)
    bounds = [float(b) for b in sketch["bounds"]]
    low, high = (float(v) for v in sketch["range"])
    edges = [end * x for x in _edges(bounds, low, high, cut)]
    is_split = math.isfinite(cut)
    slots = [
        _Slot(left, right, entry, "", int(is_split and i > 0 and bounds[i - 1] >= cut))
        for i, ((left, right), entry) in enumerate(
            zip(pairwise(edges), sketch["counts"], strict=True)
        )
    ]
    ends = short_ends(low, high)
    labels = [
        PlotLabel(0.0, "left", ends[0], end / 2, is_name=False),
        PlotLabel(end, "right", ends[1], end / 2, is_name=False),
    ]
    if low == high:
        labels = [PlotLabel(end / 2, "center", ends[0], end, is_name=False)]
    if "missing" in sketch:
        slots.append(_missing_slot(sketch))
        centre = 1.0 - MISSING_WIDTH / 2
        labels.append(PlotLabel(centre, "center", "?", MISSING_WIDTH + MISSING_GAP, is_name=False))
    threshold = edges[bounds.index(cut) + 1] if cut in bounds else None
    return slots, threshold, tuple(labels)


def _edges(bounds: list[float], low: float, high: float, cut: float) -> list[float]:
    """Return the ends of bins, from 0 to 1: on a linear axis if the bins are equally wide."""
    n = len(bounds) + 1
    edges = _linear_edges(bounds, low, high, cut) if bounds else []
    if edges and all(a < b for a, b in pairwise(edges)):  # no float is lost in rounding
        return edges
    return [k / n for k in range(n + 1)]


def _linear_edges(bounds: list[float], low: float, high: float, cut: float) -> list[float]:
    """Return the ends of bins on a linear axis; none if the bins are not equally wide."""
    regular = [b for b in bounds if b != cut] if len(bounds) > 2 else bounds
    steps = [b - a for a, b in pairwise(regular)]
    step = min(steps, default=high - low)
    # The bound that made way for the threshold left one step that is twice as wide.
    is_linear = all(
        math.isclose(s, step, rel_tol=SAME) or math.isclose(s, 2 * step, rel_tol=SAME)
        for s in steps
    )
    if not is_linear or not (0 < step < math.inf):
        return []
    # The outer bins are as wide as the others, even if the data end within them.
    start = min(low, regular[0] - step) if len(regular) > 1 else low
    stop = max(high, regular[-1] + step) if len(regular) > 1 else high
    start = start if start < bounds[0] else bounds[0] - step  # a bound belongs to the bin below it
    stop = stop if stop > bounds[-1] else bounds[-1] + step
    span = stop - start
    if not 0 < span < math.inf:
        return []
    return [0.0, *((b - start) / span for b in bounds), 1.0]


def _missing_slot(sketch: Mapping[str, Any]) -> _Slot:
    return _Slot(1.0 - MISSING_WIDTH, 1.0, sketch["missing"], "?", -1)


def _categories(
    tree: TreeData, node: int, sketch: Mapping[str, Any]
) -> tuple[list[_Slot], float | None, tuple[PlotLabel, ...]]:
    """Return the places of categories in the order of the branches, and their names."""
    field = tree.schema[int(tree.nodes.column[node])]
    codes = [int(code) for code in sketch["codes"]]
    branch_of = _branch_of_codes(tree, node)
    entries = [
        (branch_of.get(code, -1), level_text(field, code), entry)
        for code, entry in zip(codes, sketch["counts"], strict=False)
    ]
    n_branches = int(tree.n_children[node])
    entries.sort(key=lambda item: item[0] if item[0] >= 0 else n_branches)
    if "missing" in sketch:
        entries.append((-1, "?", sketch["missing"]))
    is_grouped = n_branches < len({code for code in codes if code in branch_of})
    gaps = [is_grouped and a[0] != b[0] for a, b in pairwise(entries)]
    place = 1.0 / (len(entries) + BRANCH_GAP * sum(gaps))
    slots: list[_Slot] = []
    labels: list[PlotLabel] = []
    left = 0.0
    for (branch, name, entry), is_gap in zip(entries, [*gaps, False], strict=True):
        margin = place * (1 - BAR_PART) / 2
        slots.append(_Slot(left + margin, left + place - margin, entry, name, branch))
        labels.append(PlotLabel(left + place / 2, "center", name, place, is_name=True))
        left += place * (1 + (BRANCH_GAP if is_gap else 0))
    return slots, None, tuple(labels)


def _branch_slots(
    tree: TreeData, branches: Sequence[Sequence[int]], lang: str
) -> tuple[list[_Slot], float | None, tuple[PlotLabel, ...]]:
    """Return the places of branches, for a column with too many categories to draw each."""
    sizes = [sum(len(tree.nodes.levels(member)) for member in members) for members in branches]
    names = [say("plot_categories", lang, n=n) for n in sizes]
    place = 1.0 / len(branches)
    margin = place * (1 - BAR_PART) / 2
    slots: list[_Slot] = []
    labels: list[PlotLabel] = []
    for i, (members, name) in enumerate(zip(branches, names, strict=True)):
        total = tree.nodes.total[list(members)].sum(axis=0)
        entry = total.tolist()
        if tree.is_regression:
            weight = float(total[0])
            spread = math.sqrt(float(tree.reader.loss(total)) / weight) if weight > 0 else 0.0
            entry = [weight, float(tree.reader.value(total)), spread]
        left = i * place
        slots.append(_Slot(left + margin, left + place - margin, entry, name, i))
        labels.append(PlotLabel(left + place / 2, "center", name, place, is_name=True))
    is_narrow = max(text_width(name, SMALL) for name in names) + CLEAR > place * MOST_WIDTH
    if is_narrow or (len(sizes) > 1 and max(sizes) == 1):
        labels = [_group_label(0.0, 1.0, say("plot_categories", lang, n=sum(sizes)))]
    return slots, None, tuple(labels)


def _readable(
    slots: list[_Slot], labels: tuple[PlotLabel, ...], lang: str
) -> tuple[PlotLabel, ...]:
    """Return the labels of categories, or of groups of them where bars are too narrow for names."""
    width = _width(slots, labels)
    rooms = [(text_width(label.text, SMALL) + CLEAR, label.room * width) for label in labels]
    if all(needed <= room or room >= LEAST_LABEL for needed, room in rooms):
        return labels
    has_missing = slots[-1].name == "?" and slots[-1].branch < 0
    named = slots[:-1] if has_missing else slots
    branches = [slot.branch for slot in named]
    is_grouped = len(set(branches)) < len(branches)
    groups = [
        list(group) for _, group in groupby(named, key=lambda s: s.branch if is_grouped else 0)
    ]
    ends = [(group[0].left, group[-1].right) for group in groups]
    names = [[slot.name for slot in group] for group in groups]
    rooms_of = [(right - left) * MOST_WIDTH for left, right in ends]
    texts = [_group_text(n, room, lang) for n, room in zip(names, rooms_of, strict=True)]
    if all(text.startswith("+") for text in texts):  # a number alone could be one of rows
        ends = [(ends[0][0], ends[-1][1])]
        texts = [say("plot_categories", lang, n=len(named))]
    made = [_group_label(*end, text) for end, text in zip(ends, texts, strict=True)]
    return (*made, *(labels[-1:] if has_missing else ()))


def _group_text(names: Sequence[str], room: float, lang: str) -> str:
    """Return as many names as fit, and the number of the others: at least that number."""
    listed = (join_names(names, lang, n) for n in range(len(names), 0, -1))
    for text in (*listed, say("plot_categories", lang, n=len(names))):
        if text_width(text, SMALL) + LABEL_GAP <= room:
            return text
    return f"+{len(names)}"


def _group_label(left: float, right: float, text: str) -> PlotLabel:
    return PlotLabel((left + right) / 2, "center", text, right - left, is_name=True)


def _branch_of_codes(tree: TreeData, node: int) -> dict[int, int]:
    """Return the position, among the branches as drawn, of the branch of each category."""
    cut = float(tree.nodes.cut[node])
    if not math.isnan(cut):  # an ordinal column
        field = tree.schema[int(tree.nodes.column[node])]
        return {code: int(code > cut) for code in range(len(field.levels))}
    return {
        code: branch
        for branch, child in enumerate(children_in_order(tree, node))
        for code in tree.nodes.levels(child).tolist()
    }


def _dividers(slots: list[_Slot]) -> tuple[float, ...]:
    """Return where the categories of two branches meet, if a branch takes several categories."""
    branches = [slot.branch for slot in slots if slot.branch >= 0]
    if len(set(branches)) == len(branches):
        return ()
    return tuple(
        (a.right + b.left) / 2 for a, b in pairwise(slots) if a.branch != b.branch and b.branch >= 0
    )


def _width(slots: list[_Slot], labels: tuple[PlotLabel, ...]) -> float:
    """Return the width that a plot asks for: names of categories fit, if they are short."""
    names = [label for label in labels if label.is_name]
    numbers = sum(text_width(label.text, SMALL) + LABEL_GAP for label in labels)
    if not names:
        return min(max(LEAST_WIDTH, numbers), MOST_WIDTH)
    widest = max(min(text_width(label.text, SMALL), MOST_LABEL) for label in names)
    return min(max(LEAST_WIDTH, (widest + LABEL_GAP) * (len(slots) + 0.5)), MOST_WIDTH)


# -- what stands there ------------------------------------------------------------------------


def _bars(
    slots: list[_Slot], sketch: Mapping[str, Any], indices: Sequence[int], order: Sequence[int]
) -> tuple[PlotBar, ...]:
    """Return the bars of classes; the highest reaches 1."""
    classes = [int(k) for k in sketch["classes"]]
    rank = {class_: position for position, class_ in enumerate(order)}
    highest = max((float(sum(slot.entry)) for slot in slots), default=0.0)
    bars = []
    for slot in slots:
        counted = [
            (indices[k], rank[k], float(count))
            for k, count in zip(classes, slot.entry, strict=False)
        ]
        counted += [(OTHER_CLASSES, len(order), float(c)) for c in slot.entry[len(classes) :]]
        counted.sort(key=lambda item: (item[0] == OTHER_CLASSES, item[1]))
        bars.append(PlotBar(slot.left, slot.right, _pieces(counted, highest)))
    return tuple(bars)


def _pieces(counted: list[tuple[int, int, float]], highest: float) -> tuple[Piece, ...]:
    """Return the pieces of a bar; neighbours of one colour are one piece."""
    pieces: list[Piece] = []
    unit = 1.0 / highest if highest > 0 else 0.0
    below = 0.0
    for index, _, count in counted:
        if count <= 0:
            continue
        if pieces and pieces[-1].colour_index == index:
            last = pieces.pop()
            pieces.append(Piece(index, last.rows + count, last.bottom, (below + count) * unit))
        else:
            pieces.append(Piece(index, count, below * unit, (below + count) * unit))
        below += count
    return tuple(pieces)


def _means(slots: list[_Slot], scale: ValueScale) -> tuple[PlotMean, ...]:
    """Return the means of bins that have rows."""
    return tuple(
        PlotMean(
            slot.left,
            slot.right,
            slot.entry[0],
            slot.entry[1],
            scale.on_axis(slot.entry[1] - slot.entry[2]),
            scale.on_axis(slot.entry[1]),
            scale.on_axis(slot.entry[1] + slot.entry[2]),
        )
        for slot in slots
        if slot.entry[0] > 0
    )


def _branch_means(
    tree: TreeData, node: int, slots: list[_Slot], scale: ValueScale
) -> tuple[tuple[float, float, float], ...]:
    """Return the line of each branch: over its bins or categories, at its prediction."""
    lines = []
    for branch, child in enumerate(children_in_order(tree, node)):
        own = [slot for slot in slots if slot.branch == branch]
        if own:
            value = scale.on_axis(float(tree.values[child]))
            lines.append((own[0].left, own[-1].right, value))
    return tuple(lines)
