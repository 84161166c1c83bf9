"""A sheet becomes a table: target, weight and columns find their places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from penjing.errors import ChoiceError, DataError, unknown
from penjing.read.cells import Cells, Sheet
from penjing.read.dates import parts_of
from penjing.read.infer import FEW_CLASSES, Judge
from penjing.read.markers import Markers
from penjing.read.schema import Wish, wishes
from penjing.table import Column, Field, Floats, Note, Table

CLASS_NAMES = ("class", "label", "target", "类别", "标签")


def assembled(  # noqa: PLR0913
    sheet: Sheet,
    marks: Markers,
    target: str | Field | bool | None,
    schema: Mapping[str, Any] | None,
    *,
    weight: str | None,
    keep: Sequence[str],
    dates: str | Iterable[str] | None,
) -> Table:
    """Judge every column and put the table together."""
    refuse_twins(sheet)
    asked = wishes(schema, sheet)
    for name in keep:
        if name not in sheet.names:
            raise unknown("unknown_column", name, sheet.names)
    judge = Judge(sheet, marks, parts_of(dates))
    weight = weight or _wished_for("weight", asked)
    named = target_name(judge, target, asked, weight)
    aim = None
    columns: list[Column] = []
    spared: list[tuple[int, Cells, str]] = []
    for cells in sheet.columns:
        wish = asked.get(cells.name)
        if cells.name == named:
            aim = target_column(judge, cells, wish)
        elif cells.name == weight:
            judge.leave_out(cells.name, "weight")
        else:
            made = judge.columns(cells, wish, keep=cells.name in keep)
            if not made and judge.left_out[-1] == (cells.name, "id"):
                spared.append((len(columns), cells, judge.notes[-1].key))
            columns += made
    if not columns:
        columns = _second_thoughts(judge, spared)
    table = Table(
        tuple(columns),
        aim,
        sheet.n_rows,
        weight=weights(judge, weight),
        left_out=tuple(judge.left_out),
        source=sheet.source,
    )
    return finished(table, judge)


def _second_thoughts(judge: Judge, spared: list[tuple[int, Cells, str]]) -> list[Column]:
    """Take back columns that only look like ids, where nothing else is left to ask about."""
    columns = []
    for _, cells, key in spared:
        if key != "note_left_out_id_name":
            judge.left_out.remove((cells.name, "id"))
            judge.notes = [
                note
                for note in judge.notes
                if note.key != key or note.values["column"] != cells.name
            ]
            columns += judge.columns(cells, None, keep=True)
    return columns


def refuse_twins(sheet: Sheet) -> None:
    """Refuse a sheet in which two columns have one name."""
    seen: dict[str, int] = {}
    for place, name in enumerate(sheet.names, start=1):
        if name in seen:
            raise DataError(
                "duplicate_column", source=sheet.name, column=name, first=seen[name], second=place
            )
        seen[name] = place


def _wished_for(kind: str, asked: Mapping[str, Wish]) -> str | None:
    return next((name for name, wish in asked.items() if wish.kind == kind), None)


def target_name(
    judge: Judge,
    target: str | Field | bool | None,  # noqa: FBT001 - False is a word of its own here
    asked: Mapping[str, Wish],
    weight: str | None,
) -> str | None:
    """Return the name of the target column, None if there shall be none."""
    sheet = judge.sheet
    if target is False:
        return None
    if isinstance(target, Field):
        target = target.name
    if isinstance(target, str):
        if target not in sheet.names:
            raise unknown("unknown_column", target, sheet.names)
        return target
    named = _wished_for("target", asked) or sheet.target
    if named is not None:
        return named
    free = [
        cells
        for cells in sheet.columns
        if cells.name != weight
        and not (cells.name in asked and asked[cells.name].kind == "ignore")
    ]
    for word in CLASS_NAMES:
        for cells in free:
            if cells.name.lower() == word:
                return cells.name
    if free and len(free[-1].levels) <= FEW_CLASSES + 5:
        known = judge.__class__(sheet, judge.markers).known(free[-1])
        if 0 < len(known.levels) <= FEW_CLASSES:
            judge.note("target_last", column=free[-1].name)
            return free[-1].name
    raise ChoiceError("no_target", source=sheet.name, known=", ".join(sheet.names))


def target_column(judge: Judge, cells: Cells, wish: Wish | None) -> Column:
    """Return the target: classes, or numbers for a regression."""
    if wish is not None and wish.kind not in ("target", "ignore", "weight", "date"):
        return judge.wished(cells, wish)
    cells = judge.known(cells)
    return judge.judged(cells, judge.read_numbers(cells), is_target=True)


def weights(judge: Judge, name: str | None) -> Floats | None:
    """Return the weight of each row, checked."""
    if name is None:
        return None
    sheet = judge.sheet
    if name not in sheet.names:
        raise unknown("unknown_column", name, sheet.names)
    cells, found = judge.only_numbers(sheet.find()[name])
    bad = ~np.isfinite(found.values) | (found.values < 0)
    codes = cells.codes
    row = int(np.argmax((codes < 0) | bad[codes])) if len(codes) else 0
    if (codes < 0).any() or bad.any():
        value = "" if codes[row] < 0 else cells.levels[codes[row]]
        raise DataError("bad_weight", source=sheet.name, row=row + 1, column=name, value=value)
    return found.values[codes]


def finished(table: Table, judge: Judge) -> Table:
    """Drop the rows that cannot teach, and hand over the notes."""
    notes = [*judge.sheet.notes, *judge.notes]
    rows = np.ones(table.n_rows, np.bool_)
    if table.target is not None:
        rows &= table.target.codes >= 0
        n = int((~rows).sum())
        if n:
            values = {"source": judge.sheet.name, "column": table.target.name, "n": n}
            notes.append(Note("note_target_missing", values))
    if table.weight is not None:
        zero = rows & (table.weight == 0)
        if zero.any():
            values = {"source": judge.sheet.name, "n": int(zero.sum())}
            notes.append(Note("note_zero_weight", values))
            rows &= ~zero
    if not rows.any():
        raise DataError("no_labelled_rows", source=judge.sheet.name)
    if not rows.all():
        table = table.take(rows)
    return Table(
        table.columns,
        table.target,
        table.n_rows,
        table.weight,
        table.row_numbers,
        table.left_out,
        tuple(notes),
        table.source,
    )
