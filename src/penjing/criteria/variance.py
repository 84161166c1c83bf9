"""Variance (regression trees)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penjing.data.table import Floats
from penjing.tree.counts import Reader
from penjing.tree.split import BestSplits


@dataclass(frozen=True, slots=True)
class Variance:
    """The decrease of the variance of the target."""

    name: str = "variance"
    native: str | None = "variance"

    def impurity(self, total: Floats, s: Reader) -> Floats:
        """Return the variance."""
        weight = s.weight(total)
        return np.divide(s.loss(total), weight, out=np.zeros_like(weight), where=weight > 0)

    def between(self, best_splits: BestSplits) -> Floats:
        """Return the gain."""
        return best_splits.gain
