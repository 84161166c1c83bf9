"""The order of rows in which rpart sorts them by a column before growing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.data.table import Codes, Column, Floats


def sorted_rows(column: Column) -> npt.NDArray[np.int32] | None:
    """Return the rows, lowest value first; None for a categorical column, which is not sorted.

    Equal values are in the order of rpart's quicksort. It sorts a missing value as 0 (and skips
    it later), which affects the order of the others.
    """
    if not column.has_order:
        return None
    levels = np.asarray(column.levels, np.float64) if column.is_numeric else None
    return order_of_codes(column.codes, levels, len(column.levels))


def ranks(column: Column) -> npt.NDArray[np.int32] | None:
    """Return the position of each row in that order; None for a categorical column."""
    rows = sorted_rows(column)
    return None if rows is None else positions_of(rows)


def order_of_codes(codes: Codes, levels: Floats | None, n_levels: int) -> npt.NDArray[np.int32]:
    """Return the rows in rpart's order, from codes and the numbers of a numeric column."""
    numbers = np.arange(1.0, n_levels + 1) if levels is None else levels
    values = np.append(numbers, 0.0)  # index -1, the code of missing values
    return _core.rpart_sort_order(values[codes])


def positions_of(rows: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the position of each row in an order of rows."""
    positions = np.empty(len(rows), np.int32)
    positions[rows] = np.arange(len(rows), dtype=np.int32)
    return positions
