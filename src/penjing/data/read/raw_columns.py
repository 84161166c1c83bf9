"""Raw columns: what every reader returns, before types and missing markers are inferred."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing._core import encode_integers
from penjing.data.lazy_column import LazyColumn
from penjing.data.read.dictionary import encode_numbers
from penjing.data.read.ids import are_consecutive
from penjing.data.row_ids import RowIds
from penjing.data.table import Codes, Floats, Kind, Note
from penjing.errors import DataError

MAX_EXACT_INTEGER = 2**53
"""Integers up to this are exact as doubles."""

N_PARTS = 64
"""A column is checked in so many parts; the check stops at the first part that decides."""

EAGER_CHECK_SIZE = 100_000
"""Up to this many numbers are checked while reading; larger columns at their first use."""

MAX_QUOTED_LENGTH = 200
"""Messages quote texts up to this length."""

DeclaredKind = Kind | Literal["ignore", "date", "text"]


@dataclass(frozen=True, slots=True, eq=False)
class RawColumn:
    """A column of a source: distinct values, codes, and the type that the source declares.

    Parameters
    ----------
    name : str
        The column's name.
    levels : list or array
        Its distinct values in order of first appearance, or as declared. Texts are unchanged:
        numbers, dates and missing markers are not recognised yet. An array has the sorted
        numbers of a column of a numeric type.
    codes : (n,) int32
        The position of each row's value in ``levels``, -1 if it is missing.
    declared : str or None
        The kind that the source declares (ARFF, .names, a frame's categories).
    is_fixed : bool
        Whether the source declares the levels, too.
    """

    name: str
    levels: Sequence[Any] | npt.NDArray[Any]
    codes: Codes
    declared: DeclaredKind | None = None
    is_fixed: bool = False

    @property
    def is_typed(self) -> bool:
        """Whether the levels are an array of numbers."""
        return isinstance(self.levels, np.ndarray)

    @property
    def n_known(self) -> int:
        """The number of rows with a value."""
        return int((self.codes >= 0).sum())

    def counts(self) -> npt.NDArray[np.intp]:
        """Return the number of rows of each level."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))

    def is_distinct(self) -> bool:
        """Return whether no value occurs twice."""
        n = self.n_known
        return 0 < n <= len(self.levels) and int(self.counts().max()) == 1

    def plain_levels(self) -> list[Any]:
        """Return the levels as plain Python values."""
        return self.levels.tolist() if isinstance(self.levels, np.ndarray) else [*self.levels]

    def integer_codes(self) -> tuple[npt.NDArray[np.int64], Codes] | None:
        """Return levels in order of appearance and codes if this is an array of few integers."""
        return None

    def first_row_number(self, level: int) -> int:
        """Return the number, from 1, of the first row with this level."""
        return self.row_number(int(np.argmax(self.codes == level)))

    def row_number(self, row: int) -> int:
        """Return the number, from 1, of a row in the source."""
        return row + 1

    def are_consecutive(self, integers: Floats) -> bool:
        """Return whether the rows are consecutive integers, given the integer of each level."""
        return are_consecutive(integers, self.codes)

    def with_levels(self, levels: Sequence[Any], codes: Codes) -> RawColumn:
        """Return the column with other levels."""
        return replace(self, levels=levels, codes=codes)

    def first_shown(self, is_wanted: npt.NDArray[np.bool_]) -> int:
        """Return the wanted level that comes first in the rows."""
        return int(self.codes[np.argmax(np.append(is_wanted, False)[self.codes])])


class RawNumbers(RawColumn):
    """A column of an array of numbers, which are ranked only when levels or codes are needed.

    Parameters
    ----------
    name : str
        The column's name.
    raw : (n,) array of integers or floats
        Its values; NaN is missing.
    is_whole : bool
        Whether all of them are known to be finite.
    """

    __slots__ = ("_coded", "_integers", "is_whole", "raw")

    raw: npt.NDArray[Any]
    is_whole: bool
    _coded: tuple[npt.NDArray[Any], Codes] | None
    _integers: tuple[npt.NDArray[np.int64], Codes] | None

    def __init__(self, name: str, raw: npt.NDArray[Any], *, is_whole: bool = False) -> None:
        set_field = object.__setattr__  # one by one, since a loop is slow for small tables
        set_field(self, "name", name)
        set_field(self, "declared", None)
        set_field(self, "is_fixed", False)
        set_field(self, "is_whole", is_whole)
        set_field(self, "raw", raw)
        set_field(self, "_coded", None)
        set_field(self, "_integers", None)

    def _encode(self) -> tuple[npt.NDArray[Any], Codes]:
        if self._coded is None:
            object.__setattr__(self, "_coded", encode_numbers(self.raw))
        assert self._coded is not None
        return self._coded

    @property
    def levels(self) -> npt.NDArray[Any]:
        """The sorted distinct numbers."""
        return self._encode()[0]

    @property
    def codes(self) -> Codes:
        """The rank of each row's number."""
        return self._encode()[1]

    @property
    def is_typed(self) -> bool:
        """Whether the levels are an array of numbers."""
        return True

    def with_levels(self, levels: Sequence[Any], codes: Codes) -> RawColumn:
        """Return the column with other levels."""
        return RawColumn(self.name, levels, codes)

    def integer_codes(self) -> tuple[npt.NDArray[np.int64], Codes] | None:
        """Return levels in order of appearance and codes if this is an array of few integers."""
        if self.raw.dtype.kind not in "iu" or self.raw.dtype == np.uint64:
            return None
        if self._integers is None:
            encoded = encode_integers(np.ascontiguousarray(self.raw, np.int64))
            object.__setattr__(self, "_integers", encoded)
        return self._integers

    def as_lazy_column(self, source: str) -> LazyColumn | None:
        """Return a numeric column if no levels are needed to infer that it is one.

        None if the column may be empty, an id, or categorical (two distinct integers).
        """
        raw = self.raw
        if not raw.size:
            return None
        if raw.dtype.kind == "f":
            column = LazyColumn(self.name, np.asarray(raw, np.float64), source)
            if self.is_whole:
                column.mark_finite()
                return column
            if np.isnan(raw[0]) and np.isnan(raw).all():
                return None
            if raw.size <= EAGER_CHECK_SIZE and raw.strides[0] == raw.itemsize:
                column.check_finite()  # strided columns are checked by the engine
            return column
        smallest, largest = int(raw.min()), int(raw.max())
        is_exact = max(abs(smallest), abs(largest)) <= MAX_EXACT_INTEGER
        may_be_id = largest - smallest + 1 >= len(raw)
        if not is_exact or may_be_id or not ((raw != smallest) & (raw != largest)).any():
            return None
        return LazyColumn(self.name, raw.astype(np.float64), source)

    def as_numeric_target(self, source: str) -> LazyColumn | None:
        """Return the column as a numeric target if it has fractions and no missing value."""
        raw = self.raw
        if raw.dtype.kind != "f" or not np.isfinite(raw).all():
            return None
        if all((part == np.floor(part)).all() for part in np.array_split(raw, N_PARTS)):
            return None
        column = LazyColumn(self.name, np.asarray(raw, np.float64), source)
        column.mark_finite()
        return column


@dataclass(slots=True)
class RawTable:
    """All columns of a source, and the notes about reading it.

    Parameters
    ----------
    columns : list of Cells
        In the order of the source.
    n_rows : int
        The number of rows.
    source : dict
        name, form, encoding, separator and so on, as far as they apply.
    notes : list of Note
        Decisions made while decoding and splitting the text.
    target : str or None
        The target that the source declares.
    has_usual_markers : bool
        Whether the usual missing markers apply; ARFF and .names have only ``?``.
    is_chosen : bool
        Whether the columns were chosen by hand (.names), so that none is left out as an id.
    weight, row_numbers : array or None
        As in a Table, if the source is one.
    row_ids : RowIds or None
        The ids of the rows, if the source has them beside its columns: a named index.
    """

    columns: list[RawColumn]
    n_rows: int
    source: dict[str, Any]
    notes: list[Note] = field(default_factory=list)
    target: str | None = None
    has_usual_markers: bool = True
    is_chosen: bool = False
    weight: Floats | None = None
    row_numbers: npt.NDArray[np.int64] | None = None
    row_ids: RowIds | None = None

    @property
    def name(self) -> str:
        """The name of the source in messages."""
        return str(self.source["name"])

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [cells.name for cells in self.columns]

    def by_name(self) -> dict[str, RawColumn]:
        """Return the columns by name."""
        return {cells.name: cells for cells in self.columns}


def duplicate_column_error(source: str, names: Sequence[str]) -> DataError:
    """Return the error for two columns of the same name."""
    second = next(position for position, name in enumerate(names) if name in names[:position])
    return DataError(
        "duplicate_column",
        source=source,
        column=names[second],
        first=names.index(names[second]) + 1,
        second=second + 1,
    )


def truncate_text(value: Any) -> Any:  # noqa: ANN401 - any cell
    """Return a value for a message; long text is truncated."""
    if isinstance(value, str) and len(value) > MAX_QUOTED_LENGTH:
        return value[:MAX_QUOTED_LENGTH] + "…"
    return value
