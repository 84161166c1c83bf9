"""Merging of leaves (C5.0): leaves of one class below a categorical split become one branch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Totals
from penjing.tree.split import Split
from penjing.tree.tree_data import TreeData


def merge_leaves(tree: TreeData) -> tuple[TreeData, dict[int, int]]:
    """Return the tree with leaves merged, and the new number of each node that was not merged.

    No prediction changes; branches without rows are merged only with each other.
    """
    if not _has_leaves_to_merge(tree):
        return tree, {node: node for node in range(len(tree.nodes))}
    builder = TreeBuilder(tree.reader)
    builder.set_totals([0], _totals(tree, [[0]]))
    leaves = _Leaves(tree.is_leaf.tolist(), tree.values.tolist(), tree.weight.tolist())
    queue = [([0], 0)]
    for old_nodes, new_node in queue:  # the loop appends to the queue
        if leaves.is_leaf[old_nodes[0]]:
            continue
        split = tree.split(old_nodes[0])
        assert split is not None
        groups = leaves.groups(tree.children(old_nodes[0]), split)
        if split.cut is None:
            codes = [
                np.sort(np.concatenate([tree.nodes.levels(c) for c in group])) for group in groups
            ]
            split = replace(split, groups=tuple(codes))
        children = builder.add_children(new_node, split)
        builder.set_totals(list(children), _totals(tree, groups))
        queue.extend(zip(groups, children, strict=True))
    merged, new_number = builder.finish(
        tree.schema, tree.target, tree.centre, tree.recipe, tree.about
    )
    old_node = {new_number[new_node]: old_nodes[0] for old_nodes, new_node in queue}
    values = merged.values.tolist()
    answers = {n: leaves.value[o] for n, o in old_node.items() if leaves.value[o] != values[n]}
    nodes = replace(merged.nodes, answers=answers)
    if tree.nodes.gap is not None:
        nodes = replace(nodes, gap=tree.nodes.gap[[old_node[n] for n in range(len(old_node))]])
    return replace(merged, nodes=nodes), {
        old_nodes[0]: new_number[new_node] for old_nodes, new_node in queue if len(old_nodes) == 1
    }


def _has_leaves_to_merge(tree: TreeData) -> bool:
    """Whether two leaves below one categorical split are to be merged, as in `_Leaves.groups`."""
    parent = tree.nodes.parent
    leaves = np.flatnonzero(tree.is_leaf & (parent >= 0))
    leaves = leaves[np.isnan(tree.nodes.cut[parent[leaves]])]
    keys = np.stack([parent[leaves], tree.values[leaves].astype(np.int64), tree.weight[leaves] > 0])
    return len(np.unique(keys, axis=1).T) < len(leaves)


@dataclass(frozen=True, slots=True)
class _Leaves:
    """What decides which leaves are merged, of each node: plain lists are read faster."""

    is_leaf: list[bool]
    value: list[int]
    weight: list[float]

    def groups(self, children: Iterable[int], split: Split) -> list[list[int]]:
        """Return the children of a node, grouped by what is to be merged."""
        if split.cut is not None:
            return [[child] for child in children]
        by_prediction: dict[tuple[int, int, bool], list[int]] = {}
        for child in children:
            apart = -1 if self.is_leaf[child] else child
            key = (apart, self.value[child], self.weight[child] > 0)
            by_prediction.setdefault(key, []).append(child)
        return list(by_prediction.values())


def _totals(tree: TreeData, groups: list[list[int]]) -> Totals:
    cells = tree.nodes.total[[group[0] for group in groups]]
    for i, group in enumerate(groups):
        if len(group) > 1:
            cells[i] = tree.nodes.total[group].sum(axis=0)
    return Totals(cells, np.zeros(len(groups), bool))
