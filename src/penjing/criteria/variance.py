"""The variance of a number (regression trees)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penjing.split import Offers
from penjing.table import Floats
from penjing.tally import Reader


@dataclass(frozen=True, slots=True)
class Variance:
    """The decrease of the mean squared distance from the mean."""

    name: str = "variance"
    native: str | None = "variance"

    def impurity(self, total: Floats, s: Reader) -> Floats:
        """Return the variance."""
        weight = s.weight(total)
        return np.divide(s.loss(total), weight, out=np.zeros_like(weight), where=weight > 0)

    def between(self, offers: Offers) -> Floats:
        """Return the gain itself."""
        return offers.gain
