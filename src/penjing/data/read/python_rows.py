"""Python's own tables: lists of dicts, lists of rows, dicts of rows, dicts of columns."""

from __future__ import annotations

import datetime as dt
import math
import uuid
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from penjing._core import code_texts
from penjing.data.read.dictionary import codes_of, ranks_of
from penjing.data.read.raw_columns import Cells, Sheet
from penjing.errors import DataError, NoRowsError

PLAIN = (str, bool, int, float, dt.date)
GAPS = ("NAType", "NaTType")
"""What pandas calls a missing value; known by name, since pandas is never imported."""


def from_columns(columns: Mapping[Any, Any], name: str) -> Sheet:
    """Take columns by name."""
    n_rows = len(next(iter(columns.values()), ()))
    for title, values in columns.items():
        if len(values) != n_rows:
            said = {"column": title, "n": len(values), "expected": n_rows}
            raise DataError("uneven_column", source=name, **said)
    return titled([*columns], [*columns.values()], name)


def from_dicts(rows: Sequence[Any], name: str) -> Sheet:
    """Take rows as dicts; a key that a row does not have is a missing value."""
    titles: dict[Any, None] = {}
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise DataError("not_a_row", source=name, row=number, value=shortened(row))
        titles |= dict.fromkeys(row)
    return titled([*titles], [[row.get(title) for row in rows] for title in titles], name)


def from_rows(rows: Sequence[Any], names: Sequence[str] | None, name: str) -> Sheet:
    """Take rows as lists or tuples; without names the columns are x1, x2 and so on."""
    width = len(names) if names is not None else None
    for number, row in enumerate(rows, start=1):
        if isinstance(row, (str, bytes, Mapping)) or not isinstance(row, (Sequence, np.ndarray)):
            raise DataError("not_a_row", source=name, row=number, value=shortened(row))
        width = len(row) if width is None else width
        if len(row) != width:
            raise DataError("ragged_row", source=name, row=number, n=len(row), expected=width)
    titles = names if names is not None else numbered(width or 0)
    return titled(titles, [[row[place] for row in rows] for place in range(width or 0)], name)


def from_pairs(
    pairs: Mapping[Any, Any], names: Sequence[str] | None, target: str | None, name: str
) -> Sheet:
    """Take a dict ``{(values…): class}``; the class gets the last name, or ``class``."""
    keys = [key if isinstance(key, tuple) else (key,) for key in pairs]
    rows = [[*key, class_] for key, class_ in zip(keys, pairs.values(), strict=True)]
    titles = [*(names if names is not None else numbered(len(keys[0])))]
    if len(titles) == len(keys[0]):
        titles.append(target or "class")
    sheet = from_rows(rows, titles, name)
    sheet.target = sheet.names[-1]
    return sheet


def numbered(width: int) -> list[str]:
    """Return names for columns that have none."""
    return [f"x{place}" for place in range(1, width + 1)]


def titled(titles: Sequence[Any], columns: Sequence[Any], name: str) -> Sheet:
    """Take columns beside their names."""
    if not columns or not len(columns[0]):
        raise NoRowsError("empty_table", source=name, names=[*titles])
    cells = [plain_cells(str(t), values, name) for t, values in zip(titles, columns, strict=True)]
    return Sheet(cells, len(columns[0]), {"name": name, "form": "rows"})


def plain_cells(title: str, values: Iterable[Any], name: str) -> Cells:
    """Make a column of any Python values; None, NaN, NaT and NA are missing."""
    cells = values.tolist() if isinstance(values, np.ndarray) else [*values]
    texts = code_texts(cells)
    if texts is not None:
        return Cells(title, *texts)
    types = {*map(type, cells)} - {type(None)}
    if types == {float}:
        return Cells(title, *ranks_of(np.asarray(cells, np.float64)))
    if not types <= {str, int, bool}:
        found = [plain_value(cell) for cell in cells]
        for number, (cell, value) in enumerate(zip(cells, found, strict=True), start=1):
            if value is NotImplemented:
                said = {"row": number, "column": title, "value": shortened(cell)}
                raise DataError("nested_cell", source=name, **said)
        cells = found
    return Cells(title, *codes_of(cells))


def plain_value(cell: Any) -> Any:  # noqa: ANN401 - whatever a frame or a user holds
    """Return a value as str, bool, int, float or date; None if missing; else NotImplemented.

    Examples
    --------
    >>> plain_value(np.float64(0.5)), plain_value(float("nan")), plain_value(np.True_)
    (0.5, None, True)
    >>> plain_value([1, 2])
    NotImplemented
    """
    if isinstance(cell, (np.datetime64, np.timedelta64)):
        cell = cell.astype(f"{cell.dtype.kind}8[us]").item()
    elif isinstance(cell, np.generic):
        cell = cell.item()
    if cell is None or type(cell).__name__ in GAPS:
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
        return bytes(cell).decode("utf-8", "backslashreplace")  # different bytes, different texts
    return cell if isinstance(cell, PLAIN) else NotImplemented


def shortened(value: object) -> str:
    """Return how a value looks, in a few words."""
    text = repr(value.tolist() if isinstance(value, np.ndarray) else value)
    return text if len(text) <= 40 else text[:37] + "…"
