"""Criteria: how good a division is, judged from counts alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from penjing.criteria.custom import Measure, apply_measure
from penjing.data.table import Floats
from penjing.tree.counts import TIE, Reader
from penjing.tree.split import Offers

KERNELS = {
    "gain": "gain",
    "entropy": "gain",
    "gain_ratio": "gain_ratio",
    "gini": "gini",
    "variance": "variance",
}
"""What a criterion may name as the same in C++, and the kernel that this is."""


@runtime_checkable
class Criterion(Protocol):
    """What a criterion must answer; both functions see counts and nothing else."""

    @property
    def name(self) -> str:
        """The word by which it is asked for."""

    @property
    def native(self) -> str | None:
        """The kernel in C++ that is the same criterion (of `KERNELS`); None if there is none."""

    def impurity(self, total: Floats, s: Reader) -> Floats:
        """Return how mixed each vector of sums (the last axis) is; 0 for a pure one."""

    def between(self, offers: Offers) -> Floats:
        """Return by what columns are compared, (nodes, columns); NaN bars a column."""


@dataclass(frozen=True, slots=True)
class Impurity:
    """A criterion made of a function of counts; the column of greatest gain wins.

    Examples
    --------
    The share of rows that the majority gets wrong, as a measure of one's own:

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

    def between(self, offers: Offers) -> Floats:
        """Return the gain itself."""
        return offers.gain


def kernel_of(criterion: Criterion) -> str | None:
    """Return the kernel that grows trees by a criterion; None where there is none.

    Examples
    --------
    >>> kernel_of(Impurity("mine", lambda counts: counts.sum(-1), native="entropy"))
    'gain'
    """
    return None if criterion.native is None else KERNELS[criterion.native]


def gains(criterion: Criterion, before: Floats, after: Floats, s: Reader) -> Floats:
    """Return what each candidate division gains over leaving a node whole.

    Gain(D, a) = I(D) - sum_v |D_v| / |D| * I(D_v), over rows whose value is known.

    Parameters
    ----------
    criterion : Criterion
        Gives I, the impurity.
    before : (S,) or (candidates, S)
        The sum of the node's known rows.
    after : (candidates, branches, S)
        The sum of each branch of each candidate.
    s : Reader
        Reads the sums.

    Returns
    -------
    (candidates,)
        0 when the division teaches nothing; below that only for measures that are not concave.

    Examples
    --------
    Texture divides the seventeen melons into 9, 5 and 3:

    >>> from penjing.criteria.entropy import Entropy
    >>> from penjing.tree.counts import Classes
    >>> parts = np.array([[[7.0, 2.0], [1.0, 4.0], [0.0, 3.0]]])
    >>> gains(Entropy(), np.array([8.0, 9.0]), parts, Classes(2)).round(3)
    array([0.381])
    """
    parts, weight = criterion.impurity(after, s), s.weight(after)
    return impurity_decrease(criterion.impurity(before, s), s.weight(before), parts, weight)


def impurity_decrease(whole: Floats, mass: Floats, parts: Floats, weight: Floats) -> Floats:
    """Return how much less mixed rows are in parts than whole; see `gains`.

    Parameters
    ----------
    whole, mass : (candidates,)
        How mixed they are as a whole, and their weight.
    parts, weight : (candidates, branches)
        The same of each part.

    Examples
    --------
    >>> impurity_decrease(
    ...     np.array([0.5]), np.array([4.0]), np.array([[0.0, 0.0]]), np.array([[2.0, 2.0]])
    ... )
    array([0.5])
    """
    left = (parts * weight).sum(axis=-1) / mass
    gain = whole - left
    # A difference smaller than its own rounding is no gain, and must not look like one.
    return np.where(np.abs(gain) <= TIE * np.abs(whole), 0.0, gain)
