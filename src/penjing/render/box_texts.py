"""The texts, bars and size of the boxes of a diagram, before they have a place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from penjing.data.statistics import percent
from penjing.data.table import Floats
from penjing.evaluate.leaf_results import LeafResult, LeafResults
from penjing.i18n import say
from penjing.render import annotations as node_notes
from penjing.render.class_colours import class_order, colour_indices, stacked_bar
from penjing.render.data_plot import EXTRA, INSET, DataPlot, data_plot
from penjing.render.heading import share_text
from penjing.render.leaf_rules import conditions_of_nodes
from penjing.render.value_scale import ValueScale, short_number, spreads_of
from penjing.render.visible_nodes import VisibleNodes, count_leaves
from penjing.text.direction import isolated
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
from penjing.text.row_amounts import size_of
from penjing.tree.dialect import dialect_of
from penjing.tree.tree_data import TreeData

NAME, SMALL = 14.0, 11.0
"""Font sizes: of names, and of all other texts."""
MAX_NAME = 170.0
"""Wider names are clipped; the tooltip shows them in full."""
CARD, LEAF_CARD, PLAIN_CARD = 54.0, 44.0, 28.0
"""Heights of the boxes of splits and of leaves, and of boxes without counts."""
TEXT_LINE = 14.0
"""What another line of text adds to the height of a leaf."""
TEST_STRIP = 12.0
"""What the strip of test rows adds to the height of a leaf, beside its text."""
BAR_ROOM = 6.0
"""What a leaf is lower by if test rows are below its texts, with no bar between."""
SHOW = ("data", "counts", "none")
MOST_WITH_DATA = 24
"""With at most so many leaves, a diagram shows the data by default; with more, the counts."""
MOST_COUNTED = 4
"""The card of a split counts at most so many classes; of more, it shows the largest shares."""
_TRANSLATED_SCORES = {"gain", "gain_ratio", "gini", "variance", "improvement", "score"}


@dataclass(frozen=True, slots=True)
class Strip:
    """An interval on a common axis from 0 to 1, and a mark within it.

    ``spread`` is a mean and its standard deviation, ``share`` a share of correct predictions and
    its 95% interval, ``mean`` the mean of test rows and its 95% interval.
    """

    low: float
    mark: float
    high: float
    kind: Literal["spread", "share", "mean"]


@dataclass(frozen=True, slots=True)
class BoxContent:
    """The box of one node without its place: ``kind`` is split, leaf, folded or gathered.

    A folded box stands for a subtree, a gathered one for several leaves of one prediction.
    ``bar`` has a segment (colour index, share) for each class present, ``value`` is where the
    prediction lies on the scale of a regression tree (-1 for classes).
    """

    node: int
    kind: str
    name: str
    note: str
    lines: tuple[str, ...]
    bar: tuple[tuple[int, float], ...]
    colour_index: int
    value: float
    spread: Strip | None
    test_text: str
    test: Strip | None
    plot: DataPlot | None
    branch_label: str
    tooltip: str
    width: float
    height: float


@dataclass(frozen=True)
class BoxWriter:
    """Makes the contents of boxes; the facts about the tree are computed once.

    Attributes
    ----------
    tree : TreeData
        The tree.
    visible : VisibleNodes
        What is drawn.
    lang : str
        ``en`` or ``zh``.
    show : str
        ``data``, ``counts`` or ``none``.
    scale : ValueScale or None
        The scale of a regression tree.
    results : LeafResults or None
        How test rows are predicted.
    class_indices : sequence of int or None
        The palette index of each class; None: by the rule of :mod:`penjing.render.class_colours`.
    """

    tree: TreeData
    visible: VisibleNodes
    lang: str
    show: str
    scale: ValueScale | None
    results: LeafResults | None
    class_indices: Sequence[int] | None = None

    def contents(self) -> list[BoxContent]:
        """Return the contents of all visible nodes, in the order of their numbers."""
        tree = self.tree
        facts = _Facts(
            count_leaves(tree),
            node_notes.tied_columns(tree),
            colour_indices(tree) if self.class_indices is None else list(self.class_indices),
            class_order(tree),
            {int(s["node"]): s for s in tree.sketch or ()} if self.show == "data" else {},
            tree.has_weights,
            spreads_of(tree).tolist() if tree.is_regression else [],
            conditions_of_nodes(tree, self.visible.children, self.lang),
        )
        return [
            self._leaf(node, facts)
            if tree.is_leaf[node] or node in self.visible.folded
            else self._split(node, facts)
            for node in sorted(self.visible.children)
        ]

    def _split(self, node: int, facts: _Facts) -> BoxContent:
        tree, lang = self.tree, self.lang
        column = tree.schema[int(tree.nodes.column[node])].name
        name = clip_middle(column, NAME, MAX_NAME, bold=True)
        note = score_text(tree, node, lang) if tree.has_counts else ""
        if node in facts.ties:
            note += f" {say('mark_tie', lang)}"
        counts = self._counts(node, facts)
        size = self._size(float(tree.weight[node]), facts) if tree.has_counts else ""
        size = f"{size}{node_notes.card_marks(tree, node, lang)}".strip()
        sketch = facts.sketches.get(node)
        plot = None
        if sketch is not None:
            drawn = [self.visible.gathered.get(c, [c]) for c in self.visible.children[node]]
            look = (facts.indices, facts.order, self.scale)
            plot = data_plot(tree, sketch, *look, branches=drawn, lang=lang)
        is_plain = self.show == "none"
        if is_plain:
            note = counts = size = ""
        width = max(
            text_width(name, NAME, bold=True) + 14 + text_width(note, SMALL),
            text_width(counts, SMALL) + 14 + text_width(size, SMALL),
            0.0 if plot is None else plot.width + 2 * INSET - 20,
            84.0,
        )
        if tree.has_counts and not is_plain:
            counts = _with_more_classes(tree, node, counts, width - 14 - text_width(size, SMALL))
        is_low = is_plain or not (tree.has_counts or size)
        height = PLAIN_CARD if is_low else CARD + (EXTRA if plot is not None else 0.0)
        return BoxContent(
            node=node,
            kind="split",
            name=isolated(name),
            note=note,
            lines=(counts, size),
            plot=plot,
            test_text="",
            test=None,
            width=width + 20,
            height=height,
            **self._common(node, tree.nodes.total[node], facts),
        )

    def _leaf(self, node: int, facts: _Facts) -> BoxContent:
        tree, lang = self.tree, self.lang
        members = self.visible.gathered.get(node, [node])
        is_folded = node in self.visible.folded
        total = tree.nodes.total[members].sum(axis=0)
        weight = float(tree.weight[members].sum())
        name = clip_middle(self._prediction(members), NAME, MAX_NAME, bold=True)
        lines = []
        if is_folded:
            n = facts.n_leaves[node]
            key = "folded_leaves" if tree.has_counts else "folded_leaves_uncounted"
            lines.append(say(key, lang, n=n, size=self._size(weight, facts)))
        elif len(members) > 1:
            key = "gathered_leaves" if tree.has_counts else "gathered_leaves_uncounted"
            lines.append(say(key, lang, n=len(members), size=self._size(weight, facts)))
        elif tree.has_counts:
            lines.append(self._leaf_counts(node, total, weight, facts))
        if self.show == "data" and tree.has_counts:
            lines.append(
                share_text(weight, float(tree.weight[0]), lang, is_weight=facts.has_weights)
            )
        if self.show == "none" and not is_folded and len(members) == 1:
            lines = []
        test_text, test = self._test(node, members)
        width = max(
            text_width(name, NAME, bold=True),
            *(text_width(line, SMALL) for line in (*lines, test_text)),
            56.0,
        )
        common = self._common(node, total, facts)
        height = LEAF_CARD + TEXT_LINE * (len(lines) - 1) if lines else PLAIN_CARD
        if test_text:
            height += TEXT_LINE + TEST_STRIP
            if not common["bar"] and common["spread"] is None:
                height -= BAR_ROOM
        kind = "folded" if is_folded else "gathered" if len(members) > 1 else "leaf"
        return BoxContent(
            node=node,
            kind=kind,
            name=isolated(name),
            note="",
            lines=tuple(lines),
            plot=None,
            test_text=test_text,
            test=test,
            width=width + 24,
            height=height,
            **common,
        )

    def _common(self, node: int, total: Floats, facts: _Facts) -> dict[str, Any]:
        """Return what all boxes have: bar, colours, branch label and tooltip."""
        tree, lang = self.tree, self.lang
        members = self.visible.gathered.get(node, [node])
        weight = float(tree.reader.weight(total))
        bar: tuple[tuple[int, float], ...] = ()
        has_bar = tree.has_counts and weight > 0 and self.show != "none"
        if has_bar and not tree.is_regression:
            bar = stacked_bar((total / weight).tolist(), facts.indices, facts.order)
        spread = None
        if self.scale is not None and tree.has_counts and self.show != "none":
            spread = _spread_strip(self.scale, *_pooled(tree, members, weight, facts.spreads))
        rule = say("rule_and", lang).join(facts.conditions[node]) or say("root", lang)
        tied = facts.ties.get(node, ())
        colon = say("label_colon", lang)
        tooltip = f"{rule}{colon}{value_text(tree, node)}{counts_text(tree, node)}"
        if len(members) > 1:
            names = _all_names(tree, members, lang)
            tooltip = f"{names}{colon}{self._prediction(members)}"
        return {
            "bar": bar,
            "colour_index": -1 if tree.is_regression else facts.indices[int(tree.values[node])],
            "value": -1.0 if self.scale is None else self.scale.relative(float(tree.values[node])),
            "spread": spread,
            "branch_label": "" if node == 0 else branch_label(tree, node, lang, members),
            "tooltip": say("clause_semicolon", lang).join(
                [
                    tooltip,
                    *self._score_note(node, facts),
                    *node_notes.tooltip_notes(tree, node, lang, tied),
                ]
            ),
        }

    def _score_note(self, node: int, facts: _Facts) -> list[str]:
        """Return what the score of a split means."""
        tree = self.tree
        if tree.is_leaf[node] or not tree.has_counts or self.show == "none":
            return []
        if tree.is_regression:
            share = removed_variance(tree, node)
            return [] if share is None else [say("tip_variance", self.lang, share=_per_cent(share))]
        criterion = score_name(tree)
        is_known = criterion in _TRANSLATED_SCORES - {"variance"}
        weight = "_weight" if criterion == "improvement" and facts.has_weights else ""
        return [say(f"tip_{criterion}{weight}", self.lang)] if is_known else []

    def _prediction(self, members: Sequence[int]) -> str:
        """Return the prediction of a leaf, or of several: a class, a number, or a range."""
        tree = self.tree
        if not tree.is_regression:
            return value_text(tree, members[0])
        values = tree.values[list(members)]
        low, high = self._number(float(values.min())), self._number(float(values.max()))
        return low if low == high else say("picture_range", self.lang, low=low, high=high)

    def _number(self, value: float) -> str:
        """Return a predicted number, or a mean."""
        return short_number(value) if self.scale is None else self.scale.text(value)

    def _counts(self, node: int, facts: _Facts) -> str:
        """Return the rows of a split by class, or their mean and standard deviation."""
        tree = self.tree
        if not tree.has_counts:
            return ""
        total = tree.nodes.total[node]
        if tree.is_regression:
            mean = self._number(float(tree.values[node]))
            return f"{mean} ± {short_number(facts.spreads[node])}"
        if len(total) <= MOST_COUNTED:
            return " : ".join(weight_text(float(total[k])) for k in facts.order)
        weight = float(np.sum(total))
        share = float(total[tree.values[node]]) / weight if weight else 0.0
        name = clip_middle(value_text(tree, node), SMALL, MAX_NAME)
        return f"{isolated(name)} {round(100 * share)}%"

    def _size(self, weight: float, facts: _Facts) -> str:
        return size_of(weight, self.lang, is_weight=facts.has_weights)

    def _leaf_counts(self, node: int, total: Floats, weight: float, facts: _Facts) -> str:
        tree = self.tree
        if tree.is_regression:
            return f"± {short_number(facts.spreads[node])} {self._size(weight, facts)}"
        correct = float(total[int(tree.values[node])])
        share = f" {round(100 * (correct / weight))}%" if weight > 0 else ""
        return f"{weight_text(correct)}/{weight_text(weight)}{share}"

    def _test(self, node: int, members: Sequence[int]) -> tuple[str, Strip | None]:
        """Return what the test rows of a leaf, or of a folded subtree, say."""
        if self.results is None:
            return "", None
        result = self.results.of(
            _subtree(self.tree, node) if node in self.visible.folded else members
        )
        if not result.weight > 0:
            return say("picture_test_none", self.lang), None
        return self._test_text(result), self._test_strip(result)

    def _test_text(self, result: LeafResult) -> str:
        if self.tree.is_regression:
            return say(
                "picture_test_number",
                self.lang,
                mean=self._number(result.mean),
                rmse=short_number(result.rmse),
                size=size_of(result.weight, self.lang, is_weight=self.tree.has_weights),
            )
        return say(
            "picture_test",
            self.lang,
            right=weight_text(result.correct),
            of=weight_text(result.weight),
            share=percent(result.correct, result.weight),
        )

    def _test_strip(self, result: LeafResult) -> Strip:
        if self.scale is None:
            low, high = result.interval
            return Strip(low, result.correct / result.weight, high, "share")
        low, high = result.mean_interval
        on_axis = self.scale.on_axis
        return Strip(on_axis(low), on_axis(result.mean), on_axis(high), "mean")


@dataclass(frozen=True, slots=True)
class _Facts:
    """Computed once for a tree."""

    n_leaves: list[int]
    ties: Mapping[int, Sequence[str]]
    indices: list[int]
    order: list[int]
    sketches: Mapping[int, Mapping[str, Any]]
    has_weights: bool
    spreads: list[float]
    conditions: Mapping[int, tuple[str, ...]]


def _spread_strip(scale: ValueScale, value: float, spread: float) -> Strip:
    low, high = scale.on_axis(value - spread), scale.on_axis(value + spread)
    return Strip(low, scale.on_axis(value), high, "spread")


def _pooled(
    tree: TreeData, members: Sequence[int], weight: float, spreads: Sequence[float]
) -> tuple[float, float]:
    """Return the mean of the predictions of leaves, and the deviation of their rows from it."""
    values = tree.values[list(members)].tolist()
    if len(members) == 1 or not weight > 0:
        return float(values[0]), spreads[members[0]]
    weights = [float(tree.weight[m]) / weight for m in members]
    mean = sum(w * v for w, v in zip(weights, values, strict=True))
    square = sum(
        w * (spreads[m] ** 2 + (v - mean) ** 2)
        for w, v, m in zip(weights, values, members, strict=True)
    )
    return mean, math.sqrt(square)


def _subtree(tree: TreeData, node: int) -> list[int]:
    """Return the nodes of a subtree."""
    found = [node]
    for each in found:  # grows while it is walked
        found.extend(tree.children(each))
    return found


def _all_names(tree: TreeData, members: Sequence[int], lang: str) -> str:
    parent, _ = tree.parent_of(members[0])
    column = tree.schema[int(tree.nodes.column[parent])].name
    names = [name for member in members for name in group_names(tree, member)]
    return f"{column}{say('label_colon', lang)}{say('list_comma', lang).join(names)}"


def branch_label(tree: TreeData, node: int, lang: str, members: Sequence[int] | None = None) -> str:
    """Return the label of the branch into a node, clipped to ``MAX_NAME``.

    `members` are the leaves that the node stands for, if they are several.
    """
    parent, branch = tree.parent_of(node)
    column = tree.schema[int(tree.nodes.column[parent])]
    all_members = members or [node]
    receives = any(node_notes.receives_missing(tree, member) for member in all_members)
    mark = f" {say('mark_missing', lang)}" if receives else ""
    names = [name for member in all_members for name in group_names(tree, member)]
    if names:
        return join_fitting(names, NAME - 2, MAX_NAME, bold=True) + mark
    text = answer_text(tree, parent, branch)
    if not column.is_numeric:  # a clipped number would be a wrong one
        text = clip_middle(text, NAME - 2, MAX_NAME, bold=True)
    return text + mark


def score_name(tree: TreeData) -> str:
    """Return the name of the score by which the splits of a tree were chosen."""
    return dialect_of(tree).score_name or str(tree.recipe.get("criterion", "gain"))


def score_text(tree: TreeData, node: int, lang: str) -> str:
    """Return how good a split is: its score or, for regression, the variance that it removes."""
    if tree.is_regression:
        share = removed_variance(tree, node)
        return "" if share is None else say("picture_variance", lang, share=_per_cent(share))
    criterion = score_name(tree)
    word = say(f"measure_{criterion}", lang) if criterion in _TRANSLATED_SCORES else criterion
    return f"{word} {float(tree.nodes.score[node]):.3f}"


def _per_cent(share: float) -> str:
    return short_number(100 * share)


def removed_variance(tree: TreeData, node: int) -> float | None:
    """Return the share of the variance of a node's rows that its split removes.

    Rows that take no branch are left out. None if the rows have no variance.
    """
    totals = tree.nodes.total[list(tree.children(node))]
    before = float(tree.reader.loss(totals.sum(axis=0)))
    after = float(tree.reader.loss(totals).sum())
    if not (before > 0 and math.isfinite(before)):
        return None
    return max(1 - after / before, 0.0)


def _with_more_classes(tree: TreeData, node: int, counts: str, room: float) -> str:
    """Return the largest class of a node, and the next ones as far as they fit."""
    if tree.is_regression or len(tree.classes) <= MOST_COUNTED:
        return counts
    total = tree.nodes.total[node]
    weight, predicted = float(total.sum()), int(tree.values[node])
    for k in np.argsort(-total, kind="stable").tolist():
        if k == predicted or total[k] <= 0:
            continue
        share = round(100 * float(total[k]) / weight)
        text = f"{counts}, {isolated(quoted(tree.classes[k]))} {share}%"
        if text_width(text, SMALL) > room:
            break
        counts = text
    return counts
