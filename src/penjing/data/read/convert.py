"""Cells to columns: numbers, numbers that set an order, dates, names."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from penjing.data.read.clean_columns import cleaned
from penjing.data.read.context import Reading
from penjing.data.read.dates import as_level, dates, is_either_way, part_of
from penjing.data.read.dictionary import by_appearance, ranks_of, through, without
from penjing.data.read.numbers import INTEGER, Numbers, numbers
from penjing.data.read.raw_columns import Cells
from penjing.data.table import Codes, Column, Floats, Kind


@dataclass(frozen=True, slots=True)
class Found:
    """A cleaned column with the number behind each level.

    ``gone`` are words such as none that alone kept the column from being all numbers; the
    ``cells`` here do without them.
    """

    cells: Cells
    numbers: Numbers
    gone: tuple[tuple[str, int], ...] = ()

    @property
    def all(self) -> bool:
        """Whether every level is a number."""
        return self.numbers.all


def numbers_in(reading: Reading, cells: Cells) -> Found:
    """Look for the numbers of a cleaned column; one that was declared as text has none."""
    if cells.declared in ("text", "nominal", "ordered"):
        n = len(cells.levels)
        return Found(cells, Numbers(np.full(n, np.nan), np.zeros(n, np.bool_)))
    if isinstance(cells.levels, np.ndarray):
        values = cells.levels.astype(np.float64)
        return Found(cells, Numbers(values, np.ones(len(values), np.bool_)))
    levels = [*cells.levels]
    words = reading.markers.among_numbers(levels)
    if words:
        places = {levels.index(word): word for word in words}
        rest, codes = without(levels, cells.codes, [*places])
        found = numbers(rest)
        if found.all:
            counts = cells.counts()
            gone = tuple((word, int(counts[at])) for at, word in places.items())
            rest_of = replace(cells, levels=rest, codes=codes)
            return _without_said(reading, Found(rest_of, found, gone))
    return _without_said(reading, Found(cells, numbers(levels)))


def _without_said(reading: Reading, found: Found) -> Found:
    """Return numbers without those that were named as markers: -999.0 is the marker -999."""
    values = found.numbers.values
    if not (reading.markers.others and found.all and reading.markers.among(values).any()):
        return found
    gone = np.flatnonzero(reading.markers.among(values)).tolist()
    levels, codes = without([*found.cells.levels], found.cells.codes, gone)
    return replace(
        found, cells=replace(found.cells, levels=levels, codes=codes), numbers=numbers(levels)
    )


def number_column(reading: Reading, found: Found) -> Column:
    """Return a numeric column; infinity is refused, disguises and gaps in words are noted."""
    cells, values = found.cells, found.numbers.values
    if np.isinf(values).any():
        raise reading.error("infinite_number", cells, cells.first(np.isinf(values)))
    for word, n in found.gone:
        reading.note("taken_as_missing", column=cells.name, value=word, n=n)
    disguise = found.numbers.disguise
    if disguise >= 0:
        number = shortest(float(values[disguise]))
        reading.note("disguised", column=cells.name, value=cells.levels[disguise], number=number)
    return recoded(cells.name, cells.codes, values)


def must_be_numbers(reading: Reading, cells: Cells) -> Found:
    """Return a column that was said to be numeric, or refuse its first odd cell."""
    found = numbers_in(reading, cleaned(reading, cells))
    if not found.numbers.is_number.all():
        odd = found.cells.first(~found.numbers.is_number)
        raise reading.error("not_a_number", found.cells, odd)
    return found


def recoded(name: str, codes: Codes, values: Floats) -> Column:
    """Return the numeric column whose rows have the numbers of their levels."""
    levels = values + 0.0  # no -0.0
    if not (values[1:] > values[:-1]).all():
        levels, place = ranks_of(values)
        codes = through(place, codes)
    used = np.zeros(len(levels), np.bool_)
    used[codes[codes >= 0]] = True
    if not used.all():
        codes = through(np.cumsum(used, dtype=np.int32) - np.int32(1), codes)
        levels = levels[used]
    return Column(name, "numeric", levels, codes)


def name_column(cells: Cells, kind: Kind = "nominal") -> Column:
    """Return a nominal or ordered column; typed numbers as plain values, as they first appear."""
    whole = cells.whole()
    if whole is not None:
        return Column(cells.name, kind, tuple(whole[0].tolist()), whole[1])
    if cells.is_typed:
        levels, codes = by_appearance(cells.plain(), cells.codes)
        if all(isinstance(level, float) and level.is_integer() for level in levels):
            levels = [int(level) for level in levels]  # a frame's whole numbers beside gaps
        return Column(cells.name, kind, tuple(levels), codes)
    return Column(cells.name, kind, tuple(map(as_level, cells.plain())), cells.codes)


def ordered_column(reading: Reading, cells: Cells) -> Column:
    """Return an ordered column: numbers by size, other levels as they first appear."""
    found = numbers_in(reading, cells)
    if not found.all:
        return name_column(cells, "ordered")
    order = np.argsort(found.numbers.values, kind="stable")
    plain = found.cells.plain()
    place = np.argsort(order).astype(np.int32)
    levels = tuple(plain[at] for at in order.tolist())
    return Column(cells.name, "ordered", levels, through(place, found.cells.codes))


def date_columns(reading: Reading, cells: Cells) -> list[Column] | None:
    """Return the parts of a cleaned column of dates, none if none are wanted.

    None means that it holds something else.
    """
    found = None if cells.is_typed else dates(cells.plain())
    if found is None:
        return None
    if reading.parts:
        if is_either_way(cells.plain()):
            reading.note("month_first", column=cells.name, value=cells.levels[0])
        made = [f"{cells.name}.{part}" for part in reading.parts]
        reading.note("dates_made", column=cells.name, made=", ".join(made))
    else:
        reading.note("left_out_date", column=cells.name, value=cells.levels[0])
    reading.left_out.append((cells.name, "date"))
    return [
        recoded(f"{cells.name}.{part}", cells.codes, part_of(found, part)) for part in reading.parts
    ]


def are_integers(cells: Cells) -> bool:
    """Say whether every level is an integer or written as one."""
    if isinstance(cells.levels, np.ndarray):
        return bool(cells.levels.dtype.kind in "iu")
    return all(INTEGER.fullmatch(x) if isinstance(x, str) else type(x) is int for x in cells.levels)


def shortest(value: float) -> str:
    """Return a number without a needless '.0'."""
    return str(int(value)) if value.is_integer() else repr(value)
