"""How the rows of a node are distributed over the column that it splits on: counts by bins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from penjing.data.table import Codes, Floats
from penjing.tree.counts import Counts, Reader


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The sums of a node's rows by bins of one column.

    Parameters
    ----------
    cells : (bins, S)
        The sum of each bin.
    missing : (S,)
        The sum of the rows whose value is not known.
    n_rows : float
        The number of rows, whatever their weights.
    codes : (bins,) int32, or None
        The category of each bin; None where bins hold numbers.
    low, high : (bins,) float64, or None
        The smallest and the largest number of each bin, NaN if it has none; None for categories.
    """

    cells: Floats
    missing: Floats
    n_rows: float
    codes: Codes | None = None
    low: Floats | None = None
    high: Floats | None = None

    def spans(self) -> tuple[Floats, Floats]:
        """Return the smallest and the largest number of each bin."""
        assert self.low is not None
        assert self.high is not None
        return self.low, self.high

    def merged(self, bounds: Floats) -> Bins:
        """Return wider bins, one more than the bounds, none of which divides a bin of these.

        Examples
        --------
        >>> values = np.array([1.0, 2.0, 5.0])
        >>> fine = Bins(np.array([[1.0], [2.0], [4.0]]), np.zeros(1), 7, low=values, high=values)
        >>> fine.merged(np.array([2.0, 3.0])).cells
        array([[3.], [0.], [4.]])
        """
        low, high = self.spans()
        cells, is_empty = self.cells.T, np.isnan(high)
        if is_empty.any():
            cells, low, high = cells[:, ~is_empty], low[~is_empty], high[~is_empty]
        edges = np.concatenate([[0], high.searchsorted(bounds, side="right"), [len(high)]])
        starts, ends = edges[:-1], edges[1:]
        some = np.flatnonzero(starts < ends)
        merged = np.zeros((len(cells), len(starts)))
        lows, highs = np.full((2, len(starts)), np.nan)
        if len(some):
            merged[:, some] = np.add.reduceat(np.ascontiguousarray(cells), starts[some], axis=1)
            lows[some], highs[some] = low[starts[some]], high[ends[some] - 1]
        return Bins(merged.T, self.missing, self.n_rows, None, lows, highs)


class SplitCounts(Protocol):
    """The counts of some nodes, each by bins of the column that it splits on."""

    def first(self) -> Mapping[int, Bins]:
        """Return the bins of each node: all categories; numbers in one bin or more."""

    def within(self, bounds: Mapping[int, Floats]) -> Mapping[int, Bins]:
        """Return the bins between these bounds of numeric columns, for each node given."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownCounts:
    """Counts of all the values of a column, of which any bins are made."""

    bins: Mapping[int, Bins]

    def first(self) -> Mapping[int, Bins]:
        """Return one bin for each value."""
        return self.bins

    def within(self, bounds: Mapping[int, Floats]) -> Mapping[int, Bins]:
        """Return the bins between these bounds, for each node given."""
        return {node: self.bins[node].merged(at) for node, at in bounds.items()}


def bins_of(counts: Counts, values: Floats | None, s: Reader) -> Bins:
    """Return one bin for each value of a column.

    Parameters
    ----------
    counts : Counts
        The counts of the column.
    values : array or None
        The numbers of its codes; None for categories.
    s : Reader
        Interprets the sums.
    """
    if counts.rows is not None:
        n_rows = float(s.weight(counts.rows.sum(axis=0))) + (counts.missing_rows or 0.0)
    else:
        n_rows = float(s.weight(counts.known) + s.weight(counts.missing))
    if values is None:
        return Bins(counts.cells, counts.missing, n_rows, counts.codes)
    at = values[counts.codes]
    return Bins(counts.cells, counts.missing, n_rows, None, at, at)
