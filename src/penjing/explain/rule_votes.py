"""Rules that vote, made from a tree in the manner of C5.0 -r: each has an accuracy and a lift.

1. Each leaf that rows reach is a rule. A condition is dropped while the errors to be expected
   of the rule (C4.5's upper bound, a row) do not rise.
2. Class after class, rules are left out or taken back as long as that saves bits: those that tell
   the rules (counted half), and those that tell which rows they get wrong (Quinlan 1993).
3. Rules stand class after class, the most accurate first: (right + 1) / (rows + 2).

A row is answered by all rules that hold for it, each voting with its accuracy; where none does,
by the default: the most frequent class of the training rows that no rule takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma, log, log2
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.table import Floats, Table
from penjing.errors import CapabilityError, ChoiceError
from penjing.explain.rule_conditions import (
    GONE,
    KNOWN,
    Condition,
    Mask,
    conditions_of,
    conditions_text,
)
from penjing.i18n import say
from penjing.predict.inputs import align, align_all
from penjing.prune.confidence import Bound
from penjing.text.labels import amount, quoted
from penjing.tree.tree_data import TreeData

THEORY = 0.5
"""What a bit of the rules counts against a bit of their exceptions: several say the same."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: what must hold, the answer, the rows it takes, and those it gets right."""

    conditions: tuple[Condition, ...]
    class_: int
    cover: float
    right: float
    lift: float
    texts: tuple[str, ...] = ()

    @property
    def accuracy(self) -> float:
        """The share of right answers, Laplace's."""
        return (self.right + 1) / (self.cover + 2)


@dataclass(frozen=True, eq=False)
class Votes:
    """Rules that vote, and the answer where none holds."""

    tree: TreeData
    rules: tuple[Rule, ...]
    default: int
    training: tuple[float, float]
    """Weight right, and of all training rows."""

    def predict(self, source: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - whatever `align` takes
        """Return the answer for each row."""
        answers = np.empty(len(self.tree.classes), object)
        answers[:] = self.tree.classes
        return answers[_answers(self.rules, self.default, align_all(self.tree, source), self.tree)]

    def to_json(self) -> dict[str, Any]:
        """Return the rules as plain data, in the form in which programs' rules are compared."""
        right, whole = self.training
        return {
            "rules": [
                {
                    "class": self.tree.classes[r.class_],
                    "cover": r.cover,
                    "ok": r.right,
                    "lift": r.lift,
                    "accuracy": r.accuracy,
                    "conditions": [c.to_json(self.tree) for c in r.conditions],
                }
                for r in self.rules
            ],
            "default": self.tree.classes[self.default],
            "training": {"correct": right, "of": whole},
            "leaves": self.tree.n_leaves,
        }

    def text(self, lang: str = "en", *, ascii_only: bool = False) -> str:
        """Return the rules as text."""
        lines = []
        for i, r in enumerate(self.rules, start=1):
            when = say("rule_and", lang).join(r.texts) or say("rule_always", lang)
            told = {
                "cover": amount(r.cover), "wrong": amount(r.cover - r.right), "when": when,
                "accuracy": f"{r.accuracy:.3f}", "lift": f"{r.lift:.1f}",
                "answer": quoted(self.tree.classes[r.class_]),
            }  # fmt: skip
            lines.append(f"{i:>3}  {say('votes_rule', lang, **told)}")
        default = quoted(self.tree.classes[self.default])
        lines.append(say("ruleset_default", lang, answer=default))
        right, whole = (amount(n) for n in self.training)
        n, leaves = len(self.rules), self.tree.n_leaves
        lines.append(say("votes_training", lang, n=n, leaves=leaves, right=right, of=whole))
        text = "\n".join(lines)
        return text.replace("≤", "<=") if ascii_only else text

    def __str__(self) -> str:
        return self.text()


def votes(tree: TreeData, data: Any, *, confidence: float | None = None) -> Votes:  # noqa: ANN401
    """Return rules that vote.

    Parameters
    ----------
    tree : TreeData
        A tree of classes.
    data : Table or source
        The training rows.
    confidence : float, optional
        The CF of C4.5's bound; the recipe's, else 0.25.

    Examples
    --------
    >>> import penjing
    >>> golf = penjing.example("golf")
    >>> print(votes(penjing.fit(golf, recipe="c5.0"), golf))
      1  "Don't Play"  3 rows, 0 wrong  0.800  lift 2.2  when outlook = sunny and humidity > 75
      2  "Don't Play"  2 rows, 0 wrong  0.750  lift 2.1  when outlook = rain and windy = true
      3  Play  4 rows, 0 wrong  0.833  lift 1.3  when outlook = overcast
      4  Play  3 rows, 0 wrong  0.800  lift 1.2  when outlook = rain and windy = false
    default: Play
    4 rules from 5 leaves, training 14/14
    """
    if tree.is_regression:
        raise CapabilityError("rules_need_classes", target=tree.target.name)
    if confidence is not None:
        arguments.confidence(confidence)
    table = align(tree, data)
    if table.target is None:
        raise ChoiceError("rules_need_target", target=tree.target.name)
    known = table.target.codes >= 0
    table = table if known.all() else table.take(known)
    bound = Bound(confidence or tree.recipe.get("confidence", 0.25))
    leaves = np.flatnonzero(tree.is_leaf & (tree.weight > 0)).tolist()
    found = [_simplified(*conditions_of(tree, leaf), table, bound) for leaf in leaves]
    made = [rule for rule in dict.fromkeys(found) if rule is not None]
    chosen = []
    for class_ in range(len(tree.classes)):
        chosen += _chosen([r for r in made if r[1] == class_], class_, table)
    return _finished(tree, chosen, table)


Plain = tuple[tuple[Condition, ...], int]


def _simplified(
    conditions: tuple[Condition, ...], class_: int, table: Table, bound: Bound
) -> Plain | None:
    """Return a rule without the conditions that do not make it better; None if nothing is left."""
    assert table.target is not None
    masks = {c: c.holds(table) for c in conditions}
    is_wrong = table.target.codes != class_

    def feared(kept: Sequence[Condition]) -> float:
        rows = _all(masks[c] for c in kept)
        weight = table.weights if rows is None else table.weights[rows]
        wrong = table.weights[is_wrong] if rows is None else table.weights[rows & is_wrong]
        n = float(weight.sum())
        return bound.estimate(n, float(wrong.sum())) / n if n > 0 else 1.0

    kept = list(conditions)
    now = feared(kept)
    while kept:
        tried = [feared([c for c in kept if c is not one]) for one in kept]
        best = int(np.argmin(tried))
        if tried[best] > now:
            break
        now = tried[best]
        kept.pop(best)
    return (tuple(kept), class_) if kept else None


def _all(masks: Any) -> Mask | None:  # noqa: ANN401 - an iterable of masks
    found: Mask | None = None
    for mask in masks:
        found = mask if found is None else found & mask
    return found


def _taken(rule: Plain, table: Table) -> Mask:
    rows = _all(c.holds(table) for c in rule[0])
    return np.ones(table.n_rows, bool) if rows is None else rows


def _chosen(rules: list[Plain], class_: int, table: Table) -> list[Plain]:
    """Return the rules of a class that together need the fewest bits."""
    assert table.target is not None
    masks = [_taken(rule, table) for rule in rules]
    cost = [THEORY * _bits(rule[0], table) for rule in rules]
    is_right, weight = table.target.codes == class_, table.weights

    def bits(some: frozenset[int]) -> float:
        rows = np.zeros(table.n_rows, bool)
        for i in some:
            rows |= masks[i]
        covered, left = float(weight[rows].sum()), float(weight[~rows].sum())
        wrong, missed = float(weight[rows & ~is_right].sum()), float(weight[~rows & is_right].sum())
        return sum(cost[i] for i in some) + _choices(covered, wrong) + _choices(left, missed)

    now = frozenset(range(len(rules)))
    least = bits(now)
    while rules:
        tried = [(bits(now ^ {i}), i) for i in range(len(rules))]
        best, i = min(tried)
        if best >= least:
            break
        now, least = now ^ {i}, best
    return [rules[i] for i in sorted(now)]


def _choices(n: float, k: float) -> float:
    """Return the bits that say which k of n rows; parts of rows count as such."""
    return max((lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / log(2), 0.0)


def _bits(conditions: Sequence[Condition], table: Table) -> float:
    """Return the bits that tell a rule: which columns, which level or cut, in any order."""
    found = 0.0
    for condition in conditions:
        n_levels = max(len(table.columns[condition.column].levels), 1)
        if condition.sign == "in":
            found += log2(n_levels) * len(condition.levels)
        elif condition.sign in (KNOWN, GONE):
            found += 1
        else:
            found += 1 + log2(max(n_levels - 1, 1))
        found += log2(len(table.columns))
    return max(found - lgamma(len(conditions) + 1) / log(2), 0.0)


def _finished(tree: TreeData, rules: list[Plain], table: Table) -> Votes:
    """Return the rules with what they take, in order, and the default."""
    assert table.target is not None
    weight, truth = table.weights, table.target.codes
    counts = np.bincount(truth, weight, len(tree.classes))
    made = []
    free = np.ones(table.n_rows, bool)
    for rule in rules:
        rows = _taken(rule, table)
        free &= ~rows
        cover = float(weight[rows].sum())
        right = float(weight[rows & (truth == rule[1])].sum())
        share = counts[rule[1]] / counts.sum()
        lift = float((right + 1) / (cover + 2) / share) if share > 0 else 0.0
        texts = conditions_text(rule[0], tree, table)
        made.append(Rule(rule[0], rule[1], cover, right, lift, texts))
    made.sort(key=lambda r: (r.class_, -r.accuracy))
    left = np.bincount(truth[free], weight[free], len(tree.classes))
    default = max(range(len(counts)), key=lambda c: (left[c], counts[c], -c))
    listed = tuple(made)
    answers = _answers(listed, default, table, tree)
    right = float(weight[answers == truth].sum())
    return Votes(tree, listed, default, (right, float(weight.sum())))


def _answers(
    rules: Sequence[Rule], default: int, table: Table, tree: TreeData
) -> npt.NDArray[np.intp]:
    """Return the class of each row: most votes, else the default."""
    cast: Floats = np.zeros((table.n_rows, len(tree.classes)))
    for rule in rules:
        cast[_taken((rule.conditions, rule.class_), table), rule.class_] += rule.accuracy
    return np.where(cast.any(axis=1), cast.argmax(axis=1), default)
