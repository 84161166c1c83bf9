"""Coding: a column's cells become its distinct values and one small number per row.

This is the one place where cells are hashed or ranked.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import code_floats, code_objects
from penjing.data.table import MISSING, Codes


class DictionaryEncoder:
    """Codes cells batch by batch, in the order in which values first appear.

    Each value remembers the row that showed it first: looking that up takes no Python code per
    row, and counting the first rows afterwards turns them into codes 0, 1, 2 …

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
        """Take the next rows."""
        numbers = range(self.n_rows, self.n_rows + len(cells))
        first = map(self.first.setdefault, cells, numbers)
        self.rows.append(np.fromiter(first, np.int32, len(cells)))
        self.n_rows += len(cells)

    def finish(self) -> tuple[list[Any], Codes]:
        """Return the distinct values and the code of each row."""
        first = np.concatenate([np.empty(0, np.int32), *self.rows])
        is_first = np.zeros(self.n_rows, np.bool_)
        is_first[first] = True
        return list(self.first), (np.cumsum(is_first, dtype=np.int32) - np.int32(1))[first]


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
        return code_objects([*cells])
    pairs, codes = code_objects([None if x is None else (type(x), x) for x in cells])
    return [value for _, value in pairs], codes


def encode_numbers(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Codes]:
    """Return the distinct numbers in ascending order and each row's rank; NaN is missing.

    Examples
    --------
    >>> encode_numbers(np.array([0.7, 0.2, np.nan, 0.7]))
    (array([0.2, 0.7]), array([ 1,  0, -1,  1], dtype=int32))
    """
    if values.dtype.kind == "f":
        return code_floats(np.ascontiguousarray(values, np.float64))
    if values.dtype.kind in "iu" and values.size:
        low = values.min()
        reach = int(values.max()) - int(low) + 1
        if reach <= max(1024, len(values)):  # a table by value is quicker than any sort
            # in a signed type of few bits the difference might not fit
            wide = values if values.dtype.kind == "u" else values.astype(np.int64)
            shifted = (wide - low).astype(np.intp)
            is_there = np.zeros(reach, np.bool_)
            is_there[shifted] = True
            place = np.cumsum(is_there, dtype=np.int32) - np.int32(1)
            return low + np.flatnonzero(is_there).astype(values.dtype), place[shifted]
    levels, places = np.unique(values, return_inverse=True)
    return levels, places.astype(np.int32)


def drop_levels(levels: list[Any], codes: Codes, gone: Sequence[int]) -> tuple[list[Any], Codes]:
    """Turn some levels into missing values and number the others anew."""
    if not len(gone):
        return levels, codes
    stays = np.ones(len(levels), np.bool_)
    stays[list(gone)] = False
    place = np.where(stays, np.cumsum(stays) - 1, MISSING).astype(np.int32)
    return [x for x, stay in zip(levels, stays, strict=True) if stay], remap_codes(place, codes)


def merge_equal_levels(levels: Sequence[Any], codes: Codes) -> tuple[list[Any], Codes]:
    """Make levels that have become equal one level; None turns into missing."""
    fresh, place = encode_values(levels)
    return fresh, remap_codes(place, codes)


def remap_codes(place: npt.NDArray[np.int32], codes: Codes) -> Codes:
    """Return each row's new code, given the new code of each old one; missing stays missing."""
    return np.append(place, np.int32(MISSING))[codes]


def order_by_appearance(levels: Sequence[Any], codes: Codes) -> tuple[list[Any], Codes]:
    """Put the levels in the order in which the rows show them; others leave.

    Examples
    --------
    >>> order_by_appearance([0, 1, 2], np.array([2, -1, 0, 2], np.int32))
    ([2, 0], array([ 0, -1,  1,  0], dtype=int32))
    """
    first = np.full(len(levels) + 1, len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last one written is the first row
    order = np.argsort(first[:-1], kind="stable")[: int((first[:-1] < len(codes)).sum())]
    place = np.full(len(levels), MISSING, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return [levels[code] for code in order.tolist()], remap_codes(place, codes)
