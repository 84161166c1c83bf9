"""What columns offer the nodes of a generation, from their tables of counts."""

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
from penjing.engines.out_of_core.bucket_cuts import Alone, Cuts, Found, Judging
from penjing.engines.out_of_core.bucket_requests import Ask, Looker
from penjing.grow.recipe import Recipe
from penjing.grow.search import NO_VALUES, candidates, score
from penjing.tree.counts import Counts, Reader
from penjing.tree.split import Offers, midpoint

NOISE = 0.25
"""A node of which more than this share of the numbers must be looked at is gathered if it fits."""

Tables = npt.NDArray[np.int64]


@dataclass(slots=True)
class Generation:
    """The candidates of the nodes of one generation; see :class:`penjing.tree.split.Offers`."""

    nodes: list[int]
    n_columns: int
    gain: Floats = field(init=False)
    information: Floats = field(init=False)
    impurity: Floats = field(init=False)
    cut: Floats = field(init=False)
    groups: dict[tuple[int, int], tuple[Any, ...]] = field(default_factory=dict)
    after: dict[tuple[int, int], Floats] = field(default_factory=dict)
    found: dict[tuple[int, int], Found] = field(default_factory=dict)
    parked: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        shape = len(self.nodes), self.n_columns
        self.gain, self.information = np.full(shape, np.nan), np.full(shape, np.nan)
        self.impurity, self.cut = np.full(shape, np.nan), np.full(shape, np.nan)

    def offers(self) -> Offers:
        """Return what there is to choose from."""
        places = np.zeros(self.gain.shape, np.int64)
        return Offers(self.gain, self.information, self.impurity, self.cut, places, self.groups)


class Offering:
    """Judges columns by counts.

    Parameters
    ----------
    columns : sequence of Stored
        The columns.
    s : Reader
        What reads the sums.
    recipe : Recipe
        What is grown; its criterion is known to C++.
    looker : Looker
        Looks again at buckets that may hide a better cut.
    """

    def __init__(
        self, columns: Sequence[StoredColumn], s: Reader, recipe: Recipe, looker: Looker
    ) -> None:
        self._columns, self._s, self._recipe, self._looker = columns, s, recipe, looker
        self._criterion = recipe.measure()
        # How mixed a node is; gain and gain ratio differ only in how columns are compared.
        self._measure = "gini" if kernel_of(self._criterion) == "gini" else "entropy"
        self._alone = {
            c: Alone(column.part.cells)
            for c, column in enumerate(columns)
            if isinstance(column.part, BinnedNumbers)
        }
        self._is_apart = [
            c.place is not None and len(np.unique(c.place)) == len(c.place) for c in columns
        ]
        self._values = [
            np.asarray(c.levels, np.float64) if c.is_numeric and c.place is not None else NO_VALUES
            for c in columns
        ]

    def offered(
        self,
        nodes: list[int],
        counted: dict[int, list[Tables]],
        may_park: Callable[[int], bool],
        cells: Ask,
        numbers: Ask,
    ) -> Generation:
        """Return what the columns offer these nodes.

        Nodes that may be parked are, if nearly everything of them would have to be looked at.
        ``cells`` and ``numbers`` look into open buckets of some of the nodes.
        """
        told = Generation(nodes, len(self._columns))
        cuts: dict[tuple[int, int], Cuts] = {}
        for i, node in enumerate(nodes):
            if self._alone:
                judging = self._judging(counted[node][next(iter(self._alone))])
            for c, column in enumerate(self._columns):
                table = counted[node][c]
                if isinstance(column.part, ExactCodes):
                    self._offer(told, i, c, self.counts(c, table))
                else:
                    cut = Cuts(table, self._alone[c], judging)
                    cuts[i, c], told.gain[i, c] = cut, cut.best
        self._settle(told)
        self._park_noise(told, cuts, counted, may_park)
        self._looker.look(cuts, told.gain, cells, numbers, len(nodes))
        bars = self._looker.bars(told.gain)
        for (i, c), cut in cuts.items():
            if cut.best < self._looker.bar(bars, i, cut):
                told.gain[i, c] = np.nan  # it cannot win, nor tie
                continue
            found = cut.found()
            if found is not None:
                told.cut[i, c], told.found[i, c] = found.cut, found
                told.after[i, c] = found.after
        self._settle(told)
        return told

    def _judging(self, table: Tables) -> Judging:
        """Return how cuts of a node are judged, by the table of any column."""
        known = table.sum(axis=0).astype(np.float64)
        impurity = float(self._criterion.impurity(known, self._s))
        return Judging(self._measure, self._recipe.min_branch, known, impurity)

    def counts(self, c: int, table: Tables) -> Counts:
        """Return the counts of a column of exact codes, by its levels."""
        column = self._columns[c]
        assert column.place is not None
        cells = np.zeros((len(column.levels) + 1, table.shape[1]))
        if self._is_apart[c]:
            cells[column.place] = table  # a level for each code: quicker
        else:
            np.add.at(cells, column.place, table)
        present = np.flatnonzero(cells[:-1].any(axis=1)).astype(np.int32)
        return Counts(present, cells[present], cells[-1])

    def _offer(self, told: Generation, i: int, c: int, counts: Counts) -> None:
        """Find the best division of a column of exact codes; what it is worth is settled later."""
        column, recipe = self._columns[c], self._recipe
        cells, codes, values = counts.cells, counts.codes, self._values[c]
        if column.has_order:
            best, _ = _core.judge_cuts(cells, self._measure, recipe.min_branch)
            if best < 0:
                return
            low, high = codes[best], codes[best + 1]
            told.cut[i, c] = midpoint(values[low], values[high]) if column.is_numeric else low
            side = np.arange(len(codes)) > best
        elif recipe.shape == "multiway":
            self._offer_all(told, i, c, counts)
            return
        else:
            side = _core.group_levels(cells, self._measure, recipe.min_branch).view(np.bool_)
            if not len(side):
                return
            told.groups[i, c] = codes[~side], codes[side]
        told.after[i, c] = np.stack([cells[~side].sum(axis=0), cells[side].sum(axis=0)])

    def _offer_all(self, told: Generation, i: int, c: int, counts: Counts) -> None:
        """Offer a branch for each level."""
        column, s = self._columns[c], self._s
        found = candidates(counts, column.field, NO_VALUES, "multiway", s)
        scored = score(self._criterion, counts, found, self._recipe, s)
        if not scored.size or np.isnan(scored[0]):
            return
        told.gain[i, c] = scored[0]
        told.information[i, c] = entropy_bits(s.weight(found.after[0]))
        told.impurity[i, c] = float(self._criterion.impurity(counts.known, s))
        told.after[i, c] = found.after[0]
        told.groups[i, c] = tuple(counts.codes[j : j + 1] for j in range(len(counts.codes)))

    def _settle(self, told: Generation) -> None:
        """Compute what all divisions in two are worth, by the criterion itself."""
        at = [key for key in told.after if np.isnan(told.impurity[key])]
        if not at:
            return
        places = tuple(np.array(at).T)
        after = np.stack([told.after[key] for key in at])
        known = after.sum(axis=1)
        told.gain[places] = gains(self._criterion, known, after, self._s)
        told.information[places] = entropy_bits(self._s.weight(after))
        told.impurity[places] = self._criterion.impurity(known, self._s)

    def _park_noise(
        self,
        told: Generation,
        cuts: dict[tuple[int, int], Cuts],
        counted: dict[int, list[Tables]],
        may_park: Callable[[int], bool],
    ) -> None:
        """Leave nodes in which nearly everything would have to be looked at for the end."""
        numbers = list(self._alone)
        for i, node in enumerate(told.nodes):
            if not numbers or not may_park(node):
                continue
            n = float(counted[node][numbers[0]].sum())
            bars = self._looker.bars(told.gain[i : i + 1])
            seen = sum(cuts[i, c].n_open(self._looker.bar(bars, 0, cuts[i, c])) for c in numbers)
            if seen > NOISE * n * len(numbers):
                told.parked.append(node)
                told.gain[i] = np.nan
                for c in numbers:
                    del cuts[i, c]
