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
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Floats, Table
from penjing.errors import DataError

TIE = 1e-12
"""Two scores are equal if they differ by less than this share of the numbers they come from."""


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
    rows : (present, S) or None
        The same as ``cells`` with every row of some weight weighing 1; None where all do.
    missing_rows : float or None
        How many rows have no known value; None where every row weighs 1.
    spans : (present, 2) or None
        The least and the greatest number of each, where numbers were counted together; then
        ``codes`` are places only.
    """

    codes: Codes
    cells: Floats
    missing: Floats
    rows: Floats | None = None
    missing_rows: float | None = None
    spans: Floats | None = None

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
    """The sums of several nodes, and whether each holds one class (or one number) only.

    ``rows`` is the number of rows of each, None where every row weighs 1.
    """

    cells: Floats
    is_pure: npt.NDArray[np.bool_]
    rows: Floats | None = None


@dataclass(frozen=True, slots=True)
class Costs:
    """What classes count for, where not each row of each class counts the same.

    Parameters
    ----------
    factor : tuple of float
        By what the weight of each class is multiplied (priors, class weights).
    loss : tuple of tuple of float
        ``loss[i][j]``: what it costs to answer class j where class i is true; 0 where i = j.
    altered : tuple of float
        The factors for judging divisions, in which the costs are contained (Breiman et al.
        1984, 4.4.3); the factors themselves where all mistakes cost the same.
    n_seen : int
        How many classes there are up to the last that has a row, if only one of weight 0. Known
        while a tree grows, 0 afterwards.
    """

    factor: tuple[float, ...]
    loss: tuple[tuple[float, ...], ...]
    altered: tuple[float, ...]
    n_seen: int = 0

    def risks(self, total: Floats) -> Floats:
        """Return what each answer would cost, (…, classes), from class weights (…, classes)."""
        risk = np.zeros_like(total)
        for true, factor in enumerate(self.factor):  # one after the other: a fixed rounding
            risk += total[..., true, None] * np.asarray(self.loss[true]) * factor
        return risk

    def to_json(self) -> dict[str, Any]:
        """Return the costs as plain data."""
        return {
            "factor": list(self.factor),
            "loss": [list(row) for row in self.loss],
            "altered": list(self.altered),
        }

    @staticmethod
    def from_json(plain: Mapping[str, Any] | None) -> Costs | None:
        """Return the costs of plain data."""
        if plain is None:
            return None
        loss = tuple(tuple(row) for row in plain["loss"])
        return Costs(tuple(plain["factor"]), loss, tuple(plain["altered"]))


@dataclass(frozen=True, slots=True)
class Classes:
    """Reads a vector of class weights."""

    n: int
    costs: Costs | None = None

    @property
    def size(self) -> int:
        """The length S of the vector."""
        return self.n

    def weight(self, total: Floats) -> Floats:
        """Return the weight of all rows."""
        return np.asarray(total.sum(axis=-1))

    def value(self, total: Floats) -> npt.NDArray[np.intp]:
        """Return the majority (or cheapest) class; of equal ones the first in their order."""
        if self.costs is not None:
            return np.asarray(self.costs.risks(total).argmin(axis=-1))
        return np.asarray(total.argmax(axis=-1))

    def loss(self, total: Floats) -> Floats:
        """Return the weight (or the cost) of the rows that this class gets wrong."""
        if self.costs is not None:
            return np.asarray(self.costs.risks(total).min(axis=-1))
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


def reader_of(table: Table, costs: Costs | None = None, *, centred: bool = True) -> Reader:
    """Return what reads the sums of this table: its classes, or the moments of its number."""
    assert table.target is not None
    with np.errstate(over="ignore", invalid="ignore"):
        weight = table.total_weight
        if weight == np.inf:
            raise DataError("weights_too_large")
        if not table.is_regression:
            return Classes(len(table.target.levels), costs)
        numbers = table.target.numbers()
        # Centring first keeps sum(y^2) - sum(y)^2/n from cancelling when y is far from zero.
        is_far = centred and table.n_rows > 0
        centre = float(np.average(numbers, weights=table.weights)) if is_far else 0.0
        if not np.isfinite(weight * (table.weights * (numbers - centre) ** 2).sum()):
            raise DataError("target_too_large", target=table.target.name)
    return Number(centre)


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


def ties_of(told: Mapping[str, Any], score: Floats) -> list[dict[str, Any]]:
    """Return the nodes where several columns came out equal, as a tree's story holds them."""
    start, columns = told["tie_start"].tolist(), told["tie_columns"].tolist()
    tied = told["tied_nodes"]
    return [
        {"columns": columns[start[i] : start[i + 1]], "score": at, "node": node}
        for i, (node, at) in enumerate(zip(tied.tolist(), score[tied].tolist(), strict=True))
    ]
