"""Column coding and prediction in C++ (see cpp/bind/module.cpp)."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

def encode_floats(
    values: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Return the sorted distinct numbers and each row's rank among them, -1 for NaN."""

def encode_integers(
    values: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]] | None:
    """Return the distinct whole numbers as they first appear, and each row's code, if few."""

def encode_strings(
    data: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    valid: npt.NDArray[np.uint8] | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the row where each distinct string was seen first, and each row's code.

    Row i is ``data[offsets[i]:offsets[i + 1]]``; rows with ``valid[i] == 0`` get -1.
    """

def encode_objects(values: list[Any]) -> tuple[list[Any], npt.NDArray[np.int32]]:
    """Return the distinct objects in order of first appearance, and each row's code.

    Equality is Python's own, None gets -1.
    """

def encode_str_list(values: list[Any]) -> tuple[list[str], npt.NDArray[np.int32]] | None:
    """Return what `encode_objects` does for texts, None and NaN being missing.

    None if there is anything else in the list.
    """

_Columns: TypeAlias = Sequence[tuple[Any, ...]]
"""Of each column: codes, their numbers or None, the number of codes, whether it is ordered."""

def grow_c45(columns: _Columns, given: dict[str, Any], recipe: dict[str, object]) -> dict[str, Any]:
    """Grow a whole tree by the rules of C4.5 and J48.

    A column has a fifth part: whether it takes part in the average gain.
    """

def grow_c50(columns: _Columns, given: dict[str, Any], recipe: dict[str, object]) -> dict[str, Any]:
    """Grow a whole tree by the rules of C5.0."""

def best_splits_c45(
    columns: _Columns,
    given: dict[str, Any],
    recipe: dict[str, object],
    nodes: list[tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64] | None]],
) -> dict[str, Any]:
    """Return the best split of every column in each node by the rules of C4.5 and J48."""

def best_splits_c50(
    columns: _Columns,
    given: dict[str, Any],
    recipe: dict[str, object],
    nodes: list[tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64] | None]],
) -> dict[str, Any]:
    """Return the best split of every column in each node by the rules of C5.0."""

def regrow_c50(
    columns: _Columns,
    given: dict[str, Any],
    recipe: dict[str, object],
    node: dict[str, Any],
) -> dict[str, Any]:
    """Grow the subtree of a node whose split is given by the rules of C5.0."""

def grow_sklearn(
    columns: _Columns, given: dict[str, Any], recipe: dict[str, object]
) -> dict[str, Any]:
    """Grow a whole tree by scikit-learn's rules."""

def grow_rpart(
    columns: _Columns, given: dict[str, Any], recipe: dict[str, object]
) -> dict[str, Any]:
    """Grow a whole tree by rpart's rules."""

def cross_validate_rpart(
    columns: _Columns,
    given: dict[str, Any],
    recipe: dict[str, object],
    validation: dict[str, object],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the errors of the held-out rows at every complexity, and their squares."""

def rpart_risks_by_row(
    columns: _Columns,
    given: dict[str, Any],
    recipe: dict[str, object],
) -> npt.NDArray[np.float64]:
    """Return the risk of each node of the tree at complexity alpha, added row by row."""

def rpart_sort_order(values: npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
    """Return the places of the numbers, lowest first, in rpart's order."""

def principal_coordinates(cells: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return where levels lie along the direction in which their class shares vary most."""

def logs(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the natural logarithm of each number, by the C library."""

def weakest_links(
    parent: npt.NDArray[np.int32], is_leaf: npt.NDArray[np.uint8], cost: npt.NDArray[np.float64]
) -> tuple[
    npt.NDArray[np.float64],
    npt.NDArray[np.int32],
    npt.NDArray[np.float64],
    npt.NDArray[np.int64],
]:
    """Return alpha, node, cost and leaves of the tree for each step; nodes are in preorder."""

def map_nodes(
    before: tuple[npt.NDArray[Any], ...], after: tuple[npt.NDArray[Any], ...]
) -> tuple[
    npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]
]:
    """Return the new number of each node, or -1, the nearest, new leaves and changed splits."""

def cut_costs(
    parent: npt.NDArray[np.int32],
    is_leaf: npt.NDArray[np.uint8],
    cost: npt.NDArray[np.float64],
    cuts: npt.NDArray[np.int32],
) -> dict[str, Any]:
    """Return the costs and leaves of subtrees before each cut, and after all of them."""

def prune_error_based(
    columns: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64] | None, int, bool, bool]],
    target: npt.NDArray[np.int32],
    weight: npt.NDArray[np.float64] | None,
    tree: dict[str, npt.NDArray[Any]],
    how: dict[str, object],
) -> dict[str, Any]:
    """Prune a tree by estimated errors, as C4.5 and J48 do."""

def grow(columns: _Columns, given: dict[str, Any], recipe: dict[str, Any]) -> dict[str, Any] | None:
    """Grow a whole tree; the answer holds the arrays of penjing.tree.nodes.Nodes.

    None if asked to count by ones where a value is missing or infinite, or rows have weights.
    """

def best_splits(
    columns: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64] | None, int, bool]],
    target: npt.NDArray[np.int32] | None,
    y: npt.NDArray[np.float64] | None,
    nodes: list[tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64] | None]],
    recipe: dict[str, Any],
) -> dict[str, Any]:
    """Return the best split of every column in each node, by a criterion of the textbook."""

def order_of_rows(codes: npt.NDArray[np.int32], n_levels: int) -> npt.NDArray[np.uint32] | None:
    """Return the rows in the order of their codes; None for few codes."""

def best_splits_rpart(
    columns: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64] | None, int, bool]],
    given: dict[str, Any],
    nodes: list[tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64] | None]],
    recipe: dict[str, Any],
) -> dict[str, Any]:
    """Return the best split of every column in each node, by rpart's rules."""

def best_splits_sklearn(
    columns: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64] | None, int, bool]],
    given: dict[str, Any],
    nodes: list[tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64] | None]],
    recipe: dict[str, Any],
) -> dict[str, Any]:
    """Return the best split of every column in each node, by scikit-learn's rules."""

def route_rows(
    ids: npt.NDArray[np.uint32],
    weight: npt.NDArray[np.float64] | None,
    rules: list[tuple[npt.NDArray[np.int32], int, npt.NDArray[np.int32] | None, bool]],
    settings: dict[str, Any],
) -> list[tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64] | None]]:
    """Return the rows of each branch of a split, and their weights."""

def count_column(
    codes: npt.NDArray[np.int32],
    n_levels: int,
    target: npt.NDArray[np.int32] | None,
    y: npt.NDArray[np.float64] | None,
    n_sums: int,
    ids: npt.NDArray[np.uint32],
    weight: npt.NDArray[np.float64] | None,
) -> tuple[
    npt.NDArray[np.int32],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64] | None,
    float,
]:
    """Return the codes that occur, their sums, those of missing values, and with weight one."""

def node_sums(
    target: npt.NDArray[np.int32] | None,
    y: npt.NDArray[np.float64] | None,
    codes: npt.NDArray[np.int32],
    n_sums: int,
    nodes: list[tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64] | None]],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8]]:
    """Return the sums of each node, and whether all its rows have one target."""

def subtree_sums(
    target: npt.NDArray[np.int32] | None,
    y: npt.NDArray[np.float64] | None,
    codes: npt.NDArray[np.int32],
    n_sums: int,
    columns: list[tuple[Any, Any, int, bool]],
    rows: tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64] | None],
    splits: list[tuple[int, int, int, int, float | None, Sequence[npt.NDArray[np.int32]], int]],
    settings: dict[str, bool],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
    """Return the sums of all nodes below a node, whether they are pure, and their rows."""

class UnseenValueError(LookupError):
    """A value that leads nowhere, in a tree that reports it: (row, column, code, node)."""

    args: tuple[int, int, int, int]

class FlatTree:
    """A tree as arrays, for prediction.

    Parameters
    ----------
    column : (n,)
        The column that each node splits on, -1 for a leaf.
    cut : (n,)
        A value <= cut takes branch 0, any other branch 1; NaN for a categorical split.
    first_child, n_children : (n,)
        Children stand side by side, after their parent; not read in leaves.
    level_start, level_codes : (n + 1,) and any
        Node i is reached by ``level_codes[level_start[i]:level_start[i + 1]]`` of its parent's
        column, where that is nominal.
    missing_mode : (n,)
        Where a missing value goes: a branch, -1 stops in the node, -2 sends fractions of the row to
        the children, by weight. Not read in leaves.
    weight : (n,)
        The weights of those fractions; all zero in the children stops in the node.
    unseen_mode : int
        What a level without a branch does: -1 stops in the node, -2 is treated as missing,
        -3 raises :class:`UnseenValueError` for the lowest such row.
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
    def used_columns(self) -> npt.NDArray[np.int32]:
        """The columns that some node splits on; no others need be passed."""

    def predict(
        self,
        columns: list[npt.NDArray[Any] | None],
        values: npt.NDArray[np.int64],
        n_rows: int,
        *,
        threads: int = 1,
        only_leaves: bool = False,
    ) -> npt.NDArray[np.int64] | None:
        """Return the value of the node where each row stops.

        None where ``only_leaves`` is asked for and some row stops inside the tree.
        """

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

    def threshold_gaps(
        self,
        columns: Sequence[npt.NDArray[np.float64] | npt.NDArray[np.int32] | None],
        n_rows: int,
    ) -> npt.NDArray[np.float64]:
        """Return (n_nodes * 2,): the rows' values on both sides of each cut."""

    def count_bins(
        self,
        columns: Sequence[npt.NDArray[np.float64] | npt.NDArray[np.int32] | None],
        classes: npt.NDArray[np.int32],
        n_classes: int,
        bin_start: npt.NDArray[np.int64],
        bound_start: npt.NDArray[np.int64],
        bounds: npt.NDArray[np.float64],
        counts: npt.NDArray[np.int64],
        low: npt.NDArray[np.float64],
        high: npt.NDArray[np.float64],
    ) -> None:
        """Add the rows of each node to counts by bins of its column and class.

        Codes are bins; numbers are divided by the node's ascending bounds, and one that equals a
        bound belongs below it. The bins of a node start at ``bin_start[node]``; it has none if it
        is not counted. ``counts`` holds those of the first class, then of the second. ``low`` and
        ``high`` hold the smallest and the largest number of each bin; those of a node start at
        ``bound_start[node] + node``.
        """

    def predict_fractional(
        self,
        columns: Sequence[npt.NDArray[np.float64] | npt.NDArray[np.int32] | None],
        values: npt.NDArray[np.float64],
        n_rows: int,
        *,
        threads: int = 1,
        rows: npt.NDArray[np.int64] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return (n_rows, S): the values (n_nodes, S) of the nodes each row reaches, by parts.

        Of some rows only, where ``rows`` says which.
        """

def count_block(
    columns: Sequence[npt.NDArray[np.uint8] | npt.NDArray[np.uint16]],
    n_codes: Sequence[int],
    target: npt.NDArray[np.uint8] | npt.NDArray[np.uint16] | None,
    n_classes: int,
    slots: npt.NDArray[np.int32],
    n_slots: int,
    weight: npt.NDArray[np.float64] | None = None,
    y: npt.NDArray[np.float64] | None = None,
) -> list[npt.NDArray[Any]]:
    """Count the rows of a coded block; see cpp/store/counter.hpp for what is promised.

    The answer has a flat array for each column, to be read as (n_slots, n_codes, n_classes):
    int64 where rows count one each, float64 with weights; (n_slots, n_codes, 3) moments where
    ``y``, the numbers to predict, stands in place of the classes. Slot -1 is not counted.
    """

def encode_by_table(
    indices: npt.NDArray[np.int32],
    code_of: npt.NDArray[np.uint16],
    start: int,
    codes: npt.NDArray[Any],
    counts: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
) -> None:
    """Code rows, which begin at row ``start``, by a table of codes; count each, note its first."""

def encode_by_offset(
    x: npt.NDArray[np.int64],
    absent: npt.NDArray[np.uint8] | None,
    low: int,
    start: int,
    codes: npt.NDArray[Any],
    counts: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
) -> bool:
    """Code whole numbers as x - low + 1, absent ones as 0; False if one is out of range."""

class Quantiles:
    """The edges of a numeric column's cells, and the two bytes by which each cell goes.

    Parameters
    ----------
    edges : (n,)
        Ascending; cell i holds the numbers from edge i - 1 up to but not including edge i.
    high, low : (n + 1,)
        The bytes of each cell's code: its bucket, and its place there, both counted from 0.
        Buckets are below 255, which is for NaN.
    """

    def __init__(self, edges: Sequence[float], high: Sequence[int], low: Sequence[int]) -> None: ...
    def code(
        self,
        x: npt.NDArray[np.float64],
        high: npt.NDArray[np.uint8],
        low: npt.NDArray[np.uint8],
    ) -> tuple[int, bool, bool]:
        """Fill in codes; return how many are NaN, whether any is infinite, whether any -0.0."""

    def buckets(
        self, x: npt.NDArray[np.float64], high: npt.NDArray[np.uint8]
    ) -> tuple[int, bool, bool]:
        """Fill in the high bytes; return the same."""

    def cell(self, x: float) -> int:
        """Return how many edges are not above a number."""

def cut_gains(
    counts: npt.NDArray[np.float64], measure: str, min_branch: float
) -> tuple[int, npt.NDArray[np.float64]]:
    """Return the first of the best cuts between units (-1: none), and the gain of each."""

def open_units(
    counts: npt.NDArray[np.float64],
    measure: str,
    gain: npt.NDArray[np.float64],
    single: npt.NDArray[np.uint8],
    bar: float,
) -> npt.NDArray[np.uint8]:
    """Say which units may hold a cut that reaches the bar, or stand beside one."""

def best_grouping(
    counts: npt.NDArray[np.float64], measure: str, min_branch: float
) -> npt.NDArray[np.int8]:
    """Return the side of each level in the best grouping in two; nothing if there is none."""

class Passes:
    """Passes over a store that is mapped; see cpp/store/passes.hpp.

    Parameters
    ----------
    columns : list of (codes, n_codes, Quantiles or None, raw or None)
        Exact codes of one or two bytes; or buckets, their cells, and numbers.
    target : (n,)
        The class of each row.
    n_classes : int
        How many classes there are.
    node : (n,)
        The node of each row; passes change it.
    threads : int
        How many threads share the blocks.
    """

    def __init__(
        self,
        columns: list[tuple[Any, int, Any, Any]],
        target: npt.NDArray[np.uint8] | npt.NDArray[np.uint16],
        n_classes: int,
        node: npt.NDArray[np.uint32],
        threads: int,
    ) -> None: ...
    def move_and_count(
        self,
        tests: list[tuple[int, int, int, int, float]],
        branches: Sequence[int],
        test_of: npt.NDArray[np.int32],
        slot_of: npt.NDArray[np.int32],
        n_slots: int,
    ) -> list[npt.NDArray[np.uint32]]:
        """Move rows on by tests (column, first child, table or -1, bucket, cut), and count."""

    def cells(
        self, slot_of: npt.NDArray[np.int32], opened: list[tuple[int, Any, int, Any]]
    ) -> list[npt.NDArray[np.uint32]]:
        """Count cells in open buckets (column, place of [slot][high], n, None)."""

    def numbers(
        self, slot_of: npt.NDArray[np.int32], opened: list[tuple[int, Any, int, Any]]
    ) -> list[
        tuple[
            npt.NDArray[np.int32],
            npt.NDArray[np.uint8],
            npt.NDArray[np.uint16],
            npt.NDArray[np.float64],
        ]
    ]:
        """Return place, low byte, class and number of the rows of wanted cells, in no order."""

    def rows_of(
        self, slot_of: npt.NDArray[np.int32], n_slots: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
        """Return the rows of each slot in their order, and where each slot's begin."""
