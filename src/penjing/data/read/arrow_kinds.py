"""What the types of Arrow are to a tree: whole numbers, numbers, truth values, moments, texts.

Columns of a Parquet file come by DuckDB where they fit memory, and by Arrow where they do not.
Here Arrow's values become those that DuckDB shows, so that both are one table.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from typing import Any, Literal

from penjing.data.read.python_rows import plain_value

Kind = Literal["whole", "number", "truth", "moment", "text", "nested"]

UUID = "arrow.uuid"


def arrow_kind(of: Any) -> Kind:  # noqa: ANN401 - a type of Arrow
    """Return what a type is to a tree."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    kinds = pa.types
    if kinds.is_dictionary(of):
        return arrow_kind(of.value_type)
    if isinstance(of, pa.BaseExtensionType):
        return "text" if of.extension_name == UUID else arrow_kind(of.storage_type)
    if kinds.is_integer(of) or kinds.is_duration(of):  # Parquet itself has no durations
        return "whole"
    if kinds.is_floating(of) or kinds.is_decimal(of):
        return "number"
    if kinds.is_boolean(of):
        return "truth"
    if kinds.is_date(of) or kinds.is_timestamp(of):
        return "moment"
    return "nested" if kinds.is_nested(of) else "text"


def arrow_numbers(array: Any) -> Any:  # noqa: ANN401 - arrays of Arrow
    """Return a column of numbers as integers or doubles; a decimal is the nearest double."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    array = _storage_array(array)
    if pa.types.is_decimal(array.type):
        return array.cast(pa.string()).cast(pa.float64())  # by its digits: a quotient rounds twice
    return array.cast(pa.int64()) if pa.types.is_duration(array.type) else array


def arrow_texts(array: Any) -> Any:  # noqa: ANN401 - arrays of Arrow
    """Return a column that holds no numbers as places in a list of texts; see `parse_texts`."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    is_uuid = getattr(array.type, "extension_name", None) == UUID
    array = _storage_array(array)
    kinds, of = pa.types, array.type
    if kinds.is_dictionary(of):
        return array
    if kinds.is_nested(of) or kinds.is_null(of):  # it has no value: others were refused
        return pa.nulls(len(array), pa.string()).dictionary_encode()
    if kinds.is_string(of) or kinds.is_boolean(of) or kinds.is_large_string(of):
        return array.cast(pa.string()).dictionary_encode()
    if arrow_kind(of) == "moment":
        array = array.cast(pa.timestamp("us"), safe=False)
    coded = array.dictionary_encode()
    words = [_value_text(word, is_uuid=is_uuid) for word in coded.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(coded.indices, pa.array(words, pa.string()))


def _storage_array(array: Any) -> Any:  # noqa: ANN401 - arrays of Arrow
    """Return a column without what is only said about it: a list of its values, a name."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_dictionary(array.type) and not pa.types.is_string(array.type.value_type):
        return _storage_array(array.dictionary_decode())
    return array


def _value_text(word: Any, *, is_uuid: bool) -> str | None:  # noqa: ANN401 - what Arrow makes of a value
    if isinstance(word, bytes) and is_uuid:
        return str(uuid.UUID(bytes=word))
    if isinstance(word, dt.datetime):
        return word.isoformat()
    plain = plain_value(word)
    return None if plain is None else str(plain)


def parse_texts(words: Sequence[str], kind: str) -> list[Any]:
    """Return the values that texts stand for.

    Examples
    --------
    >>> parse_texts(["true", "false"], "truth"), parse_texts(["2024-02-29T00:00:00"], "moment")
    ([True, False], [datetime.datetime(2024, 2, 29, 0, 0)])
    """
    if kind == "truth":
        return [word == "true" for word in words]
    if kind == "moment":
        return [dt.datetime.fromisoformat(word) for word in words]
    return [*words]


def first_nested_value(array: Any) -> tuple[int, Any] | None:  # noqa: ANN401 - arrays of Arrow
    """Return the first value of a nested column, and where it is; None if it has none."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.compute as pc  # noqa: PLC0415

    at = pc.index(array.is_valid(), True).as_py()
    if at < 0:
        return None
    value = array[at].as_py()
    return at, dict(value) if pa.types.is_map(array.type) else value
