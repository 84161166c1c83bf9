"""A column while it is encoded: its form in the store, and the values met so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import Quantiles
from penjing.data import store as data_store
from penjing.data.read.arrow_kinds import parse_texts
from penjing.data.read.dictionary import encode_numbers
from penjing.data.read.ids import MIN_ROWS_ANY_START, are_consecutive
from penjing.data.read.raw_columns import RawColumn, RawNumbers
from penjing.data.store import BinnedNumbers, ExactCodes
from penjing.data.table import MISSING, Codes, Column, Floats

NEVER = MOST = np.iinfo(np.int64).max
"""The first row of a value that was not met yet."""
WIDTHS: dict[int, Any] = {1: np.uint8, 2: np.uint16, 4: np.uint32}
"""The kinds of codes by their bytes."""
MANY = 100
"""More distinct numbers than classes are."""


@dataclass(frozen=True, slots=True, eq=False)
class Shown(RawColumn):
    """A column of which each value is shown once.

    Parameters
    ----------
    times : (n,) int64
        How many rows of the source each row here stands for.
    rows : (n,) int64
        The first of them, from 0; ascending.
    """

    times: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    rows: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def n_known(self) -> int:
        """How many rows have a value."""
        return int(self.times[self.codes >= 0].sum())

    def counts(self) -> npt.NDArray[np.intp]:
        """Return how many rows show each level."""
        known = self.codes >= 0
        sums = np.zeros(len(self.levels), np.intp)
        np.add.at(sums, self.codes[known], self.times[known])
        return sums

    def row_number(self, row: int) -> int:
        """Return the number, from 1, of one of these rows in the source."""
        return int(self.rows[row]) + 1

    def counts_up(self, integers: Floats) -> bool:
        """Say whether the rows show consecutive integers: each once, so in the order of these."""
        return bool((self.times == 1).all()) and are_consecutive(integers, self.codes)


@dataclass(slots=True)
class Coded:
    """A column while it is being coded.

    Parameters
    ----------
    name : str
        The column's name.
    how : str
        ``binned`` numbers, ``whole`` numbers by their distance from ``low``, ``texts``, or an
        ``id``, which is not kept.
    width : int
        Bytes of an exact code: one, two or four.
    low, n_codes : int
        The least whole number, and how many codes there are, missing included.
    listed : list of int
        The few whole numbers that there are, ascending, where they lie too far apart for distances.
    kind : str
        What texts stand for, as in :mod:`penjing.data.read.arrow_kinds`.
    few : list of float
        The distinct numbers of a binned column that may be the target, if they are few.
    """

    name: str
    how: str
    width: int = 1
    low: int = 0
    n_codes: int = 1
    listed: list[int] = field(default_factory=list)
    kind: str = "text"
    few: list[float] = field(default_factory=list)
    cells: data_store.QuantileCells | None = None
    texts: dict[str, int] = field(default_factory=dict)
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    first: npt.NDArray[np.int64] = field(default_factory=lambda: np.full(1, NEVER))
    n_missing: int = 0
    infinite: tuple[int, float] | None = None
    folder: Path = Path()
    place: int = 0
    n_rows: int = 0
    _coder: Quantiles | None = None

    @property
    def is_binned(self) -> bool:
        """Whether it is kept as quantile cells beside the numbers."""
        return self.how == "binned"

    @property
    def values(self) -> list[Any]:
        """The value of each code but the first, which is missing."""
        if self.how == "id":
            return []
        if self.how == "whole":
            return self.listed or list(range(self.low, self.low + self.n_codes - 1))
        return parse_texts(list(self.texts), self.kind)

    @property
    def order(self) -> npt.NDArray[np.intp]:
        """Which codes occur, in order of their first appearance; 0 is missing."""
        return np.argsort(self.first, kind="stable")[: int((self.first < NEVER).sum())]

    def files(self) -> dict[str, tuple[Path, Any]]:
        """Return the files of the column, and what they hold."""
        if self.how == "id":
            return {}
        stem = str(self.folder / f"c{self.place}")
        if not self.is_binned:
            return {"codes": (Path(stem + ".codes"), WIDTHS[self.width])}
        kinds = {"high": np.uint8, "raw": np.float64}
        return {name: (Path(f"{stem}.{name}"), kind) for name, kind in kinds.items()}

    def part(self) -> ExactCodes | BinnedNumbers:
        """Return where the rows are, mapped."""
        maps = {
            n: np.memmap(p, kind, "r", shape=(self.n_rows,))
            for n, (p, kind) in self.files().items()
        }
        if not self.is_binned:
            return ExactCodes(maps["codes"], self.n_codes)
        assert self.cells is not None
        return BinnedNumbers(maps["high"], maps["raw"], self.cells)

    def coder(self) -> Quantiles:
        """Return what turns numbers into codes."""
        if self._coder is None:
            assert self.cells is not None
            self._coder = self.cells.coder()
        return self._coder

    def shown(self) -> RawColumn:
        """Return the column for the judges: a row for each value, and how often it occurs.

        Of binned numbers it shows some that make them look like what they are.
        """
        if self.how == "id" and self.kind == "text":
            return RawColumn(
                self.name,
                [*map("n{}".format, range(MIN_ROWS_ANY_START))],
                np.arange(MIN_ROWS_ANY_START, dtype="i4"),
            )
        if self.how == "id":
            return RawNumbers(self.name, np.arange(MIN_ROWS_ANY_START))
        if self.is_binned:
            return self._binned()
        order = self.order
        is_known = order > 0
        values = self.values
        codes = np.full(len(order), MISSING, np.int32)
        levels: Any = [values[code - 1] for code in order[is_known].tolist()]
        codes[is_known] = np.arange(len(levels))
        if self.how == "whole":
            kind = np.uint64 if any(level > MOST for level in levels) else np.int64
            levels, codes[is_known] = encode_numbers(np.array(levels, kind))
        return Shown(self.name, levels, codes, None, False, self.counts[order], self.first[order])

    def _binned(self) -> RawColumn:
        """Return numbers as many, and of as many kinds, as matter: one that is infinite included.

        They are fractions: whole numbers of two kinds, or that count rows, are not binned.
        """
        if self.n_missing == self.n_rows:
            return RawNumbers(self.name, np.full(1, np.nan))
        if self.infinite is not None:
            row, value = self.infinite
            one = np.ones(1, np.int64)
            return Shown(self.name, [value], np.zeros(1, np.int32), None, False, one, one * row)
        numbers = np.array(self.few) if self.few else np.arange(MANY) + 0.5
        return RawNumbers(self.name, np.append(numbers, [np.nan] * (self.n_missing > 0)))

    def places(self, column: Column) -> Codes:
        """Return the level of each code, from a column that was judged by what is shown."""
        place = np.full(self.n_codes, MISSING, np.int32)
        place[self.order] = column.codes
        return place

    def count_of(self, codes: npt.NDArray[np.bool_]) -> int:
        """Return how many rows have one of these codes."""
        return int(self.counts[codes].sum())

    def extended(self, n_codes: int) -> None:
        """Make room for new codes."""
        more = n_codes - len(self.counts)
        if more > 0:
            self.counts = np.append(self.counts, np.zeros(more, np.int64))
            self.first = np.append(self.first, np.full(more, NEVER))
        self.n_codes = max(self.n_codes, n_codes)
