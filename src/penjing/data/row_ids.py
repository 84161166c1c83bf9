"""Names of rows: the values of an id column, which texts use instead of the number of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_ROWS = 100_000
"""Rows of larger tables are named by their numbers, so that no ids are held in memory."""


@dataclass(frozen=True, slots=True, eq=False)
class RowIds:
    """The id of each row.

    Parameters
    ----------
    name : str
        The name of the id column, or of the index of a frame.
    values : (n,) array
        The ids, in the order of the rows.

    Examples
    --------
    >>> RowIds("melon", np.array([7, 15])).take(np.array([1])).of(0)
    15
    """

    name: str
    values: npt.NDArray[Any]

    def of(self, row: int) -> Any:  # noqa: ANN401 - any plain value
        """Return the id of a row as a plain value; None if it is missing."""
        value = self.values[row]
        plain = value.item() if isinstance(value, np.generic) else value
        is_whole = isinstance(plain, float) and plain.is_integer()
        return int(plain) if is_whole else plain

    def take(self, rows: npt.NDArray[Any]) -> RowIds:
        """Return the ids of some rows."""
        return RowIds(self.name, self.values[rows])
