"""rpart's table of complexities: the nested subtrees of a binary tree, and what each one costs."""

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
    """At which complexity each question goes, and which are not worth it from the start."""

    of: Floats
    cut: list[int]


@dataclass(slots=True)
class Row:
    """A row of rpart's table: up to which complexity a tree is the best, its splits and risk."""

    cp: float
    n_splits: int = 0
    risk: float = 0.0

    def to_json(self, root: float) -> list[float]:
        """Return the row as rpart prints it: as shares of the root's risk."""
        share = 1 / root if root > 0 else 0.0
        return [self.cp * share, self.n_splits, self.risk * share]


def complexities(
    tree: TreeData, alpha: float, risks: Sequence[float] | None = None
) -> Complexities:
    """Return the complexity of each node of a binary tree, as rpart reckons it depth first.

    A node's complexity is what its subtree saves for each split, where a child that would go
    before it counts as a leaf. A node whose complexity is at most ``alpha`` is cut; so is one
    of which it is known before that its splits cannot pay. ``risks`` are those of the nodes,
    where they are not to be the tree's own but rounded otherwise.
    """
    risk = tree.losses.tolist() if risks is None else list(risks)
    n = len(risk)
    found, sums, splits = [alpha] * n, list(risk), [0] * n
    found[0] = risk[0]
    sons = [lower_first(tree, i) for i in range(n)]
    cut: list[int] = []
    waiting: list[tuple[int, int]] = [(0, 0)]
    while waiting:
        node, stage = waiting.pop()
        left, right = sons[node] or (0, 0)
        if stage == 0:
            most = min(risk[node], found[node])
            if sons[node] is None or most <= alpha:
                if sons[node] is not None:
                    cut.append(node)
                found[node], sums[node], splits[node] = alpha, risk[node], 0
                continue
            found[left] = most - alpha
            waiting += [(node, 1), (left, 0)]
        elif stage == 1:
            most = max((risk[node] - sums[left]) / (splits[left] + 1), risk[node] - risk[left])
            found[right] = min(most, found[node]) - alpha
            waiting += [(node, 2), (right, 0)]
        else:
            found[node] = _rate(node, (left, right), risk, found, (sums, splits))
            if found[node] <= alpha:
                cut.append(node)
                sums[node], splits[node] = risk[node], 0
    for node in range(1, n):
        found[node] = min(found[node], found[tree.nodes.parent[node]])
    return Complexities(np.asarray(found), cut)


def _rate(
    node: int,
    sons: tuple[int, int],
    risk: list[float],
    found: list[float],
    below: tuple[list[float], list[int]],
) -> float:
    """Return what a node's subtree saves for each split; set its risk and number of splits."""
    left, right = sons
    sums, splits = below
    parts = {left: (sums[left], splits[left]), right: (sums[right], splits[right])}

    def rate() -> float:
        saved = risk[node] - (parts[left][0] + parts[right][0])
        return saved / (parts[left][1] + parts[right][1] + 1)

    first, second = (left, right) if found[right] > found[left] else (right, left)
    if rate() > found[first]:
        parts[first] = (risk[first], 0)
        if rate() > found[second]:
            parts[second] = (risk[second], 0)
    sums[node] = parts[left][0] + parts[right][0]
    splits[node] = parts[left][1] + parts[right][1] + 1
    return rate()


def lower_first(tree: TreeData, node: int) -> tuple[int, int] | None:
    """Return a node's two children, the one of the lower mean first; None in a leaf."""
    if tree.is_leaf[node]:
        return None
    children = tree.children(node)
    if len(children) != 2:
        raise CapabilityError("complexity_needs_two", n=len(children))
    one, other = children
    if np.isnan(tree.nodes.cut[node]) or _mean(tree, one) < _mean(tree, other):
        return one, other
    return other, one


def _mean(tree: TreeData, node: int) -> float:
    if tree.is_regression:
        return float(tree.values[node])
    total = tree.nodes.total[node]
    costs = tree.reader.costs if isinstance(tree.reader, Classes) else None
    part = total * np.asarray(costs.altered) if costs else total
    return float((part * np.arange(len(part))).sum() / max(part.sum(), 1e-300))


def cp_table(tree: TreeData, alpha: float, risks: Sequence[float] | None = None) -> list[Row]:
    """Return rpart's table of a tree that has been cut to ``alpha``, largest complexity first."""
    found = complexities(tree, alpha, risks).of.tolist()
    risk = tree.losses.tolist() if risks is None else list(risks)
    if tree.is_leaf[0]:
        return [Row(max(alpha, found[0]), 0, risk[0])]
    parent = tree.nodes.parent.tolist()
    distinct = {found[0]}
    for i in range(1, len(parent)):
        mine, above = max(found[i], alpha), max(found[parent[i]], alpha)
        if mine < above:
            distinct.add(mine)
    rows = [Row(cp) for cp in sorted(distinct, reverse=True)]
    rising = [row.cp for row in reversed(rows)]
    for i in range(len(parent)):
        # A leaf at the complexities at which its parent is still divided and it is not.
        high = len(rising) if i == 0 else bisect_left(rising, found[parent[i]])
        low = 0 if tree.is_leaf[i] else bisect_left(rising, found[i])
        for row in rows[len(rows) - high : len(rows) - low]:
            row.risk += risk[i]
            row.n_splits += 1
    for row in rows:
        row.n_splits -= 1
    return rows
