"""Whether two trees differ by more than chance: the exact sign test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penjing.data.table import Table
from penjing.predict.inputs import align
from penjing.predict.predict import classes_of
from penjing.tree.tree_data import TreeData


def verdict(a: TreeData, b: TreeData, table: Table) -> dict[str, Any]:
    """Return on how many rows only one of two trees is right, and how likely that is by chance.

    Parameters
    ----------
    a, b : TreeData
        The trees; both predict classes.
    table : Table
        Rows with their classes.

    Returns
    -------
    dict
        ``only_a``, ``only_b``: rows that only one of them gets right; ``p``: the two-sided sign
        test, the chance of a difference at least as large if both were equally good.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> import penjing
    >>> a = penjing.Tree.from_dict({"x": {"p": "yes", "q": "no"}})
    >>> b = penjing.Tree.from_dict({"x": {"p": "yes", "q": "yes"}})
    >>> rows = Table((nominal("x", "pqq"),), nominal("class", ["yes", "no", "no"]), 3)
    >>> verdict(a, b, rows)
    {'only_a': 2, 'only_b': 0, 'p': 0.5}
    """
    right = [_right(tree, table) for tree in (a, b)]
    only_a, only_b = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    return {"only_a": only_a, "only_b": only_b, "p": sign_test(only_a, only_b)}


def sign_test(wins: int, losses: int) -> float:
    """Return the two-sided chance of so unequal a result of fair coins.

    Examples
    --------
    >>> sign_test(1, 0), sign_test(8, 1), sign_test(0, 0)
    (1.0, 0.0390625, 1.0)
    """
    n, few = wins + losses, min(wins, losses)
    tail = sum(math.comb(n, k) for k in range(few + 1))
    return float(min(1.0, 2 * (tail / 2**n)))


def _right(tree: TreeData, table: Table) -> np.ndarray[Any, np.dtype[np.bool_]]:
    aligned = align(tree, table)
    assert aligned.target is not None
    return np.asarray(classes_of(tree, aligned) == aligned.target.codes)
