"""Rules: how one program decides, where programs that share a recipe's choices part ways.

The textbook's rules are the plain ones; C4.5, J48, rpart and scikit-learn each have their own
minimum sizes, tolerances and ties. Rules see counts and sums through the engine, never rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice
from penjing.tree.builder import TreeBuilder
from penjing.tree.split import Offers
from penjing.tree.tree_data import TreeData


class Dialect(Protocol):
    """What `grow` asks of them; a module with these four functions will do."""

    def stops(self, growth: TreeBuilder, node: int, recipe: Recipe) -> str | None:
        """Return why a node is a leaf before any column is looked at, None if it is not."""

    def offers(
        self, engine: Engine, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
    ) -> Offers:
        """Return the best candidate of each column of each node."""

    def choose(self, offers: Offers, recipe: Recipe) -> list[Choice]:
        """Return what each node chose between its columns."""

    def finish(self, tree: TreeData, engine: Engine, recipe: Recipe) -> TreeData:
        """Return the grown tree as the program would hand it over."""
