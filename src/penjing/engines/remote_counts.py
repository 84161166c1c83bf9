"""An engine on counts that a database or a cluster computes; the rows stay there.

Large nodes are counted remotely. The rows of a small node are fetched once; then the memory engine
counts them, or the native engine grows the rest (:mod:`penjing.training.finish_locally`). A column
of very many numbers is counted in buckets first. Only buckets that may contain the best threshold
are counted by value (:mod:`penjing.engines.out_of_core.bucket_search`), so thresholds are exact.
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
from penjing.grow.engine import Capabilities, TreeStructure
from penjing.grow.engine import Engine as EngineBase
from penjing.grow.recipe import Recipe
from penjing.tree.counts import Counts, Reader, Tally, Totals, reader_of
from penjing.tree.split import Split

FETCH_LIMIT = 50_000
"""The rows of a node are fetched if it has at most this many."""
MAX_FETCHED_ROWS = 2_000_000
"""Fetched rows are held in memory up to this total; beyond it, small nodes are counted remotely."""
NODE_BATCH = 64
"""Counts of this many nodes are held at a time."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class GroupedCounts:
    """The result of a GROUP BY: for each group the slot of its node, its key, class and row count.

    A slot is the position of a node in the list given to `RemoteRows.set_nodes`. The key is the
    code of a level, a bucket, or the value itself; a missing value has the key -1 (NaN among
    values). ``low`` and ``high`` are the smallest and the largest value of a bucket.
    """

    slot: Ints
    key: npt.NDArray[Any]
    class_: Ints
    n: Ints
    low: Floats | None = None
    high: Floats | None = None

    def at(self, slot: int) -> GroupedCounts:
        """Return the groups of one node."""
        is_here = self.slot == slot
        parts = [self.slot, self.key, self.class_, self.n, self.low, self.high]
        return GroupedCounts(*(None if part is None else part[is_here] for part in parts))  # type: ignore[arg-type]


class RemoteRows(Protocol):
    """Rows in another place, and how they are counted there."""

    @property
    def survey(self) -> RemoteTable:
        """What the columns are."""

    def set_nodes(self, tree: TreeStructure, nodes: Sequence[int]) -> None:
        """Set the nodes that are counted from now on; their slots are positions in this list."""

    def reset(self) -> None:
        """Forget the nodes: the next ones belong to another tree."""

    def totals(self) -> Ints:
        """Return how many rows of each class the nodes have, (nodes, classes)."""

    def count_levels(
        self, c: int, slots: Sequence[int], by: Sequence[Split] | None
    ) -> GroupedCounts:
        """Count by level."""

    def count_buckets(self, c: int, slots: Sequence[int]) -> GroupedCounts:
        """Count by bucket."""

    def count_values(
        self, c: int, spans: Sequence[tuple[int, float, float]], by: Sequence[Split] | None
    ) -> GroupedCounts:
        """Count by value, within spans (slot, low, high) of values."""

    def count_spans(
        self, spans: Mapping[int, Sequence[tuple[int, float, float]]]
    ) -> dict[int, GroupedCounts]:
        """Count by value, within spans of several columns."""

    def distinct_values(self, c: int) -> Floats:
        """Return the sorted distinct values of a column."""

    def fetch_rows(self, slots: Sequence[int]) -> Iterator[tuple[int, Table]]:
        """Yield slot and rows of some nodes, coded."""


class Subtree:
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


class Engine(EngineBase):
    """Computes counts of rows in a database or a cluster.

    Parameters
    ----------
    rows : RemoteRows
        The rows, and how they are counted.
    recipe : Recipe
        The recipe of the tree. The textbook's rules need bucket counts only, others all values.
    fetch_limit : int
        The rows of a node are fetched if it has at most this many.
    """

    capabilities = Capabilities(
        targets=("classes",),
        missing=("refuse", "surrogate", "branch"),  # sums of fractional cases would round otherwise
        weights=False,
        meets=frozenset(),
        is_remote=True,
    )

    @classmethod
    def check_source(cls, source: object) -> None:
        """Raise an error for data that this engine cannot read; by default it reads anything."""

    def __init__(self, rows: RemoteRows, recipe: Recipe, fetch_limit: int | None = None) -> None:
        self.rows = rows
        survey = rows.survey
        self.fetch_limit = FETCH_LIMIT if fetch_limit is None else fetch_limit
        """The rows of a node are fetched if it has at most this many."""
        self._recipe = recipe
        self.schema: tuple[Field, ...] = tuple(
            Field(j.column.name, j.column.kind, () if j.column.is_numeric else j.column.levels)
            for j in survey.columns
        )
        self.target: Field = survey.target.column
        summary = summary_table(survey)
        self.reader: Reader = reader_of(summary, recipe.options.costs(summary))
        criterion = recipe.measure()
        uses_buckets = recipe.dialect.decides_by_counts and criterion.native is not None
        self._criterion: Criterion | None = criterion if uses_buckets else None
        self._tree: TreeStructure | None = None
        self._local: dict[int, tuple[Subtree, memory.Engine]] = {}
        self._weight: dict[int, float] = {}
        self._n_fetched = 0
        self._node_batch = NODE_BATCH
        self._spans: dict[tuple[int, int], Floats] = {}
        self._levels: dict[int, Floats] = {}
        self.gaps: dict[int, tuple[float, float]] = {}
        """The values on both sides of each cut, by the id of its node in the tree that grows."""

    def totals(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of these nodes."""
        self._set_tree(tree)
        cells = np.zeros((len(nodes), self.reader.size))
        self._store_gaps(tree, nodes)
        remote = []
        for i, node in enumerate(nodes):
            local_root = self._local_root(tree, node)
            if local_root is None:
                remote.append(i)
                continue
            subtree, engine = self._local[local_root]
            cells[i] = engine.totals(subtree, [0 if node == local_root else node]).cells[0]
        for same_depth in _by_depth(tree, nodes, remote):
            self.rows.set_nodes(tree, [nodes[i] for i in same_depth])
            cells[same_depth] = self.rows.totals()
            for i in same_depth:
                self._weight[nodes[i]] = float(cells[i].sum())
        return Totals(cells, (cells > 0).sum(axis=1) <= 1)

    def tally(
        self,
        tree: TreeStructure,
        nodes: Sequence[int],
        columns: Sequence[int] | None = None,
        by: Sequence[Split] | None = None,
    ) -> Iterator[Tally]:
        """Yield the sums of each node, for each column and level; counted in batches of nodes."""
        self._set_tree(tree)
        column_ids = list(range(len(self.schema)) if columns is None else columns)
        self._fetch_small(tree, nodes)
        for start in range(0, len(nodes), self._node_batch):
            batch = nodes[start : start + self._node_batch]
            tests = None if by is None else by[start : start + self._node_batch]
            yield from self._tally_batch(tree, batch, column_ids, tests)

    @property
    def gaps_are_complete(self) -> bool:
        """Whether `gaps` has the values on both sides of every cut of the tree that grows."""
        return self._criterion is not None

    @property
    def current_tree(self) -> TreeStructure | None:
        """The tree whose nodes were counted last."""
        return self._tree

    def level_values(self, column: int) -> Floats:
        """Return the sorted numbers of a numeric column, by code; none if counts have spans."""
        judged = self.rows.survey.columns[column]
        if judged.is_listed:
            return judged.numbers()
        if self._criterion is not None:
            return np.empty(0)
        if column not in self._levels:
            self._levels[column] = self.rows.distinct_values(column)
        return self._levels[column]

    def fetch_rows(self, tree: TreeStructure, nodes: Sequence[int]) -> Iterator[tuple[int, Table]]:
        """Yield position and rows of each node; no node may be below another."""
        self._set_tree(tree)
        self.rows.set_nodes(tree, nodes)
        yield from self.rows.fetch_rows(range(len(nodes)))

    # -- rows of nodes ------------------------------------------------------------------------

    def _set_tree(self, tree: TreeStructure) -> None:
        if tree is not self._tree:
            self._tree = tree
            self._local, self._weight, self._spans, self.gaps = {}, {}, {}, {}
            self._n_fetched = 0
            self.rows.reset()

    def _local_root(self, tree: TreeStructure, node: int) -> int | None:
        """Return the node at or above this one whose rows have been fetched, if any."""
        while node not in self._local:
            if node == 0:
                return None
            node = tree.parent_of(node)[0]
        return node

    def _fetch_small(self, tree: TreeStructure, nodes: Sequence[int]) -> None:
        """Fetch the rows of nodes that are small enough."""
        remote = [n for n in nodes if self._local_root(tree, n) is None]
        uncounted = [n for n in remote if n not in self._weight]
        if uncounted:
            self.totals(tree, uncounted)
        for same_depth in _by_depth(tree, remote, range(len(remote))):
            batch = [remote[i] for i in same_depth if self._local_root(tree, remote[i]) is None]
            small = []
            for i, node in enumerate(batch):
                if self._weight[node] <= min(self.fetch_limit, MAX_FETCHED_ROWS - self._n_fetched):
                    small.append(i)
                    self._n_fetched += int(self._weight[node])
            if not small:
                continue
            self.rows.set_nodes(tree, batch)
            for i, table in self.rows.fetch_rows(small):
                engine = memory.Engine(table, self._recipe.missing, reader=self.reader)
                self._local[batch[i]] = (Subtree(tree, batch[i]), engine)

    # -- counts -------------------------------------------------------------------------------

    def _tally_batch(
        self,
        tree: TreeStructure,
        nodes: Sequence[int],
        columns: Sequence[int],
        by: Sequence[Split] | None,
    ) -> Iterator[Tally]:
        local_roots = [self._local_root(tree, node) for node in nodes]
        remote = [i for i, local_root in enumerate(local_roots) if local_root is None]
        counted: dict[int, dict[int, Counts]] = {i: {} for i in remote}
        for same_depth in _by_depth(tree, nodes, remote):
            self.rows.set_nodes(tree, [nodes[i] for i in same_depth])
            tests = None if by is None else [by[i] for i in same_depth]
            with_buckets = self._bucketed_counts(columns, len(same_depth)) if by is None else {}
            for c in columns:
                column_counts = with_buckets.get(c) or self._column_counts(
                    c, len(same_depth), tests
                )
                for i, counts in zip(same_depth, column_counts, strict=True):
                    counted[i][c] = counts
                    self._store_spans(nodes[i], c, counts)
        for i, node in enumerate(nodes):
            local_root = local_roots[i]
            if local_root is None:
                total = np.zeros(self.reader.size) if by is not None else self._total(counted[i])
                yield Tally(total, counted[i])
                continue
            subtree, engine = self._local[local_root]
            node_id = 0 if node == local_root else node
            test = None if by is None else [by[i]]
            tally = next(engine.tally(subtree, [node_id], columns, test))
            recoded = {c: self._recoded(c, k, engine) for c, k in tally.columns.items()}
            yield replace(tally, columns=recoded)

    def _total(self, by_column: dict[int, Counts]) -> Floats:
        if not by_column:  # without columns there is no split: this is the root
            return self.rows.survey.counts.astype(np.float64)
        counts = next(iter(by_column.values()))
        return np.asarray(counts.known + counts.missing)

    def _recoded(self, c: int, counts: Counts, engine: memory.Engine) -> Counts:
        """Return counts of fetched rows with the codes, or spans, that remote counts have."""
        if self.rows.survey.columns[c].is_listed:
            return counts
        values = engine.level_values(c)[counts.codes]
        if self._criterion is not None:
            return replace(counts, spans=np.stack([values, values], axis=1))
        codes = np.searchsorted(self.level_values(c), values).astype(np.int32)
        return replace(counts, codes=codes)

    def _column_counts(self, c: int, n: int, by: Sequence[Split] | None) -> Iterator[Counts]:
        """Yield the counts of one column in each of the current nodes."""
        sizes = [self.reader.size if by is None else by[i].n_branches + 1 for i in range(n)]
        judged = self.rows.survey.columns[c]
        if judged.is_listed:
            groups = self.rows.count_levels(c, range(n), by)
            for slot in range(n):
                yield _to_counts(groups.at(slot), sizes[slot])
        else:
            all_values = [(slot, -np.inf, np.inf) for slot in range(n)]
            groups = self.rows.count_values(c, all_values, by)
            levels = self.level_values(c)
            for slot in range(n):
                counts = _to_counts(groups.at(slot), sizes[slot])
                assert counts.spans is not None
                codes = np.searchsorted(levels, counts.spans[:, 0]).astype(np.int32)
                yield replace(counts, codes=codes, spans=None)

    def _bucketed_counts(self, columns: Sequence[int], n: int) -> dict[int, list[Counts]]:
        """Return the counts of columns of many numbers: by value where the best cut may be."""
        bucketed = [c for c in columns if not self.rows.survey.columns[c].is_listed]
        if self._criterion is None or not bucketed:
            return {}
        min_branch = max(self._recipe.min_branch, 1.0)
        parts: dict[int, list[tuple[Counts, list[int]]]] = {}
        spans_to_count: dict[int, list[tuple[int, float, float]]] = {}
        for c in bucketed:
            groups, parts[c] = self.rows.count_buckets(c, range(n)), []
            for slot in range(n):
                counts = _to_counts(groups.at(slot), self.reader.size)
                assert counts.spans is not None
                low, high = counts.spans.T
                opened: list[int] = []
                if len(counts.codes):
                    is_single = low == high
                    missing = counts.missing if self._recipe.missing == "branch" else None
                    is_open = bucket_search.may_hold_best_cut(
                        self._criterion,
                        counts.cells,
                        is_single,
                        self.reader,
                        min_branch,
                        missing=missing,
                    )
                    opened = np.flatnonzero(is_open).tolist()
                parts[c].append((counts, opened))
                spans = [(slot, float(low[b]), float(high[b])) for b in opened]
                if spans:
                    spans_to_count.setdefault(c, []).extend(spans)
        by_value = self.rows.count_spans(spans_to_count) if spans_to_count else {}
        return {
            c: [self._merged(by_value.get(c), slot, *part) for slot, part in enumerate(parts[c])]
            for c in bucketed
        }

    def _merged(
        self, by_value: GroupedCounts | None, slot: int, counts: Counts, opened: list[int]
    ) -> Counts:
        """Return bucket counts in which the opened buckets are replaced by their values."""
        if not opened:
            return counts
        assert by_value is not None
        assert counts.spans is not None
        low, high = counts.spans.T
        in_node = _to_counts(by_value.at(slot), self.reader.size)
        assert in_node.spans is not None
        values = in_node.spans[:, 0]
        inside = []
        for b in opened:
            is_inside = (values >= low[b]) & (values <= high[b])
            inside.append(
                Counts(
                    in_node.codes[is_inside],
                    in_node.cells[is_inside],
                    in_node.missing,
                    spans=in_node.spans[is_inside],
                )
            )
        merged = bucket_search.merge_opened(counts.cells, low, high, opened, inside)
        return replace(merged, missing=counts.missing)

    # -- gaps ---------------------------------------------------------------------------------

    def _store_spans(self, node: int, c: int, counts: Counts) -> None:
        if self.schema[c].is_numeric and self._criterion is not None:
            self._spans[node, c] = self._spans_of(c, counts)

    def _spans_of(self, c: int, counts: Counts) -> Floats:
        if counts.spans is not None:
            return counts.spans
        values = self.level_values(c)[counts.codes]
        return np.stack([values, values], axis=1)

    def _store_gaps(self, tree: TreeStructure, children: Sequence[int]) -> None:
        """Store the values on both sides of the cuts that led to these children."""
        if self._criterion is None:
            return
        for parent in dict.fromkeys(tree.parent_of(node)[0] for node in children if node):
            split = tree.split(parent)
            if split is None or split.cut is None or not self.schema[split.column].is_numeric:
                continue
            spans = self._spans.get((parent, split.column))
            if spans is None:
                tally = next(self.tally(tree, [parent], [split.column]))
                spans = self._spans_of(split.column, tally.columns[split.column])
            below, above = spans[:, 1] <= split.cut, spans[:, 0] > split.cut
            if np.isfinite(split.cut):  # an infinite cut separates known from missing values
                self.gaps[parent] = float(spans[below, 1].max()), float(spans[above, 0].min())
        open_nodes = {node for node, _ in self._spans} - {tree.parent_of(n)[0] for n in children}
        self._spans = {key: spans for key, spans in self._spans.items() if key[0] in open_nodes}


def _by_depth(
    tree: TreeStructure, nodes: Sequence[int], positions: Sequence[int]
) -> list[list[int]]:
    """Return positions of nodes grouped by depth: within a depth, a row is in one node only."""
    by_depth: dict[int, list[int]] = {}
    for position in positions:
        node, depth = nodes[position], 0
        while node:
            node, depth = tree.parent_of(node)[0], depth + 1
        by_depth.setdefault(depth, []).append(position)
    return [by_depth[depth] for depth in sorted(by_depth)]


def _to_counts(groups: GroupedCounts, n_classes: int) -> Counts:
    """Return the counts of one node: one row for each key that occurs."""
    known = ~np.isnan(groups.key) if groups.key.dtype.kind == "f" else groups.key >= 0
    missing = np.bincount(groups.class_[~known], groups.n[~known], n_classes)
    present, slots = np.unique(groups.key[known], return_inverse=True)
    flat = slots * n_classes + groups.class_[known]
    cells = np.bincount(flat, groups.n[known], len(present) * n_classes).astype(np.float64)
    spans = None
    if groups.low is not None and groups.high is not None:
        low = np.full(len(present), np.inf)
        high = np.full(len(present), -np.inf)
        np.minimum.at(low, slots, groups.low[known])
        np.maximum.at(high, slots, groups.high[known])
        spans = np.stack([low, high], axis=1)
    codes = present.astype(np.int32) if groups.key.dtype.kind != "f" else np.arange(len(present))
    return Counts(
        codes.astype(np.int32),
        cells.reshape(len(present), n_classes),
        missing.astype(np.float64),
        spans=np.stack([present, present], axis=1) if groups.key.dtype.kind == "f" else spans,
    )


def summary_table(survey: RemoteTable) -> Table:
    """Return a table with the class weights of all rows: one weighted row for each class."""
    n = len(survey.counts)
    zeros, classes = np.zeros(n, np.int32), np.arange(n, dtype=np.int32)
    columns = tuple(
        Column(j.column.name, j.column.kind, j.column.levels, zeros) for j in survey.columns
    )
    target = Column(survey.target.column.name, "nominal", survey.target.column.levels, classes)
    weight = survey.counts.astype(np.float64)
    return Table(columns, target, n, weight, source={"name": survey.name})
