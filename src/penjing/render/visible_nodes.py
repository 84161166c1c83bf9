"""Which nodes of a tree a diagram shows: large trees are folded, leaves of many branches gathered.

Subtrees with fewest rows are folded first. Where a node has more than `MANY_BRANCHES` branches, its
leaves of one prediction are drawn as one box: those that predict the same class or, for regression,
a value in the same step of the scale.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from penjing.render.value_scale import LEGEND_STEPS, value_scale
from penjing.text.branch_order import children_in_order
from penjing.tree.tree_data import TreeData

MANY_BRANCHES = 12
"""The leaves of a node with more branches are gathered by their prediction."""


@dataclass(slots=True)
class VisibleNodes:
    """The visible nodes with their visible children, and what stands for others.

    Attributes
    ----------
    children : dict
        The visible children of each visible node.
    folded : set of int
        The nodes that stand for their subtrees.
    gathered : dict
        The leaves that a node stands for, with its own number, most rows first.
    n_left_out : int
        The number of branches of the root that are not drawn.
    """

    children: dict[int, list[int]] = field(default_factory=lambda: {0: []})
    folded: set[int] = field(default_factory=set)
    gathered: dict[int, list[int]] = field(default_factory=dict)
    n_left_out: int = 0

    @property
    def n_ends(self) -> int:
        """The number of boxes without visible children."""
        return sum(not children for children in self.children.values())


def select_visible_nodes(tree: TreeData, max_leaves: int) -> VisibleNodes:
    """Return what is visible with at most so many boxes of leaves and folded subtrees.

    If the root alone has more branches, those with most rows are visible.
    """
    found = VisibleNodes()
    leaves = GatheredLeaves.of(tree)
    waiting = [(-float(tree.weight[0]), 0)] if not tree.is_leaf[0] else []
    n_ends = 1  # visible leaves and folded nodes
    while waiting:
        _, node = waiting[0]
        visible, gathered = leaves.below(node)
        if n_ends - 1 + len(visible) > max_leaves:
            if node != 0:
                break
            kept = visible[: max(max_leaves, 2)]  # sorted: most rows first
            left_out = visible[len(kept) :]
            found.n_left_out = sum(len(gathered.get(child, (child,))) for child in left_out)
            visible = kept
        heapq.heappop(waiting)
        found.children[node] = visible
        found.gathered |= {child: gathered[child] for child in visible if child in gathered}
        n_ends += len(visible) - 1
        for child in visible:
            found.children[child] = []
            if not tree.is_leaf[child]:
                heapq.heappush(waiting, (-float(tree.weight[child]), child))
    found.folded = {node for _, node in waiting}
    return found


def _prediction_steps(tree: TreeData) -> list[int]:
    """Return what leaves are gathered by: the class, or the step of the scale of values."""
    scale = value_scale(tree)
    if scale is None:
        return [int(value) for value in tree.values]
    last = LEGEND_STEPS - 1
    return [min(int(scale.relative(v) * LEGEND_STEPS), last) for v in tree.values.tolist()]


@dataclass(frozen=True, slots=True)
class GatheredLeaves:
    """Which leaves of a tree are drawn as one box, by what each node predicts."""

    tree: TreeData
    steps: list[int]

    @classmethod
    def of(cls, tree: TreeData) -> GatheredLeaves:
        """Return the gathered leaves of a tree."""
        return cls(tree, _prediction_steps(tree))

    def below(self, node: int) -> tuple[list[int], dict[int, list[int]]]:
        """Return the branches of a split that are drawn, and the leaves that they stand for."""
        tree = self.tree
        children = children_in_order(tree, node)
        if len(children) <= MANY_BRANCHES:
            return children, {}
        by_step: dict[int, list[int]] = {}
        for child in children:
            if tree.is_leaf[child]:
                by_step.setdefault(self.steps[child], []).append(child)
        groups = {leaves[0]: leaves for leaves in by_step.values() if len(leaves) > 1}
        hidden = {leaf for leaves in groups.values() for leaf in leaves[1:]}
        visible = [child for child in children if child not in hidden]
        visible.sort(key=lambda child: -float(tree.weight[groups.get(child, [child])].sum()))
        return visible, groups

    def branches(self, node: int) -> list[list[int]]:
        """Return the branches of a split as they are drawn, each with what it stands for."""
        visible, groups = self.below(node)
        return [groups.get(child, [child]) for child in visible]


def count_leaves(tree: TreeData) -> list[int]:
    """Return the number of leaves below each node."""
    count = tree.is_leaf.astype(np.int64)
    parent = tree.nodes.parent
    for node in range(len(count) - 1, 0, -1):
        count[parent[node]] += count[node]
    return [int(c) for c in count]
