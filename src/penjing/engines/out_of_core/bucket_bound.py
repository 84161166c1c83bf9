"""An upper bound of the gain of all cuts inside a bucket.

A cut inside a bucket leaves some of the bucket's rows on the left: between none and all of each
class. The gain is a convex function of the counts on the left, so its maximum over this box is at
a corner, where all rows of some classes are on the left and all rows of the others on the right.
"""

from __future__ import annotations

import numpy as np

from penjing.criteria.criterion import Criterion, gains
from penjing.data.table import Floats
from penjing.tree.counts import Reader


def max_gain_inside(
    criterion: Criterion, known: Floats, left: Floats, inside: Floats, s: Reader
) -> Floats:
    """Return the gain of the best corner of each bucket.

    Parameters
    ----------
    criterion : Criterion
        The split criterion.
    known : (K,)
        The counts of the node.
    left, inside : (buckets, K)
        The counts before each bucket, and in it.
    s : Reader
        Interprets the sums.

    Examples
    --------
    >>> from penjing.criteria.gini import Gini
    >>> from penjing.tree.counts import Classes
    >>> known, left, inside = np.array([2.0, 2.0]), np.zeros((1, 2)), np.array([[2.0, 2.0]])
    >>> max_gain_inside(Gini(), known, left, inside, Classes(2))
    array([0.5])
    """
    k = len(known)
    corners = ((np.arange(2**k)[:, None] >> np.arange(k)) & 1).astype(np.float64)
    before = left[:, None, :] + corners[None] * inside[:, None, :]
    after = np.stack([before, known - before], axis=2).reshape(-1, 2, k)
    return np.asarray(gains(criterion, known, after, s).reshape(len(left), -1).max(axis=1))
