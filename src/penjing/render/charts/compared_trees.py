"""Two trees side by side; the branches where they differ are marked, the others are pale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penjing.i18n import say
from penjing.render.box_parts import BarPiece, Label, box_parts
from penjing.render.box_parts import Line as AxisLine
from penjing.render.charts.axes import MARGIN, TITLE, Style, chart_of, heading, legend
from penjing.render.charts.chart import Chart
from penjing.render.charts.shapes import Line, Rect, Shape, Text
from penjing.render.charts.ticks import LABEL
from penjing.render.class_colours import shared_indices
from penjing.render.diagram import Box, build_diagram, scale_note
from penjing.render.theme import THEMES
from penjing.render.value_scale import shared_scale
from penjing.text.font_metrics import width as text_width
from penjing.tree.tree_data import TreeData

MAX_LEAVES = 32
"""The number of leaves of each tree; beyond it, subtrees are folded."""
MAX_WIDTH = 1400.0
"""Wider pairs of trees stand one above the other."""
GAP = 32.0
NAME, NOTE = 13.0, 11.0
ANCHORS = {"left": "start", "center": "middle", "right": "end"}


def draw(
    trees: tuple[TreeData, TreeData],
    differences: Sequence[Any],
    names: tuple[str, str] = ("a", "b"),
    *,
    lang: str = "en",
    theme: str = "light",
    title: str | None = None,
    max_leaves: int = MAX_LEAVES,
) -> Chart:
    """Return both trees with the places where they differ.

    Parameters
    ----------
    trees : pair of TreeData
        The trees.
    differences : sequence of Difference
        Every place where they differ, as :func:`penjing.compare` finds them.
    names : pair of str
        What to call the trees.
    lang, theme, title
        Language, theme and heading.
    max_leaves : int
        The number of leaves of each tree; beyond it, subtrees are folded.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("watermelon2.0"))
    >>> penjing.compare(tree, tree.prune("pessimistic")).chart().kind
    'compared_trees'
    """
    look: Any = {"max_leaves": max_leaves, "show": "counts", "layout": "top-down"}
    indices, classes = shared_indices(trees, lang)
    scale = shared_scale(trees)
    diagrams = [
        build_diagram(tree, lang=lang, class_indices=own, scale=scale, **look)
        for tree, own in zip(trees, indices, strict=True)
    ]
    colon = say("label_colon", lang)
    labels = [f"{n}{colon}{diagram.facts}" for n, diagram in zip(names, diagrams, strict=True)]
    widths = [
        max(diagram.width, text_width(label, LABEL, bold=True) + 2 * MARGIN)
        for label, diagram in zip(labels, diagrams, strict=True)
    ]
    is_beside = sum(widths) + GAP <= MAX_WIDTH
    width = max(sum(widths) + GAP if is_beside else max(widths), 420.0)
    style = Style(lang, theme, title, width)
    n = len(differences)
    facts = say("chart_compared_facts", lang, n=n) if n else say("chart_compared_same", lang)
    if scale is not None and all(tree.has_counts for tree in trees):
        facts += say("joined_sentences", lang) + scale_note(scale, "counts", lang)
    texts = (title or say("chart_compared", lang, a=names[0], b=names[1]), facts)
    shapes, top = heading(*texts, width)
    entries = [(f"k{i}", "mark", name) for i, name in classes]
    if scale is not None:
        values = scale.legend_values()
        entries += [(f"value:{scale.relative(v):.4f}", "mark", scale.text(v)) for v in values]
    if n:
        entries.append(("accent", "", say("chart_differs", lang)))
    more, top = legend(entries, width, top)
    shapes += more
    x, y, bottom = 0.0, top + 16, 0.0
    for side, diagram in enumerate(diagrams):
        shapes.append(Text(x + MARGIN, y, labels[side], LABEL, is_bold=True))
        marked = _marked_nodes(trees[side], [d["nodes"][side] for d in differences])
        shapes += _tree_shapes(trees[side], diagram.boxes, marked, (x, y + 12))
        bottom = max(bottom, y + 12 + diagram.height)
        if is_beside:
            x += widths[side] + GAP
        else:
            y = bottom + TITLE
    return chart_of("compared_trees", texts, shapes, (width, bottom + 4), style)


def _marked_nodes(tree: TreeData, places: Sequence[int]) -> set[int]:
    """Return the nodes where the trees differ, and all nodes below them."""
    marked, stack = set[int](), list(places)
    while stack:
        node = stack.pop()
        if node not in marked:
            marked.add(node)
            stack.extend(tree.children(node))
    return marked


def _tree_shapes(
    tree: TreeData, boxes: Sequence[Box], marked: set[int], place: tuple[float, float]
) -> list[Shape]:
    hidden = _folded_over(tree, marked)
    lit = [box.node in marked or (box.kind == "folded" and box.node in hidden) for box in boxes]
    shapes: list[Shape] = []
    for box, is_lit in zip(boxes, lit, strict=True):
        if box.parent >= 0:
            shapes.append(_edge(boxes[box.parent], box, place, is_lit=is_lit))
    for box, is_lit in zip(boxes, lit, strict=True):
        shapes += _box_shapes(box, place, is_lit=is_lit)
    return shapes


def _folded_over(tree: TreeData, marked: set[int]) -> set[int]:
    """Return the nodes with a marked node below."""
    above: set[int] = set()
    for node in marked:
        parent = int(tree.nodes.parent[node])
        while parent >= 0 and parent not in above:
            above.add(parent)
            parent = int(tree.nodes.parent[parent])
    return above


def _edge(parent: Box, box: Box, place: tuple[float, float], *, is_lit: bool) -> Line:
    x0, y0 = place[0] + parent.x + parent.width / 2, place[1] + parent.y + parent.height
    x1, y1 = place[0] + box.x + box.width / 2, place[1] + box.y - 20
    middle = (y0 + y1) / 2
    points = [(x0, y0)]
    for step in range(1, 13):
        t = step / 12
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3
        points.append(
            (a * x0 + b * x0 + c * x1 + d * x1, a * y0 + b * middle + c * middle + d * y1)
        )
    return Line(tuple(points), "accent" if is_lit else "edge", 2.5 if is_lit else 1.2)


def _box_shapes(box: Box, place: tuple[float, float], *, is_lit: bool) -> list[Shape]:
    x, y = place[0] + box.x, place[1] + box.y
    centre = x + box.width / 2
    ink = "text" if is_lit else "muted"
    fill = "card"
    if box.value >= 0 and box.kind != "split":
        fill = f"value:{box.value:.4f}"
    elif box.colour_index >= 0 and box.kind == "leaf":
        fill = f"tint:{box.colour_index}:{0.4 if is_lit else 0.16}"
    shapes: list[Shape] = [
        Text(centre, y - 6, box.branch_label, 12, "middle", ink, is_bold=True),
        Rect(
            x, y, box.width, box.height, fill, "accent" if is_lit else "edge",
            2.4 if is_lit else 1.0, 6,
            values=(("node", box.node), ("differs", str(is_lit).lower())), tooltip=box.tooltip,
        ),
    ]  # fmt: skip
    for part in box_parts(box, THEMES["light"]):
        if isinstance(part, Label) and part.look != "branch":
            size, is_name = (NAME if part.look == "name" else NOTE), part.look == "name"
            at = place[0] + part.x, place[1] + part.y
            shapes.append(Text(*at, part.text, size, ANCHORS[part.anchor], ink, is_bold=is_name))
        elif isinstance(part, BarPiece) and part.kind == "class":
            left, top, wide, high = part.area
            role = f"k{part.colour_index}" if is_lit else f"tint:{part.colour_index}:0.45"
            shapes.append(Rect(place[0] + left, place[1] + top, wide, high, role))
        elif isinstance(part, BarPiece) and part.kind == "fill":  # a standard deviation
            left, top, wide, high = part.area
            shapes.append(Rect(place[0] + left, place[1] + top, wide, high, "muted"))
        elif isinstance(part, AxisLine):
            ends = tuple((place[0] + x, place[1] + y) for x, y in (part.start, part.end))
            is_mean = part.kind == "mark"
            shapes.append(Line(ends, "text" if is_mean else "outline", 2.0 if is_mean else 1.0))
    return shapes
