"""A numeric column that is coded only if somebody asks: the native engine reads plain numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import code_floats
from penjing.data.table import Codes, Column, Field, Floats, round_to_float32
from penjing.errors import DataError


class LazyColumn(Column):
    """Numbers as they came, NaN where one is missing; codes and levels are made when asked for.

    Parameters
    ----------
    name : str
        The column's name.
    numbers : (n,) float64
        Its values, not copied; any positive stride, so a column of a matrix will do.
    source : str
        Where they come from, for sentences.

    Examples
    --------
    >>> column = LazyColumn("density", np.array([0.7, 0.2, 0.7]))
    >>> column.is_coded
    False
    >>> column.codes, column.is_coded
    (array([1, 0, 1], dtype=int32), True)
    """

    __slots__ = ("_coded", "_n_missing", "raw", "source")

    raw: Floats
    source: str
    _coded: tuple[Floats, Codes] | None
    _n_missing: int | None

    def __init__(self, name: str, numbers: npt.NDArray[np.float64], source: str = "table") -> None:
        step = numbers.strides[0]
        if step <= 0 or step % numbers.itemsize or not numbers.flags.aligned:
            numbers = numbers.copy()  # backwards, one for all, or a field of packed records
        put = object.__setattr__  # one by one: a loop costs small tables their time
        put(self, "name", name)
        put(self, "kind", "numeric")
        put(self, "raw", numbers)
        put(self, "source", source)
        put(self, "_coded", None)
        put(self, "_n_missing", None)

    @property
    def is_coded(self) -> bool:
        """Whether the codes have been made."""
        return self._coded is not None

    def _made(self) -> tuple[Floats, Codes]:
        if self._coded is None:
            self.check_finite()
            object.__setattr__(self, "_coded", code_floats(np.ascontiguousarray(self.raw)))
        assert self._coded is not None
        return self._coded

    @property
    def levels(self) -> Floats:
        """The sorted distinct numbers."""
        return self._made()[0]

    @property
    def codes(self) -> Codes:
        """The rank of each row's number, -1 where it is missing."""
        return self._made()[1]

    @property
    def field(self) -> Field:
        """The column without its rows."""
        return Field(self.name, "numeric", ())

    @property
    def has_missing(self) -> bool:
        """Whether any row has no value here."""
        return self.n_missing > 0

    @property
    def n_missing(self) -> int:
        """How many rows have no value here."""
        self.check_finite()
        assert self._n_missing is not None
        return self._n_missing

    def mark_finite(self, n_missing: int = 0) -> None:
        """Remember what somebody saw by the way: every number that is there is finite."""
        object.__setattr__(self, "_n_missing", n_missing)

    def check_finite(self) -> None:
        """Raise an error if a number is infinite: nothing lies half-way to it."""
        if self._n_missing is not None:
            return
        odd = np.isinf(self.raw)
        if odd.any():
            row = int(odd.argmax())
            told = {"row": row + 1, "column": self.name, "value": float(self.raw[row])}
            raise DataError("infinite_number", source=self.source, **told)
        object.__setattr__(self, "_n_missing", int(np.isnan(self.raw).sum()))

    def numbers(self) -> Floats:
        """Return each row's number, NaN where it is missing."""
        return np.asarray(self.raw) + 0.0

    def rounded(self) -> Column:
        """Return the column with its numbers as 32 bits hold them."""
        return LazyColumn(self.name, round_to_float32(self.name, self.raw), self.source)

    def take(self, rows: npt.NDArray[Any]) -> Column:
        """Return the column with only these rows."""
        return LazyColumn(self.name, self.raw[rows], self.source)
