"""Grows a tree from the rows of any node of any tree, as it would have grown in that place."""

from __future__ import annotations

from dataclasses import replace

from penjing.grow.dialect import as_it_is
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.loop import grow_unpruned
from penjing.grow.recipe import Recipe
from penjing.progress import ProgressCallback
from penjing.tree.tree_data import TreeData


def grow_below(
    engine: Engine,
    tree: TreeStructure,
    node: int,
    recipe: Recipe,
    progress: ProgressCallback | None = None,
) -> TreeData:
    """Return the tree that grows from the rows of a node, before the last steps of its dialect.

    Rows keep the weights that they have in the node, fractions included. What depends on the
    whole table (shares of its weight, its risk) or on the depth is counted from the root. A limit
    on leaves is that of the new tree, and a random order of columns starts anew.

    Parameters
    ----------
    engine : Engine
        The rows of the whole table.
    tree : TreeStructure
        A tree: grown, pruned, or made by hand.
    node : int
        The number of the node, the root of the new tree.
    recipe : Recipe
        The settings, already adapted to the table.
    progress : function, optional
        Called with a `Progress` from time to time.
    """
    below = engine.engine_below(tree, node)
    in_place = recipe_in_place(engine, tree, node, recipe)
    grown = below.grow(in_place, progress)
    if grown is None:
        grown = grow_unpruned(below, in_place, None, progress)
    return replace(grown, recipe=recipe.settings())


def recipe_in_place(engine: Engine, tree: TreeStructure, node: int, recipe: Recipe) -> Recipe:
    """Return the recipe for a tree that grows from a node: what counts from the root is adapted.

    Parameters
    ----------
    engine, tree, node, recipe
        As in `grow_below`.
    """
    if node == 0:
        return recipe
    if recipe.max_depth is not None:
        depth, at = 0, node
        while at:
            at, depth = tree.parent_of(at)[0], depth + 1
        recipe = replace(recipe, max_depth=max(recipe.max_depth - depth, 0))
    if recipe.dialect.recipe_below is as_it_is:
        return recipe
    totals = engine.totals(tree, [0, node]).cells
    weight = engine.reader.weight(totals)
    share = float(weight[1] / weight[0]) if weight[0] > 0 else 1.0
    return recipe.dialect.recipe_below(recipe, share, float(engine.reader.loss(totals[0])))
