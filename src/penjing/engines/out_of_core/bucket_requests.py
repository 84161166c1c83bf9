"""A second look: which buckets and cells of many nodes and columns are opened, in which lots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.memory_limit import group_by_size
from penjing.data.table import Floats
from penjing.engines.out_of_core.bucket_cuts import Cuts

MARGIN = 1e-9
"""What may be lost in the arithmetic of a bound, in parts of the impurity; far above TIE."""
BYTES_A_NUMBER = 64
"""What a fetched number takes until it is counted."""

Ask = Callable[[set[int], list[tuple[int, Any, int, Any]]], Any]


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
    direct : int
        Up to so many rows in open buckets are fetched at once, without a look at their cells.
    """

    def __init__(
        self,
        room: int,
        k: int,
        class_of: Any,  # noqa: ANN401
        *,
        by_ratio: bool,
        direct: int = 0,
    ) -> None:
        self._room, self._k, self._class_of, self._by_ratio = room, k, class_of, by_ratio
        self._direct = direct

    def bars(self, gain: Floats) -> Floats:
        """Return the best gain of each node, NaN where no column offers anything."""
        return np.asarray(np.fmax.reduce(gain, axis=1, initial=np.nan))

    def bar(self, bars: Floats, i: int, cut: Cuts) -> float:
        """Return what a cut must be worth to be of interest."""
        best = cut.best if self._by_ratio else float(bars[i])
        return -np.inf if np.isnan(best) else best - MARGIN * cut.impurity

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
            bars = self.bars(gain)
            wanted = [
                (i, c, *unit)
                for (i, c), cut in cuts.items()
                for unit in cut.to_open(self.bar(bars, i, cut), whole=whole)
            ]
            direct = whole and sum(unit[4] for unit in wanted) <= self._direct
            for lot in self._lots(wanted, whole=whole and not direct):
                asked = _Asked(lot, n_slots)
                if direct:
                    every = {c: np.ones_like(low) for c, low in asked.lows().items()}
                    told = fetch_numbers(asked.nodes, asked.told(every))
                    self._numbers(cuts, asked, told, by_cell=False)
                elif whole:
                    self._cells(cuts, asked, count_cells(asked.nodes, asked.told(None)))
                else:
                    told = fetch_numbers(asked.nodes, asked.told(asked.lows()))
                    self._numbers(cuts, asked, told, by_cell=True)
            for (i, c), cut in cuts.items():
                cut.renew()
                gain[i, c] = cut.best

    def _lots(self, wanted: list[Any], *, whole: bool) -> Iterator[list[Any]]:
        bucket = 256 * self._k * 4 * 4
        return group_by_size(
            wanted, lambda unit: bucket if whole else unit[4] * BYTES_A_NUMBER, self._room
        )

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

    def _numbers(
        self,
        cuts: dict[tuple[int, int], Cuts],
        asked: _Asked,
        found: Any,  # noqa: ANN401
        *,
        by_cell: bool,
    ) -> None:
        for c, (place, low, classes, numbers) in zip(asked.columns, found, strict=True):
            cell = place.astype(np.int64) * 256 + low if by_cell else place
            if len(cell) and cell.max() < 1 << 16:
                cell = cell.astype(np.uint16)  # is sorted in a fraction of the time
            order = np.argsort(cell, kind="stable")
            cells, start = np.unique(cell[order], return_index=True)
            parts = dict(zip(cells.tolist(), np.split(order, start[1:]), strict=True))
            for at_place, low_byte, i, at in asked.cells(c):
                rows = parts[at_place * 256 + low_byte if by_cell else at_place]
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
