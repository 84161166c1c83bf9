"""What a column is: a judgement from its distinct values, said aloud where it is a guess."""

from __future__ import annotations

import numpy as np

from penjing.data.read.clean_columns import clean_categorical, clean_column
from penjing.data.read.context import ReadContext
from penjing.data.read.convert import (
    NumericLevels,
    are_integers,
    find_numbers,
    make_categorical_column,
    make_date_columns,
    make_numeric_column,
    require_numbers,
)
from penjing.data.read.ids import MIN_DISTINCT_TEXTS, is_id_name
from penjing.data.read.raw_columns import RawColumn, RawNumbers
from penjing.data.read.schema import ColumnSpec, apply_column_spec, require_dates
from penjing.data.table import Column, Kind
from penjing.errors import DataError

MAX_NUMERIC_CLASSES = 20
"""A target with more distinct numbers than this is a number, not a class."""

MAX_CLASSES = 1000
"""A target with more classes than this, most of them of one row, names the rows."""

MIN_ODD_ROWS, MIN_ODD_SHARE = 20, 0.95
"""From so many rows and so large a share of numbers on, a word among them is worth a note."""


def infer_columns(
    reading: ReadContext, cells: RawColumn, wish: ColumnSpec | None, *, keep: bool = False
) -> list[Column]:
    """Return what a column becomes: itself, nothing, or the parts of a date."""
    if isinstance(cells, RawNumbers) and (wish is None or wish.kind == "numeric"):
        plain = None if reading.markers.numbers else cells.as_lazy_column(reading.raw_table.name)
        if plain is not None:
            return [plain]
    if wish is not None and wish.kind != "ignore":
        return apply_column_spec(reading, cells, wish)
    if wish is not None or (cells.declared == "ignore" and not keep):
        reading.left_out.append((cells.name, "ignored"))
        return []
    cells = clean_column(reading, cells)
    if not cells.n_known and not (keep or cells.is_fixed):
        reading.note("left_out_empty", column=cells.name)
        reading.left_out.append((cells.name, "empty"))
        return []
    if cells.declared == "date":
        return require_dates(reading, cells)
    if cells.declared in (None, "text") and not keep:
        made = make_date_columns(reading, cells)
        if made is not None:
            return made
    found = find_numbers(reading, cells)
    if not (keep or reading.raw_table.is_chosen) and looks_like_id(reading, cells, found):
        reading.left_out.append((cells.name, "id"))
        return []
    return [infer_column(reading, cells, found)]


def infer_column(reading: ReadContext, cells: RawColumn, found: NumericLevels) -> Column:
    """Return a cleaned column as what it looks like."""
    if cells.declared in ("nominal", "ordered"):
        kind: Kind = "ordered" if cells.declared == "ordered" else "nominal"
        cells = clean_categorical(reading, cells)
        _note_many_levels(reading, cells)
        return make_categorical_column(cells, kind)
    if cells.declared == "numeric":
        return make_numeric_column(reading, require_numbers(reading, cells))
    if found.all:
        if len(found.cells.levels) != 2 or not are_integers(found.cells):
            return make_numeric_column(reading, found)
        return make_categorical_column(clean_categorical(reading, cells))
    _note_odd_value(reading, cells, found)
    cells = clean_categorical(reading, cells)
    _note_many_levels(reading, cells)
    return make_categorical_column(cells)


def infer_target(reading: ReadContext, cells: RawColumn, wish: ColumnSpec | None = None) -> Column:
    """Return the target as what it looks like: classes, or numbers for a regression.

    Whole numbers of at most 20 kinds are classes; more of them are noted.
    """
    if wish is not None and wish.kind in ("nominal", "ordered", "numeric"):
        return apply_column_spec(reading, cells, wish)[0]
    if isinstance(cells, RawNumbers) and not reading.markers.numbers:
        plain = cells.as_numeric_target(reading.raw_table.name)
        if plain is not None:
            return plain
    cells = clean_column(reading, cells)
    whole = None if cells.declared else cells.integer_codes()
    if whole is not None and len(whole[0]) <= MAX_NUMERIC_CLASSES:  # told without ranking them
        return make_categorical_column(cells)
    found = find_numbers(reading, cells)
    if cells.declared in ("nominal", "ordered", "numeric"):
        return infer_column(reading, cells, found)
    if found.all:
        values = found.numbers.values
        is_whole = bool((values == np.floor(values)).all())
        n = len(np.unique(values))
        if not is_whole or n > MAX_NUMERIC_CLASSES:
            if is_whole:
                reading.note("target_is_number", column=cells.name, n=n, most=MAX_NUMERIC_CLASSES)
            return make_numeric_column(reading, found)
        return make_categorical_column(cells)
    _note_odd_value(reading, cells, found)
    cells = clean_categorical(reading, cells)
    n = len(cells.levels)
    if n > MAX_CLASSES and 2 * n > cells.n_known:
        raise DataError("too_many_classes", source=reading.raw_table.name, column=cells.name, n=n)
    _note_many_levels(reading, cells, "many_classes")
    return make_categorical_column(cells)


def looks_like_id(reading: ReadContext, cells: RawColumn, found: NumericLevels) -> bool:
    """Say whether a column only numbers or names the rows, and note why it is left out."""
    if not cells.is_distinct() or (found.all and not are_integers(found.cells)):
        return False
    is_text = all(isinstance(level, str) for level in cells.levels[:MIN_DISTINCT_TEXTS])
    n_numbers = int(found.cells.counts()[found.numbers.is_number].sum())  # each occurs once
    if is_id_name(cells.name):
        why = "name"
    elif cells.is_fixed:
        return False
    elif found.all and found.cells.are_consecutive(found.numbers.values):
        why = "count"
    elif is_text and cells.n_known >= MIN_DISTINCT_TEXTS and 2 * n_numbers < cells.n_known:
        why = "text"
    else:
        return False
    reading.note(f"left_out_id_{why}", column=cells.name, n=cells.n_known)
    return True


def _note_odd_value(reading: ReadContext, cells: RawColumn, found: NumericLevels) -> None:
    """Note the first cell that kept a column from being numeric."""
    known, is_number = cells.n_known, found.numbers.is_number
    share = float(cells.counts()[is_number].sum()) / known if known else 0.0
    if known >= MIN_ODD_ROWS and share > MIN_ODD_SHARE:
        odd = cells.first_shown(~is_number)
        value = cells.levels[odd]
        reading.note("odd_number", column=cells.name, row=cells.first_row_number(odd), value=value)


def _note_many_levels(reading: ReadContext, cells: RawColumn, key: str = "many_levels") -> None:
    """Warn of a column with many levels."""
    n = len(cells.levels)
    if n > 50 or (n > 10 and 5 * n > reading.raw_table.n_rows):
        reading.note(key, column=cells.name, n=n)
