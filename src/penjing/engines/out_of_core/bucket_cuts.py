"""The exact best cut of one column in one node, from counts of quantile buckets.

At first only the counts of the buckets are known, and each border between two buckets is a cut. A
bucket whose upper bound of the gain (cpp/grow/histogram_splits.hpp) reaches the best cut is opened:
its 256 cells are counted. If a cell may still contain the best cut, its numbers are fetched
(:mod:`penjing.engines.out_of_core.bucket_requests`). A unit that stays closed can neither win nor
tie. A unit is a bucket, a cell or a single number.
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
class BestCut:
    """The best cut of a column in a node.

    Parameters
    ----------
    cut : float
        The threshold; half-way between ``low`` and ``high``.
    low, high : float
        The nearest numbers of the node's rows on both sides; NaN if the cut cannot win anyway.
    after : (2, S)
        The sums of both branches.
    """

    cut: float
    low: float
    high: float
    after: Floats


@dataclass(frozen=True, slots=True, eq=False)
class NodeContext:
    """What the gain of a cut depends on, besides the counts of the column.

    Parameters
    ----------
    measure : str
        The name of the criterion in C++.
    min_branch : float
        The smallest weight of a branch.
    known : (S,)
        The sums of the node; nothing is missing.
    impurity : float
        The impurity of the node.
    """

    measure: str
    min_branch: float
    known: Floats
    impurity: float


class SingleValues:
    """The numbers that have a cell (256, 256) or a bucket (256,) of their own; NaN for the others.

    Parameters
    ----------
    cells : QuantileCells
        The cells of the column.
    """

    def __init__(self, cells: QuantileCells) -> None:
        self.by_cell, self.by_bucket = cells.values(), cells.single_values()


class CutSearch:
    """The cuts of one column in one node, as far as they are known.

    Parameters
    ----------
    table : (256, S)
        The sums of its buckets.
    single_values : SingleValues
        The numbers that have a cell or a bucket of their own.
    context : NodeContext
        The criterion, and the sums of the node.
    """

    def __init__(
        self, table: npt.NDArray[Any], single_values: SingleValues, context: NodeContext
    ) -> None:
        self._single_values = single_values
        self._measure, self._min_branch = context.measure, context.min_branch
        self._known, self.impurity = context.known, context.impurity
        present = np.flatnonzero(table[:N_BUCKETS].any(axis=1))
        self._key: Keys = present * 256
        self._counts = table[present].astype(np.float64)
        self._value = single_values.by_bucket[present]
        self._is_bucket = np.isnan(self._value)
        self._opened: dict[int, tuple[Keys, Floats, Floats]] = {}
        self._evaluate()

    def _evaluate(self) -> None:
        self._at, self._gain = _core.cut_gains(self._counts, self._measure, self._min_branch)
        self._is_single = (~np.isnan(self._value)).view(np.uint8)
        self.best_gain = float(np.nanmax(self._gain)) if self._at >= 0 else np.nan

    def _may_win(self, min_gain: float) -> npt.NDArray[np.bool_]:
        """Return which units may contain a cut of at least this gain, or are next to one."""
        return _core.open_units(
            self._counts, self._measure, self._gain, self._is_single, min_gain
        ).view(np.bool_)

    def n_rows_to_open(self, min_gain: float) -> float:
        """Return how many rows are in units that would have to be opened."""
        return float(self._counts[self._may_win(min_gain)].sum())

    def units_to_open(self, min_gain: float, *, buckets: bool) -> list[tuple[int, int, float]]:
        """Return position, key and number of rows of the buckets, or cells, to open."""
        if buckets not in self._is_bucket:
            return []
        positions = np.flatnonzero(self._may_win(min_gain) & (self._is_bucket == buckets))
        if not len(positions):
            return []
        rows = self._counts[positions].sum(axis=1)
        keys = self._key[positions]
        return list(zip(positions.tolist(), keys.tolist(), rows.tolist(), strict=True))

    def open_bucket(self, position: int, cells: Floats) -> None:
        """Replace a bucket by its cells, (256, S)."""
        low = np.flatnonzero(cells.any(axis=1))
        high = int(self._key[position]) // 256
        self._opened[position] = (
            high * 256 + low,
            cells[low].astype(np.float64),
            self._single_values.by_cell[high, low],
        )

    def open_cell(self, position: int, numbers: Floats, classes: npt.NDArray[Any]) -> None:
        """Replace a cell by the numbers of its rows."""
        values, at = np.unique(numbers, return_inverse=True)
        counts = np.zeros((len(values), len(self._known)))
        np.add.at(counts, (at, classes), 1.0)
        self._opened[position] = np.full(len(values), self._key[position]), counts, values

    def update(self) -> None:
        """Insert what was opened, and evaluate the cuts again."""
        if not self._opened:
            return
        keys, counts, values, is_bucket = [], [], [], []
        start = 0
        for position in sorted(self._opened):
            new = self._opened[position]
            unopened = slice(start, position)
            keys += [self._key[unopened], new[0]]
            counts += [self._counts[unopened], new[1]]
            values += [self._value[unopened], new[2]]
            is_bucket += [self._is_bucket[unopened], np.zeros(len(new[0]), np.bool_)]
            start = position + 1
        keys.append(self._key[start:])
        counts.append(self._counts[start:])
        values.append(self._value[start:])
        is_bucket.append(self._is_bucket[start:])
        self._key, self._counts = np.concatenate(keys), np.concatenate(counts)
        self._value, self._is_bucket = np.concatenate(values), np.concatenate(is_bucket)
        self._opened = {}
        self._evaluate()

    def best_cut(self) -> BestCut | None:
        """Return the best cut; None if the column has no allowed cut."""
        at = self._at
        if at < 0:
            return None
        low, high = float(self._value[at]), float(self._value[at + 1])
        cut = 0.0 if np.isnan(low + high) else midpoint(low, high)
        below = self._counts[: at + 1].sum(axis=0)
        return BestCut(cut, low, high, np.stack([below, self._known - below]))
