"""Sums of squares for regression, rounded as in rpart, where the last bit decides ties.

Deviations from the mean of the node are added row by row, in the order in which rpart has sorted
the rows by the column (for a categorical column, in the order of the table).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Floats

RefusedValues = Callable[[Floats, Floats], npt.NDArray[np.bool_]]
"""Returns which thresholds are refused, from the values of both sides."""


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """The rows of a node in some order: codes of a column (-1: missing), numbers, weights."""

    codes: Codes
    y: Floats
    weight: Floats

    @property
    def known(self) -> Cases:
        """The cases whose value is known and whose weight is above 0."""
        known = (self.codes >= 0) & (self.weight > 0)
        return Cases(self.codes[known], self.y[known], self.weight[known])

    @property
    def mean(self) -> float:
        """The mean of the numbers."""
        return float(np.cumsum(self.y * self.weight)[-1] / self.total_weight)

    @property
    def total_weight(self) -> float:
        """The weight of all cases."""
        return float(np.cumsum(self.weight)[-1])

    @property
    def squares(self) -> float:
        """The sum of squares about the mean: rpart's risk."""
        deviations = self.y - self.mean
        return float(np.cumsum(deviations * deviations * self.weight)[-1])

    def best_cut(
        self, min_rows: int, refused: RefusedValues | None = None, centre: float = 0.0
    ) -> tuple[float, int]:
        """Return the largest decrease of squares and the code below the threshold, lowest of ties.

        The cases must be sorted by their codes and all be known. ``refused`` tells which
        thresholds constraints refuse, from the means of both sides less the centre.
        """
        deviations = (self.y - self.mean) * self.weight
        n_left = np.arange(1, len(deviations))
        is_allowed = (self.codes[1:] != self.codes[:-1]) & (n_left >= min_rows)
        is_allowed &= len(deviations) - n_left >= min_rows
        if refused is not None:
            left_sum = np.cumsum(deviations)[:-1]
            left, right = _side_weights(self.weight, self.total_weight)
            offset = self.mean - centre
            is_allowed &= ~refused(offset + left_sum / left, offset - left_sum / right)
        gain, best = _best(deviations, self.weight, self.total_weight, is_allowed)
        return gain, int(self.codes[best])

    def best_groups(self, codes: Codes, min_rows: int) -> tuple[float, npt.NDArray[np.bool_]]:
        """Return the largest decrease of squares, and which of these categories go left."""
        position = np.searchsorted(codes, self.codes)
        deviations = np.bincount(position, (self.y - self.mean) * self.weight, len(codes)).astype(
            np.float64
        )
        weight = np.bincount(position, self.weight, len(codes)).astype(np.float64)
        rows = np.bincount(position, minlength=len(codes))
        order = np.argsort(deviations / weight, kind="stable")
        n_left = np.cumsum(rows[order])[:-1]
        is_allowed = (n_left >= min_rows) & (rows.sum() - n_left >= min_rows)
        gain, best = _best(deviations[order], weight[order], self.total_weight, is_allowed)
        sides = np.zeros(len(codes), bool)
        sides[order[: best + 1]] = True
        return gain, sides


def _side_weights(weight: Floats, total_weight: float) -> tuple[Floats, Floats]:
    """Return the weights of both sides at each position of the split."""
    right = np.subtract.accumulate(np.append(total_weight, weight[:-1]))[1:]
    return np.cumsum(weight)[:-1], right


def _best(
    deviations: Floats, weight: Floats, total_weight: float, is_allowed: npt.NDArray[np.bool_]
) -> tuple[float, int]:
    """Return the largest gain over the positions of the split, and the last item on the left.

    The deviations of both sides sum to 0, so one sum serves for both.
    """
    left_squared = np.cumsum(deviations)[:-1] ** 2
    left, right = _side_weights(weight, total_weight)
    gain = np.where(is_allowed, left_squared / left + left_squared / right, 0.0)
    best = int(gain.argmax())
    return float(gain[best]), best
