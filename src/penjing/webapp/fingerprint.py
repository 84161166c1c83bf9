"""A fingerprint of a table: the same for the same names, kinds, categories and cells."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from penjing.data.table import Table


def table_fingerprint(table: Table) -> str:
    """Return the SHA-256 of a table as it was read; it is the same on every machine.

    Examples
    --------
    >>> import penjing
    >>> rows = [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]
    >>> one, same, other = (penjing.read(r, "y") for r in (rows, rows, rows[::-1]))
    >>> table_fingerprint(one) == table_fingerprint(same) != table_fingerprint(other)
    True
    """
    digest = hashlib.sha256()
    columns = [*table.columns, *([] if table.target is None else [table.target])]
    for column in columns:
        levels: Any = None if column.is_numeric else list(column.levels)
        digest.update(canonical([column.name, column.kind, levels]).encode())
        if column.is_numeric:
            digest.update(np.ascontiguousarray(column.levels, "<f8").tobytes())
        digest.update(np.ascontiguousarray(column.codes, "<i4").tobytes())
    if table.weight is not None:
        digest.update(np.ascontiguousarray(table.weight, "<f8").tobytes())
    digest.update(canonical([table.n_rows, table.target is not None]).encode())
    return digest.hexdigest()


def canonical(plain: object) -> str:
    """Return plain data as JSON that is the same for equal data.

    Examples
    --------
    >>> canonical({"b": 1, "a": [None, "e"]})
    '{"a":[null,"e"],"b":1}'
    """
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), default=str)


def without_numpy(value: Any) -> Any:  # noqa: ANN401 - any setting
    """Return settings without NumPy's types, which neither a file nor a script can write.

    Examples
    --------
    >>> without_numpy({"max_depth": np.int64(3), "prior": (0.25, np.float64(0.75))})
    {'max_depth': 3, 'prior': [0.25, 0.75]}
    """
    if isinstance(value, Mapping):
        return {
            key.tolist() if isinstance(key, np.generic) else key: without_numpy(part)
            for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [without_numpy(part) for part in value]
    return value.tolist() if hasattr(value, "tolist") else value


def short_hash(*parts: str) -> str:
    """Return 32 hexadecimal digits that identify some texts.

    Examples
    --------
    >>> short_hash("a", "b") == short_hash("a", "b") != short_hash("ab")
    True
    """
    return hashlib.sha256(canonical(parts).encode()).hexdigest()[:32]
