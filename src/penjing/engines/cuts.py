"""Exact cuts from coarse codes: a bound says which buckets could hide a better cut, and no others.

Of a node and a numeric column first only the counts of its quantile buckets are known. Each border
between two buckets is a cut. Buckets whose bound (:mod:`penjing.engines.bound`) reaches the best
cut are opened: first their cells are counted, then the numbers in cells that are still open are
fetched (:mod:`penjing.engines.looking`). What is left out cannot win, nor tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.choosing import Candidates, first_best, score
from penjing.criteria import TIE, gains
from penjing.engines.bound import most_inside
from penjing.recipe import Recipe
from penjing.split import midpoint
from penjing.stored import BUCKETS, Binned
from penjing.table import Floats
from penjing.tally import Counts, Reader

FEW_CLASSES = 4
"""Up to so many classes all corners of a bucket are tried; with more a plainer bound serves."""

Keys = npt.NDArray[np.int64]
_NO_SIDES = np.empty((0, 0), np.int64)
_NO_CODES = np.empty(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The best cut of a column in a node.

    Parameters
    ----------
    gain, cut : float
        What it is worth, and where it is; half-way between ``low`` and ``high``.
    low, high : float
        The numbers of the node's rows on both sides of it; NaN where it cannot win anyway.
    after : (2, S)
        The sums of both sides.
    cell : (int, int)
        The bytes of the cell that the cut falls into.
    """

    gain: float
    cut: float
    low: float
    high: float
    after: Floats
    cell: tuple[int, int]


class Cuts:
    """The cuts of one column in one node, as far as they are known.

    Parameters
    ----------
    part : Binned
        The column.
    table : (256, S)
        The sums of its buckets.
    alone : (256, 256)
        The number of each cell that holds only one.
    recipe, s
        How cuts are judged.
    """

    def __init__(
        self, part: Binned, table: npt.NDArray[Any], alone: Floats, recipe: Recipe, s: Reader
    ) -> None:
        self._part, self._alone, self._recipe, self._s = part, alone, recipe, s
        self._criterion = recipe.measure()
        present = np.flatnonzero(table[:BUCKETS].any(axis=1))
        self._key: Keys = present * 256
        self._counts = table[present].astype(np.float64)
        self._is_whole = np.ones(len(present), np.bool_)
        self._value = np.full(len(present), np.nan)
        self._new: dict[int, tuple[Keys, Floats, Floats]] = {}
        self._known = self._counts.sum(axis=0)
        self.impurity = float(self._criterion.impurity(self._known, s))
        self._judge()

    def _judge(self) -> None:
        below = np.cumsum(self._counts, axis=0)[:-1]
        self._after = np.stack([below, self._known - below], axis=1)
        counts = Counts(_NO_CODES, self._counts, np.zeros_like(self._known))
        told = Candidates(self._after, np.empty(0), _NO_SIDES)
        self._scored = score(self._criterion, counts, told, self._recipe, self._s)
        some = self._scored.size and not np.isnan(self._scored).all()
        self._bound: Floats | None = None
        self.best = float(np.nanmax(self._scored)) if some else np.nan

    def _plain_bounds(self) -> Floats:
        """Return what no cut inside a unit can better, as if its classes were parts of their own.

        -inf where there is no cut inside.
        """
        if self._bound is None:
            inside = np.isnan(self._value) & (self._counts.sum(axis=1) > 1)
            self._before = np.cumsum(self._counts, axis=0) - self._counts
            after = np.stack([self._before, self._known - self._before - self._counts], axis=1)
            worth = gains(self._criterion, self._known, after, self._s)
            self._bound = np.where(inside, worth, -np.inf)
        return self._bound

    def _may_hide(self, bar: float) -> npt.NDArray[np.bool_]:
        """Return which units may hold a cut that reaches the bar: roughly, then by corners."""
        reached = np.asarray(self._plain_bounds() >= bar)
        if len(self._known) > FEW_CLASSES or not reached.any():
            return reached
        left, mine = self._before[reached], self._counts[reached]
        reached[reached] = most_inside(self._criterion, self._known, left, mine, self._s) >= bar
        return reached

    def _of_interest(self, bar: float) -> npt.NDArray[np.bool_]:
        """Return which units may hold a cut that reaches the bar, or stand beside one."""
        reached = self._may_hide(bar)
        near = np.flatnonzero(self._scored >= bar) if self._scored.size else np.empty(0, np.intp)
        reached[near] = True
        reached[near + 1] = True
        return np.asarray(reached & np.isnan(self._value))

    def n_open(self, bar: float) -> float:
        """Return how many rows lie in buckets that would have to be opened."""
        return float(self._counts[self._of_interest(bar)].sum())

    def to_open(self, bar: float, *, whole: bool) -> list[tuple[int, int, float]]:
        """Return the units to open: their place, key, and how many rows they have."""
        if whole not in self._is_whole:
            return []
        places = np.flatnonzero(self._of_interest(bar) & (self._is_whole == whole))
        rows = self._counts[places].sum(axis=1)
        keys = self._key[places]
        return list(zip(places.tolist(), keys.tolist(), rows.tolist(), strict=True))

    def open_bucket(self, place: int, cells: Floats) -> None:
        """Put a bucket's cells, (256, S), in its place."""
        low = np.flatnonzero(cells.any(axis=1))
        high = int(self._key[place]) // 256
        self._new[place] = high * 256 + low, cells[low].astype(np.float64), self._alone[high, low]

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
        if np.isnan(self.best):
            return None
        at = first_best(self._scored, self.impurity * TIE)
        low, high = float(self._value[at]), float(self._value[at + 1])
        cut = 0.0 if np.isnan(low + high) else midpoint(low, high)
        cells = self._part.cells
        cell = int(np.searchsorted(cells.edges, cut, side="right"))
        bytes_ = int(cells.high[cell]), int(cells.low[cell])
        return Found(float(self._scored[at]), cut, low, high, self._after[at], bytes_)
