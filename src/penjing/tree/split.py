"""One test: a value in, a branch number out; and the offers from which it was chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Column, Field, Floats

NO_BRANCH = -1
"""The branch of a value that has none: missing, never seen, or empty in training."""


@dataclass(frozen=True, slots=True, eq=False)
class Surrogate:
    """A test that stands in for another where that one's value is missing.

    Parameters
    ----------
    column : int
        Which column of the schema is asked.
    cut : float or None
        For an order: a value <= cut takes the branch ``below``, any other the other one.
    below : int
        0 or 1; of no meaning without a cut.
    groups : tuple of int32 arrays
        For a nominal column: the codes of the levels that take branch 0 and 1.
    agreement : float
        The share of the training rows that it sends the way the test itself does.
    adjusted : float
        How much of what the larger branch alone would get wrong it gets right.
    is_used : bool
        Whether rows are sent by it, or it is only told of.
    """

    column: int
    cut: float | None
    below: int
    groups: tuple[Codes, ...]
    agreement: float
    adjusted: float
    is_used: bool = True

    def branches(self, column: Column) -> Codes:
        """Return the branch of each row of a column, -1 where it has none."""
        if self.cut is None:
            return branch_by_group(column, self.groups)
        side = branch_by_cut(column, self.cut)
        return side if self.below == 0 else np.where(side == NO_BRANCH, side, 1 - side)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The test of a node.

    Parameters
    ----------
    column : int
        Which column of the schema is asked.
    cut : float or None
        For an order: a value <= cut takes branch 0, any other branch 1. In a column of ordered
        levels the value is the position of the level.
    groups : tuple of int32 arrays
        For a nominal column: the codes of the levels that take branch 0, 1, …; a level in none
        of them was not in the node (the book's empty branch).
    gain : float
        What the criterion says the test is worth, before columns are compared.
    score : float
        By what the column was chosen; the gain itself but for gain ratio and costs.
    missing : int
        The branch of a row that nothing else sends anywhere; -1 where it stays at the node (or
        is shared out, as the recipe says).
    surrogates : tuple of Surrogate
        Tests that are asked in turn where this one sends a row nowhere.
    then : Split or None
        The test of the first branch, decided together with this one: whether a value is known
        is asked first where missing values have a branch of their own.
    whole : float or None
        What both gain together.
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
        """The number of branches with those of the test that follows."""
        return self.n_branches - 1 + self.then.n_branches if self.then else self.n_branches

    @property
    def total_gain(self) -> float:
        """What the test gains together with the one that follows."""
        return self.gain if self.whole is None else self.whole

    def branches(self, column: Column) -> Codes:
        """Return the branch of each row of a column, -1 where it has none."""
        if self.cut is not None:
            return branch_by_cut(column, self.cut)
        return branch_by_group(column, self.groups)

    def route_rows(self, column_of: Callable[[int], Column]) -> Codes:
        """Return the branch of each row: by this test, its surrogates, or ``missing``."""
        found = self.branches(column_of(self.column))
        for surrogate in (s for s in self.surrogates if s.is_used):
            lost = found == NO_BRANCH
            if not lost.any():
                break
            found = np.where(lost, surrogate.branches(column_of(surrogate.column)), found)
        if self.missing != NO_BRANCH:
            found = np.where(found == NO_BRANCH, np.int32(self.missing), found)
        return found


def branch_by_group(column: Column, groups: Sequence[Codes]) -> Codes:
    """Return the group that each row's level is in, -1 where it is in none or missing."""
    by_code = np.full(len(column.levels) + 1, NO_BRANCH, np.int32)
    for branch, codes in enumerate(groups):
        by_code[codes] = branch
    by_code[-1] = NO_BRANCH
    return by_code[column.codes]


def branch_by_cut(column: Column, cut: float) -> Codes:
    """Return 0 where the value is at most the cut, 1 where it is more, -1 where it is missing."""
    if column.is_numeric:
        first_above = np.searchsorted(np.asarray(column.levels), cut, side="right")
    else:
        first_above = np.intp(min(np.floor(cut), len(column.levels)) + 1)
    above = (column.codes >= first_above).astype(np.int32)
    return np.where(column.codes < 0, np.int32(NO_BRANCH), above)


def midpoint(low: float, high: float) -> float:
    """Return a number c with low <= c < high, half-way as far as floats allow.

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
    """Return a cut between ordered categories as a grown tree of rpart has it.

    While a tree grows, a category half-way between two others is not below the cut, which lies
    a hair below its position. R then turns the cut into two lists of categories; there it is.

    Examples
    --------
    >>> snap_to_category(0.9999999999999999), snap_to_category(0.49999999999999994)
    (1.0, 0.49999999999999994)
    """
    above = math.nextafter(cut, math.inf)
    return above if above.is_integer() else cut


def midpoints(values: Floats, above: Floats | None = None) -> Floats:
    """Return a cut between each two neighbours of ascending numbers; see `midpoint`.

    With ``above``, a cut between each of the values and the one above it.
    """
    low, high = (values[:-1], values[1:]) if above is None else (values, above)
    with np.errstate(over="ignore", invalid="ignore"):
        is_huge = np.maximum(np.abs(low), np.abs(high)) > 1e300
        middle = np.where(is_huge, low / 2 + high / 2, (low + high) / 2)
        return np.where((low <= middle) & (middle < high), middle, low)


@dataclass(frozen=True, slots=True, eq=False)
class Offers:
    """The best candidate of every column, for every open node of a generation.

    All arrays are (nodes, columns). Where a column cannot divide a node, ``gain`` is NaN.

    Parameters
    ----------
    gain : float64
        The gain of the column's best candidate, already scaled by the share of known rows.
    split_information : float64
        The entropy of the parts, in bits.
    impurity : float64
        The criterion's measure of the node's rows that are known in this column: the size of
        the numbers of which ``gain`` is a difference, hence of its rounding.
    cut : float64
        Where an ordered column is cut; NaN for a nominal one.
    n_candidates : int64
        How many divisions of the column were compared.
    groups : mapping from (node position, column) to tuple of int32 arrays
        The codes that take each branch of a nominal column.
    missing : int32 or None
        The branch that each candidate has for missing values; None where none has one.
    worth : float64 or None
        By what columns are compared, where that is not the gain; ``order``, int32, says which
        of equal ones comes first, where that is not the first in the table.
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

    def split(self, i: int, c: int, score: float, gain: float | None = None) -> Split:
        """Return what column ``c`` offers node ``i`` as a split; its gain is the offer's own."""
        cut = float(self.cut[i, c])
        groups = self.groups.get((i, c), ())
        gain = float(self.gain[i, c]) if gain is None else gain
        return Split(c, None if np.isnan(cut) else cut, groups, gain, score)


def level_text(field: Field, code: int) -> str:
    """Return how a level of a nominal or ordered column reads; one that is not declared is '?'."""
    return str(field.levels[code]) if 0 <= code < len(field.levels) else "?"
