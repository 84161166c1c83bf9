"""Choose the rules of a decision list one by one: which rule is best on the remaining rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from penjing.data.statistics import wilson
from penjing.data.table import Floats, Table
from penjing.explain.rule_conditions import CandidateRule, rows_where
from penjing.tree.tree_data import TreeData

Z25 = 0.6744897501960817
"""The normal deviate of a one-sided 25 % bound, C4.5's default confidence."""


def select_rules(
    rules: Sequence[CandidateRule], table: Table, tree: TreeData, allowed: float
) -> tuple[list[CandidateRule], int, float]:
    """Return the shortest list within the bound, its default and its errors; or the best one."""
    assert table.target is not None
    actual, weight, n_classes = table.target.codes, table.weights, len(tree.classes)
    remaining = _RemainingRules(rules, table, n_classes)
    uncovered = np.ones(table.n_rows, bool)
    chosen: list[CandidateRule] = []
    errors_of_rules = 0.0
    fallback = int(tree.values[0])
    best: tuple[float, int, int] | None = None
    while True:
        counts = np.bincount(actual[uncovered], weight[uncovered], n_classes)
        known = counts[:n_classes]  # the rows may have classes that the tree does not know
        default = int(known.argmax()) if known.any() else fallback
        errors = errors_of_rules + float(counts.sum() - counts[default])
        if best is None or errors < best[0] - 1e-12 * max(errors, 1.0):
            best = (errors, len(chosen), default)
        if errors <= allowed:
            break
        pick = remaining.best(default)
        if pick is None:
            break
        rows = remaining.take(pick)
        errors_of_rules += float(weight[rows][actual[rows] != rules[pick][1]].sum())
        uncovered[rows] = False
        chosen.append(rules[pick])
    errors, length, default = best
    return chosen[:length], default, errors


class _RemainingRules:
    """Rules that are not chosen yet, and what each covers of the rows that no chosen rule covers.

    A chosen rule changes only the rules that cover some of its rows; the others keep their sums.
    """

    def __init__(self, rules: Sequence[CandidateRule], table: Table, n_classes: int) -> None:
        assert table.target is not None
        self._actual = table.target.codes
        self._weight = table.weights
        self._class = np.asarray([class_ for _, class_ in rules], np.intp)
        self._n_conditions = np.asarray([len(conditions) for conditions, _ in rules], np.intp)
        self._rows = [np.flatnonzero(rows_where(conditions, table)) for conditions, _ in rules]
        self._covered = np.zeros(len(rules))
        self._error_rate = np.ones(len(rules))
        self._of_class = np.full((len(rules), n_classes), np.nan)
        """The covered weight of each class; NaN until it is needed."""
        rows = np.concatenate([*self._rows, np.empty(0, np.intp)])
        rule_of = np.repeat(np.arange(len(rules)), [len(rows) for rows in self._rows])
        self._rules_by_row = rule_of[np.argsort(rows, kind="stable")]
        n_rules = np.bincount(rows, minlength=table.n_rows)
        self._start_of_row = np.concatenate([[0], np.cumsum(n_rules)])
        for rule in range(len(rules)):
            self._sum(rule)

    def _sum(self, rule: int) -> None:
        """Sum what a rule covers."""
        rows = self._rows[rule]
        weight = self._weight[rows]
        n = float(weight.sum())
        self._covered[rule] = n
        self._of_class[rule] = np.nan
        if n > 0:
            wrong = float(weight[self._actual[rows] != self._class[rule]].sum())
            self._error_rate[rule] = wilson(wrong, n, Z25)[1]

    def _weight_of(self, rules: npt.NDArray[np.intp], classes: npt.NDArray[np.intp]) -> Floats:
        """Return what some rules cover of a class each."""
        unknown = np.isnan(self._of_class[rules, classes])
        for rule, class_ in zip(rules[unknown].tolist(), classes[unknown].tolist(), strict=True):
            rows = self._rows[rule]
            has_class = self._actual[rows] == class_
            self._of_class[rule, class_] = float(self._weight[rows][has_class].sum())
        return np.asarray(self._of_class[rules, classes])

    def best(self, default: int) -> int | None:
        """Return the rule of the lowest pessimistic error rate on the rows that remain.

        Rules that predict these rows better than the default are preferred. A rule of the default
        class may keep rows from later rules.
        """
        rules = np.flatnonzero(self._covered > 0)
        others = rules[self._class[rules] != default]
        improvement = self._weight_of(others, self._class[others]) - self._weight_of(
            others, np.full(len(others), default)
        )
        if (improvement > 0).any():
            rules = others[improvement > 0]
        if not len(rules):
            return None
        for values in (self._error_rate, -self._covered, self._n_conditions):
            rules = rules[values[rules] == values[rules].min()]
        return int(rules[0])

    def take(self, rule: int) -> npt.NDArray[np.intp]:
        """Return the rows of a rule, and take them from all rules."""
        taken = self._rows[rule]
        is_taken = np.zeros(len(self._weight), bool)
        is_taken[taken] = True
        starts, ends = self._start_of_row[taken], self._start_of_row[taken + 1]
        touched = [self._rules_by_row[a:b] for a, b in zip(starts, ends, strict=True)]
        for each in np.unique(np.concatenate(touched)).tolist():
            rows = self._rows[each]
            self._rows[each] = rows[~is_taken[rows]]
            self._sum(each)
        return taken
