"""What a worker does with its rows: look at columns, code them to a block, count the block.

Pure functions of arrays, so that any cluster can call them; nothing here knows of Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import Flat, count_block
from penjing.read.afar import FEW
from penjing.table import Floats

Bytes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]


@dataclass(slots=True)
class Look:
    """What some rows show of one column; looks at parts add up to a look at all.

    ``counts`` holds how many rows have each value, None for more numbers than are listed;
    ``sample`` some of the numbers.
    """

    counts: dict[Any, int] | None
    n: int
    n_missing: int
    low: float
    high: float
    sample: Floats

    def plus(self, other: Look, is_number: bool) -> Look:  # noqa: FBT001 - one word
        """Return what both show."""
        counts = None
        if self.counts is not None and other.counts is not None:
            counts = dict(self.counts)
            for value, n in other.counts.items():
                counts[value] = counts.get(value, 0) + n
            if is_number and len(counts) > FEW:
                counts = None
        return Look(
            counts,
            self.n + other.n,
            self.n_missing + other.n_missing,
            min(self.low, other.low),
            max(self.high, other.high),
            np.concatenate([self.sample, other.sample]),
        )


def look(values: npt.NDArray[Any] | Sequence[Any], known: npt.NDArray[np.bool_]) -> Look:
    """Look at the values of a column; of numbers, where they are an array."""
    n = len(known)
    nothing = np.empty(0)
    if isinstance(values, np.ndarray):
        numbers = values[known]
        if numbers.dtype.kind == "f":
            numbers = numbers[~np.isnan(numbers)] + 0.0
        found, times = np.unique(numbers, return_counts=True)
        counts = dict(zip(found.tolist(), times.tolist(), strict=True))
        low, high = (float(found[0]), float(found[-1])) if len(found) else (np.inf, -np.inf)
        step = max(1, len(numbers) // 2_000)
        sample = numbers[::step].astype(np.float64)
        few = counts if len(counts) <= FEW else None
        return Look(few, n, n - len(numbers), low, high, sample)
    counts = {}
    for value, is_known in zip(values, known.tolist(), strict=True):
        if is_known:
            counts[value] = counts.get(value, 0) + 1
    return Look(counts, n, n - int(known.sum()), np.inf, -np.inf, nothing)


@dataclass(frozen=True, slots=True)
class Coding:
    """How one column is coded: by the code of each value, or by the buckets of its numbers.

    A missing value has the last code, ``n_codes - 1``.
    """

    n_codes: int
    place: Mapping[Any, int] | None
    edges: Floats | None

    def coded(
        self, values: npt.NDArray[Any] | Sequence[Any], known: npt.NDArray[np.bool_]
    ) -> tuple[Bytes, Floats | None]:
        """Return the codes of a column, and its numbers where codes do not tell them."""
        lost = self.n_codes - 1
        kind: Any = np.uint8 if self.n_codes <= 256 else np.uint16
        if self.edges is not None:
            numbers = np.where(known, np.asarray(values, np.float64), np.nan) + 0.0
            found = np.searchsorted(self.edges, numbers, side="left")
            return np.where(np.isnan(numbers), lost, found).astype(kind), numbers
        assert self.place is not None
        if isinstance(values, np.ndarray):
            distinct, at = np.unique(values[known], return_inverse=True)
            by_value = [self.place.get(v, -1) for v in distinct.tolist()]
            found = np.full(len(known), -1)
            found[known] = np.array(by_value, np.int64)[at] if len(distinct) else -1
        else:
            get = self.place.get
            pairs = zip(values, known.tolist(), strict=True)
            found = np.array([get(v, -1) if is_known else -1 for v, is_known in pairs], np.int64)
        return np.where(found < 0, lost, found).astype(kind), None


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some rows: the class and the codes of each; numbers of the columns that buckets hold."""

    class_: Bytes
    codes: list[Bytes]
    numbers: dict[int, Floats]

    @property
    def n_bytes(self) -> int:
        """How much memory the arrays take."""
        arrays: Iterable[npt.NDArray[Any]] = [self.class_, *self.codes, *self.numbers.values()]
        return sum(array.nbytes for array in arrays)


def block_of(
    columns: Sequence[tuple[Any, npt.NDArray[np.bool_]]],
    codings: Sequence[Coding],
    target: tuple[Any, npt.NDArray[np.bool_]],
    classes: Coding,
) -> Block:
    """Return rows as a block; those without a class are left out."""
    class_, _ = classes.coded(*target)
    kept = class_ < classes.n_codes - 1
    codes, numbers = [], {}
    for c, (column, coding) in enumerate(zip(columns, codings, strict=True)):
        code, number = coding.coded(*column)
        codes.append(code[kept])
        if number is not None:
            numbers[c] = number[kept]
    return Block(class_[kept], codes, numbers)


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """A tree as far as it has grown, and which of its nodes are asked about."""

    arrays: Mapping[str, npt.NDArray[Any]]
    slot: npt.NDArray[np.int32]
    n_slots: int

    def slots(self, block: Block, codings: Sequence[Coding]) -> npt.NDArray[np.int32]:
        """Return the slot of each row, -1 where nobody asks about its node."""
        n = len(block.class_)
        flat = Flat(**self.arrays)  # type: ignore[arg-type]
        columns: list[Any] = [None] * len(codings)
        for c in flat.asked.tolist():
            if c in block.numbers:
                columns[c] = block.numbers[c]
            else:
                code = block.codes[c].astype(np.int32)
                columns[c] = np.where(code == codings[c].n_codes - 1, np.int32(-1), code)
        return np.asarray(self.slot[flat.apply(columns, n)], np.int32)


def tables(
    block: Block, route: Route, codings: Sequence[Coding], n_classes: int
) -> npt.NDArray[np.int64]:
    """Return the tables of all columns one after the other: slot by slot, code by code."""
    slots = route.slots(block, codings)
    n_codes = [coding.n_codes for coding in codings]
    told = count_block(block.codes, n_codes, block.class_, n_classes, slots, route.n_slots)
    return np.concatenate(told)


def totals(
    block: Block, route: Route, codings: Sequence[Coding], n_classes: int
) -> npt.NDArray[np.int64]:
    """Return how many rows of each class each slot has."""
    slots = route.slots(block, codings)
    here = slots >= 0
    flat = slots[here].astype(np.int64) * n_classes + block.class_[here]
    return np.bincount(flat, minlength=route.n_slots * n_classes)


def values(
    block: Block,
    route: Route,
    codings: Sequence[Coding],
    wanted: Mapping[int, Sequence[tuple[int, float, float]]],
) -> dict[int, npt.NDArray[np.float64]]:
    """Return slot, value, class and number of rows of each value that lies in a wanted span."""
    slots = route.slots(block, codings)
    found = {}
    for c, spans in wanted.items():
        numbers = block.numbers[c]
        chosen = np.zeros(len(slots), bool)
        by_slot: dict[int, list[tuple[float, float]]] = {}
        for slot, low, high in spans:
            by_slot.setdefault(slot, []).append((low, high))
        for slot, parts in by_slot.items():
            rows = np.flatnonzero(slots == slot)
            here = numbers[rows]
            for low, high in parts:
                chosen[rows[(here >= low) & (here <= high)]] = True
        picked: list[npt.NDArray[Any]] = [slots[chosen], numbers[chosen], block.class_[chosen]]
        found[c] = summed(
            np.stack([p.astype(np.float64) for p in picked] + [np.ones(chosen.sum())])
        )
    return found


def summed(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return slot, value, class with equal ones put together and their numbers added."""
    if not rows.shape[1]:
        return rows
    keys, at = np.unique(rows[:3], axis=1, return_inverse=True)
    return np.concatenate([keys, np.bincount(at.ravel(), rows[3], keys.shape[1])[None]])


def rows_of(
    block: Block, route: Route, codings: Sequence[Coding], wanted: Sequence[int]
) -> tuple[npt.NDArray[np.int32], Block]:
    """Return the rows of some slots, as a block."""
    slots = route.slots(block, codings)
    here = np.isin(slots, np.asarray(wanted, np.int32))
    codes = [code[here] for code in block.codes]
    numbers = {c: number[here] for c, number in block.numbers.items()}
    return slots[here], Block(block.class_[here], codes, numbers)
