"""Distinct values of a column with counts and first rows, and files with one value per row."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.encode.coded_column import NEVER, Shown
from penjing.data.read.dates import date_orders
from penjing.data.read.numbers import (
    INFINITY,
    INTEGER,
    PLAIN,
    as_float,
    number_facts,
)
from penjing.data.table import Codes, Floats

AT_A_TIME = 1 << 20
"""Rows of a file that are looked at together."""

Facts = tuple[Hashable, ...]


def facts_of(value: Any) -> Facts:  # noqa: ANN401 - a cell
    """Return all that the judges of a column can tell about one of its values."""
    if not isinstance(value, str):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        number = as_float(value) if is_number else 0.5
        return type(value).__name__, bool(np.isinf(number)), number.is_integer()
    text = value.strip()
    is_plain = bool(PLAIN.fullmatch(text) or INFINITY.fullmatch(text))
    written = bool(INTEGER.fullmatch(text)), is_plain
    return "str", text == value, written, number_facts(text), date_orders(text)


def plain_number(value: Any) -> float | None:  # noqa: ANN401 - a cell
    """Return the number of a cell that is plainly one and finite, else None."""
    if isinstance(value, str):
        number = float(value) if PLAIN.fullmatch(value) else np.inf
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        number = as_float(value)
    else:
        return None
    return number if np.isfinite(number) else None


def key_of(value: Any) -> Hashable:  # noqa: ANN401 - a cell
    """Return by what a value is found: 1, 1.0 and True are three."""
    return value if isinstance(value, str) else (type(value), value)


def _value(key: Any) -> Any:  # noqa: ANN401 - as above
    return key if isinstance(key, str) else key[1]


class Rows:
    """A file with something for each row, written as rows come; open only while it is written."""

    def __init__(self, path: Path, dtype: npt.DTypeLike) -> None:
        self.path, self.dtype = path, np.dtype(dtype)
        path.write_bytes(b"")

    def add(self, array: npt.NDArray[Any]) -> None:
        """Add the next rows."""
        with self.path.open("ab") as file:
            file.write(np.ascontiguousarray(array, self.dtype).data)

    def mapped(self) -> npt.NDArray[Any]:
        """Return all rows so far."""
        if not self.path.stat().st_size:
            return np.empty(0, self.dtype)
        return np.memmap(self.path, self.dtype, "r+")

    def turned(self, new: Rows, lut: npt.NDArray[Any] | None = None) -> Rows:
        """Write all rows to another file, as they are or as a table says; remove this one."""
        old = self.mapped()
        for start in range(0, len(old), AT_A_TIME):
            part = old[start : start + AT_A_TIME]
            new.add(part if lut is None else lut[part])
        self.gone()
        return new

    def gone(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True, eq=False)
class Sampled(Shown):
    """A column of which some values are shown, and what is known of all.

    Parameters
    ----------
    is_once : bool
        Whether no value occurs twice.
    is_count : bool
        Whether the rows count up.
    """

    is_once: bool = False
    is_count: bool = False

    def is_distinct(self) -> bool:
        """Say whether no value occurs twice."""
        return self.is_once and self.n_known > 0

    def counts_up(self, integers: Floats) -> bool:  # noqa: ARG002 - known beforehand
        """Say whether the rows show consecutive integers."""
        return self.is_count


class Held:
    """Values that are held: how often each occurs, and in which row first. Place 0 is missing."""

    def __init__(self) -> None:
        self.known: dict[Hashable, int] = {}
        self.counts, self.first = np.zeros(16, np.int64), np.full(16, NEVER)

    def __len__(self) -> int:
        return len(self.known)

    def place(self, value: Any) -> int:  # noqa: ANN401 - a cell
        """Return the place of a value, a new one if it is not held yet."""
        return self.known.setdefault(key_of(value), len(self.known) + 1)

    def places(self, levels: Sequence[Any]) -> npt.NDArray[np.int32]:
        """Return the place of each value, and that of missing after them."""
        known = self.known
        keys = levels if {*map(type, levels)} <= {str} else [*map(key_of, levels)]
        for key in keys:
            if key not in known:
                known[key] = len(known) + 1
        found = np.fromiter(map(known.__getitem__, keys), np.int32, len(keys))
        return np.append(found, np.int32(0))

    def count(self, places: Any, times: Any, first: Any) -> None:  # noqa: ANN401 - arrays or numbers
        """Count rows of these places, and where they are first."""
        more = len(self.known) + 1 - len(self.counts)
        if more > 0:
            more = max(more, len(self.counts))
            self.counts = np.append(self.counts, np.zeros(more, np.int64))
            self.first = np.append(self.first, np.full(more, NEVER))
        np.add.at(self.counts, places, times)
        np.minimum.at(self.first, places, first)

    def values(self) -> list[Any]:
        """Return the values."""
        return [_value(key) for key in self.known]


def seen(codes: Codes, n: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return how many rows have each of n codes, and which is first; the last is for missing."""
    known = np.where(codes < 0, np.int32(n), codes)
    first = np.full(n + 1, NEVER)
    first[known[::-1]] = np.arange(len(known))[::-1]  # the last one written is the first row
    return np.bincount(known, minlength=n + 1), first


def is_whole(value: Any) -> bool:  # noqa: ANN401 - a cell
    """Say whether a cell is a whole number, as it is written."""
    return bool(INTEGER.fullmatch(value)) if isinstance(value, str) else type(value) is int


def never_twice(numbers: npt.NDArray[Any]) -> bool:
    """Say whether all are different; they are sorted on the way, where they are."""
    numbers.sort()
    return all(
        (np.diff(numbers[at : at + AT_A_TIME + 1]) != 0).all()
        for at in range(0, len(numbers), AT_A_TIME)
    )


def counts_on(numbers: Floats) -> bool:
    """Say whether each number is the one before and one more."""
    return all(
        (np.diff(numbers[at : at + AT_A_TIME + 1]) == 1).all()
        for at in range(0, len(numbers), AT_A_TIME)
    )
