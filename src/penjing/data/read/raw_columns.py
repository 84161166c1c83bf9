"""What every source is turned into first: named columns of cells, not yet judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing._core import code_whole
from penjing.data.lazy_column import LazyColumn
from penjing.data.read.dictionary import encode_numbers
from penjing.data.read.ids import are_consecutive
from penjing.data.table import Codes, Floats, Kind, Note
from penjing.errors import DataError

MAX_EXACT_INTEGER = 2**53
"""Whole numbers up to this are floats without loss."""

N_PARTS = 64
"""Of how many parts of a column only the first is looked at, where that tells enough."""

EAGER_CHECK_SIZE = 100_000
"""Up to so many numbers are checked while reading; more of them when they are first used."""

MAX_QUOTED_LENGTH = 200
"""Sentences quote cells up to this length."""

DeclaredKind = Kind | Literal["ignore", "date", "text"]


@dataclass(frozen=True, slots=True, eq=False)
class RawColumn:
    """One column as it was found: distinct values, codes, and what its source says of it.

    Parameters
    ----------
    name : str
        The column's name.
    levels : list or array
        Its distinct values in order of first appearance, or as declared. Text is as somebody
        wrote it, so numbers, dates and missing markers have still to be recognised; an array
        holds the sorted numbers of a column that was typed as numbers.
    codes : (n,) int32
        The place of each row's value in ``levels``, -1 where the source has none.
    declared : str or None
        The kind that the source itself gives (ARFF, .names, a frame's categories).
    is_fixed : bool
        Whether the levels were declared too, in this order.
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
        """How many rows have a value."""
        return int((self.codes >= 0).sum())

    def counts(self) -> npt.NDArray[np.intp]:
        """Return how many rows show each level."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))

    def is_distinct(self) -> bool:
        """Say whether no value occurs twice."""
        n = self.n_known
        return 0 < n <= len(self.levels) and int(self.counts().max()) == 1

    def plain_levels(self) -> list[Any]:
        """Return the levels as plain values."""
        return self.levels.tolist() if isinstance(self.levels, np.ndarray) else [*self.levels]

    def integer_codes(self) -> tuple[npt.NDArray[np.int64], Codes] | None:
        """Return levels as they first appear, and codes, if this is an array of few integers."""
        return None

    def first_row_number(self, level: int) -> int:
        """Return the number, from 1, of the first row that shows this level."""
        return self.row_number(int(np.argmax(self.codes == level)))

    def row_number(self, row: int) -> int:
        """Return the number, from 1, of one of these rows in the source."""
        return row + 1

    def are_consecutive(self, integers: Floats) -> bool:
        """Say whether the rows show consecutive integers, given that of each level."""
        return are_consecutive(integers, self.codes)

    def with_levels(self, levels: Sequence[Any], codes: Codes) -> RawColumn:
        """Return the column with other levels."""
        return replace(self, levels=levels, codes=codes)

    def first_shown(self, odd: npt.NDArray[np.bool_]) -> int:
        """Return which of some levels the rows show first."""
        return int(self.codes[np.argmax(np.append(odd, False)[self.codes])])


class RawNumbers(RawColumn):
    """A column of numbers as an array had them; ranked only if somebody asks for codes.

    Parameters
    ----------
    name : str
        The column's name.
    raw : (n,) array of integers or floats
        Its values; NaN is missing.
    is_whole : bool
        Whether somebody has seen that all of them are there and finite.
    """

    __slots__ = ("_coded", "is_whole", "raw")

    raw: npt.NDArray[Any]
    is_whole: bool
    _coded: tuple[npt.NDArray[Any], Codes] | None

    def __init__(self, name: str, raw: npt.NDArray[Any], *, is_whole: bool = False) -> None:
        put = object.__setattr__  # one by one: a loop costs small tables their time
        put(self, "name", name)
        put(self, "declared", None)
        put(self, "is_fixed", False)
        put(self, "is_whole", is_whole)
        put(self, "raw", raw)
        put(self, "_coded", None)

    def _made(self) -> tuple[npt.NDArray[Any], Codes]:
        if self._coded is None:
            object.__setattr__(self, "_coded", encode_numbers(self.raw))
        assert self._coded is not None
        return self._coded

    @property
    def levels(self) -> npt.NDArray[Any]:
        """The sorted distinct numbers."""
        return self._made()[0]

    @property
    def codes(self) -> Codes:
        """The rank of each row's number."""
        return self._made()[1]

    @property
    def is_typed(self) -> bool:
        """Whether the levels are an array of numbers."""
        return True

    def with_levels(self, levels: Sequence[Any], codes: Codes) -> RawColumn:
        """Return the column with other levels."""
        return RawColumn(self.name, levels, codes)

    def integer_codes(self) -> tuple[npt.NDArray[np.int64], Codes] | None:
        """Return levels as they first appear, and codes, if this is an array of few integers."""
        if self.raw.dtype.kind not in "iu" or self.raw.dtype == np.uint64:
            return None
        return code_whole(np.ascontiguousarray(self.raw, np.int64))

    def as_lazy_column(self, source: str) -> LazyColumn | None:
        """Return the column if it plainly is one of numbers; None if levels have to be seen.

        That is: it may be all gaps, be an id, or whole numbers of two kinds, which are names.
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
                column.check_finite()  # of a column far apart in memory the engine tells
            return column
        low, high = int(raw.min()), int(raw.max())
        is_exact = max(abs(low), abs(high)) <= MAX_EXACT_INTEGER
        may_be_id = high - low + 1 >= len(raw)
        if not is_exact or may_be_id or not ((raw != low) & (raw != high)).any():
            return None
        return LazyColumn(self.name, raw.astype(np.float64), source)

    def as_numeric_target(self, source: str) -> LazyColumn | None:
        """Return the column if it is a target of numbers, whatever levels it has, none missing."""
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
    """All columns of a source, with what was noted on the way.

    Parameters
    ----------
    columns : list of Cells
        In the order of the source.
    n_rows : int
        The number of rows.
    source : dict
        name, form, encoding, separator … whatever applies.
    notes : list of Note
        What was decided while decoding and dividing.
    target : str or None
        The target that the source itself names.
    has_usual_markers : bool
        Whether the usual missing markers apply; ARFF and .names have only ``?``.
    is_chosen : bool
        Whether the columns were chosen by hand (.names), so that none is taken for an id.
    weight, row_numbers : array or None
        As in a table, where the source is one.
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

    @property
    def name(self) -> str:
        """How sentences call the source."""
        return str(self.source["name"])

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [cells.name for cells in self.columns]

    def by_name(self) -> dict[str, RawColumn]:
        """Return the columns by name."""
        return {cells.name: cells for cells in self.columns}


def duplicate_column_error(source: str, names: Sequence[str]) -> DataError:
    """Make the error for two columns of one name."""
    second = next(place for place, name in enumerate(names) if name in names[:place])
    return DataError(
        "duplicate_column",
        source=source,
        column=names[second],
        first=names.index(names[second]) + 1,
        second=second + 1,
    )


def truncate_text(value: Any) -> Any:  # noqa: ANN401 - a cell may be anything
    """Return a value as it fits into a sentence: text of a page or more is cut."""
    if isinstance(value, str) and len(value) > MAX_QUOTED_LENGTH:
        return value[:MAX_QUOTED_LENGTH] + "…"
    return value
