"""A block: the coded rows of a partition in files of its own, moved on and counted there.

Pure functions of arrays, so that any cluster can call them; nothing here knows of Spark. How far
the rows have moved down the tree is kept beside them; it is a note only, since the question says
how they move: a block that was made again starts at the root and finds the same nodes.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import Flat, Passes, count_block
from penjing.engines.place import Ids, Opened, Test
from penjing.engines.spilled import DICTIONARIES, MANY
from penjing.stored import Cells
from penjing.table import Floats

Bytes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
ABOUT = "about.pickle"
STEP = 1 << 16
"""So many rows are coded at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """How one column is coded; a missing value has the last code, ``n_codes - 1``.

    Parameters
    ----------
    n_codes : int
        How many codes there are.
    place : mapping or None
        The code of each value, where they are no numbers.
    levels, codes : arrays or None
        Sorted numbers and the code of each, where they are listed.
    cells : Cells or None
        The quantile cells of numbers that are not.
    """

    n_codes: int
    place: Mapping[Any, int] | None = None
    levels: Floats | None = None
    codes: npt.NDArray[np.int32] | None = None
    cells: Cells | None = None

    @property
    def kind(self) -> Any:  # noqa: ANN401 - a dtype
        """The kind of number that holds a code."""
        return np.dtype(np.uint8 if self.n_codes <= 256 else np.uint16)


def code(folder: Path, n_rows: int, codings: Sequence[tuple[int, Coding]]) -> None:
    """Code the columns that a partition was written to, by their places; the last is the target."""
    if (folder / ABOUT).exists():
        return
    told = pickle.loads((folder / DICTIONARIES).read_bytes())  # noqa: S301 - our own
    about = []
    for c, coding in codings:
        if coding.place is not None:
            _code_names(folder, c, n_rows, coding, told[c])
        elif coding.levels is not None:
            _code_listed(folder, c, n_rows, coding)
        else:
            assert coding.cells is not None
            _code_cells(folder, c, n_rows, coding.cells)
        about.append((c, coding.kind if coding.cells is None else None, coding.n_codes))
    part = folder / f"{ABOUT}.{os.getpid()}"
    part.write_bytes(pickle.dumps((n_rows, about), 5))
    part.replace(folder / ABOUT)
    in_cells = {f"{c}.raw" for c, kind, _ in about if kind is None}
    for path in folder.iterdir():
        if path.suffix in {".local", ".raw"} and path.name not in in_cells:
            path.unlink()


def _code_names(folder: Path, c: int, n_rows: int, coding: Coding, names: Sequence[Any]) -> None:
    assert coding.place is not None
    codes = np.full(MANY + 2, -1, np.int64)  # the last place of all is that of no value
    codes[: len(names)] = [coding.place.get(value, -1) for value in names]
    table = np.where(codes < 0, coding.n_codes - 1, codes).astype(coding.kind)
    local = _mapped(folder / f"{c}.local", np.dtype(np.uint16), n_rows)
    with _whole(folder / f"{c}.codes") as file:
        for start in range(0, n_rows, STEP):
            np.take(table, local[start : start + STEP], mode="clip").tofile(file)


def _code_listed(folder: Path, c: int, n_rows: int, coding: Coding) -> None:
    """Code listed numbers by cells of one number each: far quicker than to search the list."""
    assert coding.levels is not None
    assert coding.codes is not None
    edges = np.union1d(coding.levels, np.nextafter(coding.levels, np.inf))
    cells = np.arange(len(edges) + 1)
    lost = coding.n_codes - 1
    table = np.full(1 << 16, lost, coding.kind)
    at = np.searchsorted(edges, coding.levels, side="right")
    table[at] = np.where(coding.codes < 0, lost, coding.codes)
    told = Cells(edges, (cells >> 8).astype(np.uint8), (cells & 255).astype(np.uint8))
    with _whole(folder / f"{c}.codes") as file:
        for high, low in _bytes(folder, c, n_rows, told):
            np.take(table, high.astype(np.uint16) << 8 | low).tofile(file)


def _code_cells(folder: Path, c: int, n_rows: int, cells: Cells) -> None:
    with _whole(folder / f"{c}.high") as above, _whole(folder / f"{c}.low") as below:
        for high, low in _bytes(folder, c, n_rows, cells):
            high.tofile(above)
            low.tofile(below)


def _bytes(folder: Path, c: int, n_rows: int, cells: Cells) -> Iterator[tuple[Any, Any]]:
    """Yield the bytes of the cells of a column, some rows at a time."""
    coder = cells.coder()
    raw = _mapped(folder / f"{c}.raw", np.dtype(np.float64), n_rows)
    high, low = np.empty(STEP, np.uint8), np.empty(STEP, np.uint8)
    for start in range(0, n_rows, STEP):
        numbers = raw[start : start + STEP]
        n = len(numbers)
        coder.code(numbers, high[:n], low[:n])
        yield high[:n], low[:n]


@contextmanager
def _whole(path: Path) -> Iterator[Any]:
    """Write a file whole: a task may run twice at the same time."""
    part = path.with_suffix(f"{path.suffix}.{os.getpid()}")
    with part.open("wb") as file:
        yield file
    part.replace(path)


def _mapped(path: Path, kind: Any, n: int) -> npt.NDArray[Any]:  # noqa: ANN401 - a dtype
    return np.memmap(path, kind, "r", shape=(n,)) if n else np.empty(0, kind)


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """One step of the rows down the tree: the tests of some nodes."""

    ids: Ids
    tests: list[Test]
    branches: npt.NDArray[np.int32]


class Block:
    """The rows of a partition, coded; raises FileNotFoundError where they are not.

    Parameters
    ----------
    folder : Path
        Where they are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.n_rows, about = pickle.loads((folder / ABOUT).read_bytes())  # noqa: S301 - our own
        self._about = about

    def _array(self, name: str, kind: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - a dtype
        return _mapped(self._folder / name, np.dtype(kind), self.n_rows)

    @property
    def class_(self) -> Bytes:
        """The class of each row."""
        return self.codes(-1)

    def codes(self, c: int) -> Bytes:
        """Return the codes of a column: high bytes where it is in quantile cells."""
        at, kind, _ = self._about[c]
        if kind is None:
            return self._array(f"{at}.high", np.uint8)
        return self._array(f"{at}.codes", kind)

    def numbers(self, c: int) -> Floats | None:
        """Return the numbers of a column in quantile cells."""
        at, kind, _ = self._about[c]
        return self._array(f"{at}.raw", np.float64) if kind is None else None

    def low(self, c: int) -> npt.NDArray[np.uint8] | None:
        """Return the low bytes of a column in quantile cells."""
        at, kind, _ = self._about[c]
        return self._array(f"{at}.low", np.uint8) if kind is None else None

    @property
    def n_columns(self) -> int:
        """How many columns there are besides the target."""
        return len(self._about) - 1

    def n_codes(self, c: int) -> int:
        """Return how many codes a column has."""
        return int(self._about[c][2])

    # -- rows that move on ------------------------------------------------------------------

    def passes(self, moves: Sequence[Move], n_classes: int) -> tuple[Passes, npt.NDArray[Any]]:
        """Return the rows, each in the node to which these moves lead it."""
        done, node = self._node(len(moves))
        columns = [
            (self.codes(c), self.n_codes(c), self.low(c), self.numbers(c))
            for c in range(self.n_columns)
        ]
        passes = Passes(columns, self.class_, n_classes, node, 1)
        for move in moves[done:]:
            top = max(int(move.ids.max()), int(node.max()) if self.n_rows else 0)
            test_of = np.full(top + 1, -1, np.int32)
            test_of[move.ids] = np.arange(len(move.ids))
            passes.pass_(
                move.tests, move.branches.tolist(), test_of, np.full(top + 1, -1, np.int32), 0
            )
        if done < len(moves):
            self._keep_node(len(moves), node)
        return passes, node

    def _node(self, most: int) -> tuple[int, npt.NDArray[np.uint32]]:
        """Return how many moves have been made, and the node of each row then."""
        for path in self._folder.glob("node.*"):
            done = path.suffix[1:]
            if done.isdecimal() and int(done) <= most:
                try:
                    return int(done), np.fromfile(path, np.uint32)
                except FileNotFoundError:  # another task has just moved it on
                    continue
        return 0, np.ones(self.n_rows, np.uint32)

    def _keep_node(self, done: int, node: npt.NDArray[np.uint32]) -> None:
        part = self._folder / f"part-{os.getpid()}"
        node.tofile(part)
        part.replace(self._folder / f"node.{done}")
        for path in self._folder.glob("node.*"):
            if path.suffix != f".{done}":
                path.unlink(missing_ok=True)

    def gathered(
        self, moves: Sequence[Move], n_classes: int, slot_of: Ids, n_slots: int
    ) -> list[list[npt.NDArray[Any]]]:
        """Return of each slot the columns of its rows, the class last: codes, or numbers."""
        passes, node = self.passes(moves, n_classes)
        start, rows = passes.rows_of(fitting(slot_of, node), n_slots)
        parts: list[Any] = [self.codes(c) for c in range(self.n_columns)]
        for c in range(self.n_columns):
            numbers = self.numbers(c)
            parts[c] = parts[c] if numbers is None else numbers
        return [
            [np.asarray(part[rows[start[i] : start[i + 1]]]) for part in (*parts, self.class_)]
            for i in range(n_slots)
        ]


def fitting(slot_of: Ids, node: npt.NDArray[Any]) -> Ids:
    """Return slots for every node that rows are in: nobody asks about those not told of."""
    top = int(node.max()) + 1 if len(node) else 0
    if len(slot_of) >= top:
        return slot_of
    return np.concatenate([slot_of, np.full(top - len(slot_of), -1, np.int32)])


# -- rows found from the root --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """A tree as far as it has grown, and which of its nodes are asked about."""

    arrays: Mapping[str, npt.NDArray[Any]]
    slot: npt.NDArray[np.int32]
    n_slots: int

    def slots(self, block: Block) -> npt.NDArray[np.int32]:
        """Return the slot of each row, -1 where nobody asks about its node."""
        flat = Flat(**self.arrays)  # type: ignore[arg-type]
        columns: list[Any] = [None] * block.n_columns
        for c in flat.asked.tolist():
            numbers = block.numbers(c)
            if numbers is not None:
                columns[c] = np.asarray(numbers)
            else:
                codes = block.codes(c).astype(np.int32)
                columns[c] = np.where(codes == block.n_codes(c) - 1, np.int32(-1), codes)
        return np.asarray(self.slot[flat.apply(columns, block.n_rows)], np.int32)


def tables(block: Block, route: Route, n_classes: int) -> list[npt.NDArray[np.int64]]:
    """Return the tables of all columns: slot by slot, code by code."""
    slots = route.slots(block)
    every = range(block.n_columns)
    codes, n_codes = [block.codes(c) for c in every], [block.n_codes(c) for c in every]
    return count_block(codes, n_codes, block.class_, n_classes, slots, route.n_slots)


def totals(block: Block, route: Route, n_classes: int) -> npt.NDArray[np.int64]:
    """Return how many rows of each class each slot has."""
    slots = route.slots(block)
    here = slots >= 0
    flat = slots[here].astype(np.int64) * n_classes + block.class_[here]
    return np.bincount(flat, minlength=route.n_slots * n_classes)


def values(
    block: Block, route: Route, wanted: Mapping[int, Sequence[tuple[int, float, float]]]
) -> dict[int, npt.NDArray[np.float64]]:
    """Return slot, value, class and number of rows of each value that lies in a wanted span."""
    slots = route.slots(block)
    found = {}
    for c, spans in wanted.items():
        numbers = block.numbers(c)
        assert numbers is not None
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


def rows_of(block: Block, route: Route, wanted: Sequence[int]) -> list[npt.NDArray[Any]]:
    """Return slot, columns and class of the rows of some slots: codes, or numbers."""
    slots = route.slots(block)
    here = np.flatnonzero(np.isin(slots, np.asarray(wanted, np.int32)))
    parts: list[Any] = [slots]
    for c in range(block.n_columns):
        numbers = block.numbers(c)
        parts.append(block.codes(c) if numbers is None else numbers)
    return [np.asarray(part[here]) for part in (*parts, block.class_)]


def joined(parts: Iterable[dict[int, Any]]) -> dict[int, Any]:
    """Return what blocks told of values, put together."""
    told = list(parts)
    every = {c: np.concatenate([one[c] for one in told], axis=1) for c in told[0]}
    return {c: summed(rows) for c, rows in every.items()}


__all__ = ["ABOUT", "Block", "Coding", "Move", "Opened", "Route", "code"]
