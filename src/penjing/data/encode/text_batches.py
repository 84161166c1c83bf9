"""Split a text into batches of columns in constant memory, as the readers in memory do.

Arrow splits text as Python's csv module does, except for blanks before a quote and quotes that are
left open. If a text may have one of these, or if Arrow reports an error, Python splits it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.encode.text_stream import Text
from penjing.data.read.arff import is_arff
from penjing.data.read.csv import CsvDialect, detect_dialect, split_batches
from penjing.data.read.dictionary import encode_values
from penjing.data.table import Codes
from penjing.errors import DataError

BLOCK = 1 << 23
"""So many bytes Arrow divides at a time."""
LONGEST = 100_000
"""Cells of more bytes are left to Python, which refuses some of them."""
LINES = 20_000
"""Lines of JSON that are read at a time."""
END = "\0end"


class NotInPieces(Exception):  # noqa: N818 - no error: somebody else reads it
    """The source has to be read whole."""


class Disagreed(Exception):  # noqa: N818 - no error: Python divides the text
    """Arrow may divide this text otherwise than we do."""


@dataclass(slots=True)
class Piece:
    """A column of some rows: an Arrow array of texts, or plain values (None is missing)."""

    array: Any = None
    values: Sequence[Any] = ()
    _coded: tuple[list[Any], Codes] | None = None

    def __len__(self) -> int:
        return len(self.values) if self.array is None else len(self.array)

    def coded(self) -> tuple[list[Any], Codes]:
        """Return the distinct values in order of first appearance, and each row's."""
        if self._coded is None:
            if self.array is None:
                self._coded = encode_values(self.values)
            else:
                found = self.array.dictionary_encode()
                self._coded = found.dictionary.to_pylist(), found.indices.to_numpy()
        return self._coded

    def value(self, row: int) -> Any:  # noqa: ANN401 - a cell
        """Return one row's value."""
        return self.values[row] if self.array is None else self.array[row].as_py()

    def taken(self, rows: npt.NDArray[np.intp]) -> Piece:
        """Return some of the rows."""
        if self.array is None:
            return Piece(values=[self.values[row] for row in rows.tolist()])
        return Piece(self.array.take(rows))


Batch = dict[str | int, Piece]
"""Some rows: their columns by place, or by key."""


def dialect_of(
    text: Text, separator: str | None, names: Sequence[str] | None
) -> tuple[CsvDialect, int]:
    """Return how a text is divided, and where its first row begins."""
    head, is_whole = text.head()
    if is_arff(head):
        raise NotInPieces
    try:
        dialect, start = detect_dialect(head, text.name, separator, names, is_quoted=text.is_quoted)
    except DataError:
        if is_whole:
            raise
        raise NotInPieces from None
    first = head[start:].lstrip("\n")
    if not is_whole and "\n" not in first:
        raise NotInPieces
    return dialect, start


def divided(text: Text, dialect: CsvDialect, start: int, *, quickly: bool) -> Iterator[Batch]:
    """Yield the rows of a delimited text."""
    is_ascii = len(dialect.separator) == 1 and dialect.separator.isascii()
    are_blanks = dialect.separator == " " and dialect.is_quoted  # csv passes over a second one
    if quickly and is_ascii and not are_blanks and len(dialect.header) > 1:
        yield from _by_arrow(text, dialect, start)
        return
    for batch in split_batches(text.pieces(start), dialect, text.name):
        yield {place: Piece(values=cells) for place, cells in enumerate(batch)}


class _Feed(io.RawIOBase):
    """Bytes that somebody yields, as a file."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._left = blocks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:  # noqa: ANN401 - a buffer
        while not self._left:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._left = block
        found, self._left = self._left[: len(room)], self._left[len(room) :]
        room[: len(found)] = found
        return len(found)


def _by_arrow(text: Text, dialect: CsvDialect, start: int) -> Iterator[Batch]:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import csv  # noqa: PLC0415

    titles = [f"c{place}" for place in range(len(dialect.header))]
    # A last row of our own shows whether a quote was still open at the end.
    end = "\n" + dialect.separator.join([END] * len(titles))
    feed = io.BufferedReader(_Feed(_followed(text.utf8(start), end.encode())), BLOCK)
    before: Any = None
    n_skipped = int(dialect.has_header)
    try:
        reader = csv.open_csv(
            pa.PythonFile(feed, "r"),
            csv.ReadOptions(block_size=BLOCK, column_names=titles),
            csv.ParseOptions(
                delimiter=dialect.separator, quote_char='"' if dialect.is_quoted else False,
                double_quote=True, newlines_in_values=dialect.is_quoted,
            ),
            csv.ConvertOptions(
                check_utf8=False, column_types=dict.fromkeys(titles, pa.string()),
                null_values=[], strings_can_be_null=False,
            ),
        )  # fmt: skip
        for found in reader:
            if before is not None:
                yield _columns(before, dialect)
            before = found.slice(n_skipped)
            n_skipped = max(0, n_skipped - found.num_rows)
        if before is None or not before.num_rows or before.column(0)[-1].as_py() != END:
            raise Disagreed
        yield _columns(before.slice(0, before.num_rows - 1), dialect)
    except (pa.ArrowInvalid, UnicodeEncodeError):
        raise Disagreed from None


def _followed(blocks: Iterator[bytes], end: bytes) -> Iterator[bytes]:
    yield from blocks
    yield end


def _columns(found: Any, dialect: CsvDialect) -> Batch:  # noqa: ANN401 - of Arrow
    """Return the columns of some rows, if Python has the same ones."""
    import pyarrow.compute as pc  # noqa: PLC0415

    for column in found.columns if dialect.is_quoted else ():
        if pc.any(pc.starts_with(column, " ")).as_py():  # csv drops it, unless it is in quotes
            raise Disagreed
        if (pc.max(pc.binary_length(column)).as_py() or 0) > LONGEST:
            raise Disagreed
    return {place: Piece(column) for place, column in enumerate(found.columns)}


# -- JSON ----------------------------------------------------------------------------------------


def objects(text: Text) -> Iterator[Batch]:
    """Yield the rows of JSON lines, or of an array of objects, by key."""
    titles: dict[str, None] = {}
    n_rows = 0
    for rows in filter(None, _lists(text)):
        for row in rows:
            if type(row) is not dict:
                raise NotInPieces
            if not row.keys() <= titles.keys():
                titles |= dict.fromkeys(row)
        n_rows += len(rows)
        yield {title: Piece(values=[row.get(title) for row in rows]) for title in titles}
    if n_rows < 2:
        raise NotInPieces  # maybe an object of columns


def _lists(text: Text) -> Iterator[list[Any]]:
    head, _ = text.head()
    first = head.lstrip()[:1]
    if first == "{":
        return _of_lines(text)
    if first == "[":
        return _of_array(text)
    raise NotInPieces


def _of_lines(text: Text) -> Iterator[list[Any]]:
    lines = (line for piece in text.pieces() for line in piece.split("\n") if line.strip())
    while some := [*islice(lines, LINES)]:
        try:
            rows = json.loads("[" + ",".join(some) + "]")
        except (ValueError, RecursionError):
            raise NotInPieces from None
        if len(rows) != len(some):
            raise NotInPieces
        yield rows


def _of_array(text: Text) -> Iterator[list[Any]]:
    """Yield the elements of an array; one that the text at hand cuts is taken with the next."""
    decoder, left, rows = json.JSONDecoder(), "", []
    state = "["  # what has to come next: the beginning, an element, or what parts them
    for piece in text.decoded():
        left += piece
        at = 0
        while True:
            at = _past_blanks(left, at)
            if at >= len(left) or state == "end":
                break
            if state == "value":
                try:
                    value, after = decoder.raw_decode(left, at)
                except (ValueError, RecursionError):
                    break  # perhaps it goes on
                rows.append(value)
                at, state = after, ","
            elif state == "[" and left[at] == "[":
                at, state = at + 1, "value"
            elif state == "," and left[at] in ",]":
                at, state = at + 1, "value" if left[at] == "," else "end"
            else:
                raise NotInPieces
        left = left[at:]
        if len(rows) >= LINES:
            yield rows
            rows = []
    if state != "end" or left.strip():
        raise NotInPieces
    yield rows


def _past_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\n\r":
        at += 1
    return at
