"""Exact cuts from coarse counts: which buckets of a column have to be looked into.

A column of very many numbers is counted in buckets first. Only buckets that may hide a cut as good
as the best border between two buckets (:mod:`penjing.engines.out_of_core.bucket_bound`) are opened;
the cut that is found is the best of all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from penjing.criteria.criterion import Criterion, gains
from penjing.data.table import Floats
from penjing.engines.out_of_core.bucket_bound import most_inside
from penjing.tree.counts import TIE, Counts, Reader

MOST_CLASSES = 8
"""With more classes a bucket has too many corners, and every bucket is opened."""

Mask = npt.NDArray[np.bool_]


def is_open(
    criterion: Criterion,
    cells: Floats,
    is_single: Mask,
    s: Reader,
    least: float,
    *,
    missing: Floats | None = None,
) -> Mask:
    """Return which buckets may hold a cut as good as the best border between buckets.

    Parameters
    ----------
    criterion : Criterion
        What measures a division.
    cells : (buckets, S)
        The sums of the buckets that have rows, in ascending order.
    is_single : (buckets,)
        Whether a bucket has one value only in this node.
    s : Reader
        Reads the sums.
    least : float
        What both sides must weigh.
    missing : (S,), optional
        The sums of the rows without a value, where these have a branch of their own: cuts that
        differ by rounding only are then told apart less finely.

    Examples
    --------
    Of four buckets only the second and the third can hold a better cut:

    >>> from penjing.criteria.gini import Gini
    >>> from penjing.tree.counts import Classes
    >>> cells = np.array([[9.0, 0.0], [5.0, 2.0], [1.0, 4.0], [0.0, 9.0]])
    >>> is_open(Gini(), cells, np.zeros(4, bool), Classes(2), 0.0)
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
        fair = (s.weight(border) >= least).all(axis=1)
        told = gains(criterion, known, border, s)
        best = float(told[fair].max()) if fair.any() else -np.inf
    bound = most_inside(criterion, known, left, cells, s)
    slack = 4 * TIE * abs(float(criterion.impurity(known, s)))
    if missing is not None and missing.any():
        every = known + missing
        share = float(s.weight(every)) / float(s.weight(known))
        slack = max(slack, 4 * TIE * share * abs(float(criterion.impurity(every, s))))
    return np.asarray((bound >= best - slack) & ~is_single)


def merged(
    cells: Floats, low: Floats, high: Floats, opened: Sequence[int], inside: Sequence[Counts]
) -> Counts:
    """Return counts in which the opened buckets are replaced by the values inside.

    ``inside[i].spans`` holds the values of bucket ``opened[i]``; codes are places only.
    """
    parts, lows, highs = [], [], []
    by_bucket = dict(zip(opened, inside, strict=True))
    for bucket in range(len(cells)):
        found = by_bucket.get(bucket)
        if found is None:
            parts.append(cells[bucket : bucket + 1])
            lows.append(low[bucket : bucket + 1])
            highs.append(high[bucket : bucket + 1])
        else:
            assert found.spans is not None
            parts.append(found.cells)
            lows.append(found.spans[:, 0])
            highs.append(found.spans[:, 1])
    spans = np.stack([np.concatenate(lows), np.concatenate(highs)], axis=1)
    codes = np.arange(len(spans), dtype=np.int32)
    return Counts(codes, np.concatenate(parts), np.zeros(cells.shape[1]), spans=spans)
