"""Grows a tree by generations: count the open nodes, choose their splits, move the rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from penjing.criteria.criterion import kernel_of
from penjing.data.memory_limit import group_by_size, native_engine_bytes
from penjing.data.store import BinnedNumbers, ExactCodes, StoredColumn
from penjing.data.table import Floats, Table
from penjing.engines import native
from penjing.engines.out_of_core.bucket_candidates import CandidateSearch, Generation
from penjing.engines.out_of_core.bucket_requests import BucketOpener
from penjing.engines.out_of_core.row_location import (
    Ids,
    LocalRows,
    NodeTest,
    RowLocation,
    n_codes,
)
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice, choose, stops
from penjing.progress import Progress, ProgressCallback
from penjing.tree.builder import NodeSplit, SplitLog, TreeAssembler, unit_totals
from penjing.tree.counts import Counts, Reader
from penjing.tree.tree_data import TreeData

ALWAYS_FETCHED = 10_000
"""The rows of a node of at most this size are fetched even for a single generation."""
COUNTS_FRACTION = 8
"""Counts may take one part in this many of the memory limit; fetched numbers another one."""

Result = TypeVar("Result")
Tables = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Resources:
    """What growing a tree may use, and when fetching rows is worthwhile.

    Parameters
    ----------
    memory : int
        Bytes of memory.
    n_threads : int
        Threads of a pass; ``threads`` is the user's setting.
    small : int
        The rows of a node of at most this size are fetched, and the native engine grows the rest.
    direct : int
        If open buckets have at most this many rows, all their numbers are fetched: that costs less
        than another pass.
    min_generations : int
        Nodes of more than `ALWAYS_FETCHED` rows are not fetched for fewer remaining generations:
        fetching their numbers would cost more than counting their codes again.
    """

    memory: int
    n_threads: int
    threads: int | None
    small: int
    direct: int = 0
    min_generations: int = 1


class GenerationDriver:
    """Grows one tree from coded rows.

    Parameters
    ----------
    table : Table
        Columns and target in a store; nothing missing.
    s : Reader
        Interprets the sums.
    recipe : Recipe
        The recipe of the tree.
    resources : Resources
        What may be used.
    progress : function or None
        Called after each generation.
    rows : RowLocation, optional
        The rows, if they are not those of the table.
    log : SplitLog, optional
        Stores the splits of each generation, and returns them when a run is repeated.
    """

    def __init__(
        self,
        table: Table,
        s: Reader,
        recipe: Recipe,
        resources: Resources,
        progress: ProgressCallback | None = None,
        *,
        rows: RowLocation | None = None,
        log: SplitLog | None = None,
    ) -> None:
        assert isinstance(table.target, StoredColumn)
        self._resources, self._table, self._recipe = resources, table, recipe
        self._progress, self._log = progress, log
        self._s = s
        self._criterion = recipe.measure()
        columns = [c for c in table.columns if isinstance(c, StoredColumn)]
        self._columns = columns
        target, n_classes = table.target, len(table.target.levels)
        assert isinstance(target.part, ExactCodes)
        self._n_stored = target.part.n_codes
        self._class_of = np.asarray(target.place)
        self._n_classes = n_classes
        self._rows: RowLocation = LocalRows(table, resources.n_threads) if rows is None else rows
        self._subtrees = TreeAssembler(s)
        self._growth = self._subtrees.builder
        by_ratio = kernel_of(self._criterion) == "gain_ratio"
        opener = BucketOpener(
            resources.memory // COUNTS_FRACTION,
            self._n_stored,
            self._class_of,
            by_ratio=by_ratio,
            direct=resources.direct,
        )
        self._candidates = CandidateSearch(columns, s, recipe, opener)
        self._tables: dict[int, list[Tables]] = {}
        self._deferred: list[int] = []
        self._tests: list[NodeTest] = []
        self._branches: list[int] = []
        self._tested_nodes: list[int] = []
        self._n_passes = self._rows_read = self._generation = 0

    def grow(self) -> TreeData:
        """Return the grown tree."""
        growth, recipe = self._growth, self._recipe
        growth.set_totals([0], unit_totals(self._by_class(self._rows.root_counts()[None])))
        open_nodes = [0]
        while open_nodes:
            self._generation += 1
            to_split = [n for n in open_nodes if stops(growth, n, recipe) is None]
            fetch_limit = self._fetch_limit()
            self._deferred += [n for n in to_split if growth.n_rows(n) <= fetch_limit]
            to_split = [n for n in to_split if growth.n_rows(n) > fetch_limit]
            open_nodes = []
            for nodes in self._batches(to_split):
                open_nodes += self._split_nodes(nodes, keep_counts=len(nodes) == len(to_split))
            self._report_progress(open_nodes)
        self._finish_deferred()
        return self._finish()

    def _fetch_limit(self) -> int:
        """Return up to which size the rows of a node of this generation are fetched."""
        max_depth = self._recipe.max_depth
        to_go = math.inf if max_depth is None else max_depth + 1 - self._generation
        small = self._resources.small
        return small if to_go >= self._resources.min_generations else min(small, ALWAYS_FETCHED)

    # -- one generation -----------------------------------------------------------------------

    def _split_nodes(self, nodes: list[int], *, keep_counts: bool) -> list[int]:
        """Split nodes; return their children."""
        logged = None if self._log is None else self._log.recorded_splits(nodes)
        if logged is None:
            counted, n_deferred = self._count(nodes), len(self._deferred)
            divisions = self._choose_divisions(nodes, counted)
            if keep_counts:
                self._tables |= {division.node: counted[division.node] for division in divisions}
            if self._log is not None:
                self._log.record_splits(nodes, divisions, self._deferred[n_deferred:])
        else:
            divisions, deferred = logged
            self._deferred += deferred
        children = [child for division in divisions for child in self._apply(division)]
        if logged is not None and self._tests:
            self._pass([])  # a pass moves rows by one step only
        return children

    def _choose_divisions(
        self, nodes: list[int], counted: dict[int, list[Tables]]
    ) -> list[NodeSplit]:
        generation = self._candidates.find_candidates(
            nodes,
            counted,
            self._may_defer,
            lambda at, opened: self._after_pass(
                self._rows.count_cells(self._slots_at(nodes, at), opened)
            ),
            lambda at, opened: self._after_pass(
                self._rows.fetch_numbers(self._slots_at(nodes, at), opened)
            ),
        )
        self._deferred += generation.deferred
        deferred = set(self._deferred)
        choices = choose(generation.best_splits(), self._criterion)
        return [
            self._division(node, i, choice, generation)
            for i, (node, choice) in enumerate(zip(nodes, choices, strict=True))
            if node not in deferred
            and choice.split is not None
            and choice.split.gain >= self._recipe.min_gain
        ]

    def _division(self, node: int, i: int, choice: Choice, generation: Generation) -> NodeSplit:
        split = choice.split
        assert split is not None
        c = split.column
        after = generation.after[i, c]
        best_cut = generation.best_cuts.get((i, c))
        gap: tuple[float, float] | None = None
        if best_cut is not None:
            gap = best_cut.low, best_cut.high
            return NodeSplit(node, split, tuple(choice.tied), after, gap, None)
        column = self._columns[c]
        assert column.place is not None
        if split.cut is None:
            by_level = np.full(len(column.levels) + 1, -1)
            for b, codes in enumerate(split.groups):
                by_level[codes] = b
            branch = by_level[column.place]
        else:
            side = np.where(_numbers(column) <= split.cut, 0, 1)
            branch = np.where(column.place < 0, -1, side)
            if column.is_numeric:
                gap = self._gap_of(i, c, split.cut, generation)
        branch = branch.astype(np.int32)
        return NodeSplit(node, split, tuple(choice.tied), after, gap, branch)

    def _apply(self, division: NodeSplit) -> list[int]:
        """Add the children of a node to the tree, and its test to the next pass."""
        growth, node, split = self._growth, division.node, division.split
        children = growth.add_children(node, split)
        growth.set_totals(list(children), unit_totals(division.after))
        if division.tied:
            self._subtrees.record_tie(node, division.tied, split.score)
        if division.gap is not None:
            self._subtrees.gap[node] = division.gap
        part = self._columns[split.column].part
        if isinstance(part, BinnedNumbers):
            assert split.cut is not None
            bucket = part.cells.bucket(split.cut)
            self._tests.append((split.column, children.start + 1, -1, bucket, split.cut))
        else:
            assert division.branch is not None
            start = len(self._branches)
            self._tests.append((split.column, children.start + 1, start, 0, 0.0))
            self._branches += division.branch.tolist()
        self._tested_nodes.append(node)
        return list(children)

    def _gap_of(self, i: int, c: int, cut: float, generation: Generation) -> tuple[float, float]:
        counts = self._counts_of(generation, i, c)
        values = np.asarray(self._columns[c].levels, np.float64)[counts.codes]
        return float(values[values <= cut].max()), float(values[values > cut].min())

    def _counts_of(self, generation: Generation, i: int, c: int) -> Counts:
        return self._candidates.counts(c, self._counts_now[generation.nodes[i]][c])

    def _batches(self, nodes: list[int]) -> Iterator[list[int]]:
        """Yield nodes in batches whose counts fit the memory for them."""
        node_bytes = sum(map(n_codes, self._columns)) * self._n_stored * 4
        memory = self._resources.memory // COUNTS_FRACTION
        batch = max(1, memory // max(1, node_bytes * (self._resources.n_threads + 3)))
        for start in range(0, len(nodes), batch):
            yield nodes[start : start + batch]

    def _count(self, nodes: list[int]) -> dict[int, list[Tables]]:
        """Return the counts of these nodes; the largest sibling is parent minus other siblings."""
        growth = self._growth
        by_parent: dict[int, list[int]] = {}
        for node in nodes:
            by_parent.setdefault(growth.parent_of(node)[0] if node else -1, []).append(node)
        to_count, by_difference = [], {}
        for parent, siblings in by_parent.items():
            children = list(growth.children(parent)) if parent >= 0 else siblings
            largest = max(siblings, key=growth.n_rows)
            others = [n for n in children if n != largest and growth.n_rows(n) > 0]
            is_cheaper = sum(map(growth.n_rows, others)) < sum(map(growth.n_rows, siblings))
            if parent in self._tables and is_cheaper:
                by_difference[largest] = (parent, others)
                to_count += others
            else:
                to_count += siblings
        tables = self._pass(to_count)
        counts = dict(zip(to_count, tables, strict=True))
        for largest, (parent, others) in by_difference.items():
            remaining = [table.copy() for table in self._tables[parent]]
            for other in others:
                for table, part in zip(remaining, counts[other], strict=True):
                    np.subtract(table, part, out=table)
            counts[largest] = remaining
        done = {growth.parent_of(node)[0] for node in nodes if node}
        for parent in done:
            self._tables.pop(parent, None)
        self._counts_now = {node: counts[node] for node in nodes}
        return self._counts_now

    def _pass(self, nodes: list[int]) -> list[list[Tables]]:
        """Move rows by the pending tests, and count these nodes."""
        size = self._n_ids()
        test_of = np.full(size, -1, np.int32)
        test_of[np.asarray(self._tested_nodes, np.intp) + 1] = np.arange(len(self._tested_nodes))
        tables = self._after_pass(
            self._rows.move_and_count(
                self._tests, self._branches, test_of, self._slots(nodes), len(nodes)
            )
        )
        self._tests, self._branches, self._tested_nodes = [], [], []
        if not nodes:
            return []
        n = len(nodes)
        shaped = [t.reshape(n, -1, self._n_stored) for t in tables]
        return [[self._by_class(t[i]) for t in shaped] for i in range(n)]

    def _by_class(self, table: npt.NDArray[Any]) -> Tables:
        """Return a table whose classes are in the order of the target's levels."""
        counts = np.zeros((len(table), self._n_classes), np.int64)
        for stored, class_ in enumerate(self._class_of.tolist()):
            if class_ >= 0:
                counts[:, class_] += table[:, stored]
        return counts

    def _n_ids(self) -> int:
        return self._growth.n_ids + 1

    def _slots(self, nodes: Sequence[int]) -> Ids:
        slot_of = np.full(self._n_ids(), -1, np.int32)
        slot_of[np.asarray(nodes, np.intp) + 1] = np.arange(len(nodes))
        return slot_of

    def _slots_at(self, nodes: Sequence[int], at: set[int]) -> Ids:
        """Return the slots of the nodes at some positions."""
        slot_of = self._slots(nodes)
        for i, node in enumerate(nodes):
            if i not in at:
                slot_of[node + 1] = -1
        return slot_of

    def _may_defer(self, node: int) -> bool:
        """Return whether the rows of a node would fit memory."""
        row_bytes = native_engine_bytes(self._table) / max(self._table.n_rows, 1)
        fits = self._growth.n_rows(node) * row_bytes <= self._resources.memory // 2
        return fits and self._resources.small > 0

    def _after_pass(self, result: Result) -> Result:
        """Count a pass, and return its result."""
        self._n_passes += 1
        self._rows_read += self._rows.n_rows
        return result

    # -- deferred nodes -----------------------------------------------------------------------

    def _finish_deferred(self) -> None:
        """Fetch the rows of deferred nodes, and grow their subtrees by the native engine."""
        if self._tests:
            self._pass([])
        row_bytes = native_engine_bytes(self._table) / max(self._table.n_rows, 1)
        lot_bytes = max(self._resources.memory // 4, 1)
        for lot in group_by_size(
            self._deferred, lambda node: self._growth.n_rows(node) * row_bytes, lot_bytes
        ):
            self._grow_subtrees(lot)

    def _grow_subtrees(self, nodes: list[int]) -> None:
        tables = self._after_pass(self._rows.fetch_rows(self._slots(nodes), len(nodes)))
        for i, (node, table) in enumerate(zip(nodes, tables, strict=True)):
            self._subtrees.insert_subtree(node, self._subtree(node, table))
            self._report_progress(nodes[i + 1 :])

    def _subtree(self, node: int, table: Table) -> TreeData:
        recipe = replace(self._recipe, missing="refuse")  # nothing is missing
        if recipe.max_depth is not None:
            recipe = replace(recipe, max_depth=recipe.max_depth - self._growth.depth(node))
        engine = native.Engine(
            table, recipe.missing, "rows", self._s, threads=self._resources.threads
        )
        tree = engine.grow(recipe)
        assert tree is not None
        return tree

    def _finish(self) -> TreeData:
        table = self._table
        assert table.target is not None
        return self._subtrees.finish(table.schema, table.target.field, self._recipe.settings())

    def _report_progress(self, open_nodes: Sequence[int]) -> None:
        if self._progress is None:
            return
        growth, n = self._growth, self._table.n_rows
        pending = sum(growth.n_rows(node) for node in {*open_nodes, *self._deferred})
        placed = max(0, n - int(pending))
        so_far = Progress(
            self._rows_read, placed, n, growth.n_leaves, self._generation, len(open_nodes)
        )
        self._progress(so_far)


def _numbers(column: StoredColumn) -> Floats:
    """Return the number of each stored code: a value, or a position in an order."""
    assert column.place is not None
    if not column.is_numeric:
        return column.place.astype(np.float64)
    return np.append(np.asarray(column.levels, np.float64), np.nan)[column.place]
