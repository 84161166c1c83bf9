"""Predictions, batch by batch: CSV or Parquet with the input columns, or JSON."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from penjing.cli.console import Console, json_text, print_bytes
from penjing.cli.sources import (
    STANDARD_STREAM,
    ReadingOptions,
    columns_in_use,
    notes_beside_a_model,
)
from penjing.errors import ChoiceError, DataError, unknown_name_error

if TYPE_CHECKING:
    from penjing.api.tree import Tree
    from penjing.data.read.raw_columns import RawColumn, RawTable
    from penjing.data.table import Field, Table
    from penjing.evaluate.prediction_summary import SummaryCounter

Batch = tuple["RawTable", "Table"]
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?%?\s*", re.IGNORECASE | re.ASCII)
FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""First characters of cells that a spreadsheet may run (OWASP, CSV injection), and their
full-width forms."""


@dataclass(frozen=True)
class OutputColumns:
    """The columns to write besides the prediction, and how to treat unseen and missing values."""

    shares: bool = False
    rule: bool = False
    path: bool = False
    unseen: str | None = None
    missing: str | None = None


def note_encodings(batches: Iterator[RawTable], encodings: set[str]) -> Iterator[RawTable]:
    """Yield batches, and add the encodings of their sources to a set."""
    for batch in batches:
        if isinstance(encoding := batch.source.get("encoding"), str):
            encodings.add(encoding)
        yield batch


def align_batches(
    console: Console, tree: Tree, batches: Iterator[RawTable], reading: ReadingOptions
) -> Iterator[Batch]:
    """Yield each batch of rows as read, and as a table with the columns of the tree."""
    from penjing.data.read.build_table import check_columns_exist  # noqa: PLC0415
    from penjing.data.read.conform import conform_to_fields  # noqa: PLC0415
    from penjing.data.read.missing_markers import make_markers  # noqa: PLC0415
    from penjing.data.read.reading import Reading  # noqa: PLC0415
    from penjing.data.read.stream import normalize_columns  # noqa: PLC0415
    from penjing.predict.inputs import align_to  # noqa: PLC0415 - heavy

    ignored = reading.check_ignored_columns(tree)
    needed = columns_in_use(tree) - ignored
    fields = tuple(field for field in tree.schema if field.name in needed)
    noted_keys: set[str] = set()
    reading.reading_for(console, tree)  # notes what the options say otherwise
    own = reading.merged_with(Reading.from_json(tree.reading))
    missing = own.missing
    for raw in batches:
        check_columns_exist(raw, reading.required_columns(tree))
        columns = [c for c in raw.columns if c.name not in ignored]
        source = {} if missing is None else {"reading": {"missing": missing}}
        batch = replace(raw, columns=columns, source=raw.source | source)
        if not batch.n_rows:
            yield batch, _empty_table(tree, batch, fields)
            continue
        markers = make_markers(missing, usual=batch.has_usual_markers)
        table = conform_to_fields(
            normalize_columns(batch, needed), markers, fields, False, reading=own
        )
        notes = notes_beside_a_model(table.notes, needed)
        console.print_notes(note for note in notes if note.key not in noted_keys)
        noted_keys |= {note.key for note in table.notes}
        others = [n.values["column"] for n in table.notes if n.key == "note_other_decimal"]
        own = own.with_trained_decimals(others)
        yield batch, align_to(tree.schema, None, table, needed)


def _empty_table(tree: Tree, batch: RawTable, fields: tuple[Field, ...]) -> Table:
    """Return a table without rows, after checking that the columns of the splits exist."""
    from penjing.data.table import Column, Table  # noqa: PLC0415
    from penjing.predict.inputs import date_of  # noqa: PLC0415 - heavy

    for field in fields:
        is_known = field.name in batch.names or date_of(tree, field.name) in batch.names
        if batch.names and not is_known:  # JSON without rows has no column names
            raise unknown_name_error("unknown_column", field.name, batch.names)
    no_codes = np.empty(0, np.int32)
    columns = [Column(f.name, f.kind, tuple(f.levels), no_codes) for f in tree.schema]
    return Table(tuple(columns), None, 0)


def summary_counter(tree: Tree, wanted: OutputColumns) -> SummaryCounter:
    """Return a counter of predictions, by the policies that the options name."""
    from penjing.evaluate.prediction_summary import SummaryCounter  # noqa: PLC0415 - heavy

    return SummaryCounter(tree, wanted.unseen)  # type: ignore[arg-type]


def count_batches(batches: Iterator[Batch], counter: SummaryCounter) -> Iterator[Batch]:
    """Yield the batches, and count the predictions of each."""
    for batch, table in batches:
        counter.add(table)
        yield batch, table


def predict_columns(tree: Tree, table: Table, wanted: OutputColumns) -> dict[str, list[Any]]:
    """Return the predictions for some rows, a list per output column."""
    policy: Any = {"unseen": wanted.unseen, "missing": wanted.missing}
    columns: dict[str, list[Any]] = {"predicted": tree.predict(table, **policy).tolist()}
    if wanted.rule or wanted.path:
        leaves = tree.apply(table, **policy).tolist()
        if wanted.rule:
            from penjing.render.leaf_rules import conditions_of_nodes  # noqa: PLC0415 - heavy

            conditions = conditions_of_nodes(tree, leaves)
            columns["rule"] = [" & ".join(conditions[leaf]) for leaf in leaves]
        if wanted.path:
            from penjing.render.wrong_predictions import path_text  # noqa: PLC0415 - heavy

            columns["path"] = [path_text(tree, table, row, leaf) for row, leaf in enumerate(leaves)]
    if wanted.shares:
        shares = tree.predict_proba(table, **policy)
        for k, class_ in enumerate(tree.classes):
            columns[f"p({class_})"] = shares[:, k].tolist()
    return columns


def write_json(
    console: Console,
    tree: Tree,
    batches: Iterator[Batch],
    wanted: OutputColumns,
    output: str | None,
    *,
    lines: bool,
) -> None:
    """Write predictions as one JSON object, or as one object per line."""
    if output is None or output == STANDARD_STREAM:
        for text in _json_texts(tree, batches, wanted, lines=lines):
            console.print(text)
        return
    from penjing.tree.serialize import open_atomically  # noqa: PLC0415 - heavy

    with open_atomically(output) as file:
        for text in _json_texts(tree, batches, wanted, lines=lines):
            file.write(f"{text}\n".encode())


def _json_texts(
    tree: Tree, batches: Iterator[Batch], wanted: OutputColumns, *, lines: bool
) -> Iterator[str]:
    rows: list[dict[str, Any]] = []
    for _, table in batches:
        columns = predict_columns(tree, table, wanted)
        shares = [columns.pop(f"p({c})") for c in tree.classes] if wanted.shares else []
        for i, values in enumerate(zip(*columns.values(), strict=True)):
            row = {"row": table.row_number(i)} | dict(zip(columns, values, strict=True))
            if wanted.shares:
                row["shares"] = [share[i] for share in shares]
            if lines:
                yield json.dumps(row, ensure_ascii=False, allow_nan=False)
            else:
                rows.append(row)
    if not lines:
        record = {"target": tree.target.name, "classes": list(tree.classes), "rows": rows}
        yield json_text(record)


def write_csv(
    tree: Tree,
    batches: Iterator[Batch],
    wanted: OutputColumns,
    output: str | None,
    encoding: str,
    *,
    excel: bool = False,
) -> None:
    """Write CSV: row number, input columns, prediction, and the wanted columns."""
    _check_encoding(encoding)
    if output is None or output == STANDARD_STREAM:
        _write_csv_rows(print_bytes, tree, batches, wanted, encoding, excel=excel)
        return
    from penjing.tree.serialize import open_atomically  # noqa: PLC0415 - heavy

    with open_atomically(output) as file:
        _write_csv_rows(file.write, tree, batches, wanted, encoding, excel=excel)


def write_parquet(
    tree: Tree, batches: Iterator[Batch], wanted: OutputColumns, output: str, data: str
) -> None:
    """Write the columns of `write_csv` as Parquet; columns of a Parquet file keep their types."""
    from penjing.data.read.parquet import csv_to_parquet, stored_kinds  # noqa: PLC0415 - heavy
    from penjing.data.scratch import scratch_folder  # noqa: PLC0415
    from penjing.tree.serialize import open_atomically  # noqa: PLC0415

    with scratch_folder() as folder:
        csv_file, parquet_file = folder / "rows.csv", folder / "rows.parquet"
        with csv_file.open("wb") as file:
            types = _write_csv_rows(file.write, tree, batches, wanted, "utf-8")
        if data.lower().endswith((".parquet", ".pq")):
            kept = stored_kinds(data).items()
            types |= {name: kind for name, kind in kept if name in types}
        csv_to_parquet(str(csv_file), types, str(parquet_file))
        with open_atomically(output) as file, parquet_file.open("rb") as source:
            while piece := source.read(1 << 20):
                file.write(piece)


def _write_csv_rows(
    write: Callable[[bytes], object],
    tree: Tree,
    batches: Iterator[Batch],
    wanted: OutputColumns,
    encoding: str,
    *,
    excel: bool = False,
) -> dict[str, str]:
    """Write the rows of all batches; return the SQL type of each column."""
    types: dict[str, str] = {}
    byte_order_mark = codecs.BOM_UTF8 if encoding == "utf-8-sig" else b""
    codec = "utf-8" if encoding == "utf-8-sig" else encoding
    write(byte_order_mark)
    for batch, table in batches:
        predictions = predict_columns(tree, table, wanted)
        names = _unused_names(batch.names, list(predictions))
        has_number = "row" not in batch.names
        text = io.StringIO(newline="") if excel else _UnixLines(newline="")
        writer = csv.writer(text, lineterminator="\r\n")  # so that a cell with \r or \n is quoted
        escape = escape_formulas if excel else list
        if not types:
            types = _column_types(tree, batch, predictions, names, has_number=has_number)
            writer.writerow(escape(types))
        columns = [*map(_cell_texts, batch.columns), *predictions.values()]
        numbers = [[table.row_number(i) for i in range(table.n_rows)]] if has_number else []
        writer.writerows(zip(*numbers, *map(escape, columns), strict=True))
        write(_encode(text.getvalue(), codec))
    return types


class _UnixLines(io.StringIO):
    """A text buffer with Unix line ends; the csv module writes a row in one call."""

    def write(self, row: str, /) -> int:
        return super().write(row.removesuffix("\r\n") + "\n")


def escape_formulas(cells: Iterable[Any]) -> list[Any]:
    """Return the cells with a quote before those that a spreadsheet would run.

    Examples
    --------
    >>> escape_formulas(["=1+1", "-1.5", "-a", " @b", "a=b", -2])
    ["'=1+1", '-1.5', "'-a", "' @b", 'a=b', -2]
    """
    return [f"'{cell}" if _is_formula(cell) else cell for cell in cells]


def _is_formula(cell: object) -> bool:
    if not isinstance(cell, str) or NUMBER.fullmatch(cell):
        return False
    return cell.startswith(FORMULA) or cell.lstrip().startswith(FORMULA)


def _unused_names(taken: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the names, with underscores added to those that are taken."""
    unused = []
    for name in names:
        title = name
        while title in taken:
            title += "_"
        unused.append(title)
    return unused


def _column_types(
    tree: Tree,
    batch: RawTable,
    predictions: dict[str, list[Any]],
    names: list[str],
    *,
    has_number: bool,
) -> dict[str, str]:
    """Return the SQL type of each written column."""
    types = {"row": "BIGINT"} if has_number else {}
    for cells in batch.columns:
        types[cells.name] = "VARCHAR"
        if isinstance(cells.levels, np.ndarray) and cells.levels.dtype.kind in "iuf":
            types[cells.name] = "DOUBLE" if cells.levels.dtype.kind == "f" else "BIGINT"
    for name, title in zip(predictions, names, strict=True):
        is_text = name in ("rule", "path")
        types[title] = "VARCHAR" if is_text else "DOUBLE"
        if name == "predicted" and not tree.is_regression:
            types[title] = _class_type(tree.classes)
    return types


def _class_type(classes: tuple[Any, ...]) -> str:
    if all(isinstance(c, bool) for c in classes):
        return "BOOLEAN"
    if all(isinstance(c, int) and not isinstance(c, bool) and abs(c) < 2**63 for c in classes):
        return "BIGINT"
    return "VARCHAR"


def _cell_texts(cells: RawColumn) -> list[Any]:
    levels = [*cells.plain_levels(), ""]  # the last one is for missing values, code -1
    return [levels[code] for code in cells.codes.tolist()]


def _check_encoding(encoding: str) -> None:
    try:
        "".encode(codecs.lookup(encoding).name)
    except LookupError:
        raise ChoiceError("unknown_encoding", encoding=encoding) from None


def _encode(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise DataError("cannot_encode", encoding=encoding, character=character) from None
