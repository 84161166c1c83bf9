"""Read a text file in pieces without loading it as a whole: encoding and lines."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Self, cast

from penjing.data.read.files import GZIP_MAGIC, read_file
from penjing.data.read.text_encoding import SAMPLE_CHARACTERS, detect_encoding
from penjing.errors import DataError

BLOCK = 1 << 22
"""So many bytes are read at a time."""
HEAD = 300_000
"""So many characters tell how a text is divided."""
LIKE_ASCII = {"utf-8", "gb18030", "gbk", "gb2312", "big5", "cp1252", "iso8859-1", "ascii"}
"""Encodings in which the byte of a quote is nothing else."""


class Streamed:
    """The bytes of a file, gzip undone, read anew each time that somebody asks.

    Parameters
    ----------
    path : str
        The file.
    n_before : int
        So many bytes at its beginning are passed over.
    """

    def __init__(self, path: str, n_before: int = 0) -> None:
        self.path, self._n_before = path, n_before
        self.name = Path(path).name
        self._head: bytes | None = None

    @property
    def head(self) -> bytes:
        """The first bytes, enough to judge by."""
        if self._head is None:
            self._head = b""
            for block in self.blocks(4 * SAMPLE_CHARACTERS):
                self._head += block
                if len(self._head) >= 4 * SAMPLE_CHARACTERS:
                    break
        return self._head

    def skip(self, n: int) -> Self:
        """Return the bytes without the first n."""
        return type(self)(self.path, self._n_before + n)

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """Yield the bytes."""
        with _opened(self.path) as file:
            try:
                file.read(self._n_before)
                while block := file.read(size):
                    yield block
            except (OSError, EOFError, zlib.error):
                raise DataError("bad_gzip", source=self.name) from None

    def first_bad_line(self, codec: str) -> int | None:
        """Return the line of the first bytes that are not legal, None if all are."""
        codec = self.exact(codec)
        decoder, n_lines = codecs.getincrementaldecoder(codec)(), 0
        for block in _and_none(self.blocks()):
            state = decoder.getstate()
            try:
                n_lines += decoder.decode(block or b"", final=block is None).count("\n")
            except UnicodeDecodeError as error:
                lenient = codecs.getincrementaldecoder(codec)("ignore")
                lenient.setstate(state)
                legal = (block or b"")[: error.start - len(error.object) + len(block or b"")]
                return n_lines + lenient.decode(legal).count("\n") + 1
        return None

    def sample(self, codec: str) -> str:
        """Return the first characters of bytes that are legal."""
        return codecs.getincrementaldecoder(self.exact(codec))().decode(self.head)[
            :SAMPLE_CHARACTERS
        ]

    def exact(self, codec: str) -> str:
        """Return a codec with the order of its bytes, where the bytes tell it."""
        name = codecs.lookup(codec).name
        if name not in ("utf-16", "utf-32"):
            return codec
        mark = codecs.BOM_UTF16_BE if name == "utf-16" else codecs.BOM_UTF32_BE
        return f"{name}-{'be' if self.head.startswith(mark) else 'le'}"


def _and_none(blocks: Iterable[bytes]) -> Iterator[bytes | None]:
    yield from blocks
    yield None


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """Open a file; gzip is undone. What does not open is refused as by who reads it whole."""
    try:
        raw = Path(path).open("rb")  # noqa: SIM115 - closed below
    except OSError:
        read_file(path)
        raise
    with raw:
        if raw.peek(2)[:2] == GZIP_MAGIC:
            with gzip.open(raw) as plain:
                yield cast("IO[bytes]", plain)
        else:
            yield raw


class Text:
    """The text of a file: its encoding, whether it has quotes, and its lines, in pieces.

    Parameters
    ----------
    path : str
        The file.
    encoding : str, optional
        The encoding, where it is told.
    translate : bool
        Whether every line end is made LF.
    """

    def __init__(self, path: str, encoding: str | None = None, *, translate: bool = True) -> None:
        streamed = _Noticed(path)
        self._translate = translate
        self.encoding, self._bytes = detect_encoding(streamed, streamed.name, encoding)
        self.name, self.path = streamed.name, path
        self.sha256, self.is_quoted, self._has_returns = streamed.noticed()
        codec = codecs.lookup(self.encoding.codec).name
        self._is_utf8 = codec == "utf-8" and self.encoding.reason != "told"
        if codec not in LIKE_ASCII:
            self.is_quoted = any('"' in piece for piece in self.decoded())

    @property
    def is_plain(self) -> bool:
        """Whether the bytes of the file are those of the text."""
        return self._is_utf8 and not self._has_returns

    def is_beyond_ascii_utf8(self) -> bool:
        """Return whether the bytes are valid UTF-8 with other characters than ASCII."""
        is_ascii = all(block.isascii() for block in self._bytes.blocks())
        return not is_ascii and self._bytes.first_bad_line("utf-8") is None

    def decoded(self) -> Iterator[str]:
        """Yield the text."""
        codec = codecs.getincrementaldecoder(self._bytes.exact(self.encoding.codec))()
        decoder = io.IncrementalNewlineDecoder(codec, translate=True) if self._translate else codec
        is_first = self.encoding.reason == "told"
        for block in _and_none(self._bytes.blocks()):
            piece = decoder.decode(block or b"", final=block is None)
            if is_first and piece:
                piece, is_first = piece.removeprefix("\ufeff"), False
            yield piece

    def head(self) -> tuple[str, bool]:
        """Return the beginning of the text, and whether it is all."""
        found = ""
        for piece in self.decoded():
            found += piece
            if len(found) > HEAD:
                return found[: HEAD + 1], False
        return found, True

    def pieces(self, start: int = 0) -> Iterator[str]:
        """Yield the text from some place on, each piece up to the end of a line."""
        left: list[str] = []
        for piece in self.decoded():
            if start:
                piece, start = piece[start:], max(0, start - len(piece))  # noqa: PLW2901
            at = piece.rfind("\n") + 1
            if at:
                yield "".join(left) + piece[:at]
                left = []
            left.append(piece[at:])
        if rest := "".join(left):
            yield rest

    def utf8(self, start: int = 0) -> Iterator[bytes]:
        """Yield the text from some place on, in UTF-8."""
        if self.is_plain and not start:
            yield from self._bytes.blocks()
        else:
            for piece in self.pieces(start):
                yield piece.encode()


class _Noticed(Streamed):
    """Bytes of which something is noticed while they are read the first time."""

    _seen: dict[str, Any]

    def __init__(self, path: str, n_before: int = 0, seen: dict[str, Any] | None = None) -> None:
        super().__init__(path, n_before)
        self._seen = {} if seen is None else seen

    def skip(self, n: int) -> Self:
        """Return the bytes without the first n."""
        return type(self)(self.path, self._n_before + n, self._seen)

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """Yield the bytes."""
        if self._n_before or self._seen or size != BLOCK:
            yield from super().blocks(size)
            return
        digest, quoted, returns = hashlib.sha256(), False, False
        for block in super().blocks(size):
            digest.update(block)
            quoted, returns = quoted or b'"' in block, returns or b"\r" in block
            yield block
        self._seen |= {"all": (digest.hexdigest(), quoted, returns)}

    def noticed(self) -> tuple[str, bool, bool]:
        """Return the digest, and whether there are quotes and carriage returns."""
        if not self._seen:
            for _ in self.blocks():
                pass
        found: tuple[str, bool, bool] = self._seen["all"]
        return found
