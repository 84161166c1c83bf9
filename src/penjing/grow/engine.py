"""The engine protocol: an engine computes the weight of each (column, level, class) of a node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Field, Floats
from penjing.grow.recipe import Recipe
from penjing.progress import ProgressCallback
from penjing.tree.counts import Reader, Tally, Totals
from penjing.tree.split import BestSplits, Split
from penjing.tree.tree_data import TreeData


class TreeStructure(Protocol):
    """The part of a tree that an engine needs to find the rows of a node."""

    def split(self, node: int) -> Split | None:
        """Return the split of a node."""

    def parent_of(self, node: int) -> tuple[int, int]:
        """Return the parent of a node, and the branch of the parent that leads to the node."""

    def children(self, node: int) -> range:
        """Return the ids of a node's children, in the order of its branches."""

    def weight_of(self, node: int) -> float:
        """Return the weight of the training rows in a node."""


class Engine(Protocol):
    """Computes counts; results depend on the table and the tree only, caches are private."""

    @property
    def schema(self) -> tuple[Field, ...]:
        """The columns that can be split on."""

    @property
    def target(self) -> Field:
        """The target."""

    @property
    def reader(self) -> Reader:
        """Interprets the sums."""

    def totals(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of these nodes."""

    def tally(
        self,
        tree: TreeStructure,
        nodes: Sequence[int],
        columns: Sequence[int] | None = None,
        by: Sequence[Split] | None = None,
    ) -> Iterator[Tally]:
        """Yield the sums of each column and level, one node at a time.

        With ``by``, a split for each node, rows are counted by the branch of that split instead of
        their class; rows without a branch are one more class.
        """

    def best_splits(
        self, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
    ) -> BestSplits | None:
        """Return the best candidate of each column in each node; None to use `tally` instead."""

    def level_values(self, column: int) -> Floats:
        """Return the sorted numbers of a numeric column, by code."""


@runtime_checkable
class Grower(Protocol):
    """An engine that can grow a complete tree by itself, equal to that of the loop."""

    def grow(self, recipe: Recipe, progress: ProgressCallback | None = None) -> TreeData | None:
        """Return the grown tree, or None where `penjing.grow.loop` must grow it."""


@runtime_checkable
class HasRows(Protocol):
    """An engine that can return the rows of a node."""

    def cases(
        self, tree: TreeStructure, node: int, column: int | None
    ) -> tuple[Codes, Floats, Floats]:
        """Return codes, numbers and weights of a node's rows, in the order of rpart."""


class RowSource(Protocol):
    """What a search in C++ needs of the native engine: columns, target and the rows of nodes."""

    @property
    def schema(self) -> tuple[Field, ...]:
        """The columns that can be split on."""

    @property
    def reader(self) -> Reader:
        """Interprets the sums."""

    @property
    def core_columns(self) -> list[tuple[Any, Any, int, bool]]:
        """Codes, numbers of the codes or None, number of codes, and whether they are ordered."""

    @property
    def target_arrays(self) -> tuple[Codes | None, Floats | None]:
        """The classes, or the numbers."""

    @property
    def n_threads(self) -> int:
        """The number of threads to use."""

    def rows_for_core(
        self, tree: TreeStructure, nodes: Sequence[int]
    ) -> list[tuple[npt.NDArray[np.uint32], Floats | None]]:
        """Return the row numbers and weights of each node."""

    def totals(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of these nodes."""
