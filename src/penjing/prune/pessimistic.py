"""Pessimistic pruning (C4.5): a leaf's errors are taken at the upper limit of their confidence.

The textbook form: of N training rows a leaf gets e wrong; its true error rate is taken to be U,
the largest rate at which so few errors still happen with probability CF, and N rows are expected
to bring N * U errors. A question stays only if its branches promise fewer errors than a leaf.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from penjing.errors import CapabilityError, ChoiceError
from penjing.prune import Decision, cut_back, decide
from penjing.tree import Tree

CONFIDENCE = 0.25
"""Quinlan's CF: smaller cuts more."""
LOOPS = 200
"""More than halving a float's interval to nothing takes; five to ten are usual."""


def prune(tree: Tree, *, confidence: float = CONFIDENCE) -> tuple[Tree, list[Decision]]:
    """Return the tree without the questions that do not promise fewer errors.

    Bottom up, branch after branch: the children of a node are decided before the node, the
    first branch with all that is below it before the second. A tie is cut. The counts that the
    tree keeps are enough, no rows are needed.

    Parameters
    ----------
    tree : Tree
        What to prune; it stays as it is.
    confidence : float
        The CF of C4.5, between 0 and 1; the smaller, the more is cut.

    Returns
    -------
    (Tree, list of Decision)
    """
    if tree.is_regression:
        raise CapabilityError("pessimistic_needs_classes", target=tree.target.name)
    if not tree.has_counts:
        raise CapabilityError("pessimistic_needs_counts")
    is_number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    if not (is_number and 0 < confidence < 1):
        raise ChoiceError("bad_confidence", value=confidence)
    # Errors are counted, also where the answer is the cheapest class and not the most frequent.
    right = np.take_along_axis(tree.nodes.total, tree.values[:, None], axis=1)[:, 0]
    weight, wrong = tree.weight.tolist(), (tree.weight - right).tolist()
    as_leaf = [n * upper_limit(e, n, float(confidence)) for n, e in zip(weight, wrong, strict=True)]
    now = list(as_leaf)
    whole = math.fsum(estimate for i, estimate in enumerate(as_leaf) if tree.is_leaf[i])
    decisions = []
    for node in branch_by_branch(tree):
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
    return cut_back(tree, decisions), decisions


def branch_by_branch(tree: Tree) -> list[int]:
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


@lru_cache(maxsize=65_536)
def upper_limit(errors: float, rows: float, confidence: float = CONFIDENCE) -> float:
    """Return the rate p at which at most so many errors in so many rows have this probability.

    P(X <= e | N, p) = CF, exactly (Clopper and Pearson 1934); 1 - CF^(1/N) where e = 0. Between
    whole numbers the binomial sum is continued by the incomplete beta function, so that rows
    may be shared out: P(X <= e | N, p) = 1 - I_p(e + 1, N - e).

    Examples
    --------
    >>> upper_limit(0, 1)
    0.75
    >>> round(upper_limit(1, 16), 4)
    0.1596
    """
    if rows <= 0 or errors >= rows:
        return 1.0
    if errors <= 0:
        # 1 - CF^(1/N), without losing digits where N is large
        return -math.expm1(math.log(confidence) / rows)
    a, b = errors + 1, rows - errors
    low, high, p = 0.0, 1.0, a / (a + b)
    for _ in range(LOOPS):
        above = beta_share(a, b, p) - (1 - confidence)
        low, high = (low, p) if above > 0 else (p, high)
        # Newton, as long as it stays between the limits; else halve.
        slope = math.exp(_log_density(a, b, p))
        step = p - above / slope if slope > 0 else low
        following = step if low < step < high else low / 2 + high / 2
        if following in (low, high, p):
            break
        p = following
    return p


def beta_share(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b).

    By its continued fraction (Abramowitz and Stegun 26.5.8), evaluated from the front with
    Lentz's method on the side where it converges quickly.

    Examples
    --------
    >>> round(beta_share(2, 3, 0.5), 12)  # P(X >= 2 of 4 coins)
    0.6875
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _fraction(b, a, 1 - x)
    return _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    front = math.exp(_log_density(a, b, x)) * x * (1 - x) / a
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    found = d
    for m in range(1, 100_000):
        for part in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + part * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + part / c
            c = c if abs(c) > tiny else tiny
            found *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * found


def _log_density(a: float, b: float, x: float) -> float:
    """Return the logarithm of the density of the beta distribution."""
    return (
        math.lgamma(a + b)
        - math.lgamma(a)
        - math.lgamma(b)
        + (a - 1) * math.log(x)
        + (b - 1) * math.log1p(-x)
    )
