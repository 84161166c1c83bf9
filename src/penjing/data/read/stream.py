"""Read large tables batch by batch, for uses that need each row only once.

Delimited text and Parquet are never in memory as a whole. Small sources and every other format are
one batch, read as :func:`penjing.read` does. Encoding and separator are detected from the first
batch and used for all others.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from penjing.data.read.arff import is_arff
from penjing.data.read.csv import check_separator, from_delimited, normalize_line_ends
from penjing.data.read.dictionary import merge_equal_levels
from penjing.data.read.dispatch import (
    DELIMITED_SUFFIXES,
    JSON_START,
    JSON_SUFFIXES,
    read_source,
    remembered_encoding,
)
from penjing.data.read.files import (
    STDIN,
    UnclosedStream,
    convert_os_errors,
    is_file,
    max_read_bytes,
    open_decompressed,
    read_all,
    too_large_error,
)
from penjing.data.read.parquet import read_parquet_batches
from penjing.data.read.raw_columns import RawColumn, RawTable
from penjing.data.read.reading import FileLayout
from penjing.data.read.text_encoding import BOMS, check_encoding, decode
from penjing.data.read.workbook import WORKBOOK_SUFFIXES, is_workbook
from penjing.data.table import MISSING
from penjing.errors import DataError, NoRowsError, PenjingError

WHOLE_BYTES = 4_000_000
"""Smaller sources are read as a whole."""
PIECE_CHARACTERS = 2_000_000
"""Characters that are split at a time."""
WHOLE_SUFFIXES = (
    *JSON_SUFFIXES,
    *WORKBOOK_SUFFIXES,
    ".arff",
    ".names",
    ".data",
    ".test",
    ".cases",
    ".c45-names",
)


@dataclass(frozen=True, slots=True)
class TableSource:
    """A path, or "-" for standard input, and the options for reading it."""

    path: str
    encoding: str | None = None
    separator: str | None = None
    names: Sequence[str] | None = None
    sheet: str | None = None
    layout: FileLayout | None = None
    """The layout of the file that a model was trained on."""

    def __post_init__(self) -> None:
        """Check the options, also those that a file does not need."""
        if self.encoding is not None:
            check_encoding(self.encoding)
        check_separator(self.separator)

    @property
    def name(self) -> str:
        """The name of the source in messages."""
        return STDIN if self.path == "-" else Path(self.path).name

    @property
    def display_path(self) -> str:
        """The path of the source in messages about the file itself."""
        return STDIN if self.path == "-" else self.path


def read_batches(source: TableSource) -> Iterator[RawTable]:
    """Yield the rows of a table in batches; one table without rows if it has none.

    Row numbers count from the beginning of the source.
    """
    hint = Path(source.path).name.lower().removesuffix(".gz")
    if source.path != "-" and (hint.endswith(WHOLE_SUFFIXES) or not is_file(source.path)):
        yield _read_whole(source, source.path)
        return
    if hint.endswith((".parquet", ".pq")) and source.path != "-":
        yield from _number_rows(read_parquet_batches(source.path, source.name))
        return
    with open_decompressed(source.path) as stream:
        with convert_os_errors(source.display_path):
            head = stream.read(WHOLE_BYTES)
        text = None if len(head) < WHOLE_BYTES else _open_text(head, stream, source, hint)
        if text is None:
            is_read_whole = len(head) < WHOLE_BYTES or source.path != "-"
            rest = b"" if is_read_whole else read_all(stream, source.display_path)
            yield _read_whole(source, source.path if source.path != "-" else head + rest)
            return
        yield from _number_rows(_read_pieces(text, source, hint))


def _read_whole(source: TableSource, data: str | bytes) -> RawTable:
    options: dict[str, Any] = {"encoding": source.encoding, "separator": source.separator}
    options |= {"sheet": source.sheet, "layout": source.layout}
    try:
        return read_source(
            data, name=source.name, names=source.names, keep_line_ends=True, **options
        )
    except DataError as error:
        return _table_without_rows(error, source)


def _table_without_rows(error: DataError, source: TableSource) -> RawTable:
    """Return a table without rows for the error that there are none; raise other errors."""
    if not isinstance(error, NoRowsError) or error.key == "empty_file":
        raise error
    columns = [RawColumn(name, [], np.empty(0, np.int32)) for name in error.names]
    return RawTable(columns, 0, {"name": source.name})


def _open_text(
    head: bytes, stream: IO[bytes], source: TableSource, hint: str
) -> io.TextIOWrapper | None:
    """Return the decoded text of a stream; None if the source must be read as a whole."""
    if head.startswith(b"PAR1") or is_workbook(head, hint) or _may_be_wide(head, source):
        return None
    sample = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]
    if not sample:
        return None
    encoding = source.encoding or remembered_encoding(sample, source.name, source.layout, [])
    text, name, _ = decode(sample, source.name, encoding)
    try:
        codec = codecs.lookup(encoding or name).name
    except LookupError:
        return None
    if is_arff(text) or (not hint.endswith(DELIMITED_SUFFIXES) and JSON_START.match(text)):
        return None
    rejoined = io.BufferedReader(UnclosedStream(stream, head), 1 << 16)
    # If lines end with "\n", other line ends belong to the cells and are kept.
    newline = "" if "\n" in text else None
    return io.TextIOWrapper(rejoined, "utf-8-sig" if codec == "utf-8" else codec, newline=newline)


def _may_be_wide(head: bytes, source: TableSource) -> bool:
    """Whether a text may have several bytes for each character: then lines do not end at a byte."""
    kept = None if source.layout is None else source.layout.reading.encoding
    marked = [codec for mark, codec, _ in BOMS if head.startswith(mark)]
    for encoding in (*marked, source.encoding, kept):
        try:
            codec = codecs.lookup(encoding or "utf-8").name
        except LookupError:
            continue
        if codec.startswith(("utf-16", "utf-32")):
            return True
    return False


def _read_pieces(text: io.TextIOWrapper, source: TableSource, hint: str) -> Iterator[RawTable]:
    first_table: RawTable | None = None
    names = [*(source.names or ())]
    separator = source.separator or ("\t" if hint.endswith((".tsv", ".tab")) else None)
    pending, n_rows = "", 0
    while True:
        more = _read_text(text, source, n_rows)
        pending = _append_text(pending, more, source)
        end = _last_row_end(pending, separator or ",") if more else len(pending)
        if end == 0 and more:
            continue  # within a quoted cell
        piece, pending = pending[:end], pending[end:]
        if piece.strip() or first_table is None:
            try:
                raw_table = from_delimited(
                    piece,
                    source.name,
                    separator,
                    names or None,
                    keep_line_ends=True,
                    layout=source.layout if first_table is None else None,
                )
            except DataError as error:
                if error.key == "no_rows" and more:
                    # Only the header so far: the first row is longer than a piece.
                    pending = piece + pending
                    continue
                if error.key == "no_rows":
                    yield _table_without_rows(error, source)
                    return
                raise _shift_row_number(error, n_rows) from None
            if first_table is None:
                first_table, separator = raw_table, str(raw_table.source["separator"])
                names = names or _column_names(raw_table, piece, separator)
            else:
                raw_table = _match_columns(raw_table, first_table)
            n_rows += raw_table.n_rows
            yield raw_table
        if not more:
            return


def _column_names(raw_table: RawTable, piece: str, separator: str) -> list[str]:
    """Return the names for the pieces after the first, one for each cell of a row."""
    if raw_table.source.get("has_header") is False:
        return [*raw_table.names]
    header_line = piece.split("\n", 1)[0]
    cells = next(csv.reader([header_line], delimiter=separator, skipinitialspace=True))
    return [*raw_table.names, *[""] * (len(cells) - len(raw_table.names))]


def _append_text(pending: str, more: str, source: TableSource) -> str:
    """Return both texts; raise an error if a single row exceeds the memory limit."""
    if len(pending) + len(more) > (max_bytes := max_read_bytes()):
        raise too_large_error(source.display_path, max_bytes)
    return pending + more


def _read_text(text: io.TextIOWrapper, source: TableSource, n_rows: int) -> str:
    with convert_os_errors(source.display_path):
        try:
            return text.read(PIECE_CHARACTERS)
        except UnicodeDecodeError:
            details = {"source": source.name, "encoding": text.encoding, "line": n_rows + 2}
            raise DataError("not_decodable", **details) from None


def _last_row_end(text: str, separator: str) -> int:
    """Return where the last complete row of a text ends, 0 if there is none."""
    if '"' not in text:
        return text.rfind("\n") + 1
    lines = text.split("\n")[:-1]
    ends, n_read = [0], 0

    def yield_lines() -> Iterator[str]:
        nonlocal n_read
        for line in lines:
            n_read += len(line) + 1
            yield line + "\n"

    try:
        rows = csv.reader(yield_lines(), delimiter=separator, skipinitialspace=True)
        ends += [n_read for _ in rows]
    except csv.Error:
        return text.rfind("\n") + 1  # the error will be raised when the rows are split
    # The quote of the last row may still be open.
    return ends[-2] if len(ends) > 1 else 0


def _match_columns(raw_table: RawTable, first_table: RawTable) -> RawTable:
    """Return a table with the columns of the first batch."""
    columns_by_name = raw_table.by_name()
    missing = np.full(raw_table.n_rows, MISSING, np.int32)
    columns = [
        columns_by_name.get(name, RawColumn(name, [], missing)) for name in first_table.names
    ]
    return replace(raw_table, columns=columns, notes=[])


def normalize_columns(raw_table: RawTable, names: Collection[str]) -> RawTable:
    """Normalize the line ends in these columns, as :func:`penjing.read` does."""
    return replace(
        raw_table,
        columns=[_normalize_column(raw) if raw.name in names else raw for raw in raw_table.columns],
    )


def _normalize_column(raw: RawColumn) -> RawColumn:
    if raw.is_typed or not any(isinstance(level, str) and "\r" in level for level in raw.levels):
        return raw
    levels = [
        normalize_line_ends(level) if isinstance(level, str) else level for level in raw.levels
    ]
    return raw.with_levels(*merge_equal_levels(levels, raw.codes))


def _number_rows(raw_tables: Iterator[RawTable]) -> Iterator[RawTable]:
    """Yield the tables with rows numbered from the beginning of the source."""
    n_before = 0
    for raw_table in raw_tables:
        numbers = (
            None if n_before == 0 else np.arange(n_before + 1, n_before + raw_table.n_rows + 1)
        )
        n_before += raw_table.n_rows
        yield replace(raw_table, row_numbers=numbers)


def _shift_row_number(error: PenjingError, n_rows: int) -> DataError:
    row = error.values.get("row")
    values = dict(error.values)
    if isinstance(row, int):
        values["row"] = row + n_rows
    return DataError(error.key, **values)
