"""A sheet becomes a table: target, weight and columns find their places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from penjing.data.read.clean_columns import cleaned
from penjing.data.read.context import Reading
from penjing.data.read.convert import must_be_numbers
from penjing.data.read.dates import parts_of
from penjing.data.read.infer import FEW_CLASSES, columns_of, judged_target
from penjing.data.read.missing_markers import Markers
from penjing.data.read.raw_columns import Cells, Sheet, twins
from penjing.data.read.schema import Wish, wishes
from penjing.data.table import Column, Field, Floats, Note, Table
from penjing.errors import ChoiceError, DataError, unknown

CLASS_NAMES = ("class", "label", "target", "类别", "标签")


def assembled(
    sheet: Sheet,
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
    refuse_twins(sheet)
    asked = wishes(schema, sheet)
    refuse_absent(sheet, [*keep, *([] if weight is None else [weight])])
    reading = Reading(sheet, marks, parts_of(dates))
    weight = weight or _asked_as("weight", asked)
    goal = target_name(reading, target, asked, weight)
    aim = None
    columns: list[Column] = []
    for cells in sheet.columns:
        wish = asked.get(cells.name)
        if cells.name == goal:
            aim = judged_target(reading, cells, wish)
        elif cells.name == weight:
            reading.left_out.append((cells.name, "weight"))
        else:
            columns += columns_of(reading, cells, wish, keep=cells.name in keep)
    if not columns:
        columns = _second_thoughts(reading)
    table = Table(
        tuple(columns),
        aim,
        sheet.n_rows,
        weight=weights(reading, weight),
        row_numbers=sheet.row_numbers,
        left_out=tuple(reading.left_out),
        source=sheet.source,
    )
    return finished(table, reading, drop=drop)


def _second_thoughts(reading: Reading) -> list[Column]:
    """Take back a column that only counts, where nothing else is left to ask about."""
    columns: list[Column] = []
    for note in [note for note in reading.notes if note.key == "note_left_out_id_count"]:
        name = note.values["column"]
        reading.notes.remove(note)
        reading.left_out.remove((name, "id"))
        columns += columns_of(reading, reading.sheet.by_name()[name], None, keep=True)
    return columns


def refuse_twins(sheet: Sheet) -> None:
    """Refuse a sheet in which two columns have one name."""
    if len(set(sheet.names)) < len(sheet.names):
        raise twins(sheet.name, sheet.names)


def refuse_absent(sheet: Sheet, names: Iterable[str]) -> None:
    """Refuse the first name that no column has."""
    for name in names:
        if name not in sheet.names:
            raise unknown("unknown_column", name, sheet.names)


def _asked_as(kind: str, asked: Mapping[str, Wish]) -> str | None:
    return next((name for name, wish in asked.items() if wish.kind == kind), None)


def target_name(
    reading: Reading,
    target: str | Field | Literal[False] | None,
    asked: Mapping[str, Wish],
    weight: str | None,
) -> str | None:
    """Return the name of the target column, None if there shall be none."""
    sheet = reading.sheet
    if target is False:
        return None
    if isinstance(target, Field):
        target = target.name
    if isinstance(target, str):
        if target not in sheet.names:
            raise unknown("unknown_column", target, sheet.names)
        return target
    named = _asked_as("target", asked) or sheet.target
    if named is not None:
        return named
    free = [
        cells
        for cells in sheet.columns
        if cells.name != weight and asked.get(cells.name, Wish("nominal")).kind != "ignore"
    ]
    for word in CLASS_NAMES:
        for cells in free:
            if cells.name.lower() == word:
                reading.note("target_named", column=cells.name)
                return cells.name
    if free and _has_few_values(reading, free[-1]):
        reading.note("target_last", column=free[-1].name)
        return free[-1].name
    raise ChoiceError("no_target", source=sheet.name, known=", ".join(sheet.names))


def _has_few_values(reading: Reading, cells: Cells) -> bool:
    if len(cells.levels) > 10 * FEW_CLASSES:
        return False
    known = cleaned(reading, cells, quietly=True)
    return 0 < len(known.levels) <= FEW_CLASSES


def weights(reading: Reading, name: str | None) -> Floats | None:
    """Return the weight of each row, checked."""
    if name is None:
        return reading.sheet.weight
    if name not in reading.sheet.names:
        raise unknown("unknown_column", name, reading.sheet.names)
    found = must_be_numbers(reading, reading.sheet.by_name()[name])
    cells = found.cells
    values = np.append(found.numbers.values, np.nan)[cells.codes]
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        row = int(np.argmax(bad))
        value = "" if cells.codes[row] < 0 else cells.levels[cells.codes[row]]
        told = {"row": cells.number_of(row), "column": name, "value": value}
        raise DataError("bad_weight", source=reading.sheet.name, **told)
    return values


def finished(table: Table, reading: Reading, *, drop: bool = True) -> Table:
    """Drop the rows that cannot teach, and hand over the notes."""
    if reading.trimmed:
        names = [*dict.fromkeys(reading.trimmed)]
        reading.note("trimmed", columns=", ".join(names), n=len(names))
    notes = [*reading.sheet.notes, *reading.notes]
    if not drop:
        return replace(table, notes=tuple(notes))
    if table.target is None:
        rows = np.ones(table.n_rows, np.bool_)
    else:
        is_whole = not table.target.has_missing
        rows = np.ones(table.n_rows, np.bool_) if is_whole else table.target.codes >= 0
        if not rows.any():
            raise DataError("empty_target", source=reading.sheet.name, column=table.target.name)
        if not rows.all():
            said = {"column": table.target.name, "n": int((~rows).sum())}
            notes.append(Note("note_target_missing", {"source": reading.sheet.name, **said}))
    if table.weight is not None:
        zero = rows & (table.weight == 0)
        if zero.any():
            said = {"source": reading.sheet.name, "n": int(zero.sum())}
            notes.append(Note("note_zero_weight", said))
        if not (rows & ~zero).any():
            raise DataError("no_weight", source=reading.sheet.name)
    if not rows.all():
        table = table.take(rows)
    return replace(table, notes=tuple(notes))
