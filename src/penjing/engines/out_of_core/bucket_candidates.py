"""The best candidate split of each column for the nodes of a generation, from counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.criteria.criterion import gains, kernel_of
from penjing.criteria.entropy import entropy_bits
from penjing.data.store import BinnedNumbers, ExactCodes, StoredColumn
from penjing.data.table import Floats
from penjing.engines.out_of_core.bucket_cuts import BestCut, CutSearch, NodeContext, SingleValues
from penjing.engines.out_of_core.bucket_requests import BucketOpener, BucketRequest
from penjing.grow.recipe import Recipe
from penjing.grow.search import NO_VALUES, candidates, score
from penjing.tree.counts import Counts, Reader
from penjing.tree.split import BestSplits, midpoint

MAX_OPEN_SHARE = 0.25
"""A node is deferred if a larger share of its numbers would have to be counted by value."""

Tables = npt.NDArray[np.int64]


@dataclass(slots=True)
class Generation:
    """The best candidates of the nodes of one generation, by node position and column.

    The arrays are those of :class:`penjing.tree.split.BestSplits`. ``after`` holds the sums of the
    branches; the rows of ``deferred`` nodes are to be fetched and split in memory.
    """

    nodes: list[int]
    n_columns: int
    gain: Floats = field(init=False)
    information: Floats = field(init=False)
    impurity: Floats = field(init=False)
    cut: Floats = field(init=False)
    groups: dict[tuple[int, int], tuple[Any, ...]] = field(default_factory=dict)
    after: dict[tuple[int, int], Floats] = field(default_factory=dict)
    best_cuts: dict[tuple[int, int], BestCut] = field(default_factory=dict)
    deferred: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        shape = len(self.nodes), self.n_columns
        self.gain, self.information = np.full(shape, np.nan), np.full(shape, np.nan)
        self.impurity, self.cut = np.full(shape, np.nan), np.full(shape, np.nan)

    def best_splits(self) -> BestSplits:
        """Return the candidates as the choice of splits takes them."""
        n_candidates = np.zeros(self.gain.shape, np.int64)
        return BestSplits(
            self.gain, self.information, self.impurity, self.cut, n_candidates, self.groups
        )


class CandidateSearch:
    """Finds the best split of each column from counts.

    Parameters
    ----------
    columns : sequence of StoredColumn
        The columns.
    s : Reader
        Interprets the sums.
    recipe : Recipe
        The recipe of the tree; C++ has its criterion.
    opener : BucketOpener
        Opens buckets that may contain a better cut.
    """

    def __init__(
        self, columns: Sequence[StoredColumn], s: Reader, recipe: Recipe, opener: BucketOpener
    ) -> None:
        self._columns, self._s, self._recipe, self._opener = columns, s, recipe, opener
        self._criterion = recipe.measure()
        # Gain and gain ratio have the same impurity; they differ in how columns are compared.
        self._measure = "gini" if kernel_of(self._criterion) == "gini" else "entropy"
        self._single_values = {
            c: SingleValues(column.part.cells)
            for c, column in enumerate(columns)
            if isinstance(column.part, BinnedNumbers)
        }
        self._has_one_code_per_level = [
            c.place is not None and len(np.unique(c.place)) == len(c.place) for c in columns
        ]
        self._values = [
            np.asarray(c.levels, np.float64) if c.is_numeric and c.place is not None else NO_VALUES
            for c in columns
        ]

    def find_candidates(
        self,
        nodes: list[int],
        counted: dict[int, list[Tables]],
        may_defer: Callable[[int], bool],
        count_cells: BucketRequest,
        fetch_numbers: BucketRequest,
    ) -> Generation:
        """Return the best candidates of these nodes.

        A node is deferred if it may be and most of its numbers would have to be counted by value.
        ``count_cells`` and ``fetch_numbers`` open buckets of some of the nodes.
        """
        generation = Generation(nodes, len(self._columns))
        searches: dict[tuple[int, int], CutSearch] = {}
        for i, node in enumerate(nodes):
            if self._single_values:
                context = self._context(counted[node][next(iter(self._single_values))])
            for c, column in enumerate(self._columns):
                table = counted[node][c]
                if isinstance(column.part, ExactCodes):
                    self._search_levels(generation, i, c, self.counts(c, table))
                else:
                    search = CutSearch(table, self._single_values[c], context)
                    searches[i, c], generation.gain[i, c] = search, search.best_gain
        self._score_binary(generation)
        self._defer_noisy(generation, searches, counted, may_defer)
        self._opener.open_all(searches, generation.gain, count_cells, fetch_numbers, len(nodes))
        best_gains = self._opener.best_gains(generation.gain)
        for (i, c), search in searches.items():
            if search.best_gain < self._opener.min_gain(best_gains, i, search):
                generation.gain[i, c] = np.nan  # it can neither win nor tie
                continue
            best = search.best_cut()
            if best is not None:
                generation.cut[i, c], generation.best_cuts[i, c] = best.cut, best
                generation.after[i, c] = best.after
        self._score_binary(generation)
        return generation

    def _context(self, table: Tables) -> NodeContext:
        """Return criterion and sums of a node, from the table of any column."""
        known = table.sum(axis=0).astype(np.float64)
        impurity = float(self._criterion.impurity(known, self._s))
        return NodeContext(self._measure, self._recipe.min_branch, known, impurity)

    def counts(self, c: int, table: Tables) -> Counts:
        """Return the counts of a column of exact codes, by its levels."""
        column = self._columns[c]
        assert column.place is not None
        cells = np.zeros((len(column.levels) + 1, table.shape[1]))
        if self._has_one_code_per_level[c]:
            cells[column.place] = table  # one code per level: faster
        else:
            np.add.at(cells, column.place, table)
        present = np.flatnonzero(cells[:-1].any(axis=1)).astype(np.int32)
        return Counts(present, cells[present], cells[-1])

    def _search_levels(self, generation: Generation, i: int, c: int, counts: Counts) -> None:
        """Find the best split of a column of exact codes; `_score_binary` computes its gain."""
        column, recipe = self._columns[c], self._recipe
        cells, codes, values = counts.cells, counts.codes, self._values[c]
        if column.has_order:
            best, _ = _core.cut_gains(cells, self._measure, recipe.min_branch)
            if best < 0:
                return
            low, high = codes[best], codes[best + 1]
            generation.cut[i, c] = midpoint(values[low], values[high]) if column.is_numeric else low
            side = np.arange(len(codes)) > best
        elif recipe.shape == "multiway":
            self._add_multiway(generation, i, c, counts)
            return
        else:
            side = _core.best_grouping(cells, self._measure, recipe.min_branch).view(np.bool_)
            if not len(side):
                return
            generation.groups[i, c] = codes[~side], codes[side]
        generation.after[i, c] = np.stack([cells[~side].sum(axis=0), cells[side].sum(axis=0)])

    def _add_multiway(self, generation: Generation, i: int, c: int, counts: Counts) -> None:
        """Add the multiway split of a column: one branch for each level."""
        column, s = self._columns[c], self._s
        splits = candidates(counts, column.field, NO_VALUES, "multiway", s)
        gain = score(self._criterion, counts, splits, self._recipe, s)
        if not gain.size or np.isnan(gain[0]):
            return
        generation.gain[i, c] = gain[0]
        generation.information[i, c] = entropy_bits(s.weight(splits.after[0]))
        generation.impurity[i, c] = float(self._criterion.impurity(counts.known, s))
        generation.after[i, c] = splits.after[0]
        generation.groups[i, c] = tuple(counts.codes[j : j + 1] for j in range(len(counts.codes)))

    def _score_binary(self, generation: Generation) -> None:
        """Compute the gains of all binary splits, by the formula of the criterion."""
        keys = [key for key in generation.after if np.isnan(generation.impurity[key])]
        if not keys:
            return
        positions = tuple(np.array(keys).T)
        after = np.stack([generation.after[key] for key in keys])
        known = after.sum(axis=1)
        generation.gain[positions] = gains(self._criterion, known, after, self._s)
        generation.information[positions] = entropy_bits(self._s.weight(after))
        generation.impurity[positions] = self._criterion.impurity(known, self._s)

    def _defer_noisy(
        self,
        generation: Generation,
        searches: dict[tuple[int, int], CutSearch],
        counted: dict[int, list[Tables]],
        may_defer: Callable[[int], bool],
    ) -> None:
        """Defer nodes in which most numbers would have to be counted by value."""
        columns = list(self._single_values)
        for i, node in enumerate(generation.nodes):
            if not columns or not may_defer(node):
                continue
            n = float(counted[node][columns[0]].sum())
            best_gains = self._opener.best_gains(generation.gain[i : i + 1])
            n_to_open = sum(
                searches[i, c].n_rows_to_open(self._opener.min_gain(best_gains, 0, searches[i, c]))
                for c in columns
            )
            if n_to_open > MAX_OPEN_SHARE * n * len(columns):
                generation.deferred.append(node)
                generation.gain[i] = np.nan
                for c in columns:
                    del searches[i, c]
