"""Limits of a node's splits: bounds that keep predictions monotonic, and the columns it may use.

The value of a node is its mean, or the share of its first class. Where a node splits on a column
with a constraint, the middle between the values of its two children separates all values below the
one from all values below the other. Predictions are clipped to these bounds, as scikit-learn does.
Bounds depend on the sums of the nodes only, so they hold for pruned trees, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from penjing.data.table import Floats
from penjing.tree.counts import Classes, Reader

if TYPE_CHECKING:
    from penjing.tree.tree_data import TreeData


class Bounds(NamedTuple):
    """The least and the largest value of a node."""

    lower: float = -np.inf
    upper: float = np.inf

    def clip(self, value: float) -> float:
        """Return the value, or the bound that it exceeds."""
        return min(max(value, self.lower), self.upper)


UNBOUNDED = Bounds()


def node_values(total: Floats, s: Reader) -> Floats:
    """Return what bounds limit: the share of the first of two classes, or the mean less its centre.

    Class weights and priors count, as in the predicted probability. NaN where there is no weight.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if not isinstance(s, Classes):
            return np.asarray(total[..., 1] / total[..., 0])
        first, second = total[..., 0], total[..., min(1, s.n - 1)]
        if s.costs is not None:
            first, second = first * s.costs.factor[0], second * s.costs.factor[1]
        return np.asarray(first / (first + second))


def value_signs(directions: Sequence[int], s: Reader) -> tuple[int, ...]:
    """Return the sign of each column for `node_values`, from that of the prediction.

    If the probability of the second class increases, the share of the first one decreases.
    """
    return tuple(-d if isinstance(s, Classes) else d for d in directions)


def child_bounds(bounds: Bounds, sign: int, left: float, right: float) -> tuple[Bounds, Bounds]:
    """Return the bounds of both children of a node, from the values of the children.

    Parameters
    ----------
    bounds : Bounds
        Those of the node.
    sign : int
        1 if values increase with the column of the split, -1 if they decrease, 0 if either.
    left, right : float
        The values of the children.
    """
    if sign == 0:
        return bounds, bounds
    middle = (bounds.clip(left) + bounds.clip(right)) / 2
    low, high = Bounds(bounds.lower, middle), Bounds(middle, bounds.upper)
    return (low, high) if sign > 0 else (high, low)


@dataclass(frozen=True, slots=True, eq=False)
class NodeLimits:
    """What constraints allow in one node.

    Parameters
    ----------
    bounds : Bounds
        The bounds of the node's value. A split on a column with a direction must keep them; the
        values of other splits are clipped.
    signs : tuple of int
        For each column the direction of `node_values`: 1, -1, or 0; empty without bounds.
    columns : frozenset of int or None
        The columns that the node may split on; None for all.
    reader : Reader
        Interprets the sums.
    """

    bounds: Bounds
    signs: tuple[int, ...]
    columns: frozenset[int] | None
    reader: Reader

    def excludes(self, column: int) -> bool:
        """Return whether the node may not split on a column at all."""
        return self.columns is not None and column not in self.columns

    def refused(self, column: int, left: Floats, right: Floats) -> npt.NDArray[np.bool_]:
        """Return which candidates of a column are refused, from the sums of both sides."""
        if self.excludes(column):
            return np.ones(len(left), bool)
        if not self.signs or not self.signs[column]:
            return np.zeros(len(left), bool)
        values = node_values(left, self.reader), node_values(right, self.reader)
        return self.refused_values(column, *values)

    def refused_values(self, column: int, one: Floats, other: Floats) -> npt.NDArray[np.bool_]:
        """Return which candidates of a column are refused, from the values of both sides."""
        lower, upper = self.bounds
        admitted = (one >= lower) & (other >= lower) & (one <= upper) & (other <= upper)
        return np.asarray(~(admitted & ((one - other) * self.signs[column] <= 0)))


def tree_bounds(tree: TreeData) -> Floats | None:
    """Return the bounds of each node, (nodes, 2); None if no column has a constraint."""
    directions: Mapping[str, Any] | None = tree.recipe.get("monotonic_cst")
    if directions is None:
        return None
    signs = value_signs([int(directions.get(field.name, 0)) for field in tree.schema], tree.reader)
    values = node_values(tree.nodes.total, tree.reader).tolist()
    columns, first_child = tree.nodes.column.tolist(), tree.first_child.tolist()
    bounds = [UNBOUNDED] * len(columns)
    for node, column in enumerate(columns):
        if column < 0:
            continue
        first = first_child[node]
        sign = signs[column] if tree.n_children[node] == 2 else 0
        below = child_bounds(bounds[node], sign, values[first], values[first + 1])
        bounds[first], bounds[first + 1] = below
    return np.array(bounds)
