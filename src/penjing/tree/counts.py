"""Counts: the sums from which splits are scored, and the classes that interpret them.

Growing needs one thing from the data: for a set of open nodes, the weight of each (column, level,
class). For a node and a column it is a :class:`Counts`, for a node a :class:`Tally`. These are
sums, so those of threads, partitions, machines and sibling nodes can be added.

A sum is a short vector of length S: class weights for classification, the moments (sum w, sum wy,
sum wy^2) for regression. :class:`Classes` and :class:`Number` interpret such vectors, so that
other code need not distinguish the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Floats, Table
from penjing.errors import DataError

SMALLEST_SQUARE = np.finfo(np.float64).tiny / np.finfo(np.float64).eps
"""Smaller squares have lost digits, or are 0."""

TIE = 1e-12
"""Two scores tie if they differ by less than this share of the numbers they are computed from."""


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
        The same as ``cells`` with weight 1 for every row of positive weight; None where all
        weights are 1.
    missing_rows : float or None
        The number of rows without a value; None where all weights are 1.
    spans : (present, 2) or None
        The smallest and the largest number of each, where numbers were counted in buckets;
        ``codes`` are then only positions.
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
    """The sum of a node's rows, and the counts of each requested column."""

    total: Floats
    columns: Mapping[int, Counts]


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """The sums of several nodes, and whether each node holds one class (or one number) only.

    ``rows`` is the number of rows of each, None where all weights are 1.
    """

    cells: Floats
    is_pure: npt.NDArray[np.bool_]
    rows: Floats | None = None


@dataclass(frozen=True, slots=True)
class Costs:
    """Class weights, priors and misclassification costs.

    Parameters
    ----------
    factor : tuple of float
        The factor of the weight of each class (priors, class weights).
    loss : tuple of tuple of float
        ``loss[i][j]``: the cost of predicting class j where class i is true; 0 where i = j.
    altered : tuple of float
        The factors for scoring splits, which include the costs (Breiman et al. 1984, 4.4.3);
        equal to ``factor`` where all errors cost the same.
    n_seen : int
        The number of classes up to the last one that has a row, be it of weight 0. Known while a
        tree grows, 0 afterwards.
    """

    factor: tuple[float, ...]
    loss: tuple[tuple[float, ...], ...]
    altered: tuple[float, ...]
    n_seen: int = 0

    def risks(self, total: Floats) -> Floats:
        """Return the cost of predicting each class, (…, classes), from weights (…, classes)."""
        risk = np.zeros_like(total)
        for true, factor in enumerate(self.factor):  # in a fixed order, hence fixed rounding
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
        """Return the costs that `to_json` wrote."""
        if plain is None:
            return None
        loss = tuple(tuple(row) for row in plain["loss"])
        return Costs(tuple(plain["factor"]), loss, tuple(plain["altered"]))


@dataclass(frozen=True, slots=True)
class Classes:
    """Interprets a vector of class weights."""

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
        """Return the majority class (with costs, the cheapest); ties go to the first class."""
        if self.costs is not None:
            return np.asarray(self.costs.risks(total).argmin(axis=-1))
        return np.asarray(total.argmax(axis=-1))

    def loss(self, total: Floats) -> Floats:
        """Return the weight (with costs, the cost) of the rows that `value` misclassifies."""
        if self.costs is not None:
            return np.asarray(self.costs.risks(total).min(axis=-1))
        return np.asarray(total.sum(axis=-1) - total.max(axis=-1))

    def loss_of(self, total: Floats, prediction: float) -> float:
        """Return the weight (with costs, the cost) of the rows that a class misclassifies."""
        code = int(prediction)
        if self.costs is not None:
            return float(self.costs.risks(total)[code])
        return float(total.sum() - total[code])


@dataclass(frozen=True, slots=True)
class Number:
    """Interprets a vector of moments (sum w, sum wy, sum wy^2) of y minus its centre."""

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
        explained = np.divide(square, weight, out=np.zeros_like(weight), where=weight > 0)
        return np.maximum(total[..., 2] - explained, 0.0)

    def loss_of(self, total: Floats, prediction: float) -> float:
        """Return the sum of squares about a prediction."""
        offset = prediction - self.centre
        return float(max(total[2] - 2 * offset * total[1] + offset**2 * total[0], 0.0))


Reader = Classes | Number


def reader_of(table: Table, costs: Costs | None = None, *, centred: bool = True) -> Reader:
    """Return the reader for the target of a table: `Classes`, or `Number` for regression."""
    assert table.target is not None
    if table.weight is None and not table.is_regression:
        return Classes(len(table.target.levels), costs)
    with np.errstate(over="ignore", invalid="ignore"):
        weight = table.total_weight
        if np.isinf(np.square(weight)):  # the Gini index has squares of weights
            raise DataError("weights_too_large")
        if not table.is_regression:
            return Classes(len(table.target.levels), costs)
        numbers = table.target.numbers()
        # Centring first keeps sum(y^2) - sum(y)^2/n from cancelling when y is far from zero.
        has_centre = centred and table.n_rows > 0
        centre = float(np.average(numbers, weights=table.weights)) if has_centre else 0.0
        if not np.isfinite(weight * (table.weights * (numbers - centre) ** 2).sum()):
            raise DataError("target_too_large", target=table.target.name)
    return Number(centre)


def check_range(table: Table, *, small_target: bool = False) -> None:
    """Raise an error if squares of the row weights, or of the target's numbers, are lost.

    Parameters
    ----------
    table : Table
        The training rows.
    small_target : bool
        Whether the squares of the target's numbers may be lost.

    Examples
    --------
    >>> import penjing
    >>> check_range(penjing.example("golf"))
    """
    assert table.target is not None
    if table.weight is None and not table.is_regression:
        return
    with np.errstate(over="ignore", under="ignore"):
        weight = table.total_weight
        if table.weight is not None and weight > 0 and np.square(weight) < SMALLEST_SQUARE:
            raise DataError("weights_too_small")
        if table.is_regression and table.n_rows and not small_target:
            numbers = table.target.numbers()
            largest, smallest = numbers.max(), numbers.min()
            if largest > smallest and np.square(largest - smallest) < SMALLEST_SQUARE:
                raise DataError("target_too_small", target=table.target.name)


def sums(
    slots: npt.NDArray[np.intp],
    n_slots: int,
    weight: Floats | None,
    y: Codes | Floats,
    s: Reader,
) -> Floats:
    """Return the (n_slots, S) sums of the rows of each slot.

    Rows are added in their order. Every engine that keeps the rows of a node in the order of the
    table hence gets the same sums to the last bit.
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


def native_record(arrays: Mapping[str, Any], score: Floats) -> dict[str, Any]:
    """Return what C++ reports of a growth: ties, and leaves that ``max_leaves`` did not split.

    The result is part of a tree's ``about``, as the loop in Python records it.
    """
    start, columns = arrays["tie_start"].tolist(), arrays["tie_columns"].tolist()
    tied = arrays["tied_nodes"]
    ties = [
        {"columns": columns[start[i] : start[i + 1]], "score": at, "node": node}
        for i, (node, at) in enumerate(zip(tied.tolist(), score[tied].tolist(), strict=True))
    ]
    record: dict[str, Any] = {"n_ties": arrays["n_ties"], "ties": ties}
    if arrays["passed_over"].size:
        record["stops"] = {"max_leaves": arrays["passed_over"].tolist()}
    return record


def prediction_costs(
    true: Codes, predictions: npt.NDArray[np.intp], s: Reader, *, transposed: bool = False
) -> Floats:
    """Return what the predicted class of each row costs; an error costs 1 where costs are equal.

    With ``transposed`` losses the roles of true and predicted class are exchanged.
    """
    assert isinstance(s, Classes)
    if s.costs is None:
        return np.asarray(true != predictions, np.float64)
    loss = np.asarray(s.costs.loss)
    cost = loss[predictions, true] if transposed else loss[true, predictions]
    return np.asarray(np.asarray(s.costs.factor)[true] * cost)
