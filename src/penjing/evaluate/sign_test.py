"""The exact sign test: whether two trees differ in accuracy by more than chance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.table import Table
from penjing.predict.inputs import align
from penjing.predict.predict import classes_of
from penjing.tree.tree_data import TreeData


def verdict(a: TreeData, b: TreeData, table: Table) -> dict[str, Any]:
    """Return how many rows only one of two trees predicts correctly, and the p-value of that.

    Parameters
    ----------
    a, b : TreeData
        The trees; both predict classes.
    table : Table
        Rows with their classes.

    Returns
    -------
    dict
        ``only_a``, ``only_b``: the number of rows that only one of them predicts correctly;
        ``p``: the p-value of the two-sided sign test, the probability of a difference at least
        as large if both trees were equally good.

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
    by_a, by_b = _is_correct(a, table), _is_correct(b, table)
    only_a, only_b = int((by_a & ~by_b).sum()), int((by_b & ~by_a).sum())
    return {"only_a": only_a, "only_b": only_b, "p": sign_test(only_a, only_b)}


def sign_test(wins: int, losses: int) -> float:
    """Return the p-value of the two-sided sign test: wins and losses as of a fair coin.

    Examples
    --------
    >>> sign_test(1, 0), sign_test(8, 1), sign_test(0, 0)
    (1.0, 0.0390625, 1.0)
    """
    n, fewer = wins + losses, min(wins, losses)
    tail = sum(math.comb(n, k) for k in range(fewer + 1))
    return float(min(1.0, 2 * (tail / 2**n)))


def _is_correct(tree: TreeData, table: Table) -> npt.NDArray[np.bool_]:
    aligned = align(tree, table)
    assert aligned.target is not None
    return np.asarray(classes_of(tree, aligned) == aligned.target.codes)
