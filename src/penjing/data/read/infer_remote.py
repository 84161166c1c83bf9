"""What columns are whose rows stay where they are: judged from their distinct values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.read.build_table import TARGET_NAMES
from penjing.data.read.context import ReadContext
from penjing.data.read.ids import is_id_name
from penjing.data.read.infer import infer_columns, infer_target
from penjing.data.read.missing_markers import make_markers
from penjing.data.read.raw_columns import RawColumn, RawTable
from penjing.data.read.schema import column_specs
from penjing.data.table import Column, Field, Floats, Note, Table
from penjing.errors import CapabilityError, ChoiceError, DataError, unknown_name_error

MAX_LISTED_NUMBERS = 1_000
"""A column of numbers with more distinct values than this is not listed."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSummary:
    """What is known of a column from afar.

    Parameters
    ----------
    name : str
        The column's name.
    values : list, array or None
        Its distinct values, sorted (an array where they are numbers); None for more numbers
        than are listed.
    counts : (n,) int64
        How many rows have each.
    n_missing : int
        How many rows have none.
    span : (float, float)
        The least and the greatest of numbers that are not listed.
    is_whole, is_distinct : bool
        Whether these are whole numbers, and whether none occurs twice.
    """

    name: str
    values: Sequence[Any] | npt.NDArray[Any] | None
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    n_missing: int = 0
    span: tuple[float, float] = (0.0, 0.0)
    is_whole: bool = False
    is_distinct: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class RemoteColumn:
    """A column from afar, and the code of each of its distinct values.

    ``codes`` is None for a column of numbers that are not listed: they stand for themselves.
    """

    column: Field
    values: Sequence[Any] | npt.NDArray[Any] | None
    codes: npt.NDArray[np.int32] | None
    n_missing: int

    @property
    def is_listed(self) -> bool:
        """Whether the distinct values are known."""
        return self.codes is not None

    def numbers(self) -> Floats:
        """Return the sorted numbers of a listed numeric column, by code."""
        return np.asarray(self.column.levels, np.float64)


@dataclass(slots=True)
class RemoteTable:
    """All columns of a source from afar."""

    name: str
    n_rows: int
    target: RemoteColumn
    counts: npt.NDArray[np.int64]
    """How many rows have each class."""
    columns: list[RemoteColumn] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def sort_key(value: object) -> Any:  # noqa: ANN401 - what can be compared
    """Return by what values are sorted: text as it is meant, without blanks around it."""
    return value.strip() if isinstance(value, str) else value


def find_remote_target(names: Sequence[str], target: str | None, source: str) -> str:
    """Return the name of the target: the one that is said, or one that is called so."""
    if target is not None:
        if target not in names:
            raise unknown_name_error("unknown_column", target, names)
        return target
    found = [name for name in names if name.casefold() in TARGET_NAMES]
    if len(found) != 1:
        raise ChoiceError("no_target", source=source, known=", ".join(names))
    return found[0]


REMOTE_NOTE_KEYS = {
    key: f"{key}_there" for key in ("note_left_out_date", "note_taken_as_value", "note_odd_number")
}
"""Notes whose advice is about reading, and what is said of rows that nobody reads."""


def infer_remote_target(
    seen: ColumnSummary, schema: Mapping[str, Any] | None, source: str
) -> RemoteTable:
    """Judge the target; rows without a class do not count."""
    if seen.values is None:
        raise CapabilityError("engine_lacks_numeric_target", column=seen.name)
    cells = _raw_column(seen)
    sheet = RawTable([cells], len(cells.codes), {"name": source})
    asked = column_specs(_schema_of(schema, seen.name), sheet)
    reading = ReadContext(sheet, make_markers(None, usual=True))
    column = infer_target(reading, cells, asked.get(seen.name))
    if column.is_numeric:
        raise CapabilityError("engine_lacks_numeric_target", column=seen.name)
    judged = _remote_column(seen, column)
    assert judged.codes is not None
    known = judged.codes >= 0
    counts = np.bincount(
        judged.codes[known], np.asarray(seen.counts)[known], len(column.levels)
    ).astype(np.int64)
    if not counts.sum():
        raise DataError("empty_target", source=source, column=seen.name)
    return RemoteTable(source, int(counts.sum()), judged, counts, notes=reading.notes)


def add_remote_column(
    found: RemoteTable, seen: ColumnSummary, schema: Mapping[str, Any] | None
) -> None:
    """Judge one more column, and note what became of it."""
    if seen.values is None:
        _add_unlisted_column(found, seen, _schema_of(schema, seen.name).get(seen.name))
        return
    cells = _raw_column(seen)
    sheet = RawTable([cells], len(cells.codes), {"name": found.name})
    reading = ReadContext(sheet, make_markers(None, usual=True))
    wish = column_specs(_schema_of(schema, seen.name), sheet).get(seen.name)
    made = infer_columns(reading, cells, wish)
    found.left_out += reading.left_out
    found.notes += [
        replace(note, key=REMOTE_NOTE_KEYS.get(note.key, note.key)) for note in reading.notes
    ]
    if not made:
        return
    if len(made) > 1 or made[0].name != seen.name:
        raise CapabilityError("remote_date_column", column=seen.name)
    found.columns.append(_remote_column(seen, made[0]))


def remote_table_of(table: Table, name: str) -> RemoteTable:
    """Return what is known of rows that were read: levels are their codes, in the same order."""
    target = table.target
    if target is None or target.is_numeric:
        raise CapabilityError(
            "engine_lacks_numeric_target", column=None if target is None else target.name
        )
    counts = np.bincount(target.codes, minlength=len(target.levels)).astype(np.int64)
    found = RemoteTable(name, table.n_rows, _remote_column_of(target), counts)
    found.columns = [_remote_column_of(column) for column in table.columns]
    found.left_out, found.notes = [*table.left_out], [*table.notes]
    return found


def _remote_column_of(column: Column) -> RemoteColumn:
    n, n_missing = len(column.levels), column.n_missing
    if column.is_numeric and n > MAX_LISTED_NUMBERS:
        return RemoteColumn(Field(column.name, "numeric"), None, None, n_missing)
    codes = np.arange(n, dtype=np.int32)
    values = np.asarray(column.levels, np.float64) if column.is_numeric else codes
    return RemoteColumn(Field(column.name, column.kind, column.levels), values, codes, n_missing)


def _add_unlisted_column(found: RemoteTable, seen: ColumnSummary, wish: object) -> None:
    if wish == "ignore":
        found.left_out.append((seen.name, "ignored"))
        return
    if wish not in (None, "numeric"):
        raise CapabilityError("remote_too_many_numbers", column=seen.name, most=MAX_LISTED_NUMBERS)
    if not all(map(math.isfinite, seen.span)):
        raise DataError("remote_infinite", source=found.name, column=seen.name)
    counts_up = seen.span[1] - seen.span[0] + 1 == found.n_rows - seen.n_missing
    if wish is None and seen.is_whole and seen.is_distinct:
        why = "name" if is_id_name(seen.name) else "count" if counts_up else None
        if why is not None:
            said = {"source": found.name, "column": seen.name, "n": found.n_rows}
            found.notes.append(Note(f"note_left_out_id_{why}", said))
            found.left_out.append((seen.name, "id"))
            return
    found.columns.append(RemoteColumn(Field(seen.name, "numeric"), None, None, seen.n_missing))


def _schema_of(schema: Mapping[str, Any] | None, name: str) -> dict[str, Any]:
    return {name: schema[name]} if schema and name in schema else {}


def _raw_column(seen: ColumnSummary) -> RawColumn:
    """Return a column in which each value stands once, or twice where it does so more often."""
    assert seen.values is not None
    times = np.minimum(seen.counts, 2)
    codes = np.repeat(np.arange(len(seen.values), dtype=np.int32), times)
    if seen.n_missing:
        codes = np.append(codes, np.int32(-1))
    return RawColumn(seen.name, seen.values, codes)


def _remote_column(seen: ColumnSummary, column: Column) -> RemoteColumn:
    """Return the column with the code of each value; a value that is a gap has code -1."""
    assert seen.values is not None
    first = np.append(0, np.cumsum(np.minimum(seen.counts, 2)))[:-1]
    codes = column.codes[first] if len(first) else np.empty(0, np.int32)
    lost = int(np.asarray(seen.counts)[codes < 0].sum())
    kept = Field(column.name, column.kind, column.levels)
    return RemoteColumn(kept, seen.values, codes, seen.n_missing + lost)


__all__ = [
    "MAX_LISTED_NUMBERS",
    "ColumnSummary",
    "RemoteColumn",
    "RemoteTable",
    "add_remote_column",
    "find_remote_target",
    "infer_remote_target",
    "remote_table_of",
    "sort_key",
]
