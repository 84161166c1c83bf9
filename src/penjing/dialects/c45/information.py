"""Information as Quinlan's programs compute it, in double precision or rounded like floats.

C4.5 keeps every number in 32 bits and every sum in the order of its terms; J48 does the same in
64. With ``round_`` after each operation that a program would store, one set of formulas serves
both: rounding a double result to a float gives what float arithmetic would.
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
    """Return how each result is rounded."""
    return single if precision == "single" else double


def in_order(terms: Floats, round_: Round) -> Floats:
    """Return sums along the last axis, one term after the other."""
    if round_ is double:
        # cumsum adds in order, unlike sum, which adds in pairs of pairs.
        return np.asarray(np.cumsum(terms, axis=-1)[..., -1] if terms.shape[-1] else 0.0)
    found = np.zeros(terms.shape[:-1])
    for i in range(terms.shape[-1]):
        found = round_(found + terms[..., i])
    return found


def n_log_n(n: Floats, least: float = 0.0) -> Floats:
    """Return n log2 n, 0 where n is not more than ``least``; logarithms are the C library's."""
    n = np.asarray(n, np.float64)
    known = np.where(n > least, n, 1.0)
    return np.asarray(n * (_core.logs(known.ravel()).reshape(known.shape) / LN2))


def information(counts: Floats, round_: Round = double, least: float = 0.0) -> Floats:
    """Return the bits that the classes (or parts) along the last axis need, all cases together.

    N log N - sum n log n: the entropy times the number of cases.

    Examples
    --------
    >>> float(information(np.array([2.0, 2.0])))
    4.0
    """
    spent = in_order(n_log_n(counts, least), round_)
    return round_(n_log_n(in_order(counts, round_), least) - spent)


def gain(
    parts: Floats, before: Floats, unknown_share: float, round_: Round, least: float = 0.0
) -> Floats:
    """Return what divisions gain per case, known or not.

    Parameters
    ----------
    parts : (candidates, branches, classes)
        The known cases of each branch.
    before : scalar
        The bits per known case, undivided.
    unknown_share : float
        The share of the cases whose value is not known.
    """
    after = in_order(information(parts, round_, least), round_)
    known = in_order(in_order(parts, round_), round_)
    return round_(round_(np.asarray(1 - unknown_share)) * round_(before - round_(after / known)))
