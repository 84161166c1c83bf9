"""Where the training rows of a tree can be read again; only small tables are kept in memory."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from penjing.data.checksum import table_checksum
from penjing.data.read import read
from penjing.data.read.given_weights import weight_values
from penjing.data.source import Weights
from penjing.data.table import Table
from penjing.errors import PenjingError
from penjing.grow.recipe import Recipe

KEPT_CELLS = 200_000
"""Tables of at most this many cells are kept: ``fit(pandas.read_csv(…), "y").why()`` explains."""


class TrainingRows:
    """The source of a tree's training rows: a path, or a weak reference to what `fit` was given.

    A small table is kept besides, for data that nobody else holds.

    Parameters
    ----------
    data, target, schema, weight
        As in :func:`penjing.fit`.
    """

    def __init__(
        self,
        data: Any,  # noqa: ANN401 - any source
        target: Any,  # noqa: ANN401 - a name, or the values
        schema: Mapping[str, Any] | None,
        weight: Weights | None,
    ) -> None:
        self._data, self._target = _reference(data), _reference(target)
        self._weight, self._has_weight = _reference(weight), weight is not None
        self._has_labels = target is not None and not isinstance(target, str)
        self._options: dict[str, Any] = {"schema": schema}
        self._checksum: int | None = None
        self._kept: Table | None = None
        self.recipe: Recipe | None = None
        """The recipe as `fit` was given it; it may have a criterion that no model file can hold."""

    def record(self, table: Table, recipe: Recipe) -> None:
        """Record what is trained from: rows that are read again later must be the same."""
        self.recipe = recipe
        if not isinstance(self._data(), Table) or self._has_weight:  # tables do not change
            self._checksum = table_checksum(table)
        is_small = table.n_rows * (len(table.columns) + 1) <= KEPT_CELLS
        if is_small and (self._checksum is not None or isinstance(self._data(), Table)):
            self._kept = table

    def is_unchanged(self, table: Table) -> bool | None:
        """Whether rows that were read again are those of training; None if that is not known."""
        if self._data() is table or (table is self._kept and self._checksum is None):
            return True
        return None if self._checksum is None else table_checksum(table) == self._checksum

    def kept(self) -> Table | None:
        """Return the table that was kept, unless an array that it shares has been changed since."""
        table = self._kept
        return table if table is not None and self.is_unchanged(table) else None

    def read(self) -> Table | None:
        """Return the rows as they are now; None if they are gone, or cannot be read again."""
        data, target, weight = self._data(), self._target(), self._weight()
        is_gone = (weight is None and self._has_weight) or (target is None and self._has_labels)
        return None if data is None or is_gone else self.read_from(data, target, weight)

    def read_from(self, data: Any, target: Any, weight: Weights | None) -> Table | None:  # noqa: ANN401
        """Return the rows of what `fit` was given; None if they cannot be read again."""
        if isinstance(data, Table) and weight is None:
            return data
        try:
            if isinstance(data, Table):
                return replace(data, weight=weight_values(weight, data.n_rows, "table"))
            if target is None or isinstance(target, str):
                return read(data, target, weight=weight, **self._options)
            return read(data, None, labels=target, weight=weight, **self._options)
        except PenjingError:
            return None


def _reference(value: Any) -> Callable[[], Any]:  # noqa: ANN401 - any source
    """Return a function that returns a value while somebody else holds it, then None."""
    if value is None or isinstance(value, str | Path):
        return lambda: value
    try:
        return weakref.ref(value)
    except TypeError:  # lists and dicts
        return lambda: None
