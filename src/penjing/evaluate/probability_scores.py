"""Scores of predicted probabilities: log loss, Brier score, ROC AUC, PR AUC, and their intervals.

Rows with the same predicted probabilities are one group, so a tree has hardly more groups than
leaves, however many rows are tested. The definitions are those of scikit-learn; where it warns
because a score is undefined, the result here is None.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.statistics import Z95, weight_sums
from penjing.data.table import Floats

EPSILON = float(np.finfo(np.float64).eps)
"""The smallest probability in the logarithm of the log loss, as in scikit-learn."""

Interval = tuple[float, float]
Ids = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class ProbabilityGroups:
    """The tested rows, grouped by what was predicted for them.

    Parameters
    ----------
    probability : (groups, classes) float64
        The predicted probability of each class.
    weight : (groups, classes) float64
        The weight of the rows of each actual class. No group is empty.
    n_known : int
        How many of the classes the tree knows; the others occur in the tested rows only.
    predicted : (groups,) int
        The predicted class.
    nodes : (groups,) int, or None
        The node where the rows of each group stop; None where several trees predicted.
    """

    probability: Floats
    weight: Floats
    n_known: int
    predicted: Ids
    nodes: Ids | None = None

    @staticmethod
    def of_rows(
        *,
        probability: Floats,
        group: Ids,
        predicted: Ids,
        actual: Ids,
        weight: Floats,
        n_classes: int,
        nodes: Ids | None = None,
    ) -> ProbabilityGroups:
        """Return the groups of rows.

        Parameters
        ----------
        probability : (groups, known classes) float64
            The predicted probabilities of each group.
        group, predicted, actual : (rows,) int
            The group, the predicted class and the class of each row.
        weight : (rows,) float64
            The weight of each row.
        n_classes : int
            The number of classes; those that the tree does not know have the probability 0.
        nodes : (groups,) int, optional
            The node of each group.
        """
        n_groups, n_known = probability.shape
        cells = weight_sums(
            group.astype(np.intp, copy=False) * n_classes + actual, weight, n_groups * n_classes
        ).reshape(n_groups, n_classes)
        some = np.flatnonzero(cells.sum(axis=1) > 0)
        padded = np.zeros((len(some), n_classes))
        padded[:, :n_known] = probability[some]
        of_group = np.zeros(n_groups, np.intp)
        of_group[group] = predicted
        nodes = None if nodes is None else nodes[some]
        return ProbabilityGroups(padded, cells[some], n_known, of_group[some], nodes)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.weight.shape[1])

    def ranked(self, k: int) -> RankedRows:
        """Return the rows in ascending order of the predicted probability of a class."""
        score, place = np.unique(self.probability[:, k], return_inverse=True)
        # Exactly 0 where all rows of a group have the class.
        other = np.maximum(self.weight.sum(axis=1) - self.weight[:, k], 0.0)
        return RankedRows(
            score,
            weight_sums(place, self.weight[:, k], len(score)),
            weight_sums(place, other, len(score)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class RankedRows:
    """The distinct predicted probabilities of a class, and the weight of the rows that have them.

    Parameters
    ----------
    score : (n,) float64
        The probabilities, ascending.
    positive, negative : (n,) float64
        The weight of the rows with the class, and of those with another one.
    """

    score: Floats
    positive: Floats
    negative: Floats

    @property
    def is_mixed(self) -> bool:
        """Whether there are rows with the class and rows with another one."""
        return bool(self.positive.sum() > 0 and self.negative.sum() > 0)

    @property
    def is_separated(self) -> bool:
        """Whether all rows of the class rank above, or below, all others, or all rows are tied."""
        positive, negative = np.flatnonzero(self.positive), np.flatnonzero(self.negative)
        is_above, is_below = negative[-1] < positive[0], positive[-1] < negative[0]
        return bool(is_above or is_below or len(self.score) == 1)


@dataclass(frozen=True, slots=True)
class ProbabilityScores:
    """The scores of predicted probabilities; None where one is undefined.

    Parameters
    ----------
    log_loss, brier_score : float
        The mean log loss (natural logarithm) and the Brier score.
    roc_auc, average_precision : float or None
        Of the positive class; for more than two classes, the mean over the classes, each against
        all others.
    roc_auc_weighted, average_precision_weighted : float or None
        The same mean, weighted by the rows of each class.
    roc_auc_by_class, average_precision_by_class : tuple of float or None
        Of each class against all others.
    intervals : dict
        95% confidence intervals by the name of the score; those of classes as lists.
    """

    log_loss: float
    brier_score: float
    roc_auc: float | None
    roc_auc_weighted: float | None
    average_precision: float | None
    average_precision_weighted: float | None
    roc_auc_by_class: tuple[float | None, ...]
    average_precision_by_class: tuple[float | None, ...]
    intervals: Mapping[str, Any]


def probability_scores(groups: ProbabilityGroups, positive: int | None) -> ProbabilityScores:
    """Return the scores of the tested rows.

    Parameters
    ----------
    groups : ProbabilityGroups
        The rows.
    positive : int or None
        The positive class, if there are two classes.
    """
    log_losses, briers = row_log_losses(groups), row_brier_scores(groups)
    log_loss, brier = mean_of(log_losses, groups), mean_of(briers, groups)
    support = groups.weight.sum(axis=0).tolist()
    areas: list[float | None] = []
    area_intervals: list[Interval | None] = []
    precisions: list[float | None] = []
    for k in range(groups.n_classes):
        rows = groups.ranked(k) if k < groups.n_known else None
        areas.append(None if rows is None else roc_auc(rows))
        area_intervals.append(None if rows is None else roc_auc_interval(rows))
        precisions.append(None if rows is None else average_precision(rows))
    precision_intervals = [
        average_precision_interval(value, n) for value, n in zip(precisions, support, strict=True)
    ]
    is_binary = positive is not None and groups.n_classes == 2
    return ProbabilityScores(
        log_loss,
        brier,
        areas[positive] if is_binary and positive is not None else macro(areas),
        weighted(areas, support),
        precisions[positive] if is_binary and positive is not None else macro(precisions),
        weighted(precisions, support),
        tuple(areas),
        tuple(precisions),
        {
            "log_loss": mean_interval(log_loss, log_losses, groups.weight),
            "brier_score": mean_interval(brier, briers, groups.weight),
            "roc_auc": area_intervals[positive or 0] if is_binary else None,
            "average_precision": precision_intervals[positive or 0] if is_binary else None,
            "roc_auc_by_class": area_intervals,
            "average_precision_by_class": precision_intervals,
        },
    )


def roc_auc(rows: RankedRows) -> float | None:
    """Return the area under the ROC curve: the probability that a row of the class ranks higher.

    Ties count half.

    Examples
    --------
    >>> score = np.array([0.1, 0.5, 0.9])
    >>> roc_auc(RankedRows(score, np.array([0.0, 1, 1]), np.array([1.0, 1, 0])))
    0.875
    """
    if not rows.is_mixed:
        return None
    if rows.is_separated:  # exactly, in spite of rounding
        first, last = np.flatnonzero(rows.positive)[0], np.flatnonzero(rows.negative)[-1]
        return 0.5 if len(rows.score) == 1 else float(first > last)
    below = np.cumsum(rows.negative) - rows.negative / 2
    return float((rows.positive * below).sum() / (rows.positive.sum() * rows.negative.sum()))


def roc_auc_interval(rows: RankedRows, z: float = Z95) -> Interval | None:
    """Return the interval of the area under the ROC curve by DeLong et al. (1988).

    None with fewer than two rows on a side, and where the class is separated from the others, or
    all rows are tied: the estimated variance is 0 then, which says nothing about the precision.

    Examples
    --------
    >>> score = np.array([0.1, 0.5, 0.9])
    >>> ranked = RankedRows(score, np.array([0.0, 1, 1]), np.array([1.0, 1, 0]))
    >>> [round(bound, 4) for bound in roc_auc_interval(ranked)]
    [0.5285, 1.0]
    """
    area = roc_auc(rows)
    n_positive, n_negative = float(rows.positive.sum()), float(rows.negative.sum())
    if area is None or n_positive <= 1 or n_negative <= 1 or rows.is_separated:
        return None
    below = (np.cumsum(rows.negative) - rows.negative / 2) / n_negative
    above = (n_positive - np.cumsum(rows.positive) + rows.positive / 2) / n_positive
    variance = (rows.positive * (below - area) ** 2).sum() / (n_positive - 1) / n_positive
    variance += (rows.negative * (above - area) ** 2).sum() / (n_negative - 1) / n_negative
    half = z * math.sqrt(variance)
    return max(area - half, 0.0), min(area + half, 1.0)


def average_precision(rows: RankedRows) -> float | None:
    """Return the area under the precision-recall curve, as average precision.

    It is the mean precision over the rows of the class, at the probability of each as cut-off.

    Examples
    --------
    >>> score = np.array([0.1, 0.5, 0.9])
    >>> average_precision(RankedRows(score, np.array([0.0, 1, 1]), np.array([1.0, 1, 0])))
    0.8333333333333333
    """
    if not rows.positive.sum() > 0:
        return None
    descending = rows.positive[::-1]
    positive = np.cumsum(descending)
    every = positive + np.cumsum(rows.negative[::-1])
    # Both sums in the same order: exactly 1 if every precision is.
    return float((descending * (positive / every)).sum() / descending.sum())


def average_precision_interval(
    value: float | None, n_positive: float, z: float = Z95
) -> Interval | None:
    """Return the logit interval of an average precision (Boyd, Eng and Page 2013).

    None at 0 and 1, where the logit is infinite.

    Examples
    --------
    >>> [round(bound, 4) for bound in average_precision_interval(0.8, 25)]
    [0.6002, 0.9142]
    """
    if value is None or not 0 < value < 1 or n_positive <= 0:
        return None
    logit = math.log(value / (1 - value))
    half = z / math.sqrt(n_positive * value * (1 - value))
    return _logistic(logit - half), _logistic(logit + half)


def _logistic(x: float) -> float:
    return (1 + math.tanh(x / 2)) / 2  # without overflow


def row_log_losses(groups: ProbabilityGroups) -> Floats:
    """Return the log loss of a row of each group and class, (groups, classes)."""
    return np.asarray(-np.log(np.clip(groups.probability, EPSILON, 1 - EPSILON)))


def row_brier_scores(groups: ProbabilityGroups) -> Floats:
    """Return the squared error of a row of each group and class, (groups, classes).

    For two classes it is the squared error of one of them; for more, the sum over all classes.
    """
    p = groups.probability
    squares = (p**2).sum(axis=1, keepdims=True) - p**2 + (1 - p) ** 2
    return np.asarray(squares / 2 if groups.n_classes <= 2 else squares)


def mean_of(losses: Floats, groups: ProbabilityGroups) -> float:
    """Return the mean loss of the rows."""
    return float((losses * groups.weight).sum() / groups.weight.sum())


def mean_interval(mean: float, losses: Floats, weight: Floats, z: float = Z95) -> Interval | None:
    """Return the normal interval of a mean loss: plus or minus z standard errors, 0 at least.

    Parameters
    ----------
    mean : float
        The mean.
    losses, weight : arrays of one shape
        The loss of the rows of each cell, and their weight, which counts as a number of rows.
    z : float
        The normal quantile.

    Examples
    --------
    >>> low, high = mean_interval(2.0, np.array([1.0, 2.0, 3.0]), np.ones(3))
    >>> round(low, 4), round(high, 4)
    (0.8684, 3.1316)
    """
    n = float(weight.sum())
    if n <= 1:
        return None
    variance = float((weight * (losses - mean) ** 2).sum()) / (n - 1)
    half = z * math.sqrt(variance / n)
    return max(mean - half, 0.0), mean + half


def macro(values: list[float | None]) -> float | None:
    """Return the mean of the values that are defined.

    Examples
    --------
    >>> macro([0.5, None, 1.0]), macro([None])
    (0.75, None)
    """
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def weighted(values: list[float | None], support: list[float]) -> float | None:
    """Return the mean of the values that are defined, weighted by the rows of each class.

    As in scikit-learn it is the plain mean if none of their classes has rows.

    Examples
    --------
    >>> weighted([0.5, None, 1.0], [1, 5, 3])
    0.875
    >>> weighted([None, 0.0], [5, 0])
    0.0
    """
    known = [(v, w) for v, w in zip(values, support, strict=True) if v is not None]
    total = sum(w for _, w in known)
    return sum(v * w for v, w in known) / total if total else macro(values)


def calibration_points(groups: ProbabilityGroups, bins: int) -> list[dict[str, float]]:
    """Return how often predictions are correct, by intervals of their predicted probability.

    Examples
    --------
    >>> predicted = np.array([0])
    >>> groups = ProbabilityGroups(np.array([[0.75, 0.25]]), np.array([[2.0, 2.0]]), 2, predicted)
    >>> calibration_points(groups, 10)
    [{'low': 0.7, 'high': 0.8, 'weight': 4.0, 'said': 0.75, 'right': 0.5}]
    """
    index = np.arange(len(groups.predicted))
    probability = groups.probability[index, groups.predicted]
    correct = groups.weight[index, groups.predicted]
    weight = groups.weight.sum(axis=1)
    bin_of_group = np.minimum((probability * bins).astype(np.intp), bins - 1)
    sums = [
        weight_sums(bin_of_group, each, bins) for each in (weight, probability * weight, correct)
    ]
    return [
        {
            "low": i / bins,
            "high": (i + 1) / bins,
            "weight": float(total),
            "said": float(predicted / total),
            "right": float(right / total),
        }
        for i, (total, predicted, right) in enumerate(zip(*sums, strict=True))
        if total > 0
    ]
