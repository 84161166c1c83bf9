"""What is counted, how counts add, and how they are read.

The one question to the data: *for these open nodes, how much weight has each (column, level,
class)?* The answer for a node and a column is a :class:`Counts`, for a node a :class:`Tally`.
Answers are sums, so they add: over threads, partitions, machines, siblings.

What is summed is a short vector of length S: class weights for classification, the moments
(sum w, sum wy, sum wy^2) for regression. :class:`Classes` and :class:`Number` read such vectors,
so that nothing else needs to ask which of the two it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from penjing.table import Codes, Floats, Table


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """The sums of one column in one node.

    Parameters
    ----------
    codes : (present,) int32
        Codes of the levels that occur, ascending.
    cells : (present, S)
        The sum of each of them.
    missing : (S,)
        The sum of the rows whose value is not known.
    """

    codes: Codes
    cells: Floats
    missing: Floats

    @property
    def known(self) -> Floats:
        """The sum over the rows whose value is known, (S,)."""
        return np.asarray(self.cells.sum(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """All that a node knows of its rows: their sum, and the counts of each column asked for."""

    total: Floats
    columns: Mapping[int, Counts]


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """The sums of several nodes, and whether each holds one class (or one number) only."""

    cells: Floats
    is_pure: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Classes:
    """Reads a vector of class weights."""

    n: int

    @property
    def size(self) -> int:
        """The length S of the vector."""
        return self.n

    def weight(self, total: Floats) -> Floats:
        """Return the weight of all rows."""
        return np.asarray(total.sum(axis=-1))

    def value(self, total: Floats) -> npt.NDArray[np.intp]:
        """Return the majority class; of equal ones the first in the order of classes."""
        return np.asarray(total.argmax(axis=-1))

    def loss(self, total: Floats) -> Floats:
        """Return the weight of the rows that the majority class gets wrong."""
        return np.asarray(total.sum(axis=-1) - total.max(axis=-1))


@dataclass(frozen=True, slots=True)
class Number:
    """Reads a vector of moments (sum w, sum wy, sum wy^2) of y less its centre."""

    centre: float = 0.0

    @property
    def size(self) -> int:
        """The length S of the vector."""
        return 3

    def weight(self, total: Floats) -> Floats:
        """Return the weight of all rows."""
        return np.asarray(total[..., 0])

    def value(self, total: Floats) -> Floats:
        """Return the mean."""
        weight = total[..., 0]
        return np.divide(total[..., 1], weight, out=np.zeros_like(weight), where=weight > 0) + (
            self.centre
        )

    def loss(self, total: Floats) -> Floats:
        """Return the sum of squares about the mean."""
        weight = total[..., 0]
        square = total[..., 1] ** 2
        about = np.divide(square, weight, out=np.zeros_like(weight), where=weight > 0)
        return np.maximum(total[..., 2] - about, 0.0)


Reader = Classes | Number


def reader_of(table: Table) -> Reader:
    """Return what reads the sums of this table: its classes, or the moments of its number."""
    assert table.target is not None
    if not table.is_regression:
        return Classes(len(table.target.levels))
    numbers = table.target.numbers()
    # Centring first keeps sum(y^2) - sum(y)^2/n from cancelling when y is far from zero.
    return Number(float(np.average(numbers, weights=table.weights)) if table.n_rows else 0.0)


def sums(
    slots: npt.NDArray[np.intp],
    n_slots: int,
    weight: Floats | None,
    y: Codes | Floats,
    s: Reader,
) -> Floats:
    """Return the (n_slots, S) sums of rows that fall into slots.

    Rows are added one after the other in their order, so that every engine that keeps the
    rows of a node in the order of the table gets the same bits.
    """
    if isinstance(s, Classes):
        flat = slots * s.n + y
        cells = np.bincount(flat, weight, n_slots * s.n)
        return cells.reshape(n_slots, s.n).astype(np.float64, copy=False)
    w = np.ones(len(slots)) if weight is None else weight
    wy = w * y
    return np.stack(
        [np.bincount(slots, v, n_slots) for v in (w, wy, wy * y)],
        axis=1,
    ).astype(np.float64, copy=False)
