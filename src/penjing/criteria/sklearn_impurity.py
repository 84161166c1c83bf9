"""Impurities with the rounding of scikit-learn, which decides its ties between equal splits."""

from __future__ import annotations

import numpy as np

from penjing import _core
from penjing.data.table import Floats
from penjing.tree.counts import Classes, Reader


def sum_columns(part: Floats) -> Floats:
    """Return the sum of each row, added from the first column to the last."""
    total = np.zeros(len(part))
    for j in range(part.shape[1]):
        total = total + part[:, j]
    return total


def gini(part: Floats) -> Floats:
    """Return 1 - sum n^2 / N^2 (and not 1 - sum (n / N)^2) of rows of class weights."""
    weight, squares = sum_columns(part), np.zeros(len(part))
    for j in range(part.shape[1]):
        squares += part[:, j] * part[:, j]
    return np.asarray(1.0 - squares / (weight * weight))


def entropy(part: Floats) -> Floats:
    """Return the entropy in bits of rows of class weights."""
    weight, total = sum_columns(part), np.zeros(len(part))
    for j in range(part.shape[1]):
        p = part[:, j] / weight
        logs = _core.logs(np.where(p > 0, p, 1.0)) / np.log(2.0)
        total -= np.where(p > 0, p * logs, 0.0)
    return total


def variance(part: Floats) -> Floats:
    """Return the variance of rows of moments: sum w, sum wy, sum wy^2."""
    weight = part[:, 0]
    return np.asarray(part[:, 2] / weight - (part[:, 1] / weight) ** 2)


def weighted(total: Floats, s: Reader) -> Floats:
    """Return sums with class weights, where there are any."""
    if isinstance(s, Classes) and s.costs is not None:
        return np.asarray(total * np.asarray(s.costs.factor))
    return total


def impurity(total: Floats, s: Reader, criterion: str) -> Floats:
    """Return the impurity of each row of sums, class weights included."""
    part = weighted(total, s)
    if not isinstance(s, Classes):
        return variance(part)
    return gini(part) if criterion == "gini" else entropy(part)
