"""Exact cuts from coarse codes: a bound says which buckets could hide a better cut, and no others.

Of a node and a numeric column first only the counts of its quantile buckets are known. Each border
between two buckets is a cut. Inside a bucket no cut can be worth more than the best corner: every
class of the bucket wholly left or wholly right of the cut (a gain is convex in the sums of a
side). Buckets whose bound reaches the best cut are opened: first their cells are counted, then
the numbers in cells that are still open are fetched. What is left out cannot win, nor tie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.choosing import Candidates, first_best, score
from penjing.criteria import TIE, gains
from penjing.recipe import Recipe
from penjing.split import midpoint
from penjing.stored import BUCKETS, Binned
from penjing.table import Floats
from penjing.tally import Counts, Reader

MARGIN = 1e-9
"""What may be lost in the arithmetic of a bound, in parts of the impurity; far above TIE."""
FEW_CLASSES = 4
"""Up to so many classes all corners of a bucket are tried; with more a plainer bound serves."""
BYTES_A_NUMBER = 64
"""What a fetched number takes until it is counted."""

Keys = npt.NDArray[np.int64]
Ask = Callable[[set[int], list[tuple[int, Any, int, Any]]], Any]
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
        corners = np.array(list(product((0.0, 1.0), repeat=len(self._known))))
        sides = left[:, None] + corners * mine[:, None]
        after = np.stack([sides, self._known - sides], axis=2)
        flat = after.reshape(-1, 2, len(self._known))
        worth = gains(self._criterion, self._known, flat, self._s)
        reached[reached] = worth.reshape(len(left), -1).max(axis=1) >= bar
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


class Looker:
    """Looks into buckets and cells of many nodes and columns at once.

    Parameters
    ----------
    room : int
        How many bytes may be used at a time.
    k : int
        How many classes the store has; ``class_of`` says which class each of them is.
    by_ratio : bool
        Whether every column's own best cut is wanted, not only that of the best columns.
    """

    def __init__(self, room: int, k: int, class_of: Any, *, by_ratio: bool) -> None:  # noqa: ANN401
        self._room, self._k, self._class_of, self._by_ratio = room, k, class_of, by_ratio

    def bar(self, gain: Floats, i: int, cut: Cuts) -> float:
        """Return what a cut must be worth to be of interest."""
        row = gain[i]
        best = cut.best if self._by_ratio else (np.nan if np.isnan(row).all() else np.nanmax(row))
        return -np.inf if np.isnan(best) else float(best) - MARGIN * cut.impurity

    def look(
        self,
        cuts: dict[tuple[int, int], Cuts],
        gain: Floats,
        count_cells: Ask,
        fetch_numbers: Ask,
        n_slots: int,
    ) -> None:
        """Find the best cut of every column that may win its node."""
        for whole in (True, False):
            wanted = [
                (i, c, *unit)
                for (i, c), cut in cuts.items()
                for unit in cut.to_open(self.bar(gain, i, cut), whole=whole)
            ]
            for lot in self._lots(wanted, whole=whole):
                asked = _Asked(lot, n_slots)
                if whole:
                    self._cells(cuts, asked, count_cells(asked.nodes, asked.told(None)))
                else:
                    self._numbers(cuts, asked, fetch_numbers(asked.nodes, asked.told(asked.lows())))
            for (i, c), cut in cuts.items():
                cut.renew()
                gain[i, c] = cut.best

    def _lots(self, wanted: list[Any], *, whole: bool) -> Iterator[list[Any]]:
        lot: list[Any] = []
        filled = 0.0
        for unit in wanted:
            size = 256 * self._k * 4 * 4 if whole else unit[4] * BYTES_A_NUMBER
            if lot and filled + size > self._room:
                yield lot
                lot, filled = [], 0.0
            lot.append(unit)
            filled += size
        if lot:
            yield lot

    def _cells(self, cuts: dict[tuple[int, int], Cuts], asked: _Asked, tables: Any) -> None:  # noqa: ANN401
        for c, table in zip(asked.columns, tables, strict=True):
            shaped = table.reshape(-1, 256, self._k)
            for place, (i, at, _) in enumerate(asked.units[c]):
                cuts[i, c].open_bucket(at, self._by_class(shaped[place]))

    def _by_class(self, table: npt.NDArray[Any]) -> Floats:
        found = np.zeros((256, int(self._class_of.max()) + 1))
        for stored, class_ in enumerate(self._class_of.tolist()):
            if class_ >= 0:
                found[:, class_] += table[:, stored]
        return found

    def _numbers(self, cuts: dict[tuple[int, int], Cuts], asked: _Asked, found: Any) -> None:  # noqa: ANN401
        for c, (place, low, classes, numbers) in zip(asked.columns, found, strict=True):
            cell = place.astype(np.int64) * 256 + low
            order = np.argsort(cell, kind="stable")
            cells, start = np.unique(cell[order], return_index=True)
            parts = dict(zip(cells.tolist(), np.split(order, start[1:]), strict=True))
            for at_place, low_byte, i, at in asked.cells(c):
                rows = parts[at_place * 256 + low_byte]
                cuts[i, c].open_cell(at, numbers[rows], self._class_of[classes[rows]])


class _Asked:
    """Some units of some columns, as the passes want them."""

    def __init__(self, lot: list[Any], n_slots: int) -> None:
        self.units: dict[int, list[tuple[int, int, int]]] = {}
        for i, c, at, key, _ in lot:
            self.units.setdefault(c, []).append((i, at, key))
        self.columns = list(self.units)
        self.nodes = {unit[0] for unit in lot}
        self._places: dict[int, npt.NDArray[np.int32]] = {}
        self._n: dict[int, int] = {}
        for c, units in self.units.items():
            place = np.full(n_slots * 256, -1, np.int32)
            n = 0
            for i, _, key in units:
                bucket = i * 256 + key // 256
                if place[bucket] < 0:
                    place[bucket] = n
                    n += 1
            self._places[c], self._n[c] = place, n

    def told(self, wanted: dict[int, Any] | None) -> list[tuple[int, Any, int, Any]]:
        """Return what a pass takes."""
        return [
            (c, self._places[c], self._n[c], None if wanted is None else wanted[c])
            for c in self.columns
        ]

    def lows(self) -> dict[int, Any]:
        """Return which cells of the open buckets are wanted."""
        found = {}
        for c in self.columns:
            wanted = np.zeros(self._n[c] * 256, np.uint8)
            for place, low, _, _ in self.cells(c):
                wanted[place * 256 + low] = 1
            found[c] = wanted
        return found

    def cells(self, c: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield place, low byte, node and unit of each cell."""
        for i, at, key in self.units[c]:
            yield int(self._places[c][i * 256 + key // 256]), key % 256, i, at
