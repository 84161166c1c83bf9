"""A stored table with codes and levels in memory-mapped files.

Kernels for weights, fractional cases, numeric targets and program-specific rules need every column
as ranks. Here the ranks of a column are written once, bucket by bucket, and memory-mapped: a
kernel reads them like arrays in memory, and the system loads the pages that it needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import encode_floats
from penjing.data.scratch import ScratchFolder, convert_disk_full
from penjing.data.store import N_BUCKETS, BinnedNumbers, ExactCodes, Rows, StoredColumn
from penjing.data.table import Column, Floats, Table
from penjing.progress import Progress, ProgressCallback

CHUNK_ROWS = 1 << 20
"""Rows that are processed at a time."""
BYTES_PER_NUMBER = 48
"""Memory that each number needs while it is ranked."""


@dataclass(frozen=True, slots=True, eq=False)
class MappedColumn(Column):
    """A column whose codes, and levels if numeric, are memory-mapped files."""

    space: ScratchFolder | None = None
    n_lost: int | None = None

    @property
    def n_missing(self) -> int:
        """The number of rows without a value."""
        return int((self.codes < 0).sum()) if self.n_lost is None else self.n_lost

    @property
    def has_missing(self) -> bool:
        """Whether any row has no value."""
        return self.n_missing > 0

    def numbers(self) -> Floats:
        """Return each row's number, NaN if it is missing, without a copy of all levels."""
        is_missing = self.codes < 0
        if not len(self.levels):
            return np.full(len(self.codes), np.nan)
        codes = np.where(is_missing, np.int32(0), self.codes)
        values = np.asarray(self.levels, np.float64)[codes] if self.is_numeric else codes * 1.0
        values[is_missing] = np.nan
        return values

    def take(self, rows: npt.NDArray[Any] | slice) -> Column:
        """Return the column with only these rows and all its levels."""
        return MappedColumn(self.name, self.kind, self.levels, self.codes[rows], self.space)


def is_mapped(table: Table) -> bool:
    """Return whether the columns of a table are memory-mapped."""
    return any(isinstance(column, MappedColumn) for column in table.columns)


def map_table(table: Table, memory: int, progress: ProgressCallback | None = None) -> Table:
    """Return a stored table with its ranks in files; they are removed with the table.

    Parameters
    ----------
    table : Table
        A table with columns in a store.
    memory : int
        The memory in bytes that ranking may use.
    progress : function, optional
        Called after each column.
    """
    target = table.target
    stored = [c for c in (*table.columns, target) if isinstance(c, StoredColumn)]
    if not stored:
        return table
    scratch = ScratchFolder(_parent_folder(stored[0]))
    columns_and_target: list[Column] = [*table.columns, *(() if target is None else (target,))]
    for i, column in enumerate(columns_and_target):
        if isinstance(column, StoredColumn):
            columns_and_target[i] = _map_column(column, scratch, f"m{i}", memory)
        if progress is not None:
            n_done = table.n_rows * (i + 1) // len(columns_and_target)
            progress(Progress(n_done, 0, table.n_rows, 1, is_reading=True))
    columns = tuple(columns_and_target if target is None else columns_and_target[:-1])
    weight = table.weight
    if weight is not None:
        mapped_weight = scratch.array("weight", np.float64, len(weight), "w+")
        mapped_weight[:] = weight
        weight = mapped_weight
    return replace(
        table,
        columns=columns,
        target=None if target is None else columns_and_target[-1],
        weight=weight,
    )


def _parent_folder(column: StoredColumn) -> str | None:
    """Return the folder that contains the column's store."""
    part = column.part
    file = getattr(part.codes if isinstance(part, ExactCodes) else part.high, "filename", None)
    return None if file is None else str(Path(file).parent.parent)


def _map_column(
    column: StoredColumn, scratch: ScratchFolder, name: str, memory: int
) -> MappedColumn:
    part, rows = column.part, column.rows
    n = (
        len(part.codes if isinstance(part, ExactCodes) else part.high)
        if rows is None
        else len(rows)
    )
    codes = scratch.array(f"{name}.ranks", np.int32, n, "w+")
    levels: Any = column.levels if isinstance(part, ExactCodes) else None
    if isinstance(part, BinnedNumbers):
        levels = _write_ranks(part, rows, codes, scratch.folder / f"{name}.levels", memory)
    else:
        assert column.place is not None
        if column.is_numeric:
            levels = np.ascontiguousarray(levels, np.float64)
        for start, stored_codes in _chunks(part.codes, rows):
            codes[start : start + len(stored_codes)] = column.place[stored_codes]
    return MappedColumn(column.name, column.kind, levels, codes, scratch, column.n_missing)


def _chunks(array: npt.NDArray[Any], rows: Rows) -> Iterator[tuple[int, npt.NDArray[Any]]]:
    """Yield the first row and the values of each chunk of rows."""
    n = len(array) if rows is None else len(rows)
    for start in range(0, n, CHUNK_ROWS):
        end = start + CHUNK_ROWS
        yield start, np.asarray(array[start:end] if rows is None else array[rows[start:end]])


def _write_ranks(
    part: BinnedNumbers, rows: Rows, codes: npt.NDArray[Any], file: Path, memory: int
) -> Floats:
    """Write the rank of each number; return the sorted distinct numbers.

    Buckets are in the order of their numbers, so each can be ranked separately.
    """
    sizes = np.zeros(256, np.int64)
    for _, high in _chunks(part.high, rows):
        sizes += np.bincount(high, minlength=256)
    n_known = int(sizes[:N_BUCKETS].sum())
    n_levels = 0
    with convert_disk_full(file.parent), file.open("wb") as levels_file:
        for first, last in _bucket_ranges(sizes, max(memory // BYTES_PER_NUMBER, 1)):
            size = int(sizes[first : last + 1].sum())
            positions, numbers, n_filled = np.empty(size, np.int64), np.empty(size), 0
            for start, high in _chunks(part.high, rows):
                inside = np.flatnonzero((high >= first) & (high <= last))
                end = n_filled + len(inside)
                positions[n_filled:end] = inside + start
                numbers[n_filled:end] = part.raw[
                    inside + start if rows is None else rows[inside + start]
                ]
                n_filled = end
            levels, ranks = encode_floats(numbers)
            codes[positions] = ranks + n_levels
            n_levels += len(levels)
            levels_file.write(np.ascontiguousarray(levels).tobytes())
    if n_known < len(codes):
        for start, high in _chunks(part.high, rows):
            codes[start + np.flatnonzero(high == N_BUCKETS)] = -1
    return np.memmap(file, np.float64, "r", shape=(n_levels,)) if n_levels else np.empty(0)


def _bucket_ranges(sizes: npt.NDArray[np.int64], max_rows: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last bucket of ranges with at most about ``max_rows`` rows."""
    first, n_rows = 0, 0
    for bucket in range(N_BUCKETS):
        size = int(sizes[bucket])
        if n_rows and n_rows + size > max_rows:
            yield first, bucket - 1
            first, n_rows = bucket, 0
        n_rows += size
    if n_rows:
        yield first, N_BUCKETS - 1
