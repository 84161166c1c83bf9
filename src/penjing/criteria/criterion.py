"""The criterion protocol: score splits by the impurity of their class counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from penjing.criteria.custom import Measure, apply_measure
from penjing.data.table import Floats
from penjing.tree.counts import TIE, Reader
from penjing.tree.split import BestSplits

KERNELS = {
    "gain": "gain",
    "entropy": "gain",
    "gain_ratio": "gain_ratio",
    "gini": "gini",
    "variance": "variance",
}
"""The names that a criterion may give as its C++ equivalent, and the kernel of each."""


@runtime_checkable
class Criterion(Protocol):
    """What a criterion provides; both functions depend on counts only."""

    @property
    def name(self) -> str:
        """The name under which it is selected."""

    @property
    def native(self) -> str | None:
        """The equivalent C++ kernel (one of `KERNELS`); None if there is none."""

    def impurity(self, total: Floats, s: Reader) -> Floats:
        """Return the impurity of each vector of sums (the last axis); 0 for a pure one."""

    def between(self, best_splits: BestSplits) -> Floats:
        """Return the scores of columns, (nodes, columns); NaN excludes a column."""


@dataclass(frozen=True, slots=True)
class Impurity:
    """A criterion defined by a function of counts; the column with the greatest gain wins.

    Examples
    --------
    The error rate of the majority class as a user-defined measure:

    >>> mine = Impurity("errors", lambda counts: 1 - counts.max(-1) / counts.sum(-1))
    >>> from penjing.tree.counts import Classes
    >>> mine.impurity(np.array([[3.0, 1.0], [2.0, 2.0]]), Classes(2))
    array([0.25, 0.5 ])
    """

    name: str
    measure: Measure
    native: str | None = None

    def impurity(self, total: Floats, s: Reader) -> Floats:
        """Return the measure of each vector of sums; 0 for an empty one."""
        weight = s.weight(total)
        filled = np.where((weight > 0)[..., None], total, 1.0)
        # + 0.0 turns the -0.0 of a pure node into 0.0.
        return np.where(weight > 0, apply_measure(self.name, self.measure, filled), 0.0) + 0.0

    def between(self, best_splits: BestSplits) -> Floats:
        """Return the gain."""
        return best_splits.gain


def kernel_of(criterion: Criterion) -> str | None:
    """Return the kernel that grows trees by a criterion; None where there is none.

    Examples
    --------
    >>> kernel_of(Impurity("mine", lambda counts: counts.sum(-1), native="entropy"))
    'gain'
    """
    return None if criterion.native is None else KERNELS[criterion.native]


def gains(criterion: Criterion, before: Floats, after: Floats, s: Reader) -> Floats:
    """Return the gain of each candidate split.

    Gain(D, a) = I(D) - sum_v |D_v| / |D| * I(D_v), over rows whose value is known.

    Parameters
    ----------
    criterion : Criterion
        Provides I, the impurity.
    before : (S,) or (candidates, S)
        The sum of the node's known rows.
    after : (candidates, branches, S)
        The sum of each branch of each candidate.
    s : Reader
        Interprets the sums.

    Returns
    -------
    (candidates,)
        0 for a split without gain; negative only for measures that are not concave.

    Examples
    --------
    Texture splits the seventeen watermelons into 9, 5 and 3:

    >>> from penjing.criteria.entropy import Entropy
    >>> from penjing.tree.counts import Classes
    >>> parts = np.array([[[7.0, 2.0], [1.0, 4.0], [0.0, 3.0]]])
    >>> gains(Entropy(), np.array([8.0, 9.0]), parts, Classes(2)).round(3)
    array([0.381])
    """
    parts, weight = criterion.impurity(after, s), s.weight(after)
    return impurity_decrease(criterion.impurity(before, s), s.weight(before), parts, weight)


def impurity_decrease(
    before: Floats, total_weight: Floats, parts: Floats, weight: Floats
) -> Floats:
    """Return the impurity of the rows minus the weighted mean impurity of the parts; see `gains`.

    Parameters
    ----------
    before, total_weight : (candidates,)
        The impurity of all rows, and their weight.
    parts, weight : (candidates, branches)
        The same of each part.

    Examples
    --------
    >>> impurity_decrease(
    ...     np.array([0.5]), np.array([4.0]), np.array([[0.0, 0.0]]), np.array([[2.0, 2.0]])
    ... )
    array([0.5])
    """
    after = (parts * weight).sum(axis=-1) / total_weight
    gain = before - after
    # A difference smaller than its rounding error is no gain.
    return np.where(np.abs(gain) <= TIE * np.abs(before), 0.0, gain)
