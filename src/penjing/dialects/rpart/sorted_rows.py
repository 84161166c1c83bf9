"""The order of rows in which rpart sorts them by a column before growing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.data.table import Column


def sorted_rows(column: Column) -> npt.NDArray[np.int32] | None:
    """Return the rows, lowest value first; None for a categorical column, which is not sorted.

    Equal values are in the order of rpart's quicksort. It sorts a missing value as 0 (and skips
    it later), which affects the order of the others.
    """
    if not column.has_order:
        return None
    levels = column.levels if column.is_numeric else np.arange(1, len(column.levels) + 1)
    values = np.append(np.asarray(levels, np.float64), 0.0)  # index -1, the code of missing values
    return _core.rpart_sort_order(values[column.codes])


def ranks(column: Column) -> npt.NDArray[np.int32] | None:
    """Return the position of each row in that order; None for a categorical column."""
    rows = sorted_rows(column)
    if rows is None:
        return None
    positions = np.empty(len(rows), np.int32)
    positions[rows] = np.arange(len(rows), dtype=np.int32)
    return positions
