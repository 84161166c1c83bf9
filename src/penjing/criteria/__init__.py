"""Criteria: how good a split is, computed from counts alone."""

from penjing.criteria.criterion import Criterion, Impurity

__all__ = ["Criterion", "Impurity"]
