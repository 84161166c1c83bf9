"""What rules are made of: conditions, from the path to a leaf, and how they read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.table import Table
from penjing.text.labels import Short, compared, quoted, short
from penjing.tree.split import level_text
from penjing.tree.tree_data import TreeData

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
KNOWN, GONE = "≠ ?", "= ?"
"""The signs of a question whether a value is known."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One test: a number above or at most a cut, a level among some, or whether it is known."""

    column: int
    sign: str
    cut: float = np.nan
    levels: tuple[int, ...] = ()
    edge: float = np.nan
    """The cut as the model compares values with it."""
    is_single: bool = False
    """Whether the model rounds values to 32 bits before it compares them."""

    def holds(self, table: Table) -> Mask:
        """Return the rows of an aligned table for which it holds; not where a value is missing."""
        column = table.columns[self.column]
        if self.sign in (KNOWN, GONE):
            return np.asarray((column.codes >= 0) == (self.sign == KNOWN))
        if self.sign == "in":
            return np.isin(column.codes, self.levels)
        values = self._seen(column.numbers())
        with np.errstate(invalid="ignore"):
            return np.asarray(values <= self.edge if self.sign == "≤" else values > self.edge)

    def _seen(self, values: Floats) -> Floats:
        """Return numbers as the model sees them."""
        with np.errstate(over="ignore"):
            return values.astype(np.float32).astype(np.float64) if self.is_single else values

    def to_json(self, tree: TreeData) -> dict[str, Any]:
        """Return it as plain data: attribute, op (<=, >, = or in) and value."""
        field = tree.schema[self.column]
        if self.sign in (KNOWN, GONE):
            return {
                "attribute": field.name,
                "op": "!=" if self.sign == KNOWN else "=",
                "value": None,
            }
        if self.sign == "in":
            names = [field.levels[code] for code in self.levels]
            op, value = ("=", names[0]) if len(names) == 1 else ("in", names)
        else:
            op = "<=" if self.sign == "≤" else ">"
            whole = float(self.cut).is_integer()
            value = int(self.cut) if whole else self.cut
            value = value if field.is_numeric else field.levels[int(self.cut)]
        return {"attribute": field.name, "op": op, "value": value}

    def text(self, tree: TreeData, table: Table) -> str:
        """Return how it reads; the number is as short as can be for all these rows."""
        field = tree.schema[self.column]
        name = quoted(field.name)
        if self.sign in (KNOWN, GONE):
            return f"{name} {self.sign}"
        if self.sign == "in":
            names = [quoted(level_text(field, code)) for code in self.levels]
            many = f"in {{{', '.join(names)}}}"
            return f"{name} = {names[0]}" if len(names) == 1 else f"{name} {many}"
        return f"{name} {self.read(tree, table).side(0 if self.sign == '≤' else 1)}"

    def read(self, tree: TreeData, table: Table) -> Short:
        """Return how its cut reads."""
        field = tree.schema[self.column]
        if not field.is_numeric:
            return Short(quoted(level_text(field, int(self.cut))))
        levels = np.asarray(table.columns[self.column].levels, np.float64)
        above = int(np.searchsorted(self._seen(levels), self.edge, side="right"))
        gap = (levels[above - 1], levels[above]) if 0 < above < len(levels) else ()
        return short(self.edge, *map(float, gap), single=self.is_single)


Plain = tuple[tuple[Condition, ...], int]


def conditions_of(tree: TreeData, leaf: int) -> Plain:
    """Return the tests on the way to a leaf, the tightest of each kind, and its class."""
    found: dict[tuple[int, str], Condition] = {}
    for parent, child in pairwise(tree.path(leaf)):
        c, cut = int(tree.nodes.column[parent]), float(tree.nodes.cut[parent])
        if np.isnan(cut):
            levels = tuple(tree.nodes.levels(child).tolist())
            found[c, "in"] = Condition(c, "in", levels=levels)
        elif np.isinf(cut):
            sign = KNOWN if child == tree.first_child[parent] else GONE
            found[c, sign] = Condition(c, sign)
        else:
            sign = "≤" if child == tree.first_child[parent] else ">"
            is_single = tree.recipe.get("precision") == "single" and tree.schema[c].is_numeric
            edge = compared(tree, cut) if is_single else cut
            found[c, sign] = Condition(c, sign, cut, edge=edge, is_single=is_single)
    asked = {c for c, sign in found if sign != KNOWN}  # which a missing value does not pass
    kept = [one for (c, sign), one in found.items() if sign != KNOWN or c not in asked]
    return tuple(kept), int(tree.values[leaf])


def conditions_text(
    conditions: Sequence[Condition], tree: TreeData, table: Table
) -> tuple[str, ...]:
    """Return how conditions read, both bounds of a column as one interval."""
    said: dict[int, dict[str, Condition]] = {}
    for condition in conditions:
        said.setdefault(condition.column, {})[condition.sign] = condition
    found = []
    for c, by_sign in said.items():
        if {"≤", ">"} <= by_sign.keys():
            low, high = (by_sign[sign].read(tree, table) for sign in (">", "≤"))
            sign = "≤" if low.is_open else "<"
            found.append(f"{low.number} {sign} {quoted(tree.schema[c].name)} {high.side(0)}")
        else:
            found += [condition.text(tree, table) for condition in by_sign.values()]
    return tuple(found)
