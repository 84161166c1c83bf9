"""Simplifying: removes splits whose branches all predict the same; predictions do not change."""

from __future__ import annotations

from penjing.prune.decisions import Decision, apply_cuts, record_decision
from penjing.prune.pessimistic import inner_nodes_bottom_up
from penjing.tree.tree_data import TreeData


def prune(tree: TreeData) -> tuple[TreeData, list[Decision]]:
    """Return the tree without the splits whose leaves all predict the same class.

    Such splits gain information, but their leaves differ in predicted probabilities only. The
    predictions of the tree stay the same; its probabilities may change.

    Parameters
    ----------
    tree : TreeData
        The tree to simplify; it is not changed.

    Returns
    -------
    (TreeData, list of Decision)
        The numbers are training errors (or sums of squares), which do not change.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 4: {"barks": {1: "dog", 0: "dog"}}}})
    >>> prune(tree)[0].to_dict()
    {'legs': {0: 'fish', 4: 'dog'}}
    """
    values, losses, weight = tree.values, tree.losses.tolist(), tree.weight.tolist()
    is_leaf = tree.is_leaf.tolist()
    subtree_losses = list(losses)
    tree_loss = float(tree.losses[tree.is_leaf].sum())
    decisions = []
    for node in inner_nodes_bottom_up(tree):
        children = tree.children(node)
        is_cut = all(is_leaf[c] and values[c] == values[node] for c in children)
        loss_kept = sum(subtree_losses[child] for child in children)
        subtree_losses[node] = loss_kept
        is_leaf[node] = is_cut
        decision = record_decision(
            node,
            weight[node],
            kept=loss_kept,
            as_leaf=losses[node],
            tree_kept=tree_loss,
            decision="cut" if is_cut else "keep",
        )
        decisions.append(decision)
    return apply_cuts(tree, decisions), decisions
