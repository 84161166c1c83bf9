"""Lists of records as columns, which take less than half the bytes in a model file.

A column is a list with a value for each record; one value, if all are the same; or an object with
the different ``values`` and the ``codes`` of the records among them, -1 where a record lacks the
key. The writer takes the shortest of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

MAX_COLUMNS = 16
"""Records with more keys stay a list: a column of one value has no length to limit it."""
ABSENT = -1
"""The code of a record that lacks the key."""
_LIST, _EACH, _CODED = "a list", "one for each node", "values and codes"
_USED = "only values that a code has"
_NOT_TOO_MANY = f"at most {MAX_COLUMNS} columns"


class ColumnError(ValueError):
    """A column that cannot be read.

    Parameters
    ----------
    expected : str
        What was expected.
    *at : str or int
        Where: the keys and indices that lead there from the columns.
    """

    def __init__(self, expected: str, *at: str | int) -> None:
        super().__init__(expected, *at)
        self.expected = expected
        self.at = "".join(f".{key}" if isinstance(key, str) else f"[{key}]" for key in at)


def to_columns(records: Sequence[Mapping[str, Any]], first: str) -> dict[str, Any] | None:
    """Return records as columns, None if they must stay a list.

    Parameters
    ----------
    records : sequence of dict
        Plain data; keys may be absent.
    first : str
        A key that every record has; its column is always a list, which has a length.

    Examples
    --------
    >>> to_columns([{"node": 4, "why": "worse"}, {"node": 2, "why": "worse", "rows": 12}], "node")
    {'node': [4, 2], 'why': 'worse', 'rows': {'values': [12], 'codes': [-1, 0]}}
    """
    keys = dict.fromkeys(key for record in records for key in record)
    if len(keys) > MAX_COLUMNS or not all(first in record for record in records):
        return None
    columns = {first: [record[first] for record in records]}
    for key in keys:
        if key != first:
            columns[key] = _column(records, key)
    return columns


def _column(records: Sequence[Mapping[str, Any]], key: str) -> Any:  # noqa: ANN401 - plain data
    """Return the shortest form of a column."""
    has_all = all(key in record for record in records)
    code_of: dict[str, int] = {}
    values: list[Any] = []
    codes: list[int] = []
    size_of_list = 0
    for record in records:
        if key not in record:
            codes.append(ABSENT)
            continue
        text = _TEXT.encode(record[key])  # 1, 1.0 and true are equal, but not the same
        size_of_list += len(text) + 1
        if text not in code_of:
            code_of[text] = len(values)
            values.append(record[key])
        codes.append(code_of[text])
    if has_all and len(values) == 1 and not isinstance(values[0], list | dict):
        return values[0]
    coded = {"values": values, "codes": codes}
    if has_all and size_of_list <= len(_TEXT.encode(coded)):
        return [record[key] for record in records]
    return coded


_TEXT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def from_columns(columns: Mapping[str, Any], first: str) -> list[dict[str, Any]]:
    """Return the records of columns.

    Raises
    ------
    ColumnError
        If columns have different lengths, or codes that are none.

    Examples
    --------
    >>> rows = {"values": [12], "codes": [-1, 0]}
    >>> from_columns({"node": [4, 2], "why": "worse", "rows": rows}, "node")
    [{'node': 4, 'why': 'worse'}, {'node': 2, 'why': 'worse', 'rows': 12}]
    """
    length_of = columns.get(first)
    if not isinstance(length_of, list):
        raise ColumnError(_LIST, first)
    if len(columns) > MAX_COLUMNS:
        raise ColumnError(_NOT_TOO_MANY)
    records: list[dict[str, Any]] = [{} for _ in length_of]
    for key, column in columns.items():
        values, codes = _decoded(key, column, len(length_of))
        if codes is None:
            for record, value in zip(records, values, strict=True):
                record[key] = value
        else:
            for record, code in zip(records, codes, strict=True):
                if code != ABSENT:
                    record[key] = values[code]
    return records


def _decoded(
    key: str,
    column: Any,  # noqa: ANN401 - unchecked input
    n: int,
) -> tuple[Sequence[Any], Sequence[int] | None]:
    """Return the values of a column, and the codes of the records among them.

    Without codes there is a value for each record.
    """
    if not isinstance(column, list | dict):
        return [column], [0] * n
    if isinstance(column, list):
        if len(column) != n:
            raise ColumnError(_EACH, key)
        return column, None
    return _coded(key, column, n)


def _coded(key: str, column: Mapping[str, Any], n: int) -> tuple[list[Any], list[int]]:
    """Return the values and the codes of a column that has them."""
    if column.keys() != {"values", "codes"}:
        raise ColumnError(_CODED, key)
    values, codes = column["values"], column["codes"]
    for name, part in column.items():
        if not isinstance(part, list):
            raise ColumnError(_LIST, key, name)
    if len(codes) != n:
        raise ColumnError(_EACH, key, "codes")
    for i, code in enumerate(codes):
        if type(code) is not int or not ABSENT <= code < len(values):
            expected = f"a whole number from {ABSENT} to {len(values) - 1}"
            raise ColumnError(expected, key, "codes", i)
    if len(set(codes) - {ABSENT}) < len(values):
        raise ColumnError(_USED, key, "values")
    return values, codes
