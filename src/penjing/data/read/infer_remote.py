"""Infer the types of columns in a database or cluster from their distinct values."""

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
from penjing.data.read.reading import Reading
from penjing.data.read.schema import column_specs
from penjing.data.table import Column, Field, Floats, Note, Table
from penjing.errors import CapabilityError, ChoiceError, DataError, unknown_name_error
from penjing.i18n import Names

MAX_LISTED_NUMBERS = 1_000
"""The values of a numeric column with more distinct values than this are not fetched."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSummary:
    """What is known of a column whose rows are not fetched.

    Parameters
    ----------
    name : str
        The column's name.
    values : list, array or None
        Its distinct values, sorted (an array if they are numbers); None if there are too many
        numbers to be listed.
    counts : (n,) int64
        The number of rows with each value.
    n_missing : int
        The number of rows without a value.
    span : (float, float)
        The smallest and the largest number, if the numbers are not listed.
    is_whole, is_distinct : bool
        Whether these numbers are integers, and whether they are all different.
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
    """The inferred type of a remote column, and the code of each of its distinct values.

    ``codes`` is None if the numbers are not listed: then the engine uses the numbers themselves.
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
    """The inferred columns of a table whose rows are not fetched."""

    name: str
    n_rows: int
    target: RemoteColumn
    counts: npt.NDArray[np.int64]
    """The number of rows of each class."""
    columns: list[RemoteColumn] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    reading: Reading = field(default_factory=Reading)
    """How the cells of the columns become values."""


def sort_key(value: object) -> Any:  # noqa: ANN401 - what can be compared
    """Return the sort key of a value: text without blanks around it."""
    return value.strip() if isinstance(value, str) else value


def find_remote_target(names: Sequence[str], target: str | None, source: str) -> str:
    """Return the name of the target: the given one, or the only column with a usual name."""
    if target is not None:
        if target not in names:
            raise unknown_name_error("unknown_column", target, names)
        return target
    candidates = [name for name in names if name.casefold() in TARGET_NAMES]
    if len(candidates) != 1:
        raise ChoiceError("no_target", source=source, known=Names(names))
    return candidates[0]


REMOTE_NOTE_KEYS = {
    key: f"{key}_there" for key in ("note_left_out_date", "note_taken_as_value", "note_odd_number")
}
"""Notes whose advice does not apply to remote tables, and the keys that replace them."""


def infer_remote_target(
    summary: ColumnSummary, schema: Mapping[str, Any] | None, source: str
) -> RemoteTable:
    """Infer the target; rows without a class are not counted."""
    if summary.values is None:
        raise CapabilityError("engine_lacks_numeric_target", column=summary.name)
    raw = _raw_column(summary)
    raw_table = RawTable([raw], len(raw.codes), {"name": source})
    specs = column_specs(_schema_of(schema, summary.name), raw_table)
    context = ReadContext(raw_table, make_markers(None, usual=True))
    column = infer_target(context, raw, specs.get(summary.name))
    if column.is_numeric:
        raise CapabilityError("engine_lacks_numeric_target", column=summary.name)
    remote = _remote_column(summary, column)
    assert remote.codes is not None
    is_known = remote.codes >= 0
    counts = np.bincount(
        remote.codes[is_known], np.asarray(summary.counts)[is_known], len(column.levels)
    ).astype(np.int64)
    if not counts.sum():
        raise DataError("empty_target", source=source, column=summary.name)
    reading = Reading(columns=context.columns)
    return RemoteTable(
        source, int(counts.sum()), remote, counts, notes=context.notes, reading=reading
    )


def add_remote_column(
    table: RemoteTable, summary: ColumnSummary, schema: Mapping[str, Any] | None
) -> None:
    """Infer one more column and add it to the table, or to the columns left out."""
    if summary.values is None:
        _add_unlisted_column(table, summary, _schema_of(schema, summary.name).get(summary.name))
        return
    raw = _raw_column(summary)
    raw_table = RawTable([raw], len(raw.codes), {"name": table.name})
    context = ReadContext(raw_table, make_markers(None, usual=True))
    spec = column_specs(_schema_of(schema, summary.name), raw_table).get(summary.name)
    columns = infer_columns(context, raw, spec)
    table.left_out += context.left_out
    known = {**table.reading.columns, **context.columns}
    table.reading = replace(table.reading, columns=known)
    table.notes += [
        replace(note, key=REMOTE_NOTE_KEYS.get(note.key, note.key)) for note in context.notes
    ]
    if not columns:
        return
    if len(columns) > 1 or columns[0].name != summary.name:
        raise CapabilityError("remote_date_column", column=summary.name)
    table.columns.append(_remote_column(summary, columns[0]))


def remote_table_of(table: Table, name: str) -> RemoteTable:
    """Return the remote description of a table in memory; the codes are those of its levels."""
    target = table.target
    if target is None or target.is_numeric:
        raise CapabilityError(
            "engine_lacks_numeric_target", column=None if target is None else target.name
        )
    counts = np.bincount(target.codes, minlength=len(target.levels)).astype(np.int64)
    remote = RemoteTable(name, table.n_rows, _remote_column_of(target), counts)
    remote.columns = [_remote_column_of(column) for column in table.columns]
    remote.left_out, remote.notes = [*table.left_out], [*table.notes]
    remote.reading = Reading.from_json(table.source.get("reading"))
    return remote


def _remote_column_of(column: Column) -> RemoteColumn:
    n, n_missing = len(column.levels), column.n_missing
    if column.is_numeric and n > MAX_LISTED_NUMBERS:
        return RemoteColumn(Field(column.name, "numeric"), None, None, n_missing)
    codes = np.arange(n, dtype=np.int32)
    values = np.asarray(column.levels, np.float64) if column.is_numeric else codes
    return RemoteColumn(Field(column.name, column.kind, column.levels), values, codes, n_missing)


def _add_unlisted_column(table: RemoteTable, summary: ColumnSummary, spec: object) -> None:
    if spec == "ignore":
        table.left_out.append((summary.name, "ignored"))
        return
    if spec not in (None, "numeric"):
        raise CapabilityError(
            "remote_too_many_numbers", column=summary.name, most=MAX_LISTED_NUMBERS
        )
    if not all(map(math.isfinite, summary.span)):
        raise DataError("remote_infinite", source=table.name, column=summary.name)
    is_consecutive = summary.span[1] - summary.span[0] + 1 == table.n_rows - summary.n_missing
    if spec is None and summary.is_whole and summary.is_distinct:
        reason = "name" if is_id_name(summary.name) else "count" if is_consecutive else None
        if reason is not None:
            details = {"source": table.name, "column": summary.name, "n": table.n_rows}
            table.notes.append(Note(f"note_left_out_id_{reason}", details))
            table.left_out.append((summary.name, "id"))
            return
    table.columns.append(
        RemoteColumn(Field(summary.name, "numeric"), None, None, summary.n_missing)
    )


def _schema_of(schema: Mapping[str, Any] | None, name: str) -> dict[str, Any]:
    return {name: schema[name]} if schema and name in schema else {}


def _raw_column(summary: ColumnSummary) -> RawColumn:
    """Return a raw column with each value once, or twice if it occurs more often."""
    assert summary.values is not None
    repetitions = np.minimum(summary.counts, 2)
    codes = np.repeat(np.arange(len(summary.values), dtype=np.int32), repetitions)
    if summary.n_missing:
        codes = np.append(codes, np.int32(-1))
    return RawColumn(summary.name, summary.values, codes)


def _remote_column(summary: ColumnSummary, column: Column) -> RemoteColumn:
    """Return the column with the code of each value, -1 for missing markers."""
    assert summary.values is not None
    first_rows = np.append(0, np.cumsum(np.minimum(summary.counts, 2)))[:-1]
    codes = column.codes[first_rows] if len(first_rows) else np.empty(0, np.int32)
    n_markers = int(np.asarray(summary.counts)[codes < 0].sum())
    field = Field(column.name, column.kind, column.levels)
    return RemoteColumn(field, summary.values, codes, summary.n_missing + n_markers)


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
