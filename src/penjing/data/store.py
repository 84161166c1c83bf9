"""A table whose rows lie in files: the coded store, and columns that read it when asked.

A column is kept in one of two forms, at fixed row offsets, a file each:

* :class:`ExactCodes`: codes of one, two or four bytes; 0 is missing, ``j + 1`` the j-th value met.
* :class:`BinnedNumbers`: the quantile bucket of each number in a byte, and the number itself.
  Bucket 255 is missing. Buckets are divided into finer cells, which passes look up as needed.

What the native engine has in memory is here mapped from a file, so both see one table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import Quantiles, code_floats
from penjing.data.lazy_column import LazyColumn
from penjing.data.scratch import ScratchFolder
from penjing.data.table import Codes, Column, Field, Floats, Table

Bytes = npt.NDArray[np.uint8]
Rows = npt.NDArray[np.intp] | None

N_CELLS = 24_000
"""How many quantile cells a numeric column is meant to have."""
MAX_SINGLE_VALUE_CELLS = 16_000
"""Up to so many distinct numbers in the sample have a cell of their own."""
N_BUCKETS = 255
"""High bytes for numbers; the last one of 256 is for missing values."""
HEAVY_VALUE = 1.5
"""A number as heavy as so many cells has a cell of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class ExactCodes:
    """A column of exact codes: 0 is missing, ``j + 1`` the j-th value that was met."""

    codes: npt.NDArray[np.uint8] | npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
    n_codes: int

    @property
    def width(self) -> int:
        """Bytes a row."""
        return self.codes.dtype.itemsize


@dataclass(frozen=True, slots=True, eq=False)
class BinnedNumbers:
    """A column of numbers: the quantile bucket of each one, and itself."""

    high: Bytes
    raw: Floats
    cells: QuantileCells

    @property
    def width(self) -> int:
        """Bytes a row."""
        return 9


@dataclass(frozen=True, slots=True, eq=False)
class QuantileCells:
    """The cells of a numeric column.

    Parameters
    ----------
    edges : (n,)
        Cell i holds the numbers from edge i - 1 up to but not including edge i.
    high, low : (n + 1,)
        The bytes by which each cell goes.
    """

    edges: Floats
    high: Bytes
    low: Bytes

    def coder(self) -> Quantiles:
        """Return what turns numbers into codes."""
        return Quantiles(self.edges.tolist(), self.high.tolist(), self.low.tolist())

    def bucket(self, number: float) -> int:
        """Return the bucket that holds a number.

        Examples
        --------
        >>> quantile_cells(np.array([1.0, 1.0, 2.0])).bucket(1.5)
        2
        """
        return int(self.high[np.searchsorted(self.edges, number, side="right")])

    def values(self) -> Floats:
        """Return the one number of each cell, (256, 256) by its bytes; NaN where it may hold more.

        Examples
        --------
        >>> cells = quantile_cells(np.array([1.0, 1.0, 2.0]))
        >>> cells.values()[cells.high[1], cells.low[1]]
        np.float64(1.0)
        """
        alone = np.full(len(self.high), np.nan)
        single = self.edges[1:] == np.nextafter(self.edges[:-1], np.inf)
        alone[1:-1][single] = self.edges[:-1][single]
        found = np.full((256, 256), np.nan)
        found[self.high, self.low] = alone
        return found

    def single_values(self) -> Floats:
        """Return the one number of each bucket, (256,); NaN where it may hold more.

        Examples
        --------
        >>> sample = np.append(np.zeros(90_000), np.arange(1.0, 10_001.0))
        >>> np.flatnonzero(quantile_cells(sample).single_values() == 0.0)
        array([1])
        """
        has_one = np.bincount(self.high, minlength=256) == 1
        return np.where(has_one, self.values()[:, 0], np.nan)


def quantile_cells(sample: Floats) -> QuantileCells:
    """Return the cells of a column, from a sample of its numbers.

    Quantiles; but a number that fills more than a cell has one of its own, and where there are
    few distinct numbers each has. Cells are packed into high buckets of about equal weight.

    Examples
    --------
    >>> quantile_cells(np.array([3.0, 5.0, 3.0])).edges
    array([3., 3., 5., 5.])
    """
    known = sample[np.isfinite(sample)] + 0.0
    values, counts = np.unique(known, return_counts=True)
    if not len(values):
        return QuantileCells(np.empty(0), np.zeros(1, np.uint8), np.zeros(1, np.uint8))
    mass = len(known) / N_CELLS
    heavy = (
        counts > HEAVY_VALUE * mass
        if len(values) > MAX_SINGLE_VALUE_CELLS
        else np.ones(len(values), np.bool_)
    )
    light = np.cumsum(np.where(heavy, 0, counts)) // max(mass, 1)
    starts = ~heavy & (np.diff(light, prepend=-1) > 0)
    edges = np.union1d(values[starts | heavy], np.nextafter(values[heavy], np.inf))
    cell = np.searchsorted(edges, values, side="right")
    weight = np.bincount(cell, counts, len(edges) + 1)
    high, low = _pack_cells(weight.astype(np.float64))
    return QuantileCells(edges, high, low)


def _pack_cells(weight: Floats) -> tuple[Bytes, Bytes]:
    """Return the bytes of cells of these weights: at most 255 buckets of at most 256 cells."""
    for parts in (250, 200, 160, 127, 100, 60, 30, 1):
        most = weight.sum() / parts
        high = np.empty(len(weight), np.int64)
        low = np.empty(len(weight), np.int64)
        bucket, inside, filled = 0, 0, 0.0
        for i, w in enumerate(weight.tolist()):
            if inside == 256 or (inside and filled + w > most):
                bucket, inside, filled = bucket + 1, 0, 0.0
            high[i], low[i] = bucket, inside
            inside, filled = inside + 1, filled + w
        if bucket < N_BUCKETS:
            return high.astype(np.uint8), low.astype(np.uint8)
    msg = "more cells than two bytes can name"
    raise AssertionError(msg)


class StoredColumn(Column):
    """A column of a store; levels and codes are made only if somebody asks for them.

    Parameters
    ----------
    field : Field
        Name, kind and levels; a numeric column that is binned has none.
    part : Exact or Binned
        Where its rows are.
    place : (n_codes,) int32, or None
        The level of each stored code, -1 for missing; None for a binned column.
    n_missing : int
        How many rows have no value here.
    rows : array or None
        Which rows of the store are those of the table; None for all.
    """

    __slots__ = ("_coded", "_n_missing", "part", "place", "rows")

    part: ExactCodes | BinnedNumbers
    place: Codes | None
    rows: Rows
    _n_missing: int
    _coded: tuple[Any, Codes] | None

    def __init__(
        self,
        field: Field,
        part: ExactCodes | BinnedNumbers,
        place: Codes | None,
        n_missing: int,
        rows: Rows,
    ) -> None:
        levels = None if place is None else field.levels
        made: dict[str, Any] = {"name": field.name, "kind": field.kind, "part": part}
        made |= {"place": place, "rows": rows, "_n_missing": n_missing}
        made["_coded"] = None if levels is None else (levels, None)
        for key, value in made.items():
            object.__setattr__(self, key, value)

    def _made(self) -> tuple[Any, Codes]:
        if self._coded is None or self._coded[1] is None:
            object.__setattr__(self, "_coded", self._read(self.rows))
        assert self._coded is not None
        return self._coded

    def _read(self, rows: Rows) -> tuple[Any, Codes]:
        if isinstance(self.part, BinnedNumbers):
            return code_floats(np.ascontiguousarray(_select_rows(self.part.raw, rows)))
        assert self.place is not None
        assert self._coded is not None
        return self._coded[0], self.place[_select_rows(self.part.codes, rows)]

    @property
    def levels(self) -> Any:  # noqa: ANN401 - a tuple, or sorted numbers
        """The levels; of a binned column its sorted distinct numbers."""
        return self._made()[0] if self._coded is None else self._coded[0]

    @property
    def codes(self) -> Codes:
        """The place of each row's value in the levels, -1 where it is missing."""
        return self._made()[1]

    @property
    def field(self) -> Field:
        """The column without its rows."""
        return Field(self.name, self.kind, () if self.is_numeric else self.levels)

    @property
    def has_missing(self) -> bool:
        """Whether any row has no value here."""
        return self._n_missing > 0

    @property
    def n_missing(self) -> int:
        """How many rows have no value here."""
        return self._n_missing

    def numbers(self) -> Floats:
        """Return each row's number, NaN where it is missing."""
        if isinstance(self.part, BinnedNumbers):
            return np.array(_select_rows(self.part.raw, self.rows))
        return Column(self.name, self.kind, self.levels, self.codes).numbers()

    def rounded(self) -> Column:
        """Return the column with its numbers as 32 bits hold them."""
        return self.to_memory().rounded()

    def take(self, rows: npt.NDArray[Any]) -> Column:
        """Return the column with only these rows, in memory."""
        if isinstance(self.part, BinnedNumbers):
            return LazyColumn(self.name, self._chosen(self.part.raw, rows))
        assert self.place is not None
        codes = self.place[self._chosen(self.part.codes, rows)]
        if not self.is_numeric:
            return Column(self.name, self.kind, self.levels, codes)
        levels = np.asarray(self.levels, np.float64)
        return LazyColumn(self.name, np.append(levels, np.nan)[codes])

    def _chosen(self, array: npt.NDArray[Any], rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(array[rows if self.rows is None else self.rows[rows]])

    def to_memory(self) -> Column:
        """Return the column in memory."""
        if isinstance(self.part, BinnedNumbers):
            return LazyColumn(self.name, self.numbers())
        return Column(self.name, self.kind, self.levels, self.codes)


def _select_rows(array: npt.NDArray[Any], rows: Rows) -> npt.NDArray[Any]:
    return np.asarray(array) if rows is None else np.asarray(array[rows])


def write_store(table: Table, space: ScratchFolder) -> Table:
    """Write the columns of a table to a store; return the table that reads them from there."""
    assert table.target is not None
    columns = [_write_column(column, space, f"c{i}") for i, column in enumerate(table.columns)]
    target = (
        _write_codes(table.target, space, "target") if not table.is_regression else table.target
    )
    return Table(
        tuple(columns), target, table.n_rows, table.weight, table.row_numbers, table.left_out,
        table.notes, table.source,
    )  # fmt: skip


def _write_column(column: Column, space: ScratchFolder, name: str) -> Column:
    if not column.is_numeric:
        return _write_codes(column, space, name) if len(column.levels) < 65_535 else column
    numbers = np.ascontiguousarray(column.numbers())
    step = max(1, len(numbers) // 1_000_000)
    cells = quantile_cells(numbers[::step])
    n = len(numbers)
    part = BinnedNumbers(
        space.array(f"{name}.high", np.uint8, n, "w+"),
        space.array(f"{name}.raw", np.float64, n, "w+"),
        cells,
    )
    np.add(numbers, 0.0, out=part.raw)  # no number is -0.0
    n_missing, _, _ = cells.coder().buckets(numbers, part.high)
    return StoredColumn(Field(column.name, "numeric"), part, None, n_missing, None)


def _write_codes(column: Column, space: ScratchFolder, name: str) -> StoredColumn:
    n = len(column.levels) + 1
    kind: Any = np.uint8 if n <= 256 else np.uint16
    codes = space.array(f"{name}.codes", kind, len(column.codes), "w+")
    codes[:] = column.codes + 1
    place = np.arange(-1, n - 1, dtype=np.int32)
    field = Field(column.name, column.kind, column.levels)
    return StoredColumn(field, ExactCodes(codes, n), place, column.n_missing, None)
