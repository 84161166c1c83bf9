"""Jobs on a Spark cluster: write the rows to files of the workers, then run tasks on all of them.

A frame with one row for each partition holds the paths of the files. Spark caches it, runs tasks
where it is cached, and makes it again (and the files with it) from the rows if a worker is lost.
Everything works with ``DataFrame.mapInArrow``, so Spark Connect suffices. If RDDs are available,
tasks use them, because an RDD job starts in half the time.
"""

from __future__ import annotations

import gc
import os
import pickle
import shutil
import tempfile
import threading
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.engines.spark.coded_rows import Coding, code, forget_removed, open_block
from penjing.engines.spark.parquet_lots import Groups, Lot, batches_of, groups_of
from penjing.engines.spark.planned import Plan, planned
from penjing.engines.spark.spilled import Look, Spill, in_chunks
from penjing.engines.spark.straight import Coded, Straight, root_of, settle
from penjing.errors import DataError

PARTITIONS_PER_CORE = 2
"""Rows that Spark reads are in at most this many partitions for each core."""
SAMPLE = 400_000
"""The quantiles of a column are those of about this many numbers."""
MAX_PARTS_BY_DRIVER = 8
"""The driver sums the counts of at most this many partitions; of more, the workers sum them."""
TRIES = 3
"""How often files that are missing are written again before an error is raised."""
LOST = -1
"""The key of the result of a task that has not found its files."""

_FOLDER_SCHEMA = "part int, folder string, n bigint"
_RESULT_SCHEMA = "part int, n bigint, key int, result binary"

Work = Callable[..., Any]
Result = tuple[int, int, int, bytes]
"""Partition, number of rows, index of this part of the result, and the part, pickled."""
Read = Callable[[Iterator[Any]], Iterator[Any]]


class Jobs:
    """The rows of a DataFrame in files of the workers, and tasks on them.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    names : sequence of str
        The columns; the last is the target.
    are_numbers : sequence of bool
        Which columns are stored as numbers.
    """

    def __init__(
        self,
        frame: Any,  # noqa: ANN401 - a DataFrame
        names: Sequence[str],
        are_numbers: Sequence[bool],
    ) -> None:
        chosen = frame.select(*(f"`{name.replace('`', '``')}`" for name in names))
        self._has_rdds = hasattr(frame.sparkSession, "_jsparkSession")
        self._source = _source(chosen)
        self._are_numbers = list(are_numbers)
        self._forced_plans: dict[int, str] = {}
        self._dropped: list[Any] = []
        self._codings: list[tuple[int, Coding]] = []
        self._lots: list[Coded] = []
        self._straight: Any = None
        self._spilled: Any = None
        self._coded: Any = None
        self._places: Any = None
        self.n_rows = 0
        self.n_parts = 1
        self.n_jobs = 0
        """How many jobs have run on the blocks."""

    def read_rows(self, dropped: Sequence[Any] = ()) -> list[Look]:
        """Write the rows to files; return a summary of each column.

        Rows whose class is in ``dropped`` are left out.
        """
        self._dropped = list(dropped)
        self._unpersist()
        plans = self._plans() if self._has_rdds else None
        looks = self._spill() if plans is None else self._put_straight(plans)
        if looks is None:  # the data did not fit the plan
            return self.read_rows(dropped)
        if not looks:
            return []
        summary = looks[0]
        for other in looks[1:]:
            summary = [a.plus(b) for a, b in zip(summary, other, strict=True)]
        if plans is None:
            return summary
        wrong = [c for c, plan in enumerate(plans) if _is_wrong(plan, summary[c])]
        if wrong:
            self._forced_plans |= dict.fromkeys(wrong, "cells")
            return self.read_rows(dropped)
        for plan, look in zip(plans, summary, strict=True):
            look.cells, look.sample = plan.cells, plan.sample
        return summary

    def _plans(self) -> list[Plan] | None:
        """Return how columns are coded while they are read; None if that is not possible."""
        groups, names = self._source.groups, self._source.names
        if groups is None or not groups.n_rows:
            return None
        return planned(groups, names, self._are_numbers, self._forced_plans)

    def _put_straight(self, plans: Sequence[Plan]) -> list[list[Look]] | None:
        """Code rows of Parquet files as they are read; None if the data do not fit the plans."""
        source = self._source
        assert source.lots is not None
        n = len(source.lots)
        read = partial(batches_of, names=source.names, texts=source.texts)
        short = [
            replace(plan, sample=plan.sample[:0]) for plan in plans
        ]  # only the driver needs the sample
        settings = short, self._dropped, n <= MAX_PARTS_BY_DRIVER
        put = partial(_put_straight, lots=source.lots, read=read, settings=settings)
        straight = source.session.sparkContext.parallelize(range(n), n).map(put).persist()
        self._straight = straight
        rows = sorted(straight.collect())
        lots: list[Coded] = [pickle.loads(row[3]) for row in rows]  # noqa: S301 - our own
        wrong = {c for lot in lots for c in lot.in_vain}
        if wrong:
            self._forced_plans |= dict.fromkeys(wrong, "cells")
            return None
        self.n_rows, self.n_parts = sum(row[2] for row in rows), n
        self._lots = lots
        return [lot.looks for lot in lots]

    def _spill(self) -> list[list[Look]]:
        source = self._source
        settings = (self._are_numbers, self._dropped, max(SAMPLE // source.n, 1_000))
        read = None
        if source.lots is not None:
            read = partial(_read, lots=source.lots, names=source.names, texts=source.texts)
        put = partial(_put, read=read, settings=settings)
        spilled = source.frame.mapInArrow(put, f"{_FOLDER_SCHEMA}, looks binary").persist()
        try:
            rows = spilled.toArrow().to_pylist()
        except BaseException:
            spilled.unpersist()
            raise
        self._spilled = spilled
        self.n_rows = sum(row["n"] for row in rows)
        self.n_parts = max(len(rows), 1)
        return [
            pickle.loads(row["looks"])  # noqa: S301 - our own
            for row in sorted(rows, key=lambda row: int(row["part"]))
        ]

    def code(self, codings: Sequence[tuple[int, Coding]]) -> None:
        """Set how columns are coded; Spark codes them with the first task."""
        self._codings = list(codings)
        if self._straight is not None:
            finish = partial(_finish_block, codings=self._codings)
            self._places = self._straight.map(finish).persist()
            return
        where = self._spilled.select("part", "folder", "n")
        self._coded = where.mapInArrow(
            partial(_code, codings=self._codings), _FOLDER_SCHEMA
        ).persist()
        if self._has_rdds:
            self._places = self._coded.rdd.map(tuple).persist()

    def root_counts(self, n_classes: int) -> list[npt.NDArray[np.int64]] | None:
        """Return the counts of the root by code and class, if they were counted while reading."""
        return root_of(self._lots, self._codings, n_classes) if self._lots else None

    def _unpersist(self) -> None:
        if self._straight is not None:
            self._remove()
        for cached in (self._places, self._coded, self._spilled):
            if cached is not None:
                cached.unpersist()
        self._coded = self._spilled = self._places = None
        self._lots = []

    def close(self) -> None:
        """Remove the files; in the background if rows were coded while they were read."""
        if self._straight is None and self._places is not None:
            self._places.foreach(_remove)
        elif self._spilled is not None:
            where = self._spilled.select("part", "folder", "n")
            where.mapInArrow(_remove_by_frame, "n int").toArrow()
        self._unpersist()

    def _remove(self) -> None:
        """Remove the files of rows coded while they were read, in the background."""
        rdds = [rdd for rdd in (self._places, self._straight) if rdd is not None]
        self._places = self._straight = None
        threading.Thread(target=_remove_all, args=(rdds,), name="penjing-remove").start()

    # -- tasks --------------------------------------------------------------------------------

    def collect(self, work: Work, *arguments: Any) -> list[Any]:  # noqa: ANN401
        """Run a function on each block; return its results by partition."""
        return [result for _, result in self._run(BlockTask(work, arguments, in_parts=False))]

    def sum_arrays(self, work: Work, *arguments: Any) -> list[npt.NDArray[np.int64]]:  # noqa: ANN401
        """Run a function on each block; return the sum of each of the arrays that it returns."""
        sums: dict[int, npt.NDArray[np.int64]] = {}
        for key, part in self._run(BlockTask(work, arguments, in_parts=True)):
            sums[key] = sums[key] + part if key in sums else part.astype(np.int64)
        return [sums[key] for key in range(len(sums))]

    def _run(self, task: BlockTask) -> list[tuple[int, Any]]:
        for _ in range(TRIES):
            self.n_jobs += 1
            results = self._run_by_frame(task) if self._places is None else self._run_by_rdd(task)
            results.sort(key=lambda result: (result[2], result[0]))
            if results and results[0][2] == LOST:
                # Rare: a task has run where its files are not, though the worker with them lives.
                self.read_rows(self._dropped)
                self.code(self._codings)
                continue
            n = sum(result[1] for result in results)
            if n != self.n_rows:
                raise DataError("remote_rows_changed", found=n, expected=self.n_rows)
            return [(key, pickle.loads(result)) for _, _, key, result in results]  # noqa: S301
        raise DataError("spark_blocks_lost", n=TRIES)

    def _run_by_frame(self, task: BlockTask) -> list[Result]:
        results = self._coded.mapInArrow(task.run_on_frame, _RESULT_SCHEMA)
        if task.in_parts and self.n_parts > MAX_PARTS_BY_DRIVER:
            by_key = results.repartition(min(self.n_parts, 64), "key")
            results = by_key.mapInArrow(_sum_results, _RESULT_SCHEMA)
        rows = results.toArrow().to_pylist()
        return [(row["part"], row["n"], row["key"], row["result"]) for row in rows]

    def _run_by_rdd(self, task: BlockTask) -> list[Result]:
        results = self._places.mapPartitions(task.run)
        if task.in_parts and self.n_parts > MAX_PARTS_BY_DRIVER:
            by_key = results.keyBy(itemgetter(2))
            results = by_key.reduceByKey(_add_results, min(self.n_parts, 64)).values()
        return list(results.collect())


def _remove_all(rdds: Sequence[Any]) -> None:
    """Remove the files whose paths the first RDD holds, and uncache all of these RDDs."""
    with suppress(Exception):  # when the session has ended, its folders are removed anyway
        rdds[0].foreach(_remove)
        for rdd in rdds:
            rdd.unpersist()


@dataclass(frozen=True, slots=True)
class BlockTask:
    """A function of a block, its further arguments, and whether it returns arrays to be summed."""

    work: Work
    arguments: tuple[Any, ...]
    in_parts: bool

    def __reduce__(self) -> tuple[Any, ...]:
        """Compress the arguments: most entries of open buckets are empty."""
        packed = zlib.compress(pickle.dumps(self.arguments, 5), 1)
        return _unpack_task, (self.work, packed, self.in_parts)

    def run(self, places: Iterable[tuple[int, str, int]]) -> Iterator[Result]:
        """Yield the results of blocks, given as partition, folder and number of rows."""
        _freeze_loaded_objects()
        for part, folder, n in places:
            try:
                result = self.work(open_block(Path(folder)), *self.arguments)
            except FileNotFoundError:
                yield part, 0, LOST, b""
                continue
            if not self.in_parts:
                yield part, n, 0, pickle.dumps(result, 5)
                continue
            for key, array in enumerate(result):
                yield part, 0 if key else n, key, pickle.dumps(_narrow(array), 5)

    def run_on_frame(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield the results of blocks as rows of a DataFrame."""
        places = ((row["part"], row["folder"], row["n"]) for row in _rows(batches))
        for part, n, key, result in self.run(places):
            yield _row(part=part, n=n, key=key, result=result)


@cache
def _freeze_loaded_objects() -> None:
    """Exclude loaded objects from garbage collection, which a worker runs after each task.

    The collection can take longer than the task itself (25 ms here).
    """
    gc.freeze()


def _unpack_task(work: Work, packed: bytes, in_parts: bool) -> BlockTask:  # noqa: FBT001
    return BlockTask(work, pickle.loads(zlib.decompress(packed)), in_parts)  # noqa: S301 - our own


def _narrow(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return counts in one or two bytes each if they fit: sending them takes most of the time."""
    most = array.max(initial=0)
    if most >= 1 << 16:
        return array
    return array.astype(np.uint8 if most < 1 << 8 else np.uint16)


@dataclass(frozen=True, slots=True)
class Source:
    """A frame of rows in about ``n`` partitions; with the Parquet files, if it reads such files."""

    session: Any
    frame: Any
    n: int
    names: list[str]
    groups: Groups | None = None
    lots: list[Lot] | None = None

    @property
    def texts(self) -> list[str]:
        """The text columns."""
        return [] if self.groups is None else self.groups.texts


def _source(frame: Any) -> Source:  # noqa: ANN401 - a DataFrame
    """Return the source of a frame: a few partitions for each core; no row is moved."""
    session, names = frame.sparkSession, list(frame.columns)
    plain = frame.toDF(
        *(f"c{i}" for i in range(len(names)))
    )  # some methods interpret a dot in a name
    if not hasattr(session, "_jsparkSession"):  # Spark Connect gives neither cores nor query plans
        return Source(session, plain, 32, names)
    n_cores = max(session.sparkContext.defaultParallelism, 1)
    groups = groups_of(frame, dict(frame.dtypes))
    if groups is not None:
        lots = groups.lots(n_cores)
        tasks = session.range(0, len(lots), 1, len(lots))
        return Source(session, tasks, len(lots), names, groups, lots)
    n, most = frame._jdf.queryExecution().toRdd().getNumPartitions(), PARTITIONS_PER_CORE * n_cores  # noqa: SLF001
    return Source(session, plain.coalesce(most) if n > most else plain, max(min(n, most), 1), names)


def _is_wrong(plan: Plan, look: Look) -> bool:
    """Return whether a column planned as a list of few numbers turned out to have many."""
    return plan.how in ("whole", "listed") and look.counts is None


# -- what runs on the workers -----------------------------------------------------------------


def _read(
    batches: Iterator[Any], lots: Sequence[Lot], names: Sequence[str], texts: Sequence[str]
) -> Iterator[Any]:
    """Yield the rows of the lots whose ids are in these batches."""
    for row in _rows(batches):
        yield from batches_of(lots[row["id"]], names, texts)


def _put(
    batches: Iterator[Any], read: Read | None, settings: tuple[Sequence[bool], Sequence[Any], int]
) -> Iterator[Any]:
    """Write the rows of a partition to files."""
    from pyspark import TaskContext  # noqa: PLC0415 - heavy

    are_numbers, dropped, n_sample = settings
    context = TaskContext.get()
    part = 0 if context is None else context.partitionId()
    folder = _folder(part)
    spill = Spill(folder, are_numbers, len(are_numbers) - 1, n_sample)
    for chunk in in_chunks(batches if read is None else read(batches)):
        spill.add(chunk, dropped)
    looks = pickle.dumps(spill.close(), 5)
    yield _row(part=part, folder=str(folder), n=spill.n_rows, looks=looks)


def _folder(part: int) -> Path:
    """Create a folder for a partition, in Spark's local directory."""
    local_dir = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or tempfile.gettempdir()
    folder = Path(local_dir, f"penjing-{part}-{uuid.uuid4().hex}")
    folder.mkdir(parents=True)
    return folder


def _put_straight(
    part: int,
    lots: Sequence[Lot],
    read: Callable[[Lot], Iterator[Any]],
    settings: tuple[Sequence[Plan], Sequence[Any], bool],
) -> tuple[int, str, int, bytes]:
    """Code the rows of a lot."""
    plans, dropped, with_root = settings
    folder = _folder(part)
    straight = Straight(folder, plans, with_root=with_root)
    for batch in read(lots[part]):
        if not straight.add(batch, dropped):
            break
    coded = pickle.dumps(straight.close(), 5)
    return part, str(folder), straight.n_rows, coded


def _finish_block(
    row: tuple[int, str, int, bytes], codings: Sequence[tuple[int, Coding]]
) -> tuple[int, str, int]:
    """Make a block of the coded files."""
    part, folder, n, _ = row
    if Path(folder).exists():
        settle(Path(folder), n, codings)
    return part, folder, n


def _code(batches: Iterator[Any], codings: Sequence[tuple[int, Coding]]) -> Iterator[Any]:
    """Code the files of a partition."""
    for row in _rows(batches):
        if Path(row["folder"]).exists():
            code(Path(row["folder"]), row["n"], codings)
        yield _row(part=row["part"], folder=row["folder"], n=row["n"])


def _add_results(one: Result, other: Result) -> Result:
    """Return the sum of two results of the same key."""
    part, n, key, array = one
    if key == LOST:
        return one
    total = pickle.loads(array).astype(np.int64) + pickle.loads(other[3])  # noqa: S301 - our own
    return part, n + other[1], key, pickle.dumps(total, 5)


def _sum_results(batches: Iterator[Any]) -> Iterator[Any]:
    sums: dict[int, Result] = {}
    for row in _rows(batches):
        result = row["part"], row["n"], row["key"], row["result"]
        key = row["key"]
        sums[key] = _add_results(sums[key], result) if key in sums else result
    for part, n, key, array in sums.values():
        yield _row(part=part, n=n, key=key, result=array)


def _remove(place: tuple[Any, ...]) -> None:
    shutil.rmtree(place[1], ignore_errors=True)
    forget_removed()


def _remove_by_frame(batches: Iterator[Any]) -> Iterator[Any]:
    for row in _rows(batches):
        shutil.rmtree(row["folder"], ignore_errors=True)
        yield _arrow().record_batch([_arrow().array([0], _arrow().int32())], ["n"])


def _rows(batches: Iterator[Any]) -> Iterator[dict[str, Any]]:
    for batch in batches:
        yield from batch.to_pylist()


def _row(**cells: Any) -> Any:  # noqa: ANN401 - a batch of one row
    pa = _arrow()
    kinds = {"part": pa.int32(), "folder": pa.string(), "n": pa.int64(), "looks": pa.binary(),
             "key": pa.int32(), "result": pa.binary()}  # fmt: skip
    arrays = [pa.array([value], kinds[name]) for name, value in cells.items()]
    return pa.record_batch(arrays, list(cells))


def _arrow() -> Any:  # noqa: ANN401 - the module
    import pyarrow as pa  # noqa: PLC0415 - on the workers

    return pa
