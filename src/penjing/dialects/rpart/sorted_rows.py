"""Rows in the order in which rpart has sorted them by a column, once and for all."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.data.table import Column


def sorted_rows(column: Column) -> npt.NDArray[np.int32] | None:
    """Return the rows, lowest value first; None for a nominal column, which is not sorted.

    Equal values are left as rpart's quicksort leaves them. It takes a missing one for 0 (and
    passes over it later), which is seen in the order of the others.
    """
    if not column.has_order:
        return None
    levels = column.levels if column.is_numeric else np.arange(1, len(column.levels) + 1)
    values = np.append(np.asarray(levels, np.float64), 0.0)  # the last is that of code -1
    return _core.sorted_rpart(values[column.codes])


def ranks(column: Column) -> npt.NDArray[np.int32] | None:
    """Return the place of each row in that order; None for the order of the table."""
    rows = sorted_rows(column)
    if rows is None:
        return None
    found = np.empty(len(rows), np.int32)
    found[rows] = np.arange(len(rows), dtype=np.int32)
    return found
