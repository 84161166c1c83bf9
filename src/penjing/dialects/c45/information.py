"""Entropy as C4.5 (in 32 bits) and J48 (in 64 bits) compute it, rounding included.

Both add terms one after the other. With ``round_`` after each operation whose result C4.5 stores,
one set of formulas serves both programs: a double result rounded to 32 bits is what 32-bit
arithmetic would give.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from penjing import _core
from penjing.data.table import Floats

Round = Callable[[Floats], Floats]
LN2 = 0.69314718055994530942


def double(number: Floats) -> Floats:
    """Return a number as it is."""
    return number


def single(number: Floats) -> Floats:
    """Return a number rounded to 32 bits.

    Examples
    --------
    >>> float(single(np.float64(0.1)))
    0.10000000149011612
    """
    with np.errstate(over="ignore"):  # beyond 3e38 all numbers are infinite
        return np.asarray(number, np.float32).astype(np.float64)


def rounding(precision: str) -> Round:
    """Return the function that rounds each result."""
    return single if precision == "single" else double


def in_order(terms: Floats, round_: Round) -> Floats:
    """Return sums along the last axis, one term after the other."""
    if round_ is double:
        # cumsum adds in order, unlike sum, which adds pairwise.
        return np.asarray(np.cumsum(terms, axis=-1)[..., -1] if terms.shape[-1] else 0.0)
    sums = np.zeros(terms.shape[:-1])
    for i in range(terms.shape[-1]):
        sums = round_(sums + terms[..., i])
    return sums


def n_log_n(n: Floats, least: float = 0.0) -> Floats:
    """Return n log2 n, 0 where n is not more than ``least``; logarithms are the C library's."""
    n = np.asarray(n, np.float64)
    known = np.where(n > least, n, 1.0)
    return np.asarray(n * (_core.logs(known.ravel()).reshape(known.shape) / LN2))


def information(counts: Floats, round_: Round = double, least: float = 0.0) -> Floats:
    """Return the bits that encode the classes (or branches) along the last axis, for all cases.

    N log N - sum n log n: the entropy times the number of cases.

    Examples
    --------
    >>> float(information(np.array([2.0, 2.0])))
    4.0
    """
    class_bits = in_order(n_log_n(counts, least), round_)
    return round_(n_log_n(in_order(counts, round_), least) - class_bits)


def gain(
    parts: Floats, before: Floats, missing_share: float, round_: Round, least: float = 0.0
) -> Floats:
    """Return the information gain of splits, per case, known or missing.

    Parameters
    ----------
    parts : (candidates, branches, classes)
        The known cases of each branch.
    before : scalar
        The bits per known case before the split.
    missing_share : float
        The share of the cases whose value is missing.
    """
    after = in_order(information(parts, round_, least), round_)
    known = in_order(in_order(parts, round_), round_)
    return round_(round_(np.asarray(1 - missing_share)) * round_(before - round_(after / known)))
