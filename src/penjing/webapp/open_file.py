"""What a file of the command is: a table, a model, a worksheet or a workbook of the lab."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penjing.data.read.example_files import is_example
from penjing.data.read.files import is_file, read_file
from penjing.errors import DataError
from penjing.webapp.exercise import FORMAT as RESULT
from penjing.webapp.table_source import TableSource
from penjing.webapp.workbook_file import FORMAT as WORKBOOK
from penjing.webapp.workbook_file import checked_workbook, parse_workbook

WORKSHEET = "penjing-worksheet"
SOLUTION = "penjing-worksheet-solution"
MAX_JSON = 64 * 2**20
"""A JSON file that is larger is a table, or a model by its name."""


@dataclass(frozen=True)
class FileContent:
    """What a file is, and for worksheets and workbooks what it holds."""

    kind: str
    plain: Mapping[str, Any]


def file_content(path: str) -> FileContent:
    """Return what a file is: ``table``, ``model``, ``worksheet`` or ``workbook``.

    Examples
    --------
    >>> file_content("example:fish").kind
    'table'
    """
    if is_example(path) or path == "-" or not is_file(path):
        return FileContent("table", {})
    if Path(path).stat().st_size > MAX_JSON:
        return FileContent("model" if Path(path).suffix == ".tree" else "table", {})
    plain = _json_object(read_file(path))
    if plain is None:  # a model may be damaged, which reading it will say
        return FileContent("model" if Path(path).suffix == ".tree" else "table", {})
    kinds = {WORKSHEET: "worksheet", WORKBOOK: "workbook"}
    if plain.get("format") in kinds:
        return FileContent(kinds[plain["format"]], plain)
    _refuse_results(plain, path)
    is_model = "nodes" in plain and "target" in plain
    return FileContent("model" if is_model else "table", {})


def refuse_results(content: bytes, name: str) -> None:
    """Raise an error for a file of the lab, or of a worksheet, that is not a table."""
    plain = _json_object(content) if len(content) <= MAX_JSON else None
    if plain is not None:
        _refuse_results(plain, name)


def _refuse_results(plain: Mapping[str, Any], name: str) -> None:
    if plain.get("format") == RESULT:
        raise DataError("lab_is_result", source=name)
    if plain.get("format") == SOLUTION:
        raise DataError("lab_is_solution", source=name)


def _json_object(data: bytes) -> dict[str, Any] | None:
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return None
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return plain if isinstance(plain, dict) else None


def read_workbook_file(path: str) -> dict[str, Any]:
    """Return the plain data of a workbook file."""
    return parse_workbook(read_file(path), path)


def source_of_workbook(plain: Mapping[str, Any], path: str) -> TableSource:
    """Return the table of a workbook: an example, or a file of its name beside the workbook.

    Parameters
    ----------
    plain : dict
        A workbook by `parse_workbook`.
    path : str
        The workbook's file.
    """
    data = checked_workbook(plain, path)["data"]
    origin = data.get("source")
    locator = origin.get("locator") if isinstance(origin, Mapping) else None
    if isinstance(locator, str) and is_example(locator):
        return TableSource(locator, locator, locator)
    return _file_beside(path, data.get("name"), "training")


def other_sources(plain: Mapping[str, Any], path: str) -> dict[str, TableSource]:
    """Return the validation and test rows of a workbook, if they were files, from beside it.

    Parameters
    ----------
    plain : dict
        A workbook by `parse_workbook`.
    path : str
        The workbook's file.
    """
    division = plain["division"]
    if division.get("kind") != "tables":
        return {}
    named = {part: division.get(part) for part in ("validation", "test")}
    return {
        part: _file_beside(path, about.get("name"), part)
        for part, about in named.items()
        if isinstance(about, Mapping)
    }


def _file_beside(path: str, name: object, part: str) -> TableSource:
    """Return an example, or a file without folders beside another one or in the current folder."""
    if isinstance(name, str) and is_example(name):
        return TableSource(name, name, name)
    if isinstance(name, str) and name and name == Path(name).name:
        for place in (Path(path).parent / name, Path(name)):
            if place.is_file():
                return TableSource(name, str(place), str(place))
    key = f"lab_needs_table_{part}"
    raise DataError(key, name=name)
