"""Records that carry their names: JSON lines, JSON arrays of objects, Parquet."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from penjing.errors import DataError
from penjing.read.cells import Sheet
from penjing.read.frames import array_cells, number_cells
from penjing.read.rows import from_columns, from_dicts, plain_cells


def from_json(text: str, name: str) -> Sheet:
    """Take an array of objects, an object of columns, or one object a line."""
    bare = text.strip()
    if not bare:
        raise DataError("empty_file", source=name)
    rows = _loaded("[" + bare.replace("\n", ",\n") + "]") if bare[0] == "{" else None
    n_lines = bare.count("\n") + 1
    if not isinstance(rows, list) or len(rows) != n_lines:
        rows = _loaded(bare)
    if rows is None and bare[0] == "[":
        raise _broken(bare, name)
    if rows is None:
        rows = _line_by_line(bare, name)
    if not rows:
        raise DataError("empty_file", source=name)
    whole = rows if isinstance(rows, dict) else rows[0] if len(rows) == 1 else None
    if isinstance(whole, dict) and all(isinstance(values, list) for values in whole.values()):
        sheet = from_columns(whole, name)
    else:
        sheet = from_dicts([rows] if isinstance(rows, dict) else rows, name)
    sheet.source["form"] = "json"
    return sheet


def _loaded(text: str) -> Any:  # noqa: ANN401 - whatever the JSON holds
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _broken(text: str, name: str) -> DataError:
    """Make the error for an array that is not JSON."""
    line = 1
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        line = error.lineno
    except RecursionError:
        pass
    return DataError("bad_json", source=name, line=line)


def _line_by_line(text: str, name: str) -> list[Any]:
    """Read one object a line, blank ones passed over, and find the line that is none."""
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            rows.append(_loaded(line))
            if not isinstance(rows[-1], dict):
                raise DataError("bad_json", source=name, line=number)
    return rows


def from_parquet(data: bytes, name: str) -> Sheet:
    """Take a Parquet file, by DuckDB."""
    import duckdb  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="penjing-") as folder, duckdb.connect() as connection:
        path = Path(folder, "table.parquet")
        path.write_bytes(data)
        try:
            found = connection.execute(
                "select * from read_parquet($path)", {"path": str(path)}
            ).fetchnumpy()
        except duckdb.Error:
            raise DataError("bad_parquet", source=name) from None
    n_rows = len(next(iter(found.values()), ()))
    if not n_rows:
        raise DataError("no_rows", source=name)
    cells = []
    for title, values in found.items():
        gaps = np.ma.getmaskarray(values)
        array = np.asarray(values)
        if not gaps.any():
            cells.append(array_cells(title, array, name))
        elif array.dtype.kind in "iuf":
            cells.append(number_cells(title, array[~gaps], ~gaps))
        else:
            plain = array.astype("M8[us]") if array.dtype.kind == "M" else array
            listed = zip(plain.tolist(), gaps.tolist(), strict=True)
            cells.append(plain_cells(title, [None if gap else x for x, gap in listed], name))
    return Sheet(cells, n_rows, {"name": name, "form": "parquet"})
