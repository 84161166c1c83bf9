"""A numeric column that is encoded on first use; the native engine needs no codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import encode_floats
from penjing.data.table import Codes, Column, Field, Floats, round_to_float32
from penjing.errors import DataError


class LazyColumn(Column):
    """A column of plain numbers, NaN for missing; codes and levels are computed on first use.

    Parameters
    ----------
    name : str
        The column's name.
    numbers : (n,) float64
        Its values, not copied; any positive stride is allowed, such as a column of a matrix.
    source : str
        The name of the source in messages.

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
            numbers = numbers.copy()  # reversed, broadcast, or a field of packed records
        set_field = object.__setattr__  # one by one, since a loop is slow for small tables
        set_field(self, "name", name)
        set_field(self, "kind", "numeric")
        set_field(self, "raw", numbers)
        set_field(self, "source", source)
        set_field(self, "_coded", None)
        set_field(self, "_n_missing", None)

    def __reduce__(self) -> tuple[object, ...]:
        return LazyColumn, (self.name, self.raw, self.source)

    def __setstate__(self, state: list[Any]) -> None:
        """Restore a pickle of 0.1.0, which holds codes and levels."""
        name, _, levels, codes = state
        numbers = np.append(np.asarray(levels, np.float64), np.nan)[codes]  # -1 is missing
        LazyColumn.__init__(self, name, numbers)

    @property
    def is_coded(self) -> bool:
        """Whether the codes have been computed."""
        return self._coded is not None

    def _encode(self) -> tuple[Floats, Codes]:
        if self._coded is None:
            self.check_finite()
            object.__setattr__(self, "_coded", encode_floats(np.ascontiguousarray(self.raw)))
        assert self._coded is not None
        return self._coded

    @property
    def levels(self) -> Floats:
        """The sorted distinct numbers."""
        return self._encode()[0]

    @property
    def codes(self) -> Codes:
        """The rank of each row's number, -1 if it is missing."""
        return self._encode()[1]

    @property
    def field(self) -> Field:
        """The column without its rows."""
        return Field(self.name, "numeric", ())

    @property
    def has_missing(self) -> bool:
        """Whether any row has no value."""
        return self.n_missing > 0

    @property
    def n_missing(self) -> int:
        """The number of rows without a value."""
        self.check_finite()
        assert self._n_missing is not None
        return self._n_missing

    def mark_finite(self, n_missing: int = 0) -> None:
        """Record that no number is infinite, so that it is not checked again."""
        object.__setattr__(self, "_n_missing", n_missing)

    def check_finite(self) -> None:
        """Raise an error if a number is infinite: no threshold lies between it and another."""
        if self._n_missing is not None:
            return
        is_infinite = np.isinf(self.raw)
        if is_infinite.any():
            row = int(is_infinite.argmax())
            details = {"row": row + 1, "column": self.name, "value": float(self.raw[row])}
            raise DataError("infinite_number", source=self.source, **details)
        object.__setattr__(self, "_n_missing", int(np.isnan(self.raw).sum()))

    def numbers(self) -> Floats:
        """Return each row's number, NaN if it is missing."""
        return np.asarray(self.raw) + 0.0

    def rounded(self) -> Column:
        """Return the column with its numbers rounded to 32 bits."""
        return LazyColumn(self.name, round_to_float32(self.name, self.raw), self.source)

    def take(self, rows: npt.NDArray[Any] | slice) -> Column:
        """Return the column with only these rows."""
        return LazyColumn(self.name, self.raw[rows], self.source)

    def take_with_levels(self, rows: npt.NDArray[Any]) -> Column:
        """Return the column with only these rows and all its levels, encoded only if this one is.

        Examples
        --------
        >>> column = LazyColumn("density", np.array([0.7, 0.2, 0.7]))
        >>> part = column.take_with_levels(np.array([0, 2]))
        >>> part.codes, part.levels
        (array([1, 1], dtype=int32), array([0.2, 0.7]))
        """
        if self.is_coded:
            return Column(self.name, "numeric", self.levels, self.codes[rows])
        return _LazyRows(self, rows)


class _LazyRows(LazyColumn):
    """Some rows of a column that is not encoded yet; its levels are those of all rows."""

    __slots__ = ("_rows", "_whole")

    _rows: npt.NDArray[Any]
    _whole: LazyColumn

    def __init__(self, whole: LazyColumn, rows: npt.NDArray[Any]) -> None:
        super().__init__(whole.name, whole.raw[rows], whole.source)
        object.__setattr__(self, "_whole", whole)
        object.__setattr__(self, "_rows", rows)

    def _encode(self) -> tuple[Floats, Codes]:
        if self._coded is None:
            levels, codes = self._whole.levels, self._whole.codes
            object.__setattr__(self, "_coded", (levels, codes[self._rows]))
        assert self._coded is not None
        return self._coded
