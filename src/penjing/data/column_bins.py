"""The distribution of a column in few bins, by which other rows are compared with it.

A numeric column has at most 10 bins that hold about equally many rows; a value that equals a bound
belongs below it. Other columns have one bin for each of the 9 largest categories and one for all
others. Missing values, and categories that were not seen, are counted apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing.data.statistics import plain_number, weight_sums
from penjing.data.table import Column, Field, Floats

N_BINS = 10
DIGITS = 6
"""Bounds are rounded to this many digits, unless bins would be lost."""
WEIGHT_DIGITS = 4
"""Fractional weights of a saved distribution are rounded to this many digits after the point."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnBins:
    """The distribution of a column.

    Parameters
    ----------
    counts : (bins,) float64
        The weight of the rows in each bin; for categories, the last bin holds all others.
    missing : float
        The weight of the rows without a value.
    bounds : (bins - 1,) float64, or None
        The upper bounds of the bins but the last; None for categories.
    codes : (bins - 1,) int, or None
        The categories of the bins but the last; None for numbers.
    """

    counts: Floats
    missing: float
    bounds: Floats | None = None
    codes: Any = None

    @property
    def cells(self) -> Floats:
        """The weights of all cells: bins, unseen categories, missing values.

        Training rows have no unseen categories.
        """
        unseen = [] if self.codes is None else [0.0]
        return np.concatenate([self.counts, unseen, [self.missing]])

    def count(self, column: Column, field: Field, weight: Floats) -> Floats:
        """Return the weights of the cells for other rows.

        Parameters
        ----------
        column : Column
            The rows, coded by the categories of the field; unseen ones come after them.
        field : Field
            The column of the tree.
        weight : (rows,) float64
            Their weights.
        """
        n = len(self.counts)
        if self.bounds is not None:
            values = column.numbers()
            cell = np.searchsorted(self.bounds, values)  # a bound belongs below itself
            return weight_sums(np.where(np.isnan(values), n, cell), weight, n + 1)
        # Unseen categories are next to last, missing values (code -1) last.
        cells = np.full(max(len(column.levels), len(field.levels)) + 1, n - 1)
        cells[self.codes] = np.arange(n - 1)
        cells[len(field.levels) :] = n
        cells[-1] = n + 1
        return weight_sums(cells[column.codes], weight, n + 2)

    def to_json(self) -> dict[str, Any]:
        """Return the distribution as plain data."""
        plain: dict[str, Any] = {"counts": [_short(value) for value in self.counts.tolist()]}
        if self.bounds is not None:
            plain["bounds"] = [plain_number(bound) for bound in self.bounds.tolist()]
        else:
            plain["codes"] = [int(code) for code in self.codes]
        return plain | ({"missing": _short(self.missing)} if self.missing else {})

    @staticmethod
    def from_json(plain: Mapping[str, Any]) -> ColumnBins:
        """Return the distribution that `to_json` wrote."""
        counts, missing = np.array(plain["counts"], np.float64), float(plain.get("missing", 0))
        if "bounds" in plain:
            return ColumnBins(counts, missing, np.array(plain["bounds"], np.float64))
        return ColumnBins(counts, missing, None, np.array(plain["codes"], np.intp))


def column_bins(column: Column, field: Field, weight: Floats) -> ColumnBins:
    """Return the distribution of a column.

    Parameters
    ----------
    column : Column
        The column of the training rows.
    field : Field
        Its name, kind and categories.
    weight : (rows,) float64
        The weights of the rows.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> colour = nominal("colour", ["red", "blue", "red", None])
    >>> column_bins(colour, colour.field, np.ones(4)).to_json()
    {'counts': [2, 1, 0], 'codes': [0, 1], 'missing': 1}
    """
    if not field.is_numeric:
        counts = weight_sums(column.codes + 1, weight, len(field.levels) + 1)
        missing, counts = float(counts[0]), counts[1 : len(field.levels) + 1]
        codes = np.sort(np.argsort(-counts, kind="stable")[: N_BINS - 1])
        rest = counts.sum() - counts[codes].sum()
        return ColumnBins(np.append(counts[codes], max(rest, 0.0)), missing, None, codes)
    values = column.numbers()
    is_known = ~np.isnan(values)
    missing = float(weight[~is_known].sum())
    values, weight = values[is_known], weight[is_known]
    if (weight == 1.0).all():  # sorting numbers alone is several times faster
        values = np.sort(values)
        bounds = _bounds(values, np.arange(1.0, len(values) + 1))
        sums = np.append(np.searchsorted(values, bounds, side="right"), len(values))
        return ColumnBins(np.diff(sums, prepend=0).astype(np.float64), missing, bounds)
    order = np.argsort(values, kind="stable")
    bounds = _bounds(values[order], np.cumsum(weight[order]))
    cell = np.searchsorted(bounds, values)
    return ColumnBins(weight_sums(cell, weight, len(bounds) + 1), missing, bounds)


def _bounds(values: Floats, sums: Floats) -> Floats:
    """Return the bounds between bins of about equal weight; ``sums`` are those of the weights."""
    if not len(values):
        return np.empty(0)
    at = np.searchsorted(sums, sums[-1] * np.arange(1, N_BINS) / N_BINS)
    exact = np.unique(values[np.minimum(at, len(values) - 1)])
    exact = exact[exact < values[-1]]
    rounded = np.array([float(f"{bound:.{DIGITS}g}") for bound in exact.tolist()])
    is_kept = len(np.unique(rounded)) == len(exact) and (rounded < values[-1]).all()
    return rounded if is_kept else exact


def _short(value: float) -> float:
    return plain_number(round(value, WEIGHT_DIGITS))
