"""Opens the buckets and cells of many nodes and columns that may contain a best cut, in lots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.memory_limit import group_by_size
from penjing.data.table import Floats
from penjing.engines.out_of_core.bucket_cuts import CutSearch
from penjing.engines.out_of_core.row_location import OpenBuckets

MARGIN = 1e-9
"""Rounding error allowed in a bound, relative to the impurity; far above TIE."""
BYTES_PER_NUMBER = 64
"""Memory that a fetched number takes until it is counted."""

BucketRequest = Callable[[set[int], list[OpenBuckets]], Any]
"""Counts the cells, or fetches the numbers, of open buckets in some nodes."""


class BucketOpener:
    """Opens buckets and cells of many nodes and columns at once.

    Parameters
    ----------
    max_bytes : int
        How many bytes may be used at a time.
    n_stored : int
        How many class codes the store has; ``class_of`` maps them to classes.
    by_ratio : bool
        Whether the best cut of every column is needed, not only that of the best columns.
    direct : int
        If open buckets have at most this many rows, their numbers are fetched at once, and their
        cells are not counted first.
    """

    def __init__(
        self,
        max_bytes: int,
        n_stored: int,
        class_of: Any,  # noqa: ANN401
        *,
        by_ratio: bool,
        direct: int = 0,
    ) -> None:
        self._max_bytes, self._n_stored = max_bytes, n_stored
        self._class_of, self._by_ratio = class_of, by_ratio
        self._direct = direct

    def best_gains(self, gain: Floats) -> Floats:
        """Return the best gain of each node, NaN if no column can be split."""
        return np.asarray(np.fmax.reduce(gain, axis=1, initial=np.nan))

    def min_gain(self, best_gains: Floats, i: int, search: CutSearch) -> float:
        """Return the smallest gain with which a cut of node i may still win or tie."""
        best = search.best_gain if self._by_ratio else float(best_gains[i])
        return -np.inf if np.isnan(best) else best - MARGIN * search.impurity

    def open_all(
        self,
        searches: dict[tuple[int, int], CutSearch],
        gain: Floats,
        count_cells: BucketRequest,
        fetch_numbers: BucketRequest,
        n_slots: int,
    ) -> None:
        """Find the best cut of every column that may win its node: buckets first, then cells."""
        for buckets in (True, False):
            best_gains = self.best_gains(gain)
            units = [
                (i, c, *unit)
                for (i, c), search in searches.items()
                for unit in search.units_to_open(
                    self.min_gain(best_gains, i, search), buckets=buckets
                )
            ]
            is_direct = buckets and sum(unit[4] for unit in units) <= self._direct
            for lot in self._lots(units, buckets=buckets and not is_direct):
                batch = _UnitBatch(lot, n_slots)
                if is_direct:
                    all_cells = {c: np.ones_like(low) for c, low in batch.wanted_cells().items()}
                    numbers = fetch_numbers(batch.nodes, batch.open_buckets(all_cells))
                    self._add_numbers(searches, batch, numbers, by_cell=False)
                elif buckets:
                    tables = count_cells(batch.nodes, batch.open_buckets(None))
                    self._add_cells(searches, batch, tables)
                else:
                    request = batch.open_buckets(batch.wanted_cells())
                    numbers = fetch_numbers(batch.nodes, request)
                    self._add_numbers(searches, batch, numbers, by_cell=True)
            for (i, c), search in searches.items():
                search.update()
                gain[i, c] = search.best_gain

    def _lots(self, units: list[Any], *, buckets: bool) -> Iterator[list[Any]]:
        bucket_bytes = 256 * self._n_stored * 4 * 4

        def size(unit: Any) -> float:  # noqa: ANN401 - a tuple
            return float(bucket_bytes if buckets else unit[4] * BYTES_PER_NUMBER)

        return group_by_size(units, size, self._max_bytes)

    def _add_cells(
        self,
        searches: dict[tuple[int, int], CutSearch],
        batch: _UnitBatch,
        tables: Any,  # noqa: ANN401 - arrays
    ) -> None:
        for c, table in zip(batch.columns, tables, strict=True):
            shaped = table.reshape(-1, 256, self._n_stored)
            for place, (i, position, _) in enumerate(batch.units[c]):
                searches[i, c].open_bucket(position, self._by_class(shaped[place]))

    def _by_class(self, table: npt.NDArray[Any]) -> Floats:
        cells = np.zeros((256, int(self._class_of.max()) + 1))
        for stored, class_ in enumerate(self._class_of.tolist()):
            if class_ >= 0:
                cells[:, class_] += table[:, stored]
        return cells

    def _add_numbers(
        self,
        searches: dict[tuple[int, int], CutSearch],
        batch: _UnitBatch,
        fetched: Any,  # noqa: ANN401 - arrays
        *,
        by_cell: bool,
    ) -> None:
        for c, (place, low, classes, numbers) in zip(batch.columns, fetched, strict=True):
            cell = place.astype(np.int64) * 256 + low if by_cell else place
            if len(cell) and cell.max() < 1 << 16:
                cell = cell.astype(np.uint16)  # sorts much faster
            order = np.argsort(cell, kind="stable")
            cells, start = np.unique(cell[order], return_index=True)
            parts = dict(zip(cells.tolist(), np.split(order, start[1:]), strict=True))
            for unit_place, low_byte, i, position in batch.cells(c):
                rows = parts[unit_place * 256 + low_byte if by_cell else unit_place]
                searches[i, c].open_cell(position, numbers[rows], self._class_of[classes[rows]])


class _UnitBatch:
    """Units of some columns that are opened together; a place is the index of an open bucket."""

    def __init__(self, lot: list[Any], n_slots: int) -> None:
        self.units: dict[int, list[tuple[int, int, int]]] = {}
        for i, c, position, key, _ in lot:
            self.units.setdefault(c, []).append((i, position, key))
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

    def open_buckets(self, wanted: dict[int, Any] | None) -> list[OpenBuckets]:
        """Return the open buckets as a request takes them."""
        return [
            (c, self._places[c], self._n[c], None if wanted is None else wanted[c])
            for c in self.columns
        ]

    def wanted_cells(self) -> dict[int, Any]:
        """Return for each column which cells of the open buckets are wanted."""
        by_column = {}
        for c in self.columns:
            wanted = np.zeros(self._n[c] * 256, np.uint8)
            for place, low, _, _ in self.cells(c):
                wanted[place * 256 + low] = 1
            by_column[c] = wanted
        return by_column

    def cells(self, c: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield place, low byte, node and position of each unit."""
        for i, position, key in self.units[c]:
            yield int(self._places[c][i * 256 + key // 256]), key % 256, i, position
