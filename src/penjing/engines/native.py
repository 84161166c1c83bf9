"""The C++ engine: the same counts as the memory engine, and whole trees grown in C++."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.criteria.criterion import Criterion, impurity_decrease, kernel_of
from penjing.criteria.entropy import entropy_bits
from penjing.data.lazy_column import LazyColumn
from penjing.data.memory_limit import n_threads
from penjing.data.scratch import ScratchFolder
from penjing.data.table import Codes, Column, Floats, Table
from penjing.dialects.c45 import native_kernel as c45_kernel
from penjing.dialects.rpart import native_kernel as rpart_kernel
from penjing.dialects.sklearn import native_kernel as sklearn_kernel
from penjing.engines import memory
from penjing.grow.engine import TreeStructure
from penjing.grow.recipe import Recipe
from penjing.progress import NativeProgressCallback, Progress, ProgressCallback
from penjing.registry import load
from penjing.tree.counts import Classes, Counts, Reader, Totals, ties_of
from penjing.tree.nodes import LEAF, Nodes
from penjing.tree.split import NO_BRANCH, BestSplits, first_code_above
from penjing.tree.tree_data import TreeData

SMALL = 100_000
"""With fewer cells (rows x columns) than this, a thread costs more time than it saves."""


class Engine(memory.Engine):
    """Counts the rows of a table in memory; grows whole trees where C++ supports the recipe.

    Parameters
    ----------
    table : Table
        The rows.
    missing, shares_of : str
        As for the memory engine.
    threads : int or None
        Number of threads; None for all that the machine has. It does not change the tree.
    space : ScratchFolder or None
        Where arrays as large as a column are stored in files, if only row ids fit memory.
    """

    def __init__(
        self,
        table: Table,
        missing: str = "fraction",
        shares_of: Any = "rows",  # noqa: ANN401 - as in the memory engine
        reader: Reader | None = None,
        threads: int | None = None,
        *,
        space: ScratchFolder | None = None,
    ) -> None:
        super().__init__(table, missing, shares_of, reader)
        self._threads = threads
        self._small = 1000  # nodes of at most this many rows are sorted; tests lower it
        self._space = space
        self._by_row = space is not None  # count row by row in every node; tests set it

    def grow(self, recipe: Recipe, progress: ProgressCallback | None = None) -> TreeData | None:
        """Grow a whole tree, or return None if the loop in Python has to.

        It has to for a criterion that C++ does not have, a limit on leaves, or
        groupings of many levels with more than two classes.
        """
        report = None if progress is None else self._progress_reporter(progress)
        arguments = self._table, self.reader, recipe, self._n_threads()
        if recipe.rules == "quinlan":
            return c45_kernel.grow(*arguments, lean=self._space is not None, tell=report)
        if recipe.rules == "rpart":
            return rpart_kernel.grow(*arguments, space=self._space, tell=report)
        if recipe.rules == "sklearn":
            return sklearn_kernel.grow(self._table, self.reader, recipe, self._n_threads())
        criterion = recipe.measure()
        if not self._is_supported(recipe, criterion):
            return None
        reader, table = self.reader, self._table
        arrays: dict[str, Any] | None = None
        if self._space is None:
            arrays = self._grow_native(recipe, criterion, progress, unit_weights=True)
        uncoded = [column for column in table.columns if isinstance(column, LazyColumn)]
        if arrays is None:
            arrays = self._grow_native(recipe, criterion, progress, unit_weights=False)
            missing_counts = [] if arrays is None else arrays["n_missing"].tolist()
            for column, n_missing in zip(table.columns, missing_counts, strict=False):
                column.mark_finite(n_missing) if isinstance(column, LazyColumn) else None
            for column in uncoded:
                column.check_finite()
            recipe.refuse_missing(uncoded)
            assert arrays is not None
        for column in uncoded:
            column.mark_finite() if not arrays["after"].size else None
        nodes, ties = tree_arrays(arrays, criterion, reader)
        centre = 0.0 if isinstance(reader, Classes) else reader.centre
        about = {"n_ties": arrays["n_ties"], "ties": ties}
        return TreeData(nodes, self.schema, self.target, recipe.settings(), centre, about)

    def _grow_native(
        self,
        recipe: Recipe,
        criterion: Criterion,
        progress: ProgressCallback | None,
        *,
        unit_weights: bool,
    ) -> dict[str, Any] | None:
        """Return the arrays of a tree that C++ has grown.

        None if ``unit_weights`` was requested and rows cannot be counted as ones (they have
        weights, a numeric target or missing values), or if a number is infinite.
        """
        s, table = self.reader, self._table
        assert table.target is not None
        arrays: dict[str, Any] | None = _core.grow(
            [_kernel_column(column) for column in table.columns],
            _contiguous(table.target.codes, np.int32) if isinstance(s, Classes) else None,
            None if isinstance(s, Classes) else _numbers(table.target),
            None if table.weight is None else _contiguous(table.weight, np.float64),
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
                "by_count": unit_weights,
                "by_row": self._by_row,
                "whole": recipe.missing == "refuse",
                "progress": None if progress is None else self._progress_reporter(progress),
            },
        )
        return arrays

    # -- the answers that the loop in Python asks for ------------------------------------------

    @cached_property
    def _root(self) -> memory.Rows:
        return memory.Rows(np.arange(self._table.n_rows, dtype=np.uint32), self._table.weight)

    @cached_property
    def target_arrays(self) -> tuple[Codes | None, Floats | None]:
        """The classes, or the numbers, as C++ takes them."""
        assert self._table.target is not None
        if isinstance(self.reader, Classes):
            return _contiguous(self._table.target.codes, np.int32), None
        return None, _numbers(self._table.target)

    @cached_property
    def core_columns(self) -> list[tuple[Any, Any, int, bool]]:
        """The columns, encoded, as C++ takes them."""
        for column in self._table.columns:
            _ = column.codes  # a column of plain numbers is encoded now
        return [_kernel_column(column) for column in self._table.columns]

    def totals(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of these nodes."""
        assert self._table.target is not None
        rows = [self._rows_of(tree, node) for node in nodes]
        is_classes = isinstance(self.reader, Classes)
        cells, is_pure = _core.node_sums(
            _contiguous(self._y, np.int32) if is_classes else None,
            None if is_classes else _contiguous(self._y, np.float64),
            _contiguous(self._table.target.codes, np.int32),
            self.reader.size,
            [(each.ids, each.weight) for each in rows],
        )
        totals = Totals(cells.reshape(-1, self.reader.size), is_pure.astype(bool))
        if self._table.weight is None:
            return totals
        return replace(totals, rows=np.array([len(each.ids) for each in rows], np.float64))

    def best_splits(
        self, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
    ) -> BestSplits | None:
        """Return the best split of every column in each node; None where C++ has no such search."""
        search = getattr(load("dialect", recipe.rules), "native_best_splits", None)
        best: BestSplits | None = None if search is None else search(self, tree, nodes, recipe)
        return best

    def rows_for_core(
        self, tree: TreeStructure, nodes: Sequence[int]
    ) -> list[tuple[npt.NDArray[np.uint32], Floats | None]]:
        """Return the row numbers and weights of each node, as C++ takes them."""
        return [(rows.ids, rows.weight) for rows in (self._rows_of(tree, node) for node in nodes)]

    @staticmethod
    def _counts(column: Column, rows: memory.Rows, target: Codes | Floats, s: Reader) -> Counts:
        classes, y = (target, None) if isinstance(s, Classes) else (None, target)
        present, cells, missing, unit_cells, n_missing = _core.count_column(
            _contiguous(column.codes, np.int32),
            len(column.levels),
            None if classes is None else _contiguous(classes, np.int32),
            None if y is None else _contiguous(y, np.float64),
            s.size,
            rows.ids,
            rows.weight,
        )
        cells = cells.reshape(-1, s.size)
        if unit_cells is None:
            return Counts(present, cells, missing)
        return Counts(present, cells, missing, unit_cells.reshape(-1, s.size), n_missing)

    def _split_rows(self, tree: TreeStructure, parent: int, rows: memory.Rows) -> None:
        """Put the rows of a node's children into the cache, and remove the node's own."""
        split = tree.split(parent)
        assert split is not None
        children = list(tree.children(parent))
        columns = self._table.columns
        rules = [_branch_rule(columns[split.column], split.cut, split.groups)]
        rules += [
            _branch_rule(columns[s.column], s.cut, s.groups, is_swapped=s.below == 1)
            for s in split.surrogates
            if s.is_used
        ]
        shares = None
        if self._missing == "fraction" and self._shares_of == "tree":
            known = np.array([tree.weight_of(child) for child in children])
            total = known.sum()
            shares = known / total if total > 0 else known
        parts = _core.route_rows(
            rows.ids,
            rows.weight,
            rules,
            {
                "n_rows": self._table.n_rows,
                "n_branches": len(children),
                "missing": split.missing,
                "known_stay": self._shares_of == "rows",
                "fraction": self._missing == "fraction",
                "shares": shares,
            },
        )
        for child, (ids, weight) in zip(children, parts, strict=True):
            self._rows[child] = memory.Rows(ids, weight)
        self._rows.pop(parent, None)

    def prune_by_errors(
        self, tree: TreeData, options: Mapping[str, object]
    ) -> dict[str, Any] | None:
        """Return the arrays of a tree after error-based pruning; None if Python has to prune it."""
        return c45_kernel.prune(self._table, self.reader, tree, options, self._missing)

    def _progress_reporter(self, progress: ProgressCallback) -> NativeProgressCallback:
        n_rows = self._table.n_rows

        def report(row_levels: int, n_placed: int, n_leaves: int) -> None:
            # Fractional cases arrive in several leaves, so `n_placed` may exceed `n_rows`.
            progress(Progress(row_levels, min(n_placed, n_rows), n_rows, n_leaves))

        return report

    def _is_supported(self, recipe: Recipe, criterion: Criterion) -> bool:
        return (
            recipe.rules == "textbook"
            and criterion.native is not None
            and recipe.max_leaves is None
            and recipe.missing != "branch"
            and self._table.n_rows > 0
        )

    @property
    def n_threads(self) -> int:
        """The number of threads to use for this table."""
        return self._n_threads()

    def _n_threads(self) -> int:
        is_small = self._table.n_rows * len(self._table.columns) < SMALL
        return 1 if self._threads is None and is_small else n_threads(self._threads)


def _branch_rule(
    column: Column, cut: float | None, groups: Sequence[Codes], *, is_swapped: bool = False
) -> tuple[Codes, int, Codes | None, bool]:
    """Return a rule that sends rows to branches as C++ takes it; see `tree.split`."""
    codes = _contiguous(column.codes, np.int32)
    if cut is None:
        branch = np.full(len(column.levels), NO_BRANCH, np.int32)
        for number, group in enumerate(groups):
            branch[group] = number
        return codes, -1, branch, False
    return codes, max(first_code_above(column, cut), 0), None, is_swapped


def _contiguous(array: Any, dtype: Any) -> Any:  # noqa: ANN401 - any array
    return np.ascontiguousarray(array, dtype)


def _numbers(target: Column) -> Floats:
    raw = target.raw if isinstance(target, LazyColumn) else target.numbers()
    return np.ascontiguousarray(raw, np.float64)


def _kernel_column(column: Column) -> tuple[Any, Any, int, bool]:
    """Return values or codes, levels, number of levels and whether they are ordered."""
    if isinstance(column, LazyColumn) and not column.is_coded:
        return column.raw, None, -1, True
    levels = _contiguous(column.levels, np.float64) if column.is_numeric else None
    return _contiguous(column.codes, np.int32), levels, len(column.levels), column.has_order


def tree_arrays(
    arrays: dict[str, Any], criterion: Criterion, s: Reader
) -> tuple[Nodes, list[dict[str, Any]]]:
    """Return the nodes, with gains and scores by the formulas of the criterion, and the ties."""
    parent, column = arrays["parent"], arrays["column"]
    total = arrays["total"].reshape(-1, s.size)
    if "gain" in arrays:
        gain, score = arrays["gain"], arrays["gain"].copy()
    else:
        gain, score = _gains(arrays, criterion, s, total)
    gap = arrays["gap"].reshape(-1, 2) if arrays["has_gap"] else None
    flat = arrays["level_start"], arrays["level_codes"]
    nodes = Nodes(parent, column, arrays["cut"], *flat, total, gain, score, gap)
    return nodes, ties_of(arrays, score)


def _gains(
    arrays: dict[str, Any], criterion: Criterion, s: Reader, total: Floats
) -> tuple[Floats, Floats]:
    """Return gain and score of every split; nodes with equally many branches at once."""
    n = len(total)
    gain, information = np.zeros(n), np.ones(n)
    inner = np.flatnonzero(arrays["column"] != LEAF)
    counts = np.bincount(arrays["parent"][1:], minlength=n)[inner]
    first = np.searchsorted(arrays["parent"], inner)
    is_complete = not arrays["after"].size  # nothing was missing: the children's sums are complete
    after = total if is_complete else arrays["after"].reshape(n, s.size)
    known = total if is_complete else arrays["known"].reshape(n, s.size)
    by_ratio = kernel_of(criterion) == "gain_ratio"
    # Every node is a branch of one split only, so each impurity is computed once.
    weight = s.weight(after)
    impurity = criterion.impurity(after, s)
    impurity_before = impurity if is_complete else criterion.impurity(known, s)
    known_weight = weight if is_complete else s.weight(known)
    for n_branches in np.flatnonzero(np.bincount(counts)).tolist():
        has_n_branches = counts == n_branches
        parents = inner[has_n_branches]
        parts = first[has_n_branches][:, None] + np.arange(n_branches)
        gain[parents] = impurity_decrease(
            impurity_before[parents], known_weight[parents], impurity[parts], weight[parts]
        )
        if by_ratio:
            information[parents] = entropy_bits(weight[parts])
    if not is_complete:
        with_value = known_weight[inner]
        gain[inner] *= with_value / (
            with_value + s.weight(arrays["missing"].reshape(n, s.size)[inner])
        )
    if not by_ratio:
        return gain, gain.copy()
    return gain, np.where(gain > 0, gain / information, 0.0)
