"""A decision list made from a tree: rules in order, and a default class.

The algorithm follows the idea of C4.5rules, but is penjing's own:

1. Each leaf is a rule. A condition is dropped while the pessimistic error rate of the rule (the
   upper end of Wilson's interval at one-sided 25 %) does not rise.
2. A list is built from the rules of step 1. The next rule is always the one with the lowest
   pessimistic error rate on the rows that no earlier rule covers, among those that predict these
   rows better than the default class would.
3. The list is shortened to the first rules whose errors on the training rows stay within the
   bound: the errors of the tree, plus ``max_loss`` times the rows. If no list stays within it,
   the same is done with the leaves as they are, which lose no accuracy (on rows without missing
   values).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.source import Source
from penjing.data.statistics import wilson
from penjing.data.table import Floats, Table
from penjing.errors import CapabilityError
from penjing.explain.rule_choice import Z25, select_rules
from penjing.explain.rule_conditions import (
    CandidateRule,
    Condition,
    Mask,
    conditions_text,
    rows_where,
    rules_of_leaves,
    training_rows,
)
from penjing.formatting.frame import frame_of
from penjing.formatting.html_table import html_text
from penjing.predict.inputs import align_all
from penjing.predict.predict import classes_of
from penjing.text import rule_list as writer
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.frame import DataFrame

MAX_LOSS = 0.02
"""How much accuracy on the training rows a list may lose against its tree."""


@dataclass(frozen=True, slots=True)
class ListedRule:
    """One rule of a list, and how well it predicts the rows that it covers.

    It covers the training rows that satisfy its conditions and are covered by no earlier rule.
    """

    conditions: tuple[Condition, ...]
    class_: int
    """The code of the class that it predicts."""
    weight: float
    """The weight of the rows that it covers."""
    right: float
    """The weight of those that it predicts correctly."""
    texts: tuple[str, ...] = ()
    """The conditions as text."""


@dataclass(frozen=True, eq=False)
class Ruleset:
    """Rules in order: the first one that holds for a row predicts its class, else the default.

    Parameters
    ----------
    tree : TreeData
        The tree that the rules were made from.
    rules : tuple of ListedRule
        The rules, first to last.
    default : int
        The code of the class of rows for which no rule holds.
    training : tuple of float
        The weight of the training rows that the list predicts correctly, of those that the tree
        predicts correctly, and of all of them.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> rules = penjing.fit(fish).ruleset(fish)
    >>> len(rules.rules), rules.training
    (1, (5.0, 5.0, 5.0))
    >>> print(rules)
      1  yes  2  100% (34-100)  when 'no surfacing' = 1 and flippers = 1
    default: no
    1 rule from 3 leaves, training accuracy 5/5 (the tree: 5/5)
    """

    tree: TreeData
    rules: tuple[ListedRule, ...]
    default: int
    training: tuple[float, float, float]

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
        >>> penjing.fit(fish).ruleset(fish).predict([{"no surfacing": 1, "flippers": 1}]).tolist()
        ['yes']
        """
        classes = np.empty(len(self.tree.classes), object)
        classes[:] = self.tree.classes
        return classes[_predicted(self.rules, self.default, align_all(self.tree, source))]

    def to_json(self) -> dict[str, Any]:
        """Return the list as plain data, ready for JSON.

        Returns
        -------
        dict
            ``rules`` (conditions, class, rows covered, rows predicted correctly and the 95%
            interval of their share), ``default``, ``training`` and ``leaves`` of the tree.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).ruleset(fish).to_json()["default"]
        'no'
        """
        correct, correct_by_tree, total = self.training
        return {
            "rules": [
                {"when": list(r.texts), "answer": self.tree.classes[r.class_]}
                | {"rows": r.weight, "right": r.right, "interval": list(wilson(r.right, r.weight))}
                for r in self.rules
            ],
            "default": self.tree.classes[self.default],
            "training": {"correct": correct, "tree": correct_by_tree, "of": total},
            "leaves": self.tree.n_leaves,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the list as plain data: the same as `to_json`.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).ruleset(fish).to_dict()["rules"][0]["answer"]
        'yes'
        """
        return self.to_json()

    def to_pandas(self) -> DataFrame:
        """Return a data frame with one row per rule; the default class is not in it.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> print(penjing.fit(fish).ruleset(fish).to_pandas().to_string(index=False))
                                       rule prediction  weight  correct  accuracy
        'no surfacing' = 1 and flippers = 1        yes     2.0      2.0       1.0
        """
        return frame_of({
            "rule": [" and ".join(r.texts) for r in self.rules],
            "prediction": [self.tree.classes[r.class_] for r in self.rules],
            "weight": [r.weight for r in self.rules],
            "correct": [r.right for r in self.rules],
            "accuracy": [r.right / r.weight if r.weight else None for r in self.rules],
        })  # fmt: skip

    def text(self, lang: str = "en", *, ascii_only: bool = False) -> str:
        """Return the list as text, a line for each rule.

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
        >>> print(penjing.fit(fish).ruleset(fish).text("zh"))
          1  yes  2  100% (34-100)  条件 'no surfacing' = 1 且 flippers = 1
        默认类别：no
        由 3 个叶结点得到 1 条规则，训练集精度 5/5（决策树：5/5）
        """
        return writer.write(self.to_json(), lang, ascii_only=ascii_only)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return html_text(self.text())


def ruleset(tree: TreeData, data: Source, *, max_loss: float = MAX_LOSS) -> Ruleset:
    """Return a short list of rules that predicts the training rows about as well as the tree.

    Parameters
    ----------
    tree : TreeData
        A tree for classes.
    data : Table or source
        The training rows.
    max_loss : float
        The largest loss of accuracy on these rows, against the tree.

    Returns
    -------
    Ruleset

    Examples
    --------
    >>> import penjing
    >>> melons = penjing.example("watermelon2.0")
    >>> print(penjing.fit(melons).ruleset(melons, max_loss=0.1))
      1  是  6  100% (61-100)  when 纹理 = 清晰 and 触感 = 硬滑
      2  是  1  100% (21-100)  when 纹理 = 稍糊 and 触感 = 软粘
    default: 否
    2 rules from 8 leaves, training accuracy 16/17 (the tree: 17/17)
    """
    if tree.is_regression:
        raise CapabilityError("rules_need_classes", target=tree.target.name)
    if not arguments.is_number(max_loss) or not 0 <= max_loss <= 1:
        raise arguments.bad_value_error("bad_max_loss", "max_loss", max_loss, int | float)
    table = training_rows(tree, data)
    assert table.target is not None
    actual, weight = table.target.codes, table.weights
    total = float(weight.sum())
    correct_by_tree = float(weight[classes_of(tree, table) == actual].sum())
    allowed = total - correct_by_tree + max_loss * total
    leaves = rules_of_leaves(tree, np.flatnonzero(tree.is_leaf).tolist())
    simplified = list(dict.fromkeys(_simplify(c, k, table) for c, k in leaves))
    for candidates in (simplified, leaves):
        chosen, default, errors = select_rules(candidates, table, tree, allowed)
        if errors <= allowed + 1e-9 * total:
            break
    rules = _listed_rules(chosen, table, tree)
    return Ruleset(tree, rules, default, (total - errors, correct_by_tree, total))


def _simplify(conditions: tuple[Condition, ...], class_: int, table: Table) -> CandidateRule:
    """Return a rule without the conditions whose removal does not raise its error rate."""
    assert table.target is not None
    wrong = table.weights * (table.target.codes != class_)
    masks = {c: c.holds(table) for c in conditions}
    remaining = list(conditions)
    error_rate = _error_rate(remaining, masks, wrong, table.weights)
    while remaining:
        without_each = [
            _error_rate([c for c in remaining if c is not one], masks, wrong, table.weights)
            for one in remaining
        ]
        best = int(np.argmin(without_each))
        if without_each[best] > error_rate:
            break
        error_rate = without_each[best]
        remaining.pop(best)
    return tuple(remaining), class_


def _error_rate(
    conditions: Sequence[Condition], masks: dict[Condition, Mask], wrong: Floats, weight: Floats
) -> float:
    """Return the pessimistic error rate of a rule on the training rows."""
    rows = np.ones(len(weight), bool)
    for condition in conditions:
        rows &= masks[condition]
    n = float(weight[rows].sum())
    return wilson(float(wrong[rows].sum()), n, Z25)[1] if n > 0 else 1.0


def _predicted(rules: Sequence[ListedRule], default: int, table: Table) -> npt.NDArray[np.intp]:
    """Return the class code of each row: that of the first rule that holds, else the default."""
    codes = np.full(table.n_rows, default, np.intp)
    uncovered = np.ones(table.n_rows, bool)
    for rule in rules:
        rows = rows_where(rule.conditions, table) & uncovered
        codes[rows] = rule.class_
        uncovered &= ~rows
    return codes


def _listed_rules(
    rules: list[CandidateRule], table: Table, tree: TreeData
) -> tuple[ListedRule, ...]:
    """Return the rules with the weight that each covers and predicts correctly."""
    assert table.target is not None
    uncovered = np.ones(table.n_rows, bool)
    listed = []
    for conditions, class_ in rules:
        rows = rows_where(conditions, table) & uncovered
        uncovered &= ~rows
        is_correct = rows & (table.target.codes == class_)
        covered, correct = (float(table.weights[mask].sum()) for mask in (rows, is_correct))
        if covered > 0:
            texts = conditions_text(conditions, tree, table)
            listed.append(ListedRule(conditions, class_, covered, correct, texts))
    return tuple(listed)
