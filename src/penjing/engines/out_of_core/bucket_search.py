"""Exact cuts from bucket counts: which buckets of a column have to be counted by value.

A column of very many numbers is counted in buckets first. Only buckets that may contain a cut as
good as the best border between two buckets are opened, that is counted by value
(:mod:`penjing.engines.out_of_core.bucket_bound` computes the bound). So the best cut is exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from penjing.criteria.criterion import Criterion, gains
from penjing.data.table import Floats
from penjing.engines.out_of_core.bucket_bound import max_gain_inside
from penjing.tree.counts import TIE, Counts, Reader

MOST_CLASSES = 8
"""With more classes the bound has too many corners to compute, and every bucket is opened."""

Mask = npt.NDArray[np.bool_]


def may_hold_best_cut(
    criterion: Criterion,
    cells: Floats,
    is_single: Mask,
    s: Reader,
    min_branch: float,
    *,
    missing: Floats | None = None,
) -> Mask:
    """Return which buckets may contain a cut as good as the best border between buckets.

    Parameters
    ----------
    criterion : Criterion
        The split criterion.
    cells : (buckets, S)
        The sums of the nonempty buckets, in ascending order.
    is_single : (buckets,)
        Whether a bucket has only one value in this node.
    s : Reader
        Interprets the sums.
    min_branch : float
        The smallest weight of a branch.
    missing : (S,), optional
        The sums of the rows with a missing value, if these have a branch of their own: the
        tolerance for ties is then wider.

    Examples
    --------
    Of four buckets only the second and the third can contain a better cut:

    >>> from penjing.criteria.gini import Gini
    >>> from penjing.tree.counts import Classes
    >>> cells = np.array([[9.0, 0.0], [5.0, 2.0], [1.0, 4.0], [0.0, 9.0]])
    >>> may_hold_best_cut(Gini(), cells, np.zeros(4, bool), Classes(2), 0.0)
    array([False,  True,  True, False])
    """
    n, k = cells.shape
    if k > MOST_CLASSES:
        return ~is_single
    known = cells.sum(axis=0)
    left = np.cumsum(cells, axis=0) - cells
    border = np.stack([left[1:], known - left[1:]], axis=1)
    best = -np.inf
    if n > 1:
        is_allowed = (s.weight(border) >= min_branch).all(axis=1)
        border_gains = gains(criterion, known, border, s)
        best = float(border_gains[is_allowed].max()) if is_allowed.any() else -np.inf
    bound = max_gain_inside(criterion, known, left, cells, s)
    slack = 4 * TIE * abs(float(criterion.impurity(known, s)))
    if missing is not None and missing.any():
        total = known + missing
        share = float(s.weight(total)) / float(s.weight(known))
        slack = max(slack, 4 * TIE * share * abs(float(criterion.impurity(total, s))))
    return np.asarray((bound >= best - slack) & ~is_single)


def merge_opened(
    cells: Floats, low: Floats, high: Floats, opened: Sequence[int], inside: Sequence[Counts]
) -> Counts:
    """Return counts in which the opened buckets are replaced by the values inside them.

    ``inside[i].spans`` holds the values of bucket ``opened[i]``; codes are row positions only.
    """
    parts, lows, highs = [], [], []
    by_bucket = dict(zip(opened, inside, strict=True))
    for bucket in range(len(cells)):
        values = by_bucket.get(bucket)
        if values is None:
            parts.append(cells[bucket : bucket + 1])
            lows.append(low[bucket : bucket + 1])
            highs.append(high[bucket : bucket + 1])
        else:
            assert values.spans is not None
            parts.append(values.cells)
            lows.append(values.spans[:, 0])
            highs.append(values.spans[:, 1])
    spans = np.stack([np.concatenate(lows), np.concatenate(highs)], axis=1)
    codes = np.arange(len(spans), dtype=np.int32)
    return Counts(codes, np.concatenate(parts), np.zeros(cells.shape[1]), spans=spans)
