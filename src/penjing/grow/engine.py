"""Engines: whoever answers how much weight each (column, level, class) of a node has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from penjing.data.table import Codes, Field, Floats
from penjing.grow.recipe import Recipe
from penjing.progress import ProgressCallback
from penjing.tree.counts import Reader, Tally, Totals
from penjing.tree.split import Offers, Split
from penjing.tree.tree_data import TreeData


class TreeStructure(Protocol):
    """As much of a tree as an engine needs in order to find the rows of a node."""

    def split(self, node: int) -> Split | None:
        """Return the test of a node."""

    def parent_of(self, node: int) -> tuple[int, int]:
        """Return a node's parent and by which of its branches the node is reached."""

    def children(self, node: int) -> range:
        """Return the ids of a node's children, in the order of its branches."""

    def weight_of(self, node: int) -> float:
        """Return the weight of the rows that the tree was grown from, in a node."""


class Engine(Protocol):
    """A pure function of (table, tree); where rows are is the engine's private memory."""

    @property
    def schema(self) -> tuple[Field, ...]:
        """The columns that can be asked about."""

    @property
    def target(self) -> Field:
        """What is to be predicted."""

    @property
    def reader(self) -> Reader:
        """What reads the sums."""

    def totals(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of these nodes."""

    def tally(
        self,
        tree: TreeStructure,
        nodes: Sequence[int],
        columns: Sequence[int] | None = None,
        by: Sequence[Split] | None = None,
    ) -> Iterator[Tally]:
        """Yield the sums of each node, for each column and level; one node at a time.

        With ``by``, a test for each node, the "class" of a row is the branch that the test
        itself sends it to; rows that it sends nowhere are one class more.
        """

    def offers(self, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> Offers | None:
        """Return the best candidate of each column of each node, or None to be asked by `tally`."""

    def level_values(self, column: int) -> Floats:
        """Return the sorted numbers of a numeric column, by code."""


@runtime_checkable
class Grower(Protocol):
    """An engine that can grow whole trees by itself; the tree does not show the difference."""

    def grow(self, recipe: Recipe, progress: ProgressCallback | None = None) -> TreeData | None:
        """Return the grown tree, or None where the readable loop has to grow it."""


@runtime_checkable
class HasRows(Protocol):
    """An engine that can tell the rows of a node one by one."""

    def cases(
        self, tree: TreeStructure, node: int, column: int | None
    ) -> tuple[Codes, Floats, Floats]:
        """Return codes, numbers and weights of a node's rows, as rpart has sorted them."""
