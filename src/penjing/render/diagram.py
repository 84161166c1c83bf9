"""The content of a tree diagram: boxes, positions and texts, independent of the output format.

A diagram is plain data computed from the tree alone, so that every format (SVG, HTML, matplotlib)
shows the same boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from penjing import arguments
from penjing.data.statistics import percent
from penjing.evaluate.leaf_results import LeafResults, leaf_results
from penjing.explain.split_data import with_sketches
from penjing.i18n import say
from penjing.render.box_texts import (
    CARD,
    LEAF_CARD,
    MAX_NAME,
    MOST_WITH_DATA,
    NAME,
    SHOW,
    SMALL,
    BoxContent,
    BoxWriter,
    branch_label,
    score_name,
)
from penjing.render.heading import (
    MARGIN,
    Heading,
    HeadingLayout,
    heading,
    heading_layout,
    heading_width,
    make_heading,
)
from penjing.render.placement import (
    DROP,
    LABEL,
    LAYOUTS,
    Edge,
    LabelPlace,
    Shape,
    place_boxes,
)
from penjing.render.value_scale import ValueScale, short_ends, short_number, value_scale
from penjing.render.visible_nodes import (
    MANY_BRANCHES,
    VisibleNodes,
    count_leaves,
    select_visible_nodes,
)
from penjing.text.font_metrics import width as text_width
from penjing.text.labels import percent_ends, weight_text
from penjing.text.row_amounts import size_of
from penjing.tree.tree_data import TreeData

__all__ = [
    "CARD", "DROP", "LABEL", "LEAF_CARD", "MARGIN", "MAX_LEAVES", "MAX_NAME", "NAME", "SMALL",
    "Box", "Diagram", "Heading", "branch_label", "build_diagram", "count_leaves", "heading",
    "score_name",
]  # fmt: skip

THIN = 1.2
"""The width of branches without rows, and of all branches of a tree without counts."""
MAX_LEAVES = 64
"""Number of leaves drawn by default; beyond it, the subtrees with fewest rows are folded."""


@dataclass(frozen=True, slots=True)
class Box(BoxContent):
    """A box in its place; ``parent`` is the index of the parent's box (-1 for the root)."""

    x: float
    y: float
    label_place: LabelPlace
    parent: int
    edge: Edge | None


@dataclass(frozen=True, slots=True)
class Diagram:
    """All boxes and the heading; ``hidden_note`` says what is folded or left out."""

    boxes: tuple[Box, ...]
    width: float
    height: float
    heading: Heading
    hidden_note: str
    lang: str
    show: str
    layout: str

    @property
    def title(self) -> str:
        """The title."""
        return self.heading.title

    @property
    def facts(self) -> str:
        """The facts about the tree, and what is not drawn."""
        return self.heading.facts

    @property
    def legend(self) -> tuple[tuple[str, str], ...]:
        """The class and the rows of each colour."""
        return self.heading.legend

    @property
    def heading_layout(self) -> HeadingLayout:
        """Where the parts of the heading stand."""
        return heading_layout(self.heading, self.width)


def build_diagram(
    tree: TreeData,
    *,
    lang: str = "en",
    title: str | None = None,
    max_leaves: int = MAX_LEAVES,
    show: str | None = None,
    layout: str | None = None,
    align_leaves: bool = False,
    test: Any = None,  # noqa: ANN401 - whatever `penjing.read` can read
    least_size: tuple[float, float] = (0.0, 0.0),
    class_indices: Sequence[int] | None = None,
    scale: ValueScale | None = None,
) -> Diagram:
    """Return the diagram of a tree.

    Parameters
    ----------
    tree : TreeData
        The tree to show.
    lang : str
        ``en`` or ``zh``.
    title : str, optional
        The heading; default: the target's name.
    max_leaves : int
        The number of leaves to show before subtrees are folded, those with fewest rows first.
    show : str, optional
        ``data``: the rows of each split column; ``counts``: the counts only; ``none``: neither.
        Default: the data of trees with at most 24 visible leaves, the counts of others.
    layout : str, optional
        ``top-down`` or ``left-to-right``. Default: top-down, unless a node has more than twelve
        visible branches.
    align_leaves : bool
        Put all leaves on one line.
    test : Table or source, optional
        Test rows: each leaf shows how many of them it predicts correctly.
    least_size : (float, float)
        The least width and height, the heading included: boxes are moved apart to fill them.
    class_indices : sequence of int, optional
        The palette index of each class, in pictures of several trees; default: by the rule of
        :mod:`penjing.render.class_colours`. The legend of the heading does not follow it.
    scale : ValueScale, optional
        The scale of a regression tree, in pictures of several trees; default: its own.
    """
    visible = select_visible_nodes(tree, arguments.whole_number("max_leaves", max_leaves, 1))
    if show is not None:
        arguments.one_of("show", show, SHOW)
    if show == "data" or (show is None and visible.n_ends <= MOST_WITH_DATA):
        tree = with_sketches(tree)
    if show is None:
        has_data = bool(tree.sketch) and visible.n_ends <= MOST_WITH_DATA
        show = "data" if has_data else "counts"
    if layout is None:
        is_wide = any(len(own) > MANY_BRANCHES for own in visible.children.values())
        layout = LAYOUTS[is_wide]
    arguments.one_of("layout", layout, LAYOUTS)
    arguments.boolean("align_leaves", align_leaves)
    results = None if test is None else _results(tree, test)
    if scale is None:
        scale = value_scale(tree, _drawn_sketches(tree, visible) if show == "data" else ())
    contents = BoxWriter(tree, visible, lang, show, scale, results, class_indices).contents()
    shown = [content.node for content in contents]
    box_index = {node: i for i, node in enumerate(shown)}
    root_weight = max(float(tree.weight[0]), 1e-300)
    weights = [float(tree.weight[visible.gathered.get(n, [n])].sum()) for n in shown]
    shape = Shape(
        [[box_index[c] for c in visible.children[node]] for node in shown],
        [int(tree.depths[node]) for node in shown],
        [(content.width, content.height) for content in contents],
        [text_width(c.branch_label, NAME - 2, bold=True) for c in contents],
        [THIN + 8.8 * weight / root_weight if tree.has_counts else THIN for weight in weights],
    )
    hidden = _hidden_note(tree, visible, lang)
    head = make_heading(tree, lang, title, [hidden, *_test_facts(tree, results, lang)])
    if scale is not None and tree.has_counts:
        head = replace(head, scale=scale, scale_note=scale_note(scale, show, lang))
    if show == "data" and not tree.sketch and not tree.is_leaf[0]:
        head = replace(head, facts=f"{head.facts} | {say('picture_no_data', lang)}")
    places = place_boxes(shape, layout, align_leaves=align_leaves, least=_least(head, least_size))
    width = heading_width(head, places.width + 2 * MARGIN)
    offset = (width - places.width) / 2  # a narrow tree stands in the middle
    boxes = tuple(
        Box(
            **{name: getattr(content, name) for name in _CONTENT_FIELDS},
            x=places.corners[i][0] + offset,
            y=places.corners[i][1],
            label_place=replace(places.labels[i], x=places.labels[i].x + offset),
            parent=box_index[int(tree.nodes.parent[content.node])] if content.node else -1,
            edge=_moved(places.edges[i], offset),
        )
        for i, content in enumerate(contents)
    )
    return Diagram(boxes, width, places.height + MARGIN, head, hidden, lang, show, layout)


_CONTENT_FIELDS = tuple(field.name for field in fields(BoxContent))


def _results(tree: TreeData, test: Any) -> LeafResults:  # noqa: ANN401 - rows, or their results
    return test if isinstance(test, LeafResults) else leaf_results(tree, test)


def _drawn_sketches(tree: TreeData, visible: VisibleNodes) -> list[Any]:
    return [sketch for sketch in tree.sketch or () if int(sketch["node"]) in visible.children]


def _least(head: Heading, size: tuple[float, float]) -> tuple[float, float]:
    """Return the least size of the boxes alone, in a picture of at least this size."""
    width = heading_width(head, size[0])
    height = heading_layout(head, width).height
    return max(size[0] - 2 * MARGIN, 0.0), max(size[1] - height - MARGIN, 0.0)


def _moved(edge: Edge | None, offset: float) -> Edge | None:
    if edge is None:
        return None
    a, b, c, d, e, f = ((x + offset, y) for x, y in edge.points)
    return Edge((a, b, c, d, e, f), edge.width)


def _hidden_note(tree: TreeData, visible: VisibleNodes, lang: str) -> str:
    """Return what is folded, gathered or left out."""
    n_leaves = count_leaves(tree)
    notes = []
    if visible.n_left_out:
        of = int(tree.n_children[0])
        notes.append(say("picture_left_out", lang, n=visible.n_left_out, of=of))
    if visible.gathered:
        n = sum(len(members) for members in visible.gathered.values())
        key = "picture_gathered" if len(visible.gathered) > 1 else "picture_gathered_box"
        notes.append(say(key, lang, n=n, boxes=len(visible.gathered)))
    if visible.folded:
        n = sum(n_leaves[node] for node in visible.folded)
        key = "picture_folded" if len(visible.folded) > 1 else "picture_folded_box"
        notes.append(say(key, lang, n=n, folded=len(visible.folded)))
    return " | ".join(notes)


def scale_note(scale: ValueScale, show: str, lang: str) -> str:
    """Return what the bars in the boxes of a regression tree are."""
    if show == "none":
        return ""
    low, high = short_ends(scale.axis_low, scale.axis_high)
    key = "picture_axis_data" if show == "data" else "picture_axis"
    return say(key, lang, low=low, high=high)


def _test_facts(tree: TreeData, results: LeafResults | None, lang: str) -> list[str]:
    """Return how the tree predicts all test rows, and how many of them reach no leaf."""
    if results is None:
        return []
    total = results.total()
    n = weight_text(total.weight)
    if tree.is_regression:
        size = size_of(total.weight, lang, is_weight=tree.has_weights)
        facts = [say("picture_test_all_number", lang, size=size, rmse=short_number(total.rmse))]
    else:
        low, high = percent_ends(total.interval)
        share = percent(total.correct, total.weight)
        right = weight_text(total.correct)
        facts = [say("picture_test_all", lang, right=right, of=n, share=share, low=low, high=high)]
    inner = [node for node in range(len(tree.nodes)) if not tree.is_leaf[node]]
    if results.divided > 0:
        n_divided = 1 if results.divided == 1 else weight_text(results.divided)
        facts.append(say("picture_test_divided", lang, n=n_divided))
    if (stopped := results.of(inner).weight - results.divided) > 0:
        facts.append(say("picture_test_stopped", lang, n=weight_text(stopped)))
    return facts
