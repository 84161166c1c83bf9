"""Codes rows of Parquet files while they are read, according to a plan, and counts the root.

The codes are those of the plan; values that are not in it get the next ones. When all rows are
read, the levels are known, and a column whose codes differ from the final ones is rewritten.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import Passes, encode_by_offset, encode_by_table
from penjing.engines.spark.coded_rows import (
    Coding,
    Column,
    complete_block,
    final_codes,
    translate_codes,
)
from penjing.engines.spark.listed import NOT_LISTED, Listed
from penjing.engines.spark.planned import Plan
from penjing.engines.spark.spilled import MANY, Look, encoded, numbers_of, plain_numbers, with_class

CODED = "coded.pickle"
FEW_CLASSES = 64
"""The root is counted on the way if there are not more classes than this."""

Table = npt.NDArray[np.int64]


@dataclass(slots=True)
class Coded:
    """What became of the rows of a lot.

    Parameters
    ----------
    looks : list of Look
        What each column shows.
    values : list of list
        The value of each code but that of a missing one, of columns of codes.
    root : list of arrays or None
        How many rows have each code and class, by column.
    in_vain : list of int
        Columns in which the plan found something that it has no code for.
    """

    looks: list[Look]
    values: list[list[Any]]
    root: list[Table] | None
    in_vain: list[int]


class Straight:
    """The files of a block while they are written.

    Parameters
    ----------
    folder : Path
        Where; it is there.
    plans : sequence of Plan
        How columns are coded; the last is the target.
    with_root : bool
        Whether the root is counted.
    """

    def __init__(self, folder: Path, plans: Sequence[Plan], *, with_root: bool) -> None:
        self._folder, self._goal = folder, len(plans) - 1
        with_root = with_root and 0 < len(plans[-1].values) <= FEW_CLASSES
        self._columns = [_writer(folder, c, plan) for c, plan in enumerate(plans)]
        self._columns[-1].first = 0  # no class is missing
        self._root: list[Table] | None = [_NO_TABLE for _ in plans[:-1]] if with_root else None
        self._node = np.zeros(0, np.uint32)
        self.n_rows = 0
        self.in_vain: list[int] = []

    def add(self, batch: Any, dropped: Sequence[Any]) -> bool:  # noqa: ANN401 - of Arrow
        """Code some rows; False if a column cannot be coded by its plan."""
        batch = with_class(batch, self._goal, dropped)
        n = batch.num_rows
        if not n:
            return True
        self.n_rows += n
        codes = [column.add(batch.column(c)) for c, column in enumerate(self._columns)]
        self.in_vain = [c for c, column in enumerate(self._columns) if column.is_in_vain]
        if self.in_vain:
            return False
        if self._root is not None:
            self._count(codes)
        return True

    def _count(self, codes: Sequence[Any]) -> None:
        assert self._root is not None
        k = len(self._columns[-1].values)
        at = [c for c, array in enumerate(codes[:-1]) if array is not None]
        told = [(codes[c], self._columns[c].n_codes, None, None) for c in at]
        n = len(codes[-1])
        if len(self._node) < n:
            self._node = np.zeros(n, np.uint32)
        passes = Passes(told, codes[-1], k, self._node[:n], 1)
        one = np.zeros(1, np.int32)
        tables = passes.move_and_count([], [], one - 1, one, 1)
        for c, table in zip(at, tables, strict=True):
            self._root[c] = plus(self._root[c], table.astype(np.int64).reshape(-1, k))

    def close(self) -> Coded:
        """Return what became of the rows, when all is written."""
        looks = [column.close() for column in self._columns]
        values = [column.values for column in self._columns]
        about = [(column.values, column.kind) for column in self._columns]
        (self._folder / CODED).write_bytes(pickle.dumps(about, 5))
        return Coded(looks, values, self._root, self.in_vain)


_NO_TABLE = np.zeros((0, 0), np.int64)


def plus(one: Table, other: Table) -> Table:
    """Return the sum of tables, of which either may know more codes or classes."""
    if one.shape == other.shape:
        return one + other
    whole = np.zeros(np.maximum(one.shape, other.shape), np.int64)
    for part in (one, other):
        whole[: part.shape[0], : part.shape[1]] += part
    return whole


# -- a column ---------------------------------------------------------------------------------


def _writer(folder: Path, c: int, plan: Plan) -> Any:  # noqa: ANN401 - one of those below
    kinds = {"cells": _InCells, "whole": _Whole, "listed": _Listed, "names": _Names}
    return kinds.get(plan.how, _Nothing)(folder, c, plan)


class _Nothing:
    """A column that is not coded."""

    is_in_vain = False
    kind: Any = None
    first = 1

    def __init__(self, folder: Path, c: int, plan: Plan) -> None:
        self._folder, self._c, self._plan = folder, c, plan
        self.values: list[Any] = []
        self.n = self.n_missing = 0
        self._rooms: dict[str, npt.NDArray[Any]] = {}

    @property
    def n_codes(self) -> int:
        """How many codes there are."""
        return len(self.values) + 1

    def _room(self, name: str, n: int, kind: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - a dtype
        """Return room for some codes: that of the rows before, which are written by now."""
        have = self._rooms.get(name)
        if have is None or len(have) < n or have.dtype != kind:
            self._rooms[name] = have = np.empty(n, kind)
        return have[:n]

    def add(self, column: Any) -> Any:  # noqa: ANN401
        """Write some rows; return their codes, if they have any."""
        self.n += len(column)

    def close(self) -> Look:
        """Return what the column showed."""
        return Look(self._plan.is_number, None, self.n, self.n_missing, np.inf, -np.inf, _NONE)


_NONE = np.empty(0)


class _InCells(_Nothing):
    def __init__(self, folder: Path, c: int, plan: Plan) -> None:
        super().__init__(folder, c, plan)
        self._files = [_opened(folder / f"{c}.{name}") for name in ("high", "raw")]
        assert plan.cells is not None
        self._coder = plan.cells.coder()
        self._low, self._high = np.inf, -np.inf

    @property
    def n_codes(self) -> int:
        return 256

    def add(self, column: Any) -> Any:  # noqa: ANN401
        numbers = plain_numbers(column)
        n = len(numbers)
        high = self._room("high", n, np.uint8)
        n_missing, _, has_minus_zero = self._coder.buckets(numbers, high)
        if has_minus_zero:
            numbers = numbers + 0.0
        for file, array in zip(self._files, (high, numbers), strict=True):
            file.write(array.data)
        known = numbers[~np.isnan(numbers)] if n_missing else numbers
        if len(known):
            self._low = min(self._low, float(known.min()))
            self._high = max(self._high, float(known.max()))
        self.n, self.n_missing = self.n + n, self.n_missing + n_missing
        return high

    def close(self) -> Look:
        for file in self._files:
            file.close()
        return Look(True, None, self.n, self.n_missing, self._low, self._high, _NONE)


class _Exact(_Nothing):
    """Codes of one or two bytes in a file, and how often each of them occurs."""

    def __init__(self, folder: Path, c: int, plan: Plan) -> None:
        super().__init__(folder, c, plan)
        self.values = list(plan.values)
        self.kind = np.dtype(np.uint8 if len(self.values) < 255 else np.uint16)
        self._counts = np.zeros(self.n_codes, np.int64)
        self._path = folder / f"{c}.local"
        self._file = _opened(self._path)

    def _wrote(self, codes: npt.NDArray[Any], counts: Table) -> npt.NDArray[Any]:
        self._file.write(codes.data)
        if len(counts) > len(self._counts):
            self._counts = np.append(
                self._counts, np.zeros(len(counts) - len(self._counts), np.int64)
            )
        self._counts[: len(counts)] += counts
        self.n += len(codes)
        return codes

    def close(self) -> Look:
        self._file.close()
        counts = {
            value: n
            for value, n in zip(self.values, self._counts[self.first :].tolist(), strict=False)
            if n
        }
        is_number, n_missing = self._plan.is_number, int(self._counts[: self.first].sum())
        if is_number:
            counts = {float(value): n for value, n in counts.items()}
        return Look(is_number, counts, self.n, n_missing, np.inf, -np.inf, _NONE)


class _Whole(_Exact):
    def add(self, column: Any) -> Any:  # noqa: ANN401
        low = self.values[0]
        absent = None
        if column.null_count:
            absent = column.is_null().to_numpy(zero_copy_only=False).astype(np.uint8)
            column = column.fill_null(low)
        numbers = np.ascontiguousarray(column.to_numpy(zero_copy_only=False), np.int64)
        codes = self._room("codes", len(numbers), self.kind)
        counts = np.zeros(self.n_codes, np.int64)
        if not encode_by_offset(numbers, absent, low, 0, codes, counts, counts.copy()):
            self.is_in_vain = True
            return None
        return self._wrote(codes, counts)


class _Listed(_Exact):
    def __init__(self, folder: Path, c: int, plan: Plan) -> None:
        super().__init__(folder, c, plan)
        self._list = Listed(np.asarray(plan.values, np.float64))

    def add(self, column: Any) -> Any:  # noqa: ANN401
        places = self._list.places(numbers_of(column))
        if (places == NOT_LISTED).any():
            self.is_in_vain = True
            return None
        return self._wrote(places.astype(self.kind), np.bincount(places, minlength=self.n_codes))


class _Names(_Exact):
    def __init__(self, folder: Path, c: int, plan: Plan) -> None:
        super().__init__(folder, c, plan)
        self._place = {value: i for i, value in enumerate(self.values)}
        self._last: tuple[Any, npt.NDArray[np.uint16]] | None = None
        self._is_many = False

    def add(self, column: Any) -> Any:  # noqa: ANN401
        if self._is_many:
            return None
        coded = encoded(column)
        codes_of = self._codes_of(coded.dictionary)
        if codes_of is None:
            return None
        indices = coded.indices
        if indices.null_count:
            indices = indices.fill_null(len(coded.dictionary))
        rows = np.ascontiguousarray(indices.to_numpy(zero_copy_only=False), np.int32)
        codes = self._room("codes", len(rows), self.kind)
        counts = np.zeros(self.n_codes, np.int64)
        encode_by_table(rows, codes_of, 0, codes, counts, counts.copy())
        return self._wrote(codes, counts)

    def _codes_of(self, dictionary: Any) -> npt.NDArray[np.uint16] | None:  # noqa: ANN401
        """Return the code of each entry of a dictionary, and of none; None for too many."""
        if self._last is not None and self._last[0].equals(dictionary):
            return self._last[1]
        place = self._place
        codes = [
            0 if value is None else place.setdefault(value, len(place)) + self.first
            for value in dictionary.to_pylist()
        ]
        if len(place) > MANY:
            self._is_many = True
            return None
        self.values = list(place)
        if self.kind == np.uint8 and len(place) > 255:
            self._widen()
        self._last = dictionary, np.array([*codes, 0], np.uint16)
        return self._last[1]

    def _widen(self) -> None:
        """Go on with codes of two bytes."""
        self._file.close()
        before = np.fromfile(self._path, self.kind)
        self.kind = np.dtype(np.uint16)
        self._file = _opened(self._path)
        self._file.write(before.astype(self.kind).data)

    def close(self) -> Look:
        if not self._is_many:
            return super().close()
        self._file.close()
        return Look(False, None, self.n, 0, np.inf, -np.inf, _NONE)


def _opened(path: Path) -> Any:  # noqa: ANN401 - a file
    return path.open("wb", buffering=0)


# -- when all rows are known ------------------------------------------------------------------


def settle(folder: Path, n_rows: int, codings: Sequence[tuple[int, Coding]]) -> None:
    """Make the files of a lot a block: codes that mean something else now are written anew."""

    def columns() -> list[Column]:
        told = pickle.loads((folder / CODED).read_bytes())  # noqa: S301 - our own
        found = []
        for c, coding in codings:
            if coding.cells is not None:
                found.append(Column(str(c), None, coding.n_codes, coding.cells))
                continue
            values, kind = told[c]
            table = final_codes(coding, values)
            name = f"{c}.local"
            if kind != coding.kind or (table != np.arange(len(table))).any():
                translate_codes(folder, c, kind, n_rows, table)
                name = f"{c}.codes"
            found.append(Column(name, coding.kind, coding.n_codes))
        return found

    complete_block(folder, n_rows, columns)


def root_of(
    lots: Sequence[Coded], codings: Sequence[tuple[int, Coding]], n_classes: int
) -> list[Table] | None:
    """Return how many rows have each code and class, by column; None where that was not counted."""
    if any(lot.root is None for lot in lots):
        return None
    whole = [np.zeros((coding.n_codes, n_classes), np.int64) for _, coding in codings[:-1]]
    goal, classes = codings[-1]
    for lot in lots:
        assert lot.root is not None
        to = final_codes(classes, lot.values[goal])
        for table, (c, coding) in zip(whole, codings, strict=False):
            part = lot.root[c]
            if not part.size:
                continue
            rows = (
                np.arange(256) if coding.cells is not None else final_codes(coding, lot.values[c])
            )
            np.add.at(table, (rows[: len(part), None], to[None, : part.shape[1]]), part)
    return whole
