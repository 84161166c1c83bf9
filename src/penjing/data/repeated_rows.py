"""Repeated and contradictory rows, and the accuracy that they allow at most."""

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
"""Keys are int64; columns are combined as long as the keys stay below this."""


@dataclass(frozen=True, slots=True)
class ContradictedRow:
    """A test row that equals training rows, all of which have another class.

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
    """The number of test rows that a tree which fits all training rows can predict correctly."""

    clashes: tuple[ContradictedRow, ...]
    n_rows: int

    @property
    def best(self) -> int:
        """The largest possible number of correct predictions."""
        return self.n_rows - len(self.clashes)


def find_repeated_rows(table: Table) -> list[Rows]:
    """Return the groups of rows that are equal in every column and in the target.

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
    """Return the groups of rows that are equal in every column but not in the target."""
    if table.target is None:
        return []
    classes = table.target.codes
    return [
        tuple(table.row_number(row) for row in rows)
        for rows in _group_equal(_row_keys([c.codes for c in table.columns], table.n_rows))
        if len(np.unique(classes[rows])) > 1
    ]


def accuracy_bound(train: Table, test: Table) -> AccuracyBound:
    """Return the test rows that no tree which fits the training rows can predict correctly.

    They equal training rows that all have one other class. Both tables need the same columns;
    their codes may differ. Regression has no such rows.

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
    shared = [
        _shared_codes(column.levels, column.codes, test.column(column.name))
        for column in train.columns
    ]
    keys = _row_keys(shared, train.n_rows + test.n_rows)
    train_keys, test_keys = keys[: train.n_rows], keys[train.n_rows :]
    classes = _shared_codes(train.target.levels, train.target.codes, test.target)
    train_classes, test_classes = classes[: train.n_rows], classes[train.n_rows :]
    order = np.argsort(train_keys, kind="stable")
    first = np.searchsorted(train_keys, test_keys, side="left", sorter=order)
    last = np.searchsorted(train_keys, test_keys, side="right", sorter=order)
    clashes = []
    for row in np.flatnonzero(last > first).tolist():
        equals = order[first[row] : last[row]]
        equal_classes = np.unique(train_classes[equals])
        if (
            len(equal_classes) == 1
            and test_classes[row] >= 0
            and equal_classes[0] != test_classes[row]
        ):
            clashes.append(
                ContradictedRow(
                    test.row_number(row),
                    tuple(train.row_number(position) for position in equals.tolist()),
                    test.target.levels[test.target.codes[row]],
                    train.target.levels[equal_classes[0]],
                )
            )
    return AccuracyBound(tuple(clashes), test.n_rows)


def are_same_rows(first: Table, second: Table) -> bool:
    """Return whether two tables have the same rows and targets, in any order.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from penjing.data.table import nominal
    >>> one = Table((nominal("a", "xy"),), nominal("class", "01"), 2)
    >>> other = Table((nominal("a", "yx"),), nominal("class", "10"), 2)
    >>> are_same_rows(one, other), are_same_rows(one, replace(other, target=one.target))
    (True, False)
    """
    if first.n_rows != second.n_rows or first.target is None or second.target is None:
        return False
    if sorted(column.name for column in first.columns) != sorted(c.name for c in second.columns):
        return False
    shared = [
        _shared_codes(column.levels, column.codes, second.column(column.name))
        for column in first.columns
    ]
    shared.append(_shared_codes(first.target.levels, first.target.codes, second.target))
    keys = _row_keys(shared, 2 * first.n_rows)
    return bool((np.sort(keys[: first.n_rows]) == np.sort(keys[first.n_rows :])).all())


def _shared_codes(levels: Sequence[Any] | npt.NDArray[Any], codes: Codes, other: Column) -> Codes:
    """Return the codes of two columns, concatenated, such that equal values have equal codes."""
    code_of: dict[Any, int] = {}
    for level in [*np.asarray(levels, object).tolist(), *np.asarray(other.levels, object).tolist()]:
        code_of.setdefault(level, len(code_of))
    first_codes = np.asarray([code_of[x] for x in levels] + [MISSING], np.int32)
    second_codes = np.asarray([code_of[x] for x in other.levels] + [MISSING], np.int32)
    return np.concatenate([first_codes[codes], second_codes[other.codes]])


def _row_keys(columns: Sequence[Codes], n_rows: int) -> npt.NDArray[np.int64]:
    """Return one number per row; two are equal if and only if all columns are equal."""
    keys = np.zeros(n_rows, np.int64)
    size = 1
    for codes in columns:
        n_codes = int(codes.max(initial=MISSING)) + 2  # missing is a value here
        if size * n_codes > MAX_KEY:
            _, ranks = np.unique(keys, return_inverse=True)
            keys = ranks.astype(np.int64)
            size = int(keys.max(initial=0)) + 1
        keys = keys * n_codes + (codes.astype(np.int64) + 1)
        size *= n_codes
    return keys


def _group_equal(keys: npt.NDArray[np.int64]) -> list[npt.NDArray[np.intp]]:
    """Return the positions of rows with equal keys, groups of two or more, by first row."""
    order = np.argsort(keys, kind="stable")
    bounds = np.flatnonzero(np.diff(keys[order], prepend=-1, append=-1))
    starts, stops = bounds[:-1], bounds[1:]
    has_several = stops - starts > 1
    pairs = zip(starts[has_several].tolist(), stops[has_several].tolist(), strict=True)
    return sorted((order[start:stop] for start, stop in pairs), key=lambda rows: int(rows[0]))
