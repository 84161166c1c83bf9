"""Read any file, frame or list of rows as a Table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from penjing import arguments
from penjing.data.memory_limit import memory_bytes
from penjing.data.read.build_table import build_table, check_columns_exist
from penjing.data.read.conform import conform_to_fields
from penjing.data.read.csv import check_separator
from penjing.data.read.csv_duckdb import column_hints
from penjing.data.read.dispatch import read_source
from penjing.data.read.example_files import example_target, is_example
from penjing.data.read.given_weights import are_values, weight_values
from penjing.data.read.missing_markers import make_markers, serializable_markers
from penjing.data.read.numbers import check_decimal
from penjing.data.read.reading import NOTHING_KNOWN, FileLayout, Reading, with_layout
from penjing.data.read.schema import check_schema
from penjing.data.read.text_encoding import check_encoding
from penjing.data.source import ColumnSchema, Source, Weights
from penjing.data.table import Field, Note, Table
from penjing.errors import ChoiceError, WrongTypeError

__all__ = ["read"]


def read(
    source: Source,
    target: str | Field | Literal[False] | None = None,
    schema: Mapping[str, ColumnSchema] | Sequence[Field] | None = None,
    *,
    missing: Iterable[str] | Mapping[str, Iterable[str]] | None = None,
    encoding: str | None = None,
    weight: Weights | None = None,
    keep: str | Iterable[str] = (),
    dates: str | Iterable[str] | None = None,
    name: str | None = None,
    names: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    fold_case: bool | str | Iterable[str] = False,
    sheet: str | int | None = None,
    memory_limit: float | str | None = None,
    like: Mapping[str, Any] | FileLayout | None = None,
    keeps_weight: bool = False,
) -> Table:
    """Read a table and infer the type of each column, without warnings about its notes.

    Parameters and the result are those of :func:`penjing.read`. ``like`` is the ``reading`` of a
    tree, or the layout of its file; it is applied to rows with the fields of the tree. What the
    other arguments say takes precedence. With ``keeps_weight`` rows that are read without their
    target are weighted as in training, too.

    Examples
    --------
    >>> read([[1, 1, "yes"], [1, 0, "no"]], names=["legs", "fins", "fish"]).names
    ('legs', 'fins')
    """
    if isinstance(source, Table):
        if labels is not None:
            raise ChoiceError("table_is_read", name="labels")
        options = (
            target, schema, missing, encoding, weight, dates, name, names, separator, decimal,
            fold_case or None, sheet,
        )  # fmt: skip
        if isinstance(keep, tuple) and not keep and all(option is None for option in options):
            return source
    if is_example(source) and target is None and not schema:
        target = example_target(str(source))
    remembered = like.reading if isinstance(like, FileLayout) else Reading.from_json(like)
    missing = remembered.missing if missing is None else serializable_markers(missing)
    if memory_limit is not None:
        memory_bytes(memory_limit)  # raises an error if it is invalid
    keep_names = arguments.texts("keep", keep)
    check_schema(schema)
    weight_name = weight if isinstance(weight, str) else None
    _check_call(target, separator, encoding=encoding, name=name)
    marks = remembered.with_decimal(check_decimal(decimal))
    told = _told(missing, marks, _check_fold_case(fold_case))
    layout = _layout_of(remembered, target, schema) if isinstance(like, Mapping) else like
    raw_table = read_source(
        source,
        encoding=encoding,
        name=name,
        names=names,
        labels=labels,
        separator=separator,
        target=target.name if isinstance(target, Field) else (target or None),
        hints=None if isinstance(source, np.ndarray) else column_hints(schema, missing, told),
        memory_limit=memory_limit,
        sheet=_check_sheet(sheet),
        layout=layout,
    )
    if are_values(weight):
        raw_table.weight = weight_values(weight, raw_table.n_rows, raw_table.name)
    markers = make_markers(missing, usual=raw_table.has_usual_markers)
    if isinstance(schema, Mapping) or schema is None:
        told = with_layout(told, raw_table, encoding=encoding, separator=separator, sheet=sheet)
        return build_table(
            raw_table,
            markers,
            target,
            schema,
            weight=weight_name,
            keep=keep_names,
            dates=dates,
            reading=told,
        )
    check_columns_exist(raw_table, keep_names)
    is_weighted = target is not False or keeps_weight  # predictions need no weights
    if weight is None and is_weighted and remembered.weight in raw_table.names:
        weight_name = remembered.weight  # the rows count as they did in training
        raw_table.notes.append(
            Note("note_weighted", {"source": raw_table.name, "column": weight_name})
        )
    if missing is not None:  # a tree does not apply its own markers to the table
        raw_table.source = {**raw_table.source, "reading": {"missing": missing}}
    return conform_to_fields(
        raw_table,
        markers,
        tuple(schema),
        target,
        weight=weight_name,
        reading=told,
        has_model=like is not None,
    )


def _layout_of(
    remembered: Reading,
    target: str | Field | Literal[False] | None,
    schema: Mapping[str, ColumnSchema] | Sequence[Field] | None,
) -> FileLayout:
    """Return what a model remembers about the layout of its file."""
    fields = () if schema is None or isinstance(schema, Mapping) else schema
    name = target.name if isinstance(target, Field) else target or None
    known = {field.name for field in fields} | ({name} if name else set())
    dates = {column for column, read in remembered.columns.items() if read.date_parts}
    return FileLayout(remembered, frozenset(known | dates), name)


def _told(missing: Any, marks: Reading, fold_case: bool | tuple[str, ...]) -> Reading:  # noqa: ANN401, FBT001 - as `read` has them
    """Return what is known about how the table is to be read."""
    if missing is None and fold_case is False and marks is NOTHING_KNOWN:
        return NOTHING_KNOWN
    return Reading(missing, decimal=marks.decimal, fold_case=fold_case, columns=marks.columns)


def _check_fold_case(fold_case: object) -> bool | tuple[str, ...]:
    return (
        fold_case if isinstance(fold_case, bool) else tuple(arguments.texts("fold_case", fold_case))
    )


def _check_sheet(sheet: object) -> str | int | None:
    if sheet is None or (isinstance(sheet, str | int) and not isinstance(sheet, bool)):
        return sheet
    raise WrongTypeError("bad_sheet", name="sheet", value=sheet)


def _check_call(target: object, separator: object, **texts: object) -> None:
    """Check the arguments before anything is read."""
    if not (target is None or target is False or isinstance(target, str | Field)):
        raise WrongTypeError("bad_target", value=target)
    for parameter, value in texts.items():
        arguments.optional_text(parameter, value)
    if isinstance(texts["encoding"], str):
        check_encoding(texts["encoding"])
    check_separator(separator)
