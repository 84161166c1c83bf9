"""Open files within the memory limit, and turn errors of the system into messages.

The decompressed size is checked while reading: a small gzip file may expand to more than the
memory, and a pipe or device may never end.
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

from penjing import arguments
from penjing.data.memory_limit import memory_bytes
from penjing.data.read.example_files import EXAMPLES, PREFIX, example_file
from penjing.data.scratch import format_bytes
from penjing.errors import DataError, NoFileError, PenjingError, closest_match

GZIP_MAGIC = b"\x1f\x8b"
STDIN = "standard input"
CHUNK_BYTES = 1 << 20
"""Bytes that are read at a time."""
MEMORY_PER_BYTE = 2
"""Memory that each byte needs at least: once as a byte and once as a character."""


def read_file(path: str, limit: float | str | None = None) -> bytes:
    """Return the decompressed bytes of a file, or of standard input for "-".

    An error is raised if they need more memory than ``limit`` (bytes, or a text such as "2GB"; by
    default half of the free memory).
    """
    with open_decompressed(path) as stream:
        return read_all(stream, STDIN if path == "-" else path, limit)


def max_read_bytes(limit: float | str | None = None) -> int:
    """Return how many bytes may be read into memory."""
    return memory_bytes(limit) // MEMORY_PER_BYTE


def read_all(stream: IO[bytes], source: str, limit: float | str | None = None) -> bytes:
    """Return the whole content of a stream; raise an error if it exceeds the memory limit."""
    max_bytes, size, pieces = max_read_bytes(limit), 0, []
    with convert_os_errors(source):
        if file_size := _file_size(stream):
            if file_size > max_bytes:
                raise too_large_error(source, max_bytes)
            return stream.read()
        while piece := stream.read(CHUNK_BYTES):
            size += len(piece)
            if size > max_bytes:
                raise too_large_error(source, max_bytes)
            pieces.append(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _file_size(stream: IO[bytes]) -> int:
    """Return the size of a regular file, 0 for other streams, whose size is not known."""
    if not isinstance(stream, io.BufferedReader):
        return 0
    with suppress(OSError, ValueError):
        status = os.fstat(stream.fileno())
        return status.st_size if stat.S_ISREG(status.st_mode) else 0
    return 0


def too_large_error(source: str, max_bytes: int) -> DataError:
    """Return the error for a source that exceeds the memory limit."""
    return DataError("too_much_to_read", source=source, limit=format_bytes(max_bytes))


def decompressed_size(path: str, max_bytes: int) -> int:
    """Return about how many bytes a gzip file expands to; above ``max_bytes`` it is estimated.

    The decompressed data is discarded, so this needs little memory.
    """
    size, compressed_size = 0, Path(path).stat().st_size
    with convert_os_errors(path), Path(path).open("rb") as raw, gzip.open(raw) as stream:
        while piece := stream.read(CHUNK_BYTES):
            size += len(piece)
            if size > max_bytes:
                return max(size, size * compressed_size // max(raw.tell(), 1))
    return size


def is_gzip(path: str) -> bool:
    """Return whether the content of a file is gzip, whatever its name."""
    with suppress(OSError), Path(path).open("rb") as file:
        return file.read(2) == GZIP_MAGIC
    return False


@contextmanager
def open_decompressed(path: str) -> Iterator[IO[bytes]]:
    """Open a file or standard input, decompressed if it is gzip."""
    name = STDIN if path == "-" else path
    with open_raw(path) as raw:
        with convert_os_errors(name):
            is_compressed = raw.peek(2)[:2] == GZIP_MAGIC
        if is_compressed:
            with gzip.open(raw) as decompressed:
                yield cast("IO[bytes]", decompressed)
        else:
            yield raw


def open_raw(path: str) -> io.BufferedReader:
    """Open a file or standard input without decompression; refuse devices, which may not end."""
    if path == "-":
        if sys.stdin is None:
            raise DataError("stdin_closed")
        descriptor = None
        with suppress(OSError, ValueError):  # a replaced sys.stdin may have no descriptor
            descriptor = sys.stdin.fileno()
        if descriptor is not None:
            _check_not_device(descriptor, STDIN)
        if not hasattr(sys.stdin, "buffer"):  # a program that calls `main` gives the text
            return io.BufferedReader(io.BytesIO(sys.stdin.read().encode("utf-8")))
        return io.BufferedReader(UnclosedStream(sys.stdin.buffer), 1 << 16)
    arguments.path("path", path)
    path = example_file(path)
    with convert_os_errors(path):
        if is_folder(path):  # Windows reports a permission error for folders
            raise DataError("is_a_directory", source=path)
        file = Path(path).open("rb")  # noqa: SIM115 - the caller closes it
    try:
        _check_not_device(file.fileno(), path)
    except BaseException:
        file.close()
        raise
    return file


def _check_not_device(descriptor: int, name: str) -> None:
    """Raise an error for a device other than a terminal or the null device."""
    status = os.fstat(descriptor)
    if stat.S_ISBLK(status.st_mode):
        raise DataError("is_a_device", source=name)
    if stat.S_ISCHR(status.st_mode) and not os.isatty(descriptor):
        is_null = status.st_rdev == Path(os.devnull).stat().st_rdev
        if not is_null:
            raise DataError("is_a_device", source=name)


def read_stdin(limit: float | str | None = None) -> bytes:
    """Return the whole standard input, not decompressed."""
    with open_raw("-") as raw:
        return read_all(raw, STDIN, limit)


@contextmanager
def convert_os_errors(source: str) -> Iterator[None]:
    """Convert errors of the operating system to DataErrors that name the file."""
    try:
        yield
    except PenjingError:
        raise
    except FileNotFoundError:
        raise no_such_file_error(source) from None
    except IsADirectoryError:
        raise DataError("is_a_directory", source=source) from None
    except PermissionError:
        raise DataError("no_permission", source=source) from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise DataError("bad_gzip", source=Path(source).name) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError("unreadable_file", source=source, reason=reason) from None


def bad_parquet_error(path: str, name: str | None = None) -> DataError:
    """Return the error for a Parquet file that DuckDB or Arrow could not read.

    Their errors do not tell a damaged file from one that the user may not read.
    """
    try:
        with convert_os_errors(name or path), Path(path).open("rb"):
            return DataError("bad_parquet", source=name or path)
    except DataError as error:
        return error


def check_file_name(path: str | os.PathLike[str]) -> None:
    """Raise an error for a path that no file can have: too long, or with a NUL character."""
    if "\n" in str(path):  # the text of a table, for which there is another message
        return
    try:
        os.stat(path)  # noqa: PTH116 - methods of Path raise other errors
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError("unreadable_file", source=str(path), reason=reason) from None


def is_folder(path: str | Path) -> bool:
    """Return whether a path is a folder; False if the system does not accept the path.

    An empty text is not a folder: an unset variable must not mean the current folder.
    """
    try:
        return path != "" and Path(path).is_dir()
    except (OSError, ValueError):  # a name that is too long
        return False


def is_file(path: str | Path) -> bool:
    """Return whether a path is a regular file, which can be read twice."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def path_exists(path: str | Path) -> bool:
    """Return whether a path exists."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def no_such_file_error(path: str) -> DataError:
    """Return the error for a missing file, with the most similar name in its folder."""
    file = Path(path)
    if path in EXAMPLES:
        return NoFileError("no_such_file_near", source=path, near=PREFIX + path)
    try:
        names = sorted(entry.name for entry in file.parent.iterdir())
    except OSError:
        names = []
    # Extensions are alike everywhere, so what comes before them must be near.
    by_stem = {Path(name).stem: name for name in reversed(names)}
    similar = closest_match(file.stem, by_stem)
    if similar is None:
        return NoFileError("no_such_file", source=path)
    similar = by_stem[similar]
    return NoFileError("no_such_file_near", source=path, near=str(file.with_name(similar)))


def decompress(data: bytes, name: str, limit: float | str | None = None) -> bytes:
    """Return decompressed data if it is gzip, otherwise the data itself."""
    if not data.startswith(GZIP_MAGIC):
        return data
    with gzip.open(io.BytesIO(data)) as stream:
        return read_all(cast("IO[bytes]", stream), name, limit)


class UnclosedStream(io.RawIOBase):
    """A stream that is not closed with its reader; bytes that were read before come first."""

    def __init__(self, stream: IO[bytes], before: bytes = b"") -> None:
        self._stream, self._before = stream, before

    def readable(self) -> bool:
        """Return True: the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - a buffer
        """Read the next bytes into a buffer; return their number."""
        data = self._before[: len(buffer)]
        if data:
            self._before = self._before[len(buffer) :]
        else:
            data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
