"""Build a tree from a nested dict."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penjing import arguments
from penjing.data.table import Field
from penjing.errors import DataError, WrongSourceError
from penjing.tree.nodes import LEAF, Nodes
from penjing.tree.split import NO_BRANCH
from penjing.tree.split_syntax import (
    parse_cut,
    parse_levels,
    parse_number,
    parse_side,
    strip_column_name,
)
from penjing.tree.tree_data import TreeData

MAX_DICTS = 10_000_000
"""The largest number of dicts in a nested dict."""


@dataclass(slots=True)
class _NodeLists:
    """The lists from which a tree is built, one entry per node."""

    parent: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    gap: list[tuple[float, float]] = field(default_factory=list)
    levels: list[tuple[int, ...]] = field(default_factory=list)
    answer: list[int | None] = field(default_factory=list)

    def set_cut(self, node: int, number: float, *, is_open: bool) -> None:
        """Set the threshold of a node; if it is open, the number itself takes the upper branch."""
        self.cut[node] = math.nextafter(number, -math.inf) if is_open else number
        if is_open:  # so that it is printed as it was written
            self.gap[node] = (self.cut[node], number)

    def add_node(self, parent: int, levels: tuple[int, ...]) -> None:
        """Append a node that has neither a split nor a class yet."""
        self.parent.append(parent)
        self.column.append(LEAF)
        self.cut.append(math.nan)
        self.gap.append((math.nan, math.nan))
        self.levels.append(levels)
        self.answer.append(None)


def from_dict(plain: Any, target: str = "class") -> TreeData:  # noqa: ANN401 - a dict, or a class
    """Return the tree of a nested dict ``{column: {category: class or dict}}``.

    Such a tree has no counts: every leaf stands for one row.

    Parameters
    ----------
    plain : dict
        As `Tree.to_dict` returns it, or with branches as in a printed tree: categories
        (``"clear"``, ``"= clear"``), groups of categories (a tuple, ``"in {a, b}"``), and the two
        sides of a threshold: ``"<= c"`` and ``"> c"``, ``"< c"`` and ``">= c"``, ``"≠ ?"`` (known)
        and ``"= ?"``. Blanks do not matter, and ``≤ ≥`` mean the same as ``<= >=``. Write a
        category that looks like one of these as a tuple: ``("<=30",)``.
    target : str
        The name of the target.

    Examples
    --------
    >>> tree = from_dict({"no surfacing": {0: "no", 1: {"flippers": {0: "no", 1: "yes"}}}})
    >>> tree.depth, tree.n_leaves
    (2, 3)
    """
    arguments.text("target", target)
    _check_size(plain)
    columns: dict[str, dict[Any, int]] = {}
    positions: dict[str, int] = {}
    numeric: set[str] = set()
    classes: dict[Any, int] = {}
    lists = _NodeLists()
    lists.add_node(-1, ())
    order: list[Any] = [plain]
    for node, part in enumerate(order):  # the list grows during the loop: breadth first
        if not isinstance(part, dict):
            lists.answer[node] = classes.setdefault(_plain(part), len(classes))
            continue
        name, branches = _column_and_branches(part)
        codes_of = columns.setdefault(name, {})
        lists.column[node] = positions.setdefault(name, len(positions))
        cut = _cut_of(name, list(branches))
        if cut is not None:
            lists.set_cut(node, cut[0], is_open=cut[1])
            numeric |= {name} if math.isfinite(cut[0]) else set()
        is_printed = all(parse_levels(key) is not None for key in branches)
        used_codes: set[int] = set()
        for key, below in branches.items():
            levels = (
                () if cut is not None else _levels(name, parse_levels(key) if is_printed else key)
            )
            codes = tuple(codes_of.setdefault(level, len(codes_of)) for level in levels)
            if len(used_codes | set(codes)) < len(used_codes) + len(codes):
                raise DataError("dict_level_twice", column=name, level=key)
            used_codes.update(codes)
            lists.add_node(node, codes)
            order.append(below)
    for name in numeric:
        if columns[name]:
            raise DataError("dict_mixed_column", column=name)
    schema = tuple(
        Field(name, "numeric") if name in numeric else Field(name, "nominal", tuple(levels))
        for name, levels in columns.items()
    )
    splits_on_missing = math.inf in lists.cut
    recipe = {
        "name": "by hand",
        "missing": "branch" if splits_on_missing else "refuse",
        "unseen": "stop",
    }
    answers = Field(target, "nominal", tuple(classes))
    return TreeData(_nodes(lists, len(classes)), schema, answers, recipe, about={"counted": False})


def _check_size(plain: Any) -> None:  # noqa: ANN401 - a dict, or a class
    """Refuse a dict that contains itself, or that expands to too many nodes.

    A dict may occur in several places; its nodes then count once for each.
    """
    size: dict[int, int] = {}
    ancestors: set[int] = set()
    stack = [plain] if isinstance(plain, dict) else []
    while stack:
        part, key = stack[-1], id(stack[-1])
        children = [value for value in part.values() if isinstance(value, dict)]
        if key in ancestors:  # all its children have been counted
            ancestors.remove(key)
            size[key] = 1 + sum(size[id(value)] for value in children)
            if size[key] > MAX_DICTS:
                raise DataError("dict_too_large", limit=MAX_DICTS)
        if key in size:
            stack.pop()
            continue
        ancestors.add(key)
        if any(id(value) in ancestors for value in children):
            raise DataError("dict_holds_itself")
        stack += children


def _nodes(lists: _NodeLists, n_classes: int) -> Nodes:
    n = len(lists.parent)
    total = np.zeros((n, n_classes))
    for node in range(n - 1, -1, -1):  # children before their parents
        answer = lists.answer[node]
        if answer is not None:
            total[node, answer] += 1
        if node:
            total[lists.parent[node]] += total[node]
    return Nodes(
        parent=np.asarray(lists.parent, np.int32),
        column=np.asarray(lists.column, np.int32),
        cut=np.asarray(lists.cut, np.float64),
        level_start=np.append([0], np.cumsum([len(c) for c in lists.levels])).astype(np.int64),
        level_codes=np.asarray([c for codes in lists.levels for c in codes], np.int32),
        total=total,
        gain=np.zeros(n),
        score=np.zeros(n),
        gap=np.asarray(lists.gap) if np.isfinite(lists.gap).any() else None,
        missing=np.where(np.isposinf(lists.cut), 1, NO_BRANCH).astype(np.int32)
        if math.inf in lists.cut
        else None,
    )


def _column_and_branches(part: dict[Any, Any]) -> tuple[str, dict[Any, Any]]:
    branches = next(iter(part.values()), None)
    if len(part) != 1 or not isinstance(branches, dict) or not branches:
        raise DataError("dict_not_a_tree", found=list(part))
    name = str(next(iter(part)))
    plain = {
        key if isinstance(key, tuple) else strip_column_name(name, key): below
        for key, below in branches.items()
    }
    branches = plain if len(plain) == len(branches) else branches
    in_order = dict(reversed(branches.items()))
    if _cut_of(name, list(in_order)) is not None:  # '> c' was written before '<= c'
        branches = in_order
    return name, branches


def _levels(column: str, key: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any key of a dict
    levels = key if isinstance(key, tuple) else (key,)
    try:
        return tuple(_plain(level) for level in levels or (None,))
    except DataError:
        raise DataError("dict_bad_level", column=column, level=key) from None


def _plain(value: Any) -> Any:  # noqa: ANN401 - unchecked input
    """Return a text, boolean or finite number as a Python value; refuse anything else."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | bool) or (arguments.is_number(value) and math.isfinite(value)):
        return value
    raise WrongSourceError("dict_not_a_tree", found=value)


def _cut_of(column: str, keys: list[Any]) -> tuple[float, bool] | None:
    """Return the threshold that two keys describe, and whether it is open; None for other keys.

    Two sides of one number that overlap, or leave a gap, are refused: they are a mistyped
    threshold.
    """
    if len(keys) != 2:
        return None
    one, other = keys
    cut = parse_cut(one, other)
    sides = parse_side(one), parse_side(other)
    if (
        cut is None
        and sides[0]
        and sides[1]
        and sides[0].sign[0] + sides[1].sign[0] in ("<>", "><")
    ):
        numbers = [parse_number(side) for side in sides if side]
        if numbers[0] is not None and numbers[0] == numbers[1] and parse_cut(other, one) is None:
            raise DataError("dict_bad_cut", column=column, one=keys[0], other=keys[1])
    return cut
