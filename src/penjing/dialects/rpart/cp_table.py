"""rpart's complexity (cp) table: the nested subtrees of a binary tree, and their risks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from penjing.data.table import Floats
from penjing.errors import CapabilityError
from penjing.tree.counts import Classes
from penjing.tree.tree_data import TreeData


@dataclass(frozen=True, slots=True)
class Complexities:
    """The complexity at which each split is pruned, and the splits to prune at once."""

    of: Floats
    cut: list[int]


@dataclass(slots=True)
class Row:
    """A row of the table: the complexity of a subtree, its number of splits and its risk."""

    cp: float
    n_splits: int = 0
    risk: float = 0.0

    def to_json(self, root: float) -> list[float]:
        """Return the row as rpart prints it, as shares of the risk of the root."""
        share = 1 / root if root > 0 else 0.0
        return [self.cp * share, self.n_splits, self.risk * share]


def complexities(
    tree: TreeData, alpha: float, risks: Sequence[float] | None = None
) -> Complexities:
    """Return the complexity of each node of a binary tree, computed depth first as in rpart.

    The complexity of a node is the decrease of risk by its subtree for each split; a child that
    would be pruned earlier counts as a leaf. A node is pruned if its complexity is at most
    ``alpha``, or if its risk shows in advance that it will be. ``risks`` replace the risks of the
    nodes, for those that are rounded as in rpart.
    """
    risk = tree.losses.tolist() if risks is None else list(risks)
    n = len(risk)
    complexity, subtree_risk, splits = [alpha] * n, list(risk), [0] * n
    complexity[0] = risk[0]
    children = _children(tree)
    cut: list[int] = []
    stack: list[tuple[int, int]] = [(0, 0)]
    while stack:
        node, stage = stack.pop()
        left, right = children[node] or (0, 0)
        if stage == 0:
            upper_bound = min(risk[node], complexity[node])
            if children[node] is None or upper_bound <= alpha:
                if children[node] is not None:
                    cut.append(node)
                complexity[node], subtree_risk[node], splits[node] = alpha, risk[node], 0
                continue
            complexity[left] = upper_bound - alpha
            stack += [(node, 1), (left, 0)]
        elif stage == 1:
            upper_bound = max(
                (risk[node] - subtree_risk[left]) / (splits[left] + 1), risk[node] - risk[left]
            )
            complexity[right] = min(upper_bound, complexity[node]) - alpha
            stack += [(node, 2), (right, 0)]
        else:
            complexity[node] = _rate(node, (left, right), risk, complexity, (subtree_risk, splits))
            if complexity[node] <= alpha:
                cut.append(node)
                subtree_risk[node], splits[node] = risk[node], 0
    for node in range(1, n):
        complexity[node] = min(complexity[node], complexity[tree.nodes.parent[node]])
    return Complexities(np.asarray(complexity), cut)


def _rate(
    node: int,
    children: tuple[int, int],
    risk: list[float],
    complexity: list[float],
    below: tuple[list[float], list[int]],
) -> float:
    """Return the decrease of risk of a subtree for each split; set its risk and its splits."""
    left, right = children
    subtree_risk, splits = below
    parts = {left: (subtree_risk[left], splits[left]), right: (subtree_risk[right], splits[right])}

    def rate() -> float:
        saved = risk[node] - (parts[left][0] + parts[right][0])
        return saved / (parts[left][1] + parts[right][1] + 1)

    first, second = (left, right) if complexity[right] > complexity[left] else (right, left)
    if rate() > complexity[first]:
        parts[first] = (risk[first], 0)
        if rate() > complexity[second]:
            parts[second] = (risk[second], 0)
    subtree_risk[node] = parts[left][0] + parts[right][0]
    splits[node] = parts[left][1] + parts[right][1] + 1
    return rate()


def _children(tree: TreeData) -> list[tuple[int, int] | None]:
    """Return the two children of each node, the one of the lower mean first; None for a leaf."""
    inner = np.flatnonzero(~tree.is_leaf)
    uneven = np.flatnonzero(tree.n_children[inner] != 2)
    if uneven.size:
        raise CapabilityError("complexity_needs_two", n=int(tree.n_children[inner[uneven[0]]]))
    one = tree.first_child[inner]
    means = _means(tree)
    is_first = np.isnan(tree.nodes.cut[inner]) | (means[one] < means[one + 1])
    pairs: list[tuple[int, int] | None] = [None] * len(tree.nodes)
    for node, child, in_order in zip(inner.tolist(), one.tolist(), is_first.tolist(), strict=True):
        pairs[node] = (child, child + 1) if in_order else (child + 1, child)
    return pairs


def lower_first(tree: TreeData, node: int) -> tuple[int, int] | None:
    """Return the two children of a node, the one of the lower mean first; None for a leaf."""
    return _children(tree)[node]


def _means(tree: TreeData) -> Floats:
    """Return the mean of each node; of classes, of their codes."""
    if tree.is_regression:
        return np.asarray(tree.values, np.float64)
    total = tree.nodes.total
    costs = tree.reader.costs if isinstance(tree.reader, Classes) else None
    part = total * np.asarray(costs.altered) if costs else total
    sums = (part * np.arange(part.shape[1])).sum(axis=1)
    return np.asarray(sums / np.maximum(part.sum(axis=1), 1e-300))


def cp_table(tree: TreeData, alpha: float, risks: Sequence[float] | None = None) -> list[Row]:
    """Return rpart's table of a tree that was pruned to ``alpha``, largest complexity first."""
    complexity = complexities(tree, alpha, risks).of.tolist()
    risk = tree.losses.tolist() if risks is None else list(risks)
    if tree.is_leaf[0]:
        return [Row(max(alpha, complexity[0]), 0, risk[0])]
    parent = tree.nodes.parent.tolist()
    distinct = {complexity[0]}
    for i in range(1, len(parent)):
        own, parents = max(complexity[i], alpha), max(complexity[parent[i]], alpha)
        if own < parents:
            distinct.add(own)
    rows = [Row(cp) for cp in sorted(distinct, reverse=True)]
    ascending = [row.cp for row in reversed(rows)]
    for i in range(len(parent)):
        # The node is a leaf at the complexities at which its parent is split and itself is not.
        high = len(ascending) if i == 0 else bisect_left(ascending, complexity[parent[i]])
        low = 0 if tree.is_leaf[i] else bisect_left(ascending, complexity[i])
        for row in rows[len(rows) - high : len(rows) - low]:
            row.risk += risk[i]
            row.n_splits += 1
    for row in rows:
        row.n_splits -= 1
    return rows
