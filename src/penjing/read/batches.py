"""Large tables a batch at a time, for who needs each row only once.

Delimited text and Parquet are never held whole; what is small enough, and every other form, is one
batch and read as :func:`penjing.read` reads it. The encoding and the separator are found out from
the first batch and hold for the rest.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from penjing.errors import DataError, Problem
from penjing.read.arff import is_arff
from penjing.read.cells import Cells, Sheet
from penjing.read.columnar import parquet_batches
from penjing.read.decode import decode
from penjing.read.delimited import delimited
from penjing.read.files import GZIP, absent, contents
from penjing.read.gather import DELIMITED, JSON, OBJECT, gathered
from penjing.table import MISSING

HEAD = 4_000_000
"""What is not larger than so many bytes is read whole."""
PIECE = 2_000_000
"""So many characters are divided at a time."""
LEFT_WHOLE = (*JSON, ".arff", ".names", ".data", ".test", ".cases", ".c45-names")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a table comes from: a path, or "-" for standard input, and how it is to be read."""

    path: str
    encoding: str | None = None
    separator: str | None = None
    names: Sequence[str] | None = None

    @property
    def name(self) -> str:
        """How sentences call it."""
        return "standard input" if self.path == "-" else Path(self.path).name


def batches(source: Source) -> Iterator[Sheet]:
    """Yield the rows of a table, some at a time; one sheet without rows if it has none.

    Row numbers in the sheets count from the beginning of the table.
    """
    hint = Path(source.path).name.lower().removesuffix(".gz")
    if source.path != "-" and (hint.endswith(LEFT_WHOLE) or not Path(source.path).is_file()):
        yield _whole(source, source.path)
        return
    if hint.endswith((".parquet", ".pq")) and source.path != "-":
        yield from _numbered(parquet_batches(source.path, source.name))
        return
    with _opened(source.path) as stream:
        head = _read(stream, HEAD, source)
        text = None if len(head) < HEAD else _stream(head, stream, source, hint)
        if text is None:
            rest = b"" if len(head) < HEAD else _read(stream, -1, source)
            told = source.path if source.path != "-" else head + rest
            yield _whole(source, told)
            return
        yield from _numbered(_pieces(text, source, hint))


def _whole(source: Source, told: str | bytes) -> Sheet:
    wants: dict[str, Any] = {"encoding": source.encoding, "separator": source.separator}
    try:
        return gathered(told, name=source.name, names=source.names, **wants)
    except DataError as error:
        if error.key != "no_rows":
            raise
    data = told if isinstance(told, bytes) else contents(told)
    text, *_ = decode(data, source.name, source.encoding)
    # A header alone: one row that is all empty tells the columns, and is taken out again.
    sheet = gathered(_padded(text, source).encode(), name=source.name, separator=source.separator)
    none = [replace(c, levels=[], codes=np.empty(0, np.int32)) for c in sheet.columns]
    return replace(sheet, columns=none, n_rows=0)


def _padded(text: str, source: Source) -> str:
    from penjing.read.delimited import sniffed  # noqa: PLC0415 - only here

    separator = source.separator or sniffed(text)
    width = len(next(csv.reader([text.strip("\n")], delimiter=separator)))
    return text.rstrip("\n") + "\n" + separator.join(["x"] * width) + "\n"


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """Open a file or standard input; gzip is undone."""
    with _raw(path) as raw:
        if raw.peek(2)[:2] == GZIP:
            with gzip.open(raw) as plain:
                yield cast("IO[bytes]", plain)
        else:
            yield raw


def _raw(path: str) -> io.BufferedReader:
    if path == "-":
        if sys.stdin is None:
            raise DataError("stdin_closed")
        return io.BufferedReader(_Unclosed(sys.stdin.buffer), 1 << 16)
    try:
        return Path(path).open("rb")
    except FileNotFoundError:
        raise absent(path) from None
    except OSError as error:
        raise DataError("unreadable_file", source=path, reason=error.strerror) from None


class _Unclosed(io.RawIOBase):
    """A stream that somebody else closes, after some bytes that were read from it before."""

    def __init__(self, stream: IO[bytes], before: bytes = b"") -> None:
        self._stream, self._before = stream, before

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:  # noqa: ANN401 - a buffer
        found = self._before[: len(room)]
        if found:
            self._before = self._before[len(room) :]
        else:
            found = self._stream.read(len(room))
        room[: len(found)] = found
        return len(found)


def _read(stream: IO[bytes], n: int, source: Source) -> bytes:
    try:
        return stream.read(n)
    except (EOFError, OSError):
        raise DataError("bad_gzip", source=source.name) from None


def _stream(head: bytes, stream: IO[bytes], source: Source, hint: str) -> io.TextIOWrapper | None:
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
    if is_arff(text) or (not hint.endswith(DELIMITED) and OBJECT.match(text)):
        return None
    whole = io.BufferedReader(_Unclosed(stream, head), 1 << 16)
    return io.TextIOWrapper(whole, "utf-8-sig" if codec == "utf-8" else codec, newline=None)


def _pieces(text: io.TextIOWrapper, source: Source, hint: str) -> Iterator[Sheet]:
    first: Sheet | None = None
    names = [*(source.names or ())]
    separator = source.separator or ("\t" if hint.endswith((".tsv", ".tab")) else None)
    left, n_rows = "", 0
    while True:
        more = _decoded(text, source, n_rows)
        left += more
        at = _end(left, separator or ",") if more else len(left)
        if at == 0 and more:
            continue  # a cell that goes on
        piece, left = left[:at], left[at:]
        if piece.strip() or first is None:
            try:
                sheet = delimited(piece, source.name, separator, names or None)
            except DataError as error:
                raise _shifted(error, n_rows) from None
            if first is None:
                first, separator = sheet, str(sheet.source["separator"])
                if not names:
                    head = piece.split("\n", 1)[0]
                    cells = next(csv.reader([head], delimiter=separator, skipinitialspace=True))
                    names = [*sheet.names, *[""] * (len(cells) - len(sheet.names))]
            else:
                sheet = _alike(sheet, first)
            n_rows += sheet.n_rows
            yield sheet
        if not more:
            return


def _decoded(text: io.TextIOWrapper, source: Source, n_rows: int) -> str:
    try:
        return text.read(PIECE)
    except UnicodeDecodeError:
        told = {"source": source.name, "encoding": text.encoding, "line": n_rows + 2}
        raise DataError("not_decodable", **told) from None
    except (EOFError, OSError):
        raise DataError("bad_gzip", source=source.name) from None


def _end(text: str, separator: str) -> int:
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


def _alike(sheet: Sheet, first: Sheet) -> Sheet:
    """Return a sheet with the columns of the first one."""
    have = sheet.by_name()
    nothing = np.full(sheet.n_rows, MISSING, np.int32)
    columns = [have.get(name, Cells(name, [], nothing)) for name in first.names]
    return replace(sheet, columns=columns, notes=[])


def _numbered(sheets: Iterator[Sheet]) -> Iterator[Sheet]:
    """Yield sheets whose rows are numbered from the beginning."""
    before = 0
    for sheet in sheets:
        numbers = None if before == 0 else np.arange(before + 1, before + sheet.n_rows + 1)
        before += sheet.n_rows
        yield replace(sheet, row_numbers=numbers)


def _shifted(error: Problem, n_rows: int) -> DataError:
    row = error.values.get("row")
    values = dict(error.values)
    if isinstance(row, int):
        values["row"] = row + n_rows
    return DataError(error.key, **values)
