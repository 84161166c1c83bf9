"""Stratified hold-out sets and folds of a table.

The same seed gives the same rows on every machine and with every version of NumPy, since only the
raw stream of PCG64 is used, which never changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from penjing.arguments import bad_value_error, is_number, is_whole, whole_number
from penjing.data.read import read
from penjing.data.source import Source
from penjing.data.table import Table
from penjing.errors import ChoiceError, DataError, WrongTypeError

TablePair = tuple[Table, Table]


@dataclass(frozen=True, slots=True)
class Fold:
    """One fold of a table, for example in ``fit(validation=Fold(5, 0))``.

    Parameters
    ----------
    k : int
        The number of folds.
    which : int
        The fold that is held out, from 0.
    seed : int
        The seed that assigns rows to folds.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> table = Table((), nominal("ripe", ["yes"] * 6 + ["no"] * 3), 9)
    >>> train, held_out = Fold(3, 0).of(table)
    >>> train.n_rows, held_out.target.values()
    (6, ['yes', 'yes', 'no'])
    """

    k: int
    which: int = 0
    seed: int = 0

    def of(self, table: Table) -> TablePair:
        """Return the rows of the other folds, and those of this one.

        Examples
        --------
        >>> import penjing
        >>> training, held_out = penjing.Fold(5, 0).of(penjing.example("watermelon2.0"))
        >>> training.n_rows, held_out.n_rows
        (13, 4)
        """
        table = read(table)
        fold_of_row = fold_numbers(table, self.k, self.seed)
        if not (is_whole(self.which) and 0 <= self.which < self.k):
            kind = ChoiceError if is_whole(self.which) else WrongTypeError
            raise kind("bad_fold", which=self.which, k=self.k, last=self.k - 1)
        return table.take(fold_of_row != self.which), table.take(fold_of_row == self.which)


def folds(table: Source, k: int, seed: int = 0, *, target: str | None = None) -> list[TablePair]:
    """Return k pairs (training rows, held-out rows); every row is held out once.

    The folds are stratified: each has its share of every class. Their sizes differ by at most one
    row. Any source other than a Table is read with :func:`penjing.read` and this ``target``.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> table = Table((), nominal("ripe", ["yes", "no"] * 5), 10)
    >>> [held_out.n_rows for _, held_out in folds(table, 4)]
    [3, 3, 2, 2]
    """
    return list(each_fold(read(table, target), k, seed))


def each_fold(table: Table, k: int, seed: int = 0) -> Iterator[TablePair]:
    """Yield the pairs of `folds` one at a time."""
    fold_of_row = fold_numbers(table, k, seed)
    for fold in range(k):
        yield table.take(fold_of_row != fold), table.take(fold_of_row == fold)


def fold_numbers(table: Table, k: int, seed: int = 0) -> npt.NDArray[np.intp]:
    """Return the number of the fold in which each row is held out."""
    n = table.n_rows
    if n < 2:
        raise ChoiceError("too_few_for_folds", n=n)
    if not (is_whole(k) and 2 <= k <= n):
        raise bad_value_error("bad_folds", "k", k, int, n=n)
    if k == n:  # leave-one-out
        return np.arange(n)
    fold_of_row = np.empty(n, np.intp)
    fold_of_row[_shuffle_by_class(table, seed)] = np.arange(n) % k
    return fold_of_row


def hold_out(table: Source, share: float, seed: int = 0, *, target: str | None = None) -> TablePair:
    """Return the training rows and the held-out rows of a table.

    The split is stratified: every class is held out in proportion, and each keeps at least one
    row for training.

    Parameters
    ----------
    table : Table or source
        A table, or anything that :func:`penjing.read` can read.
    share : float
        The share of the rows that is held out, between 0 and 1.
    seed : int
        The seed that selects these rows.
    target : str, optional
        The column to predict, by name; not needed for a `Table`.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> table = Table((), nominal("ripe", ["yes"] * 6 + ["no"] * 4), 10)
    >>> train, held_out = hold_out(table, 0.5)
    >>> held_out.target.values()
    ['yes', 'yes', 'yes', 'no', 'no']
    """
    if not (is_number(share) and 0 < share < 1):
        raise bad_value_error("bad_share", "share", share, int | float)
    table = read(table, target)
    n = table.n_rows
    if n < 2:
        raise DataError("too_few_to_hold_out", n=n)
    order = _shuffle_by_class(table, seed)
    sizes = np.unique(_classes(table), return_counts=True)[1]
    n_held_out = min(max(int(n * share + 0.5), 1), n - 1)
    held_out = np.zeros(n, bool)
    start = 0
    for size, n_class in zip(
        sizes.tolist(), _rows_per_class(sizes, share, n_held_out), strict=True
    ):
        held_out[order[start : start + n_class]] = True
        start += size
    return table.take(~held_out), table.take(held_out)


def _rows_per_class(sizes: npt.NDArray[np.intp], share: float, n_held_out: int) -> list[int]:
    """Return the number of rows of each class to hold out, by the largest remainder method."""
    largest = sizes - 1 if int((sizes - 1).sum()) >= n_held_out else sizes
    sizes_held_out = np.minimum(np.floor(sizes * share).astype(np.intp), largest)
    while (n_left := n_held_out - int(sizes_held_out.sum())) != 0:
        # Add a row of the class furthest below its share, or remove one of the furthest above.
        deficit = sizes * share - sizes_held_out
        if n_left > 0:
            sizes_held_out[np.where(sizes_held_out < largest, deficit, -np.inf).argmax()] += 1
        else:
            sizes_held_out[np.where(sizes_held_out > 0, deficit, np.inf).argmin()] -= 1
    result: list[int] = sizes_held_out.tolist()
    return result


def _shuffle_by_class(table: Table, seed: int) -> npt.NDArray[np.intp]:
    """Return the rows sorted by class, in random order within each class."""
    random_keys = np.atleast_1d(
        np.random.PCG64(whole_number("seed", seed, 0)).random_raw(table.n_rows)
    )
    return np.lexsort((random_keys, _classes(table)))


def _classes(table: Table) -> npt.NDArray[np.int32]:
    if table.target is None or table.is_regression:
        return np.zeros(table.n_rows, np.int32)
    return table.target.codes
