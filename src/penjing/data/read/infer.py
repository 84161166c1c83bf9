"""Infer the type of each column from its distinct values, with a note where it is a guess."""

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
from penjing.data.read.numbers import find_different_styles
from penjing.data.read.raw_columns import RawColumn, RawNumbers
from penjing.data.read.schema import ColumnSpec, apply_column_spec, require_dates
from penjing.data.table import Column, Kind
from penjing.errors import DataError

MAX_NUMERIC_CLASSES = 20
"""A target with more distinct numbers than this is numeric, not a class."""

MAX_CLASSES = 1000
"""A target with more classes than this, most of them with a single row, is refused."""

MIN_ODD_ROWS, MIN_ODD_SHARE = 20, 0.95
"""With this many rows and this share of numbers, a text among them gets a note."""

MAX_ODD_WORDS, MIN_ODD_NUMBERS = 2, 10
"""So does one among at most so many, if half of the rows have numbers, so many different ones."""

MAX_ZEROS_SOUGHT = 10_000
"""Leading zeros are looked for in so many different values of a column."""

MANY_LEVELS = 100
"""A column with more categories than this gets a note, however many rows there are."""

FEW_ROWS_EACH = ((10, 5), (50, 100))
"""So does one with more than 10 categories of fewer than 5 rows each on average, or 50 and 100."""


def infer_columns(
    context: ReadContext, raw: RawColumn, spec: ColumnSpec | None, *, keep: bool = False
) -> list[Column]:
    """Return the columns made from a raw column: itself, none, or the parts of a date."""
    if isinstance(raw, RawNumbers) and (spec is None or spec.kind == "numeric"):
        lazy = None if context.markers.numbers else raw.as_lazy_column(context.raw_table.name)
        if lazy is not None:
            return [lazy]
    if spec is not None and spec.kind != "ignore":
        return apply_column_spec(context, raw, spec)
    if spec is not None or (raw.declared == "ignore" and not keep):
        context.left_out.append((raw.name, "ignored"))
        return []
    raw = clean_column(context, raw)
    if not raw.n_known and not (keep or raw.is_fixed):
        context.note("left_out_empty", column=raw.name)
        context.left_out.append((raw.name, "empty"))
        return []
    if raw.declared == "date":
        return require_dates(context, raw)
    if raw.declared in (None, "text") and not keep:
        date_columns = make_date_columns(context, raw)
        if date_columns is not None:
            return date_columns
    numeric = find_numbers(context, raw)
    if not (keep or context.raw_table.is_chosen) and looks_like_id(context, raw, numeric):
        context.left_out.append((raw.name, "id"))
        return []
    return [infer_column(context, raw, numeric)]


def infer_column(context: ReadContext, raw: RawColumn, numeric: NumericLevels) -> Column:
    """Return a cleaned column with its declared or inferred type."""
    if raw.declared in ("nominal", "ordered"):
        kind: Kind = "ordered" if raw.declared == "ordered" else "nominal"
        raw = clean_categorical(context, raw)
        _note_many_levels(context, raw)
        return make_categorical_column(raw, kind)
    if raw.declared == "numeric":
        return make_numeric_column(context, require_numbers(context, raw))
    if numeric.all:
        if len(numeric.raw.levels) != 2 or not are_integers(numeric.raw):
            _note_leading_zeros(context, raw)
            return make_numeric_column(context, numeric)
        return make_categorical_column(clean_categorical(context, raw))
    is_nearly_numeric = _note_odd_value(context, raw, numeric)
    raw = clean_categorical(context, raw)
    if not is_nearly_numeric:
        _note_many_levels(context, raw)
    return make_categorical_column(raw)


def infer_target(context: ReadContext, raw: RawColumn, spec: ColumnSpec | None = None) -> Column:
    """Return the target: classes, or numbers for a regression.

    At most 20 distinct integers are classes; more of them are numbers, with a note.
    """
    if spec is not None and spec.kind in ("nominal", "ordered", "numeric"):
        return apply_column_spec(context, raw, spec)[0]
    if isinstance(raw, RawNumbers) and not context.markers.numbers:
        lazy = raw.as_numeric_target(context.raw_table.name)
        if lazy is not None:
            return lazy
    raw = clean_column(context, raw)
    integers = None if raw.declared else raw.integer_codes()
    # Few integers are recognised without ranking them.
    if integers is not None and len(integers[0]) <= MAX_NUMERIC_CLASSES:
        return make_categorical_column(raw)
    numeric = find_numbers(context, raw)
    if raw.declared in ("nominal", "ordered", "numeric"):
        return infer_column(context, raw, numeric)
    if numeric.all:
        values = numeric.numbers.values
        is_whole = bool((values == np.floor(values)).all())
        n_classes = len(np.unique(values))
        if not is_whole or n_classes > MAX_NUMERIC_CLASSES:
            if is_whole:
                context.note(
                    "target_is_number", column=raw.name, n=n_classes, most=MAX_NUMERIC_CLASSES
                )
            return make_numeric_column(context, numeric)
        return make_categorical_column(raw)
    _note_odd_value(context, raw, numeric)
    raw = clean_categorical(context, raw)
    n_classes = len(raw.levels)
    if n_classes > MAX_CLASSES and 2 * n_classes > raw.n_known:
        raise DataError(
            "too_many_classes", source=context.raw_table.name, column=raw.name, n=n_classes
        )
    _note_many_levels(context, raw, "many_classes")
    return make_categorical_column(raw)


def looks_like_id(context: ReadContext, raw: RawColumn, numeric: NumericLevels) -> bool:
    """Return whether a column only numbers or names the rows; note why it is left out."""
    if not raw.is_distinct() or (numeric.all and not are_integers(numeric.raw)):
        return False
    is_text = all(isinstance(level, str) for level in raw.levels[:MIN_DISTINCT_TEXTS])
    n_numbers = int(numeric.raw.counts()[numeric.numbers.is_number].sum())  # each occurs once
    if is_id_name(raw.name):
        reason = "name"
    elif raw.is_fixed:
        return False
    elif numeric.all and numeric.raw.are_consecutive(numeric.numbers.values):
        reason = "count"
    elif is_text and raw.n_known >= MIN_DISTINCT_TEXTS and 2 * n_numbers < raw.n_known:
        reason = "text"
    else:
        return False
    context.note(f"left_out_id_{reason}", column=raw.name, n=raw.n_known)
    return True


def _note_leading_zeros(context: ReadContext, raw: RawColumn) -> None:
    """Note the first number that begins with a zero, as codes do: '01234' becomes 1234."""
    for level in raw.levels[:MAX_ZEROS_SOUGHT]:
        if isinstance(level, str) and level[:1] == "0" and level[1:].isdecimal():
            context.note("leading_zeros", column=raw.name, value=level, number=int(level))
            return


def _note_odd_value(context: ReadContext, raw: RawColumn, numeric: NumericLevels) -> bool:
    """Note why a column of numbers, nearly or all of them, is categorical, if it is one."""
    different = None if raw.declared else find_different_styles(numeric.raw.levels)
    if different is not None:
        context.note("different_styles", column=raw.name, value=different[0], other=different[1])
        return True
    n_known, is_number = raw.n_known, numeric.numbers.is_number
    share = float(raw.counts()[is_number].sum()) / n_known if n_known else 0.0
    n_odd, n_numbers = int((~is_number).sum()), int(is_number.sum())
    is_one_word = n_odd <= MAX_ODD_WORDS and n_numbers >= MIN_ODD_NUMBERS and share >= 0.5
    if n_known < MIN_ODD_ROWS or not (share > MIN_ODD_SHARE or is_one_word):
        return False
    level = raw.first_shown(~is_number)
    value = raw.levels[level]
    context.note("odd_number", column=raw.name, row=raw.first_row_number(level), value=value)
    return True


def _note_many_levels(context: ReadContext, raw: RawColumn, key: str = "many_levels") -> None:
    """Note that a column has many categories."""
    n, n_rows = len(raw.levels), context.raw_table.n_rows
    if n > MANY_LEVELS or any(n > most and n_rows < each * n for most, each in FEW_ROWS_EACH):
        context.note(key, column=raw.name, n=n)
