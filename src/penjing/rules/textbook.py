"""The textbook's rules: three leaf conditions, the best column, the first one of equals."""

from __future__ import annotations

from penjing import search
from penjing.engines import Engine
from penjing.growth import Growth
from penjing.recipe import Recipe
from penjing.search import Choice, offers
from penjing.split import Offers
from penjing.tree import Tree


def stops(growth: Growth, node: int, recipe: Recipe) -> str | None:
    """Return why a node is a leaf before any column is looked at, None if it is not."""
    if growth.is_pure(node):
        return "pure"
    if recipe.max_depth is not None and growth.depth(node) >= recipe.max_depth:
        return "max_depth"
    if growth.weight_of(node) < recipe.min_weight:
        return "min_weight"
    return None


def choose(offers: Offers, recipe: Recipe) -> list[Choice]:
    """Return what each node chose: the best score, then the first column."""
    return search.choose(offers, recipe.measure())


def finish(tree: Tree, engine: Engine, recipe: Recipe) -> Tree:  # noqa: ARG001 - the protocol's
    """Return the tree as it is."""
    return tree


__all__ = ["choose", "finish", "offers", "stops"]
