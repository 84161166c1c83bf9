"""The C++ engine: the same answers as the memory engine, and whole trees at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from penjing import _core
from penjing.criteria.criterion import Criterion, impurity_decrease, kernel_of
from penjing.criteria.entropy import entropy_bits
from penjing.data.lazy_column import LazyColumn
from penjing.data.memory_limit import n_threads
from penjing.data.scratch import ScratchFolder
from penjing.data.table import Column, Floats, Table
from penjing.dialects.c45 import native_kernel as c45_kernel
from penjing.dialects.rpart import native_kernel as rpart_kernel
from penjing.dialects.sklearn import native_kernel as sklearn_kernel
from penjing.engines import memory
from penjing.grow.recipe import Recipe
from penjing.progress import NativeProgressCallback, Progress, ProgressCallback
from penjing.tree.counts import Classes, Reader, ties_of
from penjing.tree.nodes import LEAF, Nodes
from penjing.tree.tree_data import TreeData

SMALL = 100_000
"""Below this number of cells a thread costs more than it saves."""


class Engine(memory.Engine):
    """Answers from a table in memory; grows the trees that C++ knows how to grow by itself.

    Parameters
    ----------
    table : Table
        The rows.
    missing, shares_of : str
        As for the memory engine.
    threads : int or None
        How many threads; None for all that the machine has. The tree is the same for any.
    space : Workspace or None
        Where what is as large as a column is kept in files, if memory holds rows only.
    """

    def __init__(
        self,
        table: Table,
        missing: str = "fraction",
        shares_of: Any = "rows",  # noqa: ANN401 - the memory engine's
        reader: Reader | None = None,
        threads: int | None = None,
        *,
        space: ScratchFolder | None = None,
    ) -> None:
        super().__init__(table, missing, shares_of, reader)
        self._threads = threads
        self._small = 1000  # rows up to which a node is sorted; tests make it tiny
        self._space = space
        self._by_row = space is not None  # rows are added one by one in every node; for tests

    def grow(self, recipe: Recipe, progress: ProgressCallback | None = None) -> TreeData | None:
        """Grow a whole tree, or return None where the readable loop has to.

        That is: a criterion C++ does not know, a limit on leaves, or groupings of many levels
        with more than two classes.
        """
        tell = None if progress is None else self._telling(progress)
        given = self._table, self.reader, recipe, self._n_threads()
        if recipe.rules == "quinlan":
            return c45_kernel.grown(*given, lean=self._space is not None, tell=tell)
        if recipe.rules == "rpart":
            return rpart_kernel.grown(*given, space=self._space, tell=tell)
        if recipe.rules == "sklearn":
            return sklearn_kernel.grown(self._table, self.reader, recipe, self._n_threads())
        criterion = recipe.measure()
        if not self._knows(recipe, criterion):
            return None
        s, table = self.reader, self._table
        told: dict[str, Any] | None = None
        if self._space is None:
            told = self._told(recipe, criterion, progress, by_count=True)
        plain = [column for column in table.columns if isinstance(column, LazyColumn)]
        if told is None:
            told = self._told(recipe, criterion, progress, by_count=False)
            seen = [] if told is None else told["n_missing"].tolist()
            for column, n_missing in zip(table.columns, seen, strict=False):
                column.mark_finite(n_missing) if isinstance(column, LazyColumn) else None
            for column in plain:
                column.check_finite()
            recipe.refuse_missing(plain)
            assert told is not None
        for column in plain:
            column.mark_finite() if not told["after"].size else None
        nodes, ties = tree_arrays(told, criterion, s)
        centre = 0.0 if isinstance(s, Classes) else s.centre
        about = {"n_ties": told["n_ties"], "ties": ties}
        return TreeData(nodes, self.schema, self.target, recipe.settings(), centre, about)

    def _told(
        self,
        recipe: Recipe,
        criterion: Criterion,
        progress: ProgressCallback | None,
        *,
        by_count: bool,
    ) -> dict[str, Any] | None:
        """Return the arrays of a tree; None if rows cannot be counted by ones after all."""
        s, table = self.reader, self._table
        assert table.target is not None
        told: dict[str, Any] | None = _core.grow(
            [_told(column) for column in table.columns],
            _whole(table.target.codes, np.int32) if isinstance(s, Classes) else None,
            None if isinstance(s, Classes) else _numbers(table.target),
            None if table.weight is None else _whole(table.weight, np.float64),
            {
                "measure": kernel_of(criterion),
                "n_sums": s.size,
                "centre": 0.0 if isinstance(s, Classes) else s.centre,
                "multiway": recipe.shape == "multiway",
                "fraction": self._missing == "fraction",
                "max_depth": -1 if recipe.max_depth is None else recipe.max_depth,
                "min_weight": float(recipe.min_weight),
                "min_branch": float(recipe.min_branch),
                "min_gain": float(recipe.min_gain),
                "threads": self._n_threads(),
                "small": self._small,
                "by_count": by_count,
                "by_row": self._by_row,
                "whole": recipe.missing == "refuse",
                "progress": None if progress is None else self._telling(progress),
            },
        )
        return told

    def prune_by_errors(self, tree: TreeData, how: Mapping[str, object]) -> dict[str, Any] | None:
        """Return what error-based pruning makes of a tree, or None where Python has to."""
        return c45_kernel.pruned(self._table, self.reader, tree, how, self._missing)

    def _telling(self, progress: ProgressCallback) -> NativeProgressCallback:
        n_rows = self._table.n_rows

        def tell(row_levels: int, n_placed: int, n_leaves: int) -> None:
            # Rows that are shared out arrive in several leaves.
            progress(Progress(row_levels, min(n_placed, n_rows), n_rows, n_leaves))

        return tell

    def _knows(self, recipe: Recipe, criterion: Criterion) -> bool:
        return (
            recipe.rules == "textbook"
            and criterion.native is not None
            and recipe.max_leaves is None
            and recipe.missing != "branch"
            and self._table.n_rows > 0
        )

    def _n_threads(self) -> int:
        is_small = self._table.n_rows * len(self._table.columns) < SMALL
        return 1 if self._threads is None and is_small else n_threads(self._threads)


def _whole(array: Any, dtype: Any) -> Any:  # noqa: ANN401 - any array
    return np.ascontiguousarray(array, dtype)


def _numbers(target: Column) -> Floats:
    raw = target.raw if isinstance(target, LazyColumn) else target.numbers()
    return np.ascontiguousarray(raw, np.float64)


def _told(column: Column) -> tuple[Any, Any, int, bool]:
    if isinstance(column, LazyColumn) and not column.is_coded:
        return column.raw, None, -1, True
    levels = _whole(column.levels, np.float64) if column.is_numeric else None
    return _whole(column.codes, np.int32), levels, len(column.levels), column.has_order


def tree_arrays(
    told: dict[str, Any], criterion: Criterion, s: Reader
) -> tuple[Nodes, list[dict[str, Any]]]:
    """Return the nodes, with gains and scores by the criteria's own formulas, and the ties."""
    parent, column = told["parent"], told["column"]
    total = told["total"].reshape(-1, s.size)
    if "gain" in told:
        gain, score = told["gain"], told["gain"].copy()
    else:
        gain, score = _gains(told, criterion, s, total)
    gap = told["gap"].reshape(-1, 2) if told["has_gap"] else None
    flat = told["level_start"], told["level_codes"]
    nodes = Nodes(parent, column, told["cut"], *flat, total, gain, score, gap)
    return nodes, ties_of(told, score)


def _gains(
    told: dict[str, Any], criterion: Criterion, s: Reader, total: Floats
) -> tuple[Floats, Floats]:
    """Compute what every split gained, nodes with equally many branches together."""
    n = len(total)
    gain, information = np.zeros(n), np.ones(n)
    asking = np.flatnonzero(told["column"] != LEAF)
    counts = np.bincount(told["parent"][1:], minlength=n)[asking]
    first = np.searchsorted(told["parent"], asking)
    whole = not told["after"].size  # nothing was missing: the sums are those of the children
    after = total if whole else told["after"].reshape(n, s.size)
    known = total if whole else told["known"].reshape(n, s.size)
    by_ratio = kernel_of(criterion) == "gain_ratio"
    # Every node is a part of one division only, so that each is measured once.
    weight = s.weight(after)
    mixed = criterion.impurity(after, s)
    before = mixed if whole else criterion.impurity(known, s)
    masses = weight if whole else s.weight(known)
    for n_branches in np.flatnonzero(np.bincount(counts)).tolist():
        here = counts == n_branches
        at = asking[here]
        parts = first[here][:, None] + np.arange(n_branches)
        gain[at] = impurity_decrease(before[at], masses[at], mixed[parts], weight[parts])
        if by_ratio:
            information[at] = entropy_bits(weight[parts])
    if not whole:
        kept = masses[asking]
        gain[asking] *= kept / (kept + s.weight(told["missing"].reshape(n, s.size)[asking]))
    if not by_ratio:
        return gain, gain.copy()
    return gain, np.where(gain > 0, gain / information, 0.0)
