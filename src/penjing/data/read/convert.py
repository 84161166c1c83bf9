"""Cells to columns: numbers, numbers that set an order, dates, names."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from penjing.data.read.clean_columns import clean_column
from penjing.data.read.context import ReadContext
from penjing.data.read.dates import date_part, date_to_level, is_ambiguous_order, parse_dates
from penjing.data.read.dictionary import (
    drop_levels,
    encode_numbers,
    order_by_appearance,
    remap_codes,
)
from penjing.data.read.numbers import INTEGER, ParsedNumbers, parse_numbers
from penjing.data.read.raw_columns import RawColumn
from penjing.data.table import Codes, Column, Floats, Kind


@dataclass(frozen=True, slots=True)
class NumericLevels:
    """A cleaned column with the number behind each level.

    ``dropped_words`` are words such as none that alone kept the column from being all numbers; the
    ``cells`` here do without them.
    """

    cells: RawColumn
    numbers: ParsedNumbers
    dropped_words: tuple[tuple[str, int], ...] = ()

    @property
    def all(self) -> bool:
        """Whether every level is a number."""
        return self.numbers.all


def find_numbers(reading: ReadContext, cells: RawColumn) -> NumericLevels:
    """Look for the numbers of a cleaned column; one that was declared as text has none."""
    if cells.declared in ("text", "nominal", "ordered"):
        n = len(cells.levels)
        return NumericLevels(cells, ParsedNumbers(np.full(n, np.nan), np.zeros(n, np.bool_)))
    if isinstance(cells.levels, np.ndarray):
        values = cells.levels.astype(np.float64)
        return NumericLevels(cells, ParsedNumbers(values, np.ones(len(values), np.bool_)))
    levels = [*cells.levels]
    words = reading.markers.missing_among_numbers(levels)
    if words:
        places = {levels.index(word): word for word in words}
        rest, codes = drop_levels(levels, cells.codes, [*places])
        found = parse_numbers(rest)
        if found.all:
            counts = cells.counts()
            gone = tuple((word, int(counts[at])) for at, word in places.items())
            rest_of = replace(cells, levels=rest, codes=codes)
            return _drop_named_markers(reading, NumericLevels(rest_of, found, gone))
    return _drop_named_markers(reading, NumericLevels(cells, parse_numbers(levels)))


def _drop_named_markers(reading: ReadContext, found: NumericLevels) -> NumericLevels:
    """Return numbers without those that were named as markers: -999.0 is the marker -999."""
    values = found.numbers.values
    if not (reading.markers.numbers and found.all and reading.markers.are_markers(values).any()):
        return found
    gone = np.flatnonzero(reading.markers.are_markers(values)).tolist()
    levels, codes = drop_levels([*found.cells.levels], found.cells.codes, gone)
    return replace(
        found, cells=replace(found.cells, levels=levels, codes=codes), numbers=parse_numbers(levels)
    )


def make_numeric_column(reading: ReadContext, found: NumericLevels) -> Column:
    """Return a numeric column; infinity is refused, disguises and gaps in words are noted."""
    cells, values = found.cells, found.numbers.values
    if np.isinf(values).any():
        raise reading.error("infinite_number", cells, cells.first_shown(np.isinf(values)))
    for word, n in found.dropped_words:
        reading.note("taken_as_missing", column=cells.name, value=word, n=n)
    disguise = found.numbers.first_formatted
    if disguise >= 0:
        number = number_text(float(values[disguise]))
        reading.note("disguised", column=cells.name, value=cells.levels[disguise], number=number)
    return encode_numeric_column(cells.name, cells.codes, values)


def require_numbers(reading: ReadContext, cells: RawColumn) -> NumericLevels:
    """Return a column that was said to be numeric, or refuse its first odd cell."""
    found = find_numbers(reading, clean_column(reading, cells))
    if not found.numbers.is_number.all():
        odd = found.cells.first_shown(~found.numbers.is_number)
        raise reading.error("not_a_number", found.cells, odd)
    return found


def encode_numeric_column(name: str, codes: Codes, values: Floats) -> Column:
    """Return the numeric column whose rows have the numbers of their levels."""
    levels = values + 0.0  # no -0.0
    if not (values[1:] > values[:-1]).all():
        levels, place = encode_numbers(values)
        codes = remap_codes(place, codes)
    used = np.zeros(len(levels), np.bool_)
    used[codes[codes >= 0]] = True
    if not used.all():
        codes = remap_codes(np.cumsum(used, dtype=np.int32) - np.int32(1), codes)
        levels = levels[used]
    return Column(name, "numeric", levels, codes)


def make_categorical_column(cells: RawColumn, kind: Kind = "nominal") -> Column:
    """Return a nominal or ordered column; typed numbers as plain values, as they first appear."""
    whole = cells.integer_codes()
    if whole is not None:
        return Column(cells.name, kind, tuple(whole[0].tolist()), whole[1])
    if cells.is_typed:
        levels, codes = order_by_appearance(cells.plain_levels(), cells.codes)
        if all(isinstance(level, float) and level.is_integer() for level in levels):
            levels = [int(level) for level in levels]  # a frame's whole numbers beside gaps
        return Column(cells.name, kind, tuple(levels), codes)
    return Column(cells.name, kind, tuple(map(date_to_level, cells.plain_levels())), cells.codes)


def make_ordered_column(reading: ReadContext, cells: RawColumn) -> Column:
    """Return an ordered column: numbers by size, other levels as they first appear."""
    found = find_numbers(reading, cells)
    if not found.all:
        return make_categorical_column(cells, "ordered")
    order = np.argsort(found.numbers.values, kind="stable")
    plain = found.cells.plain_levels()
    place = np.argsort(order).astype(np.int32)
    levels = tuple(plain[at] for at in order.tolist())
    return Column(cells.name, "ordered", levels, remap_codes(place, found.cells.codes))


def make_date_columns(reading: ReadContext, cells: RawColumn) -> list[Column] | None:
    """Return the parts of a cleaned column of dates, none if none are wanted.

    None means that it holds something else.
    """
    found = None if cells.is_typed else parse_dates(cells.plain_levels())
    if found is None:
        return None
    if reading.parts:
        if is_ambiguous_order(cells.plain_levels()):
            reading.note("month_first", column=cells.name, value=cells.levels[0])
        made = [f"{cells.name}.{part}" for part in reading.parts]
        reading.note("dates_made", column=cells.name, made=", ".join(made))
    else:
        reading.note("left_out_date", column=cells.name, value=cells.levels[0])
    reading.left_out.append((cells.name, "date"))
    return [
        encode_numeric_column(f"{cells.name}.{part}", cells.codes, date_part(found, part))
        for part in reading.parts
    ]


def are_integers(cells: RawColumn) -> bool:
    """Say whether every level is an integer or written as one."""
    if isinstance(cells.levels, np.ndarray):
        return bool(cells.levels.dtype.kind in "iu")
    return all(INTEGER.fullmatch(x) if isinstance(x, str) else type(x) is int for x in cells.levels)


def number_text(value: float) -> str:
    """Return a number without a needless '.0'."""
    return str(int(value)) if value.is_integer() else repr(value)
