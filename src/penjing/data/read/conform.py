"""Reading rows for a tree that exists: its columns, its levels, its classes."""

from __future__ import annotations

from typing import Literal

import numpy as np

from penjing.data.lazy_column import LazyColumn
from penjing.data.read.build_table import check_unique_names, finish_table, read_weights
from penjing.data.read.clean_columns import clean_column
from penjing.data.read.context import ReadContext
from penjing.data.read.convert import encode_numeric_column, make_numeric_column, require_numbers
from penjing.data.read.dates import PARTS, date_part, parse_dates
from penjing.data.read.dictionary import remap_codes
from penjing.data.read.infer import infer_target
from penjing.data.read.missing_markers import Markers
from penjing.data.read.raw_columns import RawColumn, RawNumbers, RawTable
from penjing.data.read.schema import encode_levels
from penjing.data.table import Column, Field, Table
from penjing.errors import unknown_name_error


def conform_to_fields(
    sheet: RawTable,
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
    check_unique_names(sheet)
    reading = ReadContext(sheet, marks)
    have = sheet.by_name()
    columns = tuple(_conform_column(reading, field) for field in fields)
    aim = None
    if isinstance(target, Field):
        if target.name in have:
            aim = conform_column(reading, have[target.name], target)
    elif isinstance(target, str):
        if target not in have:
            raise unknown_name_error("unknown_column", target, sheet.names)
        aim = infer_target(reading, have[target])
    if aim is not None and aim.codes.max() < 0:
        aim = None  # a column that is there but empty is to be predicted
    table = Table(
        columns,
        aim,
        sheet.n_rows,
        weight=read_weights(reading, weight),
        row_numbers=sheet.row_numbers,
        source=sheet.source,
    )
    return finish_table(table, reading)


def _conform_column(reading: ReadContext, field: Field) -> Column:
    have = reading.raw_table.by_name()
    if field.name in have:
        return conform_column(reading, have[field.name], field)
    stem, _, part = field.name.rpartition(".")
    if stem in have and part in PARTS:
        cells = clean_column(reading, have[stem], quietly=True)
        found = parse_dates(cells.plain_levels())
        if found is not None:
            return encode_numeric_column(field.name, cells.codes, date_part(found, part))
    raise unknown_name_error("unknown_column", field.name, reading.raw_table.names)


def conform_column(reading: ReadContext, cells: RawColumn, field: Field) -> Column:
    """Return a column coded as a tree's field says, unknown levels after the known ones."""
    if field.is_numeric:
        if isinstance(cells, RawNumbers) and not reading.markers.numbers:
            return LazyColumn(field.name, np.asarray(cells.raw, np.float64), reading.raw_table.name)
        return make_numeric_column(reading, require_numbers(reading, cells))
    places, strange = encode_levels(reading, cells, tuple(field.levels))
    rows = remap_codes(places, cells.codes)
    return Column(field.name, field.kind, (*field.levels, *strange), rows)
