"""Exact cuts from coarse codes: a bound says which buckets could hide a better cut, and no others.

Of a node and a numeric column first only the counts of its quantile buckets are known. Each border
between two buckets is a cut. Buckets whose bound (cpp/grow/histogram_splits.hpp) reaches the best
cut are opened: first their cells are counted, then the numbers in cells that are still open are
fetched (:mod:`penjing.engines.out_of_core.bucket_requests`). What is left out cannot win, nor tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.data.store import N_BUCKETS, QuantileCells
from penjing.data.table import Floats
from penjing.tree.split import midpoint

Keys = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The best cut of a column in a node.

    Parameters
    ----------
    cut : float
        Where it is; half-way between ``low`` and ``high``.
    low, high : float
        The numbers of the node's rows on both sides of it; NaN where it cannot win anyway.
    after : (2, S)
        The sums of both sides.
    """

    cut: float
    low: float
    high: float
    after: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Judging:
    """How the cuts of a node are judged.

    Parameters
    ----------
    measure : str
        What C++ calls the criterion.
    min_branch : float
        The least weight of a branch.
    known : (S,)
        The sums of the node; nothing is missing.
    impurity : float
        That of the node.
    """

    measure: str
    min_branch: float
    known: Floats
    impurity: float


class Alone:
    """The numbers that have a place of their own: (256, 256) by cell, (256,) by bucket; else NaN.

    Parameters
    ----------
    cells : Cells
        Those of the column.
    """

    def __init__(self, cells: QuantileCells) -> None:
        self.by_cell, self.by_bucket = cells.values(), cells.single_values()


class Cuts:
    """The cuts of one column in one node, as far as they are known.

    Parameters
    ----------
    table : (256, S)
        The sums of its buckets.
    alone : Alone
        The numbers that have a cell or a bucket of their own.
    judging : Judging
        How cuts are judged, and the node.
    """

    def __init__(self, table: npt.NDArray[Any], alone: Alone, judging: Judging) -> None:
        self._alone = alone
        self._measure, self._min_branch = judging.measure, judging.min_branch
        self._known, self.impurity = judging.known, judging.impurity
        present = np.flatnonzero(table[:N_BUCKETS].any(axis=1))
        self._key: Keys = present * 256
        self._counts = table[present].astype(np.float64)
        self._value = alone.by_bucket[present]
        self._is_whole = np.isnan(self._value)
        self._new: dict[int, tuple[Keys, Floats, Floats]] = {}
        self._judge()

    def _judge(self) -> None:
        self._at, self._gain = _core.judge_cuts(self._counts, self._measure, self._min_branch)
        self._single = (~np.isnan(self._value)).view(np.uint8)
        self.best = float(np.nanmax(self._gain)) if self._at >= 0 else np.nan

    def _of_interest(self, bar: float) -> npt.NDArray[np.bool_]:
        """Return which units may hold a cut that reaches the bar, or stand beside one."""
        return _core.open_units(self._counts, self._measure, self._gain, self._single, bar).view(
            np.bool_
        )

    def n_open(self, bar: float) -> float:
        """Return how many rows lie in buckets that would have to be opened."""
        return float(self._counts[self._of_interest(bar)].sum())

    def to_open(self, bar: float, *, whole: bool) -> list[tuple[int, int, float]]:
        """Return the units to open: their place, key, and how many rows they have."""
        if whole not in self._is_whole:
            return []
        places = np.flatnonzero(self._of_interest(bar) & (self._is_whole == whole))
        if not len(places):
            return []
        rows = self._counts[places].sum(axis=1)
        keys = self._key[places]
        return list(zip(places.tolist(), keys.tolist(), rows.tolist(), strict=True))

    def open_bucket(self, place: int, cells: Floats) -> None:
        """Put a bucket's cells, (256, S), in its place."""
        low = np.flatnonzero(cells.any(axis=1))
        high = int(self._key[place]) // 256
        self._new[place] = (
            high * 256 + low,
            cells[low].astype(np.float64),
            self._alone.by_cell[high, low],
        )

    def open_cell(self, place: int, numbers: Floats, classes: npt.NDArray[Any]) -> None:
        """Put the numbers of a cell's rows in its place."""
        values, at = np.unique(numbers, return_inverse=True)
        counts = np.zeros((len(values), len(self._known)))
        np.add.at(counts, (at, classes), 1.0)
        self._new[place] = np.full(len(values), self._key[place]), counts, values

    def renew(self) -> None:
        """Judge again what was opened."""
        if not self._new:
            return
        keys, counts, values, whole = [], [], [], []
        start = 0
        for place in sorted(self._new):
            new = self._new[place]
            kept = slice(start, place)
            keys += [self._key[kept], new[0]]
            counts += [self._counts[kept], new[1]]
            values += [self._value[kept], new[2]]
            whole += [self._is_whole[kept], np.zeros(len(new[0]), np.bool_)]
            start = place + 1
        keys.append(self._key[start:])
        counts.append(self._counts[start:])
        values.append(self._value[start:])
        whole.append(self._is_whole[start:])
        self._key, self._counts = np.concatenate(keys), np.concatenate(counts)
        self._value, self._is_whole = np.concatenate(values), np.concatenate(whole)
        self._new = {}
        self._judge()

    def found(self) -> Found | None:
        """Return the best cut, None where the column cannot be cut."""
        at = self._at
        if at < 0:
            return None
        low, high = float(self._value[at]), float(self._value[at + 1])
        cut = 0.0 if np.isnan(low + high) else midpoint(low, high)
        below = self._counts[: at + 1].sum(axis=0)
        return Found(cut, low, high, np.stack([below, self._known - below]))
