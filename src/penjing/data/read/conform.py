"""Reading rows for a tree that exists: its columns, its levels, its classes."""

from __future__ import annotations

from typing import Literal

import numpy as np

from penjing.data.lazy_column import Uncoded
from penjing.data.read.build_table import finished, refuse_twins, weights
from penjing.data.read.clean_columns import cleaned
from penjing.data.read.context import Reading
from penjing.data.read.convert import must_be_numbers, number_column, recoded
from penjing.data.read.dates import PARTS, dates, part_of
from penjing.data.read.dictionary import through
from penjing.data.read.infer import judged_target
from penjing.data.read.missing_markers import Markers
from penjing.data.read.raw_columns import Cells, Numbers, Sheet
from penjing.data.read.schema import placed
from penjing.data.table import Column, Field, Table
from penjing.errors import unknown


def fitted(
    sheet: Sheet,
    marks: Markers,
    fields: tuple[Field, ...],
    target: str | Field | Literal[False] | None,
    *,
    weight: str | None = None,
) -> Table:
    """Return the sheet's rows with exactly these columns, in this order and kind.

    Values that a field does not know come after its levels, so a code of ``len(field.levels)``
    or more is one that the tree has never seen. A target that the sheet does not have is None.
    """
    refuse_twins(sheet)
    reading = Reading(sheet, marks)
    have = sheet.by_name()
    columns = tuple(_column(reading, field) for field in fields)
    aim = None
    if isinstance(target, Field):
        if target.name in have:
            aim = as_field(reading, have[target.name], target)
    elif isinstance(target, str):
        if target not in have:
            raise unknown("unknown_column", target, sheet.names)
        aim = judged_target(reading, have[target])
    if aim is not None and aim.codes.max() < 0:
        aim = None  # a column that is there but empty is to be predicted
    table = Table(
        columns,
        aim,
        sheet.n_rows,
        weight=weights(reading, weight),
        row_numbers=sheet.row_numbers,
        source=sheet.source,
    )
    return finished(table, reading)


def _column(reading: Reading, field: Field) -> Column:
    have = reading.sheet.by_name()
    if field.name in have:
        return as_field(reading, have[field.name], field)
    stem, _, part = field.name.rpartition(".")
    if stem in have and part in PARTS:
        cells = cleaned(reading, have[stem], quietly=True)
        found = dates(cells.plain())
        if found is not None:
            return recoded(field.name, cells.codes, part_of(found, part))
    raise unknown("unknown_column", field.name, reading.sheet.names)


def as_field(reading: Reading, cells: Cells, field: Field) -> Column:
    """Return a column coded as a tree's field says, unknown levels after the known ones."""
    if field.is_numeric:
        if isinstance(cells, Numbers) and not reading.markers.others:
            return Uncoded(field.name, np.asarray(cells.raw, np.float64), reading.sheet.name)
        return number_column(reading, must_be_numbers(reading, cells))
    places, strange = placed(reading, cells, tuple(field.levels))
    rows = through(places, cells.codes)
    return Column(field.name, field.kind, (*field.levels, *strange), rows)
