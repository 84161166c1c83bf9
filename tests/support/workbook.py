"""Write a workbook (.xlsx) without any library: sheets of texts, numbers, dates and errors."""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
FIRST_DAY = dt.datetime(1899, 12, 30)  # noqa: DTZ001 - Excel has no zones


def write_workbook(path: Path | str, sheets: Mapping[str, Sequence[Sequence[Any]]]) -> str:
    """Write the sheets with their rows; None is an empty cell. Return the path."""
    texts: dict[str, int] = {}
    parts = {
        f"xl/worksheets/sheet{i}.xml": _sheet(rows, texts)
        for i, rows in enumerate(sheets.values(), 1)
    }
    numbers = range(1, len(sheets) + 1)
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{i}" r:id="rId{i}"/>'
        for i, name in zip(numbers, sheets, strict=True)
    )
    related = "".join(
        f'<Relationship Id="rId{i}" Type="{RELATIONS}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in numbers
    )
    more = "".join(
        f'<Relationship Id="{name}" Type="{RELATIONS}/{name}" Target="{name}.xml"/>'
        for name in ("styles", "sharedStrings")
    )
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{TYPES}.worksheet+xml"/>'
        for i in numbers
    )
    parts |= {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package'
        '.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{TYPES}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{TYPES}.styles+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{TYPES}.sharedStrings+xml"/>'
        f"{overrides}</Types>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{listed}'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f"{related}{more}</Relationships>",
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/>'
        '<xf numFmtId="22" applyNumberFormat="1"/></cellXfs></styleSheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}" count="{len(texts)}">'
        + "".join(f'<si><t xml:space="preserve">{escape(text)}</t></si>' for text in texts)
        + "</sst>",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{content}')
    return str(path)


def _sheet(rows: Sequence[Sequence[Any]], texts: dict[str, int]) -> str:
    lines = (
        f'<row r="{i}">{"".join(_cell(i, j, x, texts) for j, x in enumerate(row))}</row>'
        for i, row in enumerate(rows, 1)
    )
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def _cell(row: int, column: int, value: Any, texts: dict[str, int]) -> str:
    place = f'r="{chr(ord("A") + column)}{row}"'
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c {place} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f"<c {place}><v>{value!r}</v></c>"
    if isinstance(value, dt.datetime):
        days = (value - FIRST_DAY) / dt.timedelta(days=1)
        return f'<c {place} s="1"><v>{days!r}</v></c>'
    if value.startswith("#"):
        return f'<c {place} t="e"><v>{escape(value)}</v></c>'
    return f'<c {place} t="s"><v>{texts.setdefault(value, len(texts))}</v></c>'
