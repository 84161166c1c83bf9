"""Scores of a tree on some rows, and the rows that another tree predicts differently."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.statistics import plain_number, weight_sums, wilson
from penjing.data.table import Table
from penjing.evaluate.number_report import NumberReport
from penjing.evaluate.validation import score
from penjing.predict.inputs import align, labelled_rows
from penjing.predict.predict import classes_of
from penjing.tree.tree_data import TreeData

Plain = dict[str, Any]
Predictions = npt.NDArray[Any]
"""The code of the predicted class, or the number, of each row."""

MAX_CHANGED_ROWS = 200
"""So many of the rows that are predicted differently are listed."""


def scored_rows(tree: TreeData, table: Table) -> Table:
    """Return the rows of a table that `Tree.score` counts, coded like those of a tree."""
    rows, _ = labelled_rows(align(tree, table), tree.target.name)
    if rows.weight is None or (rows.weight > 0).all():
        return rows
    return rows.take(rows.weight > 0)


def predictions_of(tree: TreeData, rows: Table) -> Predictions:
    """Return what a tree predicts for rows that are coded like its own."""
    return classes_of(tree, rows)


def tree_score(tree: TreeData, rows: Table, predictions: Predictions) -> Plain:
    """Return the score of a tree, as :meth:`penjing.Tree.score` computes it.

    Parameters
    ----------
    tree : TreeData
        The tree.
    rows : Table
        Rows by `scored_rows`.
    predictions : array
        Its predictions for them.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> tree = penjing.fit(fish, max_depth=1)
    >>> result = tree_score(tree, fish, predictions_of(tree, fish))
    >>> result["correct"], result["n"], result["accuracy"]
    (4, 5, 0.8)
    """
    if tree.is_regression:
        report = score(tree, rows)
        assert isinstance(report, NumberReport)
        plain = report.to_json()
        numbers = {key: plain[key] for key in ("n", "weight", "rmse", "mae", "r2")}
        return {"kind": "numbers", **numbers, "interval": plain["intervals"].get("rmse")}
    assert rows.target is not None
    codes = rows.target.codes
    is_correct = predictions == codes
    if rows.weight is None:
        correct, weight = float(is_correct.sum()), float(rows.n_rows)
    else:
        # Class by class, as `Tree.score` adds them: sums of weights depend on their order.
        of_class = weight_sums(codes[is_correct], rows.weight[is_correct], len(tree.classes))
        correct, weight = float(of_class.sum()), float(rows.weight.sum())
    return {
        "kind": "classes",
        "n": rows.n_rows,
        "correct": plain_number(correct),
        "weight": plain_number(weight),
        "accuracy": correct / weight if weight else 0.0,
        "interval": list(wilson(correct, weight)) if weight else [0.0, 1.0],
    }


def measure_of(score_: Plain) -> float:
    """Return the number by which scores are compared: accuracy, or the root mean squared error."""
    return float(score_["accuracy" if score_["kind"] == "classes" else "rmse"])


def changed_rows(
    tree: TreeData, rows: Table, before: Predictions, after: Predictions
) -> tuple[int, list[Plain]]:
    """Return how many rows two trees predict differently, and the first of these rows.

    Parameters
    ----------
    tree : TreeData
        Either tree; both have the same classes.
    rows : Table
        The rows.
    before, after : array
        The predictions of both trees.
    """
    changed = np.flatnonzero(before != after)
    shown = changed[:MAX_CHANGED_ROWS].tolist()
    assert rows.target is not None
    actual = rows.target.take(np.asarray(shown, np.intp)).values()
    return len(changed), [
        {
            "number": rows.row_number(row),
            "id": exact_value(rows.row_id(row)),
            "before": exact_value(label(tree, before[row])),
            "after": exact_value(label(tree, after[row])),
            "actual": exact_value(value),
        }
        for row, value in zip(shown, actual, strict=True)
    ]


def exact_value(value: Any) -> Any:  # noqa: ANN401 - any cell
    """Return a cell for JSON: an integer that JavaScript would round becomes a text.

    Examples
    --------
    >>> exact_value(20240101), exact_value(12345678901234567), exact_value(0.5)
    (20240101, '12345678901234567', 0.5)
    """
    is_long = isinstance(value, int) and abs(value) > 2**53
    return str(value) if is_long else value


def label(tree: TreeData, prediction: Any) -> Any:  # noqa: ANN401 - a class or a number
    """Return a prediction as a plain value: the class, or the number."""
    if tree.is_regression:
        return float(prediction)
    return tree.classes[int(prediction)]
