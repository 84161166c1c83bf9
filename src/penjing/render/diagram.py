"""What a picture of a tree shows: boxes, arms and texts, before any drawing.

The scene is made from the tree alone and is plain data, so that every picture (SVG, HTML,
matplotlib, the page) shows the same thing.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penjing.arguments import whole_number
from penjing.i18n import say
from penjing.render import annotations as card_notes
from penjing.render.class_colours import bar_of, legend_of, shades_of
from penjing.render.layout import place
from penjing.render.leaf_rules import conditions_of
from penjing.text.branch_order import children_in_order
from penjing.text.font_metrics import clip_middle, join_fitting, width
from penjing.text.labels import (
    answer_text,
    counts_text,
    group_names,
    quoted,
    value_text,
    weight_text,
)
from penjing.tree.tree_data import TreeData

NAME, SMALL = 14.0, 11.0
"""Type sizes: names, and everything else."""
MAX_NAME = 170.0
"""A longer name is cut; the tooltip has it whole."""
CARD, LEAF_CARD = 54.0, 44.0
"""Heights of a question and of a leaf."""
LABEL, DROP = 20.0, 34.0
"""Heights reserved for the answer above a box, and for the curve above the answer."""
MARGIN = 16.0
MAX_LEAVES = 64
"""How many leaves are drawn; beyond it, what covers fewest rows is folded."""


@dataclass(frozen=True, slots=True)
class Box:
    """One card: a question, a leaf, or a folded subtree."""

    node: int
    kind: str
    x: float
    y: float
    wide: float
    high: float
    name: str
    note: str
    lines: tuple[str, ...]
    bar: tuple[tuple[int, float], ...]
    shade: int
    answer: str
    title: str
    parent: int
    thick: float


@dataclass(frozen=True, slots=True)
class Scene:
    """All boxes, and what stands above them."""

    boxes: tuple[Box, ...]
    wide: float
    high: float
    title: str
    facts: str
    legend: tuple[tuple[str, str], ...]
    hidden: str
    lang: str
    meta: dict[str, Any] = field(default_factory=dict)


def scene_of(
    tree: TreeData,
    *,
    lang: str = "en",
    title: str | None = None,
    max_leaves: int = MAX_LEAVES,
) -> Scene:
    """Return the scene of a tree.

    Parameters
    ----------
    tree : TreeData
        What to show.
    lang : str
        ``en`` or ``zh``.
    title : str, optional
        The heading; the target's name if not given.
    max_leaves : int
        How many leaves to show before subtrees are folded, those with most rows unfolded first.
    """
    children, is_folded = unfolded(tree, whole_number("max_leaves", max_leaves, 1))
    shown = sorted(children)
    number = {node: i for i, node in enumerate(shown)}
    known = (tree_leaves(tree), card_notes.ties_of(tree), shades_of(tree))
    drafts = [_draft(tree, node, lang, folded=node in is_folded, known=known) for node in shown]
    answers = ["" if node == 0 else branch_label(tree, node, lang) for node in shown]
    widths = [
        max(draft["wide"], width(answer, NAME - 2, bold=True) + 4)
        for draft, answer in zip(drafts, answers, strict=True)
    ]
    middle = place([[number[c] for c in children[node]] for node in shown], widths)
    head = heading(tree, lang, title)
    tops = _tops(tree, shown, drafts)
    root_weight = max(float(tree.weight[0]), 1e-300)
    boxes = tuple(
        Box(
            node=node,
            kind=draft["kind"],
            x=MARGIN + middle[i] - draft["wide"] / 2,
            y=tops[int(tree.depths[node])],
            wide=draft["wide"],
            high=draft["high"],
            name=draft["name"],
            note=draft["note"],
            lines=draft["lines"],
            bar=draft["bar"],
            shade=draft["shade"],
            answer=answers[i],
            title=draft["title"],
            parent=number[int(tree.nodes.parent[node])] if node else -1,
            thick=1.2 + 8.8 * float(tree.weight[node]) / root_weight,
        )
        for i, (node, draft) in enumerate(zip(shown, drafts, strict=True))
    )
    wide = max(
        max(m + w / 2 for m, w in zip(middle, widths, strict=True)) + 2 * MARGIN,
        width(head["title"], 18, bold=True) + 2 * MARGIN,
        width(head["facts"], SMALL + 1) + 2 * MARGIN,
        sum(width(f"{a} ({b})", SMALL + 1) + 34 for a, b in head["legend"]) + 2 * MARGIN,
    )
    high = max(box.y + box.high for box in boxes) + MARGIN
    n_hidden = sum(known[0][node] for node in is_folded)
    hidden = say("picture_folded", lang, n=n_hidden, folded=len(is_folded)) if is_folded else ""
    if n_out := int(tree.n_children[0]) - len(children[0]):
        out = say("picture_left_out", lang, n=n_out, of=int(tree.n_children[0]))
        hidden = " | ".join(filter(None, (out, hidden)))
    return Scene(boxes, wide, high, head["title"], head["facts"], head["legend"], hidden, lang)


def unfolded(tree: TreeData, max_leaves: int) -> tuple[dict[int, list[int]], set[int]]:
    """Return the visible nodes with their visible children, and which of them are folded.

    Of a first question with more branches than that, those with most rows are visible.
    """
    children: dict[int, list[int]] = {0: []}
    closed = [(-float(tree.weight[0]), 0)] if not tree.is_leaf[0] else []
    n_ends = 1
    while closed:
        _, node = closed[0]
        kids = children_in_order(tree, node)
        if n_ends - 1 + len(kids) > max_leaves:
            if node != 0:
                break
            kids = kids[: max(max_leaves, 2)]  # most rows first
        heapq.heappop(closed)
        children[node] = kids
        n_ends += len(kids) - 1
        for kid in kids:
            children[kid] = []
            if not tree.is_leaf[kid]:
                heapq.heappush(closed, (-float(tree.weight[kid]), kid))
    return children, {node for _, node in closed}


def tree_leaves(tree: TreeData) -> list[int]:
    """Return the number of leaves below each node."""
    count = tree.is_leaf.astype(np.int64)
    parent = tree.nodes.parent
    for node in range(len(count) - 1, 0, -1):
        count[parent[node]] += count[node]
    return [int(c) for c in count]


def branch_label(tree: TreeData, node: int, lang: str) -> str:
    """Return what stands above a box: the answer that leads there, cut to its room."""
    parent, branch = tree.parent_of(node)
    asked = tree.schema[int(tree.nodes.column[parent])]
    mark = f" {say('mark_missing', lang)}" if card_notes.takes_missing(tree, node) else ""
    names = group_names(tree, node)
    if names:
        return join_fitting(names, NAME - 2, MAX_NAME, bold=True) + mark
    text = answer_text(tree, parent, branch)
    if not asked.is_numeric:
        text = clip_middle(text, NAME - 2, MAX_NAME, bold=True)
    return text + mark  # half a number would be a wrong one


Known = tuple[list[int], dict[int, list[str]], list[int]]
"""What is counted once for a whole tree: leaves below each node, its ties, colours of classes."""


def _draft(tree: TreeData, node: int, lang: str, *, folded: bool, known: Known) -> dict[str, Any]:
    """Return the texts of a box and the room they need."""
    leaves, ties, shades = known
    weight = float(tree.weight[node])
    total = tree.nodes.total[node]
    is_empty = tree.is_regression or weight <= 0
    class_ = -1 if tree.is_regression else int(tree.values[node])
    painted = {
        "bar": () if is_empty else bar_of((total / weight).tolist(), shades),
        "shade": -1 if tree.is_regression else shades[class_],
    }
    is_question = not tree.is_leaf[node] and not folded
    rule = say("rule_and", lang).join(conditions_of(tree, node, lang)) or say("root", lang)
    answer = value_text(tree, node)
    tip = card_notes.long(tree, node, lang, ties.get(node, ()))
    title = "; ".join([f"{rule}: {answer}{counts_text(tree, node)}", *tip])
    if is_question:
        asked = tree.schema[int(tree.nodes.column[node])].name
        name = clip_middle(asked, NAME, MAX_NAME, bold=True)
        note = _worth(tree, node, lang) if tree.has_counts else ""
        if node in ties:
            note += f" {say('mark_tie', lang)}"
        counts = _counts(tree, node)
        weighs = f"n={weight_text(weight)}" if tree.has_counts else ""
        weighs = f"{weighs}{card_notes.short(tree, node, lang)}".strip()
        wide = max(
            width(name, NAME, bold=True) + 14 + width(note, SMALL),
            width(counts, SMALL) + 14 + width(weighs, SMALL),
            84.0,
        )
        return {"kind": "question", "name": name, "note": note, "lines": (counts, weighs)} | {
            "wide": wide + 20,
            "high": CARD,
            "title": title,
            **painted,
        }
    name = clip_middle(answer, NAME, MAX_NAME, bold=True)
    if folded:
        line = say("folded_leaves", lang, n=leaves[node], weight=weight_text(weight))
    elif not tree.has_counts:
        line = ""
    elif tree.is_regression:
        line = f"n={weight_text(weight)}"
    else:
        right = float(total[class_])
        share = f" {round(100 * (right / weight))}%" if weight > 0 else ""
        line = f"{weight_text(right)}/{weight_text(weight)}{share}"
    wide = max(width(name, NAME, bold=True), width(line, SMALL), 56.0) + 24
    kind = "folded" if folded else "leaf"
    return {"kind": kind, "name": name, "note": "", "lines": (line,), "wide": wide} | {
        "high": LEAF_CARD,
        "title": title,
        **painted,
    }


def measured_by(tree: TreeData) -> str:
    """Return by what the questions of a tree were judged; rpart's own is its improvement."""
    if tree.recipe.get("rules") == "rpart":
        return "improvement"  # n times the gain, or of squares a share
    if tree.recipe.get("rules") in ("quinlan", "c50"):
        return "score"  # a ratio or a gain of which a cut has its price taken off
    return str(tree.recipe.get("criterion", "gain"))


def _worth(tree: TreeData, node: int, lang: str) -> str:
    criterion = measured_by(tree)
    word = say(f"measure_{criterion}", lang) if criterion in _MEASURES else criterion
    return f"{word} {float(tree.nodes.score[node]):.3f}"


_MEASURES = {"gain", "gain_ratio", "gini", "variance", "improvement", "score"}


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
    """Return what stands above a picture: title, a line of facts, classes with their counts."""
    recipe = str(tree.recipe.get("name", ""))
    facts = [recipe] if recipe else []
    if tree.has_counts:
        facts.append(say("rows", lang, n=weight_text(float(tree.weight[0]))))
    facts += [say("leaves", lang, n=tree.n_leaves), say("depth", lang, n=tree.depth)]
    training = tree.about.get("training")
    if training:
        right, of = weight_text(training["correct"]), weight_text(training["of"])
        facts.append(say("training_share", lang, right=right, of=of))
    if isinstance(lacking := tree.about.get("missing"), dict) and lacking:
        columns = ", ".join(f"{quoted(name)} {n}" for name, n in lacking.items())
        facts.append(say("mark_missing_in", lang, columns=columns))
    legend = legend_of(tree, lang)
    return {"title": title or tree.target.name, "facts": " | ".join(facts), "legend": legend}


def _tops(tree: TreeData, shown: list[int], drafts: list[dict[str, Any]]) -> list[float]:
    """Return the upper edge of each level."""
    n_levels = max(int(tree.depths[node]) for node in shown) + 1
    high = [0.0] * n_levels
    for node, draft in zip(shown, drafts, strict=True):
        level = int(tree.depths[node])
        high[level] = max(high[level], draft["high"])
    tops = [0.0]
    for level in range(1, n_levels):
        tops.append(tops[-1] + high[level - 1] + DROP + LABEL)
    return tops
