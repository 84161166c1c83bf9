"""What rules are made of: conditions, from the path to a leaf, and how they read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.split import level_text
from penjing.table import Table
from penjing.tree import Tree
from penjing.write.labels import quoted, short

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

    def holds(self, table: Table) -> Mask:
        """Return the rows of an aligned table for which it holds; not where a value is missing."""
        column = table.columns[self.column]
        if self.sign in (KNOWN, GONE):
            return np.asarray((column.codes >= 0) == (self.sign == KNOWN))
        if self.sign == "in":
            return np.isin(column.codes, self.levels)
        values = column.numbers()
        with np.errstate(invalid="ignore"):
            return np.asarray(values <= self.cut if self.sign == "≤" else values > self.cut)

    def to_json(self, tree: Tree) -> dict[str, Any]:
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

    def text(self, tree: Tree, table: Table) -> str:
        """Return how it reads; the number is as short as can be for all these rows."""
        field = tree.schema[self.column]
        name = quoted(field.name)
        if self.sign in (KNOWN, GONE):
            return f"{name} {self.sign}"
        if self.sign == "in":
            names = [quoted(level_text(field, code)) for code in self.levels]
            many = f"in {{{', '.join(names)}}}"
            return f"{name} = {names[0]}" if len(names) == 1 else f"{name} {many}"
        if not field.is_numeric:
            return f"{name} {self.sign} {quoted(level_text(field, int(self.cut)))}"
        levels = np.asarray(table.columns[self.column].levels, np.float64)
        above = int(np.searchsorted(levels, self.cut, side="right"))
        gap = (levels[above - 1], levels[above]) if 0 < above < len(levels) else ()
        single = tree.recipe.get("precision") == "single"
        read = short(self.cut, *map(float, gap), single=single)
        return f"{name} {read.side(0 if self.sign == '≤' else 1)}"


Plain = tuple[tuple[Condition, ...], int]


def conditions_of(tree: Tree, leaf: int) -> Plain:
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
            found[c, sign] = Condition(c, sign, cut)
    asked = {c for c, sign in found if sign != KNOWN}  # which a missing value does not pass
    kept = [one for (c, sign), one in found.items() if sign != KNOWN or c not in asked]
    return tuple(kept), int(tree.values[leaf])


def conditions_text(conditions: Sequence[Condition], tree: Tree, table: Table) -> tuple[str, ...]:
    """Return how conditions read, both bounds of a column as one interval."""
    said: dict[int, dict[str, str]] = {}
    for condition in conditions:
        said.setdefault(condition.column, {})[condition.sign] = condition.text(tree, table)
    found = []
    for c, by_sign in said.items():
        if {"≤", ">"} <= by_sign.keys():
            name = quoted(tree.schema[c].name)
            low, high = (by_sign[sign].removeprefix(f"{name} {sign} ") for sign in (">", "≤"))
            found.append(f"{low} < {name} ≤ {high}")
        else:
            found += by_sign.values()
    return tuple(found)
