"""Collapsing: a subtree that makes no fewer training errors than a leaf becomes one (C4.5)."""

from __future__ import annotations

from collections.abc import Collection

from penjing import arguments
from penjing.errors import CapabilityError
from penjing.prune.bottom_up import fold_bottom_up
from penjing.prune.decisions import Decision
from penjing.prune.kept_splits import check_kept_splits
from penjing.tree.tree_data import TreeData

SLACK = 1e-3
"""A subtree must make fewer errors than a leaf by this much; C4.5's general tolerance."""


def prune(
    tree: TreeData, *, slack: float = SLACK, share: float = 1.0
) -> tuple[TreeData, list[Decision]]:
    """Return the tree without the splits that avoid no training error.

    A split may gain information and yet change no prediction. The counts in the tree are
    sufficient; nothing is estimated.

    Parameters
    ----------
    tree : TreeData
        The tree to prune; it is not changed.
    slack : float
        The number of errors by which a subtree must be better.
    share : float
        It must make less than this share of the leaf's errors (C5.0: 0.999).

    Returns
    -------
    (TreeData, list of Decision)
    """
    return prune_keeping((), tree, slack=slack, share=share)


def prune_keeping(
    kept: Collection[int], tree: TreeData, *, slack: float = SLACK, share: float = 1.0
) -> tuple[TreeData, list[Decision]]:
    """Return what `prune` returns; `KeptSplitRemovedError` if the split of a kept node would go."""
    if tree.is_regression or not tree.has_counts:
        raise CapabilityError("pessimistic_needs_classes", target=tree.target.name)
    slack, share = arguments.number("slack", slack), arguments.number("share", share)
    errors = tree.losses
    bar = (share * errors - slack).tolist()
    fold = fold_bottom_up(
        tree,
        errors,
        lambda node, kept: kept >= bar[node],
        tree_cost=float(errors[tree.is_leaf].sum()),
    )
    check_kept_splits(fold.node[fold.is_cut], kept)
    return fold.apply(tree, tree.weight)
