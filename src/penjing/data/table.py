"""A data set as coded columns.

Every column is codes + levels, numbers too: the levels of a numeric column are its sorted
distinct values, its codes their ranks. Nominal and numeric columns are thus the same thing,
without or with an order, and one counting kernel serves both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing.arguments import bad_value_error, is_whole
from penjing.errors import DataError, unknown_name_error

Kind = Literal["nominal", "ordered", "numeric"]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

MISSING = -1
"""The code of a value that is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """What a column is, without its rows: name, kind and levels.

    ``levels`` is a tuple of plain values (str, int, float, bool) in the order that was
    declared or first seen. A numeric field of a *tree* keeps no levels: its cuts say enough.
    """

    name: str
    kind: Kind
    levels: tuple[Any, ...] | Floats = ()

    @property
    def is_numeric(self) -> bool:
        """Whether the levels are numbers and compared as such."""
        return self.kind == "numeric"

    @property
    def has_order(self) -> bool:
        """Whether a cut (value <= level) makes sense."""
        return self.kind != "nominal"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Field):
            return NotImplemented
        return (self.name, self.kind, tuple(self.levels)) == (
            other.name,
            other.kind,
            tuple(other.levels),
        )

    __hash__ = None  # type: ignore[assignment]  # levels may be an array


@dataclass(frozen=True, slots=True, eq=False)
class Column(Field):
    """A field with its rows: ``levels[codes[i]]`` is the value of row i, -1 a missing one."""

    codes: Codes = field(default_factory=lambda: np.empty(0, np.int32))

    @property
    def field(self) -> Field:
        """The column without its rows; a numeric one without its levels too."""
        return Field(self.name, self.kind, () if self.is_numeric else self.levels)

    @property
    def has_missing(self) -> bool:
        """Whether any row has no value here."""
        return bool(self.codes.size) and bool(self.codes.min() < 0)

    @property
    def n_missing(self) -> int:
        """How many rows have no value here."""
        return int((self.codes < 0).sum())

    def values(self) -> list[Any]:
        """Return the plain value of each row, None where it is missing."""
        levels = np.asarray(self.levels).tolist() if self.is_numeric else self.levels
        return [None if code < 0 else levels[code] for code in self.codes.tolist()]

    def numbers(self) -> Floats:
        """Return each row's number: the value, or the position of an ordered level; NaN missing."""
        levels = (
            np.asarray(self.levels, np.float64)
            if self.is_numeric
            else np.arange(len(self.levels), dtype=np.float64)
        )
        return np.append(levels, np.nan)[self.codes]

    def rounded(self) -> Column:
        """Return a numeric column with its numbers as 32 bits hold them; equal ones are one level.

        Examples
        --------
        >>> numeric("x", [0.1, 1.0, 1.00000001]).rounded().codes
        array([0, 1, 1], dtype=int32)
        """
        single = round_to_float32(self.name, np.asarray(self.levels, np.float64))
        kept, place = np.unique(single + 0.0, return_inverse=True)
        return replace(self, levels=kept, codes=np.append(place, -1)[self.codes].astype(np.int32))

    def take(self, rows: npt.NDArray[Any]) -> Column:
        """Return the column with only these rows; levels stay as they are."""
        return replace(self, codes=self.codes[rows])


@dataclass(frozen=True, slots=True)
class Note:
    """One remark made on the way (a column left out, a row dropped): a key and its values."""

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A data set: coded columns, the target apart from them, a weight per row.

    Parameters
    ----------
    columns : tuple of Column
        What a tree may ask about.
    target : Column or None
        What it shall answer; classes if nominal or ordered, a number if numeric. None for
        rows that are only to be predicted.
    weight : (n,) float64 or None
        None where every row weighs 1.
    n_rows : int
        The number of rows (kept apart so that a table without columns has one too).
    row_numbers : (n,) int64 or None
        Where the rows stood in their source, from 1; None where nothing was dropped.
    left_out : tuple of (str, str)
        Name and reason of each column that no tree may ask about.
    notes : tuple of Note
        What was decided while reading.
    source : dict
        Where the rows came from: name, encoding, separator, sha256.
    """

    columns: tuple[Column, ...]
    target: Column | None
    n_rows: int
    weight: Floats | None = None
    row_numbers: npt.NDArray[np.int64] | None = None
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[Note, ...] = ()
    source: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, target not included."""
        return tuple(column.name for column in self.columns)

    @property
    def is_regression(self) -> bool:
        """Whether the target is a number."""
        return self.target is not None and self.target.is_numeric

    @property
    def weights(self) -> Floats:
        """The weight of each row, 1 where none was given."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    @property
    def total_weight(self) -> float:
        """The weight of all rows."""
        return float(self.n_rows if self.weight is None else self.weight.sum())

    @property
    def schema(self) -> tuple[Field, ...]:
        """The columns without their rows."""
        return tuple(column.field for column in self.columns)

    def column(self, name: str) -> Column:
        """Return a column by name, the target included."""
        every = [*self.columns, *([self.target] if self.target is not None else [])]
        for column in every:
            if isinstance(name, str) and column.name == name:
                return column
        raise unknown_name_error("unknown_column", name, [c.name for c in every])

    def row_number(self, row: int) -> int:
        """Return where a row stood in its source, counted from 1."""
        if not is_whole(row) or not 0 <= row < self.n_rows:
            raise bad_value_error("no_row", "row", row, int, last=self.n_rows - 1)
        return int(row) + 1 if self.row_numbers is None else int(self.row_numbers[row])

    def take(self, rows: npt.ArrayLike) -> Table:
        """Return the table with only these rows (positions or a mask); levels stay."""
        picked = self._picked(rows)
        numbers = np.arange(1, self.n_rows + 1) if self.row_numbers is None else self.row_numbers
        return replace(
            self,
            columns=tuple(column.take(picked) for column in self.columns),
            target=None if self.target is None else self.target.take(picked),
            n_rows=len(picked),
            weight=None if self.weight is None else self.weight[picked],
            row_numbers=numbers[picked],
        )

    def _picked(self, rows: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return positions of rows, or of a mask; or say what they must be."""
        try:
            found = np.asarray(rows)
            places = found.astype(np.intp) if found.size == 0 else found
            picked: npt.NDArray[np.intp] = np.arange(self.n_rows)[places]
        except (TypeError, ValueError, IndexError, RecursionError):
            raise bad_value_error(
                "bad_rows", "rows", rows, np.ndarray | list, n=self.n_rows
            ) from None
        if picked.ndim != 1:
            raise bad_value_error("bad_rows", "rows", rows, np.ndarray | list, n=self.n_rows)
        return picked

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each row as a dict of plain values, target included."""
        every = [*self.columns, *([self.target] if self.target is not None else [])]
        names = [column.name for column in every]
        for values in zip(*(column.values() for column in every), strict=True):
            yield dict(zip(names, values, strict=True))


def round_to_float32(name: str, numbers: Floats) -> Floats:
    """Return the numbers of a column as 32 bits hold them; one too large for them is refused."""
    with np.errstate(over="ignore"):
        single: Floats = numbers.astype(np.float32).astype(np.float64)
    if np.isinf(single).any():
        most = float(numbers[np.nanargmax(np.abs(numbers))])
        raise DataError("too_large_single", column=name, value=most)
    return single


def nominal(name: str, values: Iterable[Any], levels: Sequence[Any] | None = None) -> Column:
    """Make a nominal column from plain values; None is missing.

    Examples
    --------
    >>> nominal("texture", ["clear", "faint", "clear", None]).codes
    array([ 0,  1,  0, -1], dtype=int32)
    """
    known = dict.fromkeys(levels or ())
    values = list(values)
    known |= dict.fromkeys(value for value in values if value is not None)
    place = {level: code for code, level in enumerate(known)}
    codes = [MISSING if value is None else place[value] for value in values]
    return Column(name, "nominal", tuple(known), np.asarray(codes, np.int32))


def numeric(name: str, values: npt.ArrayLike) -> Column:
    """Make a numeric column from numbers; NaN is missing.

    Examples
    --------
    >>> numeric("density", [0.7, 0.2, float("nan"), 0.7]).codes
    array([ 1,  0, -1,  1], dtype=int32)
    """
    numbers = np.asarray(values, np.float64) + 0.0  # -0.0 and 0.0 are one value
    known = ~np.isnan(numbers)
    codes = np.full(len(numbers), MISSING, np.int32)
    levels, codes[known] = np.unique(numbers[known], return_inverse=True)
    return Column(name, "numeric", levels, codes)
