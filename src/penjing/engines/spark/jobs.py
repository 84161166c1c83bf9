"""Jobs on a Spark cluster: rows are put into files where they are, then questions go to them all.

A frame of one row for each partition says where the files are. Spark keeps it, runs tasks where it
keeps it, and makes it again (and the files with it) from the rows if a worker is lost. Everything
can be done by ``DataFrame.mapInArrow``, so that a session of Spark Connect will do; where there
are RDDs questions go by them, since a job of theirs starts in half the time.
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

from penjing.engines.spark.coded_rows import Coding, code, forget_lost, opened
from penjing.engines.spark.parquet_lots import Groups, Lot, batches_of, groups_of
from penjing.engines.spark.planned import Plan, planned
from penjing.engines.spark.spilled import Look, Spill, in_chunks
from penjing.engines.spark.straight import Coded, Straight, root_of, settle
from penjing.errors import DataError

EACH = 2
"""A core is given so many partitions at most where rows come from Spark."""
SAMPLE = 400_000
"""About so many numbers of a column are looked at to find its quantiles."""
BY_DRIVER = 8
"""Sums of more partitions than this are added up by the workers, each column by one of them."""
TRIES = 3
"""So often rows are put into files anew where those are not to be found."""
LOST = -1

_WHERE = "part int, folder string, n bigint"
_TOLD = "part int, n bigint, key int, told binary"

Work = Callable[..., Any]
Answer = tuple[int, int, int, bytes]
"""Partition, rows, which part of the answer, and the answer."""
Read = Callable[[Iterator[Any]], Iterator[Any]]


class Jobs:
    """The rows of a DataFrame in files of the workers, and questions to them.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    names : sequence of str
        The columns; the last is the target.
    are_numbers : sequence of bool
        Which are kept as numbers.
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
        self._wishes: dict[int, str] = {}
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
        """How many questions have gone to the blocks."""

    def look(self, dropped: Sequence[Any] = ()) -> list[Look]:
        """Put the rows into files; return what each column shows.

        Rows whose class is one of the dropped are left out.
        """
        self._dropped = list(dropped)
        self._forget()
        plans = self._plans() if self._has_rdds else None
        looks = self._spill() if plans is None else self._put_straight(plans)
        if looks is None:  # the plan was in vain
            return self.look(dropped)
        if not looks:
            return []
        whole = looks[0]
        for other in looks[1:]:
            whole = [a.plus(b) for a, b in zip(whole, other, strict=True)]
        if plans is None:
            return whole
        wrong = [c for c, plan in enumerate(plans) if _is_wrong(plan, whole[c])]
        if wrong:
            self._wishes |= dict.fromkeys(wrong, "cells")
            return self.look(dropped)
        for plan, look in zip(plans, whole, strict=True):
            look.cells, look.sample = plan.cells, plan.sample
        return whole

    def _plans(self) -> list[Plan] | None:
        """Return how columns are coded while they are read; None where that cannot be known."""
        groups, names = self._source.groups, self._source.names
        if groups is None or not groups.n_rows:
            return None
        return planned(groups, names, self._are_numbers, self._wishes)

    def _put_straight(self, plans: Sequence[Plan]) -> list[list[Look]] | None:
        """Code rows of files as they are read; None if that did not work out."""
        source = self._source
        assert source.lots is not None
        n = len(source.lots)
        read = partial(batches_of, names=source.names, texts=source.texts)
        short = [replace(plan, sample=plan.sample[:0]) for plan in plans]  # the driver needs it
        how = short, self._dropped, n <= BY_DRIVER
        put = partial(_put_straight, lots=source.lots, read=read, how=how)
        straight = source.session.sparkContext.parallelize(range(n), n).map(put).persist()
        self._straight = straight
        told = sorted(straight.collect())
        lots: list[Coded] = [pickle.loads(row[3]) for row in told]  # noqa: S301 - our own
        wrong = {c for lot in lots for c in lot.in_vain}
        if wrong:
            self._wishes |= dict.fromkeys(wrong, "cells")
            return None
        self.n_rows, self.n_parts = sum(row[2] for row in told), n
        self._lots = lots
        return [lot.looks for lot in lots]

    def _spill(self) -> list[list[Look]]:
        source = self._source
        how = (self._are_numbers, self._dropped, max(SAMPLE // source.n, 1_000))
        read = None
        if source.lots is not None:
            read = partial(_read, lots=source.lots, names=source.names, texts=source.texts)
        put = partial(_put, read=read, how=how)
        spilled = source.frame.mapInArrow(put, f"{_WHERE}, looks binary").persist()
        try:
            told = spilled.toArrow().to_pylist()
        except BaseException:
            spilled.unpersist()
            raise
        self._spilled = spilled
        self.n_rows = sum(row["n"] for row in told)
        self.n_parts = max(len(told), 1)
        return [
            pickle.loads(row["looks"])  # noqa: S301 - our own
            for row in sorted(told, key=lambda row: int(row["part"]))
        ]

    def code(self, codings: Sequence[tuple[int, Coding]]) -> None:
        """Say how columns are coded; that is done with the first question."""
        self._codings = list(codings)
        if self._straight is not None:
            settled = partial(_settled, codings=self._codings)
            self._places = self._straight.map(settled).persist()
            return
        where = self._spilled.select("part", "folder", "n")
        self._coded = where.mapInArrow(partial(_code, codings=self._codings), _WHERE).persist()
        if self._has_rdds:
            self._places = self._coded.rdd.map(tuple).persist()

    def root(self, n_classes: int) -> list[npt.NDArray[np.int64]] | None:
        """Return how many rows have each code and class, where that was counted on the way."""
        return root_of(self._lots, self._codings, n_classes) if self._lots else None

    def _forget(self) -> None:
        if self._straight is not None:
            self._remove()
        for kept in (self._places, self._coded, self._spilled):
            if kept is not None:
                kept.unpersist()
        self._coded = self._spilled = self._places = None
        self._lots = []

    def close(self) -> None:
        """Remove the files; where rows were coded straight from files nobody waits for that."""
        if self._straight is None and self._places is not None:
            self._places.foreach(_remove)
        elif self._spilled is not None:
            where = self._spilled.select("part", "folder", "n")
            where.mapInArrow(_removed, "n int").toArrow()
        self._forget()

    def _remove(self) -> None:
        """Remove the files of what was coded straight, meanwhile."""
        kept = [rdd for rdd in (self._places, self._straight) if rdd is not None]
        self._places = self._straight = None
        threading.Thread(target=_remove_all, args=(kept,), name="penjing-remove").start()

    # -- questions --------------------------------------------------------------------------

    def ask(self, work: Work, *said: Any) -> list[Any]:  # noqa: ANN401
        """Return what each block answers, by partition."""
        return [answer for _, answer in self._asked(Question(work, said, in_parts=False))]

    def add(self, work: Work, *said: Any) -> list[npt.NDArray[np.int64]]:  # noqa: ANN401
        """Return the sums of what all blocks answer: of arrays, each by its place."""
        found: dict[int, npt.NDArray[np.int64]] = {}
        for key, part in self._asked(Question(work, said, in_parts=True)):
            found[key] = found[key] + part if key in found else part.astype(np.int64)
        return [found[key] for key in range(len(found))]

    def _asked(self, question: Question) -> list[tuple[int, Any]]:
        for _ in range(TRIES):
            self.n_jobs += 1
            by_frame = self._places is None
            told = self._by_frame(question) if by_frame else self._by_rdd(question)
            told.sort(key=lambda answer: (answer[2], answer[0]))
            if told and told[0][2] == LOST:
                # A task ran where its files are not, though the worker that has them lives: rare.
                self.look(self._dropped)
                self.code(self._codings)
                continue
            n = sum(answer[1] for answer in told)
            if n != self.n_rows:
                raise DataError("remote_rows_changed", found=n, expected=self.n_rows)
            return [(key, pickle.loads(answer)) for _, _, key, answer in told]  # noqa: S301
        raise DataError("spark_blocks_lost", n=TRIES)

    def _by_frame(self, question: Question) -> list[Answer]:
        told = self._coded.mapInArrow(question.of_frame, _TOLD)
        if question.in_parts and self.n_parts > BY_DRIVER:
            told = told.repartition(min(self.n_parts, 64), "key").mapInArrow(_added, _TOLD)
        rows = told.toArrow().to_pylist()
        return [(row["part"], row["n"], row["key"], row["told"]) for row in rows]

    def _by_rdd(self, question: Question) -> list[Answer]:
        told = self._places.mapPartitions(question.of_places)
        if question.in_parts and self.n_parts > BY_DRIVER:
            by_key = told.keyBy(itemgetter(2))
            told = by_key.reduceByKey(_both, min(self.n_parts, 64)).values()
        return list(told.collect())


def _remove_all(kept: Sequence[Any]) -> None:
    """Remove the files that the first of some RDDs tells of; they are not needed any more."""
    with suppress(Exception):  # a session that ends takes its folders with it
        kept[0].foreach(_remove)
        for rdd in kept:
            rdd.unpersist()


@dataclass(frozen=True, slots=True)
class Question:
    """Work on a block, what is said to it, and whether the answer is arrays to be added up."""

    work: Work
    said: tuple[Any, ...]
    in_parts: bool

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to the workers as few bytes: most places of open buckets are empty."""
        return _unpacked, (self.work, zlib.compress(pickle.dumps(self.said, 5), 1), self.in_parts)

    def of_places(self, places: Iterable[tuple[int, str, int]]) -> Iterator[Answer]:
        """Yield what blocks answer."""
        _settle_down()
        for part, folder, n in places:
            try:
                found = self.work(opened(Path(folder)), *self.said)
            except FileNotFoundError:
                yield part, 0, LOST, b""
                continue
            if not self.in_parts:
                yield part, n, 0, pickle.dumps(found, 5)
                continue
            for key, array in enumerate(found):
                yield part, 0 if key else n, key, pickle.dumps(_narrow(array), 5)

    def of_frame(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield what blocks answer, as rows of a DataFrame."""
        places = ((row["part"], row["folder"], row["n"]) for row in _rows(batches))
        for part, n, key, told in self.of_places(places):
            yield _row(part=part, n=n, key=key, told=told)


@cache
def _settle_down() -> None:
    """Let a worker's Python overlook what is loaded: it looks for garbage after each task.

    That takes longer than to answer many a question (25 ms here).
    """
    gc.freeze()


def _unpacked(work: Work, said: bytes, in_parts: bool) -> Question:  # noqa: FBT001
    return Question(work, pickle.loads(zlib.decompress(said)), in_parts)  # noqa: S301 - our own


def _narrow(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return counts in a byte or two each where they fit: they are on the way for long."""
    most = array.max(initial=0)
    if most >= 1 << 16:
        return array
    return array.astype(np.uint8 if most < 1 << 8 else np.uint16)


@dataclass(frozen=True, slots=True)
class Source:
    """Who hands out rows, in about how many partitions; and the files, where there are some."""

    session: Any
    frame: Any
    n: int
    names: list[str]
    groups: Groups | None = None
    lots: list[Lot] | None = None

    @property
    def texts(self) -> list[str]:
        """The columns of texts."""
        return [] if self.groups is None else self.groups.texts


def _source(frame: Any) -> Source:  # noqa: ANN401 - a DataFrame
    """Return who hands out rows: a few partitions for each core; no row is moved."""
    session, names = frame.sparkSession, list(frame.columns)
    plain = frame.toDF(*(f"c{i}" for i in range(len(names))))  # in some of its calls a dot divides
    if not hasattr(session, "_jsparkSession"):  # Spark Connect tells neither cores nor plans
        return Source(session, plain, 32, names)
    n_cores = max(session.sparkContext.defaultParallelism, 1)
    groups = groups_of(frame, dict(frame.dtypes))
    if groups is not None:
        lots = groups.lots(n_cores)
        tasks = session.range(0, len(lots), 1, len(lots))
        return Source(session, tasks, len(lots), names, groups, lots)
    n, most = frame._jdf.queryExecution().toRdd().getNumPartitions(), EACH * n_cores  # noqa: SLF001
    return Source(session, plain.coalesce(most) if n > most else plain, max(min(n, most), 1), names)


def _is_wrong(plan: Plan, look: Look) -> bool:
    """Say whether a list of numbers turned out to be longer than lists are."""
    return plan.how in ("whole", "listed") and look.counts is None


# -- what runs on the workers ---------------------------------------------------------------


def _read(
    batches: Iterator[Any], lots: Sequence[Lot], names: Sequence[str], texts: Sequence[str]
) -> Iterator[Any]:
    """Yield the rows of the lots that these tasks are to read."""
    for row in _rows(batches):
        yield from batches_of(lots[row["id"]], names, texts)


def _put(
    batches: Iterator[Any], read: Read | None, how: tuple[Sequence[bool], Sequence[Any], int]
) -> Iterator[Any]:
    """Write the rows of a partition to files."""
    from pyspark import TaskContext  # noqa: PLC0415 - heavy

    are_numbers, dropped, n_sample = how
    context = TaskContext.get()
    part = 0 if context is None else context.partitionId()
    folder = _folder(part)
    spill = Spill(folder, are_numbers, len(are_numbers) - 1, n_sample)
    for chunk in in_chunks(batches if read is None else read(batches)):
        spill.add(chunk, dropped)
    looks = pickle.dumps(spill.close(), 5)
    yield _row(part=part, folder=str(folder), n=spill.n_rows, looks=looks)


def _folder(part: int) -> Path:
    """Make a folder for a partition, where Spark keeps such things."""
    above = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or tempfile.gettempdir()
    folder = Path(above, f"penjing-{part}-{uuid.uuid4().hex}")
    folder.mkdir(parents=True)
    return folder


def _put_straight(
    part: int,
    lots: Sequence[Lot],
    read: Callable[[Lot], Iterator[Any]],
    how: tuple[Sequence[Plan], Sequence[Any], bool],
) -> tuple[int, str, int, bytes]:
    """Code the rows of a lot."""
    plans, dropped, with_root = how
    folder = _folder(part)
    straight = Straight(folder, plans, with_root=with_root)
    for batch in read(lots[part]):
        if not straight.add(batch, dropped):
            break
    told = pickle.dumps(straight.close(), 5)
    return part, str(folder), straight.n_rows, told


def _settled(
    row: tuple[int, str, int, bytes], codings: Sequence[tuple[int, Coding]]
) -> tuple[int, str, int]:
    """Make a block of what was coded."""
    part, folder, n, _ = row
    if Path(folder).exists():
        settle(Path(folder), n, codings)
    return part, folder, n


def _code(batches: Iterator[Any], codings: Sequence[tuple[int, Coding]]) -> Iterator[Any]:
    """Code what was written."""
    for row in _rows(batches):
        if Path(row["folder"]).exists():
            code(Path(row["folder"]), row["n"], codings)
        yield _row(part=row["part"], folder=row["folder"], n=row["n"])


def _both(one: Answer, other: Answer) -> Answer:
    """Add up two answers of the same key."""
    part, n, key, told = one
    if key == LOST:
        return one
    whole = pickle.loads(told).astype(np.int64) + pickle.loads(other[3])  # noqa: S301 - our own
    return part, n + other[1], key, pickle.dumps(whole, 5)


def _added(batches: Iterator[Any]) -> Iterator[Any]:
    found: dict[int, Answer] = {}
    for row in _rows(batches):
        answer = row["part"], row["n"], row["key"], row["told"]
        key = row["key"]
        found[key] = _both(found[key], answer) if key in found else answer
    for part, n, key, told in found.values():
        yield _row(part=part, n=n, key=key, told=told)


def _remove(place: tuple[Any, ...]) -> None:
    shutil.rmtree(place[1], ignore_errors=True)
    forget_lost()


def _removed(batches: Iterator[Any]) -> Iterator[Any]:
    for row in _rows(batches):
        shutil.rmtree(row["folder"], ignore_errors=True)
        yield _arrow().record_batch([_arrow().array([0], _arrow().int32())], ["n"])


def _rows(batches: Iterator[Any]) -> Iterator[dict[str, Any]]:
    for batch in batches:
        yield from batch.to_pylist()


def _row(**cells: Any) -> Any:  # noqa: ANN401 - a batch of one row
    pa = _arrow()
    kinds = {"part": pa.int32(), "folder": pa.string(), "n": pa.int64(), "looks": pa.binary(),
             "key": pa.int32(), "told": pa.binary()}  # fmt: skip
    arrays = [pa.array([value], kinds[name]) for name, value in cells.items()]
    return pa.record_batch(arrays, list(cells))


def _arrow() -> Any:  # noqa: ANN401 - the module
    import pyarrow as pa  # noqa: PLC0415 - on the workers

    return pa
