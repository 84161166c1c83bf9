"""Merging of leaves (C5.0): leaves of one class below a categorical split become one branch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Totals
from penjing.tree.split import Split
from penjing.tree.tree_data import TreeData


def merge_leaves(tree: TreeData) -> tuple[TreeData, dict[int, int]]:
    """Return the tree with leaves merged, and the new number of each node that was not merged.

    No prediction changes; branches without rows are merged only with each other.
    """
    builder = TreeBuilder(tree.reader)
    builder.set_totals([0], _totals(tree, [[0]]))
    queue = [([0], 0)]
    for old_nodes, new_node in queue:  # the loop appends to the queue
        split = tree.split(old_nodes[0])
        if split is None:
            continue
        groups = _leaf_groups(tree, old_nodes[0], split)
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
    answers = {
        n: int(tree.values[o]) for n, o in old_node.items() if tree.values[o] != merged.values[n]
    }
    nodes = replace(merged.nodes, answers=answers)
    if tree.nodes.gap is not None:
        nodes = replace(nodes, gap=tree.nodes.gap[[old_node[n] for n in range(len(old_node))]])
    return replace(merged, nodes=nodes), {
        old_nodes[0]: new_number[new_node] for old_nodes, new_node in queue if len(old_nodes) == 1
    }


def _leaf_groups(tree: TreeData, node: int, split: Split) -> list[list[int]]:
    """Return the children of a node, grouped by what is to be merged."""
    by_prediction: dict[tuple[int, int, bool], list[int]] = {}
    for child in tree.children(node):
        stays_apart = split.cut is not None or not tree.is_leaf[child]
        has_rows = float(tree.weight[child]) > 0
        key = (child if stays_apart else -1, int(tree.values[child]), has_rows)
        by_prediction.setdefault(key, []).append(child)
    return list(by_prediction.values())


def _totals(tree: TreeData, groups: list[list[int]]) -> Totals:
    cells = np.stack([tree.nodes.total[group].sum(axis=0) for group in groups])
    return Totals(cells, np.zeros(len(groups), bool))
