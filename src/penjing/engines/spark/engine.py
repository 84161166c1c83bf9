"""Rows in a Spark cluster: coded once to compact blocks, counted there by our own C++ counter.

A partition becomes a block of codes in files of its worker (one or two bytes a value, numbers of
many values beside). For each generation the tests of the last one go out with the tasks, a block
moves its rows on, counts, and tables are summed on the way back; only the driver chooses. A lost
block is made again by Spark from its source and counts the same, so that no failure can change
the tree.
"""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.encode.groups import BLANKS
from penjing.data.lazy_column import LazyColumn
from penjing.data.memory_limit import memory_bytes
from penjing.data.read.ids import is_id_name
from penjing.data.read.infer_remote import (
    ColumnSummary,
    RemoteColumn,
    RemoteTable,
    add_remote_column,
    find_remote_target,
    infer_remote_target,
    sort_key,
)
from penjing.data.read.missing_markers import USUAL_MARKERS
from penjing.data.read.numbers import PLAIN
from penjing.data.read.raw_columns import MAX_EXACT_INTEGER
from penjing.data.store import (
    N_BUCKETS,
    BinnedNumbers,
    ExactCodes,
    QuantileCells,
    StoredColumn,
    quantile_cells,
)
from penjing.data.table import Column, Field, Floats, Note, Table, numeric
from penjing.engines import remote_counts
from penjing.engines.out_of_core.driver import Growing, Means
from penjing.engines.out_of_core.row_location import Ids, Opened, Test
from penjing.engines.remote_counts import Heap, Ints
from penjing.engines.spark import coded_rows
from penjing.engines.spark.checkpoint import Checkpoint
from penjing.engines.spark.coded_rows import Block, Coding, Move, Moves
from penjing.engines.spark.jobs import BY_DRIVER, Jobs
from penjing.engines.spark.parquet_lots import WHOLE_KINDS
from penjing.engines.spark.spilled import MANY, Look, is_number
from penjing.errors import CapabilityError, DataError
from penjing.grow.engine import TreeStructure
from penjing.grow.recipe import Recipe
from penjing.progress import ProgressCallback
from penjing.tree.counts import Classes, Totals
from penjing.tree.split import Offers, Split
from penjing.tree.tree_data import TreeData

TABLES = 64 << 20
"""Tables of at most so many bytes are summed at a time: nodes are batched to keep below it."""
LIMIT = 2 << 30
"""How much memory the driver takes, where nothing else is said and so much is free."""
DIRECT = 500_000
"""Up to so many numbers are fetched by one job, where two would fetch fewer."""
FETCHED = 20_000
"""A node of at most so many rows is fetched and finished in the driver."""
PAIR = 2
"""So many whole numbers are names."""
WORTH = 3
"""Nodes are not fetched for fewer generations than this, but for small ones."""


class Rows:
    """The rows of a DataFrame, as blocks that stay in the cluster.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    name : str
        How sentences call them.
    target, schema
        As in :func:`penjing.read`.
    """

    def __init__(
        self,
        frame: Any,  # noqa: ANN401 - a DataFrame
        name: str,
        target: str | None,
        schema: Mapping[str, Any] | None,
    ) -> None:
        self._frame = frame
        self._kinds = dict(frame.dtypes)
        schema = schema or {}
        goal = find_remote_target(frame.columns, target, name)
        ignored = [c for c in frame.columns if c != goal and schema.get(c) == "ignore"]
        names = [c for c in frame.columns if c != goal and c not in ignored]
        are_numbers = [
            is_number(self._kinds[c]) and schema.get(c, "numeric") == "numeric" for c in names
        ]
        self.jobs = Jobs(frame, [*names, goal], [*are_numbers, False])
        try:
            self._read(names, goal, schema, name)
        except BaseException:
            self.jobs.close()
            raise
        self._nodes: Sequence[int] = ()
        self._route: coded_rows.Route | None = None
        self._tables: dict[int, npt.NDArray[np.int64]] | None = None

    # -- coding -----------------------------------------------------------------------------

    def _read(self, names: list[str], goal: str, schema: Mapping[str, Any], name: str) -> None:
        """Look at the columns, judge them, and say how they are coded."""
        looks = self._looked(goal, schema, name)
        wide = self._beyond_doubles(names, looks)
        if wide:
            self.jobs.close()
            are_numbers = [
                look.is_number and c not in wide
                for c, look in zip([*names, goal], looks, strict=True)
            ]
            self.jobs = Jobs(self._frame, [*names, goal], are_numbers)
            looks = self._looked(goal, schema, name)
        for column in self._frame.columns:
            if column != goal and column not in names:
                add_remote_column(self.survey, ColumnSummary(column, None), schema)
            elif column != goal:
                look = looks[names.index(column)]
                if look.counts is None and not look.is_number:
                    self._leave_out(column, name)
                    continue
                add_remote_column(self.survey, self._seen(column, look), schema)
        if not self.survey.columns:
            raise CapabilityError("remote_no_columns", source=name)
        self.n_classes = len(self.survey.counts)
        at = [names.index(judged.column.name) for judged in self.survey.columns]
        self._codings = [
            _coding(judged, looks[i]) for i, judged in zip(at, self.survey.columns, strict=True)
        ]
        classes = _coding(self.survey.target, looks[-1], first=0)
        self.jobs.code([*zip(at, self._codings, strict=True), (len(names), classes)])

    def _beyond_doubles(self, names: Sequence[str], looks: Sequence[Look]) -> list[str]:
        """Return columns of two whole numbers that doubles cannot hold: they are names."""
        found = []
        for column, look in zip(names, looks, strict=False):
            few = look.counts if look.is_number and self._kinds[column] in WHOLE_KINDS else None
            if few and len(few) <= PAIR and max(map(abs, few)) >= MAX_EXACT_INTEGER:
                values = self._frame.select(_quoted(column)).dropna().distinct()
                found += [column] if values.limit(PAIR + 1).count() == PAIR else []
        return found

    def _leave_out(self, column: str, source: str) -> None:
        """Leave out a column of very many texts, if it only names the rows; else refuse it."""
        from pyspark.sql import functions as f  # noqa: PLC0415 - heavy

        bare = f.btrim(f.col(_quoted(column)).cast("string"), f.lit(BLANKS))
        text = f.when(~bare.isin(sorted(USUAL_MARKERS | {""})), bare)
        is_number = text.rlike(f"^(?:{PLAIN.pattern})$").cast("int")
        told = self._frame.select(f.count(text), f.countDistinct(text), f.sum(is_number))
        ((n, distinct, n_numbers),) = told.collect()
        is_name = is_id_name(column)
        if n != distinct or not (is_name or 2 * (n_numbers or 0) < n):
            raise CapabilityError("spark_many_levels", source=source, column=column, n=MANY)
        said = {"source": source, "column": column, "n": n}
        self.survey.notes.append(Note(f"note_left_out_id_{'name' if is_name else 'text'}", said))
        self.survey.left_out.append((column, "id"))

    def _looked(self, goal: str, schema: Mapping[str, Any], name: str) -> list[Look]:
        """Look at all columns, of rows that have a class: some texts mean that there is none."""
        looks = self.jobs.look()
        if not looks:
            raise DataError("no_rows", source=name)
        if looks[-1].counts is None:
            raise DataError("too_many_classes", source=name, column=goal, n=MANY)
        self.survey: RemoteTable = infer_remote_target(self._seen(goal, looks[-1]), schema, name)
        aim = self.survey.target
        assert aim.codes is not None
        assert aim.values is not None
        dropped = [aim.values[i] for i in np.flatnonzero(aim.codes < 0).tolist()]
        if dropped:
            looks = self.jobs.look(dropped)
        return looks

    def _seen(self, name: str, look: Look) -> ColumnSummary:
        is_whole = self._kinds[name] in WHOLE_KINDS
        if look.counts is None:
            n = look.n - look.n_missing
            is_distinct = (
                is_whole
                and (is_id_name(name) or look.high - look.low + 1 == n)
                and len(np.unique(look.sample)) == len(look.sample)
                and self._frame.select(_quoted(name)).distinct().count() >= n
            )
            span = look.low, look.high
            return ColumnSummary(
                name, None, np.empty(0, np.int64), look.n_missing, span, is_whole, is_distinct
            )
        values: Any = sorted(look.counts, key=sort_key)
        counts = np.array([look.counts[v] for v in values], np.int64)
        if look.is_number:
            values = np.array(values, np.int64 if is_whole else np.float64)
        return ColumnSummary(name, values, counts, look.n_missing)

    def close(self) -> None:
        """Let the workers forget the blocks."""
        self.jobs.close()

    def table(self) -> Table:
        """Return the columns as those of a store whose rows are elsewhere."""
        made = []
        for judged, coding in zip(self.survey.columns, self._codings, strict=True):
            field, n_missing = judged.column, judged.n_missing
            if coding.cells is not None:
                none = np.empty(0, np.uint8)
                part: Any = BinnedNumbers(none, np.empty(0), coding.cells)
                made.append(StoredColumn(Field(field.name, "numeric"), part, None, n_missing, None))
                continue
            part = ExactCodes(np.empty(0, coding.kind), coding.n_codes)
            made.append(StoredColumn(field, part, _places(coding.n_codes), n_missing, None))
        goal = self.survey.target.column
        part = ExactCodes(np.empty(0, np.uint8), self.n_classes)
        target = StoredColumn(goal, part, np.arange(self.n_classes, dtype=np.int32), 0, None)
        return Table(tuple(made), target, self.survey.n_rows)

    # -- where rows are ---------------------------------------------------------------------

    def forget(self) -> None:
        """Start anew: nodes are now those of another tree."""
        self._nodes, self._route, self._tables = (), None, None

    def place(self, tree: TreeStructure, nodes: Sequence[int]) -> None:
        """Ask about these nodes from now on."""
        if self._route is not None and list(nodes) == list(self._nodes):
            return
        self._nodes, self._tables = tuple(nodes), None
        self._route = _route(tree, nodes, self.survey.columns)

    # -- questions --------------------------------------------------------------------------

    def totals(self) -> Ints:
        """Return how many rows of each class the nodes have."""
        (found,) = self.jobs.add(_totals, self._route, self.n_classes)
        return found.reshape(len(self._nodes), self.n_classes)

    def at_once(self) -> int:
        """Return of how many nodes the tables may be held at a time."""
        a_node = sum(coding.n_codes for coding in self._codings) * self.n_classes * 8
        return max(1, TABLES // a_node)

    def _table(self, c: int) -> npt.NDArray[np.int64]:
        if self._tables is None:
            found = self.jobs.add(coded_rows.tables, self._route, self.n_classes)
            self._tables = {
                i: part.reshape(len(self._nodes), -1, self.n_classes)
                for i, part in enumerate(found)
            }
        return self._tables[c]

    def listed(self, c: int, places: Sequence[int], by: Sequence[Split] | None) -> Heap:  # noqa: ARG002
        """Count by level."""
        assert by is None
        table = self._table(c)
        place, key, class_ = np.nonzero(table)
        n = table[place, key, class_]
        is_binned = self._codings[c].cells is not None
        levels = np.where(key == 255, -1, key) if is_binned else key - 1
        return Heap(place, levels, class_, n)

    def buckets(self, c: int, places: Sequence[int]) -> Heap:
        """Count by bucket; its ends are those of the bucket."""
        heap = self.listed(c, places, None)
        cells = self._codings[c].cells
        assert cells is not None
        first = np.searchsorted(cells.high, np.arange(N_BUCKETS))  # the first cell of each bucket
        starts = np.append(-np.inf, cells.edges)[np.minimum(first, len(cells.edges))]
        lows = np.where(first > len(cells.edges), np.inf, starts)
        highs = np.append(np.nextafter(lows[1:], -np.inf), np.inf)
        at = np.maximum(heap.key, 0)
        return Heap(heap.place, heap.key, heap.class_, heap.n, lows[at], highs[at])

    def values(
        self, c: int, spans: Sequence[tuple[int, float, float]], by: Sequence[Split] | None
    ) -> Heap:
        """Count by value, within spans of values of some nodes."""
        assert by is None
        return self.look({c: spans})[c]

    def look(self, wanted: Mapping[int, Sequence[tuple[int, float, float]]]) -> dict[int, Heap]:
        """Count by value, within spans of several columns: one job for all."""
        told = coded_rows.joined(self.jobs.ask(coded_rows.values, self._route, wanted))
        return {
            c: Heap(rows[0].astype(np.int64), rows[1], rows[2].astype(np.int64),
                    rows[3].astype(np.int64))
            for c, rows in told.items()
        }  # fmt: skip

    def distinct(self, c: int) -> Floats:
        """Return the sorted distinct values of a column."""
        return np.unique(np.concatenate(self.jobs.ask(_distinct, c)))

    def fetch(self, places: Sequence[int]) -> Iterator[tuple[int, Table]]:
        """Yield the rows of some nodes, as codes."""
        told = self.jobs.ask(coded_rows.rows_of, self._route, list(places))
        slots, *columns = (np.concatenate(parts) for parts in zip(*told, strict=True))
        for place in places:
            rows = np.flatnonzero(slots == place)
            yield place, self.rows_as_table([column[rows] for column in columns], is_coded=True)

    def rows_as_table(self, columns: Sequence[npt.NDArray[Any]], *, is_coded: bool) -> Table:
        """Return rows that blocks have told as a table; the class is the last of the columns."""
        made: list[Column] = []
        for judged, coding, told in zip(self.survey.columns, self._codings, columns, strict=False):
            field = judged.column
            if coding.cells is not None:
                told = np.asarray(told, np.float64)  # noqa: PLW2901
                made.append(numeric(field.name, told) if is_coded else LazyColumn(field.name, told))
                continue
            codes = _places(coding.n_codes)[told]
            if field.kind == "numeric" and not is_coded:
                made.append(LazyColumn(field.name, np.append(judged.numbers(), np.nan)[codes]))
            else:
                made.append(Column(field.name, field.kind, field.levels, codes))
        goal = self.survey.target.column
        target = Column(goal.name, "nominal", goal.levels, columns[-1].astype(np.int32))
        return Table(tuple(made), target, len(columns[-1]))


class Spread:
    """The rows of a growth by generations, in the blocks of a cluster.

    Parameters
    ----------
    rows : Rows
        The rows.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows, self._jobs = rows, rows.jobs
        self._moves = Moves(uuid.uuid4().hex, [])

    @property
    def n_rows(self) -> int:
        """How many rows a pass goes through."""
        return self._rows.survey.n_rows

    def root(self) -> npt.NDArray[np.int64]:
        """Return how many rows the root has of each class."""
        return self._rows.survey.counts

    def pass_(
        self,
        tests: list[Test],
        branches: Sequence[int],
        test_of: Ids,
        slot_of: Ids,
        n_slots: int,
    ) -> Sequence[npt.NDArray[Any]]:
        """Move rows on by the tests of their nodes, then count; a table for each column."""
        if tests:
            ids = np.empty(len(tests), np.int32)
            at = np.flatnonzero(test_of >= 0)
            ids[test_of[at]] = at
            told = np.asarray(branches, np.int32)
            self._moves.steps.append(Move(ids, list(tests), told, len(test_of)))
        elif n_slots == 1 and not self._moves.steps:
            root = self._jobs.root(self._rows.n_classes)
            if root is not None:
                return [table.ravel() for table in root]
        return self._add(_counted, slot_of, n_slots) if n_slots else []

    def cells(self, slot_of: Ids, opened: list[Opened]) -> Sequence[npt.NDArray[Any]]:
        """Count the low bytes in open buckets."""
        return self._add(_cells, slot_of, opened)

    def numbers(self, slot_of: Ids, opened: list[Opened]) -> Sequence[Sequence[npt.NDArray[Any]]]:
        """Return place, low byte, class and number of the rows of wanted cells, in no order."""
        told = self._jobs.ask(_numbers, self._moves, self._rows.n_classes, slot_of, opened)
        return [
            [np.concatenate(parts) for parts in zip(*column, strict=True)]
            for column in zip(*told, strict=True)
        ]

    def gathered(self, slot_of: Ids, n_slots: int) -> Iterator[Table]:
        """Yield the rows of each slot."""
        told = self._jobs.ask(_gathered, self._moves, self._rows.n_classes, slot_of, n_slots)
        for slot in zip(*told, strict=True):
            columns = [np.concatenate(parts) for parts in zip(*slot, strict=True)]
            yield self._rows.rows_as_table(columns, is_coded=False)

    def _add(self, work: Any, *said: Any) -> Sequence[npt.NDArray[Any]]:  # noqa: ANN401
        return self._jobs.add(work, self._moves, self._rows.n_classes, *said)


class Engine(remote_counts.Engine):
    """Answers from a Spark cluster.

    Parameters
    ----------
    source : DataFrame or str
        The rows; a path of Parquet files is read by a session, started here if there is none.
    recipe : Recipe
        What is going to be grown.
    target, schema
        As in :func:`penjing.read`.
    session : SparkSession, optional
        Who reads a path.
    checkpoint : str, optional
        A folder. What every finished generation found is kept there; a run that was cut short
        goes on after the last of them.
    """

    def __init__(
        self,
        source: Any,  # noqa: ANN401 - a DataFrame, or a path
        recipe: Recipe,
        *,
        target: str | None = None,
        schema: Mapping[str, Any] | None = None,
        session: Any = None,  # noqa: ANN401 - a SparkSession
        checkpoint: str | None = None,
        fetched: int | None = None,
        memory_limit: int | str | None = None,
    ) -> None:
        frame, name = _frame(source, session)
        rows = Rows(frame, name, target, schema)
        self._spread = rows
        self._small = FETCHED if fetched is None else fetched
        self._limit = min(
            memory_bytes(memory_limit), LIMIT if memory_limit is None else sys.maxsize
        )
        super().__init__(rows, recipe, FETCHED if fetched is None else fetched)
        self._at_once = rows.at_once()
        self._kept = None if checkpoint is None else Checkpoint(checkpoint, rows.survey, recipe)

    def grow(self, recipe: Recipe, progress: ProgressCallback | None = None) -> TreeData | None:
        """Grow a whole tree by generations; None where the readable loop has to."""
        if not self.counts(recipe):
            return None
        copies = 1 + min(self._spread.jobs.n_parts, BY_DRIVER)
        means = Means(self._limit, copies, None, self._small, DIRECT, WORTH)
        place = Spread(self._spread)
        table = self._spread.table()
        kept = self._kept
        return Growing(table, self.reader, recipe, means, progress, place=place, kept=kept).tree()

    def counts(self, recipe: Recipe) -> bool:
        """Say whether this recipe needs no more than counts of whole rows."""
        return (
            recipe.rules == "textbook"
            and recipe.missing in ("refuse", "fraction")
            and recipe.measure().native is not None
            and recipe.max_leaves is None
            and isinstance(self.reader, Classes)
            and self.reader.costs is None
            and not any(judged.n_missing for judged in self._spread.survey.columns)
        )

    def totals(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of these nodes: as they were kept, or counted now."""
        self._turn_to(tree)
        told = None if self._kept is None else self._kept.totals(nodes)
        if told is None:
            found = super().totals(tree, nodes)
            if self._kept is not None:
                self._kept.keep_totals(nodes, found, self.gaps)
            return found
        cells, gaps = told
        self.gaps |= gaps
        for node, total in zip(nodes, cells, strict=True):
            self._weight[node] = float(total.sum())
        return Totals(cells, (cells > 0).sum(axis=1) <= 1)

    def offers(self, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> Offers | None:
        """Return the best candidate of each column: as they were kept, or asked by `tally`."""
        if self._kept is None or recipe.rules != "textbook":
            return None
        self._turn_to(tree)
        return self._kept.offers(nodes)

    def keep_offers(self, nodes: Sequence[int], found: Offers) -> None:
        """Keep what was found, if that is wanted."""
        if self._kept is not None:
            self._kept.keep_offers(nodes, found, self._spread.jobs.n_jobs)

    def close(self) -> None:
        """Let the workers forget the blocks."""
        self._spread.close()


def _quoted(name: str) -> str:
    """Return a column's name as Spark has it."""
    return "`" + name.replace("`", "``") + "`"


def _frame(source: Any, session: Any) -> tuple[Any, str]:  # noqa: ANN401
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415 - heavy
    except ImportError:
        raise CapabilityError("engine_needs", engine="spark", package="pyspark") from None
    if not isinstance(source, str | os.PathLike):
        if not hasattr(source, "mapInArrow"):
            raise DataError("unknown_source", kind=type(source).__name__)
        return source, "DataFrame"
    if session is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        maker = SparkSession.builder.master("local[*]").appName("penjing")
        maker = maker.config("spark.ui.enabled", "false")
        session = SparkSession.getActiveSession() or maker.getOrCreate()
    path = os.fspath(source)
    return session.read.parquet(path), Path(path).name


def _coding(judged: RemoteColumn, look: Look, first: int = 1) -> Coding:
    if not judged.is_listed:
        cells: QuantileCells = look.cells or quantile_cells(look.sample)
        return Coding(256, cells=cells)
    assert judged.values is not None
    assert judged.codes is not None
    n_codes = len(judged.column.levels) + first
    if look.is_number:
        return Coding(n_codes, levels=np.asarray(judged.values, np.float64), codes=judged.codes)
    place = dict(zip(judged.values, judged.codes.tolist(), strict=True))
    return Coding(n_codes, place, first=first)


def _places(n_codes: int) -> npt.NDArray[np.int32]:
    """Return the level of each code: the first stands for a missing value."""
    return np.arange(-1, n_codes - 1, dtype=np.int32)


def _route(
    tree: TreeStructure, nodes: Sequence[int], columns: Sequence[RemoteColumn]
) -> coded_rows.Route:
    """Return the tree down to these nodes, as arrays; they are leaves in it."""
    asked, wanted = set(nodes), set()
    for node in nodes:
        at = node
        while at not in wanted:
            wanted.add(at)
            at = tree.parent_of(at)[0] if at else 0
    order = [0]
    inner = []
    for node in order:  # grows while it is walked: breadth first
        if node in asked or node not in wanted:
            continue
        inner.append(node)
        order.extend(tree.children(node))
    place = {node: i for i, node in enumerate(order)}
    n = len(order)
    column = np.full(n, -1, np.int32)
    cut = np.full(n, np.nan)
    first, count = np.zeros(n, np.int32), np.zeros(n, np.int32)
    without = np.full(n, -1, np.int32)
    levels: list[npt.NDArray[np.int32]] = [np.empty(0, np.int32)] * n
    for node in inner:
        split, i = tree.split(node), place[node]
        assert split is not None
        children = tree.children(node)
        column[i], first[i], count[i] = split.column, place[children[0]], len(children)
        judged, without[i] = columns[split.column], split.missing
        if split.cut is None:
            for child, group in zip(children, split.groups, strict=True):
                levels[place[child]] = np.asarray(group, np.int32)
        elif judged.is_listed and judged.column.is_numeric:
            cut[i] = np.searchsorted(judged.numbers(), split.cut, side="right") - 1
        else:
            cut[i] = split.cut
    slot = np.full(n, -1, np.int32)
    for i, node in enumerate(nodes):
        slot[place[node]] = i
    arrays = {
        "column": column, "cut": cut, "first_child": first, "n_children": count,
        "level_start": np.append(0, np.cumsum([len(codes) for codes in levels])).astype(np.int64),
        "level_codes": np.concatenate(levels).astype(np.int32),
        "missing_mode": without, "weight": np.ones(n),
    }  # fmt: skip
    return coded_rows.Route(arrays, slot, len(nodes))


# -- what runs on the workers ---------------------------------------------------------------


def _totals(block: Block, route: coded_rows.Route, n_classes: int) -> list[Any]:
    return [coded_rows.totals(block, route, n_classes)]


def _distinct(block: Block, c: int) -> Floats:
    numbers = block.numbers(c)
    assert numbers is not None
    return np.unique(numbers[~np.isnan(numbers)])


def _counted(block: Block, moves: Moves, k: int, slot_of: Ids, n_slots: int) -> list[Any]:
    return block.counted(moves, k, slot_of, n_slots)


def _cells(block: Block, moves: Moves, k: int, slot_of: Ids, opened: list[Opened]) -> list[Any]:
    return block.passes(moves, k).cells(moves.fitting(slot_of), opened)


def _numbers(block: Block, moves: Moves, k: int, slot_of: Ids, opened: list[Opened]) -> list[Any]:
    return block.passes(moves, k).numbers(moves.fitting(slot_of), opened)


def _gathered(block: Block, moves: Moves, k: int, slot_of: Ids, n_slots: int) -> list[Any]:
    return block.gathered(moves, k, slot_of, n_slots)
