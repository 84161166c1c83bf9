"""Splits that pruning must not remove: it ends at the first one that it would.

A forced split may lie in a tree that is pruned as any other, as long as that leaves it where it
is. Whoever prunes otherwise need not wait for the rest of a pruning that does not.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.prune.editable_tree import EditableTree


class KeptSplitRemovedError(Exception):
    """Ends a pruning that would remove a split which must stay."""


def check_kept_splits(cut: npt.NDArray[Any], kept: Collection[int]) -> None:
    """Raise an error if a node that becomes a leaf must keep its split.

    Examples
    --------
    >>> check_kept_splits(np.array([3, 5]), {0, 1})
    """
    if kept and np.isin(cut, list(kept)).any():
        raise KeptSplitRemovedError


def check_kept_split(tree: EditableTree, node: int, branch: int | None) -> None:
    """Raise an error for a node that must keep its split: it becomes a leaf, or a branch of it.

    A branch that splits on the same column may take its place.

    Parameters
    ----------
    tree : EditableTree
        The tree before the change.
    node : int
        The node.
    branch : int or None
        The branch that replaces it; None for a leaf.
    """
    split = tree.split_of(node)
    other = None if branch is None else tree.split_of(branch)
    if split is None or other is None or other.column != split.column:
        raise KeptSplitRemovedError
