"""A data set as dictionary-encoded columns.

Every column consists of codes and levels, also a numeric one: its levels are the sorted distinct
values and its codes their ranks. So nominal and numeric columns differ only in whether the levels
have an order, and one kernel counts both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from penjing.arguments import bad_value_error, is_whole
from penjing.data.notes import Note, Notes
from penjing.data.pickles import restore_fields
from penjing.data.row_ids import RowIds
from penjing.data.source import Label
from penjing.data.table_preview import preview_html, preview_text, size_text
from penjing.errors import DataError, unknown_name_error
from penjing.formatting.frame import frame_of

__all__ = [
    "MISSING", "Codes", "Column", "Field", "Floats", "Kind", "Note", "Notes", "Table", "nominal",
    "numeric", "round_to_float32",
]  # fmt: skip

if TYPE_CHECKING:
    from penjing.formatting.frame import DataFrame

Kind = Literal["nominal", "ordered", "numeric"]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

MISSING = -1
"""The code of a missing value."""


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """What a column is, without its rows: name, kind and levels.

    ``levels`` is a tuple of plain values (str, int, float, bool) in declared order or in order of
    appearance. A numeric field of a *tree* has no levels, since only thresholds are needed.
    """

    name: str
    kind: Kind
    levels: tuple[Any, ...] | Floats = ()

    @property
    def is_numeric(self) -> bool:
        """Whether the levels are numbers."""
        return self.kind == "numeric"

    @property
    def has_order(self) -> bool:
        """Whether the levels have an order, so that a threshold makes sense."""
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
    """A field with its rows: ``levels[codes[i]]`` is the value of row i; code -1 is missing."""

    codes: Codes = field(default_factory=lambda: np.empty(0, np.int32))

    @property
    def field(self) -> Field:
        """The column without its rows, and without its levels if it is numeric."""
        return Field(self.name, self.kind, () if self.is_numeric else self.levels)

    @property
    def has_missing(self) -> bool:
        """Whether any row has no value."""
        return bool(self.codes.size) and bool(self.codes.min() < 0)

    @property
    def n_missing(self) -> int:
        """The number of rows without a value."""
        return int((self.codes < 0).sum())

    def values(self) -> list[Any]:
        """Return the plain value of each row, None if it is missing."""
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
        """Return a numeric column with its numbers rounded to 32 bits; equal ones are merged.

        Examples
        --------
        >>> numeric("x", [0.1, 1.0, 1.00000001]).rounded().codes
        array([0, 1, 1], dtype=int32)
        """
        float32_values = round_to_float32(self.name, np.asarray(self.levels, np.float64))
        distinct, new_codes = np.unique(float32_values + 0.0, return_inverse=True)
        return replace(
            self, levels=distinct, codes=np.append(new_codes, -1)[self.codes].astype(np.int32)
        )

    def take(self, rows: npt.NDArray[Any] | slice) -> Column:
        """Return the column with only these rows and all its levels."""
        return replace(self, codes=self.codes[rows])


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class Table:
    """A data set: encoded columns, the target, and a weight per row.

    Parameters
    ----------
    columns : tuple of Column
        The columns that a tree may split on.
    target : Column or None
        The column to predict: classes if nominal or ordered, numbers if numeric. None for rows
        that are only to be predicted.
    weight : (n,) float64 or None
        The weight of each row; None if every weight is 1.
    n_rows : int
        The number of rows, which a table without columns has, too.
    row_numbers : (n,) int64 or None
        The numbers of the rows in the source, from 1; None if no row was dropped.
    left_out : tuple of (str, str)
        Name and reason of each column that no tree may split on.
    notes : tuple of Note
        Decisions made while reading; they print as sentences.
    source : dict
        The source of the rows: name, encoding, separator, sha256.
    row_ids : RowIds or None
        The ids of the rows, by which texts name them; None if there is no id column.

    Examples
    --------
    >>> import penjing
    >>> print(penjing.example("fish"))
      no surfacing     flippers    fish
       categorical  categorical  target
                 1            1     yes
                 1            1     yes
                 1            0      no
                 0            1      no
                 0            1      no
    5 rows × 2 columns, target 'fish'
    """

    columns: tuple[Column, ...]
    target: Column | None
    n_rows: int
    weight: Floats | None = None
    row_numbers: npt.NDArray[np.int64] | None = None
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[Note, ...] = ()
    source: Mapping[str, Any] = field(default_factory=dict)
    row_ids: RowIds | None = None

    def __post_init__(self) -> None:
        if type(self.notes) is not Notes:
            object.__setattr__(self, "notes", Notes(self.notes))

    def __setstate__(self, state: list[Any]) -> None:
        """Restore a pickle; one of 0.1.0 has fewer fields."""
        restore_fields(self, state)

    def text(self, lang: str = "en") -> str:
        """Return the first rows as text, with the type of each column.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.

        Examples
        --------
        >>> import penjing
        >>> print(penjing.example("fish").text().splitlines()[-1])
        5 rows × 2 columns, target 'fish'
        """
        return preview_text(self, lang)

    def to_pandas(self) -> DataFrame:
        """Return the rows as a data frame, the target last and without their weights.

        A missing value is None or NaN.

        Examples
        --------
        >>> import penjing
        >>> penjing.example("fish").to_pandas().shape
        (5, 3)
        """
        columns = [*self.columns, *([self.target] if self.target is not None else [])]
        return frame_of({column.name: column.values() for column in columns})

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Table: {size_text(self)}>"

    def _repr_html_(self) -> str:
        return preview_html(self)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, target not included.

        Examples
        --------
        >>> import penjing
        >>> penjing.example("fish").names
        ('no surfacing', 'flippers')
        """
        return tuple(column.name for column in self.columns)

    @property
    def is_regression(self) -> bool:
        """Whether the target is a number.

        Examples
        --------
        >>> import penjing
        >>> penjing.example("fish").is_regression
        False
        """
        return self.target is not None and self.target.is_numeric

    @property
    def weights(self) -> Floats:
        """The weight of each row, 1 if the table has no weights.

        Examples
        --------
        >>> import penjing
        >>> penjing.example("fish").weights.tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0]
        """
        return np.ones(self.n_rows) if self.weight is None else self.weight

    @property
    def total_weight(self) -> float:
        """The total weight of all rows.

        Examples
        --------
        >>> import penjing
        >>> penjing.example("fish").total_weight
        5.0
        """
        return float(self.n_rows if self.weight is None else self.weight.sum())

    @property
    def schema(self) -> tuple[Field, ...]:
        """The columns without their rows.

        Examples
        --------
        >>> import penjing
        >>> [field.kind for field in penjing.example("watermelon3.0").schema][-2:]
        ['numeric', 'numeric']
        """
        return tuple(column.field for column in self.columns)

    def column(self, name: str) -> Column:
        """Return a column by name, the target included.

        Examples
        --------
        >>> import penjing
        >>> penjing.example("fish").column("flippers").values()
        [1, 1, 0, 1, 1]
        """
        columns = [*self.columns, *([self.target] if self.target is not None else [])]
        for column in columns:
            if isinstance(name, str) and column.name == name:
                return column
        raise unknown_name_error("unknown_column", name, [c.name for c in columns])

    def row_number(self, row: int) -> int:
        """Return the number of a row in its source, from 1.

        Examples
        --------
        >>> import penjing
        >>> penjing.example("fish").take([3, 4]).row_number(0)
        4
        """
        if not is_whole(row) or not 0 <= row < self.n_rows:
            raise bad_value_error("no_row", "row", row, int, last=self.n_rows - 1)
        return int(row) + 1 if self.row_numbers is None else int(self.row_numbers[row])

    def row_id(self, row: int) -> Label | None:
        """Return the id of a row; None if the table has no id column.

        The id column is one that was left out as an id (the first whose name is that of an id),
        or the named index of a frame of pandas.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"No": 7, "a": 1, "y": "n"}, {"No": 15, "a": 2, "y": "m"}]
        >>> penjing.read(rows, "y", quiet=True).row_id(1)
        15
        """
        number = self.row_number(row)  # refuses rows that are not there
        if self.row_ids is None or number < 0:
            return None
        value: Label | None = self.row_ids.of(row)
        return value

    def take(self, rows: npt.ArrayLike) -> Table:
        """Return the table with only these rows (positions or a mask) and all its levels.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> fish.take([0, 1]).n_rows, fish.take([True, False, False, False, False]).n_rows
        (2, 1)
        """
        positions = self._row_positions(rows)
        numbers = np.arange(1, self.n_rows + 1) if self.row_numbers is None else self.row_numbers
        return replace(
            self,
            columns=tuple(column.take(positions) for column in self.columns),
            target=None if self.target is None else self.target.take(positions),
            n_rows=len(positions),
            weight=None if self.weight is None else self.weight[positions],
            row_numbers=numbers[positions],
            row_ids=None if self.row_ids is None else self.row_ids.take(positions),
        )

    def _row_positions(self, rows: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return the positions of rows, given as positions or as a mask."""
        try:
            array = np.asarray(rows)
            index = array.astype(np.intp) if array.size == 0 else array
            positions: npt.NDArray[np.intp] = np.arange(self.n_rows)[index]
        except (TypeError, ValueError, IndexError, RecursionError):
            raise bad_value_error(
                "bad_rows", "rows", rows, np.ndarray | list, n=self.n_rows
            ) from None
        if positions.ndim != 1:
            raise bad_value_error("bad_rows", "rows", rows, np.ndarray | list, n=self.n_rows)
        return positions

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each row as a dict of plain values, target included.

        Examples
        --------
        >>> import penjing
        >>> next(penjing.example("fish").rows())
        {'no surfacing': 1, 'flippers': 1, 'fish': 'yes'}
        """
        columns = [*self.columns, *([self.target] if self.target is not None else [])]
        names = [column.name for column in columns]
        for values in zip(*(column.values() for column in columns), strict=True):
            yield dict(zip(names, values, strict=True))


def round_to_float32(name: str, numbers: Floats) -> Floats:
    """Return numbers rounded to 32 bits; raise an error if one is too large."""
    with np.errstate(over="ignore"):
        rounded: Floats = numbers.astype(np.float32).astype(np.float64)
    if np.isinf(rounded).any():
        largest = float(numbers[np.nanargmax(np.abs(numbers))])
        raise DataError("too_large_single", column=name, value=largest)
    return rounded


def nominal(name: str, values: Iterable[Any], levels: Sequence[Any] | None = None) -> Column:
    """Return a nominal column from plain values; None is missing.

    Examples
    --------
    >>> nominal("texture", ["clear", "faint", "clear", None]).codes
    array([ 0,  1,  0, -1], dtype=int32)
    """
    distinct = dict.fromkeys(levels or ())
    values = list(values)
    distinct |= dict.fromkeys(value for value in values if value is not None)
    code_of = {level: code for code, level in enumerate(distinct)}
    codes = [MISSING if value is None else code_of[value] for value in values]
    return Column(name, "nominal", tuple(distinct), np.asarray(codes, np.int32))


def numeric(name: str, values: npt.ArrayLike) -> Column:
    """Return a numeric column from numbers; NaN is missing.

    Examples
    --------
    >>> numeric("density", [0.7, 0.2, float("nan"), 0.7]).codes
    array([ 1,  0, -1,  1], dtype=int32)
    """
    numbers = np.asarray(values, np.float64) + 0.0  # -0.0 and 0.0 are one value
    is_known = ~np.isnan(numbers)
    codes = np.full(len(numbers), MISSING, np.int32)
    levels, codes[is_known] = np.unique(numbers[is_known], return_inverse=True)
    return Column(name, "numeric", levels, codes)
