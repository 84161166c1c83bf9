"""What a column is: a judgement from its distinct values, said aloud where it is a guess."""

from __future__ import annotations

import numpy as np

from penjing.data.read.clean_columns import as_names, cleaned
from penjing.data.read.context import Reading
from penjing.data.read.convert import (
    Found,
    are_integers,
    date_columns,
    must_be_numbers,
    name_column,
    number_column,
    numbers_in,
)
from penjing.data.read.ids import DISTINCT, is_id_name
from penjing.data.read.raw_columns import Cells, Numbers
from penjing.data.read.schema import Wish, must_be_dates, wished
from penjing.data.table import Column, Kind
from penjing.errors import DataError

FEW_CLASSES = 20
"""A target with more distinct numbers than this is a number, not a class."""

TOO_MANY_CLASSES = 1000
"""A target with more classes than this, most of them of one row, names the rows."""

ODD_ROWS, ODD_SHARE = 20, 0.95
"""From so many rows and so large a share of numbers on, a word among them is worth a note."""


def columns_of(
    reading: Reading, cells: Cells, wish: Wish | None, *, keep: bool = False
) -> list[Column]:
    """Return what a column becomes: itself, nothing, or the parts of a date."""
    if isinstance(cells, Numbers) and (wish is None or wish.kind == "numeric"):
        plain = None if reading.markers.others else cells.uncoded(reading.sheet.name)
        if plain is not None:
            return [plain]
    if wish is not None and wish.kind != "ignore":
        return wished(reading, cells, wish)
    if wish is not None or (cells.declared == "ignore" and not keep):
        reading.left_out.append((cells.name, "ignored"))
        return []
    cells = cleaned(reading, cells)
    if not cells.n_known and not (keep or cells.is_fixed):
        reading.note("left_out_empty", column=cells.name)
        reading.left_out.append((cells.name, "empty"))
        return []
    if cells.declared == "date":
        return must_be_dates(reading, cells)
    if cells.declared in (None, "text") and not keep:
        made = date_columns(reading, cells)
        if made is not None:
            return made
    found = numbers_in(reading, cells)
    if not (keep or reading.sheet.is_chosen) and looks_like_id(reading, cells, found):
        reading.left_out.append((cells.name, "id"))
        return []
    return [judged(reading, cells, found)]


def judged(reading: Reading, cells: Cells, found: Found) -> Column:
    """Return a cleaned column as what it looks like."""
    if cells.declared in ("nominal", "ordered"):
        kind: Kind = "ordered" if cells.declared == "ordered" else "nominal"
        cells = as_names(reading, cells)
        _mention_levels(reading, cells)
        return name_column(cells, kind)
    if cells.declared == "numeric":
        return number_column(reading, must_be_numbers(reading, cells))
    if found.all:
        if len(found.cells.levels) != 2 or not are_integers(found.cells):
            return number_column(reading, found)
        return name_column(as_names(reading, cells))
    _mention_odd(reading, cells, found)
    cells = as_names(reading, cells)
    _mention_levels(reading, cells)
    return name_column(cells)


def judged_target(reading: Reading, cells: Cells, wish: Wish | None = None) -> Column:
    """Return the target as what it looks like: classes, or numbers for a regression.

    Whole numbers of at most 20 kinds are classes; more of them are noted.
    """
    if wish is not None and wish.kind in ("nominal", "ordered", "numeric"):
        return wished(reading, cells, wish)[0]
    if isinstance(cells, Numbers) and not reading.markers.others:
        plain = cells.fractions(reading.sheet.name)
        if plain is not None:
            return plain
    cells = cleaned(reading, cells)
    whole = None if cells.declared else cells.whole()
    if whole is not None and len(whole[0]) <= FEW_CLASSES:  # told without ranking them
        return name_column(cells)
    found = numbers_in(reading, cells)
    if cells.declared in ("nominal", "ordered", "numeric"):
        return judged(reading, cells, found)
    if found.all:
        values = found.numbers.values
        is_whole = bool((values == np.floor(values)).all())
        n = len(np.unique(values))
        if not is_whole or n > FEW_CLASSES:
            if is_whole:
                reading.note("target_is_number", column=cells.name, n=n, most=FEW_CLASSES)
            return number_column(reading, found)
        return name_column(cells)
    _mention_odd(reading, cells, found)
    cells = as_names(reading, cells)
    n = len(cells.levels)
    if n > TOO_MANY_CLASSES and 2 * n > cells.n_known:
        raise DataError("too_many_classes", source=reading.sheet.name, column=cells.name, n=n)
    _mention_levels(reading, cells, "many_classes")
    return name_column(cells)


def looks_like_id(reading: Reading, cells: Cells, found: Found) -> bool:
    """Say whether a column only numbers or names the rows, and note why it is left out."""
    if not cells.is_distinct() or (found.all and not are_integers(found.cells)):
        return False
    is_text = all(isinstance(level, str) for level in cells.levels[:DISTINCT])
    n_numbers = int(found.cells.counts()[found.numbers.is_number].sum())  # each occurs once
    if is_id_name(cells.name):
        why = "name"
    elif cells.is_fixed:
        return False
    elif found.all and found.cells.counts_up(found.numbers.values):
        why = "count"
    elif is_text and cells.n_known >= DISTINCT and 2 * n_numbers < cells.n_known:
        why = "text"
    else:
        return False
    reading.note(f"left_out_id_{why}", column=cells.name, n=cells.n_known)
    return True


def _mention_odd(reading: Reading, cells: Cells, found: Found) -> None:
    """Note the first cell that kept a column from being numeric."""
    known, is_number = cells.n_known, found.numbers.is_number
    share = float(cells.counts()[is_number].sum()) / known if known else 0.0
    if known >= ODD_ROWS and share > ODD_SHARE:
        odd = cells.first(~is_number)
        value = cells.levels[odd]
        reading.note("odd_number", column=cells.name, row=cells.row(odd), value=value)


def _mention_levels(reading: Reading, cells: Cells, key: str = "many_levels") -> None:
    """Warn of a column with many levels."""
    n = len(cells.levels)
    if n > 50 or (n > 10 and 5 * n > reading.sheet.n_rows):
        reading.note(key, column=cells.name, n=n)
