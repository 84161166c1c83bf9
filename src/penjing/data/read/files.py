"""Opening a file, within the memory there is, and what to say if it does not open.

What is read whole is counted by what it unpacks to, before it is kept: a small gzip file may hold
more than any memory does, and a pipe or a device need not end at all.
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
from penjing.data.scratch import format_bytes
from penjing.errors import DataError, NoFileError, PenjingError, closest_match

GZIP_MAGIC = b"\x1f\x8b"
STDIN = "standard input"
CHUNK_BYTES = 1 << 20
"""So many bytes are read at a time."""
MEMORY_PER_BYTE = 2
"""A byte that is read takes at least so many in memory: as a byte, and as a character."""


def read_file(path: str, limit: float | str | None = None) -> bytes:
    """Return the bytes of a file, or of standard input for "-"; gzip is undone.

    More than ``limit`` (a number of bytes, "2GB"; half of the free memory) are refused.
    """
    with open_decompressed(path) as stream:
        return read_all(stream, STDIN if path == "-" else path, limit)


def max_read_bytes(limit: float | str | None = None) -> int:
    """Return how many bytes may be read into memory."""
    return memory_bytes(limit) // MEMORY_PER_BYTE


def read_all(stream: IO[bytes], source: str, limit: float | str | None = None) -> bytes:
    """Return all that a stream holds, unless it is more than memory may hold."""
    most, size, pieces = max_read_bytes(limit), 0, []
    with convert_os_errors(source):
        if known := _file_size(stream):
            if known > most:
                raise too_large_error(source, most)
            return stream.read()
        while piece := stream.read(CHUNK_BYTES):
            size += len(piece)
            if size > most:
                raise too_large_error(source, most)
            pieces.append(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _file_size(stream: IO[bytes]) -> int:
    """Return the size of a file as it is, 0 of anything else: what is packed, or has no end."""
    if not isinstance(stream, io.BufferedReader):
        return 0
    with suppress(OSError, ValueError):
        found = os.fstat(stream.fileno())
        return found.st_size if stat.S_ISREG(found.st_mode) else 0
    return 0


def too_large_error(source: str, most: int) -> DataError:
    """Make the error for a source that holds more than may be read."""
    return DataError("too_much_to_read", source=source, limit=format_bytes(most))


def decompressed_size(path: str, most: int) -> int:
    """Return how many bytes a gzip file unpacks to, about: counted up to ``most``, then reckoned.

    Nothing is kept, so a file that unpacks to more than memory holds does no harm.
    """
    size, packed = 0, Path(path).stat().st_size
    with convert_os_errors(path), Path(path).open("rb") as raw, gzip.open(raw) as stream:
        while piece := stream.read(CHUNK_BYTES):
            size += len(piece)
            if size > most:
                return max(size, size * packed // max(raw.tell(), 1))
    return size


def is_gzip(path: str) -> bool:
    """Say whether a file is one of gzip, whatever it is called."""
    with suppress(OSError), Path(path).open("rb") as file:
        return file.read(2) == GZIP_MAGIC
    return False


@contextmanager
def open_decompressed(path: str) -> Iterator[IO[bytes]]:
    """Open a file or standard input; gzip is undone."""
    name = STDIN if path == "-" else path
    with open_raw(path) as raw:
        with convert_os_errors(name):
            is_zipped = raw.peek(2)[:2] == GZIP_MAGIC
        if is_zipped:
            with gzip.open(raw) as plain:
                yield cast("IO[bytes]", plain)
        else:
            yield raw


def open_raw(path: str) -> io.BufferedReader:
    """Open a file or standard input as it is; a device, which need not end, is refused."""
    if path == "-":
        if sys.stdin is None:
            raise DataError("stdin_closed")
        number = None
        with suppress(OSError, ValueError):  # a stream of somebody's own has none
            number = sys.stdin.fileno()
        if number is not None:
            _check_not_device(number, STDIN)
        return io.BufferedReader(UnclosedStream(sys.stdin.buffer), 1 << 16)
    arguments.path("path", path)
    with convert_os_errors(path):
        if is_folder(path):  # Windows denies folders instead of saying what they are
            raise DataError("is_a_directory", source=path)
        file = Path(path).open("rb")  # noqa: SIM115 - whoever asked for it closes it
    try:
        _check_not_device(file.fileno(), path)
    except BaseException:
        file.close()
        raise
    return file


def _check_not_device(number: int, name: str) -> None:
    """Refuse an open device, but for a terminal, where somebody types, and one that is empty."""
    found = os.fstat(number)
    if stat.S_ISBLK(found.st_mode):
        raise DataError("is_a_device", source=name)
    if stat.S_ISCHR(found.st_mode) and not os.isatty(number):
        is_null = found.st_rdev == Path(os.devnull).stat().st_rdev
        if not is_null:
            raise DataError("is_a_device", source=name)


def read_stdin(limit: float | str | None = None) -> bytes:
    """Return all that standard input holds, as it is."""
    with open_raw("-") as raw:
        return read_all(raw, STDIN, limit)


@contextmanager
def convert_os_errors(source: str) -> Iterator[None]:
    """Turn what the system refuses into a sentence that names the file."""
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


def check_file_name(path: str | os.PathLike[str]) -> None:
    """Refuse a name that no file can have: too long, or with a NUL in it."""
    if "\n" in str(path):  # a table as text, of which another sentence is said
        return
    try:
        os.stat(path)  # noqa: PTH116 - a Path's own questions raise as well
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError("unreadable_file", source=str(path), reason=reason) from None


def is_folder(path: str | Path) -> bool:
    """Say whether a path is a folder; one that the system refuses to look at is none.

    Nor is an empty text: a variable that was not set must not stand for the current folder.
    """
    try:
        return path != "" and Path(path).is_dir()
    except (OSError, ValueError):  # a name that is too long
        return False


def is_file(path: str | Path) -> bool:
    """Say whether a path is a file that can be read twice: no folder, pipe or device."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def path_exists(path: str | Path) -> bool:
    """Say whether there is anything by this name."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def no_such_file_error(path: str) -> DataError:
    """Make the error for a file that is not there, with the near miss in its folder."""
    place = Path(path)
    try:
        names = sorted(entry.name for entry in place.parent.iterdir())
    except OSError:
        names = []
    close = closest_match(place.name, names)
    if close is None:
        return NoFileError("no_such_file", source=path)
    return NoFileError("no_such_file_near", source=path, near=str(place.with_name(close)))


def decompress(data: bytes, name: str, limit: float | str | None = None) -> bytes:
    """Return data as it was before gzip, if it was."""
    if not data.startswith(GZIP_MAGIC):
        return data
    with gzip.open(io.BytesIO(data)) as stream:
        return read_all(cast("IO[bytes]", stream), name, limit)


class UnclosedStream(io.RawIOBase):
    """A stream that somebody else closes, after some bytes that were read from it before."""

    def __init__(self, stream: IO[bytes], before: bytes = b"") -> None:
        self._stream, self._before = stream, before

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, room: Any) -> int:  # noqa: ANN401 - a buffer
        """Read what there is into a buffer."""
        found = self._before[: len(room)]
        if found:
            self._before = self._before[len(room) :]
        else:
            found = self._stream.read(len(room))
        room[: len(found)] = found
        return len(found)
