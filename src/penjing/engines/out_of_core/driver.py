"""A tree grown by generations from a coded store: pass, count, look again, choose, move on."""

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
from penjing.engines.out_of_core.bucket_candidates import Generation, Offering
from penjing.engines.out_of_core.bucket_requests import Looker
from penjing.engines.out_of_core.row_location import Here, Ids, Place, Test, n_codes
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice, choose, stops
from penjing.progress import Progress, ProgressCallback
from penjing.tree.builder import NodeSplit, SplitLog, TreeAssembler, unit_totals
from penjing.tree.counts import Counts, Reader
from penjing.tree.tree_data import TreeData

FEW = 10_000
"""Nodes of at most so many rows are gathered even for one generation."""
SHARE = 8
"""Tables of counts may take this part of the memory limit; so may numbers looked at."""

Answer = TypeVar("Answer")
Tables = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Means:
    """What a growth may use.

    Parameters
    ----------
    limit : int
        Bytes of memory.
    n_threads : int
        Threads for passes; ``threads`` is what was asked for.
    small : int
        Nodes of at most so many rows are gathered and finished in memory.
    direct : int
        Up to so many rows in open buckets are fetched at once: where a pass costs more than they.
    worth : int
        Nodes of more rows are not gathered for fewer than so many generations: fetching their
        numbers would cost more than counting their codes again.
    """

    limit: int
    n_threads: int
    threads: int | None
    small: int
    direct: int = 0
    worth: int = 1


class Growing:
    """One growth from disk.

    Parameters
    ----------
    table : Table
        Columns and target in a store; nothing missing.
    s : Reader
        What reads the sums.
    recipe : Recipe
        How it is grown.
    means : Means
        What may be used.
    progress : function or None
        Told after each generation how far it is.
    place : Place, optional
        Where the rows are, if not here.
    kept : DivisionLog, optional
        Remembers what generations became.
    """

    def __init__(
        self,
        table: Table,
        s: Reader,
        recipe: Recipe,
        means: Means,
        progress: ProgressCallback | None = None,
        *,
        place: Place | None = None,
        kept: SplitLog | None = None,
    ) -> None:
        assert isinstance(table.target, StoredColumn)
        self._means, self._table, self._recipe = means, table, recipe
        self._progress, self._kept = progress, kept
        self._s = s
        self._criterion = recipe.measure()
        columns = [c for c in table.columns if isinstance(c, StoredColumn)]
        self._columns = columns
        target, n_classes = table.target, len(table.target.levels)
        assert isinstance(target.part, ExactCodes)
        self._k = target.part.n_codes
        self._class_of = np.asarray(target.place)
        self._n_classes = n_classes
        self._passes: Place = Here(table, means.n_threads) if place is None else place
        self._planting = TreeAssembler(s)
        self._growth = self._planting.builder
        by_ratio = kernel_of(self._criterion) == "gain_ratio"
        room, direct = means.limit // SHARE, means.direct
        looker = Looker(room, self._k, self._class_of, by_ratio=by_ratio, direct=direct)
        self._offering = Offering(columns, s, recipe, looker)
        self._tables: dict[int, list[Tables]] = {}
        self._parked: list[int] = []
        self._tests: list[Test] = []
        self._branches: list[int] = []
        self._tested: list[int] = []
        self._n_passes = self._rows_read = self._generation = 0

    def tree(self) -> TreeData:
        """Grow the tree."""
        growth, recipe = self._growth, self._recipe
        growth.set_totals([0], unit_totals(self._by_class(self._passes.root()[None])))
        open_nodes = [0]
        while open_nodes:
            self._generation += 1
            asking = [n for n in open_nodes if stops(growth, n, recipe) is None]
            most = self._most_gathered()
            self._parked += [n for n in asking if growth.n_rows(n) <= most]
            asking = [n for n in asking if growth.n_rows(n) > most]
            open_nodes = []
            for nodes in self._batches(asking):
                open_nodes += self._divided(nodes, keep=len(nodes) == len(asking))
            self._tell(open_nodes)
        self._finish_parked()
        return self._finished()

    def _most_gathered(self) -> int:
        """Return how many rows a node of this generation may have to be gathered."""
        most = self._recipe.max_depth
        to_go = math.inf if most is None else most + 1 - self._generation
        small = self._means.small
        return small if to_go >= self._means.worth else min(small, FEW)

    # -- one generation -------------------------------------------------------------------------

    def _divided(self, nodes: list[int], *, keep: bool) -> list[int]:
        """Divide nodes; return their children."""
        told = None if self._kept is None else self._kept.recorded_splits(nodes)
        if told is None:
            counted, n_parked = self._counted(nodes), len(self._parked)
            sprouts = self._sprouts(nodes, counted)
            if keep:
                self._tables |= {sprout.node: counted[sprout.node] for sprout in sprouts}
            if self._kept is not None:
                self._kept.record_splits(nodes, sprouts, self._parked[n_parked:])
        else:
            sprouts, parked = told
            self._parked += parked
        born = [child for sprout in sprouts for child in self._sprouted(sprout)]
        if told is not None and self._tests:
            self._pass([])  # a pass moves rows by one step only
        return born

    def _sprouts(self, nodes: list[int], counted: dict[int, list[Tables]]) -> list[NodeSplit]:
        generation = self._offering.offered(
            nodes,
            counted,
            self._may_park,
            lambda at, opened: self._seen(self._passes.cells(self._some(nodes, at), opened)),
            lambda at, opened: self._seen(self._passes.numbers(self._some(nodes, at), opened)),
        )
        self._parked += generation.parked
        offers = generation.offers()
        waits = set(self._parked)
        return [
            self._sprout(node, i, choice, generation)
            for i, (node, choice) in enumerate(
                zip(nodes, choose(offers, self._criterion), strict=True)
            )
            if node not in waits
            and choice.split is not None
            and choice.split.gain >= self._recipe.min_gain
        ]

    def _sprout(self, node: int, i: int, choice: Choice, generation: Generation) -> NodeSplit:
        split = choice.split
        assert split is not None
        c = split.column
        after = generation.after[i, c]
        found = generation.found.get((i, c))
        gap: tuple[float, float] | None = None
        if found is not None:
            gap = found.low, found.high
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

    def _sprouted(self, sprout: NodeSplit) -> list[int]:
        """Let a node have its children, and its rows know their way."""
        growth, node, split = self._growth, sprout.node, sprout.split
        children = growth.add_children(node, split)
        growth.set_totals(list(children), unit_totals(sprout.after))
        if sprout.tied:
            self._planting.record_tie(node, sprout.tied, split.score)
        if sprout.gap is not None:
            self._planting.gap[node] = sprout.gap
        part = self._columns[split.column].part
        if isinstance(part, BinnedNumbers):
            assert split.cut is not None
            bucket = part.cells.bucket(split.cut)
            self._tests.append((split.column, children.start + 1, -1, bucket, split.cut))
        else:
            assert sprout.branch is not None
            at = len(self._branches)
            self._tests.append((split.column, children.start + 1, at, 0, 0.0))
            self._branches += sprout.branch.tolist()
        self._tested.append(node)
        return list(children)

    def _gap_of(self, i: int, c: int, cut: float, generation: Generation) -> tuple[float, float]:
        counts = self._counts_of(generation, i, c)
        values = np.asarray(self._columns[c].levels, np.float64)[counts.codes]
        return float(values[values <= cut].max()), float(values[values > cut].min())

    def _counts_of(self, generation: Generation, i: int, c: int) -> Counts:
        return self._offering.counts(c, self._now[generation.nodes[i]][c])

    def _batches(self, nodes: list[int]) -> Iterator[list[int]]:
        """Yield nodes in lots whose tables of counts fit the memory set aside for them."""
        each = sum(map(n_codes, self._columns)) * self._k * 4
        at_once = max(1, self._means.limit // SHARE // max(1, each * (self._means.n_threads + 3)))
        for start in range(0, len(nodes), at_once):
            yield nodes[start : start + at_once]

    def _counted(self, nodes: list[int]) -> dict[int, list[Tables]]:
        """Return the tables of these nodes: all but the largest of siblings are counted."""
        growth = self._growth
        by_parent: dict[int, list[int]] = {}
        for node in nodes:
            by_parent.setdefault(growth.parent_of(node)[0] if node else -1, []).append(node)
        counting, less = [], {}
        for parent, asked in by_parent.items():
            family = list(growth.children(parent)) if parent >= 0 else asked
            largest = max(asked, key=growth.n_rows)
            others = [n for n in family if n != largest and growth.n_rows(n) > 0]
            cheaper = sum(map(growth.n_rows, others)) < sum(map(growth.n_rows, asked))
            if parent in self._tables and cheaper:
                less[largest] = (parent, others)
                counting += others
            else:
                counting += asked
        tables = self._pass(counting)
        found = dict(zip(counting, tables, strict=True))
        for largest, (parent, others) in less.items():
            rest = [table.copy() for table in self._tables[parent]]
            for other in others:
                for table, part in zip(rest, found[other], strict=True):
                    np.subtract(table, part, out=table)
            found[largest] = rest
        done = {growth.parent_of(node)[0] for node in nodes if node}
        for parent in done:
            self._tables.pop(parent, None)
        self._now = {node: found[node] for node in nodes}
        return self._now

    def _pass(self, counting: list[int]) -> list[list[Tables]]:
        """Move rows on by the tests that wait, and count these nodes."""
        size = self._n_ids()
        test_of = np.full(size, -1, np.int32)
        test_of[np.asarray(self._tested, np.intp) + 1] = np.arange(len(self._tested))
        tables = self._seen(
            self._passes.pass_(
                self._tests, self._branches, test_of, self._slots(counting), len(counting)
            )
        )
        self._tests, self._branches, self._tested = [], [], []
        if not counting:
            return []
        n = len(counting)
        shaped = [t.reshape(n, -1, self._k) for t in tables]
        return [[self._by_class(t[i]) for t in shaped] for i in range(n)]

    def _by_class(self, table: npt.NDArray[Any]) -> Tables:
        """Return a table whose classes are in the order of the target's levels."""
        found = np.zeros((len(table), self._n_classes), np.int64)
        for stored, class_ in enumerate(self._class_of.tolist()):
            if class_ >= 0:
                found[:, class_] += table[:, stored]
        return found

    def _n_ids(self) -> int:
        return self._growth.n_ids + 1

    def _slots(self, nodes: Sequence[int]) -> Ids:
        slot_of = np.full(self._n_ids(), -1, np.int32)
        slot_of[np.asarray(nodes, np.intp) + 1] = np.arange(len(nodes))
        return slot_of

    def _some(self, nodes: Sequence[int], at: set[int]) -> Ids:
        """Return the slots of some of these nodes."""
        slot_of = self._slots(nodes)
        for i, node in enumerate(nodes):
            if i not in at:
                slot_of[node + 1] = -1
        return slot_of

    def _may_park(self, node: int) -> bool:
        """Say whether a node could be gathered at all."""
        row = native_engine_bytes(self._table) / max(self._table.n_rows, 1)
        fits = self._growth.n_rows(node) * row <= self._means.limit // 2
        return fits and self._means.small > 0

    def _seen(self, answer: Answer) -> Answer:
        """Return what a pass found, and remember that there was one."""
        self._n_passes += 1
        self._rows_read += self._passes.n_rows
        return answer

    # -- the end ---------------------------------------------------------------------------------

    def _finish_parked(self) -> None:
        """Gather the rows of small nodes, and let the native engine finish them."""
        if self._tests:
            self._pass([])
        row = native_engine_bytes(self._table) / max(self._table.n_rows, 1)
        room = max(self._means.limit // 4, 1)
        for lot in group_by_size(self._parked, lambda node: self._growth.n_rows(node) * row, room):
            self._gathered(lot)

    def _gathered(self, nodes: list[int]) -> None:
        tables = self._seen(self._passes.gathered(self._slots(nodes), len(nodes)))
        for i, (node, table) in enumerate(zip(nodes, tables, strict=True)):
            self._planting.insert_subtree(node, self._subtree(node, table))
            self._tell(nodes[i + 1 :])

    def _subtree(self, node: int, table: Table) -> TreeData:
        recipe = replace(self._recipe, missing="refuse")  # nothing is missing
        if recipe.max_depth is not None:
            recipe = replace(recipe, max_depth=recipe.max_depth - self._growth.depth(node))
        engine = native.Engine(table, recipe.missing, "rows", self._s, threads=self._means.threads)
        tree = engine.grow(recipe)
        assert tree is not None
        return tree

    def _finished(self) -> TreeData:
        table = self._table
        assert table.target is not None
        return self._planting.finish(table.schema, table.target.field, self._recipe.settings())

    def _tell(self, open_nodes: Sequence[int]) -> None:
        if self._progress is None:
            return
        growth, n = self._growth, self._table.n_rows
        waiting = sum(growth.n_rows(node) for node in {*open_nodes, *self._parked})
        placed = max(0, n - int(waiting))
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
