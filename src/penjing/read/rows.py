"""Python's own tables: lists of dicts, lists of rows, dicts of rows, dicts of columns."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from penjing.errors import DataError
from penjing.read.cells import Cells, Sheet
from penjing.read.code import codes_of

PLAIN = (str, bool, int, float, dt.date)
GAPS = ("NAType", "NaTType")
"""What pandas calls a missing value; known by name, since pandas is never imported."""


def from_columns(columns: Mapping[str, Sequence[Any]], name: str) -> Sheet:
    """Take columns by name."""
    widths = {title: len(values) for title, values in columns.items()}
    n_rows = next(iter(widths.values()), 0)
    for title, n in widths.items():
        if n != n_rows:
            raise DataError("uneven_column", source=name, column=title, n=n, expected=n_rows)
    if not n_rows:
        raise DataError("empty_file", source=name)
    cells = [plain_cells(str(title), values, name) for title, values in columns.items()]
    return Sheet(cells, n_rows, {"name": name, "form": "rows"})


def from_dicts(rows: Sequence[Mapping[str, Any]], name: str) -> Sheet:
    """Take rows as dicts; a key that a row does not have is a missing value."""
    titles: dict[str, None] = {}
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise DataError("not_a_row", source=name, row=number, value=_short(row))
        titles |= dict.fromkeys(row)
    return from_columns({title: [row.get(title) for row in rows] for title in titles}, name)


def from_rows(rows: Sequence[Any], names: Sequence[str] | None, name: str) -> Sheet:
    """Take rows as lists or tuples; without names the columns are x1, x2, …"""
    width = len(names) if names is not None else None
    for number, row in enumerate(rows, start=1):
        if isinstance(row, (str, bytes, Mapping)) or not isinstance(row, (Sequence, np.ndarray)):
            raise DataError("not_a_row", source=name, row=number, value=_short(row))
        width = len(row) if width is None else width
        if len(row) != width:
            raise DataError("ragged_row", source=name, row=number, n=len(row), expected=width)
    titles = names if names is not None else [f"x{place}" for place in range(1, (width or 0) + 1)]
    columns = [[row[place] for row in rows] for place in range(width or 0)]
    return _titled(titles, columns, name)


def from_pairs(
    pairs: Mapping[Any, Any], names: Sequence[str] | None, target: str | None, name: str
) -> Sheet:
    """Take a dict ``{(values…): class}``; the class gets the last name, or ``class``."""
    rows = [[*key, label] if isinstance(key, tuple) else [key, label] for key, label in pairs.items()]
    width = len(rows[0])
    if names is None:
        names = [*(f"x{place}" for place in range(1, width)), target or "class"]
    elif len(names) == width - 1:
        names = [*names, target or "class"]
    sheet = from_rows(rows, names, name)
    sheet.target = sheet.names[-1]
    return sheet


def with_labels(sheet: Sheet, labels: Iterable[Any], target: str | None) -> Sheet:
    """Add the classes that came apart from the rows, as the last column."""
    values = labels.tolist() if hasattr(labels, "tolist") else [*labels]
    if hasattr(labels, "to_list"):
        values = labels.to_list()
    if len(values) != sheet.n_rows:
        raise DataError("labels_count", source=sheet.name, n=len(values), expected=sheet.n_rows)
    title = target or "class"
    sheet.columns.append(plain_cells(title, values, sheet.name))
    sheet.target = title
    return sheet


def plain_cells(title: str, values: Sequence[Any], name: str) -> Cells:
    """Make a column of any Python values; None, NaN, NaT and NA are missing."""
    array = values if isinstance(values, np.ndarray) else None
    cells = array.tolist() if array is not None else [*values]
    if {*map(type, cells)} <= {str, int, bool, type(None)}:
        return Cells(title, *codes_of(cells))
    plain = []
    for number, cell in enumerate(cells, start=1):
        value = plain_value(cell)
        if value is NotImplemented:
            raise DataError(
                "nested_cell", source=name, row=number, column=title, value=_short(cell)
            )
        plain.append(value)
    return Cells(title, *codes_of(plain))


def plain_value(cell: Any) -> Any:  # noqa: ANN401 - whatever a frame or a user holds
    """Return a value as str, bool, int, float or date; None if missing; else NotImplemented.

    Examples
    --------
    >>> plain_value(np.float64(0.5)), plain_value(float("nan")), plain_value(np.True_)
    (0.5, None, True)
    """
    if isinstance(cell, np.generic):
        cell = None if isinstance(cell, np.datetime64) and np.isnat(cell) else cell.item()
    if isinstance(cell, bytes):
        cell = cell.decode("utf-8", "replace")
    if isinstance(cell, (Decimal, Fraction)):
        cell = float(cell)
    if cell is None or type(cell).__name__ in GAPS or (cell != cell and isinstance(cell, float)):
        return None
    if isinstance(cell, float) and math.isnan(cell):
        return None
    return cell if isinstance(cell, PLAIN) else NotImplemented


def _titled(titles: Sequence[str], columns: list[list[Any]], name: str) -> Sheet:
    cells = [
        plain_cells(str(title), values, name)
        for title, values in zip(titles, columns, strict=True)
    ]
    n_rows = len(columns[0]) if columns else 0
    if not n_rows:
        raise DataError("empty_file", source=name)
    return Sheet(cells, n_rows, {"name": name, "form": "rows"})


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "…"
