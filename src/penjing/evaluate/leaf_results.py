"""How a tree predicts test rows in each of its leaves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.statistics import Z95, weight_sums, wilson
from penjing.data.table import Floats, Table
from penjing.predict.inputs import align, labelled_rows
from penjing.predict.predict import apply, classes_of, policies
from penjing.tree.tree_data import TreeData


@dataclass(frozen=True, slots=True)
class LeafResult:
    """The test rows of a leaf, or of several.

    Attributes
    ----------
    weight : float
        The weight of the rows; each weighs 1 if they have no weights.
    correct : float
        The weight of those that are predicted correctly; 0 for regression.
    target_sum, error_sum, square_sum : float
        For regression: the sums of the target, of the errors (target less prediction) and of their
        squares.
    """

    weight: float
    correct: float
    target_sum: float
    error_sum: float
    square_sum: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the share of correct predictions, by Wilson."""
        return wilson(self.correct, self.weight)

    @property
    def rmse(self) -> float:
        """The root mean square error."""
        return math.sqrt(self.square_sum / self.weight)

    @property
    def mean(self) -> float:
        """The mean of the target."""
        return self.target_sum / self.weight

    @property
    def mean_interval(self) -> tuple[float, float]:
        """The 95% interval of the mean: 1.96 standard errors on both sides."""
        error = self.error_sum / self.weight
        variance = max(self.square_sum / self.weight - error**2, 0.0)
        half = Z95 * math.sqrt(variance / (self.weight - 1)) if self.weight > 1 else 0.0
        return self.mean - half, self.mean + half


@dataclass(frozen=True, slots=True)
class LeafResults:
    """The sums of `LeafResult` by the node where the rows stop, (nodes, 5).

    ``divided`` is the weight of the rows that are divided between branches, in proportion to their
    training rows; they count at the node that divides them.
    """

    sums: Floats
    divided: float = 0.0

    def of(self, nodes: Sequence[int]) -> LeafResult:
        """Return the result of some nodes together."""
        return LeafResult(*self.sums[list(nodes)].sum(axis=0).tolist())

    def total(self) -> LeafResult:
        """Return the result of all rows."""
        return LeafResult(*self.sums.sum(axis=0).tolist())


def leaf_results(tree: TreeData, source: Any) -> LeafResults:  # noqa: ANN401 - as in `align`
    """Return how a tree predicts rows, by the node where they stop.

    Parameters
    ----------
    tree : TreeData
        The tree.
    source : Table or source
        Rows with the target. A row that is divided between branches counts where it is divided.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> results = leaf_results(penjing.fit(fish, max_depth=1), fish)
    >>> [(results.of([n]).correct, results.of([n]).weight) for n in range(3)]
    [(0.0, 0.0), (2.0, 3.0), (2.0, 2.0)]
    """
    rows, _ = labelled_rows(align(tree, source), tree.target.name)
    assert rows.target is not None
    nodes, predicted = apply(tree, rows), classes_of(tree, rows)
    n, weight = len(tree.nodes), np.asarray(rows.weights, np.float64)
    nothing = np.zeros(len(nodes))
    if tree.is_regression:
        actual = rows.target.numbers()
        error = actual - predicted
        values = (nothing, actual, error, error**2)
    else:
        values = (1.0 * (rows.target.codes == predicted), nothing, nothing, nothing)
    columns = [weight_sums(nodes, weight * part, n) for part in (nothing + 1, *values)]
    divided = weight[_is_divided(tree, rows, nodes)].sum()
    return LeafResults(np.stack(columns, axis=1), float(divided))


def _is_divided(tree: TreeData, rows: Table, nodes: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which rows stop at a split because they follow each of its branches by a fraction."""
    is_divided = np.zeros(len(nodes), np.bool_)
    unseen, missing = policies(tree, None, None)
    if missing != "fraction":
        return is_divided
    columns = np.where(tree.is_leaf[nodes], -1, tree.nodes.column[nodes])
    for c in np.unique(columns[columns >= 0]).tolist():
        codes, field = rows.columns[c].codes, tree.schema[c]
        has_no_value = codes < 0
        if unseen == "missing" and not field.is_numeric:
            has_no_value = has_no_value | (codes >= len(field.levels))
        is_divided |= (columns == c) & has_no_value
    return is_divided
