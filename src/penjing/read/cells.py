"""What every source is turned into first: named columns of cells, not yet judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from penjing.table import Codes, Kind, Note

Declared = Kind | Literal["ignore", "date", "text"]


@dataclass(slots=False)
class Cells:
    """One column as it was found: distinct values, codes, and what its source says of it.

    Parameters
    ----------
    name : str
        The column's name.
    levels : list
        Its distinct values in order of first appearance, or as declared.
    codes : (n,) int32
        The place of each row's value in ``levels``, -1 where the source has none.
    is_written : bool
        Whether the values are text as somebody wrote it (a file), so that numbers, dates and
        missing markers have still to be recognised.
    declared : str or None
        The kind that the source itself gives (ARFF, .names, a frame's categories).
    fixed : bool
        Whether the order of ``levels`` was declared and others are a mistake.
    """

    name: str
    levels: list[Any]
    codes: Codes
    is_written: bool = True
    declared: Declared | None = None
    fixed: bool = False

    @cached_property
    def counts(self) -> np.ndarray[Any, np.dtype[np.intp]]:
        """How many rows show each level."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))

    @property
    def n_known(self) -> int:
        """How many rows have a value."""
        return int((self.codes >= 0).sum())

    @property
    def is_distinct(self) -> bool:
        """Whether no value occurs twice."""
        return bool(self.n_known) and int(self.counts.max()) == 1

    def first(self, level: int) -> int:
        """Return the number, from 1, of the first row that shows this level."""
        return int(np.argmax(self.codes == level)) + 1


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
    markers : bool
        Whether the usual missing markers apply; ARFF and .names have only ``?``.
    trusted : bool
        Whether the columns were chosen by hand (.names), so that none is taken for an id.
    """

    columns: list[Cells]
    n_rows: int
    source: dict[str, Any]
    notes: list[Note] = field(default_factory=list)
    target: str | None = None
    markers: bool = True
    trusted: bool = False

    @property
    def name(self) -> str:
        """How sentences call the source."""
        return str(self.source.get("name", "table"))

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [cells.name for cells in self.columns]

    def find(self) -> Mapping[str, Cells]:
        """Return the columns by name."""
        return {cells.name: cells for cells in self.columns}
