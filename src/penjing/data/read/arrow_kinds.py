"""Arrow types as the kinds of columns that a tree knows, and Arrow values as DuckDB returns them.

Parquet columns are read with DuckDB if they fit in memory and with Arrow otherwise. The functions
here convert Arrow's values to the ones that DuckDB returns, so that both give the same table.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from typing import Any, Literal

from penjing.data.read.arrow_schema import UNITS_PER_SECOND
from penjing.data.read.python_rows import plain_value

Kind = Literal["whole", "number", "truth", "moment", "text", "nested"]

UUID = "arrow.uuid"


def arrow_kind(arrow_type: Any) -> Kind:  # noqa: ANN401 - a type of Arrow
    """Return the kind of column that an Arrow type stands for."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    types = pa.types
    if types.is_dictionary(arrow_type):
        return arrow_kind(arrow_type.value_type)
    if isinstance(arrow_type, pa.BaseExtensionType):
        return "text" if arrow_type.extension_name == UUID else arrow_kind(arrow_type.storage_type)
    if types.is_integer(arrow_type):
        return "whole"
    if any(is_of(arrow_type) for is_of in (types.is_floating, types.is_decimal, types.is_duration)):
        return "number"
    if types.is_boolean(arrow_type):
        return "truth"
    if types.is_date(arrow_type) or types.is_timestamp(arrow_type):
        return "moment"
    return "nested" if types.is_nested(arrow_type) else "text"


def is_duration(arrow_type: Any) -> bool:  # noqa: ANN401 - a type of Arrow
    """Return whether an Arrow type is a length of time."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    return bool(pa.types.is_duration(arrow_type))


def arrow_numbers(array: Any) -> Any:  # noqa: ANN401 - arrays of Arrow
    """Return a column of numbers as integers or doubles.

    A decimal is the nearest double, a duration its seconds.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    array = _storage_array(array)
    if pa.types.is_decimal(array.type):
        # By its digits, since dividing them by a power of ten would round twice.
        return array.cast(pa.string()).cast(pa.float64())
    if pa.types.is_duration(array.type):
        import pyarrow.compute as pc  # noqa: PLC0415 - heavy

        units = array.cast(pa.int64()).cast(pa.float64(), safe=False)
        return pc.divide(units, float(UNITS_PER_SECOND[array.type.unit]))
    return array


def arrow_texts(array: Any) -> Any:  # noqa: ANN401 - arrays of Arrow
    """Return a column without numbers as a dictionary of texts; `parse_texts` is the reverse."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    is_uuid = getattr(array.type, "extension_name", None) == UUID
    array = _storage_array(array)
    types, arrow_type = pa.types, array.type
    if types.is_dictionary(arrow_type):
        return array
    # A nested column has no value here: others were refused before.
    if types.is_nested(arrow_type) or types.is_null(arrow_type):
        return pa.nulls(len(array), pa.string()).dictionary_encode()
    if (
        types.is_string(arrow_type)
        or types.is_boolean(arrow_type)
        or types.is_large_string(arrow_type)
    ):
        return array.cast(pa.string()).dictionary_encode()
    if arrow_kind(arrow_type) == "moment":
        array = _local_times(array).cast(pa.timestamp("us"), safe=False)
    encoded = array.dictionary_encode()
    texts = [_value_text(value, is_uuid=is_uuid) for value in encoded.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(encoded.indices, pa.array(texts, pa.string()))


def _local_times(array: Any) -> Any:  # noqa: ANN401 - arrays of Arrow
    """Return times as they are in their time zone; times of an unknown zone stay in UTC."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.compute as pc  # noqa: PLC0415 - heavy

    if getattr(array.type, "tz", None) is None:
        return array
    try:
        return pc.local_timestamp(array)
    except pa.ArrowInvalid:
        return array


def _storage_array(array: Any) -> Any:  # noqa: ANN401 - arrays of Arrow
    """Return an array without chunks, extension type and dictionary (unless it is of texts)."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_dictionary(array.type) and not pa.types.is_string(array.type.value_type):
        return _storage_array(array.dictionary_decode())
    return array


def _value_text(value: Any, *, is_uuid: bool) -> str | None:  # noqa: ANN401 - what Arrow makes of a value
    if isinstance(value, bytes) and is_uuid:
        return str(uuid.UUID(bytes=value))
    if isinstance(value, dt.datetime):
        return value.isoformat()
    plain = plain_value(value)
    return None if plain is None else str(plain)


def parse_texts(texts: Sequence[str], kind: str) -> list[Any]:
    """Return the values that the texts of `arrow_texts` stand for.

    Examples
    --------
    >>> parse_texts(["true", "false"], "truth"), parse_texts(["2024-02-29T00:00:00"], "moment")
    ([True, False], [datetime.datetime(2024, 2, 29, 0, 0)])
    """
    if kind == "truth":
        return [text == "true" for text in texts]
    if kind == "moment":
        return [dt.datetime.fromisoformat(text) for text in texts]
    return [*texts]


def first_nested_value(array: Any) -> tuple[int, Any] | None:  # noqa: ANN401 - arrays of Arrow
    """Return the row and the value of the first value of a nested column; None if it has none."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.compute as pc  # noqa: PLC0415

    row = pc.index(array.is_valid(), True).as_py()
    if row < 0:
        return None
    value = array[row].as_py()
    return row, dict(value) if pa.types.is_map(array.type) else value
