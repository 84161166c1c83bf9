"""The engine for tables larger than memory: counts from a coded store on disk, exact cuts.

A generation of the tree costs one pass over the codes, in which rows move on into the branches of
their nodes and are counted; and, for numbers, a second look at the few quantile buckets that could
hide a better cut than those seen (:mod:`penjing.engines.out_of_core.bucket_cuts`). Nodes that are
small are gathered into memory and finished by the native engine. What cannot be done by counting
whole rows (weights, missing values, numbers, other rules) is done by the native engine's kernels on
columns that are mapped from files (:mod:`penjing.data.store_mapped`): memory holds rows only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from penjing.engines.out_of_core.driver import Growing, Means
from penjing.errors import CapabilityError
from penjing.grow.engine import TreeStructure
from penjing.grow.recipe import Recipe
from penjing.progress import ProgressCallback
from penjing.tree.counts import Classes, Reader, Tally, Totals, reader_of
from penjing.tree.split import Offers, Split
from penjing.tree.tree_data import TreeData

ALONE = 100_000
"""With fewer rows a second thread costs more than it brings."""
SHARE = 8
"""This part of the memory limit may be used while columns are mapped."""
WIDE = 4
"""Codes of so many bytes are not counted by passes: their tables would be larger than the rows."""
SMALL = 200_000
"""Nodes of at most so many rows are gathered and finished in memory."""


class Engine:
    """Answers from a coded store.

    Parameters
    ----------
    table : Table
        The rows; where they are not in a store yet, they are written to one.
    missing, shares_of : str
        As for the memory engine.
    reader : Reader, optional
        What reads the sums.
    threads : int or None
        How many threads; None for all that the machine has.
    memory_limit : int, str or None
        How many bytes may be used ("2GB"); None for half of what is free.
    """

    def __init__(
        self,
        table: Table,
        missing: str = "fraction",
        shares_of: Any = "rows",  # noqa: ANN401 - the memory engine's
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
        self._how: dict[str, Any] = {"missing": missing, "shares_of": shares_of}
        self._threads = threads
        self._limit = memory_bytes(memory_limit)
        self._small = SMALL
        self.schema: tuple[Field, ...] = table.schema
        self.target: Field = table.target.field
        is_plain = table.weight is None and not table.is_regression
        if reader is None:
            reader = Classes(len(table.target.levels)) if is_plain else reader_of(table)
        self.reader: Reader = reader
        self._within: native.Engine | None = None

    def grow(self, recipe: Recipe, progress: ProgressCallback | None = None) -> TreeData | None:
        """Grow a whole tree; by the native engine where rows cannot be counted from disk."""
        if not self.counts(recipe):
            return self._inside(recipe, progress).grow(recipe, progress)
        means = Means(self._limit, self._n_threads(), self._threads, self._small, worth=3)
        return Growing(self._table, self.reader, recipe, means, progress).tree()

    def counts(self, recipe: Recipe) -> bool:
        """Say whether this recipe needs no more than counts of whole rows."""
        is_plain = isinstance(self.reader, Classes) and self.reader.costs is None
        return is_plain and decides_by_counts(recipe) and can_be_counted(self._table)

    # -- what the readable loop asks, in memory -----------------------------------------------

    def _inside(
        self, recipe: Recipe | None = None, progress: ProgressCallback | None = None
    ) -> native.Engine:
        """Return the native engine on the same table, its columns mapped."""
        if self._within is None:
            table = self._table
            if recipe is not None:
                table = mapped_or_refused(table, recipe, self._limit, progress)
            elif not is_mapped(table):
                table = map_table(table, self._limit // SHARE)
            spaces = [c.space for c in table.columns if isinstance(c, MappedColumn)]
            told = self._how | {"reader": self.reader, "threads": self._threads}
            self._within = native.Engine(table, **told, space=spaces[0] if spaces else None)
        return self._within

    def totals(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of these nodes."""
        return self._inside().totals(tree, nodes)

    def tally(
        self,
        tree: TreeStructure,
        nodes: Sequence[int],
        columns: Sequence[int] | None = None,
        by: Sequence[Split] | None = None,
    ) -> Iterator[Tally]:
        """Yield the sums of each node, for each column and level."""
        return self._inside().tally(tree, nodes, columns, by)

    def offers(self, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> Offers | None:  # noqa: ARG002
        """Return None: the readable loop asks by `tally`."""
        return None

    def level_values(self, column: int) -> Floats:
        """Return the sorted numbers of a numeric column, by code."""
        return self._inside().level_values(column)

    def prune_by_errors(self, tree: TreeData, how: Mapping[str, object]) -> dict[str, Any] | None:
        """Return what error-based pruning makes of a tree, or None where Python has to."""
        return self._inside().prune_by_errors(tree, how)

    def _n_threads(self) -> int:
        is_small = self._table.n_rows < ALONE
        return 1 if self._threads is None and is_small else n_threads(self._threads)


def decides_by_counts(recipe: Recipe) -> bool:
    """Say whether a recipe decides by counts of whole rows, and one generation at a time."""
    return (
        recipe.rules == "textbook"
        and recipe.missing in ("refuse", "fraction", "branch")
        and recipe.measure().native is not None
        and recipe.max_leaves is None
    )


def can_be_counted(table: Table) -> bool:
    """Say whether rows are counted: stored, of classes, each weighing one, nothing missing."""
    return (
        table.weight is None
        and not table.is_regression
        and table.n_rows > 0
        and all(isinstance(c, StoredColumn) and not c.has_missing for c in table.columns)
        and not has_many_levels(table)
    )


def has_many_levels(table: Table) -> bool:
    """Say whether a column has more levels than passes count: codes of one or two bytes."""
    stored = (c for c in (*table.columns, table.target) if isinstance(c, StoredColumn))
    return any(isinstance(c.part, ExactCodes) and c.part.width >= WIDE for c in stored)


def is_grown_by_kernel(recipe: Recipe) -> bool:
    """Say whether C++ grows such a tree whole; the loop in Python takes more memory."""
    if recipe.rules == "textbook":
        return decides_by_counts(recipe) and recipe.missing != "branch"
    return recipe.rules != "c50" and recipe.max_leaves is None


def mapped_or_refused(
    table: Table, recipe: Recipe, limit: int, progress: ProgressCallback | None = None
) -> Table:
    """Return a table of mapped columns; or refuse it where not even its rows fit memory."""
    is_kernel = is_grown_by_kernel(recipe)
    if not is_mapped(table):
        wanted = table.n_rows * (KERNEL_ROW_BYTES if is_kernel else LOOP_ROW_BYTES)
        if wanted > limit:
            raise too_large(recipe.name, wanted, limit)
        table = map_table(table, limit // SHARE, progress)
    wanted = mapped_table_bytes(table, is_kernel=is_kernel)
    if wanted > limit:
        raise too_large(recipe.name, wanted, limit)
    return table


def too_large(recipe: str, wanted: int, limit: int) -> CapabilityError:
    """Make the error for what only memory can do, and memory cannot hold."""
    return CapabilityError(
        "disk_cannot", recipe=recipe, wanted=format_bytes(wanted), limit=format_bytes(limit)
    )
