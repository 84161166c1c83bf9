"""Global pruning (C5.0): prune the weakest subtrees while errors stay within a standard error."""

from __future__ import annotations

from math import sqrt

from penjing.prune.bottom_up import inner_nodes_bottom_up
from penjing.prune.decisions import Decision, apply_cuts, record_decision
from penjing.tree.tree_data import TreeData


def prune(tree: TreeData) -> tuple[TreeData, list[Decision]]:
    """Return the tree without its weakest subtrees.

    The weakest subtree saves the fewest training errors for each leaf beyond the first. Only
    subtrees are considered whose removal keeps all added errors within one standard error of the
    errors of the tree. The weakest of them is pruned, with all that are as weakest, until these
    together would add too many. The counts of the tree are enough; no rows are needed.

    Parameters
    ----------
    tree : TreeData
        The tree; it is not changed.

    Returns
    -------
    (TreeData, list of Decision)
    """
    wrong, weight = tree.losses.tolist(), tree.weight.tolist()
    order = inner_nodes_bottom_up(tree)
    errors, leaves = list(wrong), [1] * len(wrong)
    _sum_up(tree, order, errors, leaves)
    tree_errors = errors[0]
    allowance = sqrt(tree_errors * max(1 - tree_errors / weight[0], 0.0)) if weight[0] else 0.0
    decisions: list[Decision] = []
    while True:
        added_errors = {n: wrong[n] - errors[n] for n in order if wrong[n] - errors[n] <= allowance}
        cost = {n: added / (leaves[n] - 1) for n, added in added_errors.items()}
        least = min(cost.values(), default=0.0)
        weakest = _topmost(tree, {n for n, each in cost.items() if each <= least})
        added = sum(added_errors[n] for n in weakest)
        for node in weakest:
            record = record_decision(
                node,
                weight[node],
                kept=errors[node],
                as_leaf=wrong[node],
                tree_kept=errors[0],
                decision="cut" if added <= allowance else "keep",
            )
            decisions.append(record)
        if not weakest or added > allowance:
            return apply_cuts(tree, decisions), decisions
        allowance -= added
        removed = set(weakest)
        for each in reversed(order):
            if int(tree.nodes.parent[each]) in removed:
                removed.add(each)
        order = [n for n in order if n not in removed]
        for node in weakest:
            errors[node], leaves[node] = wrong[node], 1
        _sum_up(tree, order, errors, leaves)


def _topmost(tree: TreeData, nodes: set[int]) -> list[int]:
    """Return the nodes that are below none of the others."""
    return [n for n in sorted(nodes) if not nodes.intersection(tree.path(n)[:-1])]


def _sum_up(tree: TreeData, order: list[int], errors: list[float], leaves: list[int]) -> None:
    """Update the errors and the leaves with rows of each subtree, bottom up."""
    for node in order:
        children = tree.children(node)
        errors[node] = sum(errors[child] for child in children)
        leaves[node] = sum(leaves[child] for child in children if tree.weight[child] > 0)
