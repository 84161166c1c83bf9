"""Pessimistic pruning (C4.5): a leaf's errors are taken at the upper limit of their confidence.

The textbook form: of N training rows a leaf gets e wrong; its true error rate is taken to be U,
the largest rate at which so few errors still happen with probability CF, and N rows are expected
to bring N * U errors. A question stays only if its branches promise fewer errors than a leaf.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.table import Floats
from penjing.errors import CapabilityError
from penjing.prune.decisions import Decision, apply_cuts, decide
from penjing.tree.tree_data import TreeData

CONFIDENCE = 0.25
"""Quinlan's CF: smaller cuts more."""
LOOPS = 200
"""More than halving a float's interval to nothing takes; five to ten are usual."""
EPSILON = 2.0**-52
TERMS = 100_000
"""The continued fraction needs about the root of the number of rows."""


def prune(tree: TreeData, *, confidence: float = CONFIDENCE) -> tuple[TreeData, list[Decision]]:
    """Return the tree without the questions that do not promise fewer errors.

    Bottom up, branch after branch: the children of a node are decided before the node, the
    first branch with all that is below it before the second. A tie is cut. The counts that the
    tree keeps are enough, no rows are needed.

    Parameters
    ----------
    tree : TreeData
        What to prune; it stays as it is.
    confidence : float
        The CF of C4.5, between 0 and 1; the smaller, the more is cut.

    Returns
    -------
    (TreeData, list of Decision)
    """
    if tree.is_regression:
        raise CapabilityError("pessimistic_needs_classes", target=tree.target.name)
    if not tree.has_counts:
        raise CapabilityError("pessimistic_needs_counts")
    arguments.confidence(confidence)
    # Errors are counted, also where the answer is the cheapest class and not the most frequent.
    right = np.take_along_axis(tree.nodes.total, tree.values[:, None], axis=1)[:, 0]
    rates = upper_limit(tree.weight - right, tree.weight, float(confidence))
    weight, as_leaf = tree.weight.tolist(), (tree.weight * rates).tolist()
    now = list(as_leaf)
    whole = math.fsum(estimate for i, estimate in enumerate(as_leaf) if tree.is_leaf[i])
    decisions = []
    for node in inner_nodes_bottom_up(tree):
        kept = math.fsum(now[child] for child in tree.children(node))
        made = decide(
            node,
            "errors",
            rows=weight[node],
            kept=kept,
            as_leaf=as_leaf[node],
            size=max(kept, as_leaf[node]),
            tree_kept=whole,
            ties="cut",
        )
        if made.decision == "cut":
            whole += as_leaf[node] - kept
        else:
            now[node] = kept
        decisions.append(made)
    return apply_cuts(tree, decisions), decisions


def inner_nodes_bottom_up(tree: TreeData) -> list[int]:
    """Return the nodes that ask something, each after all that stand below it, first branch first.

    Walking with the last branch first and a node before its children is the same backwards.
    """
    waiting, found = [0], []
    while waiting:
        node = waiting.pop()
        if not tree.is_leaf[node]:
            found.append(node)
            waiting.extend(tree.children(node))
    return found[::-1]


def upper_limit(
    errors: npt.ArrayLike, rows: npt.ArrayLike, confidence: float = CONFIDENCE
) -> Floats:
    """Return the rate p at which at most so many errors in so many rows have this probability.

    P(X <= e | N, p) = CF, exactly (Clopper and Pearson 1934); 1 - CF^(1/N) where e = 0. Between
    whole numbers the binomial sum is continued by the incomplete beta function, so that rows
    may be shared out: P(X <= e | N, p) = 1 - I_p(e + 1, N - e).

    Parameters
    ----------
    errors, rows : numbers or arrays
        e and N; where all rows are wrong, or there are none, the rate is 1.

    Examples
    --------
    >>> upper_limit([0, 1], [1, 16]).round(4)
    array([0.75  , 0.1596])
    """
    e, n = np.broadcast_arrays(np.asarray(errors, np.float64), np.asarray(rows, np.float64))
    limit = np.ones(e.shape)
    is_free = (e <= 0) & (n > 0)
    # 1 - CF^(1/N), without losing digits where N is large
    limit[is_free] = -np.expm1(np.log(confidence) / n[is_free])
    is_mixed = (e > 0) & (e < n)
    pairs, places = np.unique(
        np.stack([e[is_mixed] + 1, (n - e)[is_mixed]]), axis=1, return_inverse=True
    )
    limit[is_mixed] = _quantiles(pairs[0], pairs[1], 1 - confidence)[places]
    return limit


def _quantiles(a: Floats, b: Floats, share: float) -> Floats:
    """Return where the incomplete beta function reaches a share: Newton, kept in by halving."""
    low, high, p = np.zeros(len(a)), np.ones(len(a)), a / (a + b)
    log_beta = _log_beta(a, b)
    noise = EPSILON * (1 + np.abs(log_beta))
    active = np.arange(len(a))
    for _ in range(LOOPS):
        some, x = active, p[active]
        above = _shares(a[some], b[some], x, log_beta[some]) - share
        low[some] = np.where(above > 0, low[some], x)
        high[some] = np.where(above > 0, x, high[some])
        with np.errstate(all="ignore"):
            slope = np.exp(_log_density(a[some], b[some], x, log_beta[some]))
            step = x - above / slope
        is_inside = (low[some] < step) & (step < high[some])
        following = np.where(is_inside, step, low[some] / 2 + high[some] / 2)
        # Closer than the rounding of what is compared it cannot get.
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
    """Return the continued fraction; each number stops by itself, whatever its neighbours do."""
    c: Floats = np.ones(len(a))
    d = 1 / _away(1 - (a + b) * x / (a + 1))
    found = d
    done = np.empty(len(a))
    active = np.arange(len(a))
    for m in range(1, TERMS):
        for part in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away(1 + part * d)
            c = _away(1 + part / c)
            found = found * (c * d)
        is_done = np.abs(c * d - 1) <= 2 * EPSILON
        done[active[is_done]] = found[is_done]
        left = ~is_done
        active, found = active[left], found[left]
        if not active.size:
            break
        a, b, x, c, d = a[left], b[left], x[left], c[left], d[left]
    done[active] = found
    return done


def _away(value: Floats) -> Floats:
    """Return a divisor that is never 0 (Thompson and Barnett 1986)."""
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
