"""One pass over the row groups of a source: every column to codes, several groups at a time.

After each group a line is added to a list, with what the group brought: new texts, counts, first
rows. A run that was interrupted reads the list, and codes the groups that have no line.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import Quantiles, code_indices, code_wholes
from penjing.errors import DataError
from penjing.progress import Progress, Watcher
from penjing.read.assemble import CLASS_NAMES
from penjing.read.groups import Group, Groups, arrow
from penjing.read.ids import COUNTED, is_id_name
from penjing.stored import Binned, Cells, Exact, cells_of
from penjing.table import Codes, Column
from penjing.workspace import reserve, told_full

SAMPLED_GROUPS, SAMPLED_ROWS = 64, 20_000
"""The edges of cells come from so many rows of each of so many groups."""
FEW_TEXTS = 200
"""Up to so many texts in the sample fit one byte, with room for those not yet seen."""
MOST_TEXTS = 65_534
WIDE, FEW_WHOLE = 65_534, 4_096
"""Whole numbers of a smaller range, and not more different ones in the sample, are exact codes."""
FEW_CLASSES = 20
AT_A_TIME = 1 << 17
"""Row groups are read in pieces of so many rows, which stay in the processor's cache."""
RUNS = 0.99
"""In the sample of a column that counts its rows, so many follow on the one before."""
PLAN, LIST = "plan.json", "done.jsonl"
NEVER = np.iinfo(np.int64).max


class Again(Exception):  # noqa: N818 - no error: the pass begins again, with another plan
    """A column turned out to be other than the sample said."""

    def __init__(self, name: str, how: str) -> None:
        super().__init__(name)
        self.name, self.how = name, how


@dataclass(slots=True)
class Coded:
    """A column while it is being coded.

    Parameters
    ----------
    name : str
        The column's name.
    how : str
        ``binned`` numbers, ``whole`` numbers by their distance from ``low``, ``texts``, or an
        ``id``, which is not kept.
    width : int
        Bytes of an exact code.
    low, n_codes : int
        The least whole number, and how many codes there are, missing included.
    is_bool : bool
        Whether texts stand for truth values.
    """

    name: str
    how: str
    width: int = 1
    low: int = 0
    n_codes: int = 1
    is_bool: bool = False
    has_too_many: bool = False
    cells: Cells | None = None
    texts: dict[str, int] = field(default_factory=dict)
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    first: npt.NDArray[np.int64] = field(default_factory=lambda: np.full(1, NEVER))
    n_missing: int = 0
    folder: Path = Path()
    place: int = 0
    n_rows: int = 0
    _coder: Quantiles | None = None

    @property
    def is_binned(self) -> bool:
        """Whether it is kept as quantile cells beside the numbers."""
        return self.how == "binned"

    @property
    def values(self) -> list[Any]:
        """The value of each code but the first, which is missing."""
        if self.how == "id":
            return []
        if self.how == "whole":
            return list(range(self.low, self.low + self.n_codes - 1))
        plain: list[Any] = list(self.texts)
        return [text == "true" for text in plain] if self.is_bool else plain

    @property
    def order(self) -> npt.NDArray[np.intp]:
        """Which values occur, in order of their first appearance."""
        if self.is_binned:
            return np.empty(0, np.intp)
        first = self.first[1:]
        return np.argsort(first, kind="stable")[: int((first < NEVER).sum())]

    def files(self) -> dict[str, tuple[Path, Any]]:
        """Return the files of the column, and what they hold."""
        if self.how == "id":
            return {}
        stem = str(self.folder / f"c{self.place}")
        if not self.is_binned:
            return {"codes": (Path(stem + ".codes"), np.uint8 if self.width == 1 else np.uint16)}
        kinds = {"high": np.uint8, "low": np.uint8, "raw": np.float64}
        return {name: (Path(f"{stem}.{name}"), kind) for name, kind in kinds.items()}

    def part(self) -> Exact | Binned:
        """Return where the rows are, mapped."""
        maps = {
            n: np.memmap(p, kind, "r", shape=(self.n_rows,))
            for n, (p, kind) in self.files().items()
        }
        if not self.is_binned:
            return Exact(maps["codes"], self.n_codes)
        assert self.cells is not None
        return Binned(maps["high"], maps["low"], maps["raw"], self.cells)

    def coder(self) -> Quantiles:
        """Return what turns numbers into codes."""
        if self._coder is None:
            assert self.cells is not None
            self._coder = self.cells.coder()
        return self._coder

    def shown(self, n: int) -> npt.NDArray[Any]:
        """Return an array of n rows that shows every value, in order of first appearance.

        Of binned numbers it shows some that make them look like what they are.
        """
        if self.is_binned:
            found = np.resize(np.array([0.5, 1.5, 2.5]), n)
            return np.where(np.arange(n) == 1, np.nan, found) if self.n_missing else found
        if self.how == "id":
            return np.arange(1, n + 1)
        values, order = self.values, self.order
        shown = [values[i] for i in order.tolist()]
        gaps = np.zeros(n, np.bool_)
        gaps[len(shown)] = self.counts[0] > 0
        if self.counts[1:].max(initial=0) == 1:  # no value twice, nor here
            gaps[len(shown) :] = True
        if not shown:
            return np.ma.masked_array(np.zeros(n), np.ones(n, np.bool_))
        every = shown + [shown[0]] * (n - len(shown))
        kind = np.int64 if self.how == "whole" else (np.bool_ if self.is_bool else object)
        array = np.array(every, kind)
        return np.ma.masked_array(array, gaps) if gaps.any() else array

    def places(self, column: Column) -> Codes:
        """Return the level of each code, from a column that was judged by what is shown."""
        place = np.full(self.n_codes, -1, np.int32)
        order = self.order
        place[order + 1] = column.codes[: len(order)]
        return place

    def count_of(self, codes: npt.NDArray[np.bool_]) -> int:
        """Return how many rows have one of these codes."""
        return int(self.counts[codes].sum())

    def extended(self, n_codes: int) -> None:
        """Make room for new codes."""
        more = n_codes - len(self.counts)
        if more > 0:
            self.counts = np.append(self.counts, np.zeros(more, np.int64))
            self.first = np.append(self.first, np.full(more, NEVER))
        self.n_codes = max(self.n_codes, n_codes)


def coded_groups(
    groups: Groups,
    target: str | None,
    threads: int | None,
    progress: Watcher | None,
    wishes: dict[str, str],
) -> list[Coded]:
    """Code all columns of a source, going on where an earlier run was interrupted.

    ``wishes`` say how columns must be kept; what turns out on the way is added to them.
    """
    known = hasattr(os, "sched_getaffinity")
    n = threads or (len(os.sched_getaffinity(0)) if known else (os.cpu_count() or 1))
    while True:
        try:
            with told_full(groups.space.folder):
                run = _Run(groups, target, wishes)
                run.code(min(n, len(groups.groups)), progress)
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
    def __init__(self, groups: Groups, target: str | None, wishes: dict[str, str]) -> None:
        self._groups, self._lock, self._stop = groups, threading.Lock(), False
        self._folder = groups.space.folder
        self._local = threading.local()
        plan = self._folder / PLAN
        if plan.exists():
            self.columns = _planned(json.loads(plan.read_text("utf-8")))
        else:
            self.columns = _plan(groups, target, wishes)
            part = plan.with_suffix(".part")
            part.write_text(json.dumps([_plain(c) for c in self.columns]), "utf-8")
            part.replace(plan)
        for i, column in enumerate(self.columns):
            column.folder, column.place, column.n_rows = self._folder, i, groups.n_rows
        self._told = {c.name: 0 for c in self.columns}

    def code(self, n_threads: int, progress: Watcher | None) -> None:
        """Code what is not coded yet."""
        done = self._done()
        waiting = [g for i, g in enumerate(self._groups.groups) if i not in done]
        for column in self.columns:
            for path, kind in column.files().values():
                reserve(path, self._groups.n_rows * np.dtype(kind).itemsize)
        n_read = self._groups.n_rows - sum(g.n_rows for g in waiting)
        with self._opened(), ThreadPoolExecutor(n_threads) as pool:
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
        texts = [c.name for c in self.columns if c.how == "texts" and not c.is_bool]
        opened = getattr(self._local, "opened", None)
        if opened is None or opened[0] != group.path:
            file = arrow().ParquetFile(group.path, read_dictionary=texts, pre_buffer=False)
            self._local.opened = opened = group.path, file
        names = [c.name for c in self.columns]
        try:
            yield from opened[1].iter_batches(
                AT_A_TIME, row_groups=[group.index], columns=names, use_threads=False
            )
        except OSError as error:
            if error.errno is not None:  # the system's, not Arrow's
                raise
            raise DataError("bad_parquet", source=group.path) from None

    def _column(self, column: Coded, array: Any, at: int, brought: dict[str, Any]) -> None:  # noqa: ANN401
        chunks = array.chunks if hasattr(array, "chunks") else [array]
        for chunk in chunks:
            if column.is_binned:
                self._numbers(column, chunk, at, brought)
            elif column.how != "id" and not column.has_too_many:
                self._codes(column, chunk, at, brought)
            at += len(chunk)

    def _numbers(self, column: Coded, chunk: Any, at: int, brought: dict[str, Any]) -> None:  # noqa: ANN401
        numbers = np.ascontiguousarray(chunk.to_numpy(zero_copy_only=False), np.float64)
        n = len(numbers)
        high, low, raw = np.empty(n, np.uint8), np.empty(n, np.uint8), np.empty(n)
        n_missing, is_infinite = column.coder().code(numbers, high, low, raw)
        if is_infinite:
            row = int(np.isinf(raw).argmax())
            told = {"row": at + row + 1, "column": column.name, "value": float(raw[row])}
            raise DataError("infinite_number", source=self._groups.name, **told)
        brought["missing"] = brought.get("missing", 0) + n_missing
        for name, array in (("high", high), ("low", low), ("raw", raw)):
            self._write(column, name, array, at)

    def _codes(self, column: Coded, chunk: Any, at: int, brought: dict[str, Any]) -> None:  # noqa: ANN401
        codes = np.empty(len(chunk), np.uint8 if column.width == 1 else np.uint16)
        if column.how == "whole":
            counts, first = np.zeros(column.n_codes, np.int64), np.full(column.n_codes, NEVER)
            gaps = chunk.is_null().to_numpy(zero_copy_only=False) if chunk.null_count else None
            filled = chunk.fill_null(column.low) if chunk.null_count else chunk
            whole = np.ascontiguousarray(filled.to_numpy(zero_copy_only=False))
            if whole.dtype.kind == "f" and (whole != np.floor(whole)).any():
                raise Again(column.name, "binned")
            whole = whole.astype(np.int64, copy=False)
            absent = None if gaps is None else gaps.astype(np.uint8)
            if not code_wholes(whole, absent, column.low, at, codes, counts, first):
                raise Again(column.name, "binned")
        else:
            lut, indices = self._looked_up(column, chunk)
            if lut is None:
                return
            counts, first = np.zeros(1 << 16, np.int64), np.full(1 << 16, NEVER)
            code_indices(indices, lut, at, codes, counts, first)
        seen = np.flatnonzero(counts)
        brought.setdefault("parts", []).append((seen, counts[seen], first[seen]))
        self._write(column, "codes", codes, at)

    def _looked_up(self, column: Coded, chunk: Any) -> Any:  # noqa: ANN401
        """Return the code of each entry of a chunk's dictionary, and the rows' entries."""
        import pyarrow as pa  # noqa: PLC0415

        if not isinstance(chunk, pa.DictionaryArray):
            if not pa.types.is_string(chunk.type):
                chunk = chunk.cast(pa.string())
            chunk = chunk.dictionary_encode()
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
                column.has_too_many = True
                return None, None
            if len(known) > 255 and column.width == 1:
                raise Again(column.name, "wide")
            lut = np.array([0 if w is None else known[w] for w in words] + [0], np.uint16)
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


def _plan(groups: Groups, target: str | None, wishes: dict[str, str]) -> list[Coded]:
    """Decide from a sample how each column is kept."""
    import pyarrow as pa  # noqa: PLC0415

    sample = _sample(groups)
    kinds = pa.types
    found = []
    for place, name in enumerate(groups.schema.names):
        kind = groups.schema.field(place).type
        is_last = place == len(groups.schema.names) - 1
        is_target = name == target or (target is None and (name.lower() in CLASS_NAMES or is_last))
        values = sample.column(place)
        is_number = kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind)
        if kinds.is_nested(kind):
            said = {"row": 1, "column": name, "value": str(kind)}
            raise DataError("nested_cell", source=groups.name, **said)
        if not is_number:
            is_bool = kinds.is_boolean(kind)
            n = len(values.cast(pa.string()).unique())
            wide = n > FEW_TEXTS or wishes.get(name) == "wide"
            found.append(Coded(name, "texts", 2 if wide else 1, is_bool=is_bool))
            continue
        numbers = np.asarray(values.to_numpy(), np.float64)
        is_free = not is_target and name not in wishes
        if is_free and kinds.is_integer(kind) and _is_id(name, numbers):
            found.append(Coded(name, "id"))
            continue
        column = None if wishes.get(name) == "binned" else _whole(name, numbers, groups, place)
        if kinds.is_integer(kind) or (is_target and column is not None and _is_classes(numbers)):
            pass
        else:
            column = None
        found.append(column or Coded(name, "binned", cells=cells_of(numbers)))
    return found


def _is_id(name: str, numbers: npt.NDArray[np.float64]) -> bool:
    """Say whether whole numbers only number the rows, as far as the sample shows."""
    if len(np.unique(numbers)) < len(numbers) or np.isnan(numbers).any():
        return False
    steps = np.diff(numbers) == 1
    return is_id_name(name) or (len(numbers) >= COUNTED and steps.mean() > RUNS)


def _is_classes(numbers: npt.NDArray[np.float64]) -> bool:
    return len(np.unique(numbers[~np.isnan(numbers)])) <= FEW_CLASSES


def _whole(name: str, numbers: Any, groups: Groups, place: int) -> Coded | None:  # noqa: ANN401
    """Return the plan for whole numbers of a small range, None if they are not that."""
    known = np.unique(numbers[~np.isnan(numbers)])
    if not len(known) or len(known) > FEW_WHOLE or (known != np.floor(known)).any():
        return None
    low, high = _range(groups, place, known)
    if high - low + 2 > WIDE:
        return None
    n = int(high - low) + 2
    column = Coded(name, "whole", 1 if n <= 256 else 2, int(low), n)
    column.extended(n)
    return column


def _range(groups: Groups, place: int, known: Any) -> tuple[float, float]:  # noqa: ANN401
    """Return the least and the greatest number: what the files say, or else the sample."""
    low, high = float(known[0]), float(known[-1])
    parquet = arrow()
    for path in dict.fromkeys(g.path for g in groups.groups):
        with parquet.ParquetFile(path) as file:
            for index in range(file.metadata.num_row_groups):
                told = file.metadata.row_group(index).column(place).statistics
                if told is not None and told.has_min_max:
                    low, high = min(low, float(told.min)), max(high, float(told.max))
    return low, high


def _sample(groups: Groups) -> Any:  # noqa: ANN401 - an Arrow table
    """Return rows from the beginning of row groups all over the source."""
    import pyarrow as pa  # noqa: PLC0415

    parquet = arrow()
    n = len(groups.groups)
    places = sorted(
        {round(i * (n - 1) / max(SAMPLED_GROUPS - 1, 1)) for i in range(SAMPLED_GROUPS)}
    )
    batches = []
    for place in places if n > SAMPLED_GROUPS else range(n):
        group = groups.groups[place]
        try:
            with parquet.ParquetFile(group.path, pre_buffer=False) as file:
                first = file.iter_batches(SAMPLED_ROWS, row_groups=[group.index])
                batches.append(next(first).cast(groups.schema))
        except (OSError, pa.ArrowInvalid):
            raise DataError("bad_parquet", source=group.path) from None
    return pa.Table.from_batches(batches)


def _plain(column: Coded) -> dict[str, Any]:
    told = {key: getattr(column, key) for key in ("name", "how", "width", "low", "n_codes")}
    told["is_bool"] = column.is_bool
    if column.cells is not None:
        told["cells"] = [
            a.tolist() for a in (column.cells.edges, column.cells.high, column.cells.low)
        ]
    return told


def _planned(told: Sequence[dict[str, Any]]) -> list[Coded]:
    found = []
    for plain in told:
        cells = plain.pop("cells", None)
        column = Coded(**plain)
        if cells is not None:
            edges, high, low = cells
            column.cells = Cells(
                np.array(edges, np.float64), np.array(high, np.uint8), np.array(low, np.uint8)
            )
        column.extended(column.n_codes)
        found.append(column)
    return found
