"""What every source is turned into first: named columns of cells, not yet judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing.errors import DataError
from penjing.table import Codes, Floats, Kind, Note

LONGEST = 200
"""Sentences quote cells up to this length."""

Declared = Kind | Literal["ignore", "date", "text"]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
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
    declared: Declared | None = None
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
        return self.n_known > 0 and int(self.counts().max()) == 1

    def plain(self) -> list[Any]:
        """Return the levels as plain values."""
        return self.levels.tolist() if isinstance(self.levels, np.ndarray) else [*self.levels]

    def row(self, level: int) -> int:
        """Return the number, from 1, of the first row that shows this level."""
        return int(np.argmax(self.codes == level)) + 1

    def first(self, odd: npt.NDArray[np.bool_]) -> int:
        """Return which of some levels the rows show first."""
        return int(self.codes[np.argmax(np.append(odd, False)[self.codes])])


@dataclass(slots=True)
class Sheet:
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

    columns: list[Cells]
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

    def by_name(self) -> dict[str, Cells]:
        """Return the columns by name."""
        return {cells.name: cells for cells in self.columns}


def twins(source: str, names: Sequence[str]) -> DataError:
    """Make the error for two columns of one name."""
    second = next(place for place, name in enumerate(names) if name in names[:place])
    return DataError(
        "duplicate_column",
        source=source,
        column=names[second],
        first=names.index(names[second]) + 1,
        second=second + 1,
    )


def short(value: Any) -> Any:  # noqa: ANN401 - a cell may be anything
    """Return a value as it fits into a sentence: text of a page or more is cut."""
    if isinstance(value, str) and len(value) > LONGEST:
        return value[:LONGEST] + "…"
    return value
