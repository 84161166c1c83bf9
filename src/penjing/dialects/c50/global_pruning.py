"""Global pruning (C5.0): prune the weakest subtrees while errors stay within a standard error."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from penjing.data.table import Floats
from penjing.prune.bottom_up import fold_bottom_up
from penjing.prune.decisions import Decision, apply_cuts, record_decision
from penjing.tree.nodes import Ids
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
    subtrees = _Subtrees(tree)
    wrong, errors, weight = subtrees.wrong, subtrees.errors, tree.weight.tolist()
    tree_errors = float(errors[0])
    allowance = sqrt(tree_errors * max(1 - tree_errors / weight[0], 0.0)) if weight[0] else 0.0
    decisions: list[Decision] = []
    while True:
        weakest, added_errors = subtrees.weakest(allowance)
        added = sum(added_errors)
        for node in weakest:
            record = record_decision(
                node,
                weight[node],
                kept=float(errors[node]),
                as_leaf=float(wrong[node]),
                tree_kept=float(errors[0]),
                decision="cut" if added <= allowance else "keep",
            )
            decisions.append(record)
        if not weakest or added > allowance:
            return apply_cuts(tree, decisions), decisions
        allowance -= added
        subtrees.cut(weakest)


class _Subtrees:
    """The errors and leaves of every subtree; a cut updates only the nodes above it."""

    def __init__(self, tree: TreeData) -> None:
        self._tree = tree
        self._parent = tree.nodes.parent
        self._has_rows = (tree.weight > 0).tolist()
        self.wrong: Floats = np.asarray(tree.losses, np.float64)
        self.errors = _sum_up(tree, self.wrong)
        """The errors of each subtree."""
        self._leaves = _sum_up(tree, np.asarray(self._has_rows, np.float64))
        self._is_split = ~tree.is_leaf

    def weakest(self, allowance: float) -> tuple[list[int], list[float]]:
        """Return the weakest subtrees that are in no other of them, and the errors each adds."""
        nodes = np.flatnonzero(self._is_split)
        added = self.wrong[nodes] - self.errors[nodes]
        is_allowed = added <= allowance
        nodes, added = nodes[is_allowed], added[is_allowed]
        n_more = self._leaves[nodes] - 1  # 0 if only one branch has rows: nothing is saved
        cost = np.divide(added, n_more, out=np.full(len(nodes), np.inf), where=n_more != 0)
        is_least = cost <= cost.min(initial=np.inf)
        nodes, added = nodes[is_least], added[is_least]
        is_top = ~self._is_below(nodes)
        return nodes[is_top].tolist(), added[is_top].tolist()

    def _is_below(self, nodes: Ids) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return which of these nodes are below another of them."""
        is_one = np.zeros(len(self._parent), bool)
        is_one[nodes] = True
        found = np.zeros(len(nodes), bool)
        above, at = self._parent[nodes], np.arange(len(nodes))
        while at.size:  # one generation up at a time
            is_open = above >= 0
            above, at = above[is_open], at[is_open]
            is_hit = is_one[above]
            found[at[is_hit]] = True
            above, at = self._parent[above[~is_hit]], at[~is_hit]
        return found

    def cut(self, nodes: Sequence[int]) -> None:
        """Make nodes leaves: nothing below them is a subtree any more."""
        tree = self._tree
        above: set[int] = set()
        for node in nodes:
            below = [node]
            for each in below:  # the list grows during the loop
                if self._is_split[each]:
                    self._is_split[each] = False
                    below.extend(tree.children(each))
            self.errors[node], self._leaves[node] = self.wrong[node], 1.0
            up = int(self._parent[node])
            while up >= 0 and up not in above:
                above.add(up)
                up = int(self._parent[up])
        for node in sorted(above, reverse=True):  # children have greater numbers
            children = tree.children(node)
            errors = self.errors[children.start : children.stop].tolist()
            self.errors[node] = sum(errors)
            self._leaves[node] = sum(self._leaves[c] for c in children if self._has_rows[c])


def _sum_up(tree: TreeData, of_leaves: Floats) -> Floats:
    """Return a number of each subtree: the sum of those of its leaves, bottom up."""
    fold = fold_bottom_up(tree, of_leaves, lambda _node, _sum: False, tree_cost=0.0)
    sums = of_leaves.copy()
    sums[fold.node] = fold.kept
    return sums
