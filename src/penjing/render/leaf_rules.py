"""A tree as IF … THEN rules, one for each leaf, with support and confidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from penjing.arguments import one_of, optional_whole_number
from penjing.data.statistics import wilson
from penjing.formatting.text_table import align_left, max_width
from penjing.i18n import say
from penjing.text.branch_order import walk_in_order
from penjing.text.labels import (
    CutText,
    condition_text,
    cut_text,
    percent_ends,
    quoted,
    value_text,
    weight_text,
)
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


@dataclass(slots=True)
class _Bounds:
    """The conditions of a path on one column."""

    low: CutText | None = None
    high: CutText | None = None
    levels: list[int] = field(default_factory=list)
    is_known: bool | None = None


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
    for node in walk_in_order(tree):
        if not tree.is_leaf[node]:
            continue
        weight = float(tree.weight[node])
        correct = weight if tree.is_regression else float(tree.nodes.total[node, tree.values[node]])
        yield Rule(node, conditions_of(tree, node, lang), value_text(tree, node), weight, correct)


def conditions_of(tree: TreeData, node: int, lang: str = "en") -> tuple[str, ...]:
    """Return the conditions for reaching a node, one for each column of its path."""
    bounds_by_column: dict[int, _Bounds] = {}
    for parent, child in pairwise(tree.path(node)):
        column = int(tree.nodes.column[parent])
        bounds = bounds_by_column.setdefault(column, _Bounds())
        if np.isnan(tree.nodes.cut[parent]):
            bounds.levels = tree.nodes.levels(child).tolist()
        elif np.isinf(tree.nodes.cut[parent]):  # the split tests whether the value is missing
            bounds.is_known = bool(child == tree.first_child[parent])
        elif child == tree.first_child[parent]:
            bounds.high = cut_text(tree, parent)  # deeper thresholds are tighter
        else:
            bounds.low = cut_text(tree, parent)
    return tuple(
        _condition(tree, column, bounds, lang) for column, bounds in bounds_by_column.items()
    )


def _condition(tree: TreeData, column: int, bounds: _Bounds, lang: str) -> str:
    field_ = tree.schema[column]
    name = quoted(field_.name)
    if bounds.levels:
        names = [quoted(level_text(field_, code)) for code in bounds.levels]
        if len(names) == 1:
            return f"{name} = {names[0]}"
        return f"{name} {say('rule_in', lang)} {{{', '.join(names)}}}"
    if bounds.low and bounds.high:
        sign = "≤" if bounds.low.is_open else "<"
        return f"{bounds.low.number} {sign} {name} {bounds.high.side(0)}"
    if bounds.high:
        return f"{name} {bounds.high.side(0)}"
    if bounds.low:
        return f"{name} {bounds.low.side(1)}"
    return f"{name} ≠ ?" if bounds.is_known else f"{name} = ?"


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
