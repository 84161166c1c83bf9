"""A sheet becomes a table: target, weight and columns find their places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from penjing.data.read.clean_columns import clean_column
from penjing.data.read.context import ReadContext
from penjing.data.read.convert import require_numbers
from penjing.data.read.dates import check_date_parts
from penjing.data.read.infer import MAX_NUMERIC_CLASSES, infer_columns, infer_target
from penjing.data.read.missing_markers import Markers
from penjing.data.read.raw_columns import RawColumn, RawTable, duplicate_column_error
from penjing.data.read.schema import ColumnSpec, column_specs
from penjing.data.table import Column, Field, Floats, Note, Table
from penjing.errors import ChoiceError, DataError, unknown_name_error

TARGET_NAMES = ("class", "label", "target", "类别", "标签")


def build_table(
    sheet: RawTable,
    marks: Markers,
    target: str | Field | Literal[False] | None,
    schema: Mapping[str, Any] | None,
    *,
    weight: str | None,
    keep: Sequence[str],
    dates: str | Iterable[str] | None,
    drop: bool = True,
) -> Table:
    """Judge every column and put the table together; drop the rows that cannot teach."""
    check_unique_names(sheet)
    asked = column_specs(schema, sheet)
    check_columns_exist(sheet, [*keep, *([] if weight is None else [weight])])
    reading = ReadContext(sheet, marks, check_date_parts(dates))
    weight = weight or _column_of_kind("weight", asked)
    goal = find_target_name(reading, target, asked, weight)
    aim = None
    columns: list[Column] = []
    for cells in sheet.columns:
        wish = asked.get(cells.name)
        if cells.name == goal:
            aim = infer_target(reading, cells, wish)
        elif cells.name == weight:
            reading.left_out.append((cells.name, "weight"))
        else:
            columns += infer_columns(reading, cells, wish, keep=cells.name in keep)
    if not columns:
        columns = _restore_row_counts(reading)
    table = Table(
        tuple(columns),
        aim,
        sheet.n_rows,
        weight=read_weights(reading, weight),
        row_numbers=sheet.row_numbers,
        left_out=tuple(reading.left_out),
        source=sheet.source,
    )
    return finish_table(table, reading, drop=drop)


def _restore_row_counts(reading: ReadContext) -> list[Column]:
    """Take back a column that only counts, where nothing else is left to ask about."""
    columns: list[Column] = []
    for note in [note for note in reading.notes if note.key == "note_left_out_id_count"]:
        name = note.values["column"]
        reading.notes.remove(note)
        reading.left_out.remove((name, "id"))
        columns += infer_columns(reading, reading.raw_table.by_name()[name], None, keep=True)
    return columns


def check_unique_names(sheet: RawTable) -> None:
    """Refuse a sheet in which two columns have one name."""
    if len(set(sheet.names)) < len(sheet.names):
        raise duplicate_column_error(sheet.name, sheet.names)


def check_columns_exist(sheet: RawTable, names: Iterable[str]) -> None:
    """Refuse the first name that no column has."""
    for name in names:
        if name not in sheet.names:
            raise unknown_name_error("unknown_column", name, sheet.names)


def _column_of_kind(kind: str, asked: Mapping[str, ColumnSpec]) -> str | None:
    return next((name for name, wish in asked.items() if wish.kind == kind), None)


def find_target_name(
    reading: ReadContext,
    target: str | Field | Literal[False] | None,
    asked: Mapping[str, ColumnSpec],
    weight: str | None,
) -> str | None:
    """Return the name of the target column, None if there shall be none."""
    sheet = reading.raw_table
    if target is False:
        return None
    if isinstance(target, Field):
        target = target.name
    if isinstance(target, str):
        if target not in sheet.names:
            raise unknown_name_error("unknown_column", target, sheet.names)
        return target
    named = _column_of_kind("target", asked) or sheet.target
    if named is not None:
        return named
    free = [
        cells
        for cells in sheet.columns
        if cells.name != weight and asked.get(cells.name, ColumnSpec("nominal")).kind != "ignore"
    ]
    for word in TARGET_NAMES:
        for cells in free:
            if cells.name.lower() == word:
                reading.note("target_named", column=cells.name)
                return cells.name
    if free and _has_few_values(reading, free[-1]):
        reading.note("target_last", column=free[-1].name)
        return free[-1].name
    raise ChoiceError("no_target", source=sheet.name, known=", ".join(sheet.names))


def _has_few_values(reading: ReadContext, cells: RawColumn) -> bool:
    if len(cells.levels) > 10 * MAX_NUMERIC_CLASSES:
        return False
    known = clean_column(reading, cells, quietly=True)
    return 0 < len(known.levels) <= MAX_NUMERIC_CLASSES


def read_weights(reading: ReadContext, name: str | None) -> Floats | None:
    """Return the weight of each row, checked."""
    if name is None:
        return reading.raw_table.weight
    if name not in reading.raw_table.names:
        raise unknown_name_error("unknown_column", name, reading.raw_table.names)
    found = require_numbers(reading, reading.raw_table.by_name()[name])
    cells = found.cells
    values = np.append(found.numbers.values, np.nan)[cells.codes]
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        row = int(np.argmax(bad))
        value = "" if cells.codes[row] < 0 else cells.levels[cells.codes[row]]
        told = {"row": cells.row_number(row), "column": name, "value": value}
        raise DataError("bad_weight", source=reading.raw_table.name, **told)
    return values


def finish_table(table: Table, reading: ReadContext, *, drop: bool = True) -> Table:
    """Drop the rows that cannot teach, and hand over the notes."""
    if reading.trimmed:
        names = [*dict.fromkeys(reading.trimmed)]
        reading.note("trimmed", columns=", ".join(names), n=len(names))
    notes = [*reading.raw_table.notes, *reading.notes]
    if not drop:
        return replace(table, notes=tuple(notes))
    if table.target is None:
        rows = np.ones(table.n_rows, np.bool_)
    else:
        is_whole = not table.target.has_missing
        rows = np.ones(table.n_rows, np.bool_) if is_whole else table.target.codes >= 0
        if not rows.any():
            raise DataError("empty_target", source=reading.raw_table.name, column=table.target.name)
        if not rows.all():
            said = {"column": table.target.name, "n": int((~rows).sum())}
            notes.append(Note("note_target_missing", {"source": reading.raw_table.name, **said}))
    if table.weight is not None:
        zero = rows & (table.weight == 0)
        if zero.any():
            said = {"source": reading.raw_table.name, "n": int(zero.sum())}
            notes.append(Note("note_zero_weight", said))
        if not (rows & ~zero).any():
            raise DataError("no_weight", source=reading.raw_table.name)
    if not rows.all():
        table = table.take(rows)
    return replace(table, notes=tuple(notes))
