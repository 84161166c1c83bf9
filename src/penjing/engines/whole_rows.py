"""Counts of nodes by bins of their split columns, where no row is divided and none has a weight.

Rows walk down the top of the tree in C++, block by block: no column need be in memory. A column
that is coded in memory, with few codes, is counted by code; other numbers between given bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt

from penjing._core import FlatTree
from penjing.data.lazy_column import LazyColumn
from penjing.data.memory_limit import group_by_size
from penjing.data.store import StoredColumn
from penjing.data.table import Codes, Column, Floats, Table
from penjing.tree.bins import Bins
from penjing.tree.counts import Classes, Reader
from penjing.tree.nodes import LEAF
from penjing.tree.split import first_code_above
from penjing.tree.tree_data import TreeData

BLOCK_ROWS = 1 << 16
"""Rows that walk at a time."""
FEW_CODES = 1_024
"""A numeric column with at most this many codes is counted by code, if it has codes already."""
BINS_OF_NUMBERS = 4_096
"""The bins that a node of a column of numbers is assumed to need, to share out memory."""
_STOP = -1

Ints = npt.NDArray[np.int64]
Cells = npt.NDArray[np.float64] | npt.NDArray[np.int32]


def whole_row_counts(
    tree: TreeData, table: Table, nodes: Sequence[int], s: Reader, memory: float
) -> Iterator[WholeRowCounts] | None:
    """Return the counts of nodes, in lots that fit memory; None where rows are not whole.

    Parameters
    ----------
    tree : TreeData
        The tree.
    table : Table
        The rows that it was grown from.
    nodes : sequence of int
        Nodes with a split.
    s : Reader
        Interprets the sums.
    memory : float
        How many bytes counts may take.
    """
    top = _with_ancestors(tree, nodes)
    split_columns = np.flatnonzero(np.bincount(tree.nodes.column[top])).tolist() if nodes else []
    if (
        not isinstance(s, Classes)
        or table.weight is not None
        or any(table.columns[c].has_missing for c in split_columns)
    ):
        return None
    by_code = {c: _is_counted_by_code(table.columns[c]) for c in split_columns}
    columns, cuts = tree.nodes.column[top].tolist(), tree.nodes.cut[top].tolist()
    if any(np.isnan(cut) and not by_code[c] for c, cut in zip(columns, cuts, strict=True)):
        return None  # numbers that are treated as categories

    def n_bytes(node: int) -> float:
        column = int(tree.nodes.column[node])
        n_bins = len(table.columns[column].levels) if by_code[column] else BINS_OF_NUMBERS
        return 8.0 * s.size * n_bins

    lots = group_by_size(nodes, n_bytes, memory)
    return (WholeRowCounts(tree, table, lot, s.size, by_code) for lot in lots)


@dataclass(frozen=True, eq=False)
class WholeRowCounts:
    """The counts of some nodes.

    Parameters
    ----------
    tree : TreeData
        The tree.
    table : Table
        The rows, of weight 1, without a missing value in the columns concerned.
    nodes : sequence of int
        The nodes.
    n_classes : int
        The number of classes.
    by_code : mapping of int to bool
        Whether a column is counted by code.
    """

    tree: TreeData
    table: Table
    nodes: Sequence[int]
    n_classes: int
    by_code: Mapping[int, bool]

    def first(self) -> Mapping[int, Bins]:
        """Return the bins of each node: all codes, or one bin of all numbers."""
        return self._first

    def within(self, bounds: Mapping[int, Floats]) -> Mapping[int, Bins]:
        """Return the bins between these bounds of numeric columns, for each node given."""
        to_count = {node: at for node, at in bounds.items() if not self._is_by_code(node)}
        found = self._count(to_count) if to_count else {}
        known = {n: self._first[n].merged(bounds[n]) for n in bounds if n not in to_count}
        return {**found, **known}

    @cached_property
    def _first(self) -> Mapping[int, Bins]:
        return self._count(dict.fromkeys(self.nodes, np.empty(0)))

    def _is_by_code(self, node: int) -> bool:
        return self.by_code[int(self.tree.nodes.column[node])]

    def _column(self, node: int) -> Column:
        return self.table.columns[int(self.tree.nodes.column[node])]

    def _count(self, bounds: Mapping[int, Floats]) -> dict[int, Bins]:
        """Return the bins of these nodes by one walk of all rows."""
        nodes = sorted(bounds)
        top = _with_ancestors(self.tree, nodes)
        ids, flat = self._top_tree(top)
        n_bins, n_bounds = np.zeros(len(ids), np.int64), np.zeros(len(ids), np.int64)
        places = np.searchsorted(ids, nodes)
        n_bounds[places] = [0 if self._is_by_code(n) else len(bounds[n]) for n in nodes]
        n_bins[places] = [
            len(self._column(n).levels) if self._is_by_code(n) else len(bounds[n]) + 1
            for n in nodes
        ]
        bin_start, bound_start = _starts(n_bins), _starts(n_bounds)
        numbers = [bounds[n] for n in nodes if not self._is_by_code(n)]
        all_bounds = np.concatenate([np.empty(0), *numbers])
        counts = np.zeros((self.n_classes, int(bin_start[-1])), np.int64)
        low, high = (np.full(len(all_bounds) + len(ids), np.nan) for _ in range(2))
        for columns, classes in self._blocks(set(flat.used_columns.tolist())):
            flat.count_bins(
                columns, classes, self.n_classes, bin_start, bound_start, all_bounds,
                counts.ravel(), low, high,
            )  # fmt: skip
        full = np.flatnonzero(counts.sum(axis=0))
        full_cells, full_start = (
            counts[:, full].astype(np.float64),
            np.searchsorted(full, bin_start),
        )
        found = {}
        for node, place in zip(nodes, places.tolist(), strict=True):
            if self._is_by_code(node):
                part = slice(full_start[place], full_start[place + 1])
                codes = (full[part] - bin_start[place]).astype(np.int32)
                found[node] = self._bins_of_codes(self._column(node), codes, full_cells[:, part])
            else:
                cells = counts[:, bin_start[place] : bin_start[place + 1]].astype(np.float64)
                at = slice(bound_start[place] + place, bound_start[place + 1] + place + 1)
                missing = np.zeros(self.n_classes)
                found[node] = Bins(cells.T, missing, float(cells.sum()), None, low[at], high[at])
        return found

    def _bins_of_codes(self, column: Column, codes: Codes, cells: Floats) -> Bins:
        n_rows, missing = float(cells.sum()), np.zeros(self.n_classes)
        if not column.is_numeric:
            return Bins(cells.T, missing, n_rows, codes)
        values = np.asarray(column.levels, np.float64)[codes]
        return Bins(cells.T, missing, n_rows, None, values, values)

    def _blocks(self, used: set[int]) -> Iterator[tuple[list[Cells | None], Codes]]:
        """Yield the columns in use and the classes of each block of rows."""
        table = self.table
        assert table.target is not None
        for start in range(0, table.n_rows, BLOCK_ROWS):
            rows = slice(start, min(start + BLOCK_ROWS, table.n_rows))
            columns = [
                _cells(column, rows, by_code=self.by_code[c]) if c in used else None
                for c, column in enumerate(table.columns)
            ]
            yield columns, np.ascontiguousarray(table.target.take(rows).codes, np.int32)

    def _top_tree(self, top: Ints) -> tuple[Ints, FlatTree]:
        """Return these nodes and their children, ascending, and the tree that they make."""
        tree, nodes = self.tree, self.tree.nodes
        inner = top.tolist()
        ids = np.array(sorted({*inner, *chain.from_iterable(map(tree.children, inner))}), np.int64)
        places = np.searchsorted(ids, top)
        is_inner = np.zeros(len(ids), bool)
        is_inner[places] = True
        cut = np.full(len(ids), np.nan)
        for place, node, at in zip(places.tolist(), inner, nodes.cut[top].tolist(), strict=True):
            is_rank = (
                self._is_by_code(node) and self._column(node).is_numeric and not math.isnan(at)
            )
            cut[place] = first_code_above(self._column(node), at) - 1 if is_rank else at
        levels = [nodes.levels(node) for node in ids.tolist()]
        n_levels = np.array([len(codes) for codes in levels], np.int64)
        flat = FlatTree(
            column=np.where(is_inner, nodes.column[ids], LEAF).astype(np.int32),
            cut=cut,
            first_child=np.searchsorted(ids, tree.first_child[ids]).astype(np.int32),
            n_children=np.where(is_inner, tree.n_children[ids], 0).astype(np.int32),
            level_start=_starts(n_levels),
            level_codes=np.concatenate(levels).astype(np.int32, copy=False),
            missing_mode=np.full(len(ids), _STOP, np.int32),
            weight=np.ones(len(ids)),
        )
        return ids, flat


def _starts(sizes: Ints) -> Ints:
    """Return where parts of these sizes start, and the end."""
    return np.append(0, np.cumsum(sizes)).astype(np.int64)


def _with_ancestors(tree: TreeData, nodes: Sequence[int]) -> Ints:
    """Return nodes and all nodes above them, ascending."""
    found = set(nodes)
    waiting = list(nodes)
    while waiting:
        parent = int(tree.nodes.parent[waiting.pop()])
        if parent >= 0 and parent not in found:
            found.add(parent)
            waiting.append(parent)
    return np.array(sorted(found), np.int64)


def _is_counted_by_code(column: Column) -> bool:
    if not column.is_numeric:
        return True
    if isinstance(column, StoredColumn) or (isinstance(column, LazyColumn) and not column.is_coded):
        return False
    return len(column.levels) <= FEW_CODES


def _cells(column: Column, rows: slice, *, by_code: bool) -> Cells:
    """Return codes or numbers of some rows."""
    if by_code and isinstance(column, LazyColumn):  # its parts would be encoded again
        return np.ascontiguousarray(column.codes[rows], np.int32)
    part = column.take(rows)
    if by_code:
        return np.ascontiguousarray(part.codes, np.int32)
    return part.raw if isinstance(part, LazyColumn) else part.numbers()
