"""The estimated errors of a leaf: the upper confidence limit of C4.5 and J48."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import exp, log, sqrt
from typing import Literal

import numpy as np

# Quinlan's table: the deviate that a normal variable exceeds with this probability.
_PROBABILITY = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATE = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)


@dataclass(frozen=True)
class ErrorBound:
    """Computes the errors added to those that a leaf makes in training.

    Parameters
    ----------
    confidence : float
        The CF of C4.5; a smaller value adds more errors.
    deviate : str
        How the normal deviate is computed: ``table`` (C4.5) or ``quantile`` (J48).
    last_errors : float
        The share of N - e that is added where e is within half a case of N.
    single : bool
        Whether results are rounded to 32-bit floats.
    """

    confidence: float = 0.25
    deviate: Literal["table", "quantile"] = "table"
    last_errors: float = 0.67
    single: bool = False

    @cached_property
    def _round(self) -> Callable[[float], float]:
        return (lambda v: float(np.float32(v))) if self.single else float

    @cached_property
    def _cf(self) -> float:
        # J48 and C4.5 store CF as a 32-bit float.
        return float(np.float32(self.confidence))

    @cached_property
    def squared(self) -> float:
        """The square of the deviate.

        Examples
        --------
        >>> round(ErrorBound().squared, 5), round(ErrorBound(deviate="quantile").squared, 4)
        (0.47956, 0.4549)
        """
        return _squared_deviate(self._cf, self.deviate, single=self.single)

    def added_errors(self, n: float, errors: float) -> float:
        """Return the number of expected errors beyond those made in training.

        Examples
        --------
        >>> round(ErrorBound().added_errors(16, 1), 3)
        1.507
        >>> round(ErrorBound(deviate="quantile", last_errors=1).added_errors(16, 1), 3)
        1.476
        """
        if self.deviate == "quantile" and self._cf > 0.5:
            return 0.0
        return self._round(self._added(n, errors))

    def _added(self, n: float, errors: float) -> float:
        cf = self._cf
        certain = 0.9999 if self.deviate == "table" else 1.0
        if errors < certain:
            none = n * (1 - exp(log(cf) / n))
            if errors < (1e-6 if self.deviate == "table" else 5e-324):
                return none
            none = self._round(none)
            return none + errors * (self._round(self._added(n, 1.0)) - none)
        if errors + 0.5 >= n:
            return max(self.last_errors * (n - errors), 0.0)
        z2, e = self.squared, errors + 0.5
        rate = (e + z2 / 2 + sqrt(z2 * (e * (1 - e / n) + z2 / 4))) / (n + z2)
        return n * self._round(rate) - errors

    def native_arguments(self) -> dict[str, object]:
        """Return the arguments with which C++ computes the same estimates."""
        return {
            "confidence": self._cf,
            "squared": float(self.squared),
            "last_errors": float(self.last_errors),
            "single": self.single,
            "table": self.deviate == "table",
            "nothing": self.deviate == "quantile" and self._cf > 0.5,
        }

    @lru_cache(maxsize=65_536)  # noqa: B019 - there are few bounds, with many repeated calls
    def estimate(self, n: float, errors: float) -> float:
        """Return the errors made in training plus those added; 0 without cases."""
        return self._round(errors + self.added_errors(n, errors)) if n > 0 else 0.0


@lru_cache(maxsize=64)  # each fit makes a bound of its own, nearly always with the same settings
def _squared_deviate(cf: float, deviate: str, *, single: bool) -> float:
    if deviate == "quantile":
        from statistics import NormalDist  # noqa: PLC0415 - loads fractions and decimals

        return NormalDist().inv_cdf(1 - cf) ** 2
    i = max(bisect_left(_PROBABILITY, cf), 1)
    (p, q), (a, b) = _PROBABILITY[i - 1 : i + 1], _DEVIATE[i - 1 : i + 1]
    z = a + (b - a) * (cf - p) / (q - p)
    if not single:
        return z * z
    z = float(np.float32(z))
    return float(np.float32(z * z))
