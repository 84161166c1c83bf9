"""Text divided by separators (CSV, TSV) to cells."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise, repeat

import numpy as np

from penjing.data.read.csv_duckdb import ColumnHints, is_large, read_with_duckdb
from penjing.data.read.dictionary import DictionaryEncoder
from penjing.data.read.ids import is_id_name
from penjing.data.read.numbers import PLAIN
from penjing.data.read.raw_columns import RawColumn, RawTable
from penjing.data.table import Note
from penjing.errors import DataError, NoRowsError

SEPARATORS = (",", ";", "\t", "|", "，")
SNIFFED_ROWS = 50
"""So many rows tell the separator."""

BATCH_ROWS = 50_000
"""Rows that are divided at a time; the text of a batch is let go before the next."""

SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n")
"""A first line by which Excel tells the separator."""

Batch = list[Sequence[str]]
"""Some rows, column by column."""


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """How a text is divided, as its beginning tells.

    ``header`` are the names of its columns, ``is_quoted`` says whether it has any quote.
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
    keeps_ends: bool = False,
) -> RawTable:
    """Divide text into columns of cells; ``names`` are for text without a header line.

    Line ends inside quoted cells are made alike, unless somebody ``keeps_ends``.
    """
    is_kept = keeps_ends and '"' in text and "\r" in text
    text = text if is_kept else normalize_line_ends(text)
    dialect, start = detect_dialect(text, name, separator, names, is_quoted='"' in text)
    text = text[start:]
    header, columns = dialect.header, None
    if is_large(text, header) and not is_kept:
        columns = read_with_duckdb(
            text, header, dialect.separator, hints or ColumnHints(), has_header=dialect.has_header
        )
    if columns is None:
        columns = _encode_columns(split_batches([text], dialect, name), header)
    return build_raw_table(columns, len(columns[0].codes), dialect, name)


def normalize_line_ends(text: str) -> str:
    """Return a text whose line ends are all alike."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def build_raw_table(
    columns: list[RawColumn], n_rows: int, dialect: CsvDialect, name: str
) -> RawTable:
    """Return the columns as a sheet: each with a name, and none that only a separator made."""
    notes = [*dialect.notes]
    columns = _name_columns(columns, name, notes)
    if not n_rows:
        raise NoRowsError("no_rows", source=name, names=[cells.name for cells in columns])
    source = {"name": name, "form": "delimited", "separator": dialect.separator}
    return RawTable(columns, n_rows, source, notes)


def detect_dialect(
    text: str,
    name: str,
    separator: str | None,
    names: Sequence[str] | None,
    *,
    is_quoted: bool,
) -> tuple[CsvDialect, int]:
    """Find out from the beginning of a text how it is divided, and where its first row is."""
    told = SEPARATOR_LINE.match(text)
    start = 0 if told is None else told.end()
    if told is not None:
        separator = separator or told[1]
    if not text[start:].strip():
        raise DataError("empty_file", source=name)
    separator = separator or detect_separator(text[start:])
    notes: list[Note] = []
    if names is not None:
        return CsvDialect(separator, [*names], is_quoted, False, notes), start
    if is_quoted:
        first = next(_split_rows([text[start:]], name, separator, has_header=True))
    else:
        first = text[start:].lstrip("\n").split("\n", 1)[0].split(separator)
    return CsvDialect(separator, _clean_header(first, name, notes), is_quoted, True, notes), start


def split_batches(pieces: Iterable[str], dialect: CsvDialect, name: str) -> Iterator[Batch]:
    """Divide a text into batches of rows; a batch of another width is a ragged row.

    Each piece of the text ends where a line does.
    """
    if dialect.is_quoted:
        rows = _split_rows(pieces, name, dialect.separator, has_header=dialect.has_header)
        batches = _batches_of_rows(islice(rows, int(dialect.has_header), None))
    else:
        batches = _split_unquoted(pieces, dialect.separator, skip=dialect.has_header)
    n_rows, width = 0, len(dialect.header)
    for batch in batches:
        if len(batch) != width:
            said = {"row": n_rows + 1, "n": len(batch), "expected": width}
            raise DataError("ragged_row", source=name, **said)
        n_rows += len(batch[0])
        yield batch


def _encode_columns(batches: Iterator[Batch], header: list[str]) -> list[RawColumn]:
    """Code the columns batch by batch."""
    coders = [DictionaryEncoder() for _ in header]
    for batch in batches:
        for coder, cells in zip(coders, batch, strict=True):
            coder.add(cells)
    return [RawColumn(title, *coder.finish()) for title, coder in zip(header, coders, strict=True)]


def detect_separator(text: str) -> str:
    r"""Return the separator that divides the first rows most evenly.

    Examples
    --------
    >>> detect_separator("a;b\n1,5;2\n2,5;3\n")
    ';'
    """
    best, best_score = ",", (0.0, 0)
    head = text[: 200 * 1024]
    for separator in SEPARATORS:
        lines = io.StringIO(head, newline="")
        rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
        try:
            widths = [len(row) for row in islice(filter(None, rows), SNIFFED_ROWS)]
        except csv.Error:
            continue
        if len(head) < len(text) and len(widths) < SNIFFED_ROWS:
            widths = widths[:-1]  # the last row was cut by the sample's end
        if widths and widths[0] > 1:
            score = (sum(width == widths[0] for width in widths) / len(widths), widths[0])
            best, best_score = (separator, score) if score > best_score else (best, best_score)
    return best


def _split_rows(
    pieces: Iterable[str], name: str, separator: str, *, has_header: bool
) -> Iterator[list[str]]:
    """Yield the rows that are not blank; quotes may hold separators and line ends.

    A last row of our own shows whether a quote was still open at the end: then it is
    swallowed.
    """
    end = "\x00end"
    parts = (io.StringIO(piece, newline="") for piece in pieces)
    lines = chain(chain.from_iterable(parts), ["\n", end])
    n_rows = -1 if has_header else 0
    before: list[str] = []
    try:
        for row in csv.reader(lines, delimiter=separator, skipinitialspace=True):
            if before:
                yield before
                n_rows += 1
            if row == [end]:
                return
            before = row
    except csv.Error:
        raise DataError("long_cell", source=name, row=max(n_rows + 1, 0)) from None
    raise DataError("open_quote", source=name, row=max(n_rows, 0))


def _batches_of_rows(rows: Iterator[list[str]]) -> Iterator[Batch]:
    """Turn rows into batches, a row of another width into a batch of its own."""
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


def _split_unquoted(pieces: Iterable[str], separator: str, *, skip: bool) -> Iterator[Batch]:
    """Divide text without quotes: two splits a batch."""
    for text in chain.from_iterable(map(_split_at_lines, pieces)):
        lines = [line for line in text.split("\n") if line]
        if skip and lines:
            del lines[0]
            skip = False
        widths = list(map(str.count, lines, repeat(separator)))
        runs = [0, *np.flatnonzero(np.diff(widths)) + 1, len(lines)] if lines else []
        for first, last in pairwise(runs):
            cells = separator.join(lines[first:last]).split(separator)
            width = widths[first] + 1
            yield [cells[place::width] for place in range(width)]


def _split_at_lines(text: str) -> Iterator[str]:
    """Cut a large text where lines end."""
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


def _name_columns(columns: list[RawColumn], name: str, notes: list[Note]) -> list[RawColumn]:
    """Give nameless columns a name, or drop them if they are empty at the end."""
    while len(columns) > 1 and not columns[-1].name and not any(columns[-1].levels):
        columns = columns[:-1]
    taken = {cells.name for cells in columns}
    for place, cells in enumerate(columns):
        if not cells.name:
            given = f"column {place + 1}"
            while given in taken:
                given += "'"
            columns[place] = replace(cells, name=given)
            values = {"source": name, "place": place + 1, "column": given}
            notes.append(Note("note_nameless_column", values))
    return columns
