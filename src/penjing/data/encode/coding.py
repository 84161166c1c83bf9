"""Encode the row groups of a source in one pass, several groups at a time.

After each group, a journal gets one line with its new texts, counts and first rows. After an
interruption, the next run reads the journal and encodes only the groups without a line.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import encode_by_offset, encode_by_table
from penjing.data.encode.coded_column import NEVER, WIDTHS, Coded
from penjing.data.encode.coding_plan import as_floats, from_plain, plan, to_plain
from penjing.data.encode.groups import AHEAD, Group, Groups, arrow
from penjing.data.memory_limit import n_threads
from penjing.data.read.arrow_kinds import arrow_numbers as numbers_of
from penjing.data.read.arrow_kinds import arrow_texts as texts_of
from penjing.data.read.files import bad_parquet_error
from penjing.data.scratch import allocate_file, convert_disk_full
from penjing.errors import DataError
from penjing.progress import Progress, ProgressCallback

MOST_TEXTS, WIDEST = 5_000_000, 4
"""The texts of a column are held in memory, up to so many; codes have up to so many bytes."""
AT_A_TIME = 1 << 17
"""Row groups are read in pieces of so many rows, which stay in the processor's cache."""
PLAN, LIST = "plan.json", "done.jsonl"


class Again(Exception):  # noqa: N818 - no error: the pass begins again, with another plan
    """A column turned out to be other than the sample said."""

    def __init__(self, name: str, how: str) -> None:
        super().__init__(name)
        self.name, self.how = name, how


def coded_groups(
    groups: Groups,
    target: str | None,
    threads: int | None,
    progress: ProgressCallback | None,
    wishes: dict[str, str],
) -> list[Coded]:
    """Code all columns of a source, going on where an earlier run was interrupted.

    ``wishes`` say how columns must be kept; what turns out on the way is added to them.
    """
    n = n_threads(threads or None)
    while True:
        try:
            with convert_disk_full(groups.space.folder):
                run = _Run(groups, target, wishes, max(1, min(n, len(groups.groups))))
                run.code(progress)
        except Again as again:
            wishes[again.name] = again.how
            forget(groups)
            continue
        released()
        return run.columns


def forget(groups: Groups) -> None:
    """Forget what was planned and done."""
    for name in (PLAN, LIST):
        (groups.space.folder / name).unlink(missing_ok=True)


def released() -> None:
    """Give back what Arrow keeps for later: the growth needs it."""
    import pyarrow as pa  # noqa: PLC0415

    pa.default_memory_pool().release_unused()


class _Run:
    def __init__(
        self, groups: Groups, target: str | None, wishes: dict[str, str], n_threads: int
    ) -> None:
        self._n_threads = n_threads
        self._groups, self._lock, self._stop = groups, threading.Lock(), False
        self._folder = groups.space.folder
        self._local = threading.local()
        kept = self._folder / PLAN
        if kept.exists():
            self.columns = from_plain(json.loads(kept.read_text("utf-8")))
        else:
            self.columns = plan(groups, target, wishes, n_threads)
            part = kept.with_suffix(".part")
            part.write_text(json.dumps([to_plain(c) for c in self.columns]), "utf-8")
            part.replace(kept)
        for i, column in enumerate(self.columns):
            column.folder, column.place, column.n_rows = self._folder, i, groups.n_rows
        self._told = {c.name: 0 for c in self.columns}

    def code(self, progress: ProgressCallback | None) -> None:
        """Code what is not coded yet."""
        done = self._done()
        waiting = [g for i, g in enumerate(self._groups.groups) if i not in done]
        for column in self.columns:
            for path, kind in column.files().values():
                allocate_file(path, self._groups.n_rows * np.dtype(kind).itemsize)
        n_read = self._groups.n_rows - sum(g.n_rows for g in waiting)
        with self._opened(), ThreadPoolExecutor(self._n_threads) as pool:
            futures: dict[Future[None], Group] = {pool.submit(self._group, g): g for g in waiting}
            try:
                left = set(futures)
                while left:
                    ended, left = wait(left, timeout=0.2, return_when=FIRST_COMPLETED)
                    for future in ended:
                        future.result()
                        n_read += futures[future].n_rows
                        if progress is not None:
                            progress(Progress(n_read, 0, self._groups.n_rows, 1, is_reading=True))
            except BaseException:
                self._stop = True
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        for column in self.columns:
            column.texts = dict(column.texts)

    @contextmanager
    def _opened(self) -> Iterator[None]:
        self._files = {
            path: os.open(path, os.O_WRONLY) for c in self.columns for path, _ in c.files().values()
        }
        self._list = (self._folder / LIST).open("a", encoding="utf-8")
        try:
            yield
        finally:
            for file in self._files.values():
                os.close(file)
            self._list.close()

    def _done(self) -> set[int]:
        """Read the list of what is done; a line that was cut short does not count."""
        path = self._folder / LIST
        found: set[int] = set()
        if not path.exists():
            return found
        whole = path.read_bytes()
        whole = whole[: whole.rfind(b"\n") + 1]
        path.write_bytes(whole)
        by_name = {c.name: c for c in self.columns}
        for line in whole.decode().splitlines():
            told = json.loads(line)
            found.add(told["group"])
            for name, brought in told["columns"].items():
                column = by_name[name]
                for text in brought.get("texts", ()):
                    column.texts[text] = len(column.texts) + 1
                column.extended(len(column.texts) + 1 if column.how == "texts" else 1)
                column.n_missing += brought.get("missing", 0)
                codes = np.array(brought.get("codes", ()), np.intp)
                if codes.size:
                    column.extended(int(codes.max()) + 1)
                column.counts[codes] += np.array(brought.get("counts", ()), np.int64)
                first = np.array(brought.get("first", ()), np.int64)
                column.first[codes] = np.minimum(column.first[codes], first)
                self._told[name] = len(column.texts)
        return found

    def _group(self, group: Group) -> None:
        """Code one row group."""
        brought: dict[str, dict[str, Any]] = {c.name: {} for c in self.columns}
        at = group.start
        for batch in self._batches(group):
            for column in self.columns:
                if self._stop:
                    return
                self._column(column, batch.column(column.name), at, brought[column.name])
            at += batch.num_rows
        self._listed(group, brought)

    def _batches(self, group: Group) -> Iterator[Any]:
        texts = [c.name for c in self.columns if c.how == "texts" and c.kind == "text"]
        opened = getattr(self._local, "opened", None)
        if opened is None or opened[0] != group.path:
            file = arrow().ParquetFile(group.path, read_dictionary=texts, **AHEAD)
            self._local.opened = opened = group.path, file
        names = [c.name for c in self.columns]
        try:
            yield from opened[1].iter_batches(
                AT_A_TIME, row_groups=[group.index], columns=names, use_threads=False
            )
        except OSError as error:
            if error.errno is not None:  # the system's, not Arrow's
                raise
            raise bad_parquet_error(group.path) from None

    def _column(self, column: Coded, array: Any, at: int, brought: dict[str, Any]) -> None:  # noqa: ANN401
        chunks = array.chunks if hasattr(array, "chunks") else [array]
        for chunk in chunks:
            if column.is_binned:
                self._numbers(column, chunk, at, brought)
            elif column.how != "id":
                self._codes(column, chunk, at, brought)
            at += len(chunk)

    def _numbers(self, column: Coded, chunk: Any, at: int, brought: dict[str, Any]) -> None:  # noqa: ANN401
        numbers = np.ascontiguousarray(as_floats(numbers_of(chunk)))
        n = len(numbers)
        high = np.empty(n, np.uint8)
        n_missing, is_infinite, has_minus_zero = column.coder().buckets(numbers, high)
        if is_infinite:
            row = int(np.isinf(numbers).argmax())
            found = at + row, float(numbers[row])
            column.infinite = min(column.infinite or found, found)  # refused when it is judged
        brought["missing"] = brought.get("missing", 0) + n_missing
        raw = numbers + 0.0 if has_minus_zero else numbers  # no number is -0.0
        for name, array in (("high", high), ("raw", raw)):
            self._write(column, name, array, at)

    def _codes(self, column: Coded, chunk: Any, at: int, brought: dict[str, Any]) -> None:  # noqa: ANN401
        codes = np.empty(len(chunk), WIDTHS[column.width])
        if column.how == "whole":
            counts, first = np.zeros(column.n_codes, np.int64), np.full(column.n_codes, NEVER)
            chunk = numbers_of(chunk)
            gaps = chunk.is_null().to_numpy(zero_copy_only=False) if chunk.null_count else None
            filled = chunk.fill_null(column.low) if chunk.null_count else chunk
            whole = np.ascontiguousarray(filled.to_numpy(zero_copy_only=False))
            if whole.dtype.kind == "f" and np.isnan(whole).any():
                gaps = np.isnan(whole) if gaps is None else gaps | np.isnan(whole)
                whole = np.where(gaps, whole.dtype.type(column.low), whole)
            if whole.dtype.kind == "f" and (whole != np.floor(whole)).any():
                raise Again(column.name, "binned")
            absent = None if gaps is None else gaps.astype(np.uint8)
            low = column.low
            if column.listed:
                whole, low = np.searchsorted(np.array(column.listed, whole.dtype), whole), 0
            whole = whole.astype(np.int64, copy=False)
            if not encode_by_offset(whole, absent, low, at, codes, counts, first):
                raise Again(column.name, "binned")
        else:
            lut, indices = self._looked_up(column, chunk)
            if column.width == WIDEST:  # a count for each code would be more than the rows
                np.take(lut, indices, out=codes)
                seen, row, counts = np.unique(codes, return_index=True, return_counts=True)
                self._add(brought, seen.astype(np.intp), counts, row + at)
                self._write(column, "codes", codes, at)
                return
            n_codes = int(lut.max()) + 1
            counts, first = np.zeros(n_codes, np.int64), np.full(n_codes, NEVER)
            encode_by_table(indices, lut, at, codes, counts, first)
        seen = np.flatnonzero(counts)
        self._add(brought, seen, counts[seen], first[seen])
        self._write(column, "codes", codes, at)

    @staticmethod
    def _add(brought: dict[str, Any], *part: npt.NDArray[Any]) -> None:
        """Remember how often some codes occur, and in which rows first."""
        brought.setdefault("parts", []).append(part)

    def _looked_up(self, column: Coded, chunk: Any) -> Any:  # noqa: ANN401
        """Return the code of each entry of a chunk's dictionary, and the rows' entries."""
        chunk = texts_of(chunk)
        indices = chunk.indices
        if indices.null_count:
            indices = indices.fill_null(len(chunk.dictionary))
        rows = np.ascontiguousarray(indices.to_numpy(zero_copy_only=False), np.int32)
        before = self._local.__dict__.setdefault("tables", {})
        last = before.get(column.name)
        if last is not None and last[0].equals(chunk.dictionary):
            return last[1], rows
        words = chunk.dictionary.to_pylist()
        with self._lock:
            known = column.texts
            for word in words:
                if word is not None and word not in known:
                    known[word] = len(known) + 1
            if len(known) > MOST_TEXTS:
                said = {"source": self._groups.name, "column": column.name, "n": MOST_TEXTS}
                raise DataError("too_many_texts", **said)
            if len(known) >= 1 << (8 * column.width):
                raise Again(column.name, "wide" if column.width == 1 else "widest")
            kind = np.uint32 if column.width == WIDEST else np.uint16
            lut = np.array([0 if w is None else known[w] for w in words] + [0], kind)
        before[column.name] = chunk.dictionary, lut
        return lut, rows

    def _write(self, column: Coded, name: str, array: npt.NDArray[Any], at: int) -> None:
        path, kind = column.files()[name]
        view = memoryview(array.view(np.uint8))  # type: ignore[arg-type]
        offset = at * np.dtype(kind).itemsize
        while view:
            n = os.pwrite(self._files[path], view, offset)
            view, offset = view[n:], offset + n

    def _listed(self, group: Group, brought: dict[str, dict[str, Any]]) -> None:
        """Add what a group brought, and its line to the list."""
        told: dict[str, Any] = {}
        with self._lock:
            for column in self.columns:
                mine = brought[column.name]
                line: dict[str, Any] = {}
                if mine.get("missing"):
                    line["missing"] = mine["missing"]
                    column.n_missing += mine["missing"]
                if column.how == "texts":
                    words = list(column.texts)
                    line["texts"] = words[self._told[column.name] :]
                    self._told[column.name] = len(words)
                    column.extended(len(words) + 1)
                for codes, counts, first in mine.get("parts", ()):
                    column.extended(int(codes.max(initial=0)) + 1)
                    column.counts[codes] += counts
                    column.first[codes] = np.minimum(column.first[codes], first)
                    for key, values in (("codes", codes), ("counts", counts), ("first", first)):
                        line.setdefault(key, []).extend(values.tolist())
                told[column.name] = line
            place = self._groups.groups.index(group)
            self._list.write(json.dumps({"group": place, "columns": told}) + "\n")
            self._list.flush()
