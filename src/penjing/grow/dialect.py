"""The protocol of a dialect: the rules by which one program stops, scores and chooses splits.

C4.5, J48, rpart and scikit-learn differ in minimum sizes, tolerances and ties even where their
recipes agree. A dialect sees counts and sums through the engine, never rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice
from penjing.tree.builder import TreeBuilder
from penjing.tree.split import BestSplits
from penjing.tree.tree_data import TreeData


class Dialect(Protocol):
    """What `grow` needs of a dialect; a module with these four functions satisfies it."""

    def stops(self, growth: TreeBuilder, node: int, recipe: Recipe) -> str | None:
        """Return why a node is a leaf before any split is searched, None if it is not."""

    def best_splits(
        self, engine: Engine, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
    ) -> BestSplits:
        """Return the best candidate split of each column in each node."""

    def choose(self, best_splits: BestSplits, recipe: Recipe) -> list[Choice]:
        """Return the split chosen for each node."""

    def finish(self, tree: TreeData, engine: Engine, recipe: Recipe) -> TreeData:
        """Return the grown tree after the program's last steps, such as pruning."""
