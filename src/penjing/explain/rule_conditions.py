"""Conditions of rules: taken from the path to a leaf, tested on rows, written as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.source import Source
from penjing.data.table import Table
from penjing.errors import ChoiceError
from penjing.predict.inputs import align
from penjing.text.labels import CutText, comparison_cut, quoted, shortest_cut
from penjing.tree.path_splits import PathSplits, splits_on_paths
from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
IS_KNOWN, IS_MISSING = "≠ ?", "= ?"
"""The signs of the conditions that a value is known, and that it is missing."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of one column.

    A value is at most or above a threshold, is one of some categories, or is known or missing.
    """

    column: int
    sign: str
    """``≤``, ``>``, ``in``, `IS_KNOWN` or `IS_MISSING`."""
    cut: float = np.nan
    levels: tuple[int, ...] = ()
    edge: float = np.nan
    """The threshold as the model compares values with it."""
    is_single: bool = False
    """Whether the model rounds values to 32 bits before it compares them."""

    def holds(self, table: Table) -> Mask:
        """Return the rows of an aligned table that satisfy the condition.

        A missing value satisfies no condition but `IS_MISSING`.
        """
        column = table.columns[self.column]
        if self.sign in (IS_KNOWN, IS_MISSING):
            return np.asarray((column.codes >= 0) == (self.sign == IS_KNOWN))
        if self.sign == "in":
            return np.isin(column.codes, self.levels)
        values = self._as_compared(column.numbers())
        with np.errstate(invalid="ignore"):
            return np.asarray(values <= self.edge if self.sign == "≤" else values > self.edge)

    def _as_compared(self, values: Floats) -> Floats:
        """Return numbers as the model compares them with a threshold."""
        with np.errstate(over="ignore"):
            return values.astype(np.float32).astype(np.float64) if self.is_single else values

    def to_json(self, tree: TreeData) -> dict[str, Any]:
        """Return the condition as plain data: attribute, op (<=, >, =, != or in) and value."""
        field = tree.schema[self.column]
        if self.sign in (IS_KNOWN, IS_MISSING):
            return {
                "attribute": field.name,
                "op": "!=" if self.sign == IS_KNOWN else "=",
                "value": None,
            }
        if self.sign == "in":
            names = [field.levels[code] for code in self.levels]
            op, value = ("=", names[0]) if len(names) == 1 else ("in", names)
        else:
            op = "<=" if self.sign == "≤" else ">"
            number = int(self.cut) if float(self.cut).is_integer() else self.cut
            value = number if field.is_numeric else field.levels[int(self.cut)]
        return {"attribute": field.name, "op": op, "value": value}

    def text(self, tree: TreeData, table: Table) -> str:
        """Return the condition as text; the threshold is as short as these rows allow."""
        field = tree.schema[self.column]
        name = quoted(field.name)
        if self.sign in (IS_KNOWN, IS_MISSING):
            return f"{name} {self.sign}"
        if self.sign == "in":
            names = [quoted(level_text(field, code)) for code in self.levels]
            if len(names) == 1:
                return f"{name} = {names[0]}"
            return f"{name} in {{{', '.join(names)}}}"
        return f"{name} {self.threshold_text(tree, table).side(0 if self.sign == '≤' else 1)}"

    def threshold_text(self, tree: TreeData, table: Table) -> CutText:
        """Return the threshold in as few digits as separate the same values of these rows."""
        field = tree.schema[self.column]
        if not field.is_numeric:
            return CutText(quoted(level_text(field, int(self.cut))))
        levels = np.asarray(table.columns[self.column].levels, np.float64)
        above = int(np.searchsorted(self._as_compared(levels), self.edge, side="right"))
        gap = (levels[above - 1], levels[above]) if 0 < above < len(levels) else ()
        return shortest_cut(self.edge, *map(float, gap), single=self.is_single)


CandidateRule = tuple[tuple[Condition, ...], int]
"""Conditions, and the code of the class that is predicted where all of them hold."""


def training_rows(tree: TreeData, data: Source) -> Table:
    """Return the rows of a source whose target is known, with the columns of a tree."""
    table = align(tree, data)
    if table.target is None:
        raise ChoiceError("rules_need_target", target=tree.target.name)
    is_known = table.target.codes >= 0
    return table if is_known.all() else table.take(is_known)


def rows_where(conditions: Sequence[Condition], table: Table) -> Mask:
    """Return the rows of a table that satisfy all conditions."""
    rows = np.ones(table.n_rows, bool)
    for condition in conditions:
        rows &= condition.holds(table)
    return rows


def rules_of_leaves(tree: TreeData, leaves: Sequence[int]) -> list[CandidateRule]:
    """Return for each leaf the tightest conditions of each kind on its path, and its class."""
    rules = {
        leaf: (tuple(_conditions(tree, splits)), int(tree.values[leaf]))
        for leaf, splits in splits_on_paths(tree, leaves)
    }
    return [rules[leaf] for leaf in leaves]


def _conditions(tree: TreeData, splits: PathSplits) -> Iterator[Condition]:
    """Yield the conditions of a path."""
    # Any other condition on the column implies that its value is known.
    implied = {column for column, side in splits if side != "known"}
    for (column, side), node in splits.items():
        if side == "in":
            levels = tuple(tree.nodes.levels(node).tolist())
            yield Condition(column, "in", levels=levels)
        elif side == "missing":
            yield Condition(column, IS_MISSING)
        elif side != "known":
            cut = float(tree.nodes.cut[tree.nodes.parent[node]])
            is_single = tree.recipe.get("precision") == "single" and tree.schema[column].is_numeric
            edge = comparison_cut(tree, cut) if is_single else cut
            sign = "≤" if side == "<=" else ">"
            yield Condition(column, sign, cut, edge=edge, is_single=is_single)
        elif column not in implied:
            yield Condition(column, IS_KNOWN)


def conditions_text(
    conditions: Sequence[Condition], tree: TreeData, table: Table
) -> tuple[str, ...]:
    """Return conditions as texts; both thresholds of a column become one interval."""
    by_column: dict[int, dict[str, Condition]] = {}
    for condition in conditions:
        by_column.setdefault(condition.column, {})[condition.sign] = condition
    texts = []
    for c, by_sign in by_column.items():
        if {"≤", ">"} <= by_sign.keys():
            low, high = (by_sign[sign].threshold_text(tree, table) for sign in (">", "≤"))
            sign = "≤" if low.is_open else "<"
            texts.append(f"{low.number} {sign} {quoted(tree.schema[c].name)} {high.side(0)}")
        else:
            texts += [condition.text(tree, table) for condition in by_sign.values()]
    return tuple(texts)
