"""A table on disk: encoded columns in files, and Column objects that read them on demand.

A column is stored in one of two forms, at fixed row offsets, in files of its own:

* :class:`ExactCodes`: codes of one, two or four bytes; 0 is missing, ``j + 1`` the j-th value met.
* :class:`BinnedNumbers`: the quantile bucket of each number in a byte, and the number itself.
  Bucket 255 is missing. Buckets are divided into finer cells, which passes look up as needed.

The files have the same content as the native engine's arrays in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import Quantiles, encode_floats
from penjing.data.lazy_column import LazyColumn
from penjing.data.scratch import ScratchFolder
from penjing.data.table import Codes, Column, Field, Floats, Table

Bytes = npt.NDArray[np.uint8]
Rows = npt.NDArray[np.intp] | None

N_CELLS = 24_000
"""The approximate number of quantile cells of a numeric column."""
MAX_SINGLE_VALUE_CELLS = 16_000
"""If the sample has at most this many distinct numbers, each has a cell of its own."""
N_BUCKETS = 255
"""The number of buckets for numbers; the last of the 256 is for missing values."""
HEAVY_VALUE = 1.5
"""A number that fills more than this many cells has a cell of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class ExactCodes:
    """A column of exact codes: 0 is missing, ``j + 1`` the j-th value in order of appearance."""

    codes: npt.NDArray[np.uint8] | npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
    n_codes: int

    @property
    def width(self) -> int:
        """Bytes per row."""
        return self.codes.dtype.itemsize


@dataclass(frozen=True, slots=True, eq=False)
class BinnedNumbers:
    """A column of numbers: the quantile bucket of each one, and the number itself."""

    high: Bytes
    raw: Floats
    cells: QuantileCells

    @property
    def width(self) -> int:
        """Bytes per row."""
        return 9


@dataclass(frozen=True, slots=True, eq=False)
class QuantileCells:
    """The quantile cells of a numeric column.

    Parameters
    ----------
    edges : (n,)
        Cell i holds the numbers from edge i - 1 up to but not including edge i.
    high, low : (n + 1,)
        The two bytes of each cell: its bucket, and its position in the bucket.
    """

    edges: Floats
    high: Bytes
    low: Bytes

    def coder(self) -> Quantiles:
        """Return the C++ object that turns numbers into codes."""
        return Quantiles(self.edges.tolist(), self.high.tolist(), self.low.tolist())

    def bucket(self, number: float) -> int:
        """Return the bucket of a number.

        Examples
        --------
        >>> quantile_cells(np.array([1.0, 1.0, 2.0])).bucket(1.5)
        2
        """
        return int(self.high[np.searchsorted(self.edges, number, side="right")])

    def values(self) -> Floats:
        """Return the only number of each cell, (256, 256) by its bytes; NaN if it may have more.

        Examples
        --------
        >>> cells = quantile_cells(np.array([1.0, 1.0, 2.0]))
        >>> cells.values()[cells.high[1], cells.low[1]]
        np.float64(1.0)
        """
        cell_values = np.full(len(self.high), np.nan)
        has_one_value = self.edges[1:] == np.nextafter(self.edges[:-1], np.inf)
        cell_values[1:-1][has_one_value] = self.edges[:-1][has_one_value]
        values = np.full((256, 256), np.nan)
        values[self.high, self.low] = cell_values
        return values

    def single_values(self) -> Floats:
        """Return the only number of each bucket, (256,); NaN if it may have more.

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

    Cells are quantiles, but a frequent number has a cell of its own, and if there are few distinct
    numbers, each of them has. Cells are packed into buckets of about equal weight.

    Examples
    --------
    >>> quantile_cells(np.array([3.0, 5.0, 3.0])).edges
    array([3., 3., 5., 5.])
    """
    known = sample[np.isfinite(sample)] + 0.0
    values, counts = np.unique(known, return_counts=True)
    if not len(values):
        return QuantileCells(np.empty(0), np.zeros(1, np.uint8), np.zeros(1, np.uint8))
    rows_per_cell = len(known) / N_CELLS
    is_heavy = (
        counts > HEAVY_VALUE * rows_per_cell
        if len(values) > MAX_SINGLE_VALUE_CELLS
        else np.ones(len(values), np.bool_)
    )
    light_cell = np.cumsum(np.where(is_heavy, 0, counts)) // max(rows_per_cell, 1)
    starts_cell = ~is_heavy & (np.diff(light_cell, prepend=-1) > 0)
    edges = np.union1d(values[starts_cell | is_heavy], np.nextafter(values[is_heavy], np.inf))
    cell = np.searchsorted(edges, values, side="right")
    weight = np.bincount(cell, counts, len(edges) + 1)
    high, low = _pack_cells(weight.astype(np.float64))
    return QuantileCells(edges, high, low)


def _pack_cells(weight: Floats) -> tuple[Bytes, Bytes]:
    """Return the two bytes of each cell: at most 255 buckets of at most 256 cells."""
    for n_parts in (250, 200, 160, 127, 100, 60, 30, 1):
        max_weight = weight.sum() / n_parts
        high = np.empty(len(weight), np.int64)
        low = np.empty(len(weight), np.int64)
        bucket, n_in_bucket, bucket_weight = 0, 0, 0.0
        for i, w in enumerate(weight.tolist()):
            if n_in_bucket == 256 or (n_in_bucket and bucket_weight + w > max_weight):
                bucket, n_in_bucket, bucket_weight = bucket + 1, 0, 0.0
            high[i], low[i] = bucket, n_in_bucket
            n_in_bucket, bucket_weight = n_in_bucket + 1, bucket_weight + w
        if bucket < N_BUCKETS:
            return high.astype(np.uint8), low.astype(np.uint8)
    msg = "more cells than two bytes can name"
    raise AssertionError(msg)


class StoredColumn(Column):
    """A column of a store; levels and codes are read on first use.

    Parameters
    ----------
    field : Field
        Name, kind and levels; a binned column has no levels.
    part : Exact or Binned
        The files of its rows.
    place : (n_codes,) int32, or None
        The level of each stored code, -1 for missing; None for a binned column.
    n_missing : int
        The number of rows without a value.
    rows : array or None
        The rows of the store that belong to the table; None for all.
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
        fields: dict[str, Any] = {"name": field.name, "kind": field.kind, "part": part}
        fields |= {"place": place, "rows": rows, "_n_missing": n_missing}
        fields["_coded"] = None if levels is None else (levels, None)
        for key, value in fields.items():
            object.__setattr__(self, key, value)

    def _encode(self) -> tuple[Any, Codes]:
        if self._coded is None or self._coded[1] is None:
            object.__setattr__(self, "_coded", self._read(self.rows))
        assert self._coded is not None
        return self._coded

    def _read(self, rows: Rows) -> tuple[Any, Codes]:
        if isinstance(self.part, BinnedNumbers):
            return encode_floats(np.ascontiguousarray(_select_rows(self.part.raw, rows)))
        assert self.place is not None
        assert self._coded is not None
        return self._coded[0], self.place[_select_rows(self.part.codes, rows)]

    @property
    def levels(self) -> Any:  # noqa: ANN401 - a tuple, or sorted numbers
        """The levels; for a binned column its sorted distinct numbers."""
        return self._encode()[0] if self._coded is None else self._coded[0]

    @property
    def codes(self) -> Codes:
        """The position of each row's value in the levels, -1 if it is missing."""
        return self._encode()[1]

    @property
    def field(self) -> Field:
        """The column without its rows."""
        return Field(self.name, self.kind, () if self.is_numeric else self.levels)

    @property
    def has_missing(self) -> bool:
        """Whether any row has no value."""
        return self._n_missing > 0

    @property
    def n_missing(self) -> int:
        """The number of rows without a value."""
        return self._n_missing

    def numbers(self) -> Floats:
        """Return each row's number, NaN if it is missing."""
        if isinstance(self.part, BinnedNumbers):
            return np.array(_select_rows(self.part.raw, self.rows))
        return Column(self.name, self.kind, self.levels, self.codes).numbers()

    def rounded(self) -> Column:
        """Return the column with its numbers rounded to 32 bits."""
        return self.to_memory().rounded()

    def take(self, rows: npt.NDArray[Any] | slice) -> Column:
        """Return the column with only these rows, in memory."""
        if isinstance(self.part, BinnedNumbers):
            return LazyColumn(self.name, self._chosen(self.part.raw, rows))
        assert self.place is not None
        codes = self.place[self._chosen(self.part.codes, rows)]
        if not self.is_numeric:
            return Column(self.name, self.kind, self.levels, codes)
        levels = np.asarray(self.levels, np.float64)
        return LazyColumn(self.name, np.append(levels, np.nan)[codes])

    def _chosen(self, array: npt.NDArray[Any], rows: npt.NDArray[Any] | slice) -> npt.NDArray[Any]:
        return np.asarray(array[rows if self.rows is None else self.rows[rows]])

    def to_memory(self) -> Column:
        """Return the column in memory."""
        if isinstance(self.part, BinnedNumbers):
            return LazyColumn(self.name, self.numbers())
        return Column(self.name, self.kind, self.levels, self.codes)


def _select_rows(array: npt.NDArray[Any], rows: Rows) -> npt.NDArray[Any]:
    return np.asarray(array) if rows is None else np.asarray(array[rows])


def write_store(table: Table, scratch: ScratchFolder) -> Table:
    """Write the columns of a table to a store; return a table that reads them from there."""
    assert table.target is not None
    columns = [_write_column(column, scratch, f"c{i}") for i, column in enumerate(table.columns)]
    target = (
        _write_codes(table.target, scratch, "target") if not table.is_regression else table.target
    )
    return Table(
        tuple(columns), target, table.n_rows, table.weight, table.row_numbers, table.left_out,
        table.notes, table.source,
    )  # fmt: skip


def _write_column(column: Column, scratch: ScratchFolder, name: str) -> Column:
    if not column.is_numeric:
        return _write_codes(column, scratch, name) if len(column.levels) < 65_535 else column
    numbers = np.ascontiguousarray(column.numbers())
    step = max(1, len(numbers) // 1_000_000)
    cells = quantile_cells(numbers[::step])
    n = len(numbers)
    part = BinnedNumbers(
        scratch.array(f"{name}.high", np.uint8, n, "w+"),
        scratch.array(f"{name}.raw", np.float64, n, "w+"),
        cells,
    )
    np.add(numbers, 0.0, out=part.raw)  # no number is -0.0
    n_missing, _, _ = cells.coder().buckets(numbers, part.high)
    return StoredColumn(Field(column.name, "numeric"), part, None, n_missing, None)


def _write_codes(column: Column, scratch: ScratchFolder, name: str) -> StoredColumn:
    n_codes = len(column.levels) + 1
    dtype: Any = np.uint8 if n_codes <= 256 else np.uint16
    codes = scratch.array(f"{name}.codes", dtype, len(column.codes), "w+")
    codes[:] = column.codes + 1
    place = np.arange(-1, n_codes - 1, dtype=np.int32)
    field = Field(column.name, column.kind, column.levels)
    return StoredColumn(field, ExactCodes(codes, n_codes), place, column.n_missing, None)
