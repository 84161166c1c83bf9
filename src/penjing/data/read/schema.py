"""Types of columns that the user declares; they take precedence over inferred ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from penjing.data.read.clean_columns import clean_column, fold_column
from penjing.data.read.context import ReadContext
from penjing.data.read.convert import (
    make_categorical_column,
    make_date_columns,
    make_numeric_column,
    make_ordered_column,
    require_numbers,
)
from penjing.data.read.dates import parse_dates
from penjing.data.read.dictionary import drop_levels, remap_codes
from penjing.data.read.level_index import LevelIndex
from penjing.data.read.raw_columns import RawColumn, RawTable, truncate_text
from penjing.data.read.reading import fold_key
from penjing.data.table import MISSING, Codes, Column, Field, Kind
from penjing.errors import ChoiceError, DataError, WrongTypeError, closest_match, unknown_name_error

SpecKind = Literal["nominal", "ordered", "numeric", "date", "ignore", "target", "weight"]
KINDS: dict[str, SpecKind] = {
    "categorical": "nominal",
    "ordinal": "ordered",
    "numeric": "numeric",
    "date": "date",
    "ignore": "ignore",
    "target": "target",
    "weight": "weight",
}
"""The types of columns by the words of a schema."""
_SHORT_KINDS: dict[str, SpecKind] = {"nominal": "nominal", "ordered": "ordered"}
"""Words of early schemas and of model files."""


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """The declared type of a column: a kind, and optionally its levels in order."""

    kind: SpecKind
    levels: tuple[Any, ...] | None = None


def check_schema(schema: Any) -> None:  # noqa: ANN401 - checked here
    """Raise an error if a schema is neither a dict nor the fields of a tree."""
    if schema is None or isinstance(schema, Mapping):
        return
    is_list = isinstance(schema, Sequence) and not isinstance(schema, str | bytes | bytearray)
    if not is_list or not all(isinstance(field, Field) for field in schema):
        raise WrongTypeError("schema_shape", value=schema)


def column_specs(schema: Mapping[str, Any] | None, raw_table: RawTable) -> dict[str, ColumnSpec]:
    """Return the declared type of each column in the schema.

    It is a kind such as "numeric", a list with the levels of a nominal column, or
    ``{"ordered": [...]}`` with those of an ordered one.
    """
    specs: dict[str, ColumnSpec] = {}
    for name, value in (schema or {}).items():
        if name not in raw_table.names:
            raise unknown_name_error("unknown_column", name, raw_table.names)
        specs[name] = parse_column_spec(name, value)
    return specs


def parse_column_spec(name: str, value: object) -> ColumnSpec:
    """Return the type that a word, a list or a dict of a schema declares."""
    if isinstance(value, Field):
        return ColumnSpec(value.kind, None if value.is_numeric else tuple(value.levels))
    if isinstance(value, str):
        if value not in KINDS and value not in _SHORT_KINDS:
            raise unknown_name_error("unknown_kind", value, KINDS, column=name)
        return ColumnSpec((KINDS | _SHORT_KINDS)[value])
    kind: SpecKind = "nominal"
    if isinstance(value, Mapping):
        word = next(iter(value), None)
        listed = {"ordinal", "categorical", *_SHORT_KINDS}
        if len(value) != 1 or word not in listed:
            raise ChoiceError("bad_schema", column=name, value=value)
        kind, value = (KINDS | _SHORT_KINDS)[str(word)], value[word]
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise WrongTypeError("bad_schema", column=name, value=value)
    levels = tuple(level.item() if isinstance(level, np.generic) else level for level in value)
    if not all(isinstance(level, str | int | float) for level in levels):
        raise WrongTypeError("bad_schema", column=name, value=value)
    if not levels or len(set(map(str, levels))) != len(levels):
        raise ChoiceError("bad_levels", column=name, value=list(levels))
    return ColumnSpec(kind, levels)


def apply_column_spec(context: ReadContext, raw: RawColumn, spec: ColumnSpec) -> list[Column]:
    """Return a column with its declared type; dates may become several columns or none."""
    if spec.levels is not None:
        return [column_with_levels(context, raw, spec)]
    if spec.kind == "numeric":
        return [make_numeric_column(context, require_numbers(context, raw))]
    raw = clean_column(context, raw)
    if spec.kind == "date":
        return require_dates(context, raw)
    raw = fold_column(context, raw)
    if spec.kind == "ordered":
        return [make_ordered_column(context, raw)]
    return [make_categorical_column(raw)]


def require_dates(context: ReadContext, raw: RawColumn) -> list[Column]:
    """Return the columns made from dates; raise an error if a value is not a date."""
    if not raw.n_known:
        context.note("left_out_empty", column=raw.name)
        context.left_out.append((raw.name, "empty"))
        return []
    columns = make_date_columns(context, raw)
    if columns is None:
        not_dates = [
            position
            for position, level in enumerate(raw.plain_levels())
            if parse_dates([level]) is None
        ]
        raise context.error("not_a_date", raw, not_dates[0] if not_dates else 0)
    return columns


def column_with_levels(context: ReadContext, raw: RawColumn, spec: ColumnSpec) -> Column:
    """Return a column with exactly the declared levels; raise an error for other values."""
    levels = spec.levels or ()
    level_codes, unknown_levels = encode_levels(context, raw, levels)
    if unknown_levels:
        first_unknown = int(np.argmax(level_codes == len(levels)))
        raise unknown_level_error(context.raw_table.name, raw, first_unknown, levels)
    kind: Kind = "ordered" if spec.kind == "ordered" else "nominal"
    return Column(raw.name, kind, levels, remap_codes(level_codes, raw.codes))


def encode_levels(
    context: ReadContext, raw: RawColumn, levels: Sequence[Any]
) -> tuple[Codes, list[Any]]:
    """Return the code of each level of a column among known levels, and the unknown levels.

    Unknown levels get the codes after the known ones; missing markers get -1.
    """
    codes = match_levels(raw, levels)
    if context.reading.folds_case(raw.name):
        codes = match_folded(raw, levels, codes)
    if context.markers.words:  # a named marker is missing even if it is also a level
        is_named = [context.markers.is_named_marker(level) for level in raw.plain_levels()]
        codes[np.array(is_named, np.bool_)] = MISSING
    unmatched = np.flatnonzero(codes < 0)
    raw_levels = raw.plain_levels()
    unmatched_column = RawColumn(
        raw.name,
        [raw_levels[position] for position in unmatched],
        np.arange(len(unmatched), dtype=np.int32),
    )
    unmatched_column = clean_column(context, unmatched_column, quiet=True)
    words = context.reading.column(raw.name).missing
    if words:
        cleaned = unmatched_column.plain_levels()
        gone = [position for position, level in enumerate(cleaned) if level in words]
        unmatched_column = unmatched_column.with_levels(
            *drop_levels(cleaned, unmatched_column.codes, gone)
        )
    codes[unmatched] = np.where(
        unmatched_column.codes < 0, MISSING, unmatched_column.codes + len(levels)
    )
    return codes, unmatched_column.plain_levels()


def match_levels(raw: RawColumn, levels: Sequence[Any]) -> Codes:
    """Return the code of each of the column's levels among other levels, -1 if it has none.

    Levels match as `LevelIndex` finds them: the '0' of a file matches the 0 of a list, and the
    1.0 of a frame with missing values matches 1.

    Examples
    --------
    >>> match_levels(RawColumn("x", ["0", "1", "2"], np.array([0, 1, 2], np.int32)), [1, 0])
    array([ 1,  0, -1], dtype=int32)
    """
    places = LevelIndex(levels)
    return np.asarray([places.of(value) for value in raw.plain_levels()], np.int32)


def match_folded(raw: RawColumn, levels: Sequence[Any], codes: Codes) -> Codes:
    """Return the codes, with those of levels that differ from a known one in case and blanks.

    Examples
    --------
    >>> raw = RawColumn("plan", ["basic", "Pro"], np.array([0, 1], np.int32))
    >>> match_folded(raw, ["Basic", "Plus"], np.array([-1, -1], np.int32))
    array([ 0, -1], dtype=int32)
    """
    by_key = {fold_key(x): code for code, x in reversed([*enumerate(levels)]) if isinstance(x, str)}
    found = [
        by_key.get(fold_key(level), MISSING) if code < 0 and isinstance(level, str) else code
        for level, code in zip(raw.plain_levels(), codes.tolist(), strict=True)
    ]
    return np.asarray(found, np.int32)


def unknown_level_error(
    source: str, raw: RawColumn, level: int, levels: Sequence[Any]
) -> DataError:
    """Return the error for a value that is not among the declared levels."""
    value = raw.levels[level]
    similar = closest_match(value, levels)
    details = {
        "source": source,
        "row": raw.first_row_number(level),
        "column": raw.name,
        "value": truncate_text(value),
        "known": truncate_text(", ".join(map(str, levels))),
    }
    if similar is None:
        return DataError("unknown_category", **details)
    return DataError("unknown_category_near", near=similar, **details)
