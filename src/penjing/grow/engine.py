"""The engine protocol: an engine computes the weight of each (column, level, class) of a node.

An engine inherits from `Engine` and defines ``totals``, ``tally`` and ``level_values``. The other
methods have defaults: the best splits come from tallies, as the dialect scores them, and the loop
grows the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from penjing.data.scratch import ScratchFolder
from penjing.data.table import Codes, Column, Field, Floats, Table
from penjing.errors import CapabilityError
from penjing.grow.recipe import Recipe
from penjing.progress import NativeProgressCallback, ProgressCallback
from penjing.tree.bins import KnownCounts, SplitCounts, bins_of
from penjing.tree.counts import Reader, Tally, Totals
from penjing.tree.split import BestSplits, Split
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.grow.steering import Steering

SURROGATES = "surrogates"
"""A dialect counts rows by the branch of a split, and routes them by surrogates."""
REGROWING = "regrowing"
"""A dialect grows parts of a finished tree again."""
PREPARED_ROWS = "prepared rows"
"""A dialect rewrites the table in memory before it is counted."""
CONSTRAINTS = "constraints"
"""A recipe has ``monotonic_cst`` or ``interaction_cst``."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an engine can do; refusals and the table of the documentation are made from it.

    Parameters
    ----------
    targets : tuple of str
        ``classes``, ``number``.
    missing : tuple of str
        The policies for missing values; a table in which nothing is missing needs none.
    weights : bool
        Whether rows may have weights.
    meets : frozenset of str
        The needs of recipes that it meets: `SURROGATES`, `REGROWING`, `PREPARED_ROWS`,
        `CONSTRAINTS`.
    is_remote : bool
        Whether the rows stay in a database or a cluster.
    has_rows : bool
        Whether `Engine.cases` returns the rows of a node.
    settings : tuple of str
        Settings of the engine besides those of the recipe.
    steers : bool
        Whether splits can be forced and columns forbidden.
    """

    targets: tuple[str, ...] = ("classes", "number")
    missing: tuple[str, ...] = ("refuse", "fraction", "surrogate", "direction", "branch")
    weights: bool = True
    meets: frozenset[str] = field(
        default_factory=lambda: frozenset({SURROGATES, REGROWING, PREPARED_ROWS, CONSTRAINTS})
    )
    is_remote: bool = False
    has_rows: bool = False
    settings: tuple[str, ...] = ()
    steers: bool = False

    def lacks_of(self, recipe: Recipe) -> frozenset[str]:
        """Return the needs of a recipe that the engine does not meet."""
        return recipe.needs - self.meets

    def grows(self, recipe: Recipe, target: str, missing: str | None, *, weights: bool) -> bool:
        """Return whether the engine grows such a tree.

        Parameters
        ----------
        recipe : Recipe
            The recipe.
        target : str
            ``classes`` or ``number``.
        missing : str or None
            The policy for the missing values of the table; None if it has none.
        weights : bool
            Whether rows have weights.
        """
        return (
            not self.lacks_of(recipe)
            and target in self.targets
            and (missing is None or missing in self.missing)
            and (self.weights or not weights)
        )


RowRanks = Callable[[Column], npt.NDArray[np.int32] | None]


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


def nodes_below(tree: TreeStructure, node: int) -> list[int]:
    """Return the descendants of a node, breadth first."""
    nodes = [node]
    for each in nodes:  # the list grows during the loop
        nodes.extend(tree.children(each))
    return nodes[1:]


class Engine:
    """Computes counts; results depend on the table and the tree only, caches are private."""

    capabilities: ClassVar[Capabilities] = Capabilities()
    """What the engine can do."""
    schema: tuple[Field, ...]
    """The columns that can be split on."""
    target: Field
    """The target."""
    reader: Reader
    """Interprets the sums."""

    def totals(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of these nodes."""
        raise NotImplementedError

    def totals_below(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of all nodes below these, breadth first, one subtree after the other."""
        return self.totals(tree, [each for node in nodes for each in nodes_below(tree, node)])

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
        raise NotImplementedError

    def level_values(self, column: int) -> Floats:
        """Return the sorted numbers of a numeric column, by code."""
        raise NotImplementedError

    def best_splits(self, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> BestSplits:
        """Return the best candidate of each column in each node; by default from `tally`."""
        return recipe.dialect.best_splits(self, tree, nodes, recipe)

    def split_counts(self, tree: TreeData, nodes: Sequence[int]) -> Iterator[SplitCounts]:
        """Yield counts of these nodes, each by bins of the column that it splits on, in lots.

        Every node is in one lot. By default that is a lot for each, from `tally`.
        """
        for node in nodes:
            column = int(tree.nodes.column[node])
            counts = next(iter(self.tally(tree, [node], [column]))).columns[column]
            values = self.level_values(column) if self.schema[column].is_numeric else None
            yield KnownCounts({node: bins_of(counts, values, self.reader)})

    def grow(
        self,
        recipe: Recipe,  # noqa: ARG002 - for subclasses
        progress: ProgressCallback | None = None,  # noqa: ARG002
    ) -> TreeData | None:
        """Return the tree before the dialect's last steps, or None: then the loop grows it."""
        return None

    def grow_steered(
        self,
        recipe: Recipe,  # noqa: ARG002 - for subclasses
        steering: Steering,  # noqa: ARG002
        progress: ProgressCallback | None = None,  # noqa: ARG002
    ) -> TreeData | None:
        """Return the tree with forced splits before the dialect's last steps, or None."""
        return None

    def regrow(
        self,
        tree: TreeStructure,  # noqa: ARG002 - for subclasses
        node: int,  # noqa: ARG002
        split: Split,  # noqa: ARG002
        recipe: Recipe,  # noqa: ARG002
        total_weight: float,  # noqa: ARG002
    ) -> TreeData | None:
        """Return the tree that grows from a node whose split is given; None if it cannot.

        ``total_weight`` is the weight of the whole table.
        """
        return None

    def prune_by_errors(
        self,
        tree: TreeData,  # noqa: ARG002 - for subclasses
        options: Mapping[str, object],  # noqa: ARG002
    ) -> dict[str, Any] | None:
        """Return the arrays of a tree after error-based pruning; None if Python has to prune it."""
        return None

    def cases(
        self,
        tree: TreeStructure,  # noqa: ARG002 - for subclasses
        node: int,  # noqa: ARG002
        column: int | None,  # noqa: ARG002
        ranks_of: RowRanks,  # noqa: ARG002
    ) -> tuple[Codes, Floats, Floats]:
        """Return codes, numbers and weights of a node's rows, in the order of their ranks.

        ``ranks_of`` returns the rank of each row in a column; None for the order of the table.
        """
        raise CapabilityError("cases_need_rows")

    def engine_below(
        self,
        tree: TreeStructure,  # noqa: ARG002 - for subclasses
        node: int,  # noqa: ARG002
    ) -> Engine:
        """Return an engine for the rows of a node, with the weights that they have there."""
        raise CapabilityError("below_needs_rows")

    def row_numbers(
        self,
        tree: TreeStructure,  # noqa: ARG002 - for subclasses
        node: int,  # noqa: ARG002
    ) -> npt.NDArray[Any]:
        """Return the positions of a node's rows in the table, ascending."""
        raise CapabilityError("below_needs_rows")

    def column_branches(
        self,
        split: Split,  # noqa: ARG002 - for subclasses
    ) -> Codes:
        """Return the branch that a split sends each row to by its column, -1 for none."""
        raise CapabilityError("below_needs_rows")

    def with_column(
        self,
        position: int,  # noqa: ARG002 - for subclasses
        column: Column,  # noqa: ARG002
    ) -> Engine:
        """Return an engine for the same rows with another column in this position."""
        raise CapabilityError("below_needs_rows")

    def close(self) -> None:
        """Release what the engine holds elsewhere."""


class RowSource(Protocol):
    """What a search in C++ needs of the native engine: columns, target and the rows of nodes."""

    @property
    def schema(self) -> tuple[Field, ...]:
        """The columns that can be split on."""

    @property
    def target(self) -> Field:
        """The target."""

    @property
    def reader(self) -> Reader:
        """Interprets the sums."""

    @property
    def core_columns(self) -> list[tuple[Any, Any, int, bool]]:
        """Codes, numbers of the codes or None, number of codes, and whether they are ordered."""

    @property
    def row_orders(self) -> list[npt.NDArray[np.uint32] | None]:
        """The rows in the order of each column's codes; None if it has no order, or few codes."""

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


class NativeEngine(RowSource, Protocol):
    """The native engine as a dialect sees it that grows whole trees in C++."""

    @property
    def table(self) -> Table:
        """The rows."""

    @property
    def missing(self) -> str:
        """What happens to a row whose value is missing."""

    @property
    def space(self) -> ScratchFolder | None:
        """Where arrays as large as a column are stored in files, if they do not fit memory."""

    @property
    def kernel_settings(self) -> Mapping[str, Any]:
        """Settings of the C++ code that change its speed, never the tree."""

    def kernel_columns(self) -> list[tuple[Any, Any, int, bool]]:
        """Return the columns as C++ takes them; plain numbers need not be encoded."""

    def progress_reporter(self, progress: ProgressCallback | None) -> NativeProgressCallback | None:
        """Return the function that C++ calls; None without ``progress``."""
