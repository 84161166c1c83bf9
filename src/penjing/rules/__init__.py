"""Rules: how one program decides, where programs that share a recipe's choices part ways.

The textbook's rules are the plain ones; C4.5, J48, rpart and scikit-learn each have their own
minimum sizes, tolerances and ties. Rules see counts and sums through the engine, never rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from penjing.engines import Engine, Shape
from penjing.growth import Growth
from penjing.recipe import Recipe
from penjing.search import Choice
from penjing.split import Offers
from penjing.tree import Tree


class Rules(Protocol):
    """What `grow` asks of them; a module with these four functions will do."""

    def stops(self, growth: Growth, node: int, recipe: Recipe) -> str | None:
        """Return why a node is a leaf before any column is looked at, None if it is not."""

    def offers(self, engine: Engine, tree: Shape, nodes: Sequence[int], recipe: Recipe) -> Offers:
        """Return the best candidate of each column of each node."""

    def choose(self, offers: Offers, recipe: Recipe) -> list[Choice]:
        """Return what each node chose between its columns."""

    def finish(self, tree: Tree, engine: Engine, recipe: Recipe) -> Tree:
        """Return the grown tree as the program would hand it over."""
