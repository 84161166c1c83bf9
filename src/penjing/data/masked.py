"""Tables in which some columns tell nothing: every row has the same value."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from penjing.data.table import Column, Table


def masked(table: Table, names: Collection[str]) -> Table:
    """Return a table with the same columns, of which some cannot divide any rows.

    Parameters
    ----------
    table : Table
        The table; it is not changed.
    names : collection of str
        The names of the columns that are masked.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> table = Table((nominal("a", ["x", "y"]), nominal("b", [1, 0])), None, 2)
    >>> [column.values() for column in masked(table, ["a"]).columns]
    [['x', 'x'], [1, 0]]
    """
    if not names:
        return table
    columns = tuple(_constant(c, table.n_rows) if c.name in names else c for c in table.columns)
    return replace(table, columns=columns)


def _constant(column: Column, n_rows: int) -> Column:
    levels = np.zeros(1) if column.is_numeric else column.levels
    codes = np.zeros(n_rows, np.int32) if len(levels) else np.full(n_rows, -1, np.int32)
    return Column(column.name, column.kind, levels, codes)
