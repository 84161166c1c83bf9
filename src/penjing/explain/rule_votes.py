"""Voting rules made from a tree, as by C5.0 -r: each rule has an accuracy and a lift.

1. Each leaf with training rows is a rule. A condition is dropped while the estimated error rate
   of the rule (C4.5's upper bound) does not rise.
2. For each class, rules are removed or added again as long as that shortens the description:
   the bits that encode the rules (counted half), and the bits that encode which rows they
   predict wrongly (Quinlan 1993).
3. Rules are ordered by class, then by accuracy, (correct + 1) / (rows + 2), largest first.

All rules that hold for a row vote for their class, each with its accuracy. If no rule holds, the
default is predicted: the most frequent class of the training rows that no rule covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma, log, log2
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.source import Source
from penjing.data.table import Floats, Table
from penjing.errors import CapabilityError
from penjing.explain.rule_conditions import (
    IS_KNOWN,
    IS_MISSING,
    CandidateRule,
    Condition,
    conditions_text,
    rows_where,
    rules_of_leaves,
    training_rows,
)
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_text
from penjing.i18n import say
from penjing.predict.inputs import align_all
from penjing.prune.confidence import ErrorBound
from penjing.text.labels import MAX_GROUP_WIDTH, condition_text, quoted, weight_text
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.frame import DataFrame

THEORY_WEIGHT = 0.5
"""The weight of the bits that encode rules: less than 1, since a rule can be encoded in several
ways."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One voting rule, and how well it predicts the training rows that satisfy its conditions."""

    conditions: tuple[Condition, ...]
    class_: int
    """The code of the class that it predicts."""
    cover: float
    """The weight of the rows that satisfy its conditions."""
    right: float
    """The weight of those that it predicts correctly."""
    lift: float
    """Its accuracy, divided by the share of its class among all training rows."""
    texts: tuple[str, ...] = ()
    """The conditions as text."""

    @property
    def accuracy(self) -> float:
        """The share of correct predictions by Laplace's estimate."""
        return (self.right + 1) / (self.cover + 2)


@dataclass(frozen=True, eq=False)
class Votes:
    """Rules that vote: all rules that hold for a row vote, the default is predicted if none does.

    Parameters
    ----------
    tree : TreeData
        The tree that the rules were made from.
    rules : tuple of Rule
        The rules, by class and then by accuracy.
    default : int
        The code of the class of rows for which no rule holds.
    training : tuple of float
        The weight of the training rows that the rules predict correctly, and of all of them.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> rules = penjing.fit(fish).ruleset(fish, votes=True)
    >>> len(rules.rules), rules.training
    (2, (5.0, 5.0))
    >>> print(rules)
      1  yes  2 rows, 0 wrong  0.750  lift 1.9  when 'no surfacing' = 1 and flippers = 1
      2  no  2 rows, 0 wrong  0.750  lift 1.2  when 'no surfacing' = 0
    default: no
    2 rules from 3 leaves, training accuracy 5/5
    """

    tree: TreeData
    rules: tuple[Rule, ...]
    default: int
    training: tuple[float, float]

    def predict(self, source: Source) -> npt.NDArray[np.object_]:
        """Return the predicted class of each row.

        Parameters
        ----------
        source : Table or source
            Rows, as :meth:`penjing.Tree.predict` takes them.

        Returns
        -------
        (rows,) array of object
            Classes of the tree.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> rules = penjing.fit(fish).ruleset(fish, votes=True)
        >>> rules.predict([{"no surfacing": 1, "flippers": 1}]).tolist()
        ['yes']
        """
        classes = np.empty(len(self.tree.classes), object)
        classes[:] = self.tree.classes
        table = align_all(self.tree, source)
        return classes[_predicted(self.rules, self.default, table, self.tree)]

    def to_json(self) -> dict[str, Any]:
        """Return the rules as plain data, ready for JSON.

        Returns
        -------
        dict
            ``rules`` (class, ``cover``, ``ok`` for the rows predicted correctly, ``lift``,
            ``accuracy`` and ``conditions``), ``default``, ``training`` and ``leaves`` of the
            tree.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).ruleset(fish, votes=True).to_json()["default"]
        'no'
        """
        correct, total = self.training
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
            "training": {"correct": correct, "of": total},
            "leaves": self.tree.n_leaves,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as plain data: the same as `to_json`.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).ruleset(fish, votes=True).to_dict()["rules"][0]["class"]
        'yes'
        """
        return self.to_json()

    def to_pandas(self) -> DataFrame:
        """Return a data frame with one row per rule; the default class is not in it.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> list(penjing.fit(fish).ruleset(fish, votes=True).to_pandas())
        ['rule', 'prediction', 'weight', 'correct', 'accuracy', 'lift']
        """
        return frame_of({
            "rule": [" and ".join(r.texts) for r in self.rules],
            "prediction": [self.tree.classes[r.class_] for r in self.rules],
            "weight": [r.cover for r in self.rules],
            "correct": [r.right for r in self.rules],
            "accuracy": [r.accuracy for r in self.rules],
            "lift": [r.lift for r in self.rules],
        })  # fmt: skip

    def text(self, lang: str = "en", *, ascii_only: bool = False) -> str:
        """Return the rules as text, a line for each.

        Parameters
        ----------
        lang : str
            The language: ``en`` or ``zh``.
        ascii_only : bool
            Whether to write ``<=`` instead of ``≤``.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> print(penjing.fit(fish).ruleset(fish, votes=True).text("zh"))
          1  yes  2 个样本，错 0 个  0.750  提升度 1.9  条件 'no surfacing' = 1 且 flippers = 1
          2  no  2 个样本，错 0 个  0.750  提升度 1.2  条件 'no surfacing' = 0
        默认类别：no
        由 3 个叶结点得到 2 条规则，训练集精度 5/5
        """
        lines = []
        for i, r in enumerate(self.rules, start=1):
            when = say("rule_and", lang).join(
                condition_text(t, lang, most=MAX_GROUP_WIDTH) for t in r.texts
            ) or say("rule_always", lang)
            values = {
                "cover": weight_text(r.cover), "wrong": weight_text(r.cover - r.right),
                "when": when,
                "accuracy": f"{r.accuracy:.3f}", "lift": f"{r.lift:.1f}",
                "answer": quoted(self.tree.classes[r.class_]),
            }  # fmt: skip
            is_weight = self.tree.has_weights or "." in values["cover"]
            key = "votes_rule_weight" if is_weight else "votes_rule"
            lines.append(f"{i:>3}  {say(key, lang, **values)}")
        default = quoted(self.tree.classes[self.default])
        lines.append(say("ruleset_default", lang, answer=default))
        correct, total = (weight_text(n) for n in self.training)
        n, leaves = len(self.rules), self.tree.n_leaves
        lines.append(say("votes_training", lang, n=n, leaves=leaves, right=correct, of=total))
        text = "\n".join(lines)
        return text.replace("≤", "<=") if ascii_only else text

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_text(self.text())


def votes(tree: TreeData, data: Source, *, confidence: float | None = None) -> Votes:
    """Return rules that vote.

    Parameters
    ----------
    tree : TreeData
        A tree for classes.
    data : Table or source
        The training rows.
    confidence : float, optional
        The confidence (CF) of C4.5's bound; by default that of the tree's recipe, else 0.25.

    Returns
    -------
    Votes

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
    4 rules from 5 leaves, training accuracy 14/14
    """
    if tree.is_regression:
        raise CapabilityError("rules_need_classes", target=tree.target.name)
    if confidence is not None:
        arguments.confidence(confidence)
    table = training_rows(tree, data)
    bound = ErrorBound(confidence or tree.recipe.get("confidence", 0.25))
    leaves = np.flatnonzero(tree.is_leaf & (tree.weight > 0)).tolist()
    simplified = [_simplify(*rule, table, bound) for rule in rules_of_leaves(tree, leaves)]
    candidates = [rule for rule in dict.fromkeys(simplified) if rule is not None]
    chosen = []
    for class_ in range(len(tree.classes)):
        chosen += _select([rule for rule in candidates if rule[1] == class_], class_, table)
    return _build_votes(tree, chosen, table)


def _simplify(
    conditions: tuple[Condition, ...], class_: int, table: Table, bound: ErrorBound
) -> CandidateRule | None:
    """Return a rule without conditions whose removal does not raise its error rate; or None.

    None: all conditions can be removed.
    """
    assert table.target is not None
    masks = {c: c.holds(table) for c in conditions}
    is_wrong = table.target.codes != class_

    def error_rate(some: Sequence[Condition]) -> float:
        rows = np.ones(table.n_rows, bool)
        for condition in some:
            rows &= masks[condition]
        n = float(table.weights[rows].sum())
        wrong = float(table.weights[rows & is_wrong].sum())
        return bound.estimate(n, wrong) / n if n > 0 else 1.0

    remaining = list(conditions)
    current = error_rate(remaining)
    while remaining:
        without_each = [error_rate([c for c in remaining if c is not one]) for one in remaining]
        best = int(np.argmin(without_each))
        if without_each[best] > current:
            break
        current = without_each[best]
        remaining.pop(best)
    return (tuple(remaining), class_) if remaining else None


def _select(rules: list[CandidateRule], class_: int, table: Table) -> list[CandidateRule]:
    """Return the rules of a class that have the shortest description together."""
    assert table.target is not None
    masks = [rows_where(conditions, table) for conditions, _ in rules]
    rule_bits = [THEORY_WEIGHT * _rule_bits(conditions, table) for conditions, _ in rules]
    has_class, weight = table.target.codes == class_, table.weights

    def description_length(some: frozenset[int]) -> float:
        rows = np.zeros(table.n_rows, bool)
        for i in some:
            rows |= masks[i]
        covered, uncovered = float(weight[rows].sum()), float(weight[~rows].sum())
        wrong = float(weight[rows & ~has_class].sum())
        missed = float(weight[~rows & has_class].sum())
        exceptions = _subset_bits(covered, wrong) + _subset_bits(uncovered, missed)
        return sum(rule_bits[i] for i in some) + exceptions

    chosen = frozenset(range(len(rules)))
    shortest = description_length(chosen)
    while rules:
        # Toggle each rule: remove it if it is chosen, add it if it is not.
        toggled = [(description_length(chosen ^ {i}), i) for i in range(len(rules))]
        length, i = min(toggled)
        if length >= shortest:
            break
        chosen, shortest = chosen ^ {i}, length
    return [rules[i] for i in sorted(chosen)]


def _subset_bits(n: float, k: float) -> float:
    """Return the bits that encode which k of n rows; both may be fractions."""
    return max((lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / log(2), 0.0)


def _rule_bits(conditions: Sequence[Condition], table: Table) -> float:
    """Return the bits that encode a rule: columns with categories or thresholds, in any order."""
    bits = 0.0
    for condition in conditions:
        n_levels = max(len(table.columns[condition.column].levels), 1)
        if condition.sign == "in":
            bits += log2(n_levels) * len(condition.levels)
        elif condition.sign in (IS_KNOWN, IS_MISSING):
            bits += 1
        else:
            bits += 1 + log2(max(n_levels - 1, 1))
        bits += log2(len(table.columns))
    return max(bits - lgamma(len(conditions) + 1) / log(2), 0.0)


def _build_votes(tree: TreeData, candidates: list[CandidateRule], table: Table) -> Votes:
    """Return the rules with what they cover, in order, and the default."""
    assert table.target is not None
    weight, actual = table.weights, table.target.codes
    counts = np.bincount(actual, weight, len(tree.classes))
    rules = []
    is_uncovered = np.ones(table.n_rows, bool)
    for conditions, class_ in candidates:
        rows = rows_where(conditions, table)
        is_uncovered &= ~rows
        cover = float(weight[rows].sum())
        correct = float(weight[rows & (actual == class_)].sum())
        share = counts[class_] / counts.sum()
        lift = float((correct + 1) / (cover + 2) / share) if share > 0 else 0.0
        texts = conditions_text(conditions, tree, table)
        rules.append(Rule(conditions, class_, cover, correct, lift, texts))
    rules.sort(key=lambda rule: (rule.class_, -rule.accuracy))
    uncovered = np.bincount(actual[is_uncovered], weight[is_uncovered], len(tree.classes))
    classes = range(len(tree.classes))  # the rows may have classes that the tree does not know
    default = max(classes, key=lambda c: (uncovered[c], counts[c], -c))
    predicted = _predicted(rules, default, table, tree)
    correct = float(weight[predicted == actual].sum())
    return Votes(tree, tuple(rules), default, (correct, float(weight.sum())))


def _predicted(
    rules: Sequence[Rule], default: int, table: Table, tree: TreeData
) -> npt.NDArray[np.intp]:
    """Return the class code of each row: the one with the most votes, else the default."""
    ballots: Floats = np.zeros((table.n_rows, len(tree.classes)))
    for rule in rules:
        ballots[rows_where(rule.conditions, table), rule.class_] += rule.accuracy
    return np.where(ballots.any(axis=1), ballots.argmax(axis=1), default)
