"""The rows of a golden as tables: attributes, orders and classes as the golden lists them.

Nothing is guessed: a cell is one of the listed values, a number, or missing. Files are CSV with a
header, or C4.5's .data and .test, whose columns are named by the .names file.
"""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from penjing.data.table import Column, Table, nominal, numeric
from reference.golden import Golden

MISSING = ("", "?", "NA")


@dataclass(frozen=True)
class Tables:
    """The training rows and, where the golden names a file of them, the test rows."""

    golden: Golden
    folder: Path

    @cached_property
    def train(self) -> Table:
        data = self.golden.data
        if "rows" in data:
            names = [a["name"] for a in data["attributes"]] + [data["target"]]
            return table_of(data, names, data["rows"])
        return self._read(data["file"])

    @cached_property
    def test(self) -> Table | None:
        name = self.golden.data.get("test_file")
        return None if name is None else self._read(name)

    def _read(self, name: str) -> Table:
        data = self.golden.data
        text = decoded(self.folder / name)
        if name.endswith((".data", ".test")):
            listed = data.get("names_file", name.rsplit(".", 1)[0] + ".names")
            names = [*names_in(decoded(self.folder / listed)), data["target"]]
            return table_of(data, names, cells_of(text))
        header, *rows = csv.reader(text.splitlines())
        return table_of(data, [h.strip() for h in header], [r for r in rows if r])


def decoded(path: Path) -> str:
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


def names_in(text: str) -> list[str]:
    """Return the attributes of a .names file: what stands before a colon."""
    lines = (line.split("|")[0] for line in text.splitlines())
    return [line.split(":")[0].strip() for line in lines if ":" in line]


def cells_of(text: str) -> list[list[str]]:
    """Return the cells of a .data file: commas part them, a last full stop is dropped."""
    lines = (line.split("|")[0].strip() for line in text.splitlines())
    return [[c.strip() for c in line.removesuffix(".").split(",")] for line in lines if line]


def table_of(data: dict[str, Any], names: list[str], rows: list[list[Any]]) -> Table:
    """Return the table; rows whose target is missing are left out, numbered as in the file."""
    place = {name: i for i, name in enumerate(names)}
    cells = {n: [row[place[n]] for row in rows] for n in names}
    labels = cells[data["target"]]
    keep = np.array([not is_missing(label, data["classes"] or ()) for label in labels])
    columns = tuple(column_of(a, cells[a["name"]]) for a in data["attributes"])
    target: Column
    if data["classes"] is None:
        target = numeric(data["target"], [number(v) for v in labels])
    else:
        target = coded(data["target"], labels, data["classes"])
    whole = Table(columns, target, len(rows), source={"name": data.get("file", data.get("name"))})
    return whole if keep.all() else whole.take(keep)


def column_of(attribute: dict[str, Any], cells: list[Any]) -> Column:
    if attribute["type"] == "numeric":
        return numeric(attribute["name"], [number(v) for v in cells])
    return coded(attribute["name"], cells, attribute["values"])


def coded(name: str, cells: list[Any], levels: list[Any]) -> Column:
    texts = [str(level) for level in levels]
    same_number = {float(t): t for t in texts if is_number(t)}

    def level(cell: Any) -> str | None:
        text = "" if cell is None else str(cell)
        if text in texts:
            return text
        if is_missing(text, texts):
            return None
        return same_number.get(float(text), text) if is_number(text) else text

    return nominal(name, [level(c) for c in cells], texts)


def number(cell: Any) -> float:
    return float("nan") if cell is None or str(cell).strip() in MISSING else float(cell)


def is_missing(cell: Any, levels: Any) -> bool:
    text = "" if cell is None else str(cell).strip()
    return text in MISSING and text not in [str(level) for level in levels]


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
