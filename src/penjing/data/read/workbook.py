"""Read a sheet of a workbook: .xlsx, .xlsm, .xlsb, .xls and .ods."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from penjing.data.read.csv import name_by_place
from penjing.data.read.files import too_large_error
from penjing.data.read.python_rows import column_from_python
from penjing.data.read.raw_columns import RawColumn, RawTable
from penjing.data.read.reading import FileLayout
from penjing.data.table import Note
from penjing.errors import CapabilityError, ChoiceError, DataError, NoRowsError, unknown_name_error
from penjing.i18n import Names

WORKBOOK_SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
ZIP_MAGIC, OLE_MAGIC = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of workbooks: zip archives, and the format of Excel before 2007."""

ERROR_CELLS = frozenset(
    {"#N/A", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#GETTING_DATA"}
)
"""What a formula without a result shows; such cells are missing."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The cells of one sheet, row by row, and the notes about choosing it.

    ``others`` are the other sheets, if nobody named this one.
    """

    name: str
    rows: list[list[Any]]
    notes: list[Note]
    others: tuple[str, ...] = ()


def is_workbook(data: bytes, hint: str) -> bool:
    """Return whether bytes are a workbook; ``hint`` is the name of the file, in lower case.

    Examples
    --------
    >>> is_workbook(b"a,b", "melons.csv"), is_workbook(b"", "melons.xlsx")
    (False, True)
    """
    if hint.endswith(WORKBOOK_SUFFIXES) or data.startswith(OLE_MAGIC):
        return True
    is_named = b"xl/" in data or b"opendocument.spreadsheet" in data
    return data.startswith(ZIP_MAGIC) and is_named


def read_workbook(
    data: bytes, name: str, sheet: str | int | None, max_bytes: int, layout: FileLayout | None
) -> Sheet:
    """Return a sheet of a workbook: the named one, that of the model's file, or the first."""
    calamine = _calamine()
    _check_size(data, name, max_bytes)
    try:
        workbook = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        names = [*workbook.sheet_names]
    except calamine.PasswordError:
        raise DataError("workbook_password", source=name) from None
    except (calamine.CalamineError, OSError, ValueError):
        raise DataError("not_a_workbook", source=name) from None
    if not names:
        raise DataError("empty_file", source=name)
    chosen, notes = _choose_sheet(names, sheet, name, layout)
    try:
        rows = workbook.get_sheet_by_name(chosen).to_python(skip_empty_area=True)
    except (calamine.CalamineError, OSError, ValueError):
        raise DataError("not_a_workbook", source=name) from None
    kept = None if layout is None else layout.reading.sheet
    is_named = sheet is not None or chosen == kept
    others = () if is_named else tuple(other for other in names if other != chosen)
    return Sheet(chosen, [row for row in rows if any(cell != "" for cell in row)], notes, others)


def _calamine() -> Any:  # noqa: ANN401 - the module
    try:
        import python_calamine  # noqa: PLC0415 - an extra
    except ImportError:
        raise CapabilityError("needs_calamine") from None
    return python_calamine


def _check_size(data: bytes, name: str, max_bytes: int) -> None:
    """Raise an error if a workbook expands to more than the memory limit."""
    size = len(data)
    if data.startswith(ZIP_MAGIC):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                size = sum(entry.file_size for entry in archive.infolist())
        except (zipfile.BadZipFile, ValueError, OSError):
            raise DataError("not_a_workbook", source=name) from None
    if size > max_bytes:
        raise too_large_error(name, max_bytes)


def _choose_sheet(
    names: list[str], sheet: str | int | None, source: str, layout: FileLayout | None
) -> tuple[str, list[Note]]:
    """Return the name of the sheet to read; sheets may be given by number, from 1."""
    if sheet is not None:
        if str(sheet) in names:
            return str(sheet), []
        if str(sheet).isdecimal():
            if 1 <= int(sheet) <= len(names):
                return names[int(sheet) - 1], []
            raise ChoiceError("no_such_sheet", source=source, sheet=sheet, known=Names(names))
        raise unknown_name_error("unknown_sheet", str(sheet), names, source=source)
    kept = None if layout is None else layout.reading.sheet
    if kept in names:
        return str(kept), []
    if kept is not None:
        return names[0], [
            Note("note_other_sheet", {"source": source, "sheet": names[0], "kept": kept})
        ]
    if len(names) == 1:
        return names[0], []
    return names[0], [
        Note("note_first_sheet", {"source": source, "sheet": names[0], "others": names[1:]})
    ]


def from_sheet(
    sheet: Sheet, name: str, names: Sequence[str] | None, layout: FileLayout | None
) -> RawTable:
    """Return the columns of a sheet; ``names`` are for a sheet without a header."""
    rows, notes = sheet.rows, [*sheet.notes]
    if not rows:
        raise _no_table_error(sheet, name) or DataError("empty_file", source=name)
    first_row = [_header_text(cell) for cell in rows[0]]
    if names is None and layout is not None and layout.reading.names:
        if layout.is_header(first_row):
            notes.append(Note("note_has_header", {"source": name}))
        else:
            names = layout.names_for(len(first_row))
    has_header = names is None
    known = () if layout is None else layout.columns
    header = _header(rows, first_row, name, notes, known) if names is None else [*names]
    cells = rows[1:] if has_header else rows
    if has_header and known:
        is_cover = layout is not None and not layout.n_known(header)
    else:
        is_cover = not cells or len(header) == 1
    error = _no_table_error(sheet, name) if is_cover else None
    if error is not None:
        raise error
    if not cells:
        raise NoRowsError("no_rows", source=name, names=header)
    width = max(map(len, cells))
    if width > len(header) and any(cell != "" for row in cells for cell in row[len(header) :]):
        number = next(i for i, row in enumerate(cells, 1) if len(row) > len(header))
        raise DataError("ragged_row", source=name, row=number, n=width, expected=len(header))
    columns = [
        _column(column_name, [row[i] if i < len(row) else "" for row in cells], name)
        for i, column_name in enumerate(header)
    ]
    source: dict[str, Any] = {"name": name, "form": "workbook", "sheet": sheet.name}
    if not has_header:
        source["has_header"] = False
    return RawTable(columns, len(cells), source, notes)


def _no_table_error(sheet: Sheet, name: str) -> DataError | None:
    """Return the error that a sheet is a cover, if the workbook has other sheets."""
    if not sheet.others:
        return None
    return DataError("sheet_not_table", source=name, sheet=sheet.name, others=Names(sheet.others))


def _header_text(cell: Any) -> str:  # noqa: ANN401 - of a sheet
    is_whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if is_whole else cell).strip()


def _header(
    rows: list[list[Any]],
    first_row: list[str],
    name: str,
    notes: list[Note],
    known: Collection[str],
) -> list[str]:
    """Return a name for each column; columns at the end without name and cells are left out."""
    width = len(first_row)
    while width > 1 and not first_row[width - 1] and not any(
        len(row) >= width and row[width - 1] != "" for row in rows[1:]
    ):  # fmt: skip
        width -= 1
    header = first_row[:width]
    for position, cell in enumerate(header):
        if not cell:
            header[position] = name_by_place(position + 1, header, known)
            values = {"source": name, "place": position + 1, "column": header[position]}
            notes.append(Note("note_nameless_column", values))
    return header


def _column(column_name: str, cells: list[Any], name: str) -> RawColumn:
    """Return a column of a sheet, whose numbers are all floats: whole ones become integers."""
    values = [None if cell == "" or cell in ERROR_CELLS else _cell_value(cell) for cell in cells]
    floats = [value for value in values if isinstance(value, float)]
    if floats and all(value.is_integer() and abs(value) < 1e15 for value in floats):
        values = [int(value) if isinstance(value, float) else value for value in values]
    return column_from_python(column_name, values, name)


def _cell_value(cell: Any) -> Any:  # noqa: ANN401 - of a sheet
    is_midnight = isinstance(cell, dt.datetime) and cell.time() == dt.time()
    return cell.date() if is_midnight else cell
