"""rpart's sums of numbers, row after row: their last bit decides between equal divisions.

A row counts by how far its number is from the mean of its node. Rows are added up in the order
in which rpart has sorted them by the column (of a nominal one, in the order of the table).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """The rows of a node in some order: codes of a column (-1: missing), numbers, weights."""

    codes: Codes
    y: Floats
    weight: Floats

    @property
    def known(self) -> Cases:
        """Those whose value is known and which weigh anything."""
        known = (self.codes >= 0) & (self.weight > 0)
        return Cases(self.codes[known], self.y[known], self.weight[known])

    @property
    def mean(self) -> float:
        """The mean of the numbers."""
        return float(np.cumsum(self.y * self.weight)[-1] / self.whole)

    @property
    def whole(self) -> float:
        """The weight of all."""
        return float(np.cumsum(self.weight)[-1])

    @property
    def squares(self) -> float:
        """The sum of squares about the mean: rpart's risk."""
        off = self.y - self.mean
        return float(np.cumsum(off * off * self.weight)[-1])

    def best_cut(self, least: int) -> tuple[float, int]:
        """Return the largest decrease of squares and the code below the cut, of equal the lowest.

        The cases are sorted by their codes and all known.
        """
        off = (self.y - self.mean) * self.weight
        n_left = np.arange(1, len(off))
        fair = (self.codes[1:] != self.codes[:-1]) & (n_left >= least)
        fair &= len(off) - n_left >= least
        gain, best = _best(off, self.weight, self.whole, fair)
        return gain, int(self.codes[best])

    def best_groups(self, codes: Codes, least: int) -> tuple[float, npt.NDArray[np.bool_]]:
        """Return the largest decrease of squares, and which of these levels are on the left."""
        place = np.searchsorted(codes, self.codes)
        off = np.bincount(place, (self.y - self.mean) * self.weight, len(codes)).astype(np.float64)
        weight = np.bincount(place, self.weight, len(codes)).astype(np.float64)
        rows = np.bincount(place, minlength=len(codes))
        order = np.argsort(off / weight, kind="stable")
        n_left = np.cumsum(rows[order])[:-1]
        fair = (n_left >= least) & (rows.sum() - n_left >= least)
        gain, best = _best(off[order], weight[order], self.whole, fair)
        sides = np.zeros(len(codes), bool)
        sides[order[: best + 1]] = True
        return gain, sides


def _best(
    off: Floats, weight: Floats, whole: float, fair: npt.NDArray[np.bool_]
) -> tuple[float, int]:
    """Return the largest gain as one after the other changes sides, and the last that has.

    What the left side gains the right side loses, so that one sum serves for both.
    """
    square = np.cumsum(off)[:-1] ** 2
    left = np.cumsum(weight)[:-1]
    right = np.subtract.accumulate(np.append(whole, weight[:-1]))[1:]
    gain = np.where(fair, square / left + square / right, 0.0)
    best = int(gain.argmax())
    return float(gain[best]), best
