"""A stored table whose codes and levels are files too: memory holds rows, not columns.

What is not decided by counts of whole rows (weights, shares of rows, numbers, the rules of
programs) is decided by kernels that want every column as ranks. Here a column's ranks are written
once, bucket by bucket, and mapped; a kernel walks over them as if they were in memory, and the
system brings in what it needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import code_floats
from penjing.data.scratch import ScratchFolder, convert_disk_full
from penjing.data.store import N_BUCKETS, BinnedNumbers, ExactCodes, Rows, StoredColumn
from penjing.data.table import Column, Floats, Table
from penjing.progress import Progress, ProgressCallback

CHUNK_ROWS = 1 << 20
"""Rows that are looked at together."""
BYTES_PER_NUMBER = 48
"""What a number takes until it is ranked."""


@dataclass(frozen=True, slots=True, eq=False)
class MappedColumn(Column):
    """A column whose codes, and levels if numeric, are mapped from files of a folder."""

    space: ScratchFolder | None = None
    n_lost: int | None = None

    @property
    def n_missing(self) -> int:
        """How many rows have no value here."""
        return int((self.codes < 0).sum()) if self.n_lost is None else self.n_lost

    @property
    def has_missing(self) -> bool:
        """Whether any row has no value here."""
        return self.n_missing > 0

    def numbers(self) -> Floats:
        """Return each row's number, without a copy of all levels; NaN where it is missing."""
        lost = self.codes < 0
        if not len(self.levels):
            return np.full(len(self.codes), np.nan)
        codes = np.where(lost, np.int32(0), self.codes)
        found = np.asarray(self.levels, np.float64)[codes] if self.is_numeric else codes * 1.0
        found[lost] = np.nan
        return found

    def take(self, rows: npt.NDArray[Any]) -> Column:
        """Return the column with only these rows; levels stay as they are."""
        return MappedColumn(self.name, self.kind, self.levels, self.codes[rows], self.space)


def is_mapped(table: Table) -> bool:
    """Say whether the columns of a table are mapped already."""
    return any(isinstance(column, MappedColumn) for column in table.columns)


def map_table(table: Table, room: int, progress: ProgressCallback | None = None) -> Table:
    """Return a stored table as one of ranks in files, beside its store; it goes with its columns.

    Parameters
    ----------
    table : Table
        Columns in a store.
    room : int
        How many bytes may be used while columns are ranked.
    progress : function, optional
        Told after each column how far this is.
    """
    target = table.target
    stored = [c for c in (*table.columns, target) if isinstance(c, StoredColumn)]
    if not stored:
        return table
    space = ScratchFolder(_parent_folder(stored[0]))
    every: list[Column] = [*table.columns, *(() if target is None else (target,))]
    for i, column in enumerate(every):
        if isinstance(column, StoredColumn):
            every[i] = _map_column(column, space, f"m{i}", room)
        if progress is not None:
            n = table.n_rows * (i + 1) // len(every)
            progress(Progress(n, 0, table.n_rows, 1, is_reading=True))
    columns = tuple(every if target is None else every[:-1])
    weight = table.weight
    if weight is not None:
        kept = space.array("weight", np.float64, len(weight), "w+")
        kept[:] = weight
        weight = kept
    return replace(
        table, columns=columns, target=None if target is None else every[-1], weight=weight
    )


def _parent_folder(column: StoredColumn) -> str | None:
    """Return the folder in which the column's store is."""
    part = column.part
    file = getattr(part.codes if isinstance(part, ExactCodes) else part.high, "filename", None)
    return None if file is None else str(Path(file).parent.parent)


def _map_column(column: StoredColumn, space: ScratchFolder, name: str, room: int) -> MappedColumn:
    part, rows = column.part, column.rows
    n = (
        len(part.codes if isinstance(part, ExactCodes) else part.high)
        if rows is None
        else len(rows)
    )
    codes = space.array(f"{name}.ranks", np.int32, n, "w+")
    levels: Any = column.levels if isinstance(part, ExactCodes) else None
    if isinstance(part, BinnedNumbers):
        levels = _write_ranks(part, rows, codes, space.folder / f"{name}.levels", room)
    else:
        assert column.place is not None
        if column.is_numeric:
            levels = np.ascontiguousarray(levels, np.float64)
        for at, here in _chunks(part.codes, rows):
            codes[at : at + len(here)] = column.place[here]
    return MappedColumn(column.name, column.kind, levels, codes, space, column.n_missing)


def _chunks(array: npt.NDArray[Any], rows: Rows) -> Iterator[tuple[int, npt.NDArray[Any]]]:
    """Yield the rows of the table, some at a time, and where they begin."""
    n = len(array) if rows is None else len(rows)
    for at in range(0, n, CHUNK_ROWS):
        end = at + CHUNK_ROWS
        yield at, np.asarray(array[at:end] if rows is None else array[rows[at:end]])


def _write_ranks(
    part: BinnedNumbers, rows: Rows, codes: npt.NDArray[Any], file: Path, room: int
) -> Floats:
    """Write the rank of each number; return the sorted distinct numbers.

    Buckets follow one another as their numbers do, so each can be ranked by itself.
    """
    sizes = np.zeros(256, np.int64)
    for _, high in _chunks(part.high, rows):
        sizes += np.bincount(high, minlength=256)
    n_known = int(sizes[:N_BUCKETS].sum())
    n_levels = 0
    with convert_disk_full(file.parent), file.open("wb") as levels_file:
        for first, last in _bucket_ranges(sizes, max(room // BYTES_PER_NUMBER, 1)):
            size = int(sizes[first : last + 1].sum())
            where, numbers, filled = np.empty(size, np.int64), np.empty(size), 0
            for at, high in _chunks(part.high, rows):
                here = np.flatnonzero((high >= first) & (high <= last))
                end = filled + len(here)
                where[filled:end] = here + at
                numbers[filled:end] = part.raw[here + at if rows is None else rows[here + at]]
                filled = end
            levels, ranks = code_floats(numbers)
            codes[where] = ranks + n_levels
            n_levels += len(levels)
            levels_file.write(np.ascontiguousarray(levels).tobytes())
    if n_known < len(codes):
        for at, high in _chunks(part.high, rows):
            codes[at + np.flatnonzero(high == N_BUCKETS)] = -1
    return np.memmap(file, np.float64, "r", shape=(n_levels,)) if n_levels else np.empty(0)


def _bucket_ranges(sizes: npt.NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Yield stretches of buckets, first and last, of about so many rows together."""
    first, filled = 0, 0
    for bucket in range(N_BUCKETS):
        size = int(sizes[bucket])
        if filled and filled + size > most:
            yield first, bucket - 1
            first, filled = bucket, 0
        filled += size
    if filled:
        yield first, N_BUCKETS - 1
