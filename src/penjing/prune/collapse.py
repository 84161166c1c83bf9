"""Collapsing: a subtree that makes no fewer training errors than a leaf becomes one (C4.5)."""

from __future__ import annotations

from penjing import arguments
from penjing.errors import CapabilityError
from penjing.prune.decisions import Decision, apply_cuts, record_decision
from penjing.prune.pessimistic import inner_nodes_bottom_up
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
    if tree.is_regression or not tree.has_counts:
        raise CapabilityError("pessimistic_needs_classes", target=tree.target.name)
    slack, share = arguments.number("slack", slack), arguments.number("share", share)
    errors, weight = tree.losses.tolist(), tree.weight.tolist()
    subtree_errors = list(errors)
    tree_errors = float(tree.losses[tree.is_leaf].sum())
    decisions = []
    for node in inner_nodes_bottom_up(tree):
        errors_kept = sum(subtree_errors[child] for child in tree.children(node))
        is_cut = errors_kept >= share * errors[node] - slack
        decision = record_decision(
            node,
            weight[node],
            kept=errors_kept,
            as_leaf=errors[node],
            tree_kept=tree_errors,
            decision="cut" if is_cut else "keep",
        )
        decisions.append(decision)
        subtree_errors[node] = errors[node] if is_cut else errors_kept
        tree_errors += subtree_errors[node] - errors_kept
    return apply_cuts(tree, decisions), decisions
