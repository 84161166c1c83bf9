"""Simplifying: a question whose branches all answer the same is not asked; no answer changes."""

from __future__ import annotations

from penjing.prune.decisions import Decision, apply_cuts, record_decision
from penjing.prune.pessimistic import inner_nodes_bottom_up
from penjing.tree.tree_data import TreeData


def prune(tree: TreeData) -> tuple[TreeData, list[Decision]]:
    """Return the tree without the questions whose branches all end in the same answer.

    Such questions gain information, not answers: their leaves differ only in how sure they are.
    What the tree predicts stays the same, the shares of classes may not.

    Parameters
    ----------
    tree : TreeData
        What to simplify; it stays as it is.

    Returns
    -------
    (TreeData, list of Decision)
        The numbers told are the training errors (or squares), which do not change.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 4: {"barks": {1: "dog", 0: "dog"}}}})
    >>> prune(tree)[0].to_dict()
    {'legs': {0: 'fish', 4: 'dog'}}
    """
    values, losses, weight = tree.values, tree.losses.tolist(), tree.weight.tolist()
    is_leaf = tree.is_leaf.tolist()
    now = list(losses)
    whole = float(tree.losses[tree.is_leaf].sum())
    decisions = []
    for node in inner_nodes_bottom_up(tree):
        children = tree.children(node)
        alike = all(is_leaf[c] and values[c] == values[node] for c in children)
        kept = sum(now[child] for child in children)
        now[node] = kept
        is_leaf[node] = alike
        made = record_decision(
            node,
            weight[node],
            kept=kept,
            as_leaf=losses[node],
            tree_kept=whole,
            decision="cut" if alike else "keep",
        )
        decisions.append(made)
    return apply_cuts(tree, decisions), decisions
