"""Pessimistic pruning (C4.5): the errors of a leaf are estimated by their upper confidence limit.

The textbook form: a leaf misclassifies e of N training rows. Its error rate is taken to be U, the
largest rate at which at most e errors have probability CF; the estimate is N * U errors. A split
stays only if its branches have fewer estimated errors than a leaf.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.table import Floats
from penjing.errors import CapabilityError
from penjing.prune.bottom_up import fold_bottom_up
from penjing.prune.decisions import Decision, compare
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData

CONFIDENCE = 0.25
"""Quinlan's CF; a smaller value prunes more."""
MAX_ITERATIONS = 200
"""More than bisection of floats needs; five to ten iterations are usual."""
EPSILON = 2.0**-52
MAX_TERMS = 100_000
"""The continued fraction needs about the square root of the number of rows."""


def prune(tree: TreeData, *, confidence: float = CONFIDENCE) -> tuple[TreeData, list[Decision]]:
    """Return the tree without the splits that do not have fewer estimated errors than a leaf.

    Nodes are decided in postorder: children before their parent, the first branch first. A tie is
    cut. The counts in the tree are sufficient.

    Parameters
    ----------
    tree : TreeData
        The tree to prune; it is not changed.
    confidence : float
        The CF of C4.5, between 0 and 1; a smaller value prunes more.

    Returns
    -------
    (TreeData, list of Decision)
    """
    if tree.is_regression:
        raise CapabilityError("pessimistic_needs_classes", target=tree.target.name)
    if not tree.has_counts:
        raise CapabilityError("pessimistic_needs_counts")
    arguments.confidence(confidence)
    # Errors are counted even where costs make the prediction another than the majority class.
    n_correct = np.take_along_axis(tree.nodes.total, tree.values[:, None], axis=1)[:, 0]
    rates = upper_limit(tree.weight - n_correct, tree.weight, float(confidence))
    errors = tree.weight * rates
    as_leaf, weight = errors.tolist(), tree.weight.tolist()

    def is_cut(node: int, kept: float) -> bool:
        leaf = as_leaf[node]
        return bool(weight[node] == 0 or kept - leaf >= -TIE * max(kept, leaf))

    fold = fold_bottom_up(
        tree, errors, is_cut, tree_cost=math.fsum(errors[tree.is_leaf].tolist()), add=math.fsum
    )
    size = np.maximum(fold.kept, fold.as_leaf)
    why = compare(fold.kept - fold.as_leaf, size, tree.weight[fold.node])
    return fold.apply(tree, tree.weight, why)


def upper_limit(
    errors: npt.ArrayLike, rows: npt.ArrayLike, confidence: float = CONFIDENCE
) -> Floats:
    """Return the error rate p at which at most e errors in N rows have this probability.

    P(X <= e | N, p) = CF, exactly (Clopper and Pearson 1934); 1 - CF^(1/N) where e = 0. Between
    whole numbers the binomial sum is continued by the incomplete beta function, for fractional
    cases: P(X <= e | N, p) = 1 - I_p(e + 1, N - e).

    Parameters
    ----------
    errors, rows : numbers or arrays
        e and N; where all rows are errors, or there are none, the rate is 1.

    Examples
    --------
    >>> upper_limit([0, 1], [1, 16]).round(4)
    array([0.75  , 0.1596])
    """
    e, n = np.broadcast_arrays(np.asarray(errors, np.float64), np.asarray(rows, np.float64))
    limit = np.ones(e.shape)
    is_free = (e <= 0) & (n > 0)
    # 1 - CF^(1/N), accurate for large N
    limit[is_free] = -np.expm1(np.log(confidence) / n[is_free])
    is_mixed = (e > 0) & (e < n)
    pairs, places = np.unique(
        np.stack([e[is_mixed] + 1, (n - e)[is_mixed]]), axis=1, return_inverse=True
    )
    limit[is_mixed] = _quantiles(pairs[0], pairs[1], 1 - confidence)[places]
    return limit


def _quantiles(a: Floats, b: Floats, share: float) -> Floats:
    """Return where the incomplete beta function reaches a share: Newton with bisection."""
    low, high, p = np.zeros(len(a)), np.ones(len(a)), a / (a + b)
    log_beta = _log_beta(a, b)
    noise = EPSILON * (1 + np.abs(log_beta))
    active = np.arange(len(a))
    for _ in range(MAX_ITERATIONS):
        some, x = active, p[active]
        above = _shares(a[some], b[some], x, log_beta[some]) - share
        low[some] = np.where(above > 0, low[some], x)
        high[some] = np.where(above > 0, x, high[some])
        with np.errstate(all="ignore"):
            slope = np.exp(_log_density(a[some], b[some], x, log_beta[some]))
            step = x - above / slope
        is_inside = (low[some] < step) & (step < high[some])
        following = np.where(is_inside, step, low[some] / 2 + high[some] / 2)
        # Rounding errors prevent a better solution.
        is_done = np.abs(above) <= noise[some]
        is_done |= (following == low[some]) | (following == high[some])
        active = some[~is_done]
        if not active.size:
            break
        p[active] = following[~is_done]
    return p


def regularized_beta(a: npt.ArrayLike, b: npt.ArrayLike, x: npt.ArrayLike) -> Floats:
    """Return the regularised incomplete beta function I_x(a, b).

    By its continued fraction (Abramowitz and Stegun 26.5.8), evaluated from the front with
    Lentz's method on the side where it converges quickly.

    Examples
    --------
    >>> round(float(regularized_beta(2, 3, 0.5)), 12)  # P(X >= 2 of 4 coins)
    0.6875
    """
    arrays = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (a, b, x)))
    p, q, z = (np.atleast_1d(v) for v in arrays)
    found = np.where(z >= 1, 1.0, 0.0)
    some = (z > 0) & (z < 1)
    found[some] = _shares(p[some], q[some], z[some], _log_beta(p[some], q[some]))
    return found.reshape(arrays[0].shape)


def _shares(a: Floats, b: Floats, x: Floats, log_beta: Floats) -> Floats:
    is_far = x > (a + 1) / (a + b + 2)
    near, other = np.where(is_far, b, a), np.where(is_far, a, b)
    z = np.where(is_far, 1 - x, x)
    front = np.exp(_log_density(a, b, x, log_beta)) * x * (1 - x) / near
    found = front * _fraction(near, other, z)
    return np.where(is_far, 1 - found, found)


def _fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """Return the continued fraction; each element stops when it has converged."""
    c: Floats = np.ones(len(a))
    d = 1 / _nonzero(1 - (a + b) * x / (a + 1))
    value = d
    result = np.empty(len(a))
    active = np.arange(len(a))
    for m in range(1, MAX_TERMS):
        for part in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _nonzero(1 + part * d)
            c = _nonzero(1 + part / c)
            value = value * (c * d)
        is_done = np.abs(c * d - 1) <= 2 * EPSILON
        result[active[is_done]] = value[is_done]
        is_active = ~is_done
        active, value = active[is_active], value[is_active]
        if not active.size:
            break
        a, b, x, c, d = a[is_active], b[is_active], x[is_active], c[is_active], d[is_active]
    result[active] = value
    return result


def _nonzero(value: Floats) -> Floats:
    """Return a divisor, replaced by a tiny number where it is 0 (Thompson and Barnett 1986)."""
    return np.where(np.abs(value) > 1e-300, value, 1e-300)


def _log_beta(a: Floats, b: Floats) -> Floats:
    return np.array(
        [
            math.lgamma(p) + math.lgamma(q) - math.lgamma(p + q)
            for p, q in zip(a.tolist(), b.tolist(), strict=True)
        ],
        np.float64,
    )


def _log_density(a: Floats, b: Floats, x: Floats, log_beta: Floats) -> Floats:
    """Return the logarithm of the density of the beta distribution."""
    return (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - log_beta
