"""The rows of some nodes of a tree that is being changed, held from one request to the next."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sized
from typing import Any, Protocol


class NodeRows(Protocol):
    """The rows of a node as an engine has them."""

    @property
    def ids(self) -> Sized:
        """The row numbers."""


class HeldRows:
    """The rows of some nodes; the tree drops those of a node that gets other rows.

    Only one engine uses it: rows are as that engine has them.

    Examples
    --------
    >>> import numpy as np
    >>> from penjing.engines.memory import Rows
    >>> held = HeldRows()
    >>> held.hold(3, Rows(np.arange(4), None), limit=5)
    >>> held.hold(4, Rows(np.arange(2), None), limit=5)  # 6 rows are too many
    >>> held.get(3) is None, held.get(4) is None
    (False, True)
    """

    def __init__(self) -> None:
        self._rows: dict[int, Any] = {}
        self._n_ids = 0

    def get(self, node: int) -> Any:  # noqa: ANN401 - an engine's own type
        """Return the rows of a node, None if they are not held."""
        return self._rows.get(node)

    def hold(self, node: int, rows: NodeRows, limit: int) -> None:
        """Hold the rows of a node, unless more than ``limit`` row numbers would be held."""
        n_ids = self._n_ids + len(rows.ids)
        if n_ids <= limit and node not in self._rows:
            self._rows[node], self._n_ids = rows, n_ids

    def drop(self, nodes: Iterable[int]) -> None:
        """Drop the rows of these nodes."""
        if self._rows:
            for node in nodes:
                rows = self._rows.pop(node, None)
                if rows is not None:
                    self._n_ids -= len(rows.ids)


class HeldOutside(HeldRows):
    """The held rows as a variant of the tree sees them, in which some nodes have other rows.

    Parameters
    ----------
    held : HeldRows
        The rows of the tree.
    changed : container of int
        The nodes that have other rows.
    """

    def __init__(self, held: HeldRows, changed: Container[int]) -> None:
        super().__init__()
        self._held = held
        self._changed = changed

    def get(self, node: int) -> Any:  # noqa: ANN401 - an engine's own type
        """Return the rows of a node, None if they are not held."""
        return None if node in self._changed else self._held.get(node)

    def hold(self, node: int, rows: NodeRows, limit: int) -> None:
        """Hold the rows of a node, if they are those that it has in the tree."""
        if node not in self._changed:
            self._held.hold(node, rows, limit)
