"""Read delimited text (CSV, TSV) in Python: separator, header, quotes, ragged rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise, repeat
from typing import Any

import numpy as np

from penjing.arguments import bad_value_error
from penjing.data.read.csv_duckdb import ColumnHints, is_large, read_with_duckdb
from penjing.data.read.dictionary import DictionaryEncoder
from penjing.data.read.ids import is_id_name
from penjing.data.read.numbers import PLAIN
from penjing.data.read.raw_columns import RawColumn, RawTable
from penjing.data.read.reading import FileLayout
from penjing.data.table import Note
from penjing.errors import DataError, NoRowsError

SEPARATES_ROWS = '\r\n"'
"""Characters that cannot separate cells: they end rows or quote cells."""

SEPARATORS = (",", ";", "\t", "|", "，")
SNIFFED_ROWS = 50
"""Number of rows from which the separator is detected."""

BATCH_ROWS = 50_000
"""Rows that are split at a time, so that only one batch of cells is in memory."""

SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n")
"""A first line with which Excel declares the separator."""

Batch = list[Sequence[str]]
"""The cells of some rows, column by column."""


def check_separator(separator: object) -> None:
    """Raise an error for what cannot separate the cells of a text."""
    if separator is None:
        return
    if not isinstance(separator, str) or len(separator) != 1 or separator in SEPARATES_ROWS:
        raise bad_value_error("bad_separator", "separator", separator, str)


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """The separator and header of a text, detected from its beginning.

    ``header`` has the names of the columns; ``is_quoted`` says whether the text has any quote.
    """

    separator: str
    header: list[str]
    is_quoted: bool
    has_header: bool
    notes: list[Note]


def from_delimited(
    text: str,
    name: str,
    separator: str | None = None,
    names: Sequence[str] | None = None,
    hints: ColumnHints | None = None,
    *,
    keep_line_ends: bool = False,
    layout: FileLayout | None = None,
) -> RawTable:
    """Return the columns of a text; ``names`` are for text without a header line.

    Line ends inside quoted cells become newlines, unless ``keep_line_ends`` is true. ``layout``
    is that of the file that a model was trained on.
    """
    keeps_mixed_ends = keep_line_ends and '"' in text and "\r" in text
    text = text if keeps_mixed_ends else normalize_line_ends(text)
    dialect, start = detect_dialect(
        text, name, separator, names, is_quoted='"' in text, layout=layout
    )
    text = text[start:]
    header, columns = dialect.header, None
    if is_large(text, header) and not keeps_mixed_ends:
        if hints is None:
            hints = ColumnHints() if layout is None else ColumnHints(reading=layout.reading)
        columns = read_with_duckdb(
            text, header, dialect.separator, hints, has_header=dialect.has_header
        )
    if columns is None:
        columns = _encode_columns(split_batches([text], dialect, name), header)
    known = () if layout is None else layout.columns
    return build_raw_table(columns, len(columns[0].codes), dialect, name, known)


def normalize_line_ends(text: str) -> str:
    """Return a text in which every line ends with a newline only."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def build_raw_table(
    columns: list[RawColumn],
    n_rows: int,
    dialect: CsvDialect,
    name: str,
    known: Collection[str] = (),
) -> RawTable:
    """Return the columns with a name each, without empty ones after a trailing separator.

    ``known`` are the columns of a model.
    """
    notes = [*dialect.notes]
    columns = _name_columns(columns, name, notes, known)
    if not n_rows:
        raise NoRowsError("no_rows", source=name, names=[raw.name for raw in columns])
    source: dict[str, Any] = {"name": name, "form": "delimited", "separator": dialect.separator}
    if not dialect.has_header:
        source["has_header"] = False
    return RawTable(columns, n_rows, source, notes)


def detect_dialect(
    text: str,
    name: str,
    separator: str | None,
    names: Sequence[str] | None,
    *,
    is_quoted: bool,
    layout: FileLayout | None = None,
) -> tuple[CsvDialect, int]:
    """Detect separator and header of a text; return them and where the header begins.

    The separator and the names of ``layout`` are used if they fit the text.
    """
    separator_line = SEPARATOR_LINE.match(text)
    start = 0 if separator_line is None else separator_line.end()
    if separator_line is not None:
        separator = separator or separator_line[1]
    if not text[start:].strip():
        raise DataError("empty_file", source=name)
    notes: list[Note] = []
    if separator is None:
        separator = _choose_separator(text[start:], name, layout, notes, is_quoted=is_quoted)
    if names is not None:
        return CsvDialect(separator, [*names], is_quoted, False, notes), start
    first_row = _first_row(text[start:], name, separator, is_quoted=is_quoted)
    if layout is not None and layout.reading.names:
        if not layout.is_header(first_row):
            names = layout.names_for(len(first_row))
            return CsvDialect(separator, names, is_quoted, False, notes), start
        notes.append(Note("note_has_header", {"source": name}))
    return CsvDialect(
        separator, _clean_header(first_row, name, notes), is_quoted, True, notes
    ), start


def _first_row(text: str, name: str, separator: str, *, is_quoted: bool) -> list[str]:
    if is_quoted:
        return next(_split_rows([text], name, separator, has_header=True))
    return text.lstrip("\n").split("\n", 1)[0].split(separator)


def _choose_separator(
    text: str, name: str, layout: FileLayout | None, notes: list[Note], *, is_quoted: bool
) -> str:
    """Return the separator of a text: that of the model's file, unless another fits better."""
    detected = detect_separator(text)
    kept = None if layout is None else layout.reading.separator
    if layout is None or kept is None or kept == detected:
        return detected

    def fit(separator: str) -> tuple[int, bool]:
        row = _first_row(text, name, separator, is_quoted=is_quoted)
        names = layout.reading.names
        if names and not layout.is_header(row):
            return -abs(len(names) - len(row)), len(row) > 1
        return layout.n_known(row), len(row) > 1

    if fit(kept) >= fit(detected):
        return kept
    notes.append(Note("note_other_separator", {"source": name, "found": detected, "kept": kept}))
    return detected


def split_batches(pieces: Iterable[str], dialect: CsvDialect, name: str) -> Iterator[Batch]:
    """Split a text into batches of rows; raise an error for a row of another length.

    Each piece of the text ends at a line end.
    """
    if dialect.is_quoted:
        rows = _split_rows(pieces, name, dialect.separator, has_header=dialect.has_header)
        batches = _batches_of_rows(islice(rows, int(dialect.has_header), None))
    else:
        batches = _split_unquoted(pieces, dialect.separator, skip_header=dialect.has_header)
    n_rows, width = 0, len(dialect.header)
    for batch in batches:
        if len(batch) != width:
            details = {"row": n_rows + 1, "n": len(batch), "expected": width}
            raise DataError("ragged_row", source=name, **details)
        n_rows += len(batch[0])
        yield batch


def _encode_columns(batches: Iterator[Batch], header: list[str]) -> list[RawColumn]:
    """Encode the columns batch by batch."""
    encoders = [DictionaryEncoder() for _ in header]
    for batch in batches:
        for encoder, cells in zip(encoders, batch, strict=True):
            encoder.add(cells)
    return [
        RawColumn(name, *encoder.finish()) for name, encoder in zip(header, encoders, strict=True)
    ]


def detect_separator(text: str) -> str:
    r"""Return the separator that splits the first rows most evenly.

    Examples
    --------
    >>> detect_separator("a;b\n1,5;2\n2,5;3\n")
    ';'
    """
    best, best_score = ",", (0.0, 0)
    sample = text[: 200 * 1024]
    for separator in SEPARATORS:
        lines = io.StringIO(sample, newline="")
        rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
        try:
            widths = [len(row) for row in islice(filter(None, rows), SNIFFED_ROWS)]
        except csv.Error:
            continue
        if len(sample) < len(text) and len(widths) < SNIFFED_ROWS:
            widths = widths[:-1]  # the sample may end within the last row
        if widths and widths[0] > 1:
            score = (sum(width == widths[0] for width in widths) / len(widths), widths[0])
            best, best_score = (separator, score) if score > best_score else (best, best_score)
    return best


def _split_rows(
    pieces: Iterable[str], name: str, separator: str, *, has_header: bool
) -> Iterator[list[str]]:
    """Yield the rows that are not blank; quotes may hold separators and line ends.

    A sentinel row is added at the end. If a quote is still open there, the sentinel becomes part
    of the last cell and does not appear as a row.
    """
    end = "\x00end"
    parts = (io.StringIO(piece, newline="") for piece in pieces)
    lines = chain(chain.from_iterable(parts), ["\n", end])
    n_rows = -1 if has_header else 0
    previous: list[str] = []
    try:
        for row in csv.reader(lines, delimiter=separator, skipinitialspace=True):
            if previous:
                yield previous
                n_rows += 1
            if row == [end]:
                return
            previous = row
    except csv.Error:
        raise _in_row("long_cell", name, n_rows + (2 if previous else 1)) from None
    raise _in_row("open_quote", name, n_rows + 1)


def _in_row(key: str, source: str, row: int) -> DataError:
    """Return the error about a row; the header is row 0."""
    if row < 1:
        return DataError(f"{key}_header", source=source)
    return DataError(key, source=source, row=row)


def _batches_of_rows(rows: Iterator[list[str]]) -> Iterator[Batch]:
    """Collect rows of equal length in batches."""
    width = 0
    batch: list[list[str]] = []
    for row in rows:
        if batch and (len(row) != width or len(batch) == BATCH_ROWS):
            yield list(zip(*batch, strict=True))
            batch = []
        width = len(row)
        batch.append(row)
    if batch:
        yield list(zip(*batch, strict=True))


def _split_unquoted(pieces: Iterable[str], separator: str, *, skip_header: bool) -> Iterator[Batch]:
    """Split text without quotes, with two calls of ``str.split`` per batch."""
    for text in chain.from_iterable(map(_split_at_lines, pieces)):
        lines = [line for line in text.split("\n") if line]
        if skip_header and lines:
            del lines[0]
            skip_header = False
        widths = list(map(str.count, lines, repeat(separator)))
        runs = [0, *np.flatnonzero(np.diff(widths)) + 1, len(lines)] if lines else []
        for first, last in pairwise(runs):
            cells = separator.join(lines[first:last]).split(separator)
            width = widths[first] + 1
            yield [cells[column::width] for column in range(width)]


def _split_at_lines(text: str) -> Iterator[str]:
    """Split a large text at line ends."""
    step = 64 * BATCH_ROWS
    start = 0
    while start < len(text):
        stop = text.find("\n", start + step)
        stop = len(text) if stop < 0 else stop
        yield text[start:stop]
        start = stop + 1


def _clean_header(cells: list[str], name: str, notes: list[Note]) -> list[str]:
    header = [cell.strip() for cell in cells]
    if header[0].startswith("?") and is_id_name(header[0][1:]):
        header[0] = header[0][1:]
        notes.append(Note("note_stray_mark", {"source": name, "column": header[0]}))
    if 2 * sum(bool(PLAIN.fullmatch(cell)) for cell in header) >= len(header):
        notes.append(Note("note_header_is_data", {"source": name, "column": header[0]}))
    return header


def name_by_place(place: int, others: Collection[str], known: Collection[str] = ()) -> str:
    """Return a name for the column at a place, counted from 1, that has none.

    It is the same in every language. ``known`` are the columns of a model, which may have the
    name of penjing 0.1.

    Examples
    --------
    >>> name_by_place(2, ["#2", "x"])
    "#2'"
    """
    old = f"column {place}"
    new_name = old if old in known else f"#{place}"
    while new_name in others:
        new_name += "'"
    return new_name


def _name_columns(
    columns: list[RawColumn], name: str, notes: list[Note], known: Collection[str]
) -> list[RawColumn]:
    """Name the columns that have no name; drop those at the end that are also empty."""
    while len(columns) > 1 and not columns[-1].name and not any(columns[-1].levels):
        columns = columns[:-1]
    names = {raw.name for raw in columns}
    for position, raw in enumerate(columns):
        if not raw.name:
            new_name = name_by_place(position + 1, names, known)
            columns[position] = replace(raw, name=new_name)
            values = {"source": name, "place": position + 1, "column": new_name}
            notes.append(Note("note_nameless_column", values))
    return columns
