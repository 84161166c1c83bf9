"""Opening a file, and what to say if it does not open."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from pathlib import Path

from penjing.errors import DataError, NoFileError, near

GZIP = b"\x1f\x8b"


def contents(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for "-"; gzip is undone."""
    if path == "-":
        return unzipped(piped(), "standard input")
    place = Path(path)
    try:
        data = place.read_bytes()
    except IsADirectoryError:
        raise DataError("is_a_directory", source=path) from None
    except PermissionError:
        key = "is_a_directory" if place.is_dir() else "no_permission"  # Windows denies folders
        raise DataError(key, source=path) from None
    except FileNotFoundError:
        raise absent(path) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError("unreadable_file", source=path, reason=reason) from None
    return unzipped(data, place.name)


def refuse_name(path: str | os.PathLike[str]) -> None:
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


def piped() -> bytes:
    """Return all that standard input holds."""
    if sys.stdin is None:
        raise DataError("stdin_closed")
    return sys.stdin.buffer.read()


def absent(path: str) -> DataError:
    """Make the error for a file that is not there, with the near miss in its folder."""
    place = Path(path)
    try:
        names = sorted(entry.name for entry in place.parent.iterdir())
    except OSError:
        names = []
    close = near(place.name, names)
    if close is None:
        return NoFileError("no_such_file", source=path)
    return NoFileError("no_such_file_near", source=path, near=str(place.with_name(close)))


def unzipped(data: bytes, name: str) -> bytes:
    """Return data as it was before gzip, if it was."""
    if not data.startswith(GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        raise DataError("bad_gzip", source=name) from None
