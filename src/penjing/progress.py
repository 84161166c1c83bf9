"""How far a tree has grown, for whoever wants to show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tree has grown.

    Parameters
    ----------
    row_levels : int
        Rows looked at so far, once for every level of the tree: what growing costs.
    n_placed : int
        Rows that have arrived in a leaf.
    n_rows : int
        All rows.
    n_leaves : int
        Leaves so far.
    generation : int
        How many generations of nodes have been divided; 0 where nodes are not taken by generations.
    n_open : int
        How many nodes are still to be divided; 0 where that is not known.
    is_reading : bool
        Whether rows are still being read and coded, ``row_levels`` of them so far.

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
        """The share of the rows that have arrived."""
        return self.n_placed / self.n_rows if self.n_rows else 1.0


ProgressCallback = Callable[[Progress], None]
"""Told now and then how far a tree has grown."""
NativeProgressCallback = Callable[[int, int, int], None]
"""The same as C++ tells it: rows looked at, rows placed, leaves."""
