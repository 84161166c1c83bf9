"""The plan of an exported program: what each split does with every possible value.

The plan follows the rules of :mod:`penjing.predict.flat` and of the C++ core. A value selects a
branch, or it counts as missing (in trees with learned directions this includes categories that
the node never saw), or the row stops. For a row with a missing value the surrogates are tried in
turn, then the fallback: a branch, a stop, or a fraction of the row down each branch. Programs do
not round numbers to 32 bits; instead the threshold is moved to the largest double that rounds to
a number at or below it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing.data.read.level_index import text_of
from penjing.data.table import Floats
from penjing.errors import CapabilityError
from penjing.predict.flat import LEARNED, comparison_cuts, unseen_is_known
from penjing.predict.inputs import row_names, used_columns
from penjing.predict.predict import policies
from penjing.tree.counts import Classes, Costs
from penjing.tree.nodes import LEAF
from penjing.tree.split import Surrogate
from penjing.tree.tree_data import TreeData

STOP, FRACTION = -1, -2
"""Fallbacks that are not a branch: the row stops, or a fraction goes down each branch."""


@dataclass(frozen=True, slots=True)
class Test:
    """One test: a number against a threshold, or a category among groups of categories.

    ``below`` is the branch of ``value <= cut``. ``as_missing`` are the known categories that count
    as missing here. ``unseen_branch`` is the branch of unseen categories if any known value
    selects it, else STOP.
    """

    __test__ = False  # pytest must not collect it

    column: int
    cut: float | None
    below: int
    groups: tuple[tuple[int, ...], ...]
    as_missing: tuple[int, ...] = ()
    unseen_branch: int = STOP


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """The tests of a node (its split, then the surrogates), and the fallback if none decides."""

    tests: tuple[Test, ...]
    children: range
    fallback: int


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A tree prepared for export as a program.

    Parameters
    ----------
    tree : TreeData
        The tree.
    splits : list of SplitPlan or None
        For each node; None for a leaf.
    unseen : str
        The policy for unseen categories: ``stop``, ``missing`` or ``error``.
    columns : list of int
        The columns that the tree uses.
    fractions : list of float
        The fraction of a row with a missing value that each node receives from its parent.
    has_fractions : bool
        Whether any split sends fractions of rows down its branches.
    """

    tree: TreeData
    splits: list[SplitPlan | None]
    unseen: str
    columns: list[int]
    fractions: list[float]
    has_fractions: bool

    @property
    def costs(self) -> Costs | None:
        """The costs of errors, unless all errors cost the same."""
        reader = self.tree.reader
        return reader.costs if isinstance(reader, Classes) else None

    @property
    def n_tests(self) -> int:
        """The largest number of tests (split and surrogates) in a node."""
        return max((len(split.tests) for split in self.splits if split), default=0)

    def name(self, c: int) -> str:
        """Return the name of a column."""
        return self.tree.schema[c].name

    def is_numeric(self, c: int) -> bool:
        """Return whether a column is numeric."""
        return self.tree.schema[c].is_numeric

    def levels(self, c: int) -> tuple[Any, ...]:
        """Return the categories of a column that is not numeric."""
        return tuple(self.tree.schema[c].levels)

    def texts(self, c: int) -> list[str]:
        """Return the categories of a column as texts."""
        return [level if isinstance(level, str) else text_of(level) for level in self.levels(c)]

    def unused_names(self, *names: str) -> list[str]:
        """Return names with underscores added until no column has them, ignoring case."""
        names_of_rows = (*row_names(self.tree), self.tree.target.name)
        taken = {name.casefold() for name in names_of_rows}
        unused = []
        for name in names:
            unused_name = name
            while unused_name.casefold() in taken:
                unused_name += "_"
            taken.add(unused_name.casefold())
            unused.append(unused_name)
        return unused

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs: the prediction, then the probability of each class."""
        shares = [] if self.tree.is_regression else [f"p({class_})" for class_ in self.classes]
        return self.unused_names("predicted", *shares)

    @property
    def classes(self) -> list[str]:
        """The classes as texts."""
        return [c if isinstance(c, str) else text_of(c) for c in self.tree.classes]

    def prediction_text(self, node: int) -> str:
        """Return the prediction of a node as a text."""
        value = self.tree.values[node]
        return repr(float(value)) if self.tree.is_regression else self.classes[int(value)]

    @property
    def probabilities(self) -> Floats:
        """The class probabilities of each node, (nodes, classes); for regression its prediction."""
        if self.tree.is_regression:
            return np.asarray(self.tree.values, np.float64)[:, None]
        return np.asarray(self.tree.shares)


def build_plan(
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
    fractions = _child_fractions(tree)
    splits: list[SplitPlan | None] = []
    for node in range(len(tree.nodes)):
        if tree.nodes.column[node] == LEAF:
            splits.append(None)
            continue
        cut, learned = float(cuts[node]), missing == LEARNED
        test = _split_test(tree, node, cut, unseen, is_single=is_single, learned=learned)
        tests, fallback, children = [test], STOP, tree.children(node)
        if missing == LEARNED:
            surrogates = tree.nodes.surrogates.get(node, ())
            tests += [
                _surrogate_test(tree, s, is_single=is_single) for s in surrogates if s.is_used
            ]
            fallback = STOP if tree.nodes.missing is None else int(tree.nodes.missing[node])
        elif missing == "fraction" and any(fractions[c] > 0 for c in children):
            fallback = FRACTION
        splits.append(SplitPlan(tuple(tests), children, fallback))
    has_fractions = any(split is not None and split.fallback == FRACTION for split in splits)
    return Plan(tree, splits, unseen, columns, fractions, has_fractions)


def float32_threshold(cut: float) -> float:
    """Return the largest double that is at most a threshold when rounded to 32 bits.

    Examples
    --------
    >>> float32_threshold(0.5)
    0.5000000298023224
    >>> cut = float32_threshold(0.5)
    >>> bool(np.float32(cut) <= 0.5 < np.float32(math.nextafter(cut, 1)))
    True
    """
    if math.isinf(cut):
        return cut
    with np.errstate(over="ignore"):
        low = np.float32(cut)
        if float(low) > cut:
            low = np.nextafter(low, np.float32(-np.inf))
        high = np.nextafter(low, np.float32(np.inf))
        limit = 2.0**128  # the successor of the largest 32-bit number
        neighbours = [float(np.clip(float(x), -limit, limit)) for x in (low, high)]
        middle = neighbours[0] / 2 + neighbours[1] / 2
        return (
            middle if float(np.float32(middle)) <= float(low) else math.nextafter(middle, -math.inf)
        )


def _split_test(
    tree: TreeData, node: int, cut: float, unseen: str, *, is_single: bool, learned: bool
) -> Test:
    c = int(tree.nodes.column[node])
    field = tree.schema[c]
    if field.is_numeric:
        return Test(c, float32_threshold(cut) if is_single else cut, 0, ())
    known = range(len(field.levels))
    if not math.isnan(cut):
        unseen_branch = 0 if learned and unseen_is_known(field, cut, unseen) else STOP
        return Test(c, None, 0, _threshold_groups(known, cut, 0), unseen_branch=unseen_branch)
    groups = tuple(tuple(tree.nodes.levels(k).tolist()) for k in tree.children(node))
    taken = {code for group in groups for code in group}
    return Test(c, None, 0, groups, tuple(k for k in known if learned and k not in taken))


def _surrogate_test(tree: TreeData, surrogate: Surrogate, *, is_single: bool) -> Test:
    field = tree.schema[surrogate.column]
    if surrogate.cut is None:
        groups = tuple(tuple(codes.tolist()) for codes in surrogate.groups)
        return Test(surrogate.column, None, 0, groups)
    if field.is_numeric:
        cut = float32_threshold(surrogate.cut) if is_single else surrogate.cut
        return Test(surrogate.column, cut, surrogate.below, ())
    sides = _threshold_groups(range(len(field.levels)), surrogate.cut, surrogate.below)
    return Test(surrogate.column, None, 0, sides)


def _threshold_groups(known: range, cut: float, below: int) -> tuple[tuple[int, ...], ...]:
    low, high = tuple(k for k in known if k <= cut), tuple(k for k in known if k > cut)
    return (low, high) if below == 0 else (high, low)


def _child_fractions(tree: TreeData) -> list[float]:
    weight = tree.weight.tolist()
    fractions = [0.0] * len(weight)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        children = tree.children(node)
        total = 0.0
        for child in children:
            total += weight[child]
        for child in children if total > 0 else ():
            fractions[child] = weight[child] / total
    return fractions


def _check_texts(tree: TreeData, columns: list[int], kind: str) -> None:
    """Refuse categories with equal texts, and texts that cannot be encoded."""
    texts_to_check: list[Any] = [tree.target.name, *tree.classes]
    for c in columns:
        field = tree.schema[c]
        if field.is_numeric:
            texts_to_check.append(field.name)
            continue
        texts_to_check += [field.name, *field.levels]
        texts = [v if isinstance(v, str) else text_of(v) for v in field.levels]
        if len(set(texts)) < len(texts):
            duplicate = next(t for i, t in enumerate(texts) if t in texts[:i])
            raise CapabilityError("export_alike", kind=kind, column=field.name, level=duplicate)
    for text in texts_to_check:
        if isinstance(text, str) and any("\ud800" <= character <= "\udfff" for character in text):
            raise CapabilityError("export_text", kind=kind, text=text.encode("ascii", "replace"))


def refuse_characters(plan: Plan, kind: str, is_bad: Any) -> None:  # noqa: ANN401 - str to bool
    """Refuse texts with a character that the target does not allow."""
    texts = [plan.tree.target.name, *plan.classes, *(plan.name(c) for c in plan.columns)]
    for c in plan.columns:
        texts += [] if plan.is_numeric(c) else plan.texts(c)
    for text in texts:
        if any(is_bad(character) for character in text):
            raise CapabilityError("export_text", kind=kind, text=ascii(text))


def refuse_fractions(plan: Plan, kind: str) -> None:
    """Refuse fractional cases, for a target that does not support them."""
    if plan.has_fractions:
        raise CapabilityError("export_no_shares", kind=kind)


def refuse_unseen_error(plan: Plan, kind: str) -> None:
    """Refuse errors for unseen categories, for a target that cannot raise them."""
    if plan.unseen == "error":
        raise CapabilityError("export_no_error", kind=kind)
