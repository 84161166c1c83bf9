"""Read rows for a fitted tree: with its columns, its levels and its classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from penjing.data.lazy_column import LazyColumn
from penjing.data.read.build_table import check_unique_names, finish_table, read_weights
from penjing.data.read.clean_columns import clean_column
from penjing.data.read.context import ReadContext
from penjing.data.read.convert import encode_numeric_column, make_numeric_column, require_numbers
from penjing.data.read.dates import (
    PARTS,
    date_order,
    date_part,
    parse_date_for_model,
    parse_dates,
)
from penjing.data.read.dictionary import order_by_appearance, remap_codes
from penjing.data.read.find_row_ids import row_ids_for_fields
from penjing.data.read.infer import infer_target
from penjing.data.read.missing_markers import Markers
from penjing.data.read.raw_columns import RawColumn, RawNumbers, RawTable
from penjing.data.read.reading import Reading
from penjing.data.read.schema import encode_levels
from penjing.data.table import Column, Field, Table
from penjing.errors import unknown_name_error


def conform_to_fields(
    raw_table: RawTable,
    markers: Markers,
    fields: tuple[Field, ...],
    target: str | Field | Literal[False] | None,
    *,
    weight: str | None = None,
    reading: Reading | None = None,
    has_model: bool = True,
) -> Table:
    """Return a table with exactly these columns, in this order and of these kinds.

    Unknown values come after the levels of a field, so a code of ``len(field.levels)`` or more
    stands for a value that the tree has not seen. The target is None if the source lacks it.
    ``reading`` says how the table of the tree was read. Without a model, but with its fields, the
    decimal mark and the order of dates are those that fit the table.
    """
    check_unique_names(raw_table)
    if has_model and raw_table.source.get("form") == "frame":
        kept = {target} if isinstance(target, str) else set()
        cells = [raw if raw.name in kept else _without_categories(raw) for raw in raw_table.columns]
        raw_table = replace(raw_table, columns=cells)
    context = ReadContext(
        raw_table, markers, reading=reading or Reading(), is_conforming=True, has_model=has_model
    )
    columns_by_name = raw_table.by_name()
    columns = tuple(_conform_column(context, field) for field in fields)
    target_column = None
    if isinstance(target, Field):
        if target.name in columns_by_name:
            target_column = conform_column(context, columns_by_name[target.name], target)
    elif isinstance(target, str):
        if target not in columns_by_name:
            raise unknown_name_error("unknown_column", target, raw_table.names)
        target_column = infer_target(context, columns_by_name[target])
    if target_column is not None and target_column.codes.max() < 0:
        target_column = None  # an empty target column is to be predicted
    table = Table(
        columns,
        target_column,
        raw_table.n_rows,
        weight=read_weights(context, weight),
        row_numbers=raw_table.row_numbers,
        source=raw_table.source,
        row_ids=row_ids_for_fields(context, _used_names(fields, target, weight)),
    )
    return finish_table(table, context)


def _without_categories(raw: RawColumn) -> RawColumn:
    """Return a column without the categories that a frame declares.

    To a model they are cells as any other: its reading says what they mean.
    """
    if not raw.is_fixed:
        return raw
    return RawColumn(raw.name, *order_by_appearance(raw.plain_levels(), raw.codes))


def _used_names(
    fields: tuple[Field, ...], target: str | Field | Literal[False] | None, weight: str | None
) -> set[str]:
    """Return the names of the columns that have a meaning of their own."""
    names = {field.name for field in fields} | {field.name.rpartition(".")[0] for field in fields}
    names |= {target.name} if isinstance(target, Field) else set()
    names |= {target} if isinstance(target, str) else set()
    return names | ({weight} if weight is not None else set())


def _conform_column(context: ReadContext, field: Field) -> Column:
    columns_by_name = context.raw_table.by_name()
    if field.name in columns_by_name:
        return conform_column(context, columns_by_name[field.name], field)
    stem, _, part = field.name.rpartition(".")
    if stem in columns_by_name and part in PARTS:
        raw = clean_column(context, columns_by_name[stem], quiet=True)
        if not raw.n_known:
            return encode_numeric_column(field.name, raw.codes, np.empty(0))
        levels, order = raw.plain_levels(), context.reading.column(stem).date_order
        if not context.has_model:
            order = order or date_order(levels)
        dates = [parse_date_for_model(level, order) for level in levels]
        for position, date in enumerate(dates):
            if date is None and part not in context.reading.column(stem).date_parts:
                raise unknown_name_error("unknown_column", field.name, context.raw_table.names)
            if date is None:
                key = "not_a_date" if parse_dates([levels[position]]) is None else "date_order"
                raise context.error(key, raw, position)
        known = [date for date in dates if date is not None]
        return encode_numeric_column(field.name, raw.codes, date_part(known, part))
    raise unknown_name_error("unknown_column", field.name, context.raw_table.names)


def conform_column(context: ReadContext, raw: RawColumn, field: Field) -> Column:
    """Return a column with the codes of a tree's field, unknown levels after the known ones."""
    if field.is_numeric:
        if isinstance(raw, RawNumbers) and not context.markers.numbers:
            return LazyColumn(field.name, np.asarray(raw.raw, np.float64), context.raw_table.name)
        return make_numeric_column(context, require_numbers(context, raw))
    codes_of_levels, unknown_levels = encode_levels(context, raw, tuple(field.levels))
    codes = remap_codes(codes_of_levels, raw.codes)
    return Column(field.name, field.kind, (*field.levels, *unknown_levels), codes)
