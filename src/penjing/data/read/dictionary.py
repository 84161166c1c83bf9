"""Dictionary encoding: the cells of a column become distinct values and one code per row.

All hashing and ranking of cells is done here.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import encode_floats, encode_objects
from penjing.data.table import MISSING, Codes


class DictionaryEncoder:
    """Encodes cells batch by batch; codes are in order of first appearance.

    A dictionary maps each value to its first row, which needs no Python code per row. At the end,
    a cumulative count of the first rows gives the codes 0, 1, 2 …

    Examples
    --------
    >>> coder = DictionaryEncoder()
    >>> coder.add(["clear", "faint"]), coder.add(["faint", "dim", "clear"])
    (None, None)
    >>> coder.finish()
    (['clear', 'faint', 'dim'], array([0, 1, 1, 2, 0], dtype=int32))
    """

    def __init__(self) -> None:
        self.first: dict[Hashable, int] = {}
        self.rows: list[npt.NDArray[np.int32]] = []
        self.n_rows = 0

    def add(self, cells: Sequence[Hashable]) -> None:
        """Add the cells of the next rows."""
        rows = range(self.n_rows, self.n_rows + len(cells))
        first_rows = map(self.first.setdefault, cells, rows)
        self.rows.append(np.fromiter(first_rows, np.int32, len(cells)))
        self.n_rows += len(cells)

    def finish(self) -> tuple[list[Any], Codes]:
        """Return the distinct values and the code of each row."""
        first_rows = np.concatenate([np.empty(0, np.int32), *self.rows])
        is_first = np.zeros(self.n_rows, np.bool_)
        is_first[first_rows] = True
        return list(self.first), (np.cumsum(is_first, dtype=np.int32) - np.int32(1))[first_rows]


def encode_values(cells: Sequence[Any]) -> tuple[list[Any], Codes]:
    """Return the distinct values of a column in order of first appearance, and its codes.

    None is missing. Values of different types are different levels: 1, True and 1.0 are three.

    Examples
    --------
    >>> encode_values(["clear", "faint", None, "clear"])
    (['clear', 'faint'], array([ 0,  1, -1,  0], dtype=int32))
    >>> encode_values([1, True, 1.0])
    ([1, True, 1.0], array([0, 1, 2], dtype=int32))
    """
    if len({*map(type, cells)} - {type(None)}) <= 1:
        return encode_objects([*cells])
    pairs, codes = encode_objects([None if cell is None else (type(cell), cell) for cell in cells])
    return [value for _, value in pairs], codes


def encode_numbers(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Codes]:
    """Return the distinct numbers in ascending order and each row's rank; NaN is missing.

    Examples
    --------
    >>> encode_numbers(np.array([0.7, 0.2, np.nan, 0.7]))
    (array([0.2, 0.7]), array([ 1,  0, -1,  1], dtype=int32))
    """
    if values.dtype.kind == "f":
        return encode_floats(np.ascontiguousarray(values, np.float64))
    if values.dtype.kind in "iu" and values.size:
        smallest = values.min()
        span = int(values.max()) - int(smallest) + 1
        if span <= max(1024, len(values)):  # a lookup table is faster than sorting
            # the difference might overflow a small signed type
            wide = values if values.dtype.kind == "u" else values.astype(np.int64)
            shifted = (wide - smallest).astype(np.intp)
            is_present = np.zeros(span, np.bool_)
            is_present[shifted] = True
            rank = np.cumsum(is_present, dtype=np.int32) - np.int32(1)
            return smallest + np.flatnonzero(is_present).astype(values.dtype), rank[shifted]
    levels, ranks = np.unique(values, return_inverse=True)
    return levels, ranks.astype(np.int32)


def drop_levels(levels: list[Any], codes: Codes, dropped: Sequence[int]) -> tuple[list[Any], Codes]:
    """Turn some levels into missing values and renumber the others."""
    if not len(dropped):
        return levels, codes
    is_kept = np.ones(len(levels), np.bool_)
    is_kept[list(dropped)] = False
    new_codes = np.where(is_kept, np.cumsum(is_kept) - 1, MISSING).astype(np.int32)
    return [level for level, keep in zip(levels, is_kept, strict=True) if keep], remap_codes(
        new_codes, codes
    )


def merge_equal_levels(levels: Sequence[Any], codes: Codes) -> tuple[list[Any], Codes]:
    """Merge levels that are equal; None becomes missing."""
    distinct, new_codes = encode_values(levels)
    return distinct, remap_codes(new_codes, codes)


def remap_codes(new_codes: npt.NDArray[np.int32], codes: Codes) -> Codes:
    """Return the new code of each row, given the new code of each old code; missing stays."""
    return np.append(new_codes, np.int32(MISSING))[codes]


def order_by_appearance(levels: Sequence[Any], codes: Codes) -> tuple[list[Any], Codes]:
    """Sort the levels by their first row, and drop levels without rows.

    Examples
    --------
    >>> order_by_appearance([0, 1, 2], np.array([2, -1, 0, 2], np.int32))
    ([2, 0], array([ 0, -1,  1,  0], dtype=int32))
    """
    first_rows = np.full(len(levels) + 1, len(codes))
    first_rows[codes[::-1]] = np.arange(len(codes))[::-1]  # the last assignment is the first row
    order = np.argsort(first_rows[:-1], kind="stable")[: int((first_rows[:-1] < len(codes)).sum())]
    new_codes = np.full(len(levels), MISSING, np.int32)
    new_codes[order] = np.arange(len(order), dtype=np.int32)
    return [levels[code] for code in order.tolist()], remap_codes(new_codes, codes)
