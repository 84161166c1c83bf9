"""Progress of growing a tree, for progress bars and callbacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of growing a tree.

    Parameters
    ----------
    row_levels : int
        Rows scanned so far, counted once per level of the tree; proportional to the work.
    n_placed : int
        Rows that are in a leaf.
    n_rows : int
        The number of rows.
    n_leaves : int
        The number of leaves so far.
    generation : int
        The number of levels that have been split; 0 if the tree is not grown level by level.
    n_open : int
        The number of nodes that are still to be split; 0 if it is not known.
    is_reading : bool
        Whether rows are still being read and encoded, ``row_levels`` of them so far.

    Examples
    --------
    >>> Progress(row_levels=250, n_placed=30, n_rows=120, n_leaves=4).share
    0.25
    """

    row_levels: int
    n_placed: int
    n_rows: int
    n_leaves: int
    generation: int = 0
    n_open: int = 0
    is_reading: bool = False

    @property
    def share(self) -> float:
        """The share of the rows that are in a leaf."""
        return self.n_placed / self.n_rows if self.n_rows else 1.0


ProgressCallback = Callable[[Progress], None]
"""A function that is called from time to time while a tree grows."""
NativeProgressCallback = Callable[[int, int, int], None]
"""The callback of the C++ core: rows scanned, rows in leaves, leaves."""
