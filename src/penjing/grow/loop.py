"""TreeGenerate: Zhou's algorithm, one generation of open nodes at a time.

    function TreeGenerate(D, A)                          (Zhou 2016, figure 4.2)
      1   if D is of one class: leaf of that class
      2   if A is used up, or D is alike in A: leaf of the majority
          a* <- the best of A
          for each value v of a*:
      3      if no row of D has v: leaf of D's majority
             otherwise TreeGenerate(D_v, A without a*)

The three numbered cases are marked below. A categorical column need not be removed from A: below
its own split it has one level left and no candidates. Case 3 needs no node: a row whose value has
no branch gets the prediction of the node where it stops.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Protocol

from penjing.grow.engine import Engine
from penjing.grow.growth_record import GrowthRecord
from penjing.grow.recipe import Recipe
from penjing.grow.steering import ForcedNodes, Steering
from penjing.grow.surrogates import add_missing_routes
from penjing.progress import ProgressCallback
from penjing.tree.builder import TreeBuilder
from penjing.tree.split import Split
from penjing.tree.tree_data import TreeData


class PrePruner(Protocol):
    """Decides which of the splits just made are reverted (pre-pruning)."""

    def splits_to_revert(
        self, builder: TreeBuilder, split_nodes: list[int], kept: Container[int] = ()
    ) -> list[int]:
        """Return the nodes that become leaves again; those in ``kept`` never do."""


def grow(
    engine: Engine,
    recipe: Recipe,
    gate: PrePruner | None = None,
    progress: ProgressCallback | None = None,
) -> TreeData:
    """Grow a tree, and finish it as its program does.

    Parameters
    ----------
    engine : Engine
        Computes the counts of the training rows.
    recipe : Recipe
        The settings.
    gate : PrePruner, optional
        Reverts splits that do not help validation rows.
    progress : function, optional
        Called with a `Progress` after each generation.
    """
    return recipe.dialect.finish(grow_unpruned(engine, recipe, gate, progress), engine, recipe)


def grow_unpruned(
    engine: Engine,
    recipe: Recipe,
    gate: PrePruner | None = None,
    progress: ProgressCallback | None = None,
    steering: Steering | None = None,
) -> TreeData:
    """Grow a tree; parameters as in `grow`. The last steps of its program are left out.

    With ``steering``, the splits of some nodes are given: no stop condition applies to them.
    """
    dialect = recipe.dialect
    forced = ForcedNodes(engine, recipe, steering or Steering())
    record = GrowthRecord(forced)
    builder = TreeBuilder(engine.reader)
    builder.set_totals([0], engine.totals(builder, [0]))  # node <- all of D
    open_nodes = [0]
    chosen_splits: dict[int, Split] = {}
    postponed: list[int] = []
    while open_nodes or chosen_splits:
        if recipe.options.depth_first and recipe.max_leaves is None:
            open_nodes, postponed = open_nodes[:1], open_nodes[1:]
        reasons = ((n, forced.stops(n, dialect.stops(builder, n, recipe))) for n in open_nodes)
        stop_reasons = {n: why for n, why in reasons if why}  # case 1
        searched = [n for n in open_nodes if n not in stop_reasons]
        best_splits = engine.best_splits(builder, searched, recipe)
        choices = dialect.choose(best_splits, recipe)  # a* <- the best of A
        choices = forced.choices(builder, searched, choices, best_splits)
        choices = add_missing_routes(engine, builder, searched, choices, recipe)
        record.record_choices(searched, choices, recipe)
        chosen_splits |= {
            node: choice.split
            for node, choice in zip(searched, choices, strict=True)
            if choice.split is not None
            and (choice.split.total_gain >= recipe.min_gain or forced.is_split(node))  # else case 2
        }
        split_nodes = nodes_to_split(chosen_splits, builder, recipe, forced)
        added = [builder.apply_split(n, chosen_splits.pop(n)) for n in split_nodes]  # case 3
        forced.splits_made(builder, split_nodes)
        new_nodes = [child for children in added for child in children]
        builder.set_totals(new_nodes, engine.totals(builder, new_nodes))
        reverted = gate.splits_to_revert(builder, split_nodes, forced.kept(builder)) if gate else []
        for node in reverted:
            builder.remove_children(node)
        record.record_reverted(reverted)
        open_nodes = [child for n in split_nodes for child in builder.final_children(n)] + postponed
        if progress:
            progress(builder.progress(open_nodes))
    return record.finish(builder, engine, recipe)


def nodes_to_split(
    chosen_splits: dict[int, Split], builder: TreeBuilder, recipe: Recipe, forced: ForcedNodes
) -> list[int]:
    """Return the nodes to split next: all of them, or with ``max_leaves`` the best one.

    A forced split comes first, and is made even if the limit is reached.
    """
    if recipe.max_leaves is None:
        return list(chosen_splits)

    def worth(node: int) -> tuple[float, int]:
        return builder.adjusted_weight_of(node) * chosen_splits[node].total_gain, -node

    given = [node for node in chosen_splits if forced.is_split(node)]
    if given:
        return given[:1]
    best_first = sorted(chosen_splits, key=worth, reverse=True)
    max_new_leaves = recipe.max_leaves - builder.n_leaves
    fits = [
        node for node in best_first if chosen_splits[node].n_final_branches - 1 <= max_new_leaves
    ]
    if not fits:
        chosen_splits.clear()
    return fits[:1]
