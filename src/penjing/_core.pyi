"""Column coding and prediction in C++ (see cpp/bind.cpp)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

def code_floats(
    values: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Return the sorted distinct numbers and each row's rank among them, -1 for NaN."""

def code_strings(
    data: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    valid: npt.NDArray[np.uint8] | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the row where each distinct string was seen first, and each row's code.

    Row i is ``data[offsets[i]:offsets[i + 1]]``; rows with ``valid[i] == 0`` get -1.
    """

def code_objects(values: list[Any]) -> tuple[list[Any], npt.NDArray[np.int32]]:
    """Return the distinct objects in order of first appearance, and each row's code.

    Equality is Python's own, None gets -1.
    """

def code_texts(values: list[Any]) -> tuple[list[str], npt.NDArray[np.int32]] | None:
    """Return what `code_objects` does for texts, None and NaN being missing.

    None if there is anything else in the list.
    """

def grow_quinlan(
    columns: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64] | None, int, bool, bool]],
    target: npt.NDArray[np.int32],
    weight: npt.NDArray[np.float64] | None,
    recipe: dict[str, object],
) -> dict[str, Any]:
    """Grow a whole tree by the rules of C4.5 and J48."""

def grow_sklearn(
    columns: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]],
    target: npt.NDArray[np.int32],
    y: npt.NDArray[np.float64] | None,
    weight: npt.NDArray[np.float64] | None,
    factor: npt.NDArray[np.float64] | None,
    recipe: dict[str, object],
) -> dict[str, Any]:
    """Grow a whole tree by scikit-learn's rules; columns are codes and their numbers."""

def grow_rpart(
    columns: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64] | None, int]],
    given: dict[str, Any],
    recipe: dict[str, object],
) -> dict[str, Any]:
    """Grow a whole tree by rpart's rules; columns are codes, numbers if ordered, n_levels."""

def logs(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the natural logarithm of each number, by the C library."""

def prune_quinlan(
    columns: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64] | None, int, bool, bool]],
    target: npt.NDArray[np.int32],
    weight: npt.NDArray[np.float64] | None,
    tree: dict[str, npt.NDArray[Any]],
    how: dict[str, object],
) -> dict[str, Any]:
    """Prune a tree by estimated errors, as C4.5 and J48 do."""

def grow(
    columns: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64] | None, int, bool]],
    target: npt.NDArray[np.int32],
    y: npt.NDArray[np.float64] | None,
    weight: npt.NDArray[np.float64] | None,
    recipe: dict[str, Any],
) -> dict[str, Any] | None:
    """Grow a whole tree; the answer holds the arrays of penjing.tree.Nodes (bind_engine.cpp).

    None if asked to count by ones where a value is missing or infinite, or rows have weights.
    """

class Unseen(LookupError):
    """A value that leads nowhere, in a tree that reports it: (row, column, code, node)."""

    args: tuple[int, int, int, int]

class Flat:
    """A tree as arrays, for prediction.

    Parameters
    ----------
    column : (n,)
        Which column each node asks about, -1 for a leaf.
    cut : (n,)
        A value <= cut takes branch 0, any other branch 1; NaN for a nominal question.
    first_child, n_children : (n,)
        Children stand side by side, after their parent; not read in leaves.
    level_start, level_codes : (n + 1,) and any
        Node i is reached by ``level_codes[level_start[i]:level_start[i + 1]]`` of its parent's
        column, where that is nominal.
    missing_mode : (n,)
        Where a missing value goes: a branch, -1 stops in the node, -2 shares the row out over
        the children by weight. Not read in leaves.
    weight : (n,)
        What -2 shares by; all zero in the children stops in the node.
    unseen_mode : int
        What a level without a branch does: -1 stops in the node, -2 is treated as missing,
        -3 raises :class:`Unseen` for the lowest such row.
    """

    def __init__(
        self,
        *,
        column: npt.NDArray[np.int32],
        cut: npt.NDArray[np.float64],
        first_child: npt.NDArray[np.int32],
        n_children: npt.NDArray[np.int32],
        level_start: npt.NDArray[np.int64],
        level_codes: npt.NDArray[np.int32],
        missing_mode: npt.NDArray[np.int32],
        weight: npt.NDArray[np.float64],
        unseen_mode: int = -1,
    ) -> None: ...
    @property
    def n_nodes(self) -> int:
        """The number of nodes."""

    @property
    def asked(self) -> npt.NDArray[np.int32]:
        """The columns that some node asks about; no others need be handed in."""

    def apply(
        self,
        columns: Sequence[npt.NDArray[np.float64] | npt.NDArray[np.int32] | None],
        n_rows: int,
        *,
        threads: int = 1,
    ) -> npt.NDArray[np.int32]:
        """Return the node where each row stops; where it would be shared out, that node.

        Columns are float64 numbers (NaN missing) or int32 codes (-1 missing, below that never
        seen); a nominal question needs codes, a cut takes either. All answers are the same
        for any number of threads.
        """

    def gaps(
        self,
        columns: Sequence[npt.NDArray[np.float64] | npt.NDArray[np.int32] | None],
        n_rows: int,
    ) -> npt.NDArray[np.float64]:
        """Return (n_nodes * 2,): the rows' values on both sides of each cut."""

    def spread(
        self,
        columns: Sequence[npt.NDArray[np.float64] | npt.NDArray[np.int32] | None],
        values: npt.NDArray[np.float64],
        n_rows: int,
        *,
        threads: int = 1,
    ) -> npt.NDArray[np.float64]:
        """Return (n_rows, S): the values (n_nodes, S) of the nodes each row reaches, by parts."""
