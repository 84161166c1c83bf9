"""Where the rows of a growth are: who moves them on, counts them, and hands some of them out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.data.store import BinnedNumbers, ExactCodes, StoredColumn
from penjing.data.table import Field, Table

Ids = npt.NDArray[np.int32]
Test = tuple[int, int, int, int, float]
"""Column, first child, where its branches start (-1: a cut), bucket of the cut, cut."""
Opened = tuple[int, Any, int, Any]
"""Column, place of each (slot, high byte), how many places, which low bytes are wanted."""


class Place(Protocol):
    """Rows, each in a node; node ids here are one more than those of the growth."""

    @property
    def n_rows(self) -> int:
        """How many rows a pass goes through."""

    def root(self) -> npt.NDArray[np.int64]:
        """Return how many rows the root has of each stored class."""

    def pass_(
        self,
        tests: list[Test],
        branches: Sequence[int],
        test_of: Ids,
        slot_of: Ids,
        n_slots: int,
    ) -> Sequence[npt.NDArray[Any]]:
        """Move rows on by the tests of their nodes, then count; a table for each column."""

    def cells(self, slot_of: Ids, opened: list[Opened]) -> Sequence[npt.NDArray[Any]]:
        """Count the low bytes in open buckets."""

    def numbers(self, slot_of: Ids, opened: list[Opened]) -> Sequence[Sequence[npt.NDArray[Any]]]:
        """Return place, low byte, class and number of the rows of wanted cells, in no order."""

    def gathered(self, slot_of: Ids, n_slots: int) -> Iterator[Table]:
        """Yield the rows of each slot."""


class Here:
    """Rows of a store that this process maps.

    Parameters
    ----------
    table : Table
        Columns and target in a store.
    n_threads : int
        How many threads share a pass.
    """

    def __init__(self, table: Table, n_threads: int) -> None:
        target = table.target
        assert isinstance(target, StoredColumn)
        assert isinstance(target.part, ExactCodes)
        self._target, self._codes = target, target.part.codes
        self._columns = [c for c in table.columns if isinstance(c, StoredColumn)]
        self._k = target.part.n_codes
        self._node = np.zeros(len(self._codes), np.uint32)
        if target.rows is None:
            self._node[:] = 1
        else:
            self._node[target.rows] = 1  # those that are not of the table belong to no node
        columns = [_told(c) for c in self._columns]
        codes: Any = self._codes  # of one or two bytes: others are not counted by passes
        passes = _core.Passes(columns, codes, self._k, self._node, n_threads)
        self._passes = passes
        self.pass_, self.cells, self.numbers = passes.pass_, passes.cells, passes.numbers

    @property
    def n_rows(self) -> int:
        """How many rows a pass goes through."""
        return len(self._node)

    def root(self) -> npt.NDArray[np.int64]:
        """Return how many rows the root has of each stored class."""
        counts = np.zeros(self._k, np.int64)
        step = 1 << 22
        for start in range(0, len(self._codes), step):
            mine = self._codes[start : start + step]
            if self._target.rows is not None:
                mine = mine[self._node[start : start + step] > 0]
            counts += np.bincount(mine, minlength=len(counts))
        return counts

    def gathered(self, slot_of: Ids, n_slots: int) -> Iterator[Table]:
        """Yield the rows of each slot."""
        start, rows = self._passes.rows_of(slot_of, n_slots)
        for i in range(n_slots):
            mine = rows[start[i] : start[i + 1]].astype(np.intp)
            columns = tuple(_taken(column, mine) for column in self._columns)
            yield Table(columns, _taken(self._target, mine), len(mine))


def n_codes(column: StoredColumn) -> int:
    """Return how many codes, or buckets, a stored column has."""
    return 256 if isinstance(column.part, BinnedNumbers) else column.part.n_codes


def _told(column: StoredColumn) -> tuple[Any, int, Any, Any]:
    """Return a stored column as passes take it."""
    part = column.part
    if isinstance(part, BinnedNumbers):
        return part.high, n_codes(column), part.cells.coder(), part.raw
    return part.codes, part.n_codes, None, None


def _taken(column: StoredColumn, rows: npt.NDArray[np.intp]) -> Any:  # noqa: ANN401 - a Column
    """Return a column with these rows of the store (not of the table)."""
    whole = StoredColumn(
        Field(column.name, column.kind, () if column.place is None else column.levels),
        column.part, column.place, 0, None,
    )  # fmt: skip
    return whole.take(rows)
