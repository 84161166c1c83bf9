"""How the textbook grows a tree: three stop conditions, the best column, the first of ties."""

from __future__ import annotations

from penjing.dialects.textbook.native_best_splits import native_best_splits
from penjing.grow import search
from penjing.grow.engine import Engine
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice, best_splits, stops
from penjing.tree.split import BestSplits
from penjing.tree.tree_data import TreeData


def choose(best_splits: BestSplits, recipe: Recipe) -> list[Choice]:
    """Return the choice of each node: the column of the best score, the first of ties."""
    return search.choose(best_splits, recipe.measure())


def finish(tree: TreeData, engine: Engine, recipe: Recipe) -> TreeData:  # noqa: ARG001 - the protocol's
    """Return the tree as it is."""
    return tree


__all__ = ["best_splits", "choose", "finish", "native_best_splits", "stops"]
