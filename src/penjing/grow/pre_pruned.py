"""Pre-pruning of a tree that was grown as a whole.

Its splits are made again, one generation at a time, and those that a pre-pruner reverts end the
tree there. The split of a node depends on its rows only, so the result is the tree that the loop
grows with the pre-pruner, as long as no setting makes nodes depend on each other; see
`can_pre_prune`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from penjing.grow.loop import PrePruner
from penjing.grow.recipe import Recipe
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Classes, Reader, Totals
from penjing.tree.forced import forced_nodes
from penjing.tree.split import Split
from penjing.tree.tree_data import TreeData, renumber_stops


def can_pre_prune(recipe: Recipe) -> bool:
    """Return whether the split of a node depends on its rows only.

    It does not with a limit on leaves, where nodes are grown in a random or depth-first order,
    or where two splits are made at once (a branch for missing values).
    """
    return (
        recipe.max_leaves is None and recipe.missing != "branch" and not recipe.options.depth_first
    )


def pre_pruned(tree: TreeData, gate: PrePruner, reader: Reader) -> TreeData | None:
    """Return a tree without the splits that a pre-pruner reverts.

    None if the tree does not list all of its ties, so that those left cannot be counted.

    Parameters
    ----------
    tree : TreeData
        A tree before the last steps of its dialect.
    gate : PrePruner
        Decides, one generation after the other.
    reader : Reader
        Interprets the sums of the training rows.
    """
    ties: dict[int, dict[str, Any]] = {int(tie["node"]): tie for tie in tree.about["ties"]}
    if len(ties) != tree.about["n_ties"]:
        return None
    kept_nodes = {node for forced in forced_nodes(tree) for node in tree.path(forced)}
    builder = TreeBuilder(reader)
    builder.set_totals([0], _totals(tree, [0]))
    old_of = {0: 0}
    n_ties, reverted_nodes = 0, []
    open_nodes = [0]
    while open_nodes:
        splits: dict[int, Split] = {}
        for node in open_nodes:
            split = tree.split(old_of[node])
            if split is not None:
                splits[node] = split
        n_ties += sum(old_of[node] in ties for node in splits)
        for node, split in splits.items():
            children = builder.apply_split(node, split)
            old_children = list(tree.children(old_of[node]))
            old_of |= dict(zip(children, old_children, strict=True))
            builder.set_totals(children, _totals(tree, old_children))
        kept = {node for node in splits if old_of[node] in kept_nodes}
        reverted = gate.splits_to_revert(builder, list(splits), kept)
        for node in reverted:
            builder.remove_children(node)
        reverted_nodes += reverted
        open_nodes = [child for node in splits for child in builder.final_children(node)]
    about: dict[str, Any] = dict(tree.about)
    centre = 0.0 if isinstance(reader, Classes) else reader.centre
    finished, new_id = builder.finish(tree.schema, tree.target, centre, tree.recipe, about)
    about["n_ties"] = n_ties
    about["ties"] = [
        ties[old_of[old]] | {"node": new}
        for old, new in new_id.items()
        if old_of[old] in ties and builder.split(old) is not None
    ]
    now = {old_of[old]: new for old, new in new_id.items()}
    about = renumber_stops(about, now)
    if reverted_nodes:
        reverted_now = sorted(new_id[node] for node in reverted_nodes)
        about["stops"] = {**about.get("stops", {}), "validation": reverted_now}
    return replace(finished, about=about)


def _totals(tree: TreeData, nodes: list[int]) -> Totals:
    cells = tree.nodes.total[nodes]
    return Totals(cells, np.zeros(len(nodes), bool))
