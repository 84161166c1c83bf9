"""The reference engine: counts with NumPy, one node at a time; tests compare others with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from penjing.data.lazy_column import LazyColumn
from penjing.data.table import Codes, Column, Field, Floats, Table
from penjing.grow.engine import Capabilities, RowRanks, TreeStructure
from penjing.grow.engine import Engine as EngineBase
from penjing.tree.counts import Classes, Counts, Reader, Tally, Totals, reader_of, sums
from penjing.tree.held_rows import HeldRows
from penjing.tree.split import NO_BRANCH, Split


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a node in the order of the table, and their weights (None: all are 1)."""

    ids: npt.NDArray[Any]
    weight: Floats | None

    def weights(self) -> Floats:
        """Return the weights, ones if none were given."""
        return np.ones(len(self.ids)) if self.weight is None else self.weight


class Engine(EngineBase):
    """Counts the rows of a table in memory.

    Parameters
    ----------
    table : Table
        The rows.
    missing : str
        What happens to a row whose value is missing: ``fraction`` sends a part of it down each
        branch (C4.5's fractional cases); with any other value it stays at the node.
    shares_of : str
        Which weights determine these parts: those of the ``rows`` of this table (growing), or
        those of the rows that the ``tree`` was grown from (validation).
    reader : Reader, optional
        Interprets the sums, if not the table's own (with costs, or for a part of a larger table).
    threads : int, optional
        Ignored: this engine uses one thread.
    """

    capabilities = Capabilities(has_rows=True, steers=True)

    def __init__(
        self,
        table: Table,
        missing: str = "fraction",
        shares_of: Literal["rows", "tree"] = "rows",
        reader: Reader | None = None,
        threads: int | None = None,
    ) -> None:
        assert table.target is not None
        self._threads = threads
        self._table = table
        self._missing = missing
        self._shares_of = shares_of
        self.schema: tuple[Field, ...] = table.schema
        self.target: Field = table.target.field
        self.reader: Reader = reader_of(table) if reader is None else reader
        self.ranks: list[npt.NDArray[np.int32] | None] | None = None
        """The rank of each row in each column, for `cases`; computed when first needed."""
        self._tree: TreeStructure | None = None
        self._rows: dict[int, Rows] = {}

    @property
    def table(self) -> Table:
        """The rows."""
        return self._table

    # Computed on demand: an engine that grows whole trees itself needs neither, and each is as
    # large as a column.

    @cached_property
    def _y(self) -> Codes | Floats:
        """The class of each row, or its numeric target minus the centre."""
        assert self._table.target is not None
        if isinstance(self.reader, Classes):
            return self._table.target.codes
        return self._table.target.numbers() - self.reader.centre

    @cached_property
    def _root(self) -> Rows:
        return Rows(np.arange(self._table.n_rows), self._table.weight)

    def totals(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of these nodes."""
        cells = np.empty((len(nodes), self.reader.size))
        is_pure = np.empty(len(nodes), bool)
        assert self._table.target is not None
        for i, node in enumerate(nodes):
            rows = self._rows_of(tree, node)
            zeros = np.zeros(len(rows.ids), np.intp)
            cells[i] = sums(zeros, 1, rows.weight, self._y[rows.ids], self.reader)[0]
            classes = self._table.target.codes[rows.ids]
            is_pure[i] = classes.size == 0 or classes.min() == classes.max()
        if self._table.weight is None:
            return Totals(cells, is_pure)
        sizes = np.array([len(self._rows_of(tree, node).ids) for node in nodes], np.float64)
        return Totals(cells, is_pure, sizes)

    def tally(
        self,
        tree: TreeStructure,
        nodes: Sequence[int],
        columns: Sequence[int] | None = None,
        by: Sequence[Split] | None = None,
    ) -> Iterator[Tally]:
        """Yield the sums of each node, for each column and level."""
        column_ids = range(len(self.schema)) if columns is None else columns
        for i, node in enumerate(nodes):
            rows = self._rows_of(tree, node)
            y, s, total = self._y, self.reader, np.empty(0)
            if by is None:
                total = self.totals(tree, nodes[i : i + 1]).cells[0]
            else:
                y = by[i].branches(self._table.columns[by[i].column])
                s = Classes(by[i].n_branches + 1)
                y = np.where(y == NO_BRANCH, np.int32(by[i].n_branches), y)
            table = self._table.columns
            yield Tally(total, {c: self._counts(table[c], rows, y, s) for c in column_ids})

    def cases(
        self, tree: TreeStructure, node: int, column: int | None, ranks_of: RowRanks
    ) -> tuple[Codes, Floats, Floats]:
        """Return codes, numbers and weights of a node's rows, by their rank in the column.

        Where a column has no ranks, the rows are in the order of the table. Without a column they
        are too, and all codes are 0.
        """
        assert self._table.target is not None
        if self.ranks is None:
            self.ranks = [ranks_of(each) for each in self._table.columns]
        rows = self._rows_of(tree, node)
        ids, weight = rows.ids, rows.weights()
        rank = None if column is None else self.ranks[column]
        if rank is not None:
            order = np.argsort(rank[ids])
            ids, weight = ids[order], weight[order]
        y = self._table.target.numbers()[ids]
        codes = np.zeros(len(ids), np.int32)
        return codes if column is None else self._table.columns[column].codes[ids], y, weight

    def engine_below(self, tree: TreeStructure, node: int) -> Self:
        """Return an engine for the rows of a node, with the weights that they have there."""
        rows = self._rows_of(tree, node)
        columns = tuple(
            column.take_with_levels(rows.ids)  # a threshold may be any value of the whole table
            if isinstance(column, LazyColumn)
            else column.take(rows.ids)
            for column in self._table.columns
        )
        others = replace(self._table, columns=()).take(rows.ids)
        return self._of_table(replace(others, columns=columns, weight=rows.weight))

    def row_numbers(self, tree: TreeStructure, node: int) -> npt.NDArray[Any]:
        """Return the positions of a node's rows in the table, ascending."""
        return self._rows_of(tree, node).ids

    def column_branches(self, split: Split) -> Codes:
        """Return the branch that a split sends each row to by its column, -1 for none."""
        return split.branches(self._table.columns[split.column])

    def with_column(self, position: int, column: Column) -> Self:
        """Return an engine for the same rows with another column in this position."""
        columns = list(self._table.columns)
        columns[position] = column
        return self._of_table(replace(self._table, columns=tuple(columns)))

    def _of_table(self, table: Table) -> Self:
        """Return an engine for a part of the rows, or for other columns, that counts alike."""
        return type(self)(table, missing=self._missing, reader=self.reader, threads=self._threads)

    def level_values(self, column: int) -> Floats:
        """Return the sorted numbers of a numeric column, by code."""
        return np.asarray(self._table.columns[column].levels, np.float64)

    @staticmethod
    def _counts(column: Column, rows: Rows, target: Codes | Floats, s: Reader) -> Counts:
        codes = column.codes[rows.ids]
        y = target[rows.ids]
        is_known = codes >= 0
        weight = rows.weight
        n_missing = len(codes) - int(is_known.sum())
        if is_known.all():
            missing = np.zeros(s.size)
        else:
            is_missing = ~is_known
            zeros = np.zeros(int(is_missing.sum()), np.intp)
            w = None if weight is None else weight[is_missing]
            missing = sums(zeros, 1, w, y[is_missing], s)[0]
            codes, y = codes[is_known], y[is_known]
            weight = None if weight is None else weight[is_known]
        if len(column.levels) <= 2 * len(codes):
            present = np.flatnonzero(np.bincount(codes, minlength=1)).astype(np.int32)
            slot_of = np.zeros(len(column.levels), np.intp)
            slot_of[present] = np.arange(len(present))
            slots = slot_of[codes]
        else:  # few rows, many levels: avoid an array with an entry for each level
            present, slots = np.unique(codes, return_inverse=True)
        cells = sums(slots, len(present), weight, y, s)
        if weight is None:
            return Counts(present, cells, missing)
        is_positive = weight > 0
        unit_cells = sums(slots[is_positive], len(present), None, y[is_positive], s)
        return Counts(present, cells, missing, unit_cells, float(n_missing))

    # -- rows of nodes ------------------------------------------------------------------------

    def _rows_of(self, tree: TreeStructure, node: int) -> Rows:
        """Return a node's rows, by splitting those of its nearest ancestor in the cache."""
        if tree is not self._tree:
            self._tree, self._rows = tree, {}
        rows = self._rows.get(node)
        if rows is not None:
            return rows
        held: HeldRows | None = getattr(tree, "held_rows", None)
        path = [node]
        while (rows := self._rows.get(path[-1])) is None:
            if held is not None:
                rows = held.get(path[-1])
            if rows is None and path[-1] == 0:
                rows = self._root
            if rows is not None:
                break
            path.append(tree.parent_of(path[-1])[0])
        for parent, child in zip(reversed(path), reversed(path[:-1]), strict=False):
            self._split_rows(tree, parent, rows)
            if held is not None:
                self._hold_rows(tree, parent, held)
            rows = self._rows[child]
        return rows

    def _hold_rows(self, tree: TreeStructure, parent: int, held: HeldRows) -> None:
        """Hold the rows of a node's children for later requests.

        At most as many row numbers are held as the table has values.
        """
        for child in tree.children(parent):
            if tree.split(child) is not None:
                held.hold(child, self._rows[child], self._most_held)

    @property
    def _most_held(self) -> int:
        return self._table.n_rows * len(self.schema)

    def _split_rows(self, tree: TreeStructure, parent: int, rows: Rows) -> None:
        """Put the rows of a node's children into the cache, and remove the node's own."""
        split = tree.split(parent)
        assert split is not None
        column = self._table.columns[split.column].take(rows.ids)
        if split.surrogates or split.missing != NO_BRANCH:
            branches = split.route_rows(lambda c: self._table.columns[c].take(rows.ids))
            if self._shares_of == "rows":
                # A level that occurs only in rows of weight 0 is in no group. While rpart grows
                # a tree, such rows stay at the node: surrogates are for missing values only.
                stays = (column.codes >= 0) & (split.branches(column) == NO_BRANCH)
                branches = np.where(stays, np.int32(NO_BRANCH), branches)
        else:
            branches = split.branches(column)
        children = list(tree.children(parent))
        is_missing = (column.codes < 0) & (branches == NO_BRANCH)
        has_fractions = self._missing == "fraction" and bool(is_missing.any())
        weights = rows.weights() if has_fractions else rows.weight
        shares = self._shares(tree, children, branches, weights) if has_fractions else ()
        for branch, child in enumerate(children):
            in_branch = branches == branch
            weight = weights
            if has_fractions and shares[branch] > 0:
                assert weights is not None
                weight = np.where(is_missing, weights * shares[branch], weights)
                in_branch |= is_missing
            self._rows[child] = Rows(
                rows.ids[in_branch], None if weight is None else weight[in_branch]
            )
        self._rows.pop(parent, None)

    def _shares(
        self, tree: TreeStructure, children: list[int], branches: Codes, weights: Floats | None
    ) -> Sequence[float]:
        """Return which part of a row with a missing value goes to each branch."""
        if self._shares_of == "tree":
            known = np.array([tree.weight_of(child) for child in children])
        else:
            is_known = branches != NO_BRANCH
            w = None if weights is None else weights[is_known]
            known = np.bincount(branches[is_known], w, len(children))
        total = known.sum()  # 0 if the value is missing in every row: they all stay
        return (known / total if total > 0 else known).tolist()  # type: ignore[no-any-return]
