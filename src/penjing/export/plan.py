"""A tree as every exported program wants it: what each node does with any value at all.

The rules of :mod:`penjing.predict.flat` and C++ are told here once: a value takes a branch, or it
is lost (missing; in trees with learnt directions also a level that its node never saw), or the row
stops. A lost row asks the stand-in tests in turn, then takes the last resort: a branch, a stop,
or a part of it down every branch. Numbers that a tree holds in 32 bits are not rounded by the
program: the cut is moved to the largest double that 32 bits put at or below it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing.data.table import Floats
from penjing.errors import CapabilityError
from penjing.predict.flat import LEARNED, comparison_cuts, unseen_is_known
from penjing.predict.inputs import text_of, used_columns
from penjing.predict.predict import policies
from penjing.tree.counts import Classes, Costs
from penjing.tree.nodes import LEAF
from penjing.tree.split import Surrogate
from penjing.tree.tree_data import TreeData

STOP, SHARE = -1, -2
"""What becomes of a row that is lost, besides taking a branch."""


@dataclass(frozen=True, slots=True)
class Test:
    """One question: a number against a cut, or a level among groups of levels.

    ``below`` is the branch of ``value <= cut``. ``lost`` are the known levels that count as
    missing here. ``odd`` is the branch of a level that nobody knows, where having a value is
    enough; else such a level has none (STOP).
    """

    __test__ = False  # no test of pytest's

    column: int
    cut: float | None
    below: int
    groups: tuple[tuple[int, ...], ...]
    lost: tuple[int, ...] = ()
    odd: int = STOP


@dataclass(frozen=True, slots=True)
class Ask:
    """What a node asks: its own test, those that stand in, and what becomes of a lost row."""

    tests: tuple[Test, ...]
    children: range
    last: int


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A tree made ready to be written as a program.

    Parameters
    ----------
    tree : TreeData
        Where it comes from.
    asks : list of Ask or None
        For each node; None in a leaf.
    unseen : str
        A level that training never saw: ``stop``, ``missing`` or ``error``.
    columns : list of int
        The columns that are asked about.
    share : list of float
        The part of a row that each node gets of its parent.
    is_shared : bool
        Whether any node shares rows out.
    """

    tree: TreeData
    asks: list[Ask | None]
    unseen: str
    columns: list[int]
    share: list[float]
    is_shared: bool

    @property
    def costs(self) -> Costs | None:
        """What mistakes cost, where not all cost the same."""
        reader = self.tree.reader
        return reader.costs if isinstance(reader, Classes) else None

    def name(self, c: int) -> str:
        """Return the name of a column."""
        return self.tree.schema[c].name

    def is_numeric(self, c: int) -> bool:
        """Say whether a column holds numbers."""
        return self.tree.schema[c].is_numeric

    def levels(self, c: int) -> tuple[Any, ...]:
        """Return the levels of a column that holds none."""
        return tuple(self.tree.schema[c].levels)

    def texts(self, c: int) -> list[str]:
        """Return the levels of a column as texts."""
        return [level if isinstance(level, str) else text_of(level) for level in self.levels(c)]

    def titles(self, *names: str) -> list[str]:
        """Return names for what a program adds to a row: none that a column has, in any case."""
        taken = {field.name.casefold() for field in (*self.tree.schema, self.tree.target)}
        made = []
        for name in names:
            title = name
            while title.casefold() in taken:
                title += "_"
            taken.add(title.casefold())
            made.append(title)
        return made

    @property
    def answers(self) -> list[str]:
        """What is added: the answer, then the share of each class."""
        shares = [] if self.tree.is_regression else [f"p({class_})" for class_ in self.classes]
        return self.titles("predicted", *shares)

    @property
    def classes(self) -> list[str]:
        """The classes as texts."""
        return [c if isinstance(c, str) else text_of(c) for c in self.tree.classes]

    @property
    def shares(self) -> Floats:
        """What each node answers with, (nodes, classes); one number each for regression."""
        if self.tree.is_regression:
            return np.asarray(self.tree.values, np.float64)[:, None]
        return np.asarray(self.tree.shares)


def plan_of(
    tree: TreeData, kind: str, *, missing: str | None = None, unseen: str | None = None
) -> Plan:
    """Return the plan of a tree; ``missing`` and ``unseen`` as `predict` takes them."""
    unseen, missing = policies(tree, unseen, missing)
    if missing == "error":
        raise CapabilityError("export_missing_error", kind=kind)
    columns = used_columns(tree)
    _check_texts(tree, columns, kind)
    cuts = comparison_cuts(tree)
    is_single = tree.recipe.get("precision") == "single"
    share = _shares_of_parents(tree)
    asks: list[Ask | None] = []
    for node in range(len(tree.nodes)):
        if tree.nodes.column[node] == LEAF:
            asks.append(None)
            continue
        cut, learnt = float(cuts[node]), missing == LEARNED
        test = _own(tree, node, cut, unseen, is_single=is_single, learnt=learnt)
        tests, last, children = [test], STOP, tree.children(node)
        if missing == LEARNED:
            stand_ins = tree.nodes.surrogates.get(node, ())
            tests += [_other(tree, s, is_single=is_single) for s in stand_ins if s.is_used]
            last = STOP if tree.nodes.missing is None else int(tree.nodes.missing[node])
        elif missing == "fraction" and any(share[c] > 0 for c in children):
            last = SHARE
        asks.append(Ask(tuple(tests), children, last))
    is_shared = any(ask is not None and ask.last == SHARE for ask in asks)
    return Plan(tree, asks, unseen, columns, share, is_shared)


def reach(cut: float) -> float:
    """Return the largest double that is at most a cut once it is rounded to 32 bits.

    Examples
    --------
    >>> reach(0.5)
    0.5000000298023224
    >>> bool(np.float32(reach(0.5)) <= 0.5 < np.float32(math.nextafter(reach(0.5), 1)))
    True
    """
    if math.isinf(cut):
        return cut
    with np.errstate(over="ignore"):
        low = np.float32(cut)
        if float(low) > cut:
            low = np.nextafter(low, np.float32(-np.inf))
        high = np.nextafter(low, np.float32(np.inf))
        top = 2.0**128  # what would follow the largest single
        ends = [float(np.clip(float(x), -top, top)) for x in (low, high)]
        middle = ends[0] / 2 + ends[1] / 2
        return (
            middle if float(np.float32(middle)) <= float(low) else math.nextafter(middle, -math.inf)
        )


def _own(
    tree: TreeData, node: int, cut: float, unseen: str, *, is_single: bool, learnt: bool
) -> Test:
    c = int(tree.nodes.column[node])
    field = tree.schema[c]
    if field.is_numeric:
        return Test(c, reach(cut) if is_single else cut, 0, ())
    known = range(len(field.levels))
    if not math.isnan(cut):
        odd = 0 if learnt and unseen_is_known(field, cut, unseen) else STOP
        return Test(c, None, 0, _sides(known, cut, 0), odd=odd)
    groups = tuple(tuple(tree.nodes.levels(k).tolist()) for k in tree.children(node))
    taken = {code for group in groups for code in group}
    return Test(c, None, 0, groups, tuple(k for k in known if learnt and k not in taken))


def _other(tree: TreeData, surrogate: Surrogate, *, is_single: bool) -> Test:
    field = tree.schema[surrogate.column]
    if surrogate.cut is None:
        groups = tuple(tuple(codes.tolist()) for codes in surrogate.groups)
        return Test(surrogate.column, None, 0, groups)
    if field.is_numeric:
        cut = reach(surrogate.cut) if is_single else surrogate.cut
        return Test(surrogate.column, cut, surrogate.below, ())
    sides = _sides(range(len(field.levels)), surrogate.cut, surrogate.below)
    return Test(surrogate.column, None, 0, sides)


def _sides(known: range, cut: float, below: int) -> tuple[tuple[int, ...], ...]:
    low, high = tuple(k for k in known if k <= cut), tuple(k for k in known if k > cut)
    return (low, high) if below == 0 else (high, low)


def _shares_of_parents(tree: TreeData) -> list[float]:
    weight = tree.weight.tolist()
    share = [0.0] * len(weight)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        children = tree.children(node)
        whole = 0.0
        for child in children:
            whole += weight[child]
        for child in children if whole > 0 else ():
            share[child] = weight[child] / whole
    return share


def _check_texts(tree: TreeData, columns: list[int], kind: str) -> None:
    """Refuse levels that a program could not tell apart, and texts that have no bytes."""
    plain: list[Any] = [tree.target.name, *tree.classes]
    for c in columns:
        field = tree.schema[c]
        if field.is_numeric:
            plain.append(field.name)
            continue
        plain += [field.name, *field.levels]
        texts = [v if isinstance(v, str) else text_of(v) for v in field.levels]
        if len(set(texts)) < len(texts):
            twice = next(t for i, t in enumerate(texts) if t in texts[:i])
            raise CapabilityError("export_alike", kind=kind, column=field.name, level=twice)
    for text in plain:
        if isinstance(text, str) and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise CapabilityError("export_text", kind=kind, text=text.encode("ascii", "replace"))


def refuse_letters(plan: Plan, kind: str, is_bad: Any) -> None:  # noqa: ANN401 - str to bool
    """Refuse texts that hold a character the target cannot."""
    texts = [plan.tree.target.name, *plan.classes, *(plan.name(c) for c in plan.columns)]
    for c in plan.columns:
        texts += [] if plan.is_numeric(c) else plan.texts(c)
    for text in texts:
        if any(is_bad(letter) for letter in text):
            raise CapabilityError("export_text", kind=kind, text=ascii(text))


def refuse_shares(plan: Plan, kind: str) -> None:
    """Refuse a tree that shares rows out, for a target that cannot."""
    if plan.is_shared:
        raise CapabilityError("export_no_shares", kind=kind)


def refuse_error(plan: Plan, kind: str) -> None:
    """Refuse a tree that is to stop with an error, for a target that cannot."""
    if plan.unseen == "error":
        raise CapabilityError("export_no_error", kind=kind)
