"""A column while it is being coded: how it is kept, and what has been met in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import Quantiles
from penjing.stored import Binned, Cells, Exact
from penjing.table import Codes, Column

NEVER = np.iinfo(np.int64).max
"""The first row of a value that was not met yet."""


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
        Bytes of an exact code.
    low, n_codes : int
        The least whole number, and how many codes there are, missing included.
    listed : list of int
        The few whole numbers that there are, ascending, where they lie too far apart for distances.
    is_bool : bool
        Whether texts stand for truth values.
    """

    name: str
    how: str
    width: int = 1
    low: int = 0
    n_codes: int = 1
    listed: list[int] = field(default_factory=list)
    is_bool: bool = False
    has_too_many: bool = False
    cells: Cells | None = None
    texts: dict[str, int] = field(default_factory=dict)
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    first: npt.NDArray[np.int64] = field(default_factory=lambda: np.full(1, NEVER))
    n_missing: int = 0
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
        plain: list[Any] = list(self.texts)
        return [text == "true" for text in plain] if self.is_bool else plain

    @property
    def order(self) -> npt.NDArray[np.intp]:
        """Which values occur, in order of their first appearance."""
        if self.is_binned:
            return np.empty(0, np.intp)
        first = self.first[1:]
        return np.argsort(first, kind="stable")[: int((first < NEVER).sum())]

    def files(self) -> dict[str, tuple[Path, Any]]:
        """Return the files of the column, and what they hold."""
        if self.how == "id":
            return {}
        stem = str(self.folder / f"c{self.place}")
        if not self.is_binned:
            return {"codes": (Path(stem + ".codes"), np.uint8 if self.width == 1 else np.uint16)}
        kinds = {"high": np.uint8, "raw": np.float64}
        return {name: (Path(f"{stem}.{name}"), kind) for name, kind in kinds.items()}

    def part(self) -> Exact | Binned:
        """Return where the rows are, mapped."""
        maps = {
            n: np.memmap(p, kind, "r", shape=(self.n_rows,))
            for n, (p, kind) in self.files().items()
        }
        if not self.is_binned:
            return Exact(maps["codes"], self.n_codes)
        assert self.cells is not None
        return Binned(maps["high"], maps["raw"], self.cells)

    def coder(self) -> Quantiles:
        """Return what turns numbers into codes."""
        if self._coder is None:
            assert self.cells is not None
            self._coder = self.cells.coder()
        return self._coder

    def shown(self, n: int) -> npt.NDArray[Any]:
        """Return an array of n rows that shows every value, in order of first appearance.

        Of binned numbers it shows some that make them look like what they are.
        """
        if self.is_binned:
            if self.n_missing == self.n_rows:
                return np.full(n, np.nan)
            found = np.resize(np.array([0.5, 1.5, 2.5]), n)
            return np.where(np.arange(n) == 1, np.nan, found) if self.n_missing else found
        if self.how == "id":
            return np.arange(1, n + 1)
        values, order = self.values, self.order
        shown = [values[i] for i in order.tolist()]
        gaps = np.zeros(n, np.bool_)
        gaps[len(shown)] = self.counts[0] > 0
        if self.counts[1:].max(initial=0) == 1:  # no value twice, nor here
            gaps[len(shown) :] = True
        if not shown:
            return np.ma.masked_array(np.zeros(n), np.ones(n, np.bool_))
        every = shown + [shown[0]] * (n - len(shown))
        kind = np.int64 if self.how == "whole" else (np.bool_ if self.is_bool else object)
        array = np.array(every, kind)
        return np.ma.masked_array(array, gaps) if gaps.any() else array

    def places(self, column: Column) -> Codes:
        """Return the level of each code, from a column that was judged by what is shown."""
        place = np.full(self.n_codes, -1, np.int32)
        order = self.order
        place[order + 1] = column.codes[: len(order)]
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
