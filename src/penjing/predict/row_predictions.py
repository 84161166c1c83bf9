"""Predictions of rows, with what a report compares them with: no split, and one split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing.data.table import Floats
from penjing.predict.predict import grouped_predictions
from penjing.tree.counts import Classes
from penjing.tree.nodes import Ids
from penjing.tree.tree_data import TreeData


@dataclass(frozen=True, slots=True, eq=False)
class RowPredictions:
    """What a tree, or the trees of several folds, predict for rows.

    Parameters
    ----------
    predicted : (rows,) array
        The code of the predicted class, or the predicted number.
    group : (rows,) int
        The group of each row: rows with the same predicted probabilities.
    probability : (groups, classes) float64
        The predicted probabilities of each group; for a number, the prediction.
    without_split : (rows,) array or None
        The prediction without any split: the most frequent class of the training rows, or their
        mean. None if the tree has no counts.
    one_split : (rows,) array or None
        The prediction by the first split alone; None if the tree has no split, or no counts.
    split_column : int or None
        The column of the first split; None if the trees of folds differ.
    nodes : (groups,) int or None
        The node where the rows of each group stop; None for several trees.
    """

    predicted: npt.NDArray[Any]
    group: Ids | npt.NDArray[np.int64]
    probability: Floats
    without_split: npt.NDArray[Any] | None = None
    one_split: npt.NDArray[Any] | None = None
    split_column: int | None = None
    nodes: Ids | None = None

    def take(self, rows: npt.NDArray[Any]) -> RowPredictions:
        """Return the predictions of some rows, given by a mask or by their indices."""
        return RowPredictions(
            self.predicted[rows],
            self.group[rows],
            self.probability,
            None if self.without_split is None else self.without_split[rows],
            None if self.one_split is None else self.one_split[rows],
            self.split_column,
            self.nodes,
        )


def predict_rows(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Literal["stop", "missing", "error"] | None = None,
    missing: Literal["stop", "fraction", "error"] | None = None,
) -> RowPredictions:
    """Return the predictions of a tree, with those of no split and of the first split alone.

    The first split alone is the tree cut below the children of the root. A row that has no value
    for the first split is then predicted as the root would be.
    """
    predicted, group, probability, nodes = grouped_predictions(
        tree, source, unseen=unseen, missing=missing
    )
    without_split = one_split = column = None
    if tree.has_counts:
        without_split = np.full(len(predicted), root_prediction(tree))
        if not tree.is_leaf[0]:
            one_split = tree.values[top_nodes(tree)[nodes]][group]
            column = int(tree.nodes.column[0])
    return RowPredictions(predicted, group, probability, without_split, one_split, column, nodes)


def root_prediction(tree: TreeData) -> float:
    """Return the code of the most frequent class of the training rows, or their mean.

    Unlike the value of the root, it does not depend on costs. Ties go to the first class.
    """
    total = tree.nodes.total[0]
    if isinstance(tree.reader, Classes):
        return int(total.argmax())
    return float(tree.reader.value(total))


def top_nodes(tree: TreeData) -> Ids:
    """Return, for each node, the child of the root that it lies below; the root for the root.

    Examples
    --------
    >>> import penjing
    >>> top_nodes(penjing.fit(penjing.example("fish")))
    array([0, 1, 2, 1, 1], dtype=int32)
    """
    parent = tree.nodes.parent
    top = np.where(parent > 0, parent, np.arange(len(parent), dtype=parent.dtype))
    while not (top[top] == top).all():  # each step doubles the distance that it climbs
        top = top[top]
    return np.asarray(top)
