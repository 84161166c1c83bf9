"""The nodes of a tree as arrays, one entry per node.

Nodes are numbered breadth first, so the children of a node have consecutive numbers and
``parent`` never decreases. Code that visits all nodes loops over an index instead of recursing, so
the depth of a tree is not limited.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Floats
from penjing.tree.split import Surrogate

Ids = npt.NDArray[np.int32]
LEAF = -1
"""The column of a node that has no split."""


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """The nodes of a tree as arrays.

    Parameters
    ----------
    parent : (n,) int32
        -1 for the root; never decreasing.
    column : (n,) int32
        The column that the node splits on, -1 for a leaf.
    cut : (n,) float64
        The threshold of an ordered column; NaN otherwise.
    level_start : (n + 1,) int64
        Node i is reached from its parent by the levels
        ``level_codes[level_start[i]:level_start[i + 1]]`` of the parent's column.
    level_codes : int32
        The codes of those levels, node after node.
    total : (n, S) float64
        The sum of the training rows of each node.
    gain, score : (n,) float64
        The gain and the score of the node's split; 0 in leaves.
    gap : (n, 2) float64 or None
        The values on both sides of each threshold, of the training rows that reach the node: every
        number between them routes those rows alike. NaN where there is no threshold; None where
        the training rows were not available.
    missing : (n,) int32 or None
        The branch of a row that neither the split nor a surrogate can route, -1 where the row
        stops; None where no node has such a branch (rows stop or become fractional cases, as the
        recipe says).
    surrogates : mapping from node to tuple of Surrogate
        The surrogates of each split, best first.
    answers : mapping from node to code
        The class (or number) of a node whose prediction is not the majority (or mean) of its
        rows: C4.5 keeps the earlier class if others are only as frequent, and in a branch without
        rows; a leaf written by hand keeps its prediction whatever rows are counted there.
    """

    parent: Ids
    column: Ids
    cut: Floats
    level_start: npt.NDArray[np.int64]
    level_codes: Codes
    total: Floats
    gain: Floats
    score: Floats
    gap: Floats | None = None
    missing: Ids | None = None
    surrogates: Mapping[int, tuple[Surrogate, ...]] = field(default_factory=dict)
    answers: Mapping[int, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.parent)

    def levels(self, node: int) -> Codes:
        """Return the codes of the levels that lead into a node."""
        return self.level_codes[self.level_start[node] : self.level_start[node + 1]]
