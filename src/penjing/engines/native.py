"""The C++ engine: the same counts as the memory engine, and whole trees grown in C++."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.data.lazy_column import LazyColumn
from penjing.data.memory_limit import n_threads
from penjing.data.scratch import ScratchFolder
from penjing.data.table import Codes, Column, Floats, Table
from penjing.engines import memory
from penjing.engines.whole_rows import whole_row_counts
from penjing.engines.whole_tree import whole_tree_totals
from penjing.grow.engine import TreeStructure
from penjing.grow.grow_steered import grow_steered
from penjing.grow.recipe import Recipe
from penjing.grow.steering import Steering
from penjing.progress import NativeProgressCallback, Progress, ProgressCallback
from penjing.tree.bins import SplitCounts
from penjing.tree.counts import Classes, Counts, Reader, Totals
from penjing.tree.split import NO_BRANCH, BestSplits, Split, first_code_above
from penjing.tree.tree_data import TreeData

SMALL = 100_000
"""With fewer cells (rows x columns) than this, a thread costs more time than it saves."""
SPLIT_COUNTS_BYTES = 1 << 26
"""What the counts of nodes by bins may take in memory at a time."""
MANY_NODES = 64
"""The sums of more nodes are computed together, if all nodes of a tree are requested."""


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
        super().__init__(table, missing, shares_of, reader, threads)
        self._small = 1000  # nodes of at most this many rows are sorted; tests lower it
        self._space = space
        self._by_row = space is not None  # count row by row in every node; tests set it

    def grow(self, recipe: Recipe, progress: ProgressCallback | None = None) -> TreeData | None:
        """Grow a whole tree, or return None if C++ does not support the recipe."""
        return recipe.dialect.native_grow(self, recipe, progress)

    def grow_steered(
        self, recipe: Recipe, steering: Steering, progress: ProgressCallback | None = None
    ) -> TreeData | None:
        """Grow a tree with forced splits: C++ grows what is above, beside and below them."""
        return grow_steered(self, recipe, steering, progress)

    def best_splits(self, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> BestSplits:
        """Return the best split of every column in each node; from tallies if C++ cannot."""
        best = recipe.dialect.native_best_splits(self, tree, nodes, recipe)
        return super().best_splits(tree, nodes, recipe) if best is None else best

    def split_counts(self, tree: TreeData, nodes: Sequence[int]) -> Iterator[SplitCounts]:
        """Yield counts of these nodes, each by bins of the column that it splits on, in lots."""
        whole = whole_row_counts(tree, self._table, nodes, self.reader, SPLIT_COUNTS_BYTES)
        return super().split_counts(tree, nodes) if whole is None else whole

    def regrow(
        self,
        tree: TreeStructure,
        node: int,
        split: Split,
        recipe: Recipe,
        total_weight: float,
    ) -> TreeData | None:
        """Return the tree that grows from a node whose split is given; None if C++ cannot."""
        return recipe.dialect.native_regrow(self, tree, node, split, recipe, total_weight)

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

    @cached_property
    def row_orders(self) -> list[npt.NDArray[np.uint32] | None]:
        """The rows in the order of each column's codes; None if it has no order, or few codes."""
        return [
            _core.order_of_rows(codes, n_levels) if is_ordered else None
            for codes, _, n_levels, is_ordered in self.core_columns
        ]

    @property
    def _target_sums(self) -> tuple[Codes | None, Floats | None, Codes]:
        """The classes, or the centred numbers, and the codes that tell pure nodes."""
        assert self._table.target is not None
        codes = _contiguous(self._table.target.codes, np.int32)
        if isinstance(self.reader, Classes):
            return _contiguous(self._y, np.int32), None, codes
        return None, _contiguous(self._y, np.float64), codes

    def totals(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of these nodes."""
        n_nodes = len(nodes)
        if isinstance(tree, TreeData) and n_nodes > MANY_NODES and nodes == range(len(tree.nodes)):
            whole = whole_tree_totals(tree, self._table, self._y, self.reader, self._missing)
            if whole is not None:
                return whole
        rows = [self._rows_of(tree, node) for node in nodes]
        cells, is_pure = _core.node_sums(
            *self._target_sums,
            self.reader.size,
            [(each.ids, each.weight) for each in rows],
        )
        totals = Totals(cells.reshape(-1, self.reader.size), is_pure.astype(bool))
        if self._table.weight is None:
            return totals
        return replace(totals, rows=np.array([len(each.ids) for each in rows], np.float64))

    def totals_below(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of all nodes below these, breadth first, one subtree after the other."""
        subtrees = [_splits_below(tree, node) for node in nodes]
        if not nodes or self._shares_of == "tree" or None in subtrees:
            return super().totals_below(tree, nodes)
        target = self._target_sums
        settings = {"known_stay": True, "fraction": self._missing == "fraction"}
        cells, is_pure, n_rows = zip(
            *(
                _core.subtree_sums(
                    *target,
                    self.reader.size,
                    self.core_columns,
                    self.rows_for_core(tree, [node])[0],
                    splits,
                    settings,
                )
                for node, splits in zip(nodes, subtrees, strict=True)
                if splits is not None
            ),
            strict=True,
        )
        return Totals(
            np.concatenate(cells).reshape(-1, self.reader.size),
            np.concatenate(is_pure).astype(bool),
            None if self._table.weight is None else np.concatenate(n_rows),
        )

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

    @property
    def _most_held(self) -> int:
        return super()._most_held if self._space is None else 0

    def prune_by_errors(
        self, tree: TreeData, options: Mapping[str, object]
    ) -> dict[str, Any] | None:
        """Return the arrays of a tree after error-based pruning; None if Python has to prune it."""
        s, table = self.reader, self._table
        has_classes = isinstance(s, Classes) and s.costs is None and table.target is not None
        if not has_classes or tree.recipe.get("shape") != "multiway" or tree.schema != table.schema:
            return None
        nodes = tree.nodes
        if (np.diff(nodes.level_start) > 1).any():  # C++ has a branch for each category
            return None
        assert table.target is not None
        return _core.prune_error_based(
            [(*_coded_column(column), True) for column in table.columns],
            _contiguous(table.target.codes, np.int32),
            None if table.weight is None else _contiguous(table.weight, np.float64),
            {
                "parent": _contiguous(nodes.parent, np.int32),
                "column": _contiguous(nodes.column, np.int32),
                "cut": _contiguous(nodes.cut, np.float64),
                "level_start": _contiguous(nodes.level_start, np.int64),
                "level_codes": _contiguous(nodes.level_codes, np.int32),
                "total": _contiguous(nodes.total, np.float64).ravel(),
                "label": _contiguous(tree.values, np.int32),
            },
            dict(options) | {"n_sums": s.size, "fraction": self._missing == "fraction"},
        )

    def progress_reporter(self, progress: ProgressCallback | None) -> NativeProgressCallback | None:
        """Return the function that C++ calls; None without ``progress``."""
        if progress is None:
            return None
        n_rows = self._table.n_rows

        def report(row_levels: int, n_placed: int, n_leaves: int) -> None:
            # Fractional cases arrive in several leaves, so `n_placed` may exceed `n_rows`.
            progress(Progress(row_levels, min(n_placed, n_rows), n_rows, n_leaves))

        return report

    # -- what a dialect's kernel needs ----------------------------------------------------------

    @property
    def missing(self) -> str:
        """What happens to a row whose value is missing."""
        return self._missing

    @property
    def space(self) -> ScratchFolder | None:
        """Where arrays as large as a column are stored in files, if they do not fit memory."""
        return self._space

    @property
    def n_threads(self) -> int:
        """The number of threads to use for this table."""
        return self._n_threads()

    @property
    def kernel_settings(self) -> Mapping[str, Any]:
        """Settings of the C++ code that change its speed, never the tree."""
        return {"small": self._small, "by_row": self._by_row}

    def kernel_columns(self) -> list[tuple[Any, Any, int, bool]]:
        """Return the columns as C++ takes them; plain numbers need not be encoded."""
        return [_kernel_column(column) for column in self._table.columns]

    def _n_threads(self) -> int:
        is_small = self._table.n_rows * len(self._table.columns) < SMALL
        return 1 if self._threads is None and is_small else n_threads(self._threads)


_SubtreeSplit = tuple[int, int, int, int, float | None, Sequence[Codes], int]
"""A node's position, its first child's, the number of branches; what `Split` has of the rule."""


def _splits_below(tree: TreeStructure, top: int) -> list[_SubtreeSplit] | None:
    """Return the splits of a subtree as C++ takes them; None if one has surrogates."""
    nodes, splits = [top], list[_SubtreeSplit]()
    for position, node in enumerate(nodes):  # the list grows during the loop
        split = tree.split(node)
        if split is None:
            continue
        if split.surrogates:
            return None
        children = tree.children(node)
        rule = split.column, split.cut, split.groups, split.missing
        splits.append((position, len(nodes), len(children), *rule))
        nodes.extend(children)
    return splits


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
    return _coded_column(column)


def _coded_column(column: Column) -> tuple[Any, Any, int, bool]:
    levels = _contiguous(column.levels, np.float64) if column.is_numeric else None
    return _contiguous(column.codes, np.int32), levels, len(column.levels), column.has_order
