"""What a table says about itself before any tree: rows that repeat, contradict, or cap a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.table import MISSING, Codes, Column, Table

Rows = tuple[int, ...]
"""Row numbers as in the source, from 1."""

MAX_KEY = 2**62
"""Keys are int64; columns are combined until the next one would not fit."""


@dataclass(frozen=True, slots=True)
class ContradictedRow:
    """A test row that equals training rows, all of which carry another class.

    Parameters
    ----------
    row : int
        The test row's number.
    equals : tuple of int
        The numbers of the training rows.
    class_, taught : str, int, float or bool
        The test row's class, and that of the training rows.
    """

    row: int
    equals: Rows
    class_: Any
    taught: Any


@dataclass(frozen=True, slots=True)
class AccuracyBound:
    """How many test rows a tree that fits all training rows can get right at most."""

    clashes: tuple[ContradictedRow, ...]
    n_rows: int

    @property
    def best(self) -> int:
        """The most rows that can be right."""
        return self.n_rows - len(self.clashes)


def find_repeated_rows(table: Table) -> list[Rows]:
    """Return the groups of rows that agree in every column and in the target.

    A missing value equals a missing value. Groups come in the order of their first row.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> same = Table((nominal("a", "xyxx"),), nominal("class", "0101"), 4)
    >>> find_repeated_rows(same), find_contradictory_rows(same)
    ([(1, 3)], [(1, 3, 4)])
    """
    columns = [*table.columns, *([] if table.target is None else [table.target])]
    return [
        tuple(table.row_number(row) for row in rows)
        for rows in _group_equal(_row_keys([c.codes for c in columns], table.n_rows))
    ]


def find_contradictory_rows(table: Table) -> list[Rows]:
    """Return the groups of rows that agree in every column but not in the target."""
    if table.target is None:
        return []
    classes = table.target.codes
    return [
        tuple(table.row_number(row) for row in rows)
        for rows in _group_equal(_row_keys([c.codes for c in table.columns], table.n_rows))
        if len(np.unique(classes[rows])) > 1
    ]


def accuracy_bound(train: Table, test: Table) -> AccuracyBound:
    """Return which test rows no tree that fits the training rows can get right.

    They are those that equal training rows of one other class. Both tables need the same
    columns; their levels may be numbered differently. Regression has no such rows.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> train = Table((nominal("a", "xy"),), nominal("class", "01"), 2)
    >>> test = Table((nominal("a", "yzx"),), nominal("class", "001"), 3)
    >>> bound = accuracy_bound(train, test)
    >>> bound.best, [(c.row, c.equals) for c in bound.clashes]
    (1, [(1, (2,)), (3, (1,))])
    """
    if train.target is None or test.target is None or train.is_regression or test.is_regression:
        return AccuracyBound((), test.n_rows)
    pairs = [
        _shared_codes(column.levels, column.codes, test.column(column.name))
        for column in train.columns
    ]
    keys = _row_keys(pairs, train.n_rows + test.n_rows)
    taught, asked = keys[: train.n_rows], keys[train.n_rows :]
    classes = _shared_codes(train.target.levels, train.target.codes, test.target)
    class_of, truth = classes[: train.n_rows], classes[train.n_rows :]
    order = np.argsort(taught, kind="stable")
    first = np.searchsorted(taught, asked, side="left", sorter=order)
    last = np.searchsorted(taught, asked, side="right", sorter=order)
    clashes = []
    for row in np.flatnonzero(last > first).tolist():
        equals = order[first[row] : last[row]]
        said = np.unique(class_of[equals])
        if len(said) == 1 and truth[row] >= 0 and said[0] != truth[row]:
            clashes.append(
                ContradictedRow(
                    test.row_number(row),
                    tuple(train.row_number(place) for place in equals.tolist()),
                    test.target.levels[test.target.codes[row]],
                    train.target.levels[said[0]],
                )
            )
    return AccuracyBound(tuple(clashes), test.n_rows)


def are_same_rows(one: Table, other: Table) -> bool:
    """Say whether two tables have the same rows, in whatever order; with their targets.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from penjing.data.table import nominal
    >>> one = Table((nominal("a", "xy"),), nominal("class", "01"), 2)
    >>> other = Table((nominal("a", "yx"),), nominal("class", "10"), 2)
    >>> are_same_rows(one, other), are_same_rows(one, replace(other, target=one.target))
    (True, False)
    """
    if one.n_rows != other.n_rows or one.target is None or other.target is None:
        return False
    if sorted(column.name for column in one.columns) != sorted(c.name for c in other.columns):
        return False
    pairs = [
        _shared_codes(column.levels, column.codes, other.column(column.name))
        for column in one.columns
    ]
    pairs.append(_shared_codes(one.target.levels, one.target.codes, other.target))
    keys = _row_keys(pairs, 2 * one.n_rows)
    return bool((np.sort(keys[: one.n_rows]) == np.sort(keys[one.n_rows :])).all())


def _shared_codes(levels: Sequence[Any] | npt.NDArray[Any], codes: Codes, other: Column) -> Codes:
    """Return the codes of two columns one after the other, equal values with equal codes."""
    place: dict[Any, int] = {}
    for level in [*np.asarray(levels, object).tolist(), *np.asarray(other.levels, object).tolist()]:
        place.setdefault(level, len(place))
    mine = np.asarray([place[x] for x in levels] + [MISSING], np.int32)
    theirs = np.asarray([place[x] for x in other.levels] + [MISSING], np.int32)
    return np.concatenate([mine[codes], theirs[other.codes]])


def _row_keys(columns: Sequence[Codes], n_rows: int) -> npt.NDArray[np.int64]:
    """Return one number per row: equal where all columns are equal, and only there."""
    keys = np.zeros(n_rows, np.int64)
    size = 1
    for codes in columns:
        width = int(codes.max(initial=MISSING)) + 2  # missing is a value of its own here
        if size * width > MAX_KEY:
            _, places = np.unique(keys, return_inverse=True)
            keys = places.astype(np.int64)
            size = int(keys.max(initial=0)) + 1
        keys = keys * width + (codes.astype(np.int64) + 1)
        size *= width
    return keys


def _group_equal(keys: npt.NDArray[np.int64]) -> list[npt.NDArray[np.intp]]:
    """Return the positions of rows with equal keys, groups of two or more, by first row."""
    order = np.argsort(keys, kind="stable")
    bounds = np.flatnonzero(np.diff(keys[order], prepend=-1, append=-1))
    starts, stops = bounds[:-1], bounds[1:]
    several = stops - starts > 1
    pairs = zip(starts[several].tolist(), stops[several].tolist(), strict=True)
    return sorted((order[start:stop] for start, stop in pairs), key=lambda rows: int(rows[0]))
