"""A tree as IF … THEN rules, one for each leaf, with support and confidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from penjing.arguments import one_of, optional_whole_number
from penjing.data.statistics import wilson
from penjing.formatting.text_table import align_left, max_width
from penjing.i18n import say
from penjing.text.branch_order import children_in_order
from penjing.text.labels import (
    CutText,
    condition_text,
    cut_text,
    percent_ends,
    quoted,
    value_text,
    weight_text,
)
from penjing.tree.path_splits import PathSplits, Side, splits_on_path, splits_on_paths
from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule of one leaf: conditions, prediction, and the weight of all and of correct rows."""

    node: int
    conditions: tuple[str, ...]
    prediction: str
    weight: float
    correct: float

    @property
    def confidence(self) -> float:
        """The share of the leaf's training rows that the rule predicts correctly."""
        return self.correct / self.weight if self.weight > 0 else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% confidence interval of that share (Wilson)."""
        return wilson(self.correct, self.weight) if self.weight > 0 else (0.0, 1.0)


def rules_of(tree: TreeData, lang: str = "en") -> Iterator[Rule]:
    """Yield the rule of each leaf, in the order in which the tree is drawn.

    Examples
    --------
    >>> import penjing
    >>> below = {"x": {"<= 2.0": "a", "> 2.0": "b"}}
    >>> tree = penjing.Tree.from_dict({"x": {"<= 5.0": below, "> 5.0": "a"}})
    >>> [rule.conditions for rule in rules_of(tree)]
    [('x ≤ 2',), ('2 < x ≤ 5',), ('x > 5',)]
    """
    leaves = np.flatnonzero(tree.is_leaf).tolist()
    thresholds = _thresholds(tree)
    for node, splits in splits_on_paths(tree, leaves, children_in_order):
        weight = float(tree.weight[node])
        correct = weight if tree.is_regression else float(tree.nodes.total[node, tree.values[node]])
        conditions = _conditions(tree, splits, thresholds, lang)
        yield Rule(node, conditions, value_text(tree, node), weight, correct)


def conditions_of(tree: TreeData, node: int, lang: str = "en") -> tuple[str, ...]:
    """Return the conditions for reaching a node, one for each column of its path."""
    return _conditions(tree, splits_on_path(tree, node), _thresholds(tree), lang)


def conditions_of_nodes(
    tree: TreeData, nodes: Iterable[int], lang: str = "en"
) -> dict[int, tuple[str, ...]]:
    """Return the conditions for reaching each of some nodes.

    Examples
    --------
    >>> import penjing
    >>> below = {"x": {"<= 2.0": "a", "> 2.0": "b"}}
    >>> tree = penjing.Tree.from_dict({"x": {"<= 5.0": below, "> 5.0": "a"}})
    >>> conditions_of_nodes(tree, [2, 4])
    {4: ('2 < x ≤ 5',), 2: ('x > 5',)}
    """
    thresholds = _thresholds(tree)
    return {
        node: _conditions(tree, splits, thresholds, lang)
        for node, splits in splits_on_paths(tree, nodes)
    }


Thresholds = Callable[[int], CutText]
"""The threshold of a node as text."""


def _thresholds(tree: TreeData) -> Thresholds:
    """Return a function that writes the threshold of each node once."""
    return cache(partial(cut_text, tree))


def _conditions(
    tree: TreeData, splits: PathSplits, thresholds: Thresholds, lang: str
) -> tuple[str, ...]:
    """Return the conditions of a path, one for each column."""
    return tuple(
        _condition(tree, column, splits, thresholds, lang)
        for column in dict.fromkeys(column for column, _ in splits)
    )


def _condition(
    tree: TreeData, column: int, splits: PathSplits, thresholds: Thresholds, lang: str
) -> str:
    field = tree.schema[column]
    name = quoted(field.name)
    if (column, "in") in splits:
        codes = tree.nodes.levels(splits[column, "in"]).tolist()
        names = [quoted(level_text(field, code)) for code in codes]
        if len(names) == 1:
            return f"{name} = {names[0]}"
        if names:
            return f"{name} {say('rule_in', lang)} {{{', '.join(names)}}}"
    low, high = (
        thresholds(int(tree.nodes.parent[splits[column, side]]))
        if (column, side) in splits
        else None
        for side in _LOW_AND_HIGH
    )
    if low and high:
        sign = "≤" if low.is_open else "<"
        return f"{low.number} {sign} {name} {high.side(0)}"
    if high:
        return f"{name} {high.side(0)}"
    if low:
        return f"{name} {low.side(1)}"
    return f"{name} ≠ ?" if (column, "known") in splits else f"{name} = ?"


_LOW_AND_HIGH: tuple[Side, Side] = (">", "<=")


def write(
    tree: TreeData, *, order: str = "tree", lang: str = "en", width: int | None = None
) -> str:
    """Return the rules as aligned text.

    Parameters
    ----------
    tree : TreeData
        The tree.
    order : str
        ``tree``: as drawn; ``support``: rules with most rows first.
    lang : str
        ``en`` or ``zh``.
    width : int, optional
        Abbreviate groups of categories in conditions that are wider than half of this.
    """
    one_of("order", order, ("tree", "support"))
    width = optional_whole_number("width", width, 1)
    most = None if width is None else width // 2
    rules = list(rules_of(tree, lang))
    if order == "support":
        rules.sort(key=lambda rule: -rule.weight)
    prediction_width = max_width(rule.prediction for rule in rules)
    support_width = max_width(weight_text(rule.weight) for rule in rules)
    lines = []
    for rule in rules:
        line = align_left(rule.prediction, prediction_width)
        if tree.has_counts:
            line += f"  {weight_text(rule.weight):>{support_width}}"
            if not tree.is_regression:
                low, high = percent_ends(rule.interval)
                line += f"  {100 * rule.confidence:3.0f}% {f'({low}-{high})':<8}"
        conditions = say("rule_and", lang).join(
            condition_text(c, lang, most=most) for c in rule.conditions
        )
        lines.append(f"{line}  {say('rule_when', lang)} {conditions}" if conditions else line)
    return "\n".join(lines)
