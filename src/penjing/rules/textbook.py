"""The textbook's rules: three leaf conditions, the best column, the first one of equals."""

from __future__ import annotations

from penjing import search
from penjing.choosing import stops
from penjing.engines import Engine
from penjing.recipe import Recipe
from penjing.search import Choice, offers
from penjing.split import Offers
from penjing.tree import Tree


def choose(offers: Offers, recipe: Recipe) -> list[Choice]:
    """Return what each node chose: the best score, then the first column."""
    return search.choose(offers, recipe.measure())


def finish(tree: Tree, engine: Engine, recipe: Recipe) -> Tree:  # noqa: ARG001 - the protocol's
    """Return the tree as it is."""
    return tree


__all__ = ["choose", "finish", "offers", "stops"]
