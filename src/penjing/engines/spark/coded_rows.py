"""A block: the coded rows of a partition in files of its own, moved on and counted there.

Pure functions of arrays, so that any cluster can call them; nothing here knows of Spark. How far
the rows have moved down the tree is kept beside them; it is a note only, since the question says
how they move: a block that was made again starts at the root and finds the same nodes.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import Flat, Passes, Quantiles, count_block
from penjing.data.store import QuantileCells
from penjing.data.table import Floats
from penjing.engines.out_of_core.row_location import Ids, Opened, Test
from penjing.engines.spark.listed import Listed
from penjing.engines.spark.spilled import DICTIONARIES, MANY

Bytes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
ABOUT = "about.pickle"
STEP = 1 << 16
"""So many rows are coded at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """How one column is coded; 0 is a missing value, ``j + 1`` the j-th level.

    Parameters
    ----------
    n_codes : int
        How many codes there are.
    place : mapping or None
        The level of each value, where they are no numbers.
    levels, codes : arrays or None
        Sorted numbers and the level of each, where they are listed.
    cells : Cells or None
        The quantile cells of numbers that are not.
    first : int
        The code of the first level: 0 for classes, of which none is missing.
    """

    n_codes: int
    place: Mapping[Any, int] | None = None
    levels: Floats | None = None
    codes: npt.NDArray[np.int32] | None = None
    cells: QuantileCells | None = None
    first: int = 1

    @property
    def kind(self) -> Any:  # noqa: ANN401 - a dtype
        """The kind of number that holds a code."""
        return np.dtype(np.uint8 if self.n_codes <= 256 else np.uint16)


@dataclass(frozen=True, slots=True)
class Column:
    """Where the codes of a column are: a file of codes, or the stem of files of cells."""

    name: str
    kind: Any
    n_codes: int
    cells: QuantileCells | None = None


def final_codes(coding: Coding, values: Sequence[Any]) -> npt.NDArray[Any]:
    """Return the code of a missing value (where there may be one), and of each of some values.

    Examples
    --------
    >>> final_codes(Coding(3, {"a": 0, "b": 1, "?": -1}), ["b", "?", "a", "new"])
    array([0, 2, 0, 1, 0], dtype=uint8)
    """
    if coding.place is not None:
        levels = np.array([coding.place.get(value, -1) for value in values], np.int64)
    else:
        assert coding.levels is not None
        assert coding.codes is not None
        numbers = np.asarray(values, np.float64)
        levels = np.full(len(numbers), -1, np.int64)
        if len(coding.levels):
            at = np.minimum(np.searchsorted(coding.levels, numbers), len(coding.levels) - 1)
            levels = np.where(coding.levels[at] == numbers, coding.codes[at], -1)
    found = np.where(levels < 0, 0, levels + coding.first)
    return np.concatenate([np.zeros(coding.first, np.int64), found]).astype(coding.kind)


def code(folder: Path, n_rows: int, codings: Sequence[tuple[int, Coding]]) -> None:
    """Code the columns that a partition was written to, by their places; the last is the target."""

    def columns() -> list[Column]:
        told = pickle.loads((folder / DICTIONARIES).read_bytes())  # noqa: S301 - our own
        found = []
        for c, coding in codings:
            if coding.cells is not None:
                _code_cells(folder, c, n_rows, coding.cells)
                found.append(Column(str(c), None, coding.n_codes, coding.cells))
                continue
            if coding.place is not None:
                codes = final_codes(coding, told[c])[coding.first :]
                table = np.zeros(MANY + 2, coding.kind)  # the last place is that of no value
                table[: len(codes)] = codes
                translated(folder, c, np.dtype(np.uint16), n_rows, table)
            else:
                _code_listed(folder, c, n_rows, coding)
            found.append(Column(f"{c}.codes", coding.kind, coding.n_codes))
        return found

    noted(folder, n_rows, columns)


def noted(folder: Path, n_rows: int, columns: Callable[[], list[Column]]) -> None:
    """Make columns, and note that the block is whole; what is not needed then is removed."""
    if (folder / ABOUT).exists():
        return
    found = columns()
    part = folder / f"{ABOUT}.{os.getpid()}"
    part.write_bytes(pickle.dumps((n_rows, found), 5))
    part.replace(folder / ABOUT)
    kept = {column.name if column.kind is not None else f"{column.name}.raw" for column in found}
    for path in folder.iterdir():
        if path.suffix in {".local", ".raw"} and path.name not in kept:
            path.unlink(missing_ok=True)


def translated(
    folder: Path,
    c: int,
    kind: Any,  # noqa: ANN401 - a dtype
    n_rows: int,
    table: npt.NDArray[Any],
) -> None:
    """Write the codes of a column anew, by a table of what they are now."""
    local = _mapped(folder / f"{c}.local", kind, n_rows)
    with _whole(folder / f"{c}.codes") as file:
        for start in range(0, n_rows, STEP):
            np.take(table, local[start : start + STEP], mode="clip").tofile(file)


def _code_listed(folder: Path, c: int, n_rows: int, coding: Coding) -> None:
    assert coding.levels is not None
    listed, table = Listed(coding.levels), np.zeros(1 << 16, coding.kind)
    codes = final_codes(coding, coding.levels)[coding.first :]  # type: ignore[arg-type]
    table[1 : len(codes) + 1] = codes
    with _whole(folder / f"{c}.codes") as file:
        for numbers in _numbers(folder, c, n_rows):
            table[listed.places(numbers)].tofile(file)


def _code_cells(folder: Path, c: int, n_rows: int, cells: QuantileCells) -> None:
    coder = cells.coder()
    high = np.empty(STEP, np.uint8)
    with _whole(folder / f"{c}.high") as file:
        for numbers in _numbers(folder, c, n_rows):
            here = high[: len(numbers)]
            coder.buckets(numbers, here)
            here.tofile(file)


def _numbers(folder: Path, c: int, n_rows: int) -> Iterator[Floats]:
    """Yield the numbers of a column, some rows at a time."""
    raw = _mapped(folder / f"{c}.raw", np.dtype(np.float64), n_rows)
    for start in range(0, n_rows, STEP):
        yield raw[start : start + STEP]


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
    """One step of the rows down the tree: the tests of some nodes; ids are below ``size`` then."""

    ids: Ids
    tests: list[Test]
    branches: npt.NDArray[np.int32]
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """All steps from the root so far, and of which growth they are."""

    growth: str
    steps: list[Move]

    def fitting(self, slot_of: Ids) -> Ids:
        """Return slots for every node that rows may be in: nobody asks about those not told of."""
        size = self.steps[-1].size if self.steps else 2
        if len(slot_of) >= size:
            return slot_of
        return np.append(slot_of, np.full(size - len(slot_of), -1, np.int32))


class Block:
    """The rows of a partition, coded; raises FileNotFoundError where they are not.

    Parameters
    ----------
    folder : Path
        Where they are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.n_rows, columns = pickle.loads((folder / ABOUT).read_bytes())  # noqa: S301 - our own
        self._columns: list[Column] = columns
        self._maps: dict[str, npt.NDArray[Any]] = {}
        self._at: tuple[str, int, npt.NDArray[np.uint32]] | None = None
        self._passes: Passes | None = None
        self._writes: threading.Thread | None = None

    def _array(self, name: str, kind: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - a dtype
        if name not in self._maps:
            self._maps[name] = np.asarray(_mapped(self._folder / name, np.dtype(kind), self.n_rows))
        return self._maps[name]

    @property
    def class_(self) -> Bytes:
        """The class of each row."""
        return self.codes(-1)

    def codes(self, c: int) -> Bytes:
        """Return the codes of a column: high bytes where it is in quantile cells."""
        column = self._columns[c]
        if column.kind is None:
            return self._array(f"{column.name}.high", np.uint8)
        return self._array(column.name, column.kind)

    def numbers(self, c: int) -> Floats | None:
        """Return the numbers of a column in quantile cells."""
        column = self._columns[c]
        return self._array(f"{column.name}.raw", np.float64) if column.kind is None else None

    def _coder(self, c: int) -> Quantiles | None:
        cells = self._columns[c].cells
        return None if cells is None else cells.coder()

    @property
    def n_columns(self) -> int:
        """How many columns there are besides the target."""
        return len(self._columns) - 1

    def n_codes(self, c: int) -> int:
        """Return how many codes a column has."""
        return self._columns[c].n_codes

    # -- rows that move on ------------------------------------------------------------------

    def passes(self, moves: Moves, n_classes: int) -> Passes:
        """Return the rows, each in the node to which these moves lead it."""
        done = self._turned(moves, n_classes)
        assert self._passes is not None
        if done < len(moves.steps):
            self._move(moves, done, np.full(moves.steps[-1].size, -1, np.int32), 0)
        return self._passes

    def counted(
        self, moves: Moves, n_classes: int, slot_of: Ids, n_slots: int
    ) -> list[npt.NDArray[np.uint32]]:
        """Move rows, and count them on the last step."""
        slot_of, done = moves.fitting(slot_of), self._turned(moves, n_classes)
        assert self._passes is not None
        if done < len(moves.steps):
            return self._move(moves, done, slot_of, n_slots)
        return self._passes.pass_([], [], np.full_like(slot_of, -1), slot_of, n_slots)

    def _move(
        self, moves: Moves, done: int, slot_of: Ids, n_slots: int
    ) -> list[npt.NDArray[np.uint32]]:
        assert self._at is not None
        assert self._passes is not None
        node = self._at[2]
        if self._writes is not None:
            self._writes.join()
        self._at = None  # until all is done: a pass may be cut short
        tables = []
        for i, move in enumerate(moves.steps[done:], done + 1):
            is_last = i == len(moves.steps)
            test_of = np.full(max(move.size, len(slot_of)), -1, np.int32)
            test_of[move.ids] = np.arange(len(move.ids))
            slots = slot_of if is_last else np.full_like(test_of, -1)
            tables = self._passes.pass_(
                move.tests, move.branches.tolist(), test_of, slots, n_slots if is_last else 0
            )
        self._at = moves.growth, len(moves.steps), node
        # Nobody waits for the note: who does not find it moves the rows again.
        self._writes = threading.Thread(
            target=self._keep_node, args=(moves.growth, len(moves.steps), node), daemon=True
        )
        self._writes.start()
        return tables

    def _turned(self, moves: Moves, n_classes: int) -> int:
        """Find nodes that some of these moves led to; return how many."""
        if self._at is not None and self._at[0] == moves.growth and self._at[1] <= len(moves.steps):
            return self._at[1]
        done, node = self._node(moves)
        columns = [
            (self.codes(c), self.n_codes(c), self._coder(c), self.numbers(c))
            for c in range(self.n_columns)
        ]
        self._passes = Passes(columns, self.class_, n_classes, node, 1)
        self._at = moves.growth, done, node
        return done

    def _node(self, moves: Moves) -> tuple[int, npt.NDArray[np.uint32]]:
        """Return how many moves have been made, and the node of each row then."""
        for path in self._folder.glob(f"node-{moves.growth}.*"):
            done = path.suffix[1:]
            if done.isdecimal() and int(done) <= len(moves.steps):
                try:
                    return int(done), np.fromfile(path, np.uint32)
                except FileNotFoundError:  # another task has just moved it on
                    continue
        return 0, np.ones(self.n_rows, np.uint32)

    def _keep_node(self, growth: str, done: int, node: npt.NDArray[np.uint32]) -> None:
        part = self._folder / f"part-{os.getpid()}"
        whole = self._folder / f"node-{growth}.{done}"
        with suppress(OSError):  # the block is gone, or there is no room: it is a note only
            with part.open("wb", buffering=0) as file:
                written, view = 0, node.view(np.uint8).data
                while written < len(view):
                    written += file.write(view[written:])
            part.replace(whole)
            for path in self._folder.glob("node-*"):
                if path != whole:
                    path.unlink(missing_ok=True)

    def gathered(
        self, moves: Moves, n_classes: int, slot_of: Ids, n_slots: int
    ) -> list[list[npt.NDArray[Any]]]:
        """Return of each slot the columns of its rows, the class last: codes, or numbers."""
        passes = self.passes(moves, n_classes)
        start, rows = passes.rows_of(moves.fitting(slot_of), n_slots)
        parts: list[Any] = [self.codes(c) for c in range(self.n_columns)]
        for c in range(self.n_columns):
            numbers = self.numbers(c)
            parts[c] = parts[c] if numbers is None else numbers
        return [
            [np.asarray(part[rows[start[i] : start[i + 1]]]) for part in (*parts, self.class_)]
            for i in range(n_slots)
        ]


_OPENED: dict[Path, Block] = {}
"""Blocks that this process has answered for: what is mapped stays mapped until they are gone."""
_MOST = 8


def opened(folder: Path) -> Block:
    """Return a block, as this process left it; raises FileNotFoundError where it is not."""
    forget_lost()
    block = _OPENED.pop(folder, None) or Block(folder)
    _OPENED[folder] = block  # the last one used
    while len(_OPENED) > _MOST:
        del _OPENED[next(iter(_OPENED))]
    return block


def forget_lost() -> None:
    """Forget blocks whose files were removed: mapped files take room as long as they are mapped."""
    for folder in [folder for folder in _OPENED if not (folder / ABOUT).exists()]:
        del _OPENED[folder]


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
                columns[c] = block.codes(c).astype(np.int32) - 1
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


__all__ = ["ABOUT", "Block", "Coding", "Column", "Move", "Moves", "Opened", "Route", "code"]
