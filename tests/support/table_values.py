"""All that a table holds as plain values, so that two ways of reading can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np

import penjing
from penjing.data.encode.coded import Wants, coded
from penjing.data.read.column_notes import COUNTED
from penjing.errors import PenjingError


def told(table: penjing.Table) -> dict[str, Any]:
    """Return all that a table says, as plain values with their types."""
    columns = [*table.columns, *([] if table.target is None else [table.target])]
    levels = [column.levels for column in columns if not column.is_numeric]
    return {
        "names": [column.name for column in columns],
        "kinds": [column.kind for column in columns],
        "levels": [[(type(x).__name__, repr(x)) for x in some] for some in levels],
        "cells": [cells(column) for column in columns],
        "left out": list(table.left_out),
        "rows": table.n_rows,
        "numbers": None if table.row_numbers is None else table.row_numbers.tolist(),
        "weight": None if table.weight is None else table.weight.tolist(),
        "notes": [(n.key, dict(n.values)) for n in table.notes if n.key not in COUNTED],
        "source": {k: v for k, v in table.source.items() if k != "bytes_per_row"},
    }


def cells(column: Any) -> list[Any]:
    """Return the codes of a column, or its numbers to the last bit."""
    if column.is_numeric:
        return [None if np.isnan(v) else float(v).hex() for v in column.numbers().tolist()]
    return np.asarray(column.codes).tolist()


def seen(work: Any) -> Any:
    """Return what some work finds, or the sentence by which it refuses."""
    try:
        return work()
    except PenjingError as problem:
        return f"{type(problem).__name__}: {problem}"


def in_memory(path: Any, target: str | None = None, **wants: Any) -> Any:
    """Return what the reader says of a file."""
    schema = wants.pop("schema", None)
    return seen(lambda: told(penjing.read(str(path), target, schema, **wants)))


def on_disk(path: Any, target: str | None = None, **wants: Any) -> Any:
    """Return what the store of the disk engine says of a file."""

    def work() -> Any:
        table, space = coded(str(path), Wants(target, **wants))
        try:
            return told(table)
        finally:
            space.close()

    return seen(work)
