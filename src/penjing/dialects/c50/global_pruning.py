"""Global pruning (C5.0): the weakest subtrees go while errors stay within a standard error."""

from __future__ import annotations

from math import sqrt

from penjing.prune.decisions import Decision, apply_cuts, record_decision
from penjing.prune.pessimistic import inner_nodes_bottom_up
from penjing.tree.tree_data import TreeData


def prune(tree: TreeData) -> tuple[TreeData, list[Decision]]:
    """Return the tree without its weakest subtrees.

    Weak is what saves few training errors for each leaf it has more than one. Looked at are the
    subtrees that could go: without them, the errors added in all stay within one standard error
    of those that the tree made. The weakest of them is cut, with all that are as weak, until
    these together would add too many. The counts that the tree keeps are enough.

    Parameters
    ----------
    tree : TreeData
        What to prune; it stays as it is.

    Returns
    -------
    (TreeData, list of Decision)
    """
    wrong, weight = tree.losses.tolist(), tree.weight.tolist()
    order = inner_nodes_bottom_up(tree)
    errors, leaves = list(wrong), [1] * len(wrong)
    _sum(tree, order, errors, leaves)
    whole = errors[0]
    left = sqrt(whole * max(1 - whole / weight[0], 0.0)) if weight[0] else 0.0
    decisions: list[Decision] = []
    while True:
        extra = {n: wrong[n] - errors[n] for n in order if wrong[n] - errors[n] <= left}
        cost = {n: added / (leaves[n] - 1) for n, added in extra.items()}
        least = min(cost.values(), default=0.0)
        weak = _topmost(tree, {n for n, each in cost.items() if each <= least})
        added = sum(extra[n] for n in weak)
        for node in weak:
            made = record_decision(
                node,
                weight[node],
                kept=errors[node],
                as_leaf=wrong[node],
                tree_kept=errors[0],
                decision="cut" if added <= left else "keep",
            )
            decisions.append(made)
        if not weak or added > left:
            return apply_cuts(tree, decisions), decisions
        left -= added
        gone = set(weak)
        for each in reversed(order):
            if int(tree.nodes.parent[each]) in gone:
                gone.add(each)
        order = [n for n in order if n not in gone]
        for node in weak:
            errors[node], leaves[node] = wrong[node], 1
        _sum(tree, order, errors, leaves)


def _topmost(tree: TreeData, nodes: set[int]) -> list[int]:
    """Return the nodes that stand below none of the others."""
    return [n for n in sorted(nodes) if not nodes.intersection(tree.path(n)[:-1])]


def _sum(tree: TreeData, order: list[int], errors: list[float], leaves: list[int]) -> None:
    """Sum up errors and leaves with rows from below."""
    for node in order:
        children = tree.children(node)
        errors[node] = sum(errors[child] for child in children)
        leaves[node] = sum(leaves[child] for child in children if tree.weight[child] > 0)
