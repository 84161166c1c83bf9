"""Rows that are assigned to nodes of a growing tree: how they are moved, counted and fetched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.data.store import BinnedNumbers, ExactCodes, StoredColumn
from penjing.data.table import Field, Table

Ids = npt.NDArray[np.int32]
NodeTest = tuple[int, int, int, int, float]
"""Column, first child, where its branches start (-1: a cut), bucket of the cut, cut."""
OpenBuckets = tuple[int, Any, int, Any]
"""Column, place of each (slot, high byte), number of places, which low bytes are wanted."""


class RowLocation(Protocol):
    """Rows, each in a node. Node ids here are the builder's ids plus one; 0 is no node."""

    @property
    def n_rows(self) -> int:
        """How many rows a pass goes through."""

    def root_counts(self) -> npt.NDArray[np.int64]:
        """Return how many rows the root has of each stored class."""

    def move_and_count(
        self,
        tests: list[NodeTest],
        branches: Sequence[int],
        test_of: Ids,
        slot_of: Ids,
        n_slots: int,
    ) -> Sequence[npt.NDArray[Any]]:
        """Move rows to the children of their nodes, then count; return a table for each column."""

    def count_cells(self, slot_of: Ids, opened: list[OpenBuckets]) -> Sequence[npt.NDArray[Any]]:
        """Count the cells (low bytes) of open buckets."""

    def fetch_numbers(
        self, slot_of: Ids, opened: list[OpenBuckets]
    ) -> Sequence[Sequence[npt.NDArray[Any]]]:
        """Return place, low byte, class and number of the rows of wanted cells, in no order."""

    def fetch_rows(self, slot_of: Ids, n_slots: int) -> Iterator[Table]:
        """Yield the rows of each slot."""


class LocalRows:
    """Rows of a store that this process maps into memory.

    Parameters
    ----------
    table : Table
        Columns and target in a store.
    n_threads : int
        Number of threads of a pass.
    """

    def __init__(self, table: Table, n_threads: int) -> None:
        target = table.target
        assert isinstance(target, StoredColumn)
        assert isinstance(target.part, ExactCodes)
        self._target, self._codes = target, target.part.codes
        self._columns = [c for c in table.columns if isinstance(c, StoredColumn)]
        self._n_stored = target.part.n_codes
        self._node = np.zeros(len(self._codes), np.uint32)
        if target.rows is None:
            self._node[:] = 1
        else:
            self._node[target.rows] = (
                1  # rows of the store that are not in the table belong to no node
            )
        columns = [_pass_column(c) for c in self._columns]
        codes: Any = self._codes  # of one or two bytes: wider codes are not counted in passes
        passes = _core.Passes(columns, codes, self._n_stored, self._node, n_threads)
        self._passes = passes
        self.move_and_count = passes.move_and_count
        self.count_cells, self.fetch_numbers = passes.cells, passes.numbers

    @property
    def n_rows(self) -> int:
        """How many rows a pass goes through."""
        return len(self._node)

    def root_counts(self) -> npt.NDArray[np.int64]:
        """Return how many rows the root has of each stored class."""
        counts = np.zeros(self._n_stored, np.int64)
        step = 1 << 22
        for start in range(0, len(self._codes), step):
            codes = self._codes[start : start + step]
            if self._target.rows is not None:
                codes = codes[self._node[start : start + step] > 0]
            counts += np.bincount(codes, minlength=len(counts))
        return counts

    def fetch_rows(self, slot_of: Ids, n_slots: int) -> Iterator[Table]:
        """Yield the rows of each slot."""
        start, rows = self._passes.rows_of(slot_of, n_slots)
        for i in range(n_slots):
            in_slot = rows[start[i] : start[i + 1]].astype(np.intp)
            columns = tuple(_take(column, in_slot) for column in self._columns)
            yield Table(columns, _take(self._target, in_slot), len(in_slot))


def n_codes(column: StoredColumn) -> int:
    """Return how many codes, or buckets, a stored column has."""
    return 256 if isinstance(column.part, BinnedNumbers) else column.part.n_codes


def _pass_column(column: StoredColumn) -> tuple[Any, int, Any, Any]:
    """Return a stored column as `_core.Passes` takes it."""
    part = column.part
    if isinstance(part, BinnedNumbers):
        return part.high, n_codes(column), part.cells.coder(), part.raw
    return part.codes, part.n_codes, None, None


def _take(column: StoredColumn, rows: npt.NDArray[np.intp]) -> Any:  # noqa: ANN401 - a Column
    """Return a column with these rows of the store (not of the table)."""
    all_rows = StoredColumn(
        Field(column.name, column.kind, () if column.place is None else column.levels),
        column.part, column.place, 0, None,
    )  # fmt: skip
    return all_rows.take(rows)
