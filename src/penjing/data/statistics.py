"""Small statistics: the interval of a share, and how shares and counts are printed."""

from __future__ import annotations

import math

Z95 = 1.959963984540054
"""The normal deviate of a 95 % interval."""


def wilson(correct: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Return the interval of a share of which ``correct`` of ``n`` were seen (Wilson 1927).

    Unlike the share plus or minus its standard error it never leaves 0 to 1 and is honest for
    few rows.

    Examples
    --------
    >>> low, high = wilson(7, 10)
    >>> round(low, 3), round(high, 3)
    (0.397, 0.892)
    """
    share = correct / n
    z2 = z * z / n
    middle = (share + z2 / 2) / (1 + z2)
    half = z / (1 + z2) * math.sqrt(share * (1 - share) / n + z2 / (4 * n))
    # Exactly 0 and 1 at the ends, where rounding would leave a trace.
    low = 0.0 if correct <= 0 else max(middle - half, 0.0)
    return low, 1.0 if correct >= n else min(middle + half, 1.0)


def percent(correct: float, n: float) -> str:
    """Return a share in per cent with at most one decimal; 100 only where all are right.

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
    """Return a count as text: whole numbers without a point, others with two decimals at most."""
    if float(value).is_integer():
        return str(int(value))
    return f"{value:.2f}"


def plain_number(value: float) -> float:
    """Return a plain number, whole ones as integers."""
    value = float(value)
    return int(value) if value.is_integer() else value
