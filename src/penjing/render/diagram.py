"""The content of a tree diagram: boxes, positions and texts, independent of the output format.

A diagram is plain data computed from the tree alone, so that every format (SVG, HTML, matplotlib)
shows the same boxes.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing.arguments import whole_number
from penjing.i18n import say
from penjing.render import annotations as node_notes
from penjing.render.class_colours import colour_indices, legend_entries, stacked_bar
from penjing.render.layout import box_centres
from penjing.render.leaf_rules import conditions_of
from penjing.text.branch_order import children_in_order
from penjing.text.font_metrics import clip_middle, join_fitting
from penjing.text.font_metrics import width as text_width
from penjing.text.labels import (
    answer_text,
    counts_text,
    group_names,
    quoted,
    value_text,
    weight_text,
)
from penjing.text.phrases import rows_of
from penjing.tree.dialect import dialect_of
from penjing.tree.tree_data import TreeData

NAME, SMALL = 14.0, 11.0
"""Font sizes: of names, and of all other texts."""
MAX_NAME = 170.0
"""Wider names are clipped; the tooltip shows them in full."""
CARD, LEAF_CARD = 54.0, 44.0
"""Heights of the boxes of splits and of leaves."""
LABEL, DROP = 20.0, 34.0
"""Heights reserved for the branch label above a box, and for the curve above that label."""
MARGIN = 16.0
MAX_LEAVES = 64
"""Number of leaves drawn by default; beyond it, the subtrees with fewest rows are folded."""


@dataclass(frozen=True, slots=True)
class Box:
    """The box of one node: ``kind`` is ``split``, ``leaf`` or ``folded`` (a subtree).

    ``bar`` has a segment (colour index, share) for each class present, ``parent`` is the index of
    the parent's box (-1 for the root), ``line_width`` is that of the edge to the parent.
    """

    node: int
    kind: str
    x: float
    y: float
    width: float
    height: float
    name: str
    note: str
    lines: tuple[str, ...]
    bar: tuple[tuple[int, float], ...]
    colour_index: int
    branch_label: str
    tooltip: str
    parent: int
    line_width: float


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a diagram: title, a line of facts, and (class, rows) of each colour."""

    title: str
    facts: str
    legend: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Diagram:
    """All boxes and the heading; ``hidden_note`` says what is folded or left out."""

    boxes: tuple[Box, ...]
    width: float
    height: float
    title: str
    facts: str
    legend: tuple[tuple[str, str], ...]
    hidden_note: str
    lang: str

    @property
    def heading(self) -> Heading:
        """The heading, with the note about what is hidden among the facts."""
        facts = " | ".join(filter(None, (self.facts, self.hidden_note)))
        return Heading(self.title, facts, self.legend)


def build_diagram(
    tree: TreeData,
    *,
    lang: str = "en",
    title: str | None = None,
    max_leaves: int = MAX_LEAVES,
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
    """
    children, folded = select_visible_nodes(tree, whole_number("max_leaves", max_leaves, 1))
    shown = sorted(children)
    box_index = {node: i for i, node in enumerate(shown)}
    facts = (count_leaves(tree), node_notes.tied_columns(tree), colour_indices(tree))
    contents = [
        _box_content(tree, node, lang, is_folded=node in folded, facts=facts) for node in shown
    ]
    labels = ["" if node == 0 else branch_label(tree, node, lang) for node in shown]
    widths = [
        max(content["width"], text_width(label, NAME - 2, bold=True) + 4)
        for content, label in zip(contents, labels, strict=True)
    ]
    centres = box_centres([[box_index[c] for c in children[node]] for node in shown], widths)
    head = heading(tree, lang, title)
    tops = _level_tops(tree, shown, contents)
    root_weight = max(float(tree.weight[0]), 1e-300)
    boxes = tuple(
        Box(
            node=node,
            x=MARGIN + centres[i] - content["width"] / 2,
            y=tops[int(tree.depths[node])],
            branch_label=labels[i],
            parent=box_index[int(tree.nodes.parent[node])] if node else -1,
            line_width=1.2 + 8.8 * float(tree.weight[node]) / root_weight,
            **content,
        )
        for i, (node, content) in enumerate(zip(shown, contents, strict=True))
    )
    width = max(
        max(m + w / 2 for m, w in zip(centres, widths, strict=True)) + 2 * MARGIN,
        text_width(head["title"], 18, bold=True) + 2 * MARGIN,
        text_width(head["facts"], SMALL + 1) + 2 * MARGIN,
        sum(text_width(f"{a} ({b})", SMALL + 1) + 34 for a, b in head["legend"]) + 2 * MARGIN,
    )
    height = max(box.y + box.height for box in boxes) + MARGIN
    n_hidden = sum(facts[0][node] for node in folded)
    hidden_note = say("picture_folded", lang, n=n_hidden, folded=len(folded)) if folded else ""
    if n_left_out := int(tree.n_children[0]) - len(children[0]):
        left_out = say("picture_left_out", lang, n=n_left_out, of=int(tree.n_children[0]))
        hidden_note = " | ".join(filter(None, (left_out, hidden_note)))
    return Diagram(
        boxes, width, height, head["title"], head["facts"], head["legend"], hidden_note, lang
    )


def select_visible_nodes(tree: TreeData, max_leaves: int) -> tuple[dict[int, list[int]], set[int]]:
    """Return the visible nodes with their visible children, and the set of folded nodes.

    If the root alone has more than `max_leaves` branches, those with most rows are visible.
    """
    children: dict[int, list[int]] = {0: []}
    folded = [(-float(tree.weight[0]), 0)] if not tree.is_leaf[0] else []
    n_ends = 1  # visible leaves and folded nodes
    while folded:
        _, node = folded[0]
        visible = children_in_order(tree, node)
        if n_ends - 1 + len(visible) > max_leaves:
            if node != 0:
                break
            visible = visible[: max(max_leaves, 2)]  # sorted: most rows first
        heapq.heappop(folded)
        children[node] = visible
        n_ends += len(visible) - 1
        for child in visible:
            children[child] = []
            if not tree.is_leaf[child]:
                heapq.heappush(folded, (-float(tree.weight[child]), child))
    return children, {node for _, node in folded}


def count_leaves(tree: TreeData) -> list[int]:
    """Return the number of leaves below each node."""
    count = tree.is_leaf.astype(np.int64)
    parent = tree.nodes.parent
    for node in range(len(count) - 1, 0, -1):
        count[parent[node]] += count[node]
    return [int(c) for c in count]


def branch_label(tree: TreeData, node: int, lang: str) -> str:
    """Return the label of the branch into a node, clipped to ``MAX_NAME``."""
    parent, branch = tree.parent_of(node)
    field = tree.schema[int(tree.nodes.column[parent])]
    mark = f" {say('mark_missing', lang)}" if node_notes.receives_missing(tree, node) else ""
    names = group_names(tree, node)
    if names:
        return join_fitting(names, NAME - 2, MAX_NAME, bold=True) + mark
    text = answer_text(tree, parent, branch)
    if not field.is_numeric:  # a clipped number would be a wrong one
        text = clip_middle(text, NAME - 2, MAX_NAME, bold=True)
    return text + mark


TreeFacts = tuple[list[int], dict[int, list[str]], list[int]]
"""Computed once for a tree: leaves below each node, ties by node, colour index of each class."""


def _box_content(
    tree: TreeData, node: int, lang: str, *, is_folded: bool, facts: TreeFacts
) -> dict[str, Any]:
    """Return the texts, colours and size of a box: the fields of `Box` but its position."""
    n_leaves, ties, indices = facts
    weight = float(tree.weight[node])
    total = tree.nodes.total[node]
    has_no_bar = tree.is_regression or weight <= 0
    class_ = -1 if tree.is_regression else int(tree.values[node])
    rule = say("rule_and", lang).join(conditions_of(tree, node, lang)) or say("root", lang)
    prediction = value_text(tree, node)
    notes = node_notes.tooltip_notes(tree, node, lang, ties.get(node, ()))
    content = {
        "bar": () if has_no_bar else stacked_bar((total / weight).tolist(), indices),
        "colour_index": -1 if tree.is_regression else indices[class_],
        "tooltip": "; ".join([f"{rule}: {prediction}{counts_text(tree, node)}", *notes]),
    }
    if not tree.is_leaf[node] and not is_folded:
        column = tree.schema[int(tree.nodes.column[node])].name
        name = clip_middle(column, NAME, MAX_NAME, bold=True)
        note = _score_text(tree, node, lang) if tree.has_counts else ""
        if node in ties:
            note += f" {say('mark_tie', lang)}"
        counts = _counts(tree, node)
        size = f"n={weight_text(weight)}" if tree.has_counts else ""
        size = f"{size}{node_notes.card_marks(tree, node, lang)}".strip()
        width = max(
            text_width(name, NAME, bold=True) + 14 + text_width(note, SMALL),
            text_width(counts, SMALL) + 14 + text_width(size, SMALL),
            84.0,
        )
        return content | {
            "kind": "split",
            "name": name,
            "note": note,
            "lines": (counts, size),
            "width": width + 20,
            "height": CARD,
        }
    name = clip_middle(prediction, NAME, MAX_NAME, bold=True)
    if is_folded:
        line = say("folded_leaves", lang, n=n_leaves[node], weight=weight_text(weight))
    elif not tree.has_counts:
        line = ""
    elif tree.is_regression:
        line = f"n={weight_text(weight)}"
    else:
        correct = float(total[class_])
        share = f" {round(100 * (correct / weight))}%" if weight > 0 else ""
        line = f"{weight_text(correct)}/{weight_text(weight)}{share}"
    return content | {
        "kind": "folded" if is_folded else "leaf",
        "name": name,
        "note": "",
        "lines": (line,),
        "width": max(text_width(name, NAME, bold=True), text_width(line, SMALL), 56.0) + 24,
        "height": LEAF_CARD,
    }


def score_name(tree: TreeData) -> str:
    """Return the name of the score by which the splits of a tree were chosen."""
    return dialect_of(tree).score_name or str(tree.recipe.get("criterion", "gain"))


def _score_text(tree: TreeData, node: int, lang: str) -> str:
    criterion = score_name(tree)
    word = say(f"measure_{criterion}", lang) if criterion in _TRANSLATED_SCORES else criterion
    return f"{word} {float(tree.nodes.score[node]):.3f}"


_TRANSLATED_SCORES = {"gain", "gain_ratio", "gini", "variance", "improvement", "score"}


def _counts(tree: TreeData, node: int) -> str:
    if not tree.has_counts:
        return ""
    total = tree.nodes.total[node]
    if tree.is_regression:
        return value_text(tree, node)
    if len(total) <= 4:
        return " : ".join(weight_text(v) for v in total.tolist())
    share = float(total[tree.values[node]] / total.sum()) if total.sum() else 0.0
    return f"{value_text(tree, node)} {round(100 * share)}%"


def heading(tree: TreeData, lang: str, title: str | None) -> dict[str, Any]:
    """Return the heading of a diagram: ``title``, ``facts`` (one line) and ``legend``."""
    recipe = str(tree.recipe.get("name", ""))
    facts = [recipe] if recipe else []
    if tree.has_counts:
        facts.append(rows_of(float(tree.weight[0]), lang))
    facts += [say("leaves", lang, n=tree.n_leaves), say("depth", lang, n=tree.depth)]
    training = tree.about.get("training")
    if training:
        correct, of = weight_text(training["correct"]), weight_text(training["of"])
        facts.append(say("training_share", lang, right=correct, of=of))
    if isinstance(n_missing := tree.about.get("missing"), dict) and n_missing:
        columns = ", ".join(f"{quoted(name)} {n}" for name, n in n_missing.items())
        facts.append(say("mark_missing_in", lang, columns=columns))
    legend = legend_entries(tree, lang)
    return {"title": title or tree.target.name, "facts": " | ".join(facts), "legend": legend}


def _level_tops(tree: TreeData, shown: list[int], contents: list[dict[str, Any]]) -> list[float]:
    """Return the upper edge of each level."""
    n_levels = max(int(tree.depths[node]) for node in shown) + 1
    heights = [0.0] * n_levels
    for node, content in zip(shown, contents, strict=True):
        level = int(tree.depths[node])
        heights[level] = max(heights[level], content["height"])
    tops = [0.0]
    for level in range(1, n_levels):
        tops.append(tops[-1] + heights[level - 1] + DROP + LABEL)
    return tops
