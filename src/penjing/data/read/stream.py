"""Large tables a batch at a time, for who needs each row only once.

Delimited text and Parquet are never held whole; what is small enough, and every other form, is one
batch and read as :func:`penjing.read` reads it. The encoding and the separator are found out from
the first batch and hold for the rest.
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
from penjing.data.read.csv import from_delimited, normalize_line_ends
from penjing.data.read.dictionary import merge_equal_levels
from penjing.data.read.dispatch import DELIMITED_SUFFIXES, JSON_START, JSON_SUFFIXES, read_source
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
from penjing.data.read.text_encoding import decode
from penjing.data.table import MISSING
from penjing.errors import DataError, NoRowsError, PenjingError

WHOLE_BYTES = 4_000_000
"""What is not larger than so many bytes is read whole."""
PIECE_CHARACTERS = 2_000_000
"""So many characters are divided at a time."""
WHOLE_SUFFIXES = (*JSON_SUFFIXES, ".arff", ".names", ".data", ".test", ".cases", ".c45-names")


@dataclass(frozen=True, slots=True)
class TableSource:
    """Where a table comes from: a path, or "-" for standard input, and how it is to be read."""

    path: str
    encoding: str | None = None
    separator: str | None = None
    names: Sequence[str] | None = None

    @property
    def name(self) -> str:
        """How sentences call it."""
        return STDIN if self.path == "-" else Path(self.path).name

    @property
    def shown(self) -> str:
        """How sentences about the file itself call it."""
        return STDIN if self.path == "-" else self.path


def read_batches(source: TableSource) -> Iterator[RawTable]:
    """Yield the rows of a table, some at a time; one sheet without rows if it has none.

    Row numbers in the sheets count from the beginning of the table.
    """
    hint = Path(source.path).name.lower().removesuffix(".gz")
    if source.path != "-" and (hint.endswith(WHOLE_SUFFIXES) or not is_file(source.path)):
        yield _read_whole(source, source.path)
        return
    if hint.endswith((".parquet", ".pq")) and source.path != "-":
        yield from _number_rows(read_parquet_batches(source.path, source.name))
        return
    with open_decompressed(source.path) as stream:
        with convert_os_errors(source.shown):
            head = stream.read(WHOLE_BYTES)
        text = None if len(head) < WHOLE_BYTES else _open_text(head, stream, source, hint)
        if text is None:
            is_whole = len(head) < WHOLE_BYTES or source.path != "-"
            rest = b"" if is_whole else read_all(stream, source.shown)
            yield _read_whole(source, source.path if source.path != "-" else head + rest)
            return
        yield from _number_rows(_read_pieces(text, source, hint))


def _read_whole(source: TableSource, given: str | bytes) -> RawTable:
    wants: dict[str, Any] = {"encoding": source.encoding, "separator": source.separator}
    try:
        return read_source(given, name=source.name, names=source.names, keeps_ends=True, **wants)
    except DataError as error:
        return _table_without_rows(error, source)


def _table_without_rows(error: DataError, source: TableSource) -> RawTable:
    """Return the columns of a table that was refused because it has no rows."""
    if not isinstance(error, NoRowsError) or error.key == "empty_file":
        raise error
    columns = [RawColumn(title, [], np.empty(0, np.int32)) for title in error.names]
    return RawTable(columns, 0, {"name": source.name})


def _open_text(
    head: bytes, stream: IO[bytes], source: TableSource, hint: str
) -> io.TextIOWrapper | None:
    """Return the text of a stream that begins with these bytes, None if it is to be read whole."""
    if head.startswith(b"PAR1"):
        return None
    sample = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]
    if not sample:
        return None
    text, name, _ = decode(sample, source.name, source.encoding)
    try:
        codec = codecs.lookup(source.encoding or name).name
    except LookupError:
        return None
    if codec.startswith(("utf-16", "utf-32")):
        return None
    if is_arff(text) or (not hint.endswith(DELIMITED_SUFFIXES) and JSON_START.match(text)):
        return None
    joined = io.BufferedReader(UnclosedStream(stream, head), 1 << 16)
    # Rows are told by "\n" where there is one; cells keep their own line ends then.
    ends = "" if "\n" in text else None
    return io.TextIOWrapper(joined, "utf-8-sig" if codec == "utf-8" else codec, newline=ends)


def _read_pieces(text: io.TextIOWrapper, source: TableSource, hint: str) -> Iterator[RawTable]:
    first: RawTable | None = None
    names = [*(source.names or ())]
    separator = source.separator or ("\t" if hint.endswith((".tsv", ".tab")) else None)
    left, n_rows = "", 0
    while True:
        more = _read_text(text, source, n_rows)
        left = _append_text(left, more, source)
        at = _last_row_end(left, separator or ",") if more else len(left)
        if at == 0 and more:
            continue  # a cell that goes on
        piece, left = left[:at], left[at:]
        if piece.strip() or first is None:
            try:
                sheet = from_delimited(
                    piece, source.name, separator, names or None, keeps_ends=True
                )
            except DataError as error:
                if error.key == "no_rows" and more:
                    left = piece + left  # the header alone: its first row is a long one
                    continue
                if error.key == "no_rows":
                    yield _table_without_rows(error, source)
                    return
                raise _shift_row_number(error, n_rows) from None
            if first is None:
                first, separator = sheet, str(sheet.source["separator"])
                if not names:
                    head = piece.split("\n", 1)[0]
                    cells = next(csv.reader([head], delimiter=separator, skipinitialspace=True))
                    names = [*sheet.names, *[""] * (len(cells) - len(sheet.names))]
            else:
                sheet = _match_columns(sheet, first)
            n_rows += sheet.n_rows
            yield sheet
        if not more:
            return


def _append_text(left: str, more: str, source: TableSource) -> str:
    """Return both; a row that does not end within the memory there is is refused."""
    if len(left) + len(more) > (most := max_read_bytes()):
        raise too_large_error(source.shown, most)
    return left + more


def _read_text(text: io.TextIOWrapper, source: TableSource, n_rows: int) -> str:
    with convert_os_errors(source.shown):
        try:
            return text.read(PIECE_CHARACTERS)
        except UnicodeDecodeError:
            said = {"source": source.name, "encoding": text.encoding, "line": n_rows + 2}
            raise DataError("not_decodable", **said) from None


def _last_row_end(text: str, separator: str) -> int:
    """Return where the last whole row of a text ends, 0 if it holds none."""
    if '"' not in text:
        return text.rfind("\n") + 1
    lines = text.split("\n")[:-1]
    ends, read = [0], 0

    def given() -> Iterator[str]:
        nonlocal read
        for line in lines:
            read += len(line) + 1
            yield line + "\n"

    try:
        rows = csv.reader(given(), delimiter=separator, skipinitialspace=True)
        ends += [read for _ in rows]
    except csv.Error:
        return text.rfind("\n") + 1  # the row itself will be refused, by its number
    # The last row may be one whose quote is still open.
    return ends[-2] if len(ends) > 1 else 0


def _match_columns(sheet: RawTable, first: RawTable) -> RawTable:
    """Return a sheet with the columns of the first one."""
    have = sheet.by_name()
    nothing = np.full(sheet.n_rows, MISSING, np.int32)
    columns = [have.get(name, RawColumn(name, [], nothing)) for name in first.names]
    return replace(sheet, columns=columns, notes=[])


def normalize_columns(sheet: RawTable, names: Collection[str]) -> RawTable:
    """Return a sheet whose named columns have line ends as :func:`penjing.read` has them."""
    return replace(
        sheet, columns=[_normalize_column(c) if c.name in names else c for c in sheet.columns]
    )


def _normalize_column(cells: RawColumn) -> RawColumn:
    if cells.is_typed or not any(isinstance(x, str) and "\r" in x for x in cells.levels):
        return cells
    levels = [normalize_line_ends(x) if isinstance(x, str) else x for x in cells.levels]
    return cells.with_levels(*merge_equal_levels(levels, cells.codes))


def _number_rows(sheets: Iterator[RawTable]) -> Iterator[RawTable]:
    """Yield sheets whose rows are numbered from the beginning."""
    before = 0
    for sheet in sheets:
        numbers = None if before == 0 else np.arange(before + 1, before + sheet.n_rows + 1)
        before += sheet.n_rows
        yield replace(sheet, row_numbers=numbers)


def _shift_row_number(error: PenjingError, n_rows: int) -> DataError:
    row = error.values.get("row")
    values = dict(error.values)
    if isinstance(row, int):
        values["row"] = row + n_rows
    return DataError(error.key, **values)
