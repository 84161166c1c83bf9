"""Which door a source comes in by."""

from __future__ import annotations

import gzip
import hashlib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from penjing.errors import DataError, near
from penjing.read.cells import Sheet
from penjing.read.decode import decode
from penjing.read.delimited import delimited
from penjing.table import Note


def gathered(
    source: Any,  # noqa: ANN401
    *,
    encoding: str | None = None,
    name: str | None = None,
    names: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    separator: str | None = None,
    target: str | None = None,
) -> Sheet:
    """Return the columns of any source, not yet judged."""
    if isinstance(source, (str, Path)):
        data, called = _file(str(source))
    elif isinstance(source, (bytes, bytearray, memoryview)):
        data, called = bytes(source), "bytes"
    elif hasattr(source, "read"):
        data, called = source.read(), str(getattr(source, "name", "stream"))
    else:
        raise DataError("unknown_source", kind=type(source).__name__)
    called = name or called
    digest = hashlib.sha256(data).hexdigest()
    text, codec, reason = decode(data, called, encoding)
    sheet = delimited(text, called, separator, names)
    sheet.source |= {"encoding": codec, "encoding_reason": reason, "sha256": digest}
    if codec != "UTF-8" and reason != "told":
        sheet.notes.insert(0, Note("note_encoding", {"source": called, "encoding": codec}))
    return sheet


def _file(path: str) -> tuple[bytes, str]:
    if path == "-":
        return sys.stdin.buffer.read(), "standard input"
    place = Path(path)
    try:
        data = place.read_bytes()
    except IsADirectoryError:
        raise DataError("is_a_directory", source=path) from None
    except PermissionError:
        raise DataError("no_permission", source=path) from None
    except FileNotFoundError:
        close = near(place.name, [p.name for p in place.parent.glob("*")])
        if close:
            raise DataError("no_such_file_near", source=path, near=close) from None
        raise DataError("no_such_file", source=path) from None
    except OSError as error:
        raise DataError("unreadable_file", source=path, reason=error.strerror) from None
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data), place.name
