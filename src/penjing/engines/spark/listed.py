"""Maps numbers to their positions in a list, by cells of one number each.

This is much faster than a search in the list.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from penjing.data.store import QuantileCells
from penjing.data.table import Floats

NOT_LISTED = 0xFFFF
"""The place of a number that is not in the list."""


class Listed:
    """Finds numbers in a list.

    Parameters
    ----------
    values : (n,)
        The list, ascending.

    Examples
    --------
    >>> Listed(np.array([1.0, 2.5])).places(np.array([2.5, np.nan, 2.0]))
    array([    2,     0, 65535], dtype=uint16)
    """

    def __init__(self, values: Floats) -> None:
        edges = np.union1d(values, np.nextafter(values, np.inf))
        cells = np.arange(len(edges) + 1)
        told = QuantileCells(edges, (cells >> 8).astype(np.uint8), (cells & 255).astype(np.uint8))
        self._coder = told.coder()
        self._place = np.full(1 << 16, NOT_LISTED, np.uint16)
        self._place[np.searchsorted(edges, values, side="right")] = np.arange(1, len(values) + 1)
        self._place[255 << 8] = 0

    def places(self, numbers: Floats) -> npt.NDArray[np.uint16]:
        """Return ``j + 1`` for the j-th of the list, 0 for NaN, NOT_LISTED for any other."""
        high, low = np.empty(len(numbers), np.uint8), np.empty(len(numbers), np.uint8)
        self._coder.code(numbers, high, low)
        return np.asarray(self._place[high.astype(np.uint16) << 8 | low])
