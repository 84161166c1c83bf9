"""Checksums of a table: of its cells, and of which rows of its source it has."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.lazy_column import LazyColumn
from penjing.data.store import StoredColumn
from penjing.data.store_mapped import MappedColumn
from penjing.data.table import Column, Floats, Table

SMALL = 8_192
"""Arrays of at most this many bytes are compared as they are."""
_ON_DISK = (StoredColumn, MappedColumn)
N_SUMS = 61
"""A prime number: a pattern that repeats after a round number of rows does not hide a change."""


def table_checksum(table: Table) -> int | None:
    """Return the checksum of a table as it was read; None for columns that are not in memory.

    It is compared within one process only, between two readings of one source.

    Examples
    --------
    >>> from penjing.data.read import read
    >>> rows = [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]
    >>> table_checksum(read(rows, "y")) == table_checksum(read(rows, "y"))
    True
    >>> table_checksum(read(rows, "y")) == table_checksum(read(rows[::-1], "y"))
    False
    """
    arrays: dict[int, bytes] = {}
    sums: list[object] = []
    for column in table.columns if table.target is None else (*table.columns, table.target):
        if isinstance(column, LazyColumn) and column.raw.nbytes <= SMALL:  # without more calls
            sums += (column.name, column.raw.tobytes())
        elif isinstance(column, _ON_DISK):
            return None
        else:
            sums.append(_column_sum(column, arrays))
    if table.weight is not None:
        sums.append(_sum(np.ascontiguousarray(table.weight)))
    return hash(tuple(sums))


def part_digest(table: Table) -> str | None:
    """Return a digest of the numbers of a table's rows; None if it has all rows of its source.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> part_digest(fish) is None, part_digest(fish.take([0])) == part_digest(fish.take([1]))
    (True, False)
    """
    if table.row_numbers is None:
        return None
    numbers = np.ascontiguousarray(table.row_numbers, "<i8")
    return hashlib.blake2b(numbers.tobytes(), digest_size=8).hexdigest()


def _column_sum(column: Column, arrays: dict[int, bytes]) -> tuple[object, ...]:
    if isinstance(column, LazyColumn):  # whether it is encoded by now or not
        return column.name, column.kind, *_raw_sum(column.raw, arrays)
    levels: object = column.levels
    if column.is_numeric:
        levels = np.asarray(column.levels, np.float64).tobytes()
    return column.name, column.kind, levels, _sum(np.ascontiguousarray(column.codes))


def _raw_sum(raw: Floats, arrays: dict[int, bytes]) -> tuple[object, ...]:
    """Return the sum of a column's numbers, or of the whole array that it is a part of.

    The columns of an array whose rows lie together would each take as long as all of it.
    """
    whole = raw.base
    if raw.flags.contiguous or whole is None or not whole.flags.forc:
        return (_sum(np.ascontiguousarray(raw)),)
    if id(whole) not in arrays:
        arrays[id(whole)] = _sum(whole.ravel("K"))
    return raw.__array_interface__["data"][0] - whole.__array_interface__["data"][0], arrays[
        id(whole)
    ]


def _sum(values: npt.NDArray[Any]) -> bytes:
    """Return sums of every `N_SUMS`-th eight bytes, as integers that wrap around.

    A cell that changes always changes a sum; rows that change places nearly always do. The sums
    take a fiftieth of the time of the fastest fit.
    """
    if values.nbytes <= SMALL:
        return values.tobytes()
    data = values.view(np.uint8)
    n_bytes = len(data) // (8 * N_SUMS) * (8 * N_SUMS)
    sums = data[:n_bytes].view(np.uint64).reshape(-1, N_SUMS).sum(axis=0, dtype=np.uint64)
    return bytes(sums.tobytes() + data[n_bytes:].tobytes())
