"""Convert cleaned raw columns to numeric, categorical, ordered and date columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from penjing.data.read.clean_columns import clean_column
from penjing.data.read.context import ReadContext
from penjing.data.read.dates import (
    date_order,
    date_part,
    date_to_level,
    is_ambiguous_order,
    parse_dates,
)
from penjing.data.read.dictionary import (
    drop_levels,
    encode_numbers,
    order_by_appearance,
    remap_codes,
)
from penjing.data.read.numbers import (
    INTEGER,
    SHARES,
    NumberStyle,
    ParsedNumbers,
    other_reading,
    parse_cell,
    parse_numbers,
)
from penjing.data.read.raw_columns import MAX_EXACT_INTEGER, RawColumn
from penjing.data.table import Codes, Column, Floats, Kind
from penjing.errors import DataError
from penjing.i18n import Names


@dataclass(frozen=True, slots=True)
class NumericLevels:
    """A cleaned column with the number of each level.

    ``dropped_words`` are words such as "none" that mean missing among numbers, with their numbers
    of rows; they are no longer in ``raw``.
    """

    raw: RawColumn
    numbers: ParsedNumbers
    dropped_words: tuple[tuple[str, int], ...] = ()

    @property
    def all(self) -> bool:
        """Whether every level is a number."""
        return self.numbers.all


def find_numbers(
    context: ReadContext, raw: RawColumn, *, is_numeric: bool = False
) -> NumericLevels:
    """Parse the levels of a cleaned column as numbers; a column declared as text has none.

    If the column must be numeric, texts between typed numbers are parsed, too.
    """
    if raw.declared in ("text", "nominal", "ordered"):
        n = len(raw.levels)
        return NumericLevels(raw, ParsedNumbers(np.full(n, np.nan), np.zeros(n, np.bool_)))
    if isinstance(raw.levels, np.ndarray):
        values = raw.levels.astype(np.float64)
        style = NumberStyle()
        if context.is_from_text:
            is_float = raw.levels.dtype.kind == "f"
            style = NumberStyle("." if is_float else context.number_style(raw.name).decimal)
        is_number = np.ones(len(values), np.bool_)
        return NumericLevels(raw, ParsedNumbers(values, is_number, style=style))
    levels, style = [*raw.levels], context.number_style(raw.name)
    marker_words = context.markers.missing_among_numbers(levels)
    if marker_words:
        positions = {levels.index(word): word for word in marker_words}
        other_levels, codes = drop_levels(levels, raw.codes, [*positions])
        parsed = parse_numbers(other_levels, style, is_numeric=is_numeric)
        if parsed.all or is_numeric:
            counts = raw.counts()
            dropped_words = tuple(
                (word, int(counts[position])) for position, word in positions.items()
            )
            raw_without_words = replace(raw, levels=other_levels, codes=codes)
            return _drop_named_markers(
                context, NumericLevels(raw_without_words, parsed, dropped_words)
            )
    parsed = parse_numbers(levels, style, is_numeric=is_numeric)
    return _drop_named_markers(context, NumericLevels(raw, parsed))


def _drop_named_markers(context: ReadContext, numeric: NumericLevels) -> NumericLevels:
    """Drop the numbers that the user named as markers: -999.0 is the marker -999."""
    values = numeric.numbers.values
    if not (context.markers.numbers and numeric.all and context.markers.are_markers(values).any()):
        return numeric
    positions = np.flatnonzero(context.markers.are_markers(values)).tolist()
    levels, codes = drop_levels([*numeric.raw.levels], numeric.raw.codes, positions)
    return replace(
        numeric,
        raw=replace(numeric.raw, levels=levels, codes=codes),
        numbers=parse_numbers(levels, context.number_style(numeric.raw.name), is_numeric=True),
    )


def make_numeric_column(context: ReadContext, numeric: NumericLevels) -> Column:
    """Return a numeric column; note formatted numbers and missing markers, refuse infinity."""
    raw, values = numeric.raw, numeric.numbers.values
    if np.isinf(values).any():
        raise context.error("infinite_number", raw, raw.first_shown(np.isinf(values)))
    for word, n in numeric.dropped_words:
        context.note("taken_as_missing", column=raw.name, value=word, n=n)
    position = _first_surprising(context, numeric)
    if position >= 0:
        number = number_text(float(values[position]))
        context.note("disguised", column=raw.name, value=raw.levels[position], number=number)
    _note_decimal(context, numeric)
    if not context.has_model:
        _note_rounded_integer(context, raw, values)
    style = numeric.numbers.style
    context.record(raw.name, number=NumberStyle(style.decimal, style.units))
    return encode_numeric_column(raw.name, raw.codes, values)


def _first_surprising(context: ReadContext, numeric: NumericLevels) -> int:
    """Return the first number with a unit or separators that the model's column has not, or -1."""
    numbers, known = numeric.numbers, context.reading.column(numeric.raw.name).number
    if not (context.has_model and (known.decimal == "," or known.units)):
        return numbers.first_formatted
    if known.units or not numbers.style.units:
        return -1
    decimal = numbers.style.decimal or "."
    cells = [parse_cell(x, decimal) if isinstance(x, str) else None for x in numeric.raw.levels]
    return next((at for at, cell in enumerate(cells) if cell is not None and cell.units), -1)


def _note_decimal(context: ReadContext, numeric: NumericLevels) -> None:
    """Note a decimal mark that is a guess, or that is not the one that was named."""
    raw, numbers = numeric.raw, numeric.numbers
    style, first = numbers.style, numbers.first_ambiguous
    if first >= 0 and not context.is_conforming:
        text = str(raw.levels[first])
        other = other_reading(text, style.decimal)
        if other is not None:
            context.ambiguous[raw.name] = text
            context.note(
                "ambiguous_decimal", column=raw.name, value=text,
                number=number_text(float(numbers.values[first])), other=number_text(other),
                mark="," if style.decimal != "," else ".",
            )  # fmt: skip
    if raw.name in context.followed:
        _note_followed_decimal(context, numeric)
    if context.has_model:
        told = context.number_style(raw.name).decimal
        is_other = style.decimal == context.reading.column(raw.name).trained_decimal
    else:
        told = context.reading.decimal
        is_other = style.decimal != told
    if told is not None and style.decimal is not None and is_other:
        position = int(np.argmax(numbers.is_number))
        context.note("other_decimal", column=raw.name, value=raw.levels[position], mark=told)


def _note_rounded_integer(context: ReadContext, raw: RawColumn, values: Floats) -> None:
    """Note the first integer that no 64-bit floating-point number equals, as among long ids."""
    is_large = np.abs(values) >= MAX_EXACT_INTEGER
    if not is_large.any():
        return
    is_rounded = np.zeros(len(values), np.bool_)
    for position in np.flatnonzero(is_large).tolist():
        level = raw.levels[position]
        is_integer = isinstance(level, int | np.integer) or (
            isinstance(level, str) and INTEGER.fullmatch(level) is not None
        )
        is_rounded[position] = is_integer and int(level) != int(values[position])
    if is_rounded.any():
        level = raw.first_shown(is_rounded)
        number = str(int(values[level]))
        context.note("rounded_integer", column=raw.name, value=raw.levels[level], number=number)


def _note_followed_decimal(context: ReadContext, numeric: NumericLevels) -> None:
    """Note that a column that could be read in two ways has the mark of the rest of the table."""
    raw, numbers, mark = numeric.raw, numeric.numbers, numeric.numbers.style.decimal
    for text, number in zip(raw.levels, numbers.values.tolist(), strict=True):
        other = other_reading(str(text), mark)
        if other is not None and other != number:
            context.note(
                context.followed[raw.name], column=raw.name, value=text, mark=mark,
                number=number_text(number), other=number_text(other),
                unlike="." if mark == "," else ",",
            )  # fmt: skip
            return


def require_numbers(context: ReadContext, raw: RawColumn) -> NumericLevels:
    """Return a column that must be numeric, or raise an error for the first other cell."""
    numeric = find_numbers(context, clean_column(context, raw), is_numeric=True)
    if not numeric.numbers.is_number.all():
        level = numeric.raw.first_shown(~numeric.numbers.is_number)
        raise _not_a_number_error(context, numeric.raw, level)
    return numeric


def _not_a_number_error(context: ReadContext, raw: RawColumn, level: int) -> DataError:
    """Return the error for a cell that is not a number as the model's column has them."""
    style, value = context.number_style(raw.name), raw.levels[level]
    if context.is_conforming and isinstance(value, str):
        decimal = style.decimal or "."
        parsed = parse_cell(value, decimal)
        if parsed is not None and style.units:
            return context.error("not_the_unit", raw, level, units=Names(style.units))
        if parsed is not None:
            is_share = not {*parsed.units}.isdisjoint(SHARES)
            return context.error("no_share_unit" if is_share else "not_one_unit", raw, level)
        if other_reading(value, decimal) is not None:
            trained = context.reading.column(raw.name)
            is_trained = trained.number.decimal == decimal and trained.trained_decimal is None
            key = "not_a_number_point" if decimal == "." else "not_a_number_comma"
            return context.error(key if is_trained else f"{key}_now", raw, level)
    return context.error("not_a_number", raw, level)


def encode_numeric_column(name: str, codes: Codes, values: Floats) -> Column:
    """Return a numeric column, given the number of each code."""
    levels = values + 0.0  # no -0.0
    if not (values[1:] > values[:-1]).all():
        levels, new_codes = encode_numbers(values)
        codes = remap_codes(new_codes, codes)
    is_used = np.zeros(len(levels), np.bool_)
    is_used[codes[codes >= 0]] = True
    if not is_used.all():
        codes = remap_codes(np.cumsum(is_used, dtype=np.int32) - np.int32(1), codes)
        levels = levels[is_used]
    return Column(name, "numeric", levels, codes)


def make_categorical_column(raw: RawColumn, kind: Kind = "nominal") -> Column:
    """Return a nominal or ordered column; numbers of an array are in order of appearance."""
    encoded = raw.integer_codes()
    if encoded is not None:
        return Column(raw.name, kind, tuple(encoded[0].tolist()), encoded[1])
    if raw.is_typed:
        levels, codes = order_by_appearance(raw.plain_levels(), raw.codes)
        if all(
            isinstance(level, float) and level.is_integer() and abs(level) <= MAX_EXACT_INTEGER
            for level in levels
        ):
            levels = [int(level) for level in levels]  # pandas: integers with missing values
        return Column(raw.name, kind, tuple(levels), codes)
    return Column(raw.name, kind, tuple(map(date_to_level, raw.plain_levels())), raw.codes)


def make_ordered_column(context: ReadContext, raw: RawColumn) -> Column:
    """Return an ordered column: numbers by size, other levels in order of appearance."""
    numeric = find_numbers(context, raw)
    if not numeric.all:
        return make_categorical_column(raw, "ordered")
    order = np.argsort(numeric.numbers.values, kind="stable")
    levels = numeric.raw.plain_levels()
    new_codes = np.argsort(order).astype(np.int32)
    ordered_levels = tuple(levels[position] for position in order.tolist())
    return Column(raw.name, "ordered", ordered_levels, remap_codes(new_codes, numeric.raw.codes))


def make_date_columns(context: ReadContext, raw: RawColumn) -> list[Column] | None:
    """Return the requested parts of a cleaned column of dates; None if it has other values."""
    dates = None if raw.is_typed else parse_dates(raw.plain_levels())
    if dates is None:
        return None
    context.record(raw.name, date_order=date_order(raw.plain_levels()), date_parts=context.parts)
    if context.parts:
        if is_ambiguous_order(raw.plain_levels()):
            context.note("month_first", column=raw.name, value=raw.levels[0])
        names = [f"{raw.name}.{part}" for part in context.parts]
        context.note("dates_made", column=raw.name, made=Names(names))
    else:
        context.note("left_out_date", column=raw.name, value=date_to_level(raw.plain_levels()[0]))
    context.left_out.append((raw.name, "date"))
    return [
        encode_numeric_column(f"{raw.name}.{part}", raw.codes, date_part(dates, part))
        for part in context.parts
    ]


def are_integers(raw: RawColumn) -> bool:
    """Return whether every level is an integer, as a number or as text."""
    if isinstance(raw.levels, np.ndarray):
        return bool(raw.levels.dtype.kind in "iu")
    return all(
        INTEGER.fullmatch(level) if isinstance(level, str) else type(level) is int
        for level in raw.levels
    )


def number_text(value: float) -> str:
    """Return a number as text, integers without '.0'."""
    return str(int(value)) if value.is_integer() else repr(value)
