"""Read JSON: one object per line, an array of objects, or an object of columns."""

from __future__ import annotations

import json
from typing import Any

from penjing.data.read.csv_duckdb import MIN_CHARACTERS
from penjing.data.read.parquet import read_json_lines
from penjing.data.read.python_rows import from_columns, from_dicts
from penjing.data.read.raw_columns import RawTable
from penjing.errors import DataError, NoRowsError


def from_json(text: str, name: str, *, has_lines: bool = False) -> RawTable:
    """Return the columns of an array of objects, an object of columns, or JSON lines.

    A text that ``has_lines`` may be empty.
    """
    stripped = text.strip()
    if not stripped:
        raise NoRowsError("empty_file" if not has_lines else "empty_table", source=name, names=[])
    if stripped[0] == "{" and len(stripped) >= MIN_CHARACTERS:
        table = read_json_lines(stripped, name)
        if table is not None:
            return table
    rows = _parse_or_none("[" + stripped.replace("\n", ",\n") + "]") if stripped[0] == "{" else None
    n_lines = stripped.count("\n") + 1
    if not isinstance(rows, list) or len(rows) != n_lines:
        rows = _parse_or_none(stripped)
    if rows is None and stripped[0] == "[":
        raise _bad_json_error(stripped, name)
    if rows is None:
        rows = _parse_lines(stripped, name)
    if not isinstance(rows, list | dict):  # a number, a text, or true
        raise DataError("bad_json", source=name, line=1)
    if not rows:
        raise NoRowsError("empty_table", source=name, names=[])
    single = rows if isinstance(rows, dict) else rows[0] if len(rows) == 1 else None
    if isinstance(single, dict) and all(isinstance(values, list) for values in single.values()):
        raw_table = from_columns(single, name)
    else:
        raw_table = from_dicts([rows] if isinstance(rows, dict) else rows, name)
    raw_table.source["form"] = "json"
    return raw_table


def _parse_or_none(text: str) -> Any:  # noqa: ANN401 - whatever the JSON holds
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _bad_json_error(text: str, name: str) -> DataError:
    """Return the error for an array that is not JSON."""
    line = 1
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        line = error.lineno
    except (RecursionError, ValueError):  # nested too deeply, or a number with too many digits
        pass
    return DataError("bad_json", source=name, line=line)


def _parse_lines(text: str, name: str) -> list[Any]:
    """Parse one object per line; raise an error for the first line that is not one."""
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            rows.append(_parse_or_none(line))
            if not isinstance(rows[-1], dict):
                raise DataError("bad_json", source=name, line=number)
    return rows
