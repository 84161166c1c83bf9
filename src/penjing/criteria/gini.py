"""The Gini index (CART)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penjing.data.table import Floats
from penjing.tree.counts import Reader
from penjing.tree.split import BestSplits


def gini_impurity(counts: Floats) -> Floats:
    """Return 1 - sum p^2 of counts along the last axis: the chance that two draws differ.

    Examples
    --------
    >>> gini_impurity(np.array([8.0, 8.0]))
    array(0.5)
    """
    weight = counts.sum(axis=-1, keepdims=True)
    share = np.divide(counts, weight, out=np.zeros_like(counts), where=weight > 0)
    return np.asarray(np.where(weight[..., 0] > 0, 1.0 - (share**2).sum(axis=-1), 0.0))


@dataclass(frozen=True, slots=True)
class Gini:
    """The decrease of the Gini index (Breiman et al. 1984)."""

    name: str = "gini"
    native: str | None = "gini"

    def impurity(self, total: Floats, s: Reader) -> Floats:  # noqa: ARG002 - the protocol's
        """Return the Gini index of the classes."""
        return gini_impurity(total)

    def between(self, best_splits: BestSplits) -> Floats:
        """Return the gain."""
        return best_splits.gain
