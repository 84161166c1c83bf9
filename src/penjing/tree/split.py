"""A split maps a value to a branch; `BestSplits` holds the best candidate of every column."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Column, Field, Floats
from penjing.tree.monotonic import NodeLimits

NO_BRANCH = -1
"""The branch of a value that has none: missing, never seen, or empty in training."""


@dataclass(frozen=True, slots=True, eq=False)
class Surrogate:
    """A split on another column, used where the value of the primary split is missing.

    Parameters
    ----------
    column : int
        The position of the column in the schema.
    cut : float or None
        The threshold of an ordered column: a value <= cut takes the branch ``below``, any other
        value the other branch.
    below : int
        0 or 1; unused without a threshold.
    groups : tuple of int32 arrays
        For a categorical column: the codes of the levels that take branch 0 and 1.
    agreement : float
        The share of the training rows that it routes as the primary split does.
    adjusted : float
        The share of the errors of always taking the larger branch that it avoids (rpart's ``adj``).
    is_used : bool
        Whether it routes rows, or is only listed.
    """

    column: int
    cut: float | None
    below: int
    groups: tuple[Codes, ...]
    agreement: float
    adjusted: float
    is_used: bool = True

    def branches(self, column: Column) -> Codes:
        """Return the branch of each row of a column, -1 where the row has none."""
        if self.cut is None:
            return branch_by_group(column, self.groups)
        side = branch_by_cut(column, self.cut)
        return side if self.below == 0 else np.where(side == NO_BRANCH, side, 1 - side)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The split of a node.

    Parameters
    ----------
    column : int
        The position of the column in the schema.
    cut : float or None
        The threshold of an ordered column: a value <= cut takes branch 0, any other branch 1. The
        value of an ordered level is its position.
    groups : tuple of int32 arrays
        For a categorical column: the codes of the levels that take branch 0, 1, …; a level in
        none of them did not occur in the node (Zhou's empty branch).
    gain : float
        The decrease of impurity, before columns are compared.
    score : float
        The score by which the column was chosen: the gain, except for gain ratio and costs.
    missing : int
        The branch of a row that neither the split nor a surrogate can route; -1 where the row
        stops at the node (or becomes a fractional case, as the recipe says).
    surrogates : tuple of Surrogate
        Splits that are tried in turn where this one cannot route a row.
    then : Split or None
        The split of the first branch, chosen together with this one: where missing values have a
        branch of their own, this split separates them and ``then`` splits the known values.
    whole : float or None
        The gain of both together.
    """

    column: int
    cut: float | None
    groups: tuple[Codes, ...]
    gain: float
    score: float
    missing: int = NO_BRANCH
    surrogates: tuple[Surrogate, ...] = ()
    then: Split | None = None
    whole: float | None = None

    @property
    def n_branches(self) -> int:
        """The number of branches."""
        return 2 if self.cut is not None else len(self.groups)

    @property
    def n_final_branches(self) -> int:
        """The number of branches, those of the following split included."""
        return self.n_branches - 1 + self.then.n_branches if self.then else self.n_branches

    @property
    def total_gain(self) -> float:
        """The gain of this split together with that of the following one."""
        return self.gain if self.whole is None else self.whole

    def branches(self, column: Column) -> Codes:
        """Return the branch of each row of a column, -1 where the row has none."""
        if self.cut is not None:
            return branch_by_cut(column, self.cut)
        return branch_by_group(column, self.groups)

    def route_rows(self, column_of: Callable[[int], Column]) -> Codes:
        """Return the branch of each row: by this split, its surrogates, or ``missing``."""
        branches = self.branches(column_of(self.column))
        for surrogate in (s for s in self.surrogates if s.is_used):
            unrouted = branches == NO_BRANCH
            if not unrouted.any():
                break
            branches = np.where(unrouted, surrogate.branches(column_of(surrogate.column)), branches)
        if self.missing != NO_BRANCH:
            branches = np.where(branches == NO_BRANCH, np.int32(self.missing), branches)
        return branches


def branch_by_group(column: Column, groups: Sequence[Codes]) -> Codes:
    """Return the group that each row's level is in, -1 where it is in none or missing."""
    by_code = np.full(len(column.levels) + 1, NO_BRANCH, np.int32)
    for branch, codes in enumerate(groups):
        by_code[codes] = branch
    by_code[-1] = NO_BRANCH
    return by_code[column.codes]


def branch_by_cut(column: Column, cut: float) -> Codes:
    """Return 0 where the value is at most the cut, 1 where it is more, -1 where it is missing."""
    above = (column.codes >= first_code_above(column, cut)).astype(np.int32)
    return np.where(column.codes < 0, np.int32(NO_BRANCH), above)


def first_code_above(column: Column, cut: float) -> int:
    """Return the code of the first level above a threshold."""
    if column.is_numeric:
        return int(np.searchsorted(np.asarray(column.levels), cut, side="right"))
    return int(min(np.floor(cut), len(column.levels)) + 1)


def midpoint(low: float, high: float) -> float:
    """Return a number c with low <= c < high, as close to the midpoint as floats allow.

    Examples
    --------
    >>> midpoint(0.36, 0.403)
    0.3815
    >>> midpoint(1.0, 1.0000000000000002)
    1.0
    """
    middle = low / 2 + high / 2 if abs(low) > 1e300 or abs(high) > 1e300 else (low + high) / 2
    return middle if low <= middle < high else low


def snap_to_category(cut: float) -> float:
    """Return a threshold between ordered categories as a finished tree of rpart has it.

    While a tree grows, a category half-way between two others is not below the threshold, which
    is the largest float below its position. R then turns the threshold into two lists of
    categories, in which the category is below.

    Examples
    --------
    >>> snap_to_category(0.9999999999999999), snap_to_category(0.49999999999999994)
    (1.0, 0.49999999999999994)
    """
    above = math.nextafter(cut, math.inf)
    return above if above.is_integer() else cut


def midpoints(values: Floats, above: Floats | None = None) -> Floats:
    """Return the midpoint of each two neighbours of ascending numbers; see `midpoint`.

    With ``above``, the midpoint of each value and the one in ``above``.
    """
    low, high = (values[:-1], values[1:]) if above is None else (values, above)
    with np.errstate(over="ignore", invalid="ignore"):
        is_huge = np.maximum(np.abs(low), np.abs(high)) > 1e300
        middle = np.where(is_huge, low / 2 + high / 2, (low + high) / 2)
        return np.where((low <= middle) & (middle < high), middle, low)


@dataclass(frozen=True, slots=True, eq=False)
class BestSplits:
    """The best candidate split of every column, for every open node of a generation.

    All arrays are (nodes, columns). Where a column cannot split a node, ``gain`` is NaN.

    Parameters
    ----------
    gain : float64
        The gain of the column's best candidate, already multiplied by the share of known rows.
    split_information : float64
        The entropy of the branch sizes, in bits.
    impurity : float64
        The impurity of the node's rows with a known value in this column. ``gain`` is a difference
        of numbers of this size, which determines its rounding error.
    cut : float64
        The threshold of an ordered column; NaN for a categorical one.
    n_candidates : int64
        The number of candidate splits of the column that were compared.
    groups : mapping from (node position, column) to tuple of int32 arrays
        The codes that take each branch of a categorical column.
    missing : int32 or None
        The branch of missing values of each candidate; None where no candidate has one.
    worth : float64 or None
        The score by which columns are compared, where it is not the gain.
    order : int32 or None
        The rank of each column in a tie, where it is not the order of the table.
    counted : (columns,) bool or None
        The columns that count for the average gain, where not all do.
    cut_cost : float64 or None
        What was subtracted from the gain of a threshold to encode it; None if it costs nothing.
    limits : sequence of NodeLimits or None
        What constraints allow in each node; None without constraints.
    """

    gain: Floats
    split_information: Floats
    impurity: Floats
    cut: Floats
    n_candidates: npt.NDArray[np.int64]
    groups: Mapping[tuple[int, int], tuple[Codes, ...]]
    missing: Codes | None = None
    worth: Floats | None = None
    order: Codes | None = None
    counted: npt.NDArray[np.bool_] | None = None
    cut_cost: Floats | None = None
    limits: Sequence[NodeLimits] | None = None

    def split(self, i: int, c: int, score: float, gain: float | None = None) -> Split:
        """Return the candidate of column ``c`` in node ``i`` as a split."""
        cut = float(self.cut[i, c])
        groups = self.groups.get((i, c), ())
        gain = float(self.gain[i, c]) if gain is None else gain
        return Split(c, None if np.isnan(cut) else cut, groups, gain, score)


class FlatGroups(Mapping[tuple[int, int], tuple[Codes, ...]]):
    """The groups of many candidates in flat arrays; a tuple is made when it is asked for.

    Parameters
    ----------
    first_branch : (nodes, columns) int64
        The position of a candidate's first branch in ``start``; -1 where it has no groups.
    n_branches : (nodes, columns) int32
        The number of its branches.
    start : int64
        Where the codes of each branch begin, and last the number of codes.
    codes : int32
        The codes of all branches.
    """

    def __init__(
        self,
        first_branch: npt.NDArray[np.int64],
        n_branches: npt.NDArray[np.int32],
        start: npt.NDArray[np.int64],
        codes: Codes,
    ) -> None:
        self._first_branch, self._n_branches = first_branch, n_branches
        self._start, self._codes = start, codes

    def __getitem__(self, key: tuple[int, int]) -> tuple[Codes, ...]:
        first = int(self._first_branch[key])
        if first < 0:
            raise KeyError(key)
        bounds = self._start[first : first + int(self._n_branches[key]) + 1].tolist()
        return tuple(self._codes[a:b] for a, b in itertools.pairwise(bounds))

    def __iter__(self) -> Iterator[tuple[int, int]]:
        rows, columns = np.nonzero(self._first_branch >= 0)
        return zip(rows.tolist(), columns.tolist(), strict=True)

    def __len__(self) -> int:
        return int((self._first_branch >= 0).sum())


def groups_from_core(arrays: Mapping[str, Any], cut: Floats, shape: tuple[int, int]) -> FlatGroups:
    """Return the groups of categories that C++ found, where a candidate has no threshold."""
    n_groups = np.where(np.isnan(cut), arrays["n_groups"], 0).astype(np.int32)
    first = np.append(0, np.cumsum(n_groups))[:-1]
    start = np.append(0, np.cumsum(arrays["group_sizes"]))
    first_branch = np.where(n_groups > 0, first, -1).reshape(shape)
    return FlatGroups(first_branch, n_groups.reshape(shape), start, arrays["group_codes"])


def level_text(field: Field, code: int) -> str:
    """Return the text of a level; '?' for a code that the column does not have."""
    return str(field.levels[code]) if 0 <= code < len(field.levels) else "?"
