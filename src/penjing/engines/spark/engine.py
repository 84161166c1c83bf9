"""An engine on rows of a Spark cluster: coded once into compact blocks, counted there in C++.

A partition becomes a block of codes in files of its worker: one or two bytes per value, and the
numbers themselves for columns of many numbers. In each generation the tasks contain the splits of
the last one; a block moves its rows, counts them, and the counts are summed. Only the driver
chooses splits. Spark makes a lost block again from its source, with the same counts, so failures
cannot change the tree.
"""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
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
from penjing.data.read.parquet import duration_columns
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
from penjing.engines.out_of_core.driver import GenerationDriver, Resources
from penjing.engines.out_of_core.row_location import Ids, NodeTest, OpenBuckets
from penjing.engines.remote_counts import GroupedCounts, Ints
from penjing.engines.spark import coded_rows
from penjing.engines.spark.checkpoint import Checkpoint
from penjing.engines.spark.coded_rows import Block, Coding, Move, Moves
from penjing.engines.spark.jobs import MAX_PARTS_BY_DRIVER, Jobs
from penjing.engines.spark.parquet_lots import WHOLE_KINDS
from penjing.engines.spark.spilled import MANY, Look, is_number
from penjing.errors import CapabilityError, DataError, NoFileError
from penjing.grow.engine import TreeStructure
from penjing.grow.recipe import Recipe
from penjing.progress import ProgressCallback
from penjing.tree.counts import Classes, Totals
from penjing.tree.split import BestSplits, Split
from penjing.tree.tree_data import TreeData

MAX_COUNTS_BYTES = 64 << 20
"""Counts of at most this many bytes are summed at a time; nodes are counted in batches."""
DRIVER_MEMORY = 2 << 30
"""The default memory limit of the driver, if so much is free."""
DIRECT_NUMBERS = 500_000
"""At most this many numbers are fetched by one job, even if two jobs would fetch fewer."""
FETCH_LIMIT = 20_000
"""The rows of a node are fetched if it has at most this many; the driver grows the rest."""
PARQUET_MARK = b"PAR1"
"""The first bytes of a Parquet file."""
BINARY = 2
"""A column of two integers is categorical."""
MIN_GENERATIONS = 3
"""Nodes are not fetched for fewer remaining generations, except for small ones."""


class SparkRows:
    """The rows of a DataFrame, in blocks that stay in the cluster.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    name : str
        Their name in messages.
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
        target_name = find_remote_target(frame.columns, target, name)
        ignored = [c for c in frame.columns if c != target_name and schema.get(c) == "ignore"]
        names = [c for c in frame.columns if c != target_name and c not in ignored]
        are_numbers = [
            is_number(self._kinds[c]) and schema.get(c, "numeric") == "numeric" for c in names
        ]
        self.jobs = Jobs(frame, [*names, target_name], [*are_numbers, False])
        try:
            self._read(names, target_name, schema, name)
        except BaseException:
            self.jobs.close()
            raise
        self._nodes: Sequence[int] = ()
        self._route: coded_rows.Route | None = None
        self._tables: dict[int, npt.NDArray[np.int64]] | None = None

    # -- coding -------------------------------------------------------------------------------

    def _read(
        self, names: list[str], target_name: str, schema: Mapping[str, Any], name: str
    ) -> None:
        """Summarize the columns, infer their types, and set how they are coded."""
        looks = self._summarize(target_name, schema, name)
        wide = self._exceeding_doubles(names, looks)
        if wide:
            self.jobs.close()
            are_numbers = [
                look.is_number and c not in wide
                for c, look in zip([*names, target_name], looks, strict=True)
            ]
            self.jobs = Jobs(self._frame, [*names, target_name], are_numbers)
            looks = self._summarize(target_name, schema, name)
        for column in self._frame.columns:
            if column != target_name and column not in names:
                add_remote_column(self.survey, ColumnSummary(column, None), schema)
            elif column != target_name:
                look = looks[names.index(column)]
                if look.counts is None and not look.is_number:
                    self._leave_out(column, name)
                    continue
                add_remote_column(self.survey, self._column_summary(column, look), schema)
        if not self.survey.columns:
            raise CapabilityError("remote_no_columns", source=name)
        self.n_classes = len(self.survey.counts)
        at = [names.index(judged.column.name) for judged in self.survey.columns]
        self._codings = [
            _coding(judged, looks[i]) for i, judged in zip(at, self.survey.columns, strict=True)
        ]
        classes = _coding(self.survey.target, looks[-1], first=0)
        self.jobs.code([*zip(at, self._codings, strict=True), (len(names), classes)])

    def _exceeding_doubles(self, names: Sequence[str], looks: Sequence[Look]) -> list[str]:
        """Return columns of two integers that doubles cannot represent: they are categorical."""
        exceeding = []
        for column, look in zip(names, looks, strict=False):
            few = look.counts if look.is_number and self._kinds[column] in WHOLE_KINDS else None
            if few and len(few) <= BINARY and max(map(abs, few)) >= MAX_EXACT_INTEGER:
                values = self._frame.select(_quoted(column)).dropna().distinct()
                exceeding += [column] if values.limit(BINARY + 1).count() == BINARY else []
        return exceeding

    def _leave_out(self, column: str, source: str) -> None:
        """Leave out a column of very many texts if it identifies the rows; else raise an error."""
        from pyspark.sql import functions as f  # noqa: PLC0415 - heavy

        bare = f.btrim(f.col(_quoted(column)).cast("string"), f.lit(BLANKS))
        text = f.when(~bare.isin(sorted(USUAL_MARKERS | {""})), bare)
        is_number = text.rlike(f"^(?:{PLAIN.pattern})$").cast("int")
        counts = self._frame.select(f.count(text), f.countDistinct(text), f.sum(is_number))
        ((n, distinct, n_numbers),) = counts.collect()
        is_name = is_id_name(column)
        if n != distinct or not (is_name or 2 * (n_numbers or 0) < n):
            raise CapabilityError("spark_many_levels", source=source, column=column, n=MANY)
        values = {"source": source, "column": column, "n": n}
        self.survey.notes.append(Note(f"note_left_out_id_{'name' if is_name else 'text'}", values))
        self.survey.left_out.append((column, "id"))

    def _summarize(self, target_name: str, schema: Mapping[str, Any], name: str) -> list[Look]:
        """Summarize all columns, over the rows whose class is known: some texts mean "missing"."""
        looks = self.jobs.read_rows()
        if not looks:
            raise DataError("no_rows", source=name)
        if looks[-1].counts is None:
            raise DataError("too_many_classes", source=name, column=target_name, n=MANY)
        self.survey: RemoteTable = infer_remote_target(
            self._column_summary(target_name, looks[-1]), schema, name
        )
        target = self.survey.target
        assert target.codes is not None
        assert target.values is not None
        dropped = [target.values[i] for i in np.flatnonzero(target.codes < 0).tolist()]
        if dropped:
            looks = self.jobs.read_rows(dropped)
        return looks

    def _column_summary(self, name: str, look: Look) -> ColumnSummary:
        """Return the summary of a column as type inference takes it."""
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
        """Remove the blocks from the workers."""
        self.jobs.close()

    def table(self) -> Table:
        """Return the columns as those of a store, without rows."""
        columns = []
        for judged, coding in zip(self.survey.columns, self._codings, strict=True):
            field, n_missing = judged.column, judged.n_missing
            if coding.cells is not None:
                no_codes = np.empty(0, np.uint8)
                part: Any = BinnedNumbers(no_codes, np.empty(0), coding.cells)
                columns.append(
                    StoredColumn(Field(field.name, "numeric"), part, None, n_missing, None)
                )
                continue
            part = ExactCodes(np.empty(0, coding.kind), coding.n_codes)
            columns.append(
                StoredColumn(field, part, _level_of_code(coding.n_codes), n_missing, None)
            )
        target_field = self.survey.target.column
        part = ExactCodes(np.empty(0, np.uint8), self.n_classes)
        target = StoredColumn(
            target_field, part, np.arange(self.n_classes, dtype=np.int32), 0, None
        )
        return Table(tuple(columns), target, self.survey.n_rows)

    # -- nodes --------------------------------------------------------------------------------

    def reset(self) -> None:
        """Forget the nodes: the next ones belong to another tree."""
        self._nodes, self._route, self._tables = (), None, None

    def set_nodes(self, tree: TreeStructure, nodes: Sequence[int]) -> None:
        """Set the nodes that are counted from now on."""
        if self._route is not None and list(nodes) == list(self._nodes):
            return
        self._nodes, self._tables = tuple(nodes), None
        self._route = _route(tree, nodes, self.survey.columns)

    # -- counts -------------------------------------------------------------------------------

    def totals(self) -> Ints:
        """Return how many rows of each class the nodes have."""
        (totals,) = self.jobs.sum_arrays(_totals, self._route, self.n_classes)
        return totals.reshape(len(self._nodes), self.n_classes)

    def node_batch(self) -> int:
        """Return the counts of how many nodes are held at a time."""
        node_bytes = sum(coding.n_codes for coding in self._codings) * self.n_classes * 8
        return max(1, MAX_COUNTS_BYTES // node_bytes)

    def _counts(self, c: int) -> npt.NDArray[np.int64]:
        if self._tables is None:
            tables = self.jobs.sum_arrays(coded_rows.tables, self._route, self.n_classes)
            self._tables = {
                i: part.reshape(len(self._nodes), -1, self.n_classes)
                for i, part in enumerate(tables)
            }
        return self._tables[c]

    def count_levels(
        self,
        c: int,
        slots: Sequence[int],  # noqa: ARG002 - counts are of all nodes
        by: Sequence[Split] | None,
    ) -> GroupedCounts:
        """Count by level."""
        assert by is None
        table = self._counts(c)
        slot, key, class_ = np.nonzero(table)
        n = table[slot, key, class_]
        is_binned = self._codings[c].cells is not None
        codes = np.where(key == 255, -1, key) if is_binned else key - 1
        return GroupedCounts(slot, codes, class_, n)

    def count_buckets(self, c: int, slots: Sequence[int]) -> GroupedCounts:
        """Count by bucket; ``low`` and ``high`` are the borders of the bucket."""
        groups = self.count_levels(c, slots, None)
        cells = self._codings[c].cells
        assert cells is not None
        first = np.searchsorted(cells.high, np.arange(N_BUCKETS))  # the first cell of each bucket
        starts = np.append(-np.inf, cells.edges)[np.minimum(first, len(cells.edges))]
        lows = np.where(first > len(cells.edges), np.inf, starts)
        highs = np.append(np.nextafter(lows[1:], -np.inf), np.inf)
        bucket = np.maximum(groups.key, 0)
        return GroupedCounts(
            groups.slot, groups.key, groups.class_, groups.n, lows[bucket], highs[bucket]
        )

    def count_values(
        self, c: int, spans: Sequence[tuple[int, float, float]], by: Sequence[Split] | None
    ) -> GroupedCounts:
        """Count by value, within spans of values of some nodes."""
        assert by is None
        return self.count_spans({c: spans})[c]

    def count_spans(
        self, spans: Mapping[int, Sequence[tuple[int, float, float]]]
    ) -> dict[int, GroupedCounts]:
        """Count by value, within spans of several columns: one job for all."""
        results = self.jobs.collect(coded_rows.count_values, self._route, spans)
        by_column = coded_rows.merge_values(results)
        return {
            c: GroupedCounts(rows[0].astype(np.int64), rows[1], rows[2].astype(np.int64),
                    rows[3].astype(np.int64))
            for c, rows in by_column.items()
        }  # fmt: skip

    def distinct_values(self, c: int) -> Floats:
        """Return the sorted distinct values of a column."""
        return np.unique(np.concatenate(self.jobs.collect(_distinct, c)))

    def fetch_rows(self, slots: Sequence[int]) -> Iterator[tuple[int, Table]]:
        """Yield slot and rows of some nodes, coded."""
        blocks = self.jobs.collect(coded_rows.rows_of, self._route, list(slots))
        slot_of_row, *columns = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        for slot in slots:
            rows = np.flatnonzero(slot_of_row == slot)
            yield slot, self.rows_as_table([column[rows] for column in columns], is_coded=True)

    def rows_as_table(self, columns: Sequence[npt.NDArray[Any]], *, is_coded: bool) -> Table:
        """Return rows from blocks as a table; the class is the last of the columns."""
        made: list[Column] = []
        for judged, coding, part in zip(self.survey.columns, self._codings, columns, strict=False):
            field = judged.column
            if coding.cells is not None:
                numbers = np.asarray(part, np.float64)
                column = numeric if is_coded else LazyColumn
                made.append(column(field.name, numbers))
                continue
            codes = _level_of_code(coding.n_codes)[part]
            if field.kind == "numeric" and not is_coded:
                made.append(LazyColumn(field.name, np.append(judged.numbers(), np.nan)[codes]))
            else:
                made.append(Column(field.name, field.kind, field.levels, codes))
        target_field = self.survey.target.column
        target = Column(
            target_field.name, "nominal", target_field.levels, columns[-1].astype(np.int32)
        )
        return Table(tuple(made), target, len(columns[-1]))


class ClusterRows:
    """Rows in the blocks of a cluster, each in a node of a growing tree.

    Parameters
    ----------
    rows : SparkRows
        The rows.
    """

    def __init__(self, rows: SparkRows) -> None:
        self._rows, self._jobs = rows, rows.jobs
        self._moves = Moves(uuid.uuid4().hex, [])

    @property
    def n_rows(self) -> int:
        """How many rows a pass goes through."""
        return self._rows.survey.n_rows

    def root_counts(self) -> npt.NDArray[np.int64]:
        """Return how many rows the root has of each class."""
        return self._rows.survey.counts

    def move_and_count(
        self,
        tests: list[NodeTest],
        branches: Sequence[int],
        test_of: Ids,
        slot_of: Ids,
        n_slots: int,
    ) -> Sequence[npt.NDArray[Any]]:
        """Move rows to the children of their nodes, then count; return a table for each column."""
        if tests:
            ids = np.empty(len(tests), np.int32)
            at = np.flatnonzero(test_of >= 0)
            ids[test_of[at]] = at
            flat = np.asarray(branches, np.int32)
            self._moves.steps.append(Move(ids, list(tests), flat, len(test_of)))
        elif n_slots == 1 and not self._moves.steps:
            root = self._jobs.root_counts(self._rows.n_classes)
            if root is not None:
                return [table.ravel() for table in root]
        return self._sum(_move_and_count, slot_of, n_slots) if n_slots else []

    def count_cells(self, slot_of: Ids, opened: list[OpenBuckets]) -> Sequence[npt.NDArray[Any]]:
        """Count the cells (low bytes) of open buckets."""
        return self._sum(_count_cells, slot_of, opened)

    def fetch_numbers(
        self, slot_of: Ids, opened: list[OpenBuckets]
    ) -> Sequence[Sequence[npt.NDArray[Any]]]:
        """Return place, low byte, class and number of the rows of wanted cells, in no order."""
        blocks = self._jobs.collect(
            _fetch_numbers, self._moves, self._rows.n_classes, slot_of, opened
        )
        return [
            [np.concatenate(parts) for parts in zip(*column, strict=True)]
            for column in zip(*blocks, strict=True)
        ]

    def fetch_rows(self, slot_of: Ids, n_slots: int) -> Iterator[Table]:
        """Yield the rows of each slot."""
        blocks = self._jobs.collect(
            _fetch_rows, self._moves, self._rows.n_classes, slot_of, n_slots
        )
        for slot in zip(*blocks, strict=True):
            columns = [np.concatenate(parts) for parts in zip(*slot, strict=True)]
            yield self._rows.rows_as_table(columns, is_coded=False)

    def _sum(self, work: Any, *arguments: Any) -> Sequence[npt.NDArray[Any]]:  # noqa: ANN401
        return self._jobs.sum_arrays(work, self._moves, self._rows.n_classes, *arguments)


class Engine(remote_counts.Engine):
    """Computes counts of rows in a Spark cluster.

    Parameters
    ----------
    source : DataFrame or str
        The rows; a path of Parquet files is read by a session, which is started if there is none.
    recipe : Recipe
        The recipe of the tree.
    target, schema
        As in :func:`penjing.read`.
    session : SparkSession, optional
        The session that reads a path.
    checkpoint : str, optional
        A folder. The results of every finished generation are stored there; a run that was
        interrupted goes on after the last of them.
    """

    capabilities = replace(
        remote_counts.Engine.capabilities, settings=("checkpoint", "memory_limit", "session")
    )

    @classmethod
    def check_source(cls, source: object) -> None:
        """Raise an error for data that Spark cannot read, before a session is started."""
        if hasattr(source, "mapInArrow"):
            return
        if not isinstance(source, str | os.PathLike):
            raise CapabilityError("spark_needs_parquet", source=f"<{type(source).__name__}>")
        path = os.fspath(source)
        if ":/" in path:  # a file system of the cluster
            return
        is_file_name = not path.startswith(("duckdb:", "example:")) and path != "-"
        if is_file_name and not Path(path).exists():
            raise NoFileError("no_such_file", source=path)
        if not is_file_name or not _is_parquet(Path(path)):
            raise CapabilityError("spark_needs_parquet", source=path)

    def __init__(
        self,
        source: Any,  # noqa: ANN401 - a DataFrame, or a path
        recipe: Recipe,
        *,
        target: str | None = None,
        schema: Mapping[str, Any] | None = None,
        session: Any = None,  # noqa: ANN401 - a SparkSession
        checkpoint: str | None = None,
        fetch_limit: int | None = None,
        memory_limit: int | str | None = None,
    ) -> None:
        _refuse_durations(source, schema or {})
        frame, name = _frame(source, session)
        rows = SparkRows(frame, name, target, schema)
        self._spark_rows = rows
        self._small = FETCH_LIMIT if fetch_limit is None else fetch_limit
        self._limit = min(
            memory_bytes(memory_limit), DRIVER_MEMORY if memory_limit is None else sys.maxsize
        )
        super().__init__(rows, recipe, self._small)
        self._node_batch = rows.node_batch()
        self._checkpoint = (
            None if checkpoint is None else Checkpoint(checkpoint, rows.survey, recipe)
        )

    def grow(self, recipe: Recipe, progress: ProgressCallback | None = None) -> TreeData | None:
        """Grow a whole tree by generations; None if the loop in Python has to."""
        if not self.counts(recipe):
            return None
        copies = 1 + min(self._spark_rows.jobs.n_parts, MAX_PARTS_BY_DRIVER)
        resources = Resources(
            self._limit, copies, None, self._small, DIRECT_NUMBERS, MIN_GENERATIONS
        )
        driver = GenerationDriver(
            self._spark_rows.table(),
            self.reader,
            recipe,
            resources,
            progress,
            rows=ClusterRows(self._spark_rows),
            log=self._checkpoint,
        )
        return driver.grow()

    def counts(self, recipe: Recipe) -> bool:
        """Return whether counts of whole rows suffice for this recipe."""
        return (
            recipe.dialect.decides_by_counts
            and recipe.missing in ("refuse", "fraction")
            and recipe.max_leaves is None
            and recipe.dialect.is_native(replace(recipe, missing="refuse"))
            and isinstance(self.reader, Classes)
            and self.reader.costs is None
            and not any(judged.n_missing for judged in self._spark_rows.survey.columns)
        )

    def totals(self, tree: TreeStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of these nodes, from the checkpoint or counted now."""
        self._set_tree(tree)
        stored = None if self._checkpoint is None else self._checkpoint.totals(nodes)
        if stored is None:
            totals = super().totals(tree, nodes)
            if self._checkpoint is not None:
                self._checkpoint.keep_totals(nodes, totals, self.gaps)
            return totals
        cells, gaps = stored
        self.gaps |= gaps
        for node, total in zip(nodes, cells, strict=True):
            self._weight[node] = float(total.sum())
        return Totals(cells, (cells > 0).sum(axis=1) <= 1)

    def best_splits(self, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe) -> BestSplits:
        """Return the candidates of the checkpoint, if it has them, otherwise from `tally`."""
        if self._checkpoint is None or not recipe.dialect.decides_by_counts:
            return super().best_splits(tree, nodes, recipe)
        self._set_tree(tree)
        stored = self._checkpoint.best_splits(nodes)
        if stored is not None:
            return stored
        best_splits = super().best_splits(tree, nodes, recipe)
        self._checkpoint.keep_best_splits(nodes, best_splits, self._spark_rows.jobs.n_jobs)
        return best_splits

    def close(self) -> None:
        """Remove the blocks from the workers."""
        self._spark_rows.close()


def _quoted(name: str) -> str:
    """Return a column's name as Spark quotes it."""
    return "`" + name.replace("`", "``") + "`"


def _frame(source: Any, session: Any) -> tuple[Any, str]:  # noqa: ANN401
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415 - heavy
    except ImportError:
        raise CapabilityError(
            "engine_needs", engine="spark", package="pyspark", extra="spark"
        ) from None
    if not isinstance(source, str | os.PathLike):
        return source, "DataFrame"
    path = os.fspath(source)
    try:
        if session is None:
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            builder = SparkSession.builder.master("local[*]").appName("penjing")
            builder = builder.config("spark.ui.enabled", "false")
            session = SparkSession.getActiveSession() or builder.getOrCreate()
        return session.read.parquet(path), Path(path).name
    except Exception as error:  # Spark, its bridge to Java, or Java itself
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise DataError("spark_failed", source=path, said=lines[0]) from error


def _refuse_durations(source: object, schema: Mapping[str, Any]) -> None:
    """Raise an error for durations in files: Spark reads them as integers without their unit."""
    if not isinstance(source, str | os.PathLike) or ":/" in os.fspath(source):
        return
    path = os.fspath(source)
    for column in duration_columns(path):
        if schema.get(column) != "ignore":
            raise CapabilityError("spark_durations", source=path, column=column)


def _is_parquet(path: Path) -> bool:
    """Return whether a file is Parquet, or a folder contains Parquet files."""
    if path.is_dir():
        return next(path.rglob("*.parquet"), None) is not None
    with path.open("rb") as file:
        return file.read(len(PARQUET_MARK)) == PARQUET_MARK


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


def _level_of_code(n_codes: int) -> npt.NDArray[np.int32]:
    """Return the level of each code; code 0 is a missing value."""
    return np.arange(-1, n_codes - 1, dtype=np.int32)


def _route(
    tree: TreeStructure, nodes: Sequence[int], columns: Sequence[RemoteColumn]
) -> coded_rows.Route:
    """Return the tree down to these nodes, as arrays in which they are leaves."""
    counted, on_path = set(nodes), set()
    for node in nodes:
        ancestor = node
        while ancestor not in on_path:
            on_path.add(ancestor)
            ancestor = tree.parent_of(ancestor)[0] if ancestor else 0
    order = [0]
    inner = []
    for node in order:  # the list grows while it is iterated: breadth first
        if node in counted or node not in on_path:
            continue
        inner.append(node)
        order.extend(tree.children(node))
    index_of = {node: i for i, node in enumerate(order)}
    n = len(order)
    column = np.full(n, -1, np.int32)
    cut = np.full(n, np.nan)
    first, count = np.zeros(n, np.int32), np.zeros(n, np.int32)
    missing_branch = np.full(n, -1, np.int32)
    levels: list[npt.NDArray[np.int32]] = [np.empty(0, np.int32)] * n
    for node in inner:
        split, i = tree.split(node), index_of[node]
        assert split is not None
        children = tree.children(node)
        column[i], first[i], count[i] = split.column, index_of[children[0]], len(children)
        judged, missing_branch[i] = columns[split.column], split.missing
        if split.cut is None:
            for child, group in zip(children, split.groups, strict=True):
                levels[index_of[child]] = np.asarray(group, np.int32)
        elif judged.is_listed and judged.column.is_numeric:
            cut[i] = np.searchsorted(judged.numbers(), split.cut, side="right") - 1
        else:
            cut[i] = split.cut
    slot = np.full(n, -1, np.int32)
    for i, node in enumerate(nodes):
        slot[index_of[node]] = i
    arrays = {
        "column": column, "cut": cut, "first_child": first, "n_children": count,
        "level_start": np.append(0, np.cumsum([len(codes) for codes in levels])).astype(np.int64),
        "level_codes": np.concatenate(levels).astype(np.int32),
        "missing_mode": missing_branch, "weight": np.ones(n),
    }  # fmt: skip
    return coded_rows.Route(arrays, slot, len(nodes))


# -- what runs on the workers -----------------------------------------------------------------


def _totals(block: Block, route: coded_rows.Route, n_classes: int) -> list[Any]:
    return [coded_rows.totals(block, route, n_classes)]


def _distinct(block: Block, c: int) -> Floats:
    numbers = block.numbers(c)
    assert numbers is not None
    return np.unique(numbers[~np.isnan(numbers)])


def _move_and_count(block: Block, moves: Moves, k: int, slot_of: Ids, n_slots: int) -> list[Any]:
    return block.move_and_count(moves, k, slot_of, n_slots)


def _count_cells(
    block: Block, moves: Moves, k: int, slot_of: Ids, opened: list[OpenBuckets]
) -> list[Any]:
    return block.passes(moves, k).cells(moves.pad_slots(slot_of), opened)


def _fetch_numbers(
    block: Block, moves: Moves, k: int, slot_of: Ids, opened: list[OpenBuckets]
) -> list[Any]:
    return block.passes(moves, k).numbers(moves.pad_slots(slot_of), opened)


def _fetch_rows(block: Block, moves: Moves, k: int, slot_of: Ids, n_slots: int) -> list[Any]:
    return block.fetch_rows(moves, k, slot_of, n_slots)
