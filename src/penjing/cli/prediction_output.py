"""Answers for rows, batch by batch: CSV or Parquet with the columns that came in, or JSON."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from penjing.cli.console import Voice, put_bytes
from penjing.cli.sources import STDIN, Reading, asked_by
from penjing.errors import ChoiceError, DataError, unknown_name_error

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.read.raw_columns import RawColumn, RawTable
    from penjing.data.table import Field, Table

Batch = tuple["RawTable", "Table"]
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?%?\s*", re.IGNORECASE | re.ASCII)
FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""How a cell begins that a spreadsheet may run (OWASP, CSV injection); its wide forms, too."""


@dataclass(frozen=True)
class Wanted:
    """What is to be told of each row besides its answer."""

    shares: bool = False
    rule: bool = False
    path: bool = False
    unseen: str | None = None


def rows_for(
    voice: Voice, tree: Tree, sheets: Iterator[RawTable], reading: Reading
) -> Iterator[Batch]:
    """Yield each batch of rows as it came, and as the tree wants it."""
    from penjing.data.read.build_table import check_columns_exist  # noqa: PLC0415
    from penjing.data.read.conform import conform_to_fields  # noqa: PLC0415
    from penjing.data.read.missing_markers import make_markers  # noqa: PLC0415
    from penjing.data.read.stream import normalize_columns  # noqa: PLC0415
    from penjing.predict.inputs import align_to  # noqa: PLC0415 - heavy

    needed = asked_by(tree)
    fields = tuple(field for field in tree.schema if field.name in needed)
    told: set[str] = set()
    ignored, missing = reading.refuse_ignored(tree), reading.missing_for(voice, tree)
    for came in sheets:
        check_columns_exist(came, reading.named_for(tree))
        columns = [c for c in came.columns if c.name not in ignored]
        said = {} if missing is None else {"reading": {"missing": missing}}
        sheet = replace(came, columns=columns, source=came.source | said)
        if not sheet.n_rows:
            yield sheet, _nothing(tree, sheet, fields)
            continue
        marks = make_markers(missing, usual=sheet.has_usual_markers)
        table = conform_to_fields(normalize_columns(sheet, needed), marks, fields, False)
        voice.notes(note for note in table.notes if note.key not in told)
        told |= {note.key for note in table.notes}
        yield sheet, align_to(tree.schema, None, table, needed)


def _nothing(tree: Tree, sheet: RawTable, fields: tuple[Field, ...]) -> Table:
    """Return no rows; the columns that the tree asks about must be there all the same."""
    from penjing.data.table import Column, Table  # noqa: PLC0415 - heavy

    for field in fields:
        if sheet.names and field.name not in sheet.names:  # JSON without a row names no column
            raise unknown_name_error("unknown_column", field.name, sheet.names)
    none = np.empty(0, np.int32)
    columns = [Column(f.name, f.kind, tuple(f.levels), none) for f in tree.schema]
    return Table(tuple(columns), None, 0)


def answered(tree: Tree, table: Table, wanted: Wanted) -> dict[str, list[Any]]:
    """Return what a tree tells of some rows, a list a column."""
    policy: Any = {} if wanted.unseen is None else {"unseen": wanted.unseen}
    found: dict[str, list[Any]] = {"predicted": tree.predict(table, **policy).tolist()}
    if wanted.rule or wanted.path:
        stops = tree.apply(table, **policy).tolist()
        if wanted.rule:
            found["rule"] = list(map(_rules(tree), stops))
        if wanted.path:
            from penjing.render.wrong_predictions import path_text  # noqa: PLC0415 - heavy

            found["path"] = [path_text(tree, table, row, stop) for row, stop in enumerate(stops)]
    if wanted.shares:
        shares = tree.predict_proba(table, **policy)
        for k, class_ in enumerate(tree.classes):
            found[f"p({class_})"] = shares[:, k].tolist()
    return found


def _rules(tree: Tree) -> Callable[[int], str]:
    from penjing.render.leaf_rules import conditions_of  # noqa: PLC0415 - heavy

    return cache(lambda node: " & ".join(conditions_of(tree, node)))


def as_json(
    voice: Voice, tree: Tree, batches: Iterator[Batch], wanted: Wanted, *, lines: bool
) -> None:
    """Print answers as one object, or one object a line."""
    every: list[dict[str, Any]] = []
    for _, table in batches:
        found = answered(tree, table, wanted)
        shares = [found.pop(f"p({c})") for c in tree.classes] if wanted.shares else []
        for i, values in enumerate(zip(*found.values(), strict=True)):
            row = {"row": table.row_number(i)} | dict(zip(found, values, strict=True))
            if wanted.shares:
                row["shares"] = [share[i] for share in shares]
            if lines:
                voice.out(json.dumps(row, ensure_ascii=False, allow_nan=False))
            else:
                every.append(row)
    if not lines:
        voice.data({"target": tree.target.name, "classes": list(tree.classes), "rows": every})


def as_csv(
    tree: Tree,
    batches: Iterator[Batch],
    wanted: Wanted,
    output: str | None,
    encoding: str,
    *,
    excel: bool = False,
) -> None:
    """Write answers as CSV: the row's number, the columns that came in, the answer, its shares."""
    _check_encoding(encoding)
    if output is None or output == STDIN:
        _lines(put_bytes, tree, batches, wanted, encoding, excel=excel)
        return
    from penjing.tree.serialize import open_atomically  # noqa: PLC0415 - heavy

    with open_atomically(output) as file:
        _lines(file.write, tree, batches, wanted, encoding, excel=excel)


def as_parquet(tree: Tree, batches: Iterator[Batch], wanted: Wanted, output: str) -> None:
    """Write the same as Parquet."""
    from penjing.data.read.parquet import csv_to_parquet  # noqa: PLC0415 - heavy
    from penjing.data.scratch import scratch_folder  # noqa: PLC0415
    from penjing.tree.serialize import open_atomically  # noqa: PLC0415

    with scratch_folder() as folder:
        plain, made = folder / "rows.csv", folder / "rows.parquet"
        with plain.open("wb") as file:
            kinds = _lines(file.write, tree, batches, wanted, "utf-8")
        csv_to_parquet(str(plain), kinds, str(made))
        with open_atomically(output) as file, made.open("rb") as source:
            while piece := source.read(1 << 20):
                file.write(piece)


def _lines(
    put: Callable[[bytes], object],
    tree: Tree,
    batches: Iterator[Batch],
    wanted: Wanted,
    encoding: str,
    *,
    excel: bool = False,
) -> dict[str, str]:
    """Write rows as they come; return the columns and what each holds, for Parquet."""
    kinds: dict[str, str] = {}
    signature = codecs.BOM_UTF8 if encoding == "utf-8-sig" else b""
    codec = "utf-8" if encoding == "utf-8-sig" else encoding
    put(signature)
    for sheet, table in batches:
        found = answered(tree, table, wanted)
        titles = _titles(sheet.names, list(found))
        has_number = "row" not in sheet.names
        text = io.StringIO(newline="") if excel else _Rows(newline="")
        writer = csv.writer(text, lineterminator="\r\n")  # then a cell with either is quoted
        shown = guarded if excel else list
        if not kinds:
            kinds = _kinds(tree, sheet, found, titles, has_number=has_number)
            writer.writerow(shown(kinds))
        columns = [*map(_texts, sheet.columns), *found.values()]
        numbers = [[table.row_number(i) for i in range(table.n_rows)]] if has_number else []
        writer.writerows(zip(*numbers, *map(shown, columns), strict=True))
        put(_encoded(text.getvalue(), codec))
    return kinds


class _Rows(io.StringIO):
    """A text of rows that end as those of Unix do; `csv` writes each of them at once."""

    def write(self, row: str, /) -> int:
        return super().write(row.removesuffix("\r\n") + "\n")


def guarded(cells: Iterable[Any]) -> list[Any]:
    """Return cells of which a spreadsheet runs none; numbers stay numbers.

    Examples
    --------
    >>> guarded(["=1+1", "-1.5", "-a", " @b", "a=b", -2])
    ["'=1+1", '-1.5', "'-a", "' @b", 'a=b', -2]
    """
    return [f"'{cell}" if _is_formula(cell) else cell for cell in cells]


def _is_formula(cell: object) -> bool:
    if not isinstance(cell, str) or NUMBER.fullmatch(cell):
        return False
    return cell.startswith(FORMULA) or cell.lstrip().startswith(FORMULA)


def _titles(taken: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return names that the columns do not have yet."""
    made = []
    for name in names:
        title = name
        while title in taken:
            title += "_"
        made.append(title)
    return made


def _kinds(
    tree: Tree, sheet: RawTable, found: dict[str, list[Any]], titles: list[str], *, has_number: bool
) -> dict[str, str]:
    """Return the columns that are written, and the type of each."""
    kinds = {"row": "BIGINT"} if has_number else {}
    for cells in sheet.columns:
        kinds[cells.name] = "VARCHAR"
        if isinstance(cells.levels, np.ndarray) and cells.levels.dtype.kind in "iuf":
            kinds[cells.name] = "DOUBLE" if cells.levels.dtype.kind == "f" else "BIGINT"
    for name, title in zip(found, titles, strict=True):
        is_text = name in ("rule", "path")
        kinds[title] = "VARCHAR" if is_text else "DOUBLE"
        if name == "predicted" and not tree.is_regression:
            kinds[title] = _class_kind(tree.classes)
    return kinds


def _class_kind(classes: tuple[Any, ...]) -> str:
    if all(isinstance(c, bool) for c in classes):
        return "BOOLEAN"
    if all(isinstance(c, int) and not isinstance(c, bool) and abs(c) < 2**63 for c in classes):
        return "BIGINT"
    return "VARCHAR"


def _texts(cells: RawColumn) -> list[Any]:
    levels = [*cells.plain_levels(), ""]  # the last one is what a missing value, -1, finds
    return [levels[code] for code in cells.codes.tolist()]


def _check_encoding(encoding: str) -> None:
    try:
        "".encode(codecs.lookup(encoding).name)
    except LookupError:
        raise ChoiceError("unknown_encoding", encoding=encoding) from None


def _encoded(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise DataError("cannot_encode", encoding=encoding, character=character) from None
