"""Rows that stay where they are: an engine on counts that others make, in a database or a cluster.

Large nodes are asked about by counts; a node of few rows is fetched once and asked about here by
the memory engine, or finished by the native one (:mod:`penjing.training.finish_locally`). Columns
of very many numbers are counted in buckets, and only the buckets that may hold the best cut are
looked into (:mod:`penjing.engines.out_of_core.bucket_search`), so that cuts are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from penjing.criteria.criterion import Criterion
from penjing.data.read.infer_remote import RemoteTable
from penjing.data.table import Column, Field, Floats, Table
from penjing.engines import memory
from penjing.engines.out_of_core import bucket_search
from penjing.grow.engine import TreeStructure
from penjing.grow.recipe import Recipe
from penjing.tree.counts import Counts, Reader, Tally, Totals, reader_of
from penjing.tree.split import Offers, Split

FETCHED = 50_000
"""A node of at most so many rows is fetched and finished here."""
HELD = 2_000_000
"""Of so many rows in all; beyond, small nodes are asked about like large ones."""
AT_ONCE = 64
"""Of so many nodes at a time the tables are held."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Heap:
    """Rows counted together: for each heap the place of its node, its key, class and size.

    The key is the code of a level, a bucket, or the value itself; ``low`` and ``high`` are the
    least and the greatest value of a bucket.
    """

    place: Ints
    key: npt.NDArray[Any]
    class_: Ints
    n: Ints
    low: Floats | None = None
    high: Floats | None = None

    def at(self, place: int) -> Heap:
        """Return the heaps of one node, rows without a value not included."""
        here = self.place == place
        parts = [self.place, self.key, self.class_, self.n, self.low, self.high]
        return Heap(*(None if part is None else part[here] for part in parts))  # type: ignore[arg-type]


class Rows(Protocol):
    """Who counts rows that are elsewhere; a missing value has the key -1 (NaN for values)."""

    @property
    def survey(self) -> RemoteTable:
        """What the columns are."""

    def place(self, tree: TreeStructure, nodes: Sequence[int]) -> None:
        """Ask about these nodes from now on; answers name them by their place in this list."""

    def forget(self) -> None:
        """Start anew: nodes are now those of another tree."""

    def totals(self) -> Ints:
        """Return how many rows of each class the nodes have, (nodes, classes)."""

    def listed(self, c: int, places: Sequence[int], by: Sequence[Split] | None) -> Heap:
        """Count by level."""

    def buckets(self, c: int, places: Sequence[int]) -> Heap:
        """Count by bucket."""

    def values(
        self, c: int, spans: Sequence[tuple[int, float, float]], by: Sequence[Split] | None
    ) -> Heap:
        """Count by value, within spans of values of some nodes."""

    def look(self, wanted: Mapping[int, Sequence[tuple[int, float, float]]]) -> dict[int, Heap]:
        """Count by value, within spans of several columns."""

    def distinct(self, c: int) -> Floats:
        """Return the sorted distinct values of a column."""

    def fetch(self, places: Sequence[int]) -> Iterator[tuple[int, Table]]:
        """Yield the rows of some nodes, as codes."""


class Below:
    """The part of a tree below one node, as a tree whose root is that node."""

    def __init__(self, tree: TreeStructure, root: int) -> None:
        self._tree, self._root = tree, root

    def _id(self, node: int) -> int:
        return self._root if node == 0 else node

    def split(self, node: int) -> Split | None:
        """Return the test of a node."""
        return self._tree.split(self._id(node))

    def parent_of(self, node: int) -> tuple[int, int]:
        """Return a node's parent and by which of its branches the node is reached."""
        parent, branch = self._tree.parent_of(node)
        return (0 if parent == self._root else parent), branch

    def children(self, node: int) -> range:
        """Return the ids of a node's children."""
        return self._tree.children(self._id(node))

    def weight_of(self, node: int) -> float:
        """Return the weight of a node's rows."""
        return self._tree.weight_of(self._id(node))


class Engine:
    """Answers from rows that are elsewhere.

    Parameters
    ----------
    rows : Rows
        Who counts them.
    recipe : Recipe
        What is going to be grown: the textbook's rules do with coarse counts.
    fetched : int
        A node of at most so many rows is fetched and finished here.
    """

    def __init__(self, rows: Rows, recipe: Recipe, fetched: int | None = None) -> None:
        self.rows = rows
        survey = rows.survey
        self.fetched = FETCHED if fetched is None else fetched
        """A node of at most so many rows is fetched and finished here."""
        self._recipe = recipe
        self.schema: tuple[Field, ...] = tuple(
            Field(j.column.name, j.column.kind, () if j.column.is_numeric else j.column.levels)
            for j in survey.columns
        )
        self.target: Field = survey.target.column
        self.reader: Reader = reader_of(sketch_of(survey), recipe.options.costs(sketch_of(survey)))
        criterion = recipe.measure()
        is_plain = recipe.rules == "textbook" and criterion.native is not None
        self._criterion: Criterion | None = criterion if is_plain else None
        self._tree: TreeStructure | None = None
        self._inside: dict[int, tuple[Below, memory.Engine]] = {}
        self._weight: dict[int, float] = {}
        self._held = 0
        self._at_once = AT_ONCE
        self._spans: dict[tuple[int, int], Floats] = {}
        self._levels: dict[int, Floats] = {}
        self.gaps: dict[int, tuple[float, float]] = {}
        """The values on both sides of each cut that was made, by the node of the growth."""

    def totals(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of these nodes."""
        self._turn_to(tree)
        cells = np.zeros((len(nodes), self.reader.size))
        self._remember_gaps(tree, nodes)
        outside = []
        for i, node in enumerate(nodes):
            home = self._home(tree, node)
            if home is None:
                outside.append(i)
                continue
            below, engine = self._inside[home]
            cells[i] = engine.totals(below, [0 if node == home else node]).cells[0]
        for level in _levels(tree, nodes, outside):
            self.rows.place(tree, [nodes[i] for i in level])
            cells[level] = self.rows.totals()
            for i in level:
                self._weight[nodes[i]] = float(cells[i].sum())
        return Totals(cells, (cells > 0).sum(axis=1) <= 1)

    def tally(
        self,
        tree: TreeStructure,
        nodes: Sequence[int],
        columns: Sequence[int] | None = None,
        by: Sequence[Split] | None = None,
    ) -> Iterator[Tally]:
        """Yield the sums of each node, for each column and level; some nodes at a time."""
        self._turn_to(tree)
        asked = list(range(len(self.schema)) if columns is None else columns)
        self._fetch(tree, nodes)
        for start in range(0, len(nodes), self._at_once):
            batch = nodes[start : start + self._at_once]
            tests = None if by is None else by[start : start + self._at_once]
            yield from self._batch(tree, batch, asked, tests)

    def offers(self, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> Offers | None:  # noqa: ARG002
        """Return None: this engine is asked by `tally`."""
        return None

    @property
    def growth(self) -> TreeStructure | None:
        """The tree that was last asked about."""
        return self._tree

    def level_values(self, column: int) -> Floats:
        """Return the sorted numbers of a numeric column, by code; none where spans tell them."""
        judged = self.rows.survey.columns[column]
        if judged.is_listed:
            return judged.numbers()
        if self._criterion is not None:
            return np.empty(0)
        if column not in self._levels:
            self._levels[column] = self.rows.distinct(column)
        return self._levels[column]

    def fetch(self, tree: TreeStructure, nodes: Sequence[int]) -> Iterator[tuple[int, Table]]:
        """Yield the rows of nodes, of which none is below another, by their places."""
        self._turn_to(tree)
        self.rows.place(tree, nodes)
        yield from self.rows.fetch(range(len(nodes)))

    # -- who is where -----------------------------------------------------------------------

    def _turn_to(self, tree: TreeStructure) -> None:
        if tree is not self._tree:
            self._tree = tree
            self._inside, self._weight, self._spans, self.gaps = {}, {}, {}, {}
            self._held = 0
            self.rows.forget()

    def _home(self, tree: TreeStructure, node: int) -> int | None:
        """Return the node at or above this one whose rows have been fetched."""
        while node not in self._inside:
            if node == 0:
                return None
            node = tree.parent_of(node)[0]
        return node

    def _fetch(self, tree: TreeStructure, nodes: Sequence[int]) -> None:
        """Fetch the rows of the nodes that are small enough."""
        outside = [n for n in nodes if self._home(tree, n) is None]
        unknown = [n for n in outside if n not in self._weight]
        if unknown:
            self.totals(tree, unknown)
        for level in _levels(tree, outside, range(len(outside))):
            asked = [outside[i] for i in level if self._home(tree, outside[i]) is None]
            small = []
            for i, node in enumerate(asked):
                if self._weight[node] <= min(self.fetched, HELD - self._held):
                    small.append(i)
                    self._held += int(self._weight[node])
            if not small:
                continue
            self.rows.place(tree, asked)
            for i, table in self.rows.fetch(small):
                engine = memory.Engine(table, self._recipe.missing, reader=self.reader)
                self._inside[asked[i]] = (Below(tree, asked[i]), engine)

    # -- tables -----------------------------------------------------------------------------

    def _batch(
        self,
        tree: TreeStructure,
        nodes: Sequence[int],
        columns: Sequence[int],
        by: Sequence[Split] | None,
    ) -> Iterator[Tally]:
        homes = [self._home(tree, node) for node in nodes]
        outside = [i for i, home in enumerate(homes) if home is None]
        found: dict[int, dict[int, Counts]] = {i: {} for i in outside}
        for level in _levels(tree, nodes, outside):
            self.rows.place(tree, [nodes[i] for i in level])
            tests = None if by is None else [by[i] for i in level]
            opened = self._opened(columns, len(level)) if by is None else {}
            for c in columns:
                every = opened.get(c) or self._column(c, len(level), tests)
                for i, counts in zip(level, every, strict=True):
                    found[i][c] = counts
                    self._note(nodes[i], c, counts)
        for i, node in enumerate(nodes):
            home = homes[i]
            if home is None:
                total = np.zeros(self.reader.size) if by is not None else self._total(found[i])
                yield Tally(total, found[i])
                continue
            below, engine = self._inside[home]
            inner = 0 if node == home else node
            test = None if by is None else [by[i]]
            tally = next(engine.tally(below, [inner], columns, test))
            told = {c: self._widened(c, k, engine) for c, k in tally.columns.items()}
            yield replace(tally, columns=told)

    def _total(self, found: dict[int, Counts]) -> Floats:
        if not found:  # no column, no split: this is the root
            return self.rows.survey.counts.astype(np.float64)
        counts = next(iter(found.values()))
        return np.asarray(counts.known + counts.missing)

    def _widened(self, c: int, counts: Counts, engine: memory.Engine) -> Counts:
        """Return counts of fetched rows with codes, or values, as all other nodes have them."""
        if self.rows.survey.columns[c].is_listed:
            return counts
        values = engine.level_values(c)[counts.codes]
        if self._criterion is not None:
            return replace(counts, spans=np.stack([values, values], axis=1))
        codes = np.searchsorted(self.level_values(c), values).astype(np.int32)
        return replace(counts, codes=codes)

    def _column(self, c: int, n: int, by: Sequence[Split] | None) -> Iterator[Counts]:
        """Yield the counts of one column in each of the nodes placed."""
        sizes = [self.reader.size if by is None else by[i].n_branches + 1 for i in range(n)]
        judged = self.rows.survey.columns[c]
        if judged.is_listed:
            heap = self.rows.listed(c, range(n), by)
            for place in range(n):
                yield _counted(heap.at(place), sizes[place])
        else:
            everything = [(place, -np.inf, np.inf) for place in range(n)]
            heap = self.rows.values(c, everything, by)
            levels = self.level_values(c)
            for place in range(n):
                counts = _counted(heap.at(place), sizes[place])
                assert counts.spans is not None
                codes = np.searchsorted(levels, counts.spans[:, 0]).astype(np.int32)
                yield replace(counts, codes=codes, spans=None)

    def _opened(self, columns: Sequence[int], n: int) -> dict[int, list[Counts]]:
        """Return the counts of columns of many numbers, opened where the best cut may be."""
        many = [c for c in columns if not self.rows.survey.columns[c].is_listed]
        if self._criterion is None or not many:
            return {}
        least = max(self._recipe.min_branch, 1.0)
        parts: dict[int, list[tuple[Counts, list[int]]]] = {}
        wanted: dict[int, list[tuple[int, float, float]]] = {}
        for c in many:
            heap, parts[c] = self.rows.buckets(c, range(n)), []
            for place in range(n):
                counts = _counted(heap.at(place), self.reader.size)
                assert counts.spans is not None
                low, high = counts.spans.T
                opened: list[int] = []
                if len(counts.codes):
                    alone = low == high
                    apart = counts.missing if self._recipe.missing == "branch" else None
                    opens = bucket_search.is_open(
                        self._criterion, counts.cells, alone, self.reader, least, missing=apart
                    )
                    opened = np.flatnonzero(opens).tolist()
                parts[c].append((counts, opened))
                spans = [(place, float(low[b]), float(high[b])) for b in opened]
                if spans:
                    wanted.setdefault(c, []).extend(spans)
        told = self.rows.look(wanted) if wanted else {}
        return {
            c: [self._merged(told.get(c), place, *part) for place, part in enumerate(parts[c])]
            for c in many
        }

    def _merged(self, told: Heap | None, place: int, counts: Counts, opened: list[int]) -> Counts:
        if not opened:
            return counts
        assert told is not None
        assert counts.spans is not None
        low, high = counts.spans.T
        here = _counted(told.at(place), self.reader.size)
        assert here.spans is not None
        values = here.spans[:, 0]
        inside = []
        for b in opened:
            kept = (values >= low[b]) & (values <= high[b])
            inside.append(
                Counts(here.codes[kept], here.cells[kept], here.missing, spans=here.spans[kept])
            )
        whole = bucket_search.merged(counts.cells, low, high, opened, inside)
        return replace(whole, missing=counts.missing)

    # -- gaps -------------------------------------------------------------------------------

    def _note(self, node: int, c: int, counts: Counts) -> None:
        if self.schema[c].is_numeric and self._criterion is not None:
            self._spans[node, c] = self._spans_of(c, counts)

    def _spans_of(self, c: int, counts: Counts) -> Floats:
        if counts.spans is not None:
            return counts.spans
        values = self.level_values(c)[counts.codes]
        return np.stack([values, values], axis=1)

    def _remember_gaps(self, tree: TreeStructure, born: Sequence[int]) -> None:
        """Remember the values on both sides of the cuts that were just made."""
        if self._criterion is None:
            return
        for parent in dict.fromkeys(tree.parent_of(node)[0] for node in born if node):
            split = tree.split(parent)
            if split is None or split.cut is None or not self.schema[split.column].is_numeric:
                continue
            spans = self._spans.get((parent, split.column))
            if spans is None:
                tally = next(self.tally(tree, [parent], [split.column]))
                spans = self._spans_of(split.column, tally.columns[split.column])
            below, above = spans[:, 1] <= split.cut, spans[:, 0] > split.cut
            if np.isfinite(split.cut):  # infinite: whether the value is known was asked
                self.gaps[parent] = float(spans[below, 1].max()), float(spans[above, 0].min())
        kept = {node for node, _ in self._spans} - {tree.parent_of(n)[0] for n in born}
        self._spans = {key: spans for key, spans in self._spans.items() if key[0] in kept}


def _levels(tree: TreeStructure, nodes: Sequence[int], places: Sequence[int]) -> list[list[int]]:
    """Return places of nodes by depth, the highest first: a row is in one node of each."""
    found: dict[int, list[int]] = {}
    for place in places:
        node, depth = nodes[place], 0
        while node:
            node, depth = tree.parent_of(node)[0], depth + 1
        found.setdefault(depth, []).append(place)
    return [found[depth] for depth in sorted(found)]


def _counted(heap: Heap, n_classes: int) -> Counts:
    """Return the counts of one node: a row for each key that is present."""
    known = ~np.isnan(heap.key) if heap.key.dtype.kind == "f" else heap.key >= 0
    missing = np.bincount(heap.class_[~known], heap.n[~known], n_classes)
    present, slots = np.unique(heap.key[known], return_inverse=True)
    flat = slots * n_classes + heap.class_[known]
    cells = np.bincount(flat, heap.n[known], len(present) * n_classes).astype(np.float64)
    spans = None
    if heap.low is not None and heap.high is not None:
        low = np.full(len(present), np.inf)
        high = np.full(len(present), -np.inf)
        np.minimum.at(low, slots, heap.low[known])
        np.maximum.at(high, slots, heap.high[known])
        spans = np.stack([low, high], axis=1)
    codes = present.astype(np.int32) if heap.key.dtype.kind != "f" else np.arange(len(present))
    return Counts(
        codes.astype(np.int32),
        cells.reshape(len(present), n_classes),
        missing.astype(np.float64),
        spans=np.stack([present, present], axis=1) if heap.key.dtype.kind == "f" else spans,
    )


def sketch_of(survey: RemoteTable) -> Table:
    """Return a table that weighs as the rows do: one row for each class."""
    n = len(survey.counts)
    known, every = np.zeros(n, np.int32), np.arange(n, dtype=np.int32)
    columns = tuple(
        Column(j.column.name, j.column.kind, j.column.levels, known) for j in survey.columns
    )
    target = Column(survey.target.column.name, "nominal", survey.target.column.levels, every)
    weight = survey.counts.astype(np.float64)
    return Table(columns, target, n, weight, source={"name": survey.name})
