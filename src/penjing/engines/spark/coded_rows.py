"""A block: the coded rows of one partition in files, moved down the tree and counted there.

Functions of arrays that any cluster can call; nothing here depends on Spark. The node of each row
is stored beside the rows, but only to save time: every request contains all moves from the root,
so a block that had to be made again starts at the root and arrives at the same nodes.
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

from penjing._core import FlatTree, Passes, Quantiles, count_block
from penjing.data.store import QuantileCells
from penjing.data.table import Floats
from penjing.engines.out_of_core.row_location import Ids, NodeTest, OpenBuckets
from penjing.engines.spark.listed import Listed
from penjing.engines.spark.spilled import DICTIONARIES, MANY

Bytes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
ABOUT = "about.pickle"
STEP = 1 << 16
"""Number of rows that are coded at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """How one column is coded: 0 is a missing value, ``j + 1`` the j-th level.

    Parameters
    ----------
    n_codes : int
        Number of codes.
    place : mapping or None
        The level of each value, for values that are not numbers.
    levels, codes : arrays or None
        The sorted numbers and the level of each, for columns of few numbers.
    cells : QuantileCells or None
        The quantile cells, for columns of many numbers.
    first : int
        The code of the first level: 0 for classes, which are never missing.
    """

    n_codes: int
    place: Mapping[Any, int] | None = None
    levels: Floats | None = None
    codes: npt.NDArray[np.int32] | None = None
    cells: QuantileCells | None = None
    first: int = 1

    @property
    def kind(self) -> Any:  # noqa: ANN401 - a dtype
        """The dtype of a code."""
        return np.dtype(np.uint8 if self.n_codes <= 256 else np.uint16)


@dataclass(frozen=True, slots=True)
class Column:
    """The files of a column: one of codes, or several of cells with this stem."""

    name: str
    kind: Any
    n_codes: int
    cells: QuantileCells | None = None


def final_codes(coding: Coding, values: Sequence[Any]) -> npt.NDArray[Any]:
    """Return the code of a missing value (if there may be one), and of each of these values.

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
    codes = np.where(levels < 0, 0, levels + coding.first)
    return np.concatenate([np.zeros(coding.first, np.int64), codes]).astype(coding.kind)


def code(folder: Path, n_rows: int, codings: Sequence[tuple[int, Coding]]) -> None:
    """Code the files of a partition, (column position, coding) each; the last is the target."""

    def columns() -> list[Column]:
        dictionaries = pickle.loads((folder / DICTIONARIES).read_bytes())  # noqa: S301 - our own
        coded = []
        for c, coding in codings:
            if coding.cells is not None:
                _code_cells(folder, c, n_rows, coding.cells)
                coded.append(Column(str(c), None, coding.n_codes, coding.cells))
                continue
            if coding.place is not None:
                codes = final_codes(coding, dictionaries[c])[coding.first :]
                table = np.zeros(MANY + 2, coding.kind)  # the last entry is for missing values
                table[: len(codes)] = codes
                translate_codes(folder, c, np.dtype(np.uint16), n_rows, table)
            else:
                _code_listed(folder, c, n_rows, coding)
            coded.append(Column(f"{c}.codes", coding.kind, coding.n_codes))
        return coded

    complete_block(folder, n_rows, columns)


def complete_block(folder: Path, n_rows: int, make_columns: Callable[[], list[Column]]) -> None:
    """Make the columns of a block, mark it as complete, and remove files no longer needed."""
    if (folder / ABOUT).exists():
        return
    columns = make_columns()
    part = folder / f"{ABOUT}.{os.getpid()}"
    part.write_bytes(pickle.dumps((n_rows, columns), 5))
    part.replace(folder / ABOUT)
    needed = {
        column.name if column.kind is not None else f"{column.name}.raw" for column in columns
    }
    for path in folder.iterdir():
        if path.suffix in {".local", ".raw"} and path.name not in needed:
            path.unlink(missing_ok=True)


def translate_codes(
    folder: Path,
    c: int,
    kind: Any,  # noqa: ANN401 - a dtype
    n_rows: int,
    table: npt.NDArray[Any],
) -> None:
    """Write the final codes of a column, by a table from its local codes."""
    local = _map_file(folder / f"{c}.local", kind, n_rows)
    with _written_at_once(folder / f"{c}.codes") as file:
        for start in range(0, n_rows, STEP):
            np.take(table, local[start : start + STEP], mode="clip").tofile(file)


def _code_listed(folder: Path, c: int, n_rows: int, coding: Coding) -> None:
    assert coding.levels is not None
    listed, table = Listed(coding.levels), np.zeros(1 << 16, coding.kind)
    codes = final_codes(coding, coding.levels)[coding.first :]  # type: ignore[arg-type]
    table[1 : len(codes) + 1] = codes
    with _written_at_once(folder / f"{c}.codes") as file:
        for numbers in _numbers(folder, c, n_rows):
            table[listed.places(numbers)].tofile(file)


def _code_cells(folder: Path, c: int, n_rows: int, cells: QuantileCells) -> None:
    coder = cells.coder()
    high = np.empty(STEP, np.uint8)
    with _written_at_once(folder / f"{c}.high") as file:
        for numbers in _numbers(folder, c, n_rows):
            buckets = high[: len(numbers)]
            coder.buckets(numbers, buckets)
            buckets.tofile(file)


def _numbers(folder: Path, c: int, n_rows: int) -> Iterator[Floats]:
    """Yield the numbers of a column, some rows at a time."""
    raw = _map_file(folder / f"{c}.raw", np.dtype(np.float64), n_rows)
    for start in range(0, n_rows, STEP):
        yield raw[start : start + STEP]


@contextmanager
def _written_at_once(path: Path) -> Iterator[Any]:
    """Open a temporary file that is renamed at the end: the same task may run twice at a time."""
    part = path.with_suffix(f"{path.suffix}.{os.getpid()}")
    with part.open("wb") as file:
        yield file
    part.replace(path)


def _map_file(path: Path, kind: Any, n: int) -> npt.NDArray[Any]:  # noqa: ANN401 - a dtype
    return np.memmap(path, kind, "r", shape=(n,)) if n else np.empty(0, kind)


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """One step of the rows down the tree: the tests of some nodes. Then node ids are < ``size``."""

    ids: Ids
    tests: list[NodeTest]
    branches: npt.NDArray[np.int32]
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """All moves from the root so far; ``growth`` identifies the tree."""

    growth: str
    steps: list[Move]

    def pad_slots(self, slot_of: Ids) -> Ids:
        """Return slots for every node that rows may be in, -1 for nodes not in ``slot_of``."""
        size = self.steps[-1].size if self.steps else 2
        if len(slot_of) >= size:
            return slot_of
        return np.append(slot_of, np.full(size - len(slot_of), -1, np.int32))


class Block:
    """The coded rows of a partition; raises FileNotFoundError if its files do not exist.

    Parameters
    ----------
    folder : Path
        The folder of its files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.n_rows, columns = pickle.loads((folder / ABOUT).read_bytes())  # noqa: S301 - our own
        self._columns: list[Column] = columns
        self._maps: dict[str, npt.NDArray[Any]] = {}
        self._position: tuple[str, int, npt.NDArray[np.uint32]] | None = None
        self._passes: Passes | None = None
        self._writer: threading.Thread | None = None

    def _array(self, name: str, kind: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - a dtype
        if name not in self._maps:
            self._maps[name] = np.asarray(
                _map_file(self._folder / name, np.dtype(kind), self.n_rows)
            )
        return self._maps[name]

    @property
    def class_(self) -> Bytes:
        """The class of each row."""
        return self.codes(-1)

    def codes(self, c: int) -> Bytes:
        """Return the codes of a column; the high bytes if it is in quantile cells."""
        column = self._columns[c]
        if column.kind is None:
            return self._array(f"{column.name}.high", np.uint8)
        return self._array(column.name, column.kind)

    def numbers(self, c: int) -> Floats | None:
        """Return the numbers of a column in quantile cells; None for other columns."""
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

    # -- moving rows --------------------------------------------------------------------------

    def passes(self, moves: Moves, n_classes: int) -> Passes:
        """Return the passes over the rows, after these moves."""
        done = self._start_moves(moves, n_classes)
        assert self._passes is not None
        if done < len(moves.steps):
            self._move(moves, done, np.full(moves.steps[-1].size, -1, np.int32), 0)
        return self._passes

    def move_and_count(
        self, moves: Moves, n_classes: int, slot_of: Ids, n_slots: int
    ) -> list[npt.NDArray[np.uint32]]:
        """Move the rows, and count them in the last step."""
        slot_of, done = moves.pad_slots(slot_of), self._start_moves(moves, n_classes)
        assert self._passes is not None
        if done < len(moves.steps):
            return self._move(moves, done, slot_of, n_slots)
        return self._passes.move_and_count([], [], np.full_like(slot_of, -1), slot_of, n_slots)

    def _move(
        self, moves: Moves, done: int, slot_of: Ids, n_slots: int
    ) -> list[npt.NDArray[np.uint32]]:
        assert self._position is not None
        assert self._passes is not None
        node = self._position[2]
        if self._writer is not None:
            self._writer.join()
        self._position = None  # until all moves are done: a pass may be interrupted
        tables = []
        for i, move in enumerate(moves.steps[done:], done + 1):
            is_last = i == len(moves.steps)
            test_of = np.full(max(move.size, len(slot_of)), -1, np.int32)
            test_of[move.ids] = np.arange(len(move.ids))
            slots = slot_of if is_last else np.full_like(test_of, -1)
            tables = self._passes.move_and_count(
                move.tests, move.branches.tolist(), test_of, slots, n_slots if is_last else 0
            )
        self._position = moves.growth, len(moves.steps), node
        # Written in the background: without this file the rows are moved again.
        self._writer = threading.Thread(
            target=self._store_nodes, args=(moves.growth, len(moves.steps), node), daemon=True
        )
        self._writer.start()
        return tables

    def _start_moves(self, moves: Moves, n_classes: int) -> int:
        """Load the node of each row after some of these moves; return after how many."""
        if (
            self._position is not None
            and self._position[0] == moves.growth
            and self._position[1] <= len(moves.steps)
        ):
            return self._position[1]
        done, node = self._load_nodes(moves)
        columns = [
            (self.codes(c), self.n_codes(c), self._coder(c), self.numbers(c))
            for c in range(self.n_columns)
        ]
        self._passes = Passes(columns, self.class_, n_classes, node, 1)
        self._position = moves.growth, done, node
        return done

    def _load_nodes(self, moves: Moves) -> tuple[int, npt.NDArray[np.uint32]]:
        """Return the number of moves already made, and the node of each row after them."""
        for path in self._folder.glob(f"node-{moves.growth}.*"):
            done = path.suffix[1:]
            if done.isdecimal() and int(done) <= len(moves.steps):
                try:
                    return int(done), np.fromfile(path, np.uint32)
                except FileNotFoundError:  # another task has just replaced it
                    continue
        return 0, np.ones(self.n_rows, np.uint32)

    def _store_nodes(self, growth: str, done: int, node: npt.NDArray[np.uint32]) -> None:
        part = self._folder / f"part-{os.getpid()}"
        complete = self._folder / f"node-{growth}.{done}"
        with suppress(OSError):  # the block was removed, or the disk is full: the file is optional
            with part.open("wb", buffering=0) as file:
                written, view = 0, node.view(np.uint8).data
                while written < len(view):
                    written += file.write(view[written:])
            part.replace(complete)
            for path in self._folder.glob("node-*"):
                if path != complete:
                    path.unlink(missing_ok=True)

    def fetch_rows(
        self, moves: Moves, n_classes: int, slot_of: Ids, n_slots: int
    ) -> list[list[npt.NDArray[Any]]]:
        """Return for each slot the columns of its rows, as codes or numbers; the class is last."""
        passes = self.passes(moves, n_classes)
        start, rows = passes.rows_of(moves.pad_slots(slot_of), n_slots)
        parts: list[Any] = [self.codes(c) for c in range(self.n_columns)]
        for c in range(self.n_columns):
            numbers = self.numbers(c)
            parts[c] = parts[c] if numbers is None else numbers
        return [
            [np.asarray(part[rows[start[i] : start[i + 1]]]) for part in (*parts, self.class_)]
            for i in range(n_slots)
        ]


_OPEN_BLOCKS: dict[Path, Block] = {}
"""Blocks that this process has used: their files stay mapped."""
_MAX_OPEN = 8


def open_block(folder: Path) -> Block:
    """Return a block, from the cache of this process if possible.

    Raises FileNotFoundError if its files do not exist.
    """
    forget_removed()
    block = _OPEN_BLOCKS.pop(folder, None) or Block(folder)
    _OPEN_BLOCKS[folder] = block  # now the most recently used
    while len(_OPEN_BLOCKS) > _MAX_OPEN:
        del _OPEN_BLOCKS[next(iter(_OPEN_BLOCKS))]
    return block


def forget_removed() -> None:
    """Close blocks whose files were removed: mapped files occupy the disk until then."""
    for folder in [folder for folder in _OPEN_BLOCKS if not (folder / ABOUT).exists()]:
        del _OPEN_BLOCKS[folder]


# -- rows routed from the root ----------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """A tree as far as it has grown, and the slots of the nodes that are counted."""

    arrays: Mapping[str, npt.NDArray[Any]]
    slot: npt.NDArray[np.int32]
    n_slots: int

    def slots(self, block: Block) -> npt.NDArray[np.int32]:
        """Return the slot of each row, -1 if its node is not counted."""
        flat = FlatTree(**self.arrays)  # type: ignore[arg-type]
        columns: list[Any] = [None] * block.n_columns
        for c in flat.used_columns.tolist():
            numbers = block.numbers(c)
            if numbers is not None:
                columns[c] = np.asarray(numbers)
            else:
                columns[c] = block.codes(c).astype(np.int32) - 1
        return np.asarray(self.slot[flat.apply(columns, block.n_rows)], np.int32)


def tables(block: Block, route: Route, n_classes: int) -> list[npt.NDArray[np.int64]]:
    """Return the counts of all columns, by slot, code and class."""
    slots = route.slots(block)
    columns = range(block.n_columns)
    codes, n_codes = [block.codes(c) for c in columns], [block.n_codes(c) for c in columns]
    return count_block(codes, n_codes, block.class_, n_classes, slots, route.n_slots)


def totals(block: Block, route: Route, n_classes: int) -> npt.NDArray[np.int64]:
    """Return how many rows of each class each slot has."""
    slots = route.slots(block)
    is_counted = slots >= 0
    flat = slots[is_counted].astype(np.int64) * n_classes + block.class_[is_counted]
    return np.bincount(flat, minlength=route.n_slots * n_classes)


def count_values(
    block: Block, route: Route, spans: Mapping[int, Sequence[tuple[int, float, float]]]
) -> dict[int, npt.NDArray[np.float64]]:
    """Return slot, value, class and row count of each value within these spans, by column."""
    slots = route.slots(block)
    by_column = {}
    for c, of_column in spans.items():
        numbers = block.numbers(c)
        assert numbers is not None
        is_wanted = np.zeros(len(slots), bool)
        by_slot: dict[int, list[tuple[float, float]]] = {}
        for slot, low, high in of_column:
            by_slot.setdefault(slot, []).append((low, high))
        for slot, ranges in by_slot.items():
            rows = np.flatnonzero(slots == slot)
            in_slot = numbers[rows]
            for low, high in ranges:
                is_wanted[rows[(in_slot >= low) & (in_slot <= high)]] = True
        columns: list[npt.NDArray[Any]] = [
            slots[is_wanted],
            numbers[is_wanted],
            block.class_[is_wanted],
        ]
        by_column[c] = sum_groups(
            np.stack([p.astype(np.float64) for p in columns] + [np.ones(is_wanted.sum())])
        )
    return by_column


def sum_groups(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return slot, value, class and row count, with equal groups summed."""
    if not rows.shape[1]:
        return rows
    keys, at = np.unique(rows[:3], axis=1, return_inverse=True)
    return np.concatenate([keys, np.bincount(at.ravel(), rows[3], keys.shape[1])[None]])


def rows_of(block: Block, route: Route, wanted: Sequence[int]) -> list[npt.NDArray[Any]]:
    """Return slot, columns and class of the rows of some slots, as codes or numbers."""
    slots = route.slots(block)
    row_ids = np.flatnonzero(np.isin(slots, np.asarray(wanted, np.int32)))
    parts: list[Any] = [slots]
    for c in range(block.n_columns):
        numbers = block.numbers(c)
        parts.append(block.codes(c) if numbers is None else numbers)
    return [np.asarray(part[row_ids]) for part in (*parts, block.class_)]


def merge_values(parts: Iterable[dict[int, Any]]) -> dict[int, Any]:
    """Return the results of `count_values` of several blocks as one."""
    blocks = list(parts)
    by_column = {c: np.concatenate([block[c] for block in blocks], axis=1) for c in blocks[0]}
    return {c: sum_groups(rows) for c, rows in by_column.items()}


__all__ = ["ABOUT", "Block", "Coding", "Column", "Move", "Moves", "OpenBuckets", "Route", "code"]
