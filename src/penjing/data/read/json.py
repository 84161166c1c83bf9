"""JSON: one object a line, an array of objects, or an object of columns."""

from __future__ import annotations

import json
from typing import Any

from penjing.data.read.csv_duckdb import MIN_CHARACTERS
from penjing.data.read.parquet import read_json_lines
from penjing.data.read.python_rows import from_columns, from_dicts
from penjing.data.read.raw_columns import RawTable
from penjing.errors import DataError, NoRowsError


def from_json(text: str, name: str, *, has_lines: bool = False) -> RawTable:
    """Take an array of objects, an object of columns, or one object a line.

    A file that ``has_lines`` may have none of them.
    """
    bare = text.strip()
    if not bare:
        raise NoRowsError("empty_file" if not has_lines else "empty_table", source=name, names=[])
    if bare[0] == "{" and len(bare) >= MIN_CHARACTERS:
        large = read_json_lines(bare, name)
        if large is not None:
            return large
    rows = _parse_or_none("[" + bare.replace("\n", ",\n") + "]") if bare[0] == "{" else None
    n_lines = bare.count("\n") + 1
    if not isinstance(rows, list) or len(rows) != n_lines:
        rows = _parse_or_none(bare)
    if rows is None and bare[0] == "[":
        raise _bad_json_error(bare, name)
    if rows is None:
        rows = _parse_lines(bare, name)
    if not isinstance(rows, list | dict):  # a number, a text, true
        raise DataError("bad_json", source=name, line=1)
    if not rows:
        raise NoRowsError("empty_table", source=name, names=[])
    whole = rows if isinstance(rows, dict) else rows[0] if len(rows) == 1 else None
    if isinstance(whole, dict) and all(isinstance(values, list) for values in whole.values()):
        sheet = from_columns(whole, name)
    else:
        sheet = from_dicts([rows] if isinstance(rows, dict) else rows, name)
    sheet.source["form"] = "json"
    return sheet


def _parse_or_none(text: str) -> Any:  # noqa: ANN401 - whatever the JSON holds
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _bad_json_error(text: str, name: str) -> DataError:
    """Make the error for an array that is not JSON."""
    line = 1
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        line = error.lineno
    except (RecursionError, ValueError):  # nested too deep, or a number of too many digits
        pass
    return DataError("bad_json", source=name, line=line)


def _parse_lines(text: str, name: str) -> list[Any]:
    """Read one object a line, blank ones passed over, and find the line that is none."""
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            rows.append(_parse_or_none(line))
            if not isinstance(rows[-1], dict):
                raise DataError("bad_json", source=name, line=number)
    return rows
