"""What the user says a column is; it always wins over what it looks like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from penjing.data.read.clean_columns import clean_column
from penjing.data.read.context import ReadContext
from penjing.data.read.convert import (
    make_categorical_column,
    make_date_columns,
    make_numeric_column,
    make_ordered_column,
    require_numbers,
)
from penjing.data.read.dates import date_to_level, parse_dates
from penjing.data.read.dictionary import remap_codes
from penjing.data.read.raw_columns import RawColumn, RawTable, truncate_text
from penjing.data.table import MISSING, Codes, Column, Field, Kind
from penjing.errors import ChoiceError, DataError, WrongTypeError, closest_match, unknown_name_error

SpecKind = Literal["nominal", "ordered", "numeric", "date", "ignore", "target", "weight"]
KINDS: tuple[SpecKind, ...] = (
    "nominal",
    "ordered",
    "numeric",
    "date",
    "ignore",
    "target",
    "weight",
)


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """What one column shall be: a kind, perhaps with its levels in their order."""

    kind: SpecKind
    levels: tuple[Any, ...] | None = None


def check_schema(schema: Any) -> None:  # noqa: ANN401 - that is to be found out
    """Refuse what says nothing of columns: neither a dict nor the fields of a tree."""
    if schema is None or isinstance(schema, Mapping):
        return
    is_list = isinstance(schema, Sequence) and not isinstance(schema, str | bytes | bytearray)
    if not is_list or not all(isinstance(field, Field) for field in schema):
        raise WrongTypeError("schema_shape", value=schema)


def column_specs(schema: Mapping[str, Any] | None, sheet: RawTable) -> dict[str, ColumnSpec]:
    """Return the wish for each column that the schema names, checked.

    A kind is a word; a list gives the levels of a nominal column, ``{"ordered": [...]}`` those
    of an ordered one.
    """
    asked: dict[str, ColumnSpec] = {}
    for name, said in (schema or {}).items():
        if name not in sheet.names:
            raise unknown_name_error("unknown_column", name, sheet.names)
        asked[name] = parse_column_spec(name, said)
    return asked


def parse_column_spec(name: str, said: object) -> ColumnSpec:
    """Return the wish that a word, a list or a dict of a schema means."""
    if isinstance(said, Field):
        return ColumnSpec(said.kind, None if said.is_numeric else tuple(said.levels))
    if isinstance(said, str):
        if said not in KINDS:
            raise unknown_name_error("unknown_kind", said, KINDS, column=name)
        return ColumnSpec(said)
    kind: SpecKind = "nominal"
    if isinstance(said, Mapping):
        if len(said) != 1 or next(iter(said)) not in ("ordered", "nominal"):
            raise ChoiceError("bad_schema", column=name, value=said)
        kind, said = next(iter(said.items()))
    if isinstance(said, (str, bytes, Mapping)) or not isinstance(said, Iterable):
        raise WrongTypeError("bad_schema", column=name, value=said)
    levels = tuple(x.item() if isinstance(x, np.generic) else x for x in said)
    if not all(isinstance(level, str | int | float) for level in levels):
        raise WrongTypeError("bad_schema", column=name, value=said)
    if not levels or len(set(map(str, levels))) != len(levels):
        raise ChoiceError("bad_levels", column=name, value=list(levels))
    return ColumnSpec(kind, levels)


def apply_column_spec(reading: ReadContext, cells: RawColumn, wish: ColumnSpec) -> list[Column]:
    """Return the columns that a wish makes of a column, as a rule one."""
    if wish.levels is not None:
        return [column_with_levels(reading, cells, wish)]
    if wish.kind == "numeric":
        return [make_numeric_column(reading, require_numbers(reading, cells))]
    cells = clean_column(reading, cells)
    if wish.kind == "ordered":
        return [make_ordered_column(reading, cells)]
    if wish.kind == "date":
        return require_dates(reading, cells)
    return [make_categorical_column(cells)]


def require_dates(reading: ReadContext, cells: RawColumn) -> list[Column]:
    """Return what is made of a column that was said to hold dates."""
    if not cells.n_known:
        reading.note("left_out_empty", column=cells.name)
        reading.left_out.append((cells.name, "empty"))
        return []
    made = make_date_columns(reading, cells)
    if made is None:
        bad = [place for place, x in enumerate(cells.plain_levels()) if parse_dates([x]) is None]
        raise reading.error("not_a_date", cells, bad[0] if bad else 0)
    return made


def column_with_levels(reading: ReadContext, cells: RawColumn, wish: ColumnSpec) -> Column:
    """Return a column with exactly the levels that the user lists."""
    levels = wish.levels or ()
    places, strange = encode_levels(reading, cells, levels)
    if strange:
        first = int(np.argmax(places == len(levels)))
        raise unknown_level_error(reading.raw_table.name, cells, first, levels)
    kind: Kind = "ordered" if wish.kind == "ordered" else "nominal"
    return Column(cells.name, kind, levels, remap_codes(places, cells.codes))


def encode_levels(
    reading: ReadContext, cells: RawColumn, levels: Sequence[Any]
) -> tuple[Codes, list[Any]]:
    """Return the place of each of a column's levels among known ones, and the strange ones.

    Strange levels get the places after the known ones; those that mean missing get -1.
    """
    places = match_levels(cells, levels)
    if reading.markers.words:  # what was named as a marker is one, even if it is a level, too
        said = [reading.markers.is_named_marker(level) for level in cells.plain_levels()]
        places[np.array(said, np.bool_)] = MISSING
    rest = np.flatnonzero(places < 0)
    plain = cells.plain_levels()
    others = RawColumn(
        cells.name, [plain[place] for place in rest], np.arange(len(rest), dtype=np.int32)
    )
    others = clean_column(reading, others, quietly=True)
    places[rest] = np.where(others.codes < 0, MISSING, others.codes + len(levels))
    return places, others.plain_levels()


def comparison_text(value: object) -> str:
    """Return the text by which values of different types are compared: 1.0 and 1 are '1'."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(date_to_level(value)).strip()


def match_levels(cells: RawColumn, levels: Sequence[Any]) -> Codes:
    """Return the place of each of the column's levels among other levels, -1 where it has none.

    Equal values of one type come first, then equal values, then equal texts: so that '0' of a
    file meets the 0 of a list, and 1.0 of a frame with gaps the 1 of one without.

    Examples
    --------
    >>> match_levels(RawColumn("x", ["0", "1", "2"], np.array([0, 1, 2], np.int32)), [1, 0])
    array([ 1,  0, -1], dtype=int32)
    """
    places = [*reversed([*enumerate(levels)])]  # of two that are alike the first one wins
    same = {(type(level), level): place for place, level in places}
    equal = {level: place for place, level in places}
    alike = {comparison_text(level): place for place, level in places}
    found = [
        same.get((type(value), value), equal.get(value, alike.get(comparison_text(value), MISSING)))
        for value in cells.plain_levels()
    ]
    return np.asarray(found, np.int32)


def unknown_level_error(
    source: str, cells: RawColumn, level: int, levels: Sequence[Any]
) -> DataError:
    """Make the error for a value that is not among the declared levels."""
    value = cells.levels[level]
    close = closest_match(value, levels)
    said = {
        "source": source,
        "row": cells.first_row_number(level),
        "column": cells.name,
        "value": truncate_text(value),
        "known": truncate_text(", ".join(map(str, levels))),
    }
    if close is None:
        return DataError("foreign_level", **said)
    return DataError("foreign_level_near", near=close, **said)
