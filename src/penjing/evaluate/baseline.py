"""Baselines of a report: what needs no tree, and what its first split alone achieves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.source import Label
from penjing.data.statistics import weight_sums
from penjing.data.table import Floats


@dataclass(frozen=True, slots=True)
class Baseline:
    """The accuracy of one class for every row, and of the first split alone.

    Parameters
    ----------
    class_ : object
        The most frequent class of the training rows; ties go to the first class. Where the folds
        of a cross-validation differ, it is the most frequent class of all rows.
    accuracy : float
        The accuracy of predicting it for every tested row.
    column : str or None
        The column of the tree's first split, the best single column by its recipe. None if the
        tree has no split or no counts, or where folds differ.
    column_accuracy : float or None
        The accuracy of the tree cut below its first split.
    is_of_tested_rows : bool
        Whether the class is the most frequent one of the tested rows, because the tree has no
        counts or folds differ.

    Examples
    --------
    >>> import penjing
    >>> fish = penjing.example("fish")
    >>> baseline = penjing.fit(fish).score(fish).baseline
    >>> baseline.class_, baseline.accuracy, baseline.column, baseline.column_accuracy
    ('no', 0.6, 'no surfacing', 0.8)
    """

    class_: Label
    accuracy: float
    column: str | None = None
    column_accuracy: float | None = None
    is_of_tested_rows: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the baselines as plain data.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).score(fish).baseline.to_json()["best_column"]
        {'column': 'no surfacing', 'accuracy_score': 0.8}
        """
        return {
            "class": self.class_,
            "accuracy_score": self.accuracy,
            "from": "test" if self.is_of_tested_rows else "training",
            "best_column": {"column": self.column, "accuracy_score": self.column_accuracy},
        }


@dataclass(frozen=True, slots=True)
class NumberBaseline:
    """The errors of the mean of the training rows, and of the first split alone.

    Parameters
    ----------
    mean : float or None
        The mean of the training rows, or of the tested rows if the tree has no counts. None where
        the folds of a cross-validation differ.
    rmse, mae : float
        The root mean squared error and the mean absolute error of predicting it for every row.
    column : str or None
        The column of the tree's first split; None as in `Baseline`.
    column_rmse, column_mae : float or None
        The errors of the tree cut below its first split.
    is_of_tested_rows : bool
        Whether the mean is that of the tested rows.

    Examples
    --------
    >>> import penjing
    >>> rows = [{"x": x, "y": x + 0.5} for x in (0, 1, 4, 5)]
    >>> baseline = penjing.fit(rows, "y", recipe="sklearn").score(rows).baseline
    >>> baseline.mean, baseline.mae, baseline.column, baseline.column_mae
    (3.0, 2.0, 'x', 0.5)
    """

    mean: float | None
    rmse: float
    mae: float
    column: str | None = None
    column_rmse: float | None = None
    column_mae: float | None = None
    is_of_tested_rows: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the baselines as plain data.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": x, "y": x + 0.5} for x in (0, 1, 4, 5)]
        >>> penjing.fit(rows, "y", recipe="sklearn").score(rows).baseline.to_json()["mean"]
        3.0
        """
        return {
            "mean": self.mean,
            "root_mean_squared_error": self.rmse,
            "mean_absolute_error": self.mae,
            "from": "test" if self.is_of_tested_rows else "training",
            "best_column": {
                "column": self.column,
                "root_mean_squared_error": self.column_rmse,
                "mean_absolute_error": self.column_mae,
            },
        }


def class_baseline(
    *,
    classes: tuple[Label, ...],
    actual: npt.NDArray[Any],
    weight: Floats,
    without_split: npt.NDArray[Any] | None,
    one_split: npt.NDArray[Any] | None,
    column: str | None,
) -> Baseline:
    """Return the baselines of tested rows; predictions are codes, as `RowPredictions` has them."""
    total = float(weight.sum())
    if without_split is not None and (without_split == without_split[0]).all():
        majority, is_of_tested_rows = int(without_split[0]), False
    else:  # if each of two equal classes is left out in turn, the other one is always predicted: 0%
        majority = int(weight_sums(actual, weight, len(classes)).argmax())
        is_of_tested_rows = True
    return Baseline(
        classes[majority],
        float(weight[actual == majority].sum()) / total,
        column,
        None if one_split is None else float(weight[one_split == actual].sum()) / total,
        is_of_tested_rows,
    )


def number_baseline(
    *,
    actual: Floats,
    weight: Floats,
    without_split: Floats | None,
    one_split: Floats | None,
    column: str | None,
) -> NumberBaseline:
    """Return the baselines of tested rows with a number as target."""
    of_tested = without_split is None
    if without_split is None:
        without_split = np.full(len(actual), np.average(actual, weights=weight))
    first = float(without_split[0])
    is_one = bool((without_split == first).all())
    rmse, mae = _errors(without_split, actual, weight)
    column_rmse, column_mae = (
        (None, None) if one_split is None else _errors(one_split, actual, weight)
    )
    return NumberBaseline(
        first if is_one else None, rmse, mae, column, column_rmse, column_mae, of_tested
    )


def _errors(predicted: Floats, actual: Floats, weight: Floats) -> tuple[float, float]:
    error = np.abs(predicted - actual)
    return (
        float(np.sqrt(np.average(error**2, weights=weight))),
        float(np.average(error, weights=weight)),
    )
