"""The engine for tables larger than memory: counts from a coded store on disk, exact cuts.

A generation of the tree takes one pass over the codes, which moves the rows to the children of
their nodes and counts them. For numeric columns a second pass counts the few quantile buckets that
may contain a better cut (:mod:`penjing.engines.out_of_core.bucket_cuts`). The rows of small nodes
are fetched, and the native engine grows the subtrees. Where counts of whole rows do not suffice
(weights, missing values, numeric targets, other dialects), the native engine grows the tree from
columns mapped from files (:mod:`penjing.data.store_mapped`); then memory holds row ids only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from penjing.data.memory_limit import (
    KERNEL_ROW_BYTES,
    LOOP_ROW_BYTES,
    mapped_table_bytes,
    memory_bytes,
    n_threads,
)
from penjing.data.scratch import ScratchFolder, format_bytes
from penjing.data.store import ExactCodes, StoredColumn, write_store
from penjing.data.store_mapped import MappedColumn, is_mapped, map_table
from penjing.data.table import Field, Floats, Table
from penjing.engines import native
from penjing.engines.out_of_core.driver import COUNTS_FRACTION, GenerationDriver, Resources
from penjing.engines.whole_rows import whole_row_counts
from penjing.errors import CapabilityError
from penjing.grow.engine import (
    CONSTRAINTS,
    REGROWING,
    SURROGATES,
    Capabilities,
    TreeStructure,
)
from penjing.grow.engine import Engine as EngineBase
from penjing.grow.recipe import Recipe
from penjing.progress import ProgressCallback
from penjing.tree.bins import SplitCounts
from penjing.tree.counts import Classes, Reader, Tally, Totals, reader_of
from penjing.tree.split import BestSplits, Split
from penjing.tree.tree_data import TreeData

SINGLE_THREAD_ROWS = 100_000
"""With fewer rows a second thread costs more time than it saves."""
MAPPING_FRACTION = 8
"""One part in this many of the memory limit may be used while columns are mapped."""
WIDE_CODE = 4
"""Codes of this many bytes are not counted in passes: the counts would be larger than the rows."""
SMALL = 200_000
"""The rows of a node of at most this size are fetched and split in memory."""


class Engine(EngineBase):
    """Counts the rows of a coded store.

    Parameters
    ----------
    table : Table
        The rows; if they are not in a store yet, they are written to one.
    missing, shares_of : str
        As for the memory engine.
    reader : Reader, optional
        Interprets the sums.
    threads : int or None
        Number of threads; None for all that the machine has.
    memory_limit : int, str or None
        How many bytes may be used ("2GB"); None for half of the free memory.
    """

    capabilities = Capabilities(meets=frozenset({SURROGATES, REGROWING, CONSTRAINTS}))

    def __init__(
        self,
        table: Table,
        missing: str = "fraction",
        shares_of: Any = "rows",  # noqa: ANN401 - as in the memory engine
        reader: Reader | None = None,
        threads: int | None = None,
        *,
        memory_limit: int | str | None = None,
    ) -> None:
        assert table.target is not None
        self._space: ScratchFolder | None = None
        if not (is_mapped(table) or any(isinstance(c, StoredColumn) for c in table.columns)):
            self._space = ScratchFolder()
            table = write_store(table, self._space)
        assert table.target is not None
        self._table = table
        self._options: dict[str, Any] = {"missing": missing, "shares_of": shares_of}
        self._threads = threads
        self._limit = memory_bytes(memory_limit)
        self._small = SMALL
        self.schema: tuple[Field, ...] = table.schema
        self.target: Field = table.target.field
        is_plain = table.weight is None and not table.is_regression
        if reader is None:
            reader = Classes(len(table.target.levels)) if is_plain else reader_of(table)
        self.reader: Reader = reader
        self._native_engine: native.Engine | None = None

    def grow(self, recipe: Recipe, progress: ProgressCallback | None = None) -> TreeData | None:
        """Grow a whole tree; by the native engine if counts from disk do not suffice."""
        if not self.counts(recipe):
            return self._native(recipe, progress).grow(recipe, progress)
        resources = Resources(
            self._limit, self._n_threads(), self._threads, self._small, min_generations=3
        )
        return GenerationDriver(self._table, self.reader, recipe, resources, progress).grow()

    def counts(self, recipe: Recipe) -> bool:
        """Return whether counts of whole rows suffice for this recipe."""
        is_plain = isinstance(self.reader, Classes) and self.reader.costs is None
        return is_plain and decides_by_counts(recipe) and can_be_counted(self._table)

    # -- counts for the loop in Python, by the native engine ----------------------------------

    def _native(
        self, recipe: Recipe | None = None, progress: ProgressCallback | None = None
    ) -> native.Engine:
        """Return the native engine on the same table, its columns mapped."""
        if self._native_engine is None:
            table = self._table
            if recipe is not None:
                table = map_columns(table, recipe, self._limit, progress)
            elif not is_mapped(table):
                table = map_table(table, self._limit // MAPPING_FRACTION)
            spaces = [c.space for c in table.columns if isinstance(c, MappedColumn)]
            options = self._options | {"reader": self.reader, "threads": self._threads}
            self._native_engine = native.Engine(
                table, **options, space=spaces[0] if spaces else None
            )
        return self._native_engine

    def totals(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of these nodes."""
        return self._native().totals(tree, nodes)

    def tally(
        self,
        tree: TreeStructure,
        nodes: Sequence[int],
        columns: Sequence[int] | None = None,
        by: Sequence[Split] | None = None,
    ) -> Iterator[Tally]:
        """Yield the sums of each node, for each column and level."""
        return self._native().tally(tree, nodes, columns, by)

    def best_splits(self, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> BestSplits:
        """Return the best split of every column in each node."""
        return self._native().best_splits(tree, nodes, recipe)

    def split_counts(self, tree: TreeData, nodes: Sequence[int]) -> Iterator[SplitCounts]:
        """Yield counts of these nodes, each by bins of the column that it splits on, in lots.

        Rows that are whole are counted from the store, block by block.
        """
        memory = min(self._limit // COUNTS_FRACTION, native.SPLIT_COUNTS_BYTES)
        whole = whole_row_counts(tree, self._table, nodes, self.reader, memory)
        return self._native().split_counts(tree, nodes) if whole is None else whole

    def regrow(
        self,
        tree: TreeStructure,
        node: int,
        split: Split,
        recipe: Recipe,
        total_weight: float,
    ) -> TreeData | None:
        """Return the tree that grows from a node whose split is given; None if C++ cannot."""
        return self._native().regrow(tree, node, split, recipe, total_weight)

    def level_values(self, column: int) -> Floats:
        """Return the sorted numbers of a numeric column, by code."""
        return self._native().level_values(column)

    def prune_by_errors(
        self, tree: TreeData, options: Mapping[str, object]
    ) -> dict[str, Any] | None:
        """Return the arrays of a tree after error-based pruning; None if Python has to prune it."""
        return self._native().prune_by_errors(tree, options)

    def _n_threads(self) -> int:
        is_small = self._table.n_rows < SINGLE_THREAD_ROWS
        return 1 if self._threads is None and is_small else n_threads(self._threads)


def decides_by_counts(recipe: Recipe) -> bool:
    """Return whether a recipe needs only counts of whole rows, one generation at a time."""
    dialect = recipe.dialect
    return (
        dialect.decides_by_counts
        and recipe.missing in ("refuse", "fraction", "branch")
        and recipe.max_leaves is None
        and CONSTRAINTS not in recipe.needs
        and dialect.is_native(replace(recipe, missing="refuse"))
    )


def can_be_counted(table: Table) -> bool:
    """Return whether rows can be counted: stored, with classes, unit weights, nothing missing."""
    return (
        table.weight is None
        and not table.is_regression
        and table.n_rows > 0
        and all(isinstance(c, StoredColumn) and not c.has_missing for c in table.columns)
        and not has_many_levels(table)
    )


def has_many_levels(table: Table) -> bool:
    """Return whether a column has too many levels for passes, which take one or two bytes."""
    stored = (c for c in (*table.columns, table.target) if isinstance(c, StoredColumn))
    return any(isinstance(c.part, ExactCodes) and c.part.width >= WIDE_CODE for c in stored)


def is_grown_by_kernel(recipe: Recipe) -> bool:
    """Return whether C++ grows the whole tree; the loop in Python takes more memory."""
    return recipe.dialect.is_native(recipe)


def map_columns(
    table: Table, recipe: Recipe, limit: int, progress: ProgressCallback | None = None
) -> Table:
    """Return a table of mapped columns; raise an error if not even its row ids fit memory."""
    is_kernel = is_grown_by_kernel(recipe)
    if not is_mapped(table):
        wanted = table.n_rows * (KERNEL_ROW_BYTES if is_kernel else LOOP_ROW_BYTES)
        if wanted > limit:
            raise too_large_error(recipe.name, wanted, limit)
        table = map_table(table, limit // MAPPING_FRACTION, progress)
    wanted = mapped_table_bytes(table, is_kernel=is_kernel)
    if wanted > limit:
        raise too_large_error(recipe.name, wanted, limit)
    return table


def too_large_error(recipe: str, wanted: int, limit: int) -> CapabilityError:
    """Return the error for a tree that needs more memory than the limit."""
    return CapabilityError(
        "disk_cannot", recipe=recipe, wanted=format_bytes(wanted), limit=format_bytes(limit)
    )
