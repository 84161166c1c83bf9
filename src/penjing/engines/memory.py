"""The readable reference engine: NumPy, one node at a time, every engine's oracle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Column, Field, Floats, Table
from penjing.dialects.rpart.sorted_rows import ranks
from penjing.grow.engine import TreeStructure
from penjing.grow.recipe import Recipe
from penjing.tree.counts import Classes, Counts, Reader, Tally, Totals, reader_of, sums
from penjing.tree.split import NO_BRANCH, Offers, Split


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a node in the order of the table, and their weights (None: one each)."""

    ids: npt.NDArray[np.intp]
    weight: Floats | None

    def weights(self) -> Floats:
        """Return the weights, ones where none were given."""
        return np.ones(len(self.ids)) if self.weight is None else self.weight


class Engine:
    """Answers from a table in memory.

    Parameters
    ----------
    table : Table
        The rows.
    missing : str
        What becomes of a row whose value is missing: ``fraction`` shares it out over the
        branches, anything else leaves it at the node.
    shares_of : str
        Whose weights say how it is shared out: those of the ``rows`` here (growing), or those
        that the ``tree`` was grown from (validation).
    reader : Reader, optional
        What reads the sums, where it is not the table's own (costs, or those of more rows).
    threads : int, optional
        Of no meaning here: one does it.
    """

    def __init__(
        self,
        table: Table,
        missing: str = "fraction",
        shares_of: Literal["rows", "tree"] = "rows",
        reader: Reader | None = None,
        threads: int | None = None,  # noqa: ARG002 - one does it
    ) -> None:
        assert table.target is not None
        self._table = table
        self._missing = missing
        self._shares_of = shares_of
        self.schema: tuple[Field, ...] = table.schema
        self.target: Field = table.target.field
        self.reader: Reader = reader_of(table) if reader is None else reader
        self.ranks: list[npt.NDArray[np.int32] | None] | None = None
        """Where each row comes by each column, for `cases`; found out where None."""
        self._tree: TreeStructure | None = None
        self._rows: dict[int, Rows] = {}

    # An engine that grows trees by itself needs neither of the two; each is as large as a column.

    @cached_property
    def _y(self) -> Codes | Floats:
        """The class of each row, or its number less the centre."""
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
        asked = range(len(self.schema)) if columns is None else columns
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
            yield Tally(total, {c: self._counts(table[c], rows, y, s) for c in asked})

    def cases(
        self, tree: TreeStructure, node: int, column: int | None
    ) -> tuple[Codes, Floats, Floats]:
        """Return codes, numbers and weights of a node's rows, as rpart has sorted them.

        In the order of the table for a nominal column, or none (its codes are all 0).
        """
        assert self._table.target is not None
        if self.ranks is None:
            self.ranks = [ranks(each) for each in self._table.columns]
        rows = self._rows_of(tree, node)
        ids, weight = rows.ids, rows.weights()
        rank = None if column is None else self.ranks[column]
        if rank is not None:
            order = np.argsort(rank[ids])
            ids, weight = ids[order], weight[order]
        y = self._table.target.numbers()[ids]
        codes = np.zeros(len(ids), np.int32)
        return codes if column is None else self._table.columns[column].codes[ids], y, weight

    def offers(self, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> Offers | None:  # noqa: ARG002
        """Return None: this engine is asked by `tally`."""
        return None

    def level_values(self, column: int) -> Floats:
        """Return the sorted numbers of a numeric column, by code."""
        return np.asarray(self._table.columns[column].levels, np.float64)

    @staticmethod
    def _counts(column: Column, rows: Rows, of: Codes | Floats, s: Reader) -> Counts:
        codes = column.codes[rows.ids]
        y = of[rows.ids]
        is_known = codes >= 0
        weight = rows.weight
        n_missing = len(codes) - int(is_known.sum())
        if is_known.all():
            missing = np.zeros(s.size)
        else:
            unknown = ~is_known
            zeros = np.zeros(int(unknown.sum()), np.intp)
            w = None if weight is None else weight[unknown]
            missing = sums(zeros, 1, w, y[unknown], s)[0]
            codes, y = codes[is_known], y[is_known]
            weight = None if weight is None else weight[is_known]
        if len(column.levels) <= 2 * len(codes):
            present = np.flatnonzero(np.bincount(codes, minlength=1)).astype(np.int32)
            place = np.zeros(len(column.levels), np.intp)
            place[present] = np.arange(len(present))
            slots = place[codes]
        else:  # few rows, many levels: no table as long as the levels
            present, slots = np.unique(codes, return_inverse=True)
        cells = sums(slots, len(present), weight, y, s)
        if weight is None:
            return Counts(present, cells, missing)
        some = weight > 0
        ones = sums(slots[some], len(present), None, y[some], s)
        return Counts(present, cells, missing, ones, float(n_missing))

    # -- who is where -----------------------------------------------------------------------

    def _rows_of(self, tree: TreeStructure, node: int) -> Rows:
        """Return a node's rows, found by dividing those of the nearest ancestor remembered."""
        if tree is not self._tree:
            self._tree, self._rows = tree, {}
        road = [node]
        while road[-1] != 0 and road[-1] not in self._rows:
            road.append(tree.parent_of(road[-1])[0])
        rows = self._rows.get(road[-1], self._root)
        for parent, child in zip(reversed(road), reversed(road[:-1]), strict=False):
            self._divide(tree, parent, rows)
            rows = self._rows[child]
        return rows

    def _divide(self, tree: TreeStructure, parent: int, rows: Rows) -> None:
        """Remember the rows of a node's children, and forget its own."""
        split = tree.split(parent)
        assert split is not None
        column = self._table.columns[split.column].take(rows.ids)
        if split.surrogates or split.missing != NO_BRANCH:
            branches = split.route_rows(lambda c: self._table.columns[c].take(rows.ids))
            if self._shares_of == "rows":
                # A level that only rows of weight 0 have is in no group. While rpart grows a
                # tree, such rows stay: surrogates are for values that are missing.
                stays = (column.codes >= 0) & (split.branches(column) == NO_BRANCH)
                branches = np.where(stays, np.int32(NO_BRANCH), branches)
        else:
            branches = split.branches(column)
        children = list(tree.children(parent))
        lost = (column.codes < 0) & (branches == NO_BRANCH)
        shared = self._missing == "fraction" and bool(lost.any())
        weights = rows.weights() if shared else rows.weight
        shares = self._shares(tree, children, branches, weights) if shared else ()
        for branch, child in enumerate(children):
            here = branches == branch
            weight = weights
            if shared and shares[branch] > 0:
                assert weights is not None
                weight = np.where(lost, weights * shares[branch], weights)
                here |= lost
            self._rows[child] = Rows(rows.ids[here], None if weight is None else weight[here])
        self._rows.pop(parent, None)

    def _shares(
        self, tree: TreeStructure, children: list[int], branches: Codes, weights: Floats | None
    ) -> Sequence[float]:
        """Return what part of a row without a value goes to each branch."""
        if self._shares_of == "tree":
            known = np.array([tree.weight_of(child) for child in children])
        else:
            is_known = branches != NO_BRANCH
            w = None if weights is None else weights[is_known]
            known = np.bincount(branches[is_known], w, len(children))
        whole = known.sum()  # 0 where every row's value is missing: then they stay
        return (known / whole if whole > 0 else known).tolist()  # type: ignore[no-any-return]
