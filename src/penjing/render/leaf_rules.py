"""A tree as IF … THEN rules, one a leaf: intervals merged, support and confidence beside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from penjing.arguments import one_of
from penjing.data.statistics import wilson
from penjing.i18n import say
from penjing.text.branch_order import walk_in_order
from penjing.text.font_metrics import terminal_columns
from penjing.text.labels import CutText, cut_text, quoted, value_text, weight_text
from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData


@dataclass(frozen=True, slots=True)
class Rule:
    """One path of a tree: conditions by column, the answer, and how well it is supported."""

    node: int
    conditions: tuple[str, ...]
    answer: str
    weight: float
    right: float

    @property
    def confidence(self) -> float:
        """The share of the leaf's training rows that the rule gets right."""
        return self.right / self.weight if self.weight > 0 else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Where that share may lie among more such rows, with 95 % confidence (Wilson)."""
        return wilson(self.right, self.weight) if self.weight > 0 else (0.0, 1.0)


@dataclass(slots=True)
class _Bounds:
    """What a path says of one column so far."""

    low: CutText | None = None
    high: CutText | None = None
    levels: list[int] = field(default_factory=list)
    is_known: bool | None = None


def rules_of(tree: TreeData, lang: str = "en") -> Iterator[Rule]:
    """Yield the rule of each leaf, in the order of the drawing.

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
        right = weight if tree.is_regression else float(tree.nodes.total[node, tree.values[node]])
        yield Rule(node, conditions_of(tree, node, lang), value_text(tree, node), weight, right)


def conditions_of(tree: TreeData, node: int, lang: str = "en") -> tuple[str, ...]:
    """Return what must hold for a row to reach a node, each column once, in order of asking."""
    bounds: dict[int, _Bounds] = {}
    for parent, child in pairwise(tree.path(node)):
        asked = int(tree.nodes.column[parent])
        said = bounds.setdefault(asked, _Bounds())
        if np.isnan(tree.nodes.cut[parent]):
            said.levels = tree.nodes.levels(child).tolist()
        elif np.isinf(tree.nodes.cut[parent]):  # known, or not
            said.is_known = bool(child == tree.first_child[parent])
        elif child == tree.first_child[parent]:
            said.high = cut_text(tree, parent)  # deeper cuts are the tighter ones
        else:
            said.low = cut_text(tree, parent)
    return tuple(_condition(tree, asked, said, lang) for asked, said in bounds.items())


def _condition(tree: TreeData, asked: int, said: _Bounds, lang: str) -> str:
    field_ = tree.schema[asked]
    name = quoted(field_.name)
    if said.levels:
        names = [quoted(level_text(field_, code)) for code in said.levels]
        if len(names) == 1:
            return f"{name} = {names[0]}"
        return f"{name} {say('rule_in', lang)} {{{', '.join(names)}}}"
    if said.low and said.high:
        sign = "≤" if said.low.is_open else "<"
        return f"{said.low.number} {sign} {name} {said.high.side(0)}"
    if said.high:
        return f"{name} {said.high.side(0)}"
    if said.low:
        return f"{name} {said.low.side(1)}"
    return f"{name} ≠ ?" if said.is_known else f"{name} = ?"


def write(tree: TreeData, *, order: str = "tree", lang: str = "en") -> str:
    """Return the rules as aligned text.

    Parameters
    ----------
    tree : TreeData
        The tree.
    order : str
        ``tree``: as drawn; ``support``: the rules that cover most rows first.
    lang : str
        ``en`` or ``zh``.
    """
    one_of("order", order, ("tree", "support"))
    rules = list(rules_of(tree, lang))
    if order == "support":
        rules.sort(key=lambda rule: -rule.weight)
    answer_room = max(terminal_columns(rule.answer) for rule in rules)
    support_room = max(terminal_columns(weight_text(rule.weight)) for rule in rules)
    lines = []
    for rule in rules:
        answer = rule.answer + " " * (answer_room - terminal_columns(rule.answer))
        told = answer
        if tree.has_counts:
            told += f"  {weight_text(rule.weight):>{support_room}}"
            if not tree.is_regression:
                low, high = (f"{100 * end:.0f}" for end in rule.interval)
                told += f"  {100 * rule.confidence:3.0f}% {f'({low}-{high})':<8}"
        when = say("rule_and", lang).join(rule.conditions)
        lines.append(f"{told}  {say('rule_when', lang)} {when}" if when else told)
    return "\n".join(lines)
