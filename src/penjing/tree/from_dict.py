"""Trees written by hand: a nested dict becomes a tree."""

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

MOST = 10_000_000
"""A nested dict may have so many dicts in it."""


@dataclass(slots=True)
class _Made:
    """The lists a tree is collected in, one entry a node."""

    parent: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    gap: list[tuple[float, float]] = field(default_factory=list)
    levels: list[tuple[int, ...]] = field(default_factory=list)
    answer: list[int | None] = field(default_factory=list)

    def divide(self, node: int, number: float, *, is_open: bool) -> None:
        """Give a node its cut; below an open one the number itself is not."""
        self.cut[node] = math.nextafter(number, -math.inf) if is_open else number
        if is_open:  # it is printed as it was written
            self.gap[node] = (self.cut[node], number)

    def add(self, parent: int, levels: tuple[int, ...]) -> None:
        """Add a node that neither asks nor answers yet."""
        self.parent.append(parent)
        self.column.append(LEAF)
        self.cut.append(math.nan)
        self.gap.append((math.nan, math.nan))
        self.levels.append(levels)
        self.answer.append(None)


def from_dict(plain: Any, target: str = "class") -> TreeData:  # noqa: ANN401 - a dict, or a class
    """Return the tree of a nested dict ``{column: {level: class or dict}}``.

    Such a tree knows no counts: every leaf stands for one row.

    Parameters
    ----------
    plain : dict
        As `Tree.to_dict` returns it, or with branches as trees are printed: levels (``"clear"``,
        ``"= clear"``), groups of levels (a tuple, ``"in {a, b}"``), and pairs of sides:
        ``"<= c"`` and ``"> c"``, ``"< c"`` and ``">= c"``, ``"≠ ?"`` (known) and ``"= ?"``. Blanks
        do not matter, and ``≤ ≥`` are as good as ``<= >=``. A level that looks like one of these
        is written as a tuple: ``("<=30",)``.
    target : str
        What the answers are called.

    Examples
    --------
    >>> tree = from_dict({"no surfacing": {0: "no", 1: {"flippers": {0: "no", 1: "yes"}}}})
    >>> tree.depth, tree.n_leaves
    (2, 3)
    """
    arguments.text("target", target)
    _refuse_endless(plain)
    columns: dict[str, dict[Any, int]] = {}
    place: dict[str, int] = {}
    numeric: set[str] = set()
    classes: dict[Any, int] = {}
    made = _Made()
    made.add(-1, ())
    order: list[Any] = [plain]
    for node, part in enumerate(order):  # grows while it is walked: breadth first
        if not isinstance(part, dict):
            made.answer[node] = classes.setdefault(_plain(part), len(classes))
            continue
        name, arms = _question(part)
        known = columns.setdefault(name, {})
        made.column[node] = place.setdefault(name, len(place))
        cut = _cut_of(name, list(arms))
        if cut is not None:
            made.divide(node, cut[0], is_open=cut[1])
            numeric |= {name} if math.isfinite(cut[0]) else set()
        is_printed = all(parse_levels(key) is not None for key in arms)
        taken: set[int] = set()
        for key, below in arms.items():
            levels = (
                () if cut is not None else _levels(name, parse_levels(key) if is_printed else key)
            )
            codes = tuple(known.setdefault(level, len(known)) for level in levels)
            if len(taken | set(codes)) < len(taken) + len(codes):
                raise DataError("dict_level_twice", column=name, level=key)
            taken.update(codes)
            made.add(node, codes)
            order.append(below)
    for name in numeric:
        if columns[name]:
            raise DataError("dict_mixed_column", column=name)
    schema = tuple(
        Field(name, "numeric") if name in numeric else Field(name, "nominal", tuple(levels))
        for name, levels in columns.items()
    )
    asks_known = math.inf in made.cut
    recipe = {"name": "by hand", "missing": "branch" if asks_known else "refuse", "unseen": "stop"}
    answers = Field(target, "nominal", tuple(classes))
    return TreeData(_nodes(made, len(classes)), schema, answers, recipe, about={"counted": False})


def _refuse_endless(plain: Any) -> None:  # noqa: ANN401 - a dict, or a class
    """Refuse a dict that holds itself, or that unfolds to more nodes than anybody has memory for.

    A dict may stand in several places; what is below it is then counted once for each.
    """
    size: dict[int, int] = {}
    above: set[int] = set()
    waiting = [plain] if isinstance(plain, dict) else []
    while waiting:
        part, key = waiting[-1], id(waiting[-1])
        below = [value for value in part.values() if isinstance(value, dict)]
        if key in above:  # all below it has been counted
            above.remove(key)
            size[key] = 1 + sum(size[id(value)] for value in below)
            if size[key] > MOST:
                raise DataError("dict_too_large", limit=MOST)
        if key in size:
            waiting.pop()
            continue
        above.add(key)
        if any(id(value) in above for value in below):
            raise DataError("dict_holds_itself")
        waiting += below


def _nodes(made: _Made, n_classes: int) -> Nodes:
    n = len(made.parent)
    total = np.zeros((n, n_classes))
    for node in range(n - 1, -1, -1):  # children before their parents
        answer = made.answer[node]
        if answer is not None:
            total[node, answer] += 1
        if node:
            total[made.parent[node]] += total[node]
    return Nodes(
        parent=np.asarray(made.parent, np.int32),
        column=np.asarray(made.column, np.int32),
        cut=np.asarray(made.cut, np.float64),
        level_start=np.append([0], np.cumsum([len(c) for c in made.levels])).astype(np.int64),
        level_codes=np.asarray([c for codes in made.levels for c in codes], np.int32),
        total=total,
        gain=np.zeros(n),
        score=np.zeros(n),
        gap=np.asarray(made.gap) if np.isfinite(made.gap).any() else None,
        missing=np.where(np.isposinf(made.cut), 1, NO_BRANCH).astype(np.int32)
        if math.inf in made.cut
        else None,
    )


def _question(part: dict[Any, Any]) -> tuple[str, dict[Any, Any]]:
    arms = next(iter(part.values()), None)
    if len(part) != 1 or not isinstance(arms, dict) or not arms:
        raise DataError("dict_not_a_tree", found=list(part))
    name = str(next(iter(part)))
    plain = {
        key if isinstance(key, tuple) else strip_column_name(name, key): below
        for key, below in arms.items()
    }
    arms = plain if len(plain) == len(arms) else arms
    in_order = dict(reversed(arms.items()))
    if _cut_of(name, list(in_order)) is not None:  # '> c' was written before '<= c'
        arms = in_order
    return name, arms


def _levels(column: str, key: Any) -> tuple[Any, ...]:  # noqa: ANN401 - whatever is a dict's key
    levels = key if isinstance(key, tuple) else (key,)
    try:
        return tuple(_plain(level) for level in levels or (None,))
    except DataError:
        raise DataError("dict_bad_level", column=column, level=key) from None


def _plain(value: Any) -> Any:  # noqa: ANN401 - that is to be found out
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | bool) or (arguments.is_number(value) and math.isfinite(value)):
        return value
    raise WrongSourceError("dict_not_a_tree", found=value)


def _cut_of(column: str, keys: list[Any]) -> tuple[float, bool] | None:
    """Return the cut that two keys stand for, and whether it is open; None for any other keys.

    Two sides of one number that do not meet, or overlap, are refused: somebody meant a cut.
    """
    if len(keys) != 2:
        return None
    one, other = keys
    found = parse_cut(one, other)
    sides = parse_side(one), parse_side(other)
    if (
        found is None
        and sides[0]
        and sides[1]
        and sides[0].sign[0] + sides[1].sign[0] in ("<>", "><")
    ):
        numbers = [parse_number(side) for side in sides if side]
        if numbers[0] is not None and numbers[0] == numbers[1] and parse_cut(other, one) is None:
            raise DataError("dict_bad_cut", column=column, one=keys[0], other=keys[1])
    return found
