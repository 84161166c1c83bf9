"""Gathering (C5.0): leaves of one class below a nominal question become one branch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Totals
from penjing.tree.split import Split
from penjing.tree.tree_data import TreeData


def gathered(tree: TreeData) -> tuple[TreeData, dict[int, int]]:
    """Return the tree with such leaves as one, and the new number of each node that stayed.

    No row gets another answer; what a branch without rows answers stays apart.
    """
    growth = TreeBuilder(tree.reader)
    growth.set_totals([0], _totals(tree, [[0]]))
    waiting = [([0], 0)]
    for olds, grown in waiting:  # grows while it is walked
        split = tree.split(olds[0])
        if split is None:
            continue
        arms = _arms(tree, olds[0], split)
        if split.cut is None:
            codes = [np.sort(np.concatenate([tree.nodes.levels(c) for c in arm])) for arm in arms]
            split = replace(split, groups=tuple(codes))
        born = growth.add_children(grown, split)
        growth.set_totals(list(born), _totals(tree, arms))
        waiting.extend(zip(arms, born, strict=True))
    made, place = growth.finish(tree.schema, tree.target, tree.centre, tree.recipe, tree.about)
    old = {place[grown]: olds[0] for olds, grown in waiting}
    answers = {n: int(tree.values[o]) for n, o in old.items() if tree.values[o] != made.values[n]}
    nodes = replace(made.nodes, answers=answers)
    if tree.nodes.gap is not None:
        nodes = replace(nodes, gap=tree.nodes.gap[[old[n] for n in range(len(old))]])
    return replace(made, nodes=nodes), {
        olds[0]: place[grown] for olds, grown in waiting if len(olds) == 1
    }


def _arms(tree: TreeData, node: int, split: Split) -> list[list[int]]:
    """Return the children of a node, those that become one together."""
    found: dict[tuple[int, int, bool], list[int]] = {}
    for child in tree.children(node):
        alone = split.cut is not None or not tree.is_leaf[child]
        has_rows = float(tree.weight[child]) > 0
        key = (child if alone else -1, int(tree.values[child]), has_rows)
        found.setdefault(key, []).append(child)
    return list(found.values())


def _totals(tree: TreeData, arms: list[list[int]]) -> Totals:
    cells = np.stack([tree.nodes.total[arm].sum(axis=0) for arm in arms])
    return Totals(cells, np.zeros(len(arms), bool))
