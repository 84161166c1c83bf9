"""Writes the rows of a partition to files, and summarizes the columns on the way.

Numbers are written as they are. Other values are written as positions in a list that each
partition makes for itself; only the driver knows the final levels.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.read.arrow_kinds import arrow_numbers as nearest
from penjing.data.read.infer_remote import MAX_LISTED_NUMBERS
from penjing.data.store import QuantileCells
from penjing.data.table import Floats

CHUNK = 1 << 18
"""So many rows are written at a time."""
MANY = 65_534
"""A column of more texts than codes of two bytes can tell apart is not kept."""
HEAD = 4_096
"""If so many rows show more numbers than are listed, nobody counts them."""
DICTIONARIES = "dictionaries.pickle"


@dataclass(slots=True)
class Look:
    """What some rows show of one column; looks at parts add up to a look at all.

    ``counts`` holds how many rows have each value, None for more of them than are listed;
    ``sample`` some of the numbers.
    """

    is_number: bool
    counts: dict[Any, int] | None
    n: int
    n_missing: int
    low: float
    high: float
    sample: Floats
    cells: QuantileCells | None = None
    """Those by which its numbers are coded, if that is so already."""

    def plus(self, other: Look) -> Look:
        """Return what both show."""
        counts = None
        if self.counts is not None and other.counts is not None:
            counts = dict(self.counts)
            for value, n in other.counts.items():
                counts[value] = counts.get(value, 0) + n
            if len(counts) > (MAX_LISTED_NUMBERS if self.is_number else MANY):
                counts = None
        return Look(
            self.is_number,
            counts,
            self.n + other.n,
            self.n_missing + other.n_missing,
            min(self.low, other.low),
            max(self.high, other.high),
            np.concatenate([self.sample, other.sample]),
        )


def _nothing(*, is_number: bool) -> Look:
    return Look(is_number, {}, 0, 0, np.inf, -np.inf, np.empty(0))


class Spill:
    """Files of a partition while they are written.

    Parameters
    ----------
    folder : Path
        Where; it is there.
    are_numbers : sequence of bool
        Whether each column is written as numbers.
    goal : int
        Which column is the target: rows without one are left out.
    n_sample : int
        About how many numbers of a column to remember.
    """

    def __init__(self, folder: Path, are_numbers: Sequence[bool], goal: int, n_sample: int) -> None:
        self._folder, self._goal, self._n_sample = folder, goal, n_sample
        self._looks = [_nothing(is_number=is_number) for is_number in are_numbers]
        self._places: list[dict[Any, int]] = [{} for _ in are_numbers]
        self._files = [
            (folder / f"{c}.{'raw' if is_number else 'local'}").open("wb")
            for c, is_number in enumerate(are_numbers)
        ]
        self.n_rows = 0

    def add(self, chunk: Any, dropped: Sequence[Any]) -> None:  # noqa: ANN401 - Arrow's table
        """Write some rows; those whose class is one of the dropped are left out."""
        chunk = with_class(chunk, self._goal, dropped)
        self.n_rows += chunk.num_rows
        for c, look in enumerate(self._looks):
            column = chunk.column(c)
            if look.is_number:
                self._add_numbers(c, numbers_of(column))
            else:
                self._add_names(c, column)

    def _add_numbers(self, c: int, numbers: Floats) -> None:
        numbers.tofile(self._files[c])
        known = numbers[~np.isnan(numbers)] if np.isnan(numbers.sum()) else numbers
        look = self._looks[c]
        counts: dict[Any, int] | None = None
        is_few = look.counts is not None and len(np.unique(known[:HEAD])) <= MAX_LISTED_NUMBERS
        if is_few:
            counts = _counted(known)
        low, high = (known.min(), known.max()) if len(known) else (np.inf, -np.inf)
        sample = known[:: max(1, len(known) * 4 // self._n_sample)]
        told = Look(True, counts, len(numbers), len(numbers) - len(known), low, high, sample)
        self._looks[c] = look.plus(told)

    def _add_names(self, c: int, column: Any) -> None:  # noqa: ANN401 - of Arrow
        values, codes = names_of(column)
        place, look = self._places[c], self._looks[c]
        if look.counts is None:
            return
        local = np.full(len(values) + 1, MANY + 1, np.uint16)
        local[:-1] = [min(place.setdefault(value, len(place)), MANY) for value in values]
        times = np.bincount(codes + 1, minlength=len(values) + 1).tolist()
        counts = {value: n for value, n in zip(values, times[1:], strict=True) if n}
        np.take(local, codes, mode="wrap").tofile(self._files[c])
        told = Look(False, counts, len(codes), times[0], np.inf, -np.inf, np.empty(0))
        self._looks[c] = look.plus(told)

    def close(self) -> list[Look]:
        """Return what the columns showed, when all is written."""
        for file in self._files:
            file.close()
        (self._folder / DICTIONARIES).write_bytes(pickle.dumps([list(p) for p in self._places], 5))
        for look in self._looks:
            look.sample = look.sample[:: max(1, len(look.sample) // self._n_sample)].copy()
        return self._looks


def _counted(numbers: Floats) -> dict[Any, int] | None:
    """Return how often each number occurs, None for more numbers than are listed."""
    import pyarrow as pa  # noqa: PLC0415 - on the workers

    coded = pa.array(numbers).dictionary_encode()  # quicker than to sort them
    found = coded.dictionary.to_numpy()
    if len(found) > MAX_LISTED_NUMBERS:
        return None
    times = np.bincount(coded.indices.to_numpy(), minlength=len(found))
    return dict(zip(found.tolist(), times.tolist(), strict=True))


def in_chunks(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield Arrow's batches as tables of some size: a few large steps cost less than many."""
    import pyarrow as pa  # noqa: PLC0415 - on the workers

    waiting: list[Any] = []
    n = 0
    for batch in batches:
        waiting.append(batch)
        n += batch.num_rows
        if n >= CHUNK:
            yield pa.Table.from_batches(waiting)
            waiting, n = [], 0
    if n:
        yield pa.Table.from_batches(waiting)


def with_class(chunk: Any, goal: int, dropped: Sequence[Any]) -> Any:  # noqa: ANN401
    """Return rows that have a class which is none of the dropped."""
    import pyarrow as pa  # noqa: PLC0415 - on the workers
    import pyarrow.compute as pc  # noqa: PLC0415

    target = chunk.column(goal)
    if target.null_count:
        chunk = chunk.filter(target.is_valid())
        target = chunk.column(goal)
    if pa.types.is_floating(target.type):
        chunk = chunk.filter(pc.invert(pc.is_nan(target)))
        target = chunk.column(goal)
    if dropped:
        values, codes = names_of(target)
        kept = np.array([value not in dropped for value in values], bool)
        chunk = chunk.filter(pa.array(kept[codes]))
    return chunk


def numbers_of(column: Any) -> Floats:  # noqa: ANN401 - of Arrow
    """Return the numbers of a column, NaN where there is none; no number is -0.0."""
    return plain_numbers(column) + 0.0


def plain_numbers(column: Any) -> Floats:  # noqa: ANN401 - of Arrow
    """Return the numbers of a column as they are, NaN where there is none."""
    import pyarrow as pa  # noqa: PLC0415 - on the workers

    if pa.types.is_decimal(column.type):
        column = nearest(column)
    if not pa.types.is_float64(column.type):
        column = column.cast(pa.float64(), safe=False)
    if column.null_count:
        column = column.fill_null(np.nan)
    return np.asarray(column.to_numpy(), np.float64)


def names_of(column: Any) -> tuple[list[Any], npt.NDArray[np.int32]]:  # noqa: ANN401 - of Arrow
    """Return the distinct values of a column, and the place of each row's; -1 for none."""
    coded = encoded(column)
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    return coded.dictionary.to_pylist(), codes


def encoded(column: Any) -> Any:  # noqa: ANN401 - of Arrow
    """Return a column as places in a list of its values."""
    import pyarrow as pa  # noqa: PLC0415 - on the workers

    if pa.types.is_decimal(column.type):
        column = nearest(column)
    kind = column.type
    of = pa.types
    plain = (of.is_dictionary, of.is_boolean, of.is_integer, of.is_floating,
             of.is_string, of.is_large_string)  # fmt: skip
    if not any(is_plain(kind) for is_plain in plain):
        column = column.cast(pa.string())
    if pa.types.is_floating(column.type):
        numbers = numbers_of(column)
        column = pa.array(numbers, mask=np.isnan(numbers))
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()


def is_number(kind: str) -> bool:
    """Say whether a Spark type is written as numbers."""
    whole = ("tinyint", "smallint", "int", "bigint", "float", "double")
    return kind in whole or kind.startswith("decimal")


__all__ = ["DICTIONARIES", "MANY", "Look", "Spill", "in_chunks", "is_number", "names_of"]
