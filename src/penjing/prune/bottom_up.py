"""The bottom-up fold of pruning methods: every split is decided after those below it.

A method supplies the cost of each node as a leaf, what its split itself costs, and the decision;
the fold walks the tree, adds up the costs of branches and records what it decided.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from penjing.data.table import Floats
from penjing.prune.decisions import Decision, decision_list
from penjing.tree.nodes import Ids
from penjing.tree.tree_data import TreeData


@dataclass(frozen=True, slots=True, eq=False)
class BottomUpFold:
    """What a fold decided, in its order: an entry for each split.

    Parameters
    ----------
    node : (n,)
        The nodes.
    kept : (n,)
        The cost of each subtree, with the decisions below it.
    tree_kept : (n,)
        The cost of the whole tree before each decision.
    is_cut : (n,)
        Whether each node becomes a leaf.
    as_leaf : (n,)
        The cost of each node as a leaf.
    """

    node: Ids
    kept: Floats
    tree_kept: Floats
    is_cut: npt.NDArray[np.bool_]
    as_leaf: Floats

    def apply(
        self, tree: TreeData, rows: Floats, why: Sequence[str] | None = None
    ) -> tuple[TreeData, list[Decision]]:
        """Return the pruned tree and the decisions.

        ``rows`` is the weight in every node of the tree. Without ``why`` the leaf is better if it
        costs less.
        """
        cut = self.node[self.is_cut]
        is_better = np.where(self.as_leaf < self.kept, "better", "worse")
        decisions = decision_list(
            self.node,
            rows=rows[self.node],
            kept=self.kept,
            as_leaf=self.as_leaf,
            tree_kept=self.tree_kept,
            decision=np.where(self.is_cut, "cut", "keep").tolist(),
            why=np.where(self.as_leaf == self.kept, "equal", is_better).tolist()
            if why is None
            else why,
        )
        return tree.pruned(cut) if cut.size else replace(tree), decisions


def fold_bottom_up(
    tree: TreeData,
    as_leaf: Floats,
    is_cut: Callable[[int, float], bool],
    *,
    tree_cost: float,
    own: Floats | None = None,
    add: Callable[[Iterable[float]], float] = sum,
    order: Sequence[int] | None = None,
    cut_costs: bool = True,
) -> BottomUpFold:
    """Decide every split of a tree, those below it first.

    Parameters
    ----------
    tree : TreeData
        The tree.
    as_leaf : (nodes,)
        The cost of each node as a leaf.
    is_cut : function
        Given a node and the cost of its subtree, whether it becomes a leaf.
    tree_cost : float
        The cost of the whole tree.
    own : (nodes,), optional
        The cost of each split itself, added to that of its branches.
    add : function
        Adds up the costs of branches.
    order : sequence of int, optional
        The nodes in the order in which they are decided; by default in postorder.
    cut_costs : bool
        Whether a node that becomes a leaf costs ``as_leaf``, or what its subtree did.
    """
    leaf_costs = as_leaf.tolist()
    own_costs = None if own is None else own.tolist()
    costs = list(leaf_costs)
    first, n_children = tree.first_child.tolist(), tree.n_children.tolist()
    nodes = inner_nodes_bottom_up(tree) if order is None else order
    kept, tree_kept, cut = [], [], []
    for node in nodes:
        start = first[node]
        cost: float = add(costs[start : start + n_children[node]])
        if own_costs is not None:
            cost = own_costs[node] + cost
        becomes_leaf = is_cut(node, cost)
        kept.append(cost)
        tree_kept.append(tree_cost)
        cut.append(becomes_leaf)
        costs[node] = cost
        if becomes_leaf and cut_costs:
            costs[node] = leaf_costs[node]
            tree_cost += leaf_costs[node] - cost
    ids = np.asarray(nodes, np.int32)
    return BottomUpFold(
        ids,
        np.asarray(kept, np.float64),
        np.asarray(tree_kept, np.float64),
        np.asarray(cut, bool),
        as_leaf[ids],
    )


class UndecidedNodes:
    """The nodes that a pruning has not decided yet, the deepest first.

    A raised branch puts the nodes below it back. Their depth is given when they are added and
    must not change before they are taken.
    """

    def __init__(self) -> None:
        self._at_depth: dict[int, list[int]] = {}
        """For each depth a heap of the nodes, negative: the last first."""
        self._depths: list[int] = []
        """A heap of the depths, negative; some have no nodes any more."""

    def __bool__(self) -> bool:
        return bool(self._at_depth)

    def add(self, node: int, depth: int) -> None:
        """Add a node."""
        nodes = self._at_depth.get(depth)
        if nodes is None:
            nodes = self._at_depth[depth] = []
            heapq.heappush(self._depths, -depth)
        heapq.heappush(nodes, -node)

    def take_last(self) -> int:
        """Remove the last of the deepest nodes, and return it."""
        depth = self._deepest()
        nodes = self._at_depth[depth]
        node = -heapq.heappop(nodes)
        if not nodes:
            del self._at_depth[depth]
        return node

    def take_deepest(self) -> list[int]:
        """Remove all of the deepest nodes, and return them in order."""
        return sorted(-node for node in self._at_depth.pop(self._deepest()))

    def _deepest(self) -> int:
        while -self._depths[0] not in self._at_depth:
            heapq.heappop(self._depths)
        return -self._depths[0]


def inner_nodes_bottom_up(tree: TreeData) -> list[int]:
    """Return the nodes that have a split, in postorder: each after its descendants."""
    sizes = subtree_sizes(tree)
    parent = tree.nodes.parent.tolist()
    start, free = [0] * len(parent), [0] * len(parent)
    for node in range(1, len(parent)):
        above = parent[node]
        start[node] = free[node] = free[above]
        free[above] += sizes[node]
    last = np.asarray(start) + np.asarray(sizes)
    inner = np.flatnonzero(~tree.is_leaf)
    return [int(node) for node in inner[np.argsort(last[inner], kind="stable")]]


def inner_nodes_deepest_first(tree: TreeData) -> list[int]:
    """Return the nodes that have a split, the deepest first, those of one depth in order."""
    inner = np.flatnonzero(~tree.is_leaf)
    in_order: list[int] = inner[np.lexsort((inner, -tree.depths[inner]))].tolist()
    return in_order


def preorder(tree: TreeData) -> Ids:
    """Return every node, each before its children, the first branch first."""
    sizes = subtree_sizes(tree)
    parent = tree.nodes.parent.tolist()
    position, free = [0] * len(parent), [1] * len(parent)
    for node in range(1, len(parent)):
        above = parent[node]
        position[node] = at = free[above]
        free[node] = at + 1
        free[above] += sizes[node]
    order = np.empty(len(parent), np.int32)
    order[position] = np.arange(len(parent), dtype=np.int32)
    return order


def subtree_sizes(tree: TreeData) -> list[int]:
    """Return the number of nodes of each subtree, its root included."""
    parent = tree.nodes.parent.tolist()
    sizes = [1] * len(parent)
    for node in range(len(parent) - 1, 0, -1):
        sizes[parent[node]] += sizes[node]
    return sizes


def below_or_in(tree: TreeData, is_marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which nodes are marked, or are below a marked node."""
    marks = is_marked.tolist()
    for node, above in enumerate(tree.nodes.parent.tolist()):
        if above >= 0 and marks[above]:
            marks[node] = True
    return np.asarray(marks, bool)
