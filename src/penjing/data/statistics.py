"""The confidence interval of a share, sums of weights, and the format of shares and counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054
"""The normal quantile of a 95% interval."""


def wilson(correct: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Return the confidence interval of the share ``correct / n`` (Wilson 1927).

    Unlike the share plus or minus its standard error, it stays between 0 and 1 and is accurate
    for small n.

    Examples
    --------
    >>> low, high = wilson(7, 10)
    >>> round(low, 3), round(high, 3)
    (0.397, 0.892)
    """
    share = correct / n
    z2 = z * z / n
    center = (share + z2 / 2) / (1 + z2)
    half_width = z / (1 + z2) * math.sqrt(share * (1 - share) / n + z2 / (4 * n))
    # Exactly 0 and 1 at the ends, despite rounding.
    low = 0.0 if correct <= 0 else max(center - half_width, 0.0)
    return low, 1.0 if correct >= n else min(center + half_width, 1.0)


def weight_sums(
    index: npt.NDArray[np.integer[Any]], weight: npt.NDArray[np.float64], n: int
) -> npt.NDArray[np.float64]:
    """Return the sum of the weights of each index below ``n``, in the order of the rows.

    Examples
    --------
    >>> weight_sums(np.array([0, 2, 2]), np.array([1.0, 1.0, 0.5]), 3)
    array([1. , 0. , 1.5])
    """
    return np.asarray(np.bincount(index, weight, n), np.float64)


def percent(correct: float, n: float) -> str:
    """Return a share in percent with at most one decimal; 100 only if all are correct.

    Examples
    --------
    >>> percent(7, 10), percent(3, 7), percent(9999, 10000), percent(1, 10000)
    ('70', '42.9', '99.9', '0.1')
    """
    tenths = math.floor(1000 * correct / n + 0.5)
    if correct < n:
        tenths = min(tenths, 999)
    if correct > 0:
        tenths = max(tenths, 1)
    return f"{tenths / 10:.1f}".removesuffix(".0")


def format_count(value: float) -> str:
    """Return a count as text: integers without decimals, others with two."""
    if float(value).is_integer():
        return str(int(value))
    return f"{value:.2f}"


def plain_number(value: float) -> float:
    """Return a number as a plain int if it is an integer, otherwise as a float."""
    value = float(value)
    return int(value) if value.is_integer() else value
