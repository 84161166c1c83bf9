"""Collapsing: a subtree that makes no fewer training errors than a leaf becomes one (C4.5)."""

from __future__ import annotations

from penjing import arguments
from penjing.errors import CapabilityError
from penjing.prune.decisions import Decision, apply_cuts, record_decision
from penjing.prune.pessimistic import inner_nodes_bottom_up
from penjing.tree.tree_data import TreeData

SLACK = 1e-3
"""By so much the errors of a subtree must be fewer; C4.5's tolerance for everything."""


def prune(
    tree: TreeData, *, slack: float = SLACK, share: float = 1.0
) -> tuple[TreeData, list[Decision]]:
    """Return the tree without the questions that save no training error.

    A question may gain information and yet change no answer. Nothing is estimated here, the
    counts that the tree keeps are enough.

    Parameters
    ----------
    tree : TreeData
        What to prune; it stays as it is.
    slack : float
        How many errors fewer a subtree must make.
    share : float
        It must make fewer than this share of the leaf's (C5.0: 0.999).

    Returns
    -------
    (TreeData, list of Decision)
    """
    if tree.is_regression or not tree.has_counts:
        raise CapabilityError("pessimistic_needs_classes", target=tree.target.name)
    slack, share = arguments.number("slack", slack), arguments.number("share", share)
    wrong, weight = tree.losses.tolist(), tree.weight.tolist()
    now = list(wrong)
    whole = float(tree.losses[tree.is_leaf].sum())
    decisions = []
    for node in inner_nodes_bottom_up(tree):
        kept = sum(now[child] for child in tree.children(node))
        cut = kept >= share * wrong[node] - slack
        made = record_decision(
            node,
            weight[node],
            kept=kept,
            as_leaf=wrong[node],
            tree_kept=whole,
            decision="cut" if cut else "keep",
        )
        decisions.append(made)
        now[node] = wrong[node] if cut else kept
        whole += now[node] - kept
    return apply_cuts(tree, decisions), decisions
