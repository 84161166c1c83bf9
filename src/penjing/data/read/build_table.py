"""Build a Table from raw columns: choose the target and the weight, infer the other columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from penjing.data.read.clean_columns import clean_column
from penjing.data.read.column_notes import find_leaks, find_spellings
from penjing.data.read.context import ReadContext
from penjing.data.read.convert import require_numbers
from penjing.data.read.dates import check_date_parts
from penjing.data.read.find_row_ids import row_ids_of
from penjing.data.read.infer import MAX_NUMERIC_CLASSES, infer_columns, infer_target
from penjing.data.read.missing_markers import Markers
from penjing.data.read.numbers import SHARES, NumberStyle, parse_numbers
from penjing.data.read.raw_columns import RawColumn, RawTable, duplicate_column_error
from penjing.data.read.reading import NOTHING_KNOWN, ColumnReading, Reading
from penjing.data.read.schema import ColumnSpec, column_specs
from penjing.data.table import Column, Field, Floats, Note, Table
from penjing.errors import ChoiceError, DataError, unknown_name_error
from penjing.i18n import Names

TARGET_NAMES = ("class", "label", "target", "类别", "标签")


def build_table(
    raw_table: RawTable,
    markers: Markers,
    target: str | Field | Literal[False] | None,
    schema: Mapping[str, Any] | None,
    *,
    weight: str | None,
    keep: Sequence[str],
    dates: str | Iterable[str] | None,
    reading: Reading | None = None,
    drop: bool = True,
) -> Table:
    """Infer the type of every column and build the table, without rows that cannot be used.

    Those are rows without a target; with ``drop=False`` they stay. ``reading`` says what is known
    beforehand; how the columns were read is added to it, and stored in the table's source.
    """
    reading = reading or NOTHING_KNOWN
    check_unique_names(raw_table)
    specs = column_specs(schema, raw_table)
    check_columns_exist(raw_table, [*keep, *([] if weight is None else [weight])])
    context = ReadContext(raw_table, markers, check_date_parts(dates), reading)
    check_columns_exist(raw_table, () if isinstance(reading.fold_case, bool) else reading.fold_case)
    weight = weight or _column_of_kind("weight", specs)
    target_column_name = find_target_name(context, target, specs, weight)
    notes = [*context.notes]
    columns, target_column = _infer_all(context, specs, target_column_name, weight, keep)
    followed = _columns_that_follow(context)
    if followed is not None:  # rarely: the columns are read again with the marks of the others
        context = replace(followed, notes=notes)
        columns, target_column = _infer_all(context, specs, target_column_name, weight, keep)
    weights = read_weights(context, weight)
    record = {}
    if context.parts or weight is not None or context.columns or reading is not NOTHING_KNOWN:
        told = replace(reading, dates=context.parts, weight=weight, columns=context.columns)
        record = told.to_json()
    table = Table(
        tuple(columns),
        target_column,
        raw_table.n_rows,
        weight=weights,
        row_numbers=raw_table.row_numbers,
        left_out=tuple(context.left_out),
        source={**raw_table.source, **({"reading": record} if record else {})},
        row_ids=row_ids_of(context, [name for name, why in context.left_out if why == "id"]),
    )
    context.notes += find_spellings(columns, target_column)
    table = finish_table(table, context, drop=drop)
    # The columns of an array have no names by which a note could be understood.
    is_noted = drop and raw_table.source.get("form") != "array"
    return _with_leaks(table, context, target_column) if is_noted else table


def _infer_all(
    context: ReadContext,
    specs: Mapping[str, ColumnSpec],
    target: str | None,
    weight: str | None,
    keep: Sequence[str],
) -> tuple[list[Column], Column | None]:
    """Return the columns of a table and its target."""
    target_column = None
    columns: list[Column] = []
    for raw in context.raw_table.columns:
        spec = specs.get(raw.name)
        if raw.name == target:
            target_column = infer_target(context, raw, spec)
        elif raw.name == weight:
            context.left_out.append((raw.name, "weight"))
        else:
            columns += infer_columns(context, raw, spec, keep=raw.name in keep)
    return columns or _restore_row_counts(context), target_column


def _columns_that_follow(context: ReadContext) -> ReadContext | None:
    """Return a context in which ambiguous columns have the decimal mark of the rest of the table.

    3,582 may be a fraction or thousands. The columns that can be read in one way only tell which,
    if they agree; without such columns, a semicolon between the cells tells that the comma is a
    decimal mark. Amounts of money have no three digits after a decimal mark. None if every column
    has that mark already.
    """
    if not context.ambiguous:
        return None
    read = context.columns
    marks = {read[name].number.decimal for name in read if name not in context.ambiguous} - {None}
    has_comma = any("," in text for text in context.ambiguous.values())
    note = "followed_columns"
    if not marks and has_comma and context.raw_table.source.get("separator") == ";":
        marks, note = {","}, "followed_separator"
    mark = marks.pop() if len(marks) == 1 else None
    if mark is None:
        return None
    names = [
        name
        for name, text in context.ambiguous.items()
        if read[name].number.decimal != mark
        and not (mark in text and {*read[name].number.units} - {*SHARES})
    ]
    if not names:
        return None
    known = {name: ColumnReading(NumberStyle(mark)) for name in names}
    reading = replace(context.reading, columns={**context.reading.columns, **known})
    return ReadContext(
        context.raw_table,
        context.markers,
        context.parts,
        reading,
        followed=dict.fromkeys(names, note),
    )


def _with_leaks(table: Table, context: ReadContext, target: Column | None) -> Table:
    """Return a table with notes about leaks; dates count by the rows without a value."""
    is_kept = slice(None) if target is None or not target.has_missing else target.codes >= 0
    raw_columns = context.raw_table.by_name()
    dates = {
        name: clean_column(context, raw_columns[name], quiet=True).codes[is_kept] < 0
        for name, reason in context.left_out
        if reason == "date"
    }
    return replace(table, notes=(*table.notes, *find_leaks(table, dates)))


def _restore_row_counts(context: ReadContext) -> list[Column]:
    """Return the columns that number the rows, for a table that has no other column."""
    columns: list[Column] = []
    for note in [note for note in context.notes if note.key == "note_left_out_id_count"]:
        name = note.values["column"]
        context.notes.remove(note)
        context.left_out.remove((name, "id"))
        columns += infer_columns(context, context.raw_table.by_name()[name], None, keep=True)
    return columns


def check_unique_names(raw_table: RawTable) -> None:
    """Raise an error if two columns have the same name."""
    if len(set(raw_table.names)) < len(raw_table.names):
        error = duplicate_column_error(raw_table.name, raw_table.names)
        is_number = parse_numbers([str(error.values["column"])]).is_number.all()
        if raw_table.source.get("form") == "delimited" and is_number:
            raise DataError("duplicate_number_column", **error.values)
        raise error


def check_columns_exist(raw_table: RawTable, names: Iterable[str]) -> None:
    """Raise an error for the first name that no column has."""
    for name in names:
        if name not in raw_table.names:
            raise unknown_name_error("unknown_column", name, raw_table.names)


def _column_of_kind(kind: str, specs: Mapping[str, ColumnSpec]) -> str | None:
    return next((name for name, spec in specs.items() if spec.kind == kind), None)


def find_target_name(
    context: ReadContext,
    target: str | Field | Literal[False] | None,
    specs: Mapping[str, ColumnSpec],
    weight: str | None,
) -> str | None:
    """Return the name of the target column, None if the table has no target."""
    raw_table = context.raw_table
    if target is False:
        return None
    if isinstance(target, Field):
        target = target.name
    if isinstance(target, str):
        if target not in raw_table.names:
            raise unknown_name_error("unknown_column", target, raw_table.names)
        return target
    declared_name = _column_of_kind("target", specs) or raw_table.target
    if declared_name is not None:
        return declared_name
    candidates = [
        raw
        for raw in raw_table.columns
        if raw.name != weight and specs.get(raw.name, ColumnSpec("nominal")).kind != "ignore"
    ]
    for target_name in TARGET_NAMES:
        for raw in candidates:
            if raw.name.lower() == target_name:
                context.note("target_named", column=raw.name)
                return raw.name
    if candidates and _has_few_values(context, candidates[-1]):
        context.note("target_last", column=candidates[-1].name)
        return candidates[-1].name
    raise ChoiceError("no_target", source=raw_table.name, known=Names(raw_table.names))


def _has_few_values(context: ReadContext, raw: RawColumn) -> bool:
    if len(raw.levels) > 10 * MAX_NUMERIC_CLASSES:
        return False
    cleaned = clean_column(context, raw, quiet=True)
    return 0 < len(cleaned.levels) <= MAX_NUMERIC_CLASSES


def read_weights(context: ReadContext, name: str | None) -> Floats | None:
    """Return the weight of each row; raise an error for one that is missing or negative."""
    if name is None:
        return context.raw_table.weight
    if name not in context.raw_table.names:
        raise unknown_name_error("unknown_column", name, context.raw_table.names)
    numeric = require_numbers(context, context.raw_table.by_name()[name])
    raw = numeric.raw
    values = np.append(numeric.numbers.values, np.nan)[raw.codes]
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        row = int(np.argmax(bad))
        value = "" if raw.codes[row] < 0 else raw.levels[raw.codes[row]]
        details = {"row": raw.row_number(row), "column": name, "value": value}
        raise DataError("bad_weight", source=context.raw_table.name, **details)
    return values


def finish_table(table: Table, context: ReadContext, *, drop: bool = True) -> Table:
    """Drop the rows without a target, check the weights and add the notes."""
    if context.trimmed:
        names = [*dict.fromkeys(context.trimmed)]
        context.note("trimmed", columns=Names(names), n=len(names))
    notes = [*context.raw_table.notes, *context.notes]
    target = table.target
    is_whole = target is not None and not target.has_missing and table.n_rows > 0
    if not drop or (is_whole and table.weight is None):
        return replace(table, notes=tuple(notes)) if notes else table
    if table.target is None:
        is_kept = np.ones(table.n_rows, np.bool_)
    else:
        is_complete = not table.target.has_missing
        is_kept = np.ones(table.n_rows, np.bool_) if is_complete else table.target.codes >= 0
        if not is_kept.any():
            raise DataError("empty_target", source=context.raw_table.name, column=table.target.name)
        if not is_kept.all():
            details = {"column": table.target.name, "n": int((~is_kept).sum())}
            notes.append(Note("note_target_missing", {"source": context.raw_table.name, **details}))
    if table.weight is not None:
        is_zero = is_kept & (table.weight == 0)
        if is_zero.any():
            details = {"source": context.raw_table.name, "n": int(is_zero.sum())}
            notes.append(Note("note_zero_weight", details))
        if not (is_kept & ~is_zero).any():
            raise DataError("no_weight", source=context.raw_table.name)
    if not is_kept.all():
        table = table.take(is_kept)
    return replace(table, notes=tuple(notes))
