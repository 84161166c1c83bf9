"""Coding: a column's cells become its distinct values and one small number per row.

This is the one place where cells are hashed; a faster coder has only to replace what is here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from penjing.table import MISSING, Codes


class Coder(dict[Hashable, int]):
    """Hand out 0, 1, 2 … to values in the order of their first appearance."""

    def __missing__(self, value: Hashable) -> int:
        code = self[value] = len(self)
        return code

    def codes(self, cells: Iterable[Hashable], count: int = -1) -> Codes:
        """Return the code of each cell; values not met before get the next codes."""
        return np.fromiter(map(self.__getitem__, cells), np.int32, count)


def codes_of(cells: Iterable[Any]) -> tuple[list[Any], Codes]:
    """Return the distinct values of a column in order of first appearance, and its codes.

    None is missing. Values of different types are different levels: 1, True and 1.0 are three.

    Examples
    --------
    >>> codes_of(["clear", "faint", None, "clear"])
    (['clear', 'faint'], array([ 0,  1, -1,  0], dtype=int32))
    >>> codes_of([1, True, 1.0])
    ([1, True, 1.0], array([0, 1, 2], dtype=int32))
    """
    coder = Coder()
    cells = cells if isinstance(cells, list) else list(cells)
    if any(type(cell) is not str for cell in cells):
        codes = coder.codes(((type(cell), cell) for cell in cells), len(cells))
        levels = [value for _, value in coder]  # type: ignore[misc]
    else:
        codes = coder.codes(cells, len(cells))
        levels = list(coder)
    return without(levels, codes, [level is None for level in levels])


def without(levels: list[Any], codes: Codes, gone: list[bool]) -> tuple[list[Any], Codes]:
    """Turn some levels into missing values and number the others anew."""
    if not any(gone):
        return levels, codes
    kept = [level for level, out in zip(levels, gone, strict=True) if not out]
    place = np.cumsum(~np.asarray(gone), dtype=np.int32) - 1
    place[np.asarray(gone)] = MISSING
    return kept, np.append(place, np.int32(MISSING))[codes]


def merged(levels: list[Any], codes: Codes) -> tuple[list[Any], Codes]:
    """Make levels that have become equal one level."""
    fresh, place = codes_of(levels)
    return fresh, np.append(place, np.int32(MISSING))[codes]


def by_appearance(levels: list[Any], codes: Codes) -> tuple[list[Any], Codes]:
    """Number the levels in the order in which the rows show them; unseen ones leave."""
    known = codes[codes >= 0]
    seen, first = np.unique(known, return_index=True)
    order = seen[np.argsort(first)]
    place = np.full(len(levels) + 1, MISSING, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return [levels[code] for code in order], place[codes]
