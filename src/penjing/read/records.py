"""JSON lines and JSON arrays of objects; Parquet files."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from penjing.errors import DataError
from penjing.read.cells import Sheet
from penjing.read.frames import array_cells
from penjing.read.rows import from_columns, from_dicts, plain_cells


def from_json(text: str, name: str) -> Sheet:
    """Take a JSON array of objects, an object of columns, or one object a line."""
    stripped = text.strip()
    if not stripped:
        raise DataError("empty_file", source=name)
    if stripped[0] == "[":
        whole = _loads(stripped, name)
        sheet = from_dicts(whole, name) if whole else None
        if sheet is None:
            raise DataError("empty_file", source=name)
    else:
        lines = [line for line in stripped.split("\n") if line.strip()]
        try:
            rows = json.loads("[" + ",".join(lines) + "]")
        except ValueError:
            rows = None
        if rows is None or len(rows) != len(lines):
            rows = _one_by_one(lines, stripped, name)
        sheet = from_columns(rows, name) if isinstance(rows, dict) else from_dicts(rows, name)
    sheet.source["form"] = "json"
    return sheet


def _loads(text: str, name: str) -> Any:  # noqa: ANN401 - whatever the JSON holds
    try:
        return json.loads(text)
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        raise DataError("bad_json", source=name, line=line) from None


def _one_by_one(lines: list[str], whole: str, name: str) -> Any:  # noqa: ANN401
    """Find the line that is no object, unless the whole text is one object of columns."""
    try:
        found = json.loads(whole)
    except ValueError:
        found = None
    if isinstance(found, dict) and found and all(isinstance(v, list) for v in found.values()):
        return found
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(json.loads(line))
        except ValueError:
            raise DataError("bad_json", source=name, line=number) from None
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
    if not found or not len(next(iter(found.values()))):
        raise DataError("no_rows", source=name)
    cells = []
    for title, values in found.items():
        gaps = np.ma.getmaskarray(values)
        array = np.asarray(values)
        if array.dtype.kind in "iuf" and gaps.any():
            array = np.where(gaps, np.nan, array.astype(np.float64))
        elif gaps.any():
            plain = array.astype("datetime64[us]") if array.dtype.kind == "M" else array
            objects = plain.astype(object)
            objects[gaps] = None
            cells.append(plain_cells(title, objects, name))
            continue
        cells.append(array_cells(title, array, name))
    return Sheet(cells, len(gaps), {"name": name, "form": "parquet"})
