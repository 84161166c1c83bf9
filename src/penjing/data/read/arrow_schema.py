"""The durations and time zones in a Parquet file, from the Arrow schema in its footer.

Parquet has no type for durations and no time zones. Arrow writes integers and times in UTC, and
the unit and the zone only in its own schema. Arrow is not needed here: a file is then read the
same way whether it is installed or not.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F")

SCHEMA_KEY = b"ARROW:schema"
_CONTINUATION = b"\xff\xff\xff\xff"
_SCHEMA, _TIMESTAMP, _DURATION = 1, 10, 18
"""The numbers of a message with a schema, and of two types, in Arrow's format."""
_MILLISECOND = 1
"""The unit of a duration that does not state one."""
UNITS_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""In the order in which Arrow numbers them."""


def duration_units(encoded: bytes) -> dict[str, int]:
    """Return the columns of durations with the number of their units in a second.

    A schema that cannot be decoded has none: the integers are then all that the file states.

    Parameters
    ----------
    encoded : bytes
        What the file has for ``ARROW:schema``: a message of Arrow in base64.

    Examples
    --------
    >>> import base64
    >>> import pyarrow as pa
    >>> schema = pa.schema({"wait": pa.duration("ms"), "age": pa.int64()})
    >>> duration_units(base64.b64encode(schema.serialize().to_pybytes()))
    {'wait': 1000}
    """
    units = [*UNITS_PER_SECOND.values()]
    return _of_type(encoded, _DURATION, lambda kind: units[kind.number(0, _MILLISECOND)])


def time_zones(encoded: bytes) -> dict[str, str]:
    """Return the columns of times that have a time zone, with its name or its offset.

    Parameters
    ----------
    encoded : bytes
        As in `duration_units`.

    Examples
    --------
    >>> import base64
    >>> import pyarrow as pa
    >>> schema = pa.schema({"at": pa.timestamp("us", "Asia/Shanghai"), "day": pa.timestamp("us")})
    >>> time_zones(base64.b64encode(schema.serialize().to_pybytes()))
    {'at': 'Asia/Shanghai'}
    """
    zones = _of_type(encoded, _TIMESTAMP, lambda kind: kind.text(1))
    return {name: zone for name, zone in zones.items() if zone}


def _of_type(encoded: bytes, wanted: int, facts: Callable[[_Record], F]) -> dict[str, F]:
    """Return facts about the columns of one type; none if the schema cannot be decoded."""
    try:
        data = base64.b64decode(encoded)
        start = 8 if data.startswith(_CONTINUATION) else 4
        message = _Record(data, start + _offset(data, start))
        if message.number(1) != _SCHEMA or (schema := message.record(2)) is None:
            return {}
        return {
            field.text(0): facts(kind)
            for field in schema.records(1)
            if field.number(2) == wanted and (kind := field.record(3)) is not None
        }
    except (binascii.Error, struct.error, IndexError, ValueError):
        return {}


class _Record:
    """A table of FlatBuffers, the encoding of Arrow's schemas: fields found by their number."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data, self._start = data, start
        (back,) = struct.unpack_from("<i", data, start)
        self._index = start - back
        (self._size,) = struct.unpack_from("<H", data, self._index)

    def number(self, field: int, default: int = 0) -> int:
        """Return a number; those read here are below 256."""
        at = self._place(field)
        return default if at is None else self._data[at]

    def text(self, field: int) -> str:
        """Return a text, an empty one if it is left out."""
        at = self._target(field)
        if at is None:
            return ""
        size = _offset(self._data, at)
        return self._data[at + 4 : at + 4 + size].decode()

    def record(self, field: int) -> _Record | None:
        """Return a record in this one, None if it is left out."""
        at = self._target(field)
        return None if at is None else _Record(self._data, at)

    def records(self, field: int) -> list[_Record]:
        """Return a list of records."""
        at = self._target(field)
        n = 0 if at is None else min(_offset(self._data, at), len(self._data) // 4)
        places = [(at or 0) + 4 + 4 * i for i in range(n)]
        return [_Record(self._data, place + _offset(self._data, place)) for place in places]

    def _target(self, field: int) -> int | None:
        at = self._place(field)
        return None if at is None else at + _offset(self._data, at)

    def _place(self, field: int) -> int | None:
        """Return where a field is, None if it is left out."""
        entry = 4 + 2 * field
        if entry >= self._size:
            return None
        (relative,) = struct.unpack_from("<H", self._data, self._index + entry)
        return self._start + relative if relative else None


def _offset(data: bytes, at: int) -> int:
    (value,) = struct.unpack_from("<I", data, at)
    return int(value)
