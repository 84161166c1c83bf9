"""Read Python objects: lists of dicts, lists of rows, dicts of rows, dicts of columns."""

from __future__ import annotations

import datetime as dt
import math
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import encode_str_list
from penjing.data.read.dictionary import encode_numbers, encode_values
from penjing.data.read.raw_columns import RawColumn, RawTable
from penjing.errors import DataError, NoRowsError

ReadColumn = Callable[[str, Any, str], RawColumn]
"""A function that makes a column from its name, its values and the name of the table."""

PLAIN_TYPES = (str, bool, int, float, dt.date)
SECOND = np.timedelta64(1, "s")
PANDAS_MISSING = ("NAType", "NaTType")
"""Types of pandas' missing values; compared by name, since pandas is never imported."""


def from_columns(
    columns: Mapping[Any, Any], name: str, read_column: ReadColumn | None = None
) -> RawTable:
    """Return the columns of a dict ``{name: values}``; by default the values are Python's."""
    n_rows = len(next(iter(columns.values()), ()))
    for column_name, values in columns.items():
        if len(values) != n_rows:
            details = {"column": column_name, "n": len(values), "expected": n_rows}
            raise DataError("uneven_column", source=name, **details)
    return build_raw_table([*columns], [*columns.values()], name, read_column)


def from_dicts(rows: Sequence[Any], name: str) -> RawTable:
    """Return the columns of rows that are dicts; a key that a row lacks is a missing value."""
    column_names: dict[Any, None] = {}
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise DataError("not_a_row", source=name, row=number, value=short_repr(row))
        column_names |= dict.fromkeys(row)
    return build_raw_table(
        [*column_names],
        [[row.get(column_name) for row in rows] for column_name in column_names],
        name,
    )


def from_rows(rows: Sequence[Any], names: Sequence[str] | None, name: str) -> RawTable:
    """Return the columns of lists or tuples; the default names are x1, x2 and so on."""
    width = len(names) if names is not None else None
    for number, row in enumerate(rows, start=1):
        if isinstance(row, (str, bytes, Mapping)) or not isinstance(row, (Sequence, np.ndarray)):
            raise DataError("not_a_row", source=name, row=number, value=short_repr(row))
        width = len(row) if width is None else width
        if len(row) != width:
            raise DataError("ragged_row", source=name, row=number, n=len(row), expected=width)
    column_names = names if names is not None else default_names(width or 0)
    return build_raw_table(
        column_names, [[row[i] for row in rows] for i in range(width or 0)], name
    )


def from_pairs(
    pairs: Mapping[Any, Any], names: Sequence[str] | None, target: str | None, name: str
) -> RawTable:
    """Return the columns of a dict ``{(values…): class}``; the target is the last one."""
    keys = [key if isinstance(key, tuple) else (key,) for key in pairs]
    rows = [[*key, class_] for key, class_ in zip(keys, pairs.values(), strict=True)]
    column_names = [*(names if names is not None else default_names(len(keys[0])))]
    if len(column_names) == len(keys[0]):
        column_names.append(target or "class")
    raw_table = from_rows(rows, column_names, name)
    raw_table.target = raw_table.names[-1]
    return raw_table


def default_names(width: int) -> list[str]:
    """Return names for columns without names: x1, x2 and so on."""
    return [f"x{i}" for i in range(1, width + 1)]


def build_raw_table(
    column_names: Sequence[Any],
    columns: Sequence[Any],
    name: str,
    read_column: ReadColumn | None = None,
) -> RawTable:
    """Return a raw table from columns of Python values and their names."""
    if not columns or not len(columns[0]):
        raise NoRowsError("empty_table", source=name, names=[*column_names])
    read_column = read_column or column_from_python
    raw_columns = [
        read_column(str(column_name), values, name)
        for column_name, values in zip(column_names, columns, strict=True)
    ]
    return RawTable(raw_columns, len(columns[0]), {"name": name, "form": "rows"})


def column_from_python(column_name: str, values: Iterable[Any], name: str) -> RawColumn:
    """Return a column from Python values; None, NaN, NaT and NA are missing."""
    cells = _array_cells(values) if isinstance(values, np.ndarray) else [*values]
    texts = encode_str_list(cells)
    if texts is not None:
        return RawColumn(column_name, *texts)
    types = {*map(type, cells)} - {type(None)}
    if types == {float}:
        return RawColumn(column_name, *encode_numbers(np.asarray(cells, np.float64)))
    if not types <= {str, int, bool}:
        plain = [plain_value(cell) for cell in cells]
        for number, (cell, value) in enumerate(zip(cells, plain, strict=True), start=1):
            if value is NotImplemented:
                details = {"row": number, "column": column_name, "value": short_repr(cell)}
                raise DataError("nested_cell", source=name, **details)
        cells = plain
    return RawColumn(column_name, *encode_values(cells))


def _array_cells(values: npt.NDArray[Any]) -> list[Any]:
    """Return the cells of an array; NumPy's own list has dates and durations as integers."""
    if values.dtype.kind == "m":
        values = values / SECOND
    elif values.dtype.kind == "M":
        values = values.astype("M8[us]")
    cells: list[Any] = values.tolist()
    return cells


def plain_value(cell: Any) -> Any:  # noqa: ANN401 - whatever a frame or a user holds
    """Return a value as str, bool, int, float or date; None if missing; else NotImplemented.

    Examples
    --------
    >>> plain_value(np.float64(0.5)), plain_value(float("nan")), plain_value(np.True_)
    (0.5, None, True)
    >>> plain_value([1, 2])
    NotImplemented
    """
    if isinstance(cell, np.timedelta64):
        cell = float(cell / SECOND)
    elif isinstance(cell, np.datetime64):
        cell = cell.astype("M8[us]").item()
    elif isinstance(cell, np.generic):
        cell = cell.item()
    if cell is None or type(cell).__name__ in PANDAS_MISSING:
        return None
    if isinstance(cell, (float, Decimal)) and math.isnan(cell):
        return None
    if isinstance(cell, (Decimal, Fraction)):
        return float(cell)
    if isinstance(cell, dt.timedelta):
        return cell.total_seconds()
    if isinstance(cell, (dt.time, uuid.UUID)):
        return str(cell)
    if isinstance(cell, bytes | bytearray | memoryview):
        # With backslash escapes, different bytes stay different texts.
        return bytes(cell).decode("utf-8", "backslashreplace")
    return cell if isinstance(cell, PLAIN_TYPES) else NotImplemented


def short_repr(value: object) -> str:
    """Return the repr of a value, shortened to 38 characters."""
    text = repr(value.tolist() if isinstance(value, np.ndarray) else value)
    return text if len(text) <= 40 else text[:37] + "…"
