"""What a bucket may hide: no cut inside it is worth more than this.

Inside a bucket a cut leaves some of its rows on the left, at least none and at most all of each
class. A gain is a convex function of what is on the left, so none does better than the best
corner of that box: with the rows of some classes wholly left and of all others wholly right.
"""

from __future__ import annotations

import numpy as np

from penjing.criteria.criterion import Criterion, gains
from penjing.data.table import Floats
from penjing.tree.counts import Reader


def most_inside(
    criterion: Criterion, known: Floats, left: Floats, inside: Floats, s: Reader
) -> Floats:
    """Return the gain of the best corner of each bucket.

    Parameters
    ----------
    criterion : Criterion
        What measures a division.
    known : (K,)
        The counts of the node.
    left, inside : (buckets, K)
        The counts before each bucket, and in it.
    s : Reader
        Reads the sums.

    Examples
    --------
    >>> from penjing.criteria.gini import Gini
    >>> from penjing.tree.counts import Classes
    >>> known, left, inside = np.array([2.0, 2.0]), np.zeros((1, 2)), np.array([[2.0, 2.0]])
    >>> most_inside(Gini(), known, left, inside, Classes(2))
    array([0.5])
    """
    k = len(known)
    corners = ((np.arange(2**k)[:, None] >> np.arange(k)) & 1).astype(np.float64)
    before = left[:, None, :] + corners[None] * inside[:, None, :]
    after = np.stack([before, known - before], axis=2).reshape(-1, 2, k)
    return np.asarray(gains(criterion, known, after, s).reshape(len(left), -1).max(axis=1))
