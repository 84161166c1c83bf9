"""Rows in a Spark cluster: coded once to compact blocks, counted there by our own C++ counter.

A partition becomes blocks of codes (one or two bytes a value), which stay where they are, in
memory or on the workers' disks. For each generation the tree goes out with the tasks, a block
finds the node of each of its rows, counts, and tables are summed on the way back (treeReduce);
only the driver chooses. A lost block is made again by Spark from its source and counts the
same, so that no failure can change the tree.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.engines import Shape, afar, blocks
from penjing.engines.afar import Heap, Ints
from penjing.engines.blocks import Coding
from penjing.engines.checkpoint import Checkpoint
from penjing.errors import CapabilityError, DataError
from penjing.read.afar import Judged, Seen, Survey, in_order, survey, surveyed_target, target_of
from penjing.recipe import Recipe
from penjing.split import Offers, Split
from penjing.table import Column, Floats, Table, numeric
from penjing.tally import Totals

BUCKETS = 1_024
"""In how many buckets a column of many numbers is counted first."""
TABLES = 64 << 20
"""Tables of at most so many bytes are summed at a time: nodes are batched to keep below it."""
ROWS = 1 << 19
"""A block has at most so many rows."""
FETCHED = 20_000
"""A node of at most so many rows is fetched and finished in the driver."""
DEPTH = 2
"""By how many steps tables are summed before they reach the driver."""

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_NUMBERS = ("float", "double")


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
        goal = target_of(frame.columns, target, name)
        ((_, told),) = self._looks([goal], None).items()
        self.survey: Survey = surveyed_target(self._seen(goal, told), schema, name)
        self._classes = _coding(self.survey.target)
        others = [column for column in frame.columns if column != goal]
        samples: dict[str, Floats] = {}
        for column, look in self._looks(others, (goal, self._classes)).items():
            survey(self.survey, self._seen(column, look), schema)
            samples[column] = np.sort(look.sample)
        if not self.survey.columns:
            raise CapabilityError("afar_nothing", source=name)
        self.n_classes = len(self.survey.counts)
        self._codings = [_coding(j, samples.get(j.column.name)) for j in self.survey.columns]
        self._goal = goal
        self._blocks: Any = None
        self.n_jobs = 0
        """How many times the blocks have been gone through."""
        self._nodes: Sequence[int] = ()
        self._route: blocks.Route | None = None
        self._tables: dict[int, npt.NDArray[np.int64]] | None = None

    # -- coding -----------------------------------------------------------------------------

    def _looks(
        self, names: Sequence[str], goal: tuple[str, Coding] | None
    ) -> dict[str, blocks.Look]:
        asked = [*names] if goal is None else [*names, goal[0]]
        frame = self._frame.select(*(f"`{name.replace('`', '``')}`" for name in asked))
        parts = frame.mapInArrow(partial(_look_at, goal=goal), "part binary").rdd
        are_numbers = [self._kinds[name] in (*_WHOLE, *_NUMBERS) for name in names]
        found = parts.map(lambda row: pickle.loads(bytes(row[0]))).treeReduce(  # noqa: S301
            lambda a, b: [x.plus(y, n) for x, y, n in zip(a, b, are_numbers, strict=True)], DEPTH
        )
        return dict(zip(names, found, strict=True))

    def _seen(self, name: str, look: blocks.Look) -> Seen:
        kind = self._kinds[name]
        is_whole = kind in _WHOLE
        if look.counts is None:
            n = look.n - look.n_missing
            is_distinct = is_whole and self._frame.select(name).distinct().count() >= n
            span = look.low, look.high
            return Seen(
                name, None, np.empty(0, np.int64), look.n_missing, span, is_whole, is_distinct
            )
        values: Any = sorted(look.counts, key=in_order)
        counts = np.array([look.counts[v] for v in values], np.int64)
        if is_whole or kind in _NUMBERS:
            values = np.array(values, np.int64 if is_whole else np.float64)
        return Seen(name, values, counts, look.n_missing)

    @property
    def blocks(self) -> Any:  # noqa: ANN401 - an RDD
        """The blocks: coded when first asked for, and kept by the workers."""
        if self._blocks is None:
            from pyspark import StorageLevel  # noqa: PLC0415 - heavy

            names = [judged.column.name for judged in self.survey.columns]
            frame = self._frame.select(
                *(f"`{name.replace('`', '``')}`" for name in [*names, self._goal])
            )
            code = partial(_code, codings=self._codings, classes=self._classes, most=ROWS)
            coded = frame.mapInArrow(code, "block binary").rdd.map(lambda row: bytes(row[0]))
            self._blocks = coded.persist(StorageLevel.MEMORY_AND_DISK)
        return self._blocks

    def close(self) -> None:
        """Let the workers forget the blocks."""
        if self._blocks is not None:
            self._blocks.unpersist()

    # -- where rows are ---------------------------------------------------------------------

    def forget(self) -> None:
        """Start anew: nodes are now those of another tree."""
        self._nodes, self._route, self._tables = (), None, None

    def place(self, tree: Shape, nodes: Sequence[int]) -> None:
        """Ask about these nodes from now on."""
        if self._route is not None and list(nodes) == list(self._nodes):
            return
        self._nodes, self._tables = tuple(nodes), None
        self._route = _route(tree, nodes, self.survey.columns)

    def _run(self, work: Callable[..., Any], add: Callable[[Any, Any], Any], *more: Any) -> Any:  # noqa: ANN401
        """Go through all blocks, and add up what each one says."""
        self.n_jobs += 1
        route, codings = self._route, self._codings

        def one(data: bytes) -> Any:  # noqa: ANN401
            return work(pickle.loads(data), route, codings, *more)  # noqa: S301 - our own

        return self.blocks.map(one).treeReduce(add, DEPTH)

    # -- questions --------------------------------------------------------------------------

    def totals(self) -> Ints:
        """Return how many rows of each class the nodes have."""
        found = self._run(blocks.totals, _plus, self.n_classes)
        return np.asarray(found).reshape(len(self._nodes), self.n_classes)

    def at_once(self) -> int:
        """Return of how many nodes the tables may be held at a time."""
        a_node = sum(coding.n_codes for coding in self._codings) * self.n_classes * 8
        return max(1, TABLES // a_node)

    def _table(self, c: int) -> npt.NDArray[np.int64]:
        if self._tables is None:
            flat = self._run(blocks.tables, _plus, self.n_classes)
            ends = np.cumsum(
                [len(self._nodes) * coding.n_codes * self.n_classes for coding in self._codings]
            )
            parts = np.split(flat, ends[:-1])
            self._tables = {
                i: part.reshape(len(self._nodes), -1, self.n_classes)
                for i, part in enumerate(parts)
            }
        return self._tables[c]

    def listed(self, c: int, places: Sequence[int], by: Sequence[Split] | None) -> Heap:  # noqa: ARG002
        """Count by level."""
        assert by is None
        table = self._table(c)
        place, key, class_ = np.nonzero(table)
        n = table[place, key, class_]
        return Heap(place, np.where(key == table.shape[1] - 1, -1, key), class_, n)

    def buckets(self, c: int, places: Sequence[int]) -> Heap:
        """Count by bucket; its ends are those of the bucket."""
        heap = self.listed(c, places, None)
        edges = self._codings[c].edges
        assert edges is not None
        lows = np.append(-np.inf, np.nextafter(edges, np.inf))
        highs = np.append(edges, np.inf)
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
        told = self._run(blocks.values, _joined, wanted)
        return {
            c: Heap(rows[0].astype(np.int64), rows[1], rows[2].astype(np.int64),
                    rows[3].astype(np.int64))
            for c, rows in told.items()
        }  # fmt: skip

    def distinct(self, c: int) -> Floats:
        """Return the sorted distinct values of a column."""
        self.n_jobs += 1

        def one(data: bytes) -> Floats:
            numbers = pickle.loads(data).numbers[c]  # noqa: S301 - our own
            return np.unique(numbers[~np.isnan(numbers)])

        return np.asarray(self.blocks.map(one).treeReduce(np.union1d, DEPTH))

    def fetch(self, places: Sequence[int]) -> Iterator[tuple[int, Table]]:
        """Yield the rows of some nodes, as codes."""
        found = self._run(blocks.rows_of, _both, list(places))
        slots, block = found
        target = self.survey.target.column
        for place in places:
            rows = np.flatnonzero(slots == place)
            columns = []
            for c, judged in enumerate(self.survey.columns):
                field = judged.column
                if c in block.numbers:
                    columns.append(numeric(field.name, block.numbers[c][rows]))
                    continue
                codes = block.codes[c][rows].astype(np.int32)
                codes = np.where(codes == self._codings[c].n_codes - 1, np.int32(-1), codes)
                columns.append(Column(field.name, field.kind, field.levels, codes))
            classes = block.class_[rows].astype(np.int32)
            aim = Column(target.name, "nominal", target.levels, classes)
            yield place, Table(tuple(columns), aim, len(rows))


class Engine(afar.Engine):
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
    ) -> None:
        frame, name = _frame(source, session)
        rows = Rows(frame, name, target, schema)
        super().__init__(rows, recipe, FETCHED if fetched is None else fetched)
        self._at_once = rows.at_once()
        self._kept = None if checkpoint is None else Checkpoint(checkpoint, rows.survey, recipe)

    def totals(self, tree: Shape, nodes: Sequence[int]) -> Totals:
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

    def offers(self, tree: Shape, nodes: Sequence[int], recipe: Recipe) -> Offers | None:
        """Return the best candidate of each column: as they were kept, or asked by `tally`."""
        if self._kept is None or recipe.rules != "textbook":
            return None
        self._turn_to(tree)
        return self._kept.offers(nodes)

    def keep_offers(self, nodes: Sequence[int], found: Offers) -> None:
        """Keep what was found, if that is wanted."""
        if self._kept is not None:
            self._kept.keep_offers(nodes, found, self.rows.n_jobs)  # type: ignore[attr-defined]

    def close(self) -> None:
        """Let the workers forget the blocks."""
        self.rows.close()  # type: ignore[attr-defined]


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


def _coding(judged: Judged, sample: Floats | None = None) -> Coding:
    if judged.is_listed:
        assert judged.values is not None
        assert judged.codes is not None
        values = (
            np.asarray(judged.values).tolist()
            if isinstance(judged.values, np.ndarray)
            else judged.values
        )
        place = dict(zip(values, judged.codes.tolist(), strict=True))
        return Coding(len(judged.column.levels) + 1, place, None)
    assert sample is not None
    edges = np.unique(sample[(np.arange(1, BUCKETS) * len(sample)) // BUCKETS])
    return Coding(len(edges) + 2, None, edges)


def _route(tree: Shape, nodes: Sequence[int], columns: Sequence[Judged]) -> blocks.Route:
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
    levels: list[npt.NDArray[np.int32]] = [np.empty(0, np.int32)] * n
    for node in inner:
        split, i = tree.split(node), place[node]
        assert split is not None
        children = tree.children(node)
        column[i], first[i], count[i] = split.column, place[children[0]], len(children)
        judged = columns[split.column]
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
        "missing_mode": np.full(n, -1, np.int32), "weight": np.ones(n),
    }  # fmt: skip
    return blocks.Route(arrays, slot, len(nodes))


# -- what runs on the workers ---------------------------------------------------------------


def _cells(array: Any) -> tuple[Any, npt.NDArray[np.bool_]]:  # noqa: ANN401 - of pyarrow
    """Return the values of an Arrow column, and which are known."""
    import pyarrow as pa  # noqa: PLC0415 - on the workers

    known = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), bool)
    kind = array.type
    if pa.types.is_decimal(kind):
        array, kind = array.cast(pa.float64()), pa.float64()
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        whole = array.fill_null(0) if pa.types.is_integer(kind) else array
        numbers = whole.to_numpy(zero_copy_only=False)
        if numbers.dtype.kind == "f":
            numbers = numbers.astype(np.float64)
            known &= ~np.isnan(numbers)
        return numbers, known
    if not (
        pa.types.is_boolean(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)
    ):
        array = array.cast(pa.string())
    return array.to_pylist(), known


def _look_at(batches: Any, goal: tuple[str, Coding] | None) -> Iterator[Any]:  # noqa: ANN401
    import pyarrow as pa  # noqa: PLC0415 - on the workers

    found: list[blocks.Look] | None = None
    for batch in batches:
        n = batch.num_columns - (goal is not None)
        if goal is not None:
            class_, _ = goal[1].coded(*_cells(batch.column(n)))
            batch = batch.filter(pa.array(class_ < goal[1].n_codes - 1))  # noqa: PLW2901
        cells = [_cells(batch.column(c)) for c in range(n)]
        told = [blocks.look(*column) for column in cells]
        if found is None:
            found = told
        else:
            pairs = zip(found, told, cells, strict=True)
            found = [a.plus(b, isinstance(values, np.ndarray)) for a, b, (values, _) in pairs]
    if found is not None:
        yield pa.record_batch([pa.array([pickle.dumps(found)], pa.binary())], ["part"])


def _code(
    batches: Any,  # noqa: ANN401
    codings: Sequence[Coding],
    classes: Coding,
    most: int,
) -> Iterator[Any]:
    import pyarrow as pa  # noqa: PLC0415 - on the workers

    parts: list[blocks.Block] = []

    def told() -> Any:  # noqa: ANN401
        whole = _one(parts)
        return pa.record_batch([pa.array([pickle.dumps(whole, 5)], pa.binary())], ["block"])

    for batch in batches:
        cells = [_cells(batch.column(c)) for c in range(batch.num_columns)]
        parts.append(blocks.block_of(cells[:-1], codings, cells[-1], classes))
        if sum(len(part.class_) for part in parts) >= most:
            yield told()
            parts = []
    if parts:
        yield told()


def _one(parts: Sequence[blocks.Block]) -> blocks.Block:
    codes = [np.concatenate(columns) for columns in zip(*(p.codes for p in parts), strict=True)]
    numbers = {c: np.concatenate([part.numbers[c] for part in parts]) for c in parts[0].numbers}
    return blocks.Block(np.concatenate([part.class_ for part in parts]), codes, numbers)


def _plus(one: Any, other: Any) -> Any:  # noqa: ANN401 - arrays
    return one + other


def _joined(one: dict[int, Any], other: dict[int, Any]) -> dict[int, Any]:
    return {c: blocks.summed(np.concatenate([one[c], other[c]], axis=1)) for c in one}


def _both(one: Any, other: Any) -> Any:  # noqa: ANN401 - slots and a block
    return np.concatenate([one[0], other[0]]), _one([one[1], other[1]])
