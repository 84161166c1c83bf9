"""Find the column that names the rows of a table."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from penjing.data.read.clean_columns import clean_column
from penjing.data.read.context import ReadContext
from penjing.data.read.convert import find_numbers, make_date_columns
from penjing.data.read.ids import is_id_name
from penjing.data.read.infer import looks_like_id
from penjing.data.read.raw_columns import RawColumn
from penjing.data.row_ids import MAX_ROWS, RowIds

MAX_GUESSED = 2_000
"""With more rows read for a tree, only a column with the name of an id is looked at: columns that
the tree does not need are not even ranked."""


def row_ids_of(context: ReadContext, names: Collection[str]) -> RowIds | None:
    """Return the ids of rows: those beside the columns, else those of a column left out as an id.

    Of several such columns, the first whose name is that of an id is taken, else the first.
    """
    raw_table = context.raw_table
    if raw_table.row_ids is not None or raw_table.n_rows > MAX_ROWS:
        return raw_table.row_ids
    if not names:
        return None
    wanted = set(names)
    columns = [column for column in raw_table.columns if column.name in wanted]
    columns.sort(key=lambda column: not is_id_name(column.name))  # the sort is stable
    return _ids(clean_column(context, columns[0], quiet=True)) if columns else None


def row_ids_for_fields(context: ReadContext, used: Collection[str]) -> RowIds | None:
    """Return the ids of rows that are read for a tree, which says nothing about other columns."""
    raw_table = context.raw_table
    if raw_table.row_ids is not None or raw_table.n_rows > MAX_ROWS or raw_table.is_chosen:
        return raw_table.row_ids
    others = [column for column in raw_table.columns if column.name not in used]
    named = [column for column in others if is_id_name(column.name)]
    unnamed = [column for column in others if not is_id_name(column.name)]
    for column in [*named, *(unnamed if raw_table.n_rows <= MAX_GUESSED else ())]:
        quiet = ReadContext(replace(raw_table, notes=[]), context.markers)
        cleaned = clean_column(quiet, column, quiet=True)
        if not cleaned.is_distinct() or make_date_columns(quiet, cleaned) is not None:
            continue
        if looks_like_id(quiet, cleaned, find_numbers(quiet, cleaned)):
            return _ids(cleaned)
    return None


def _ids(raw: RawColumn) -> RowIds:
    levels = raw.plain_levels()
    if levels and all(isinstance(level, str) and _is_whole(level) for level in levels):
        levels = [int(level) for level in levels]
    values = np.empty(len(levels) + 1, object)
    values[:-1] = levels
    return RowIds(raw.name, values[raw.codes])


def _is_whole(text: str) -> bool:
    """Whether a text is a whole number as it is printed: '7', but not '07'."""
    return text.isascii() and text.isdecimal() and str(int(text)) == text
