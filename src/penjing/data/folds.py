"""Rows put aside: a share of a table, or its folds, each class in its proportion, by a seed.

The same seed gives the same rows on every machine and with every version of NumPy: only the raw
stream of PCG64 is used, which is fixed, and sorted here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.arguments import bad_value_error, is_number, is_whole, whole_number
from penjing.data.read import read
from penjing.data.table import Table
from penjing.errors import ChoiceError, DataError, WrongTypeError

TablePair = tuple[Table, Table]


@dataclass(frozen=True, slots=True)
class Fold:
    """One fold of a table, as ``fit(validation=Fold(5, 0))`` takes it.

    Parameters
    ----------
    k : int
        Into how many folds the rows are divided.
    which : int
        Which of them is held out, from 0.
    seed : int
        Decides which rows make a fold.

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
        """Return the rows of the other folds, and those of this one."""
        table = read(table)
        number = fold_numbers(table, self.k, self.seed)
        if not (is_whole(self.which) and 0 <= self.which < self.k):
            kind = ChoiceError if is_whole(self.which) else WrongTypeError
            raise kind("bad_fold", which=self.which, k=self.k, last=self.k - 1)
        return table.take(number != self.which), table.take(number == self.which)


def folds(table: Any, k: int, seed: int = 0, *, target: str | None = None) -> list[TablePair]:  # noqa: ANN401
    """Return k pairs (training rows, held-out rows); every row is held out once.

    Each fold has its share of every class, and folds differ by one row at most. What is no
    table is read as :func:`penjing.read` does, with the ``target`` that is named.

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
    number = fold_numbers(table, k, seed)
    for which in range(k):
        yield table.take(number != which), table.take(number == which)


def fold_numbers(table: Table, k: int, seed: int = 0) -> npt.NDArray[np.intp]:
    """Return in which fold each row is held out."""
    n = table.n_rows
    if not (is_whole(k) and 2 <= k <= n):
        raise bad_value_error("bad_folds", "k", k, int, n=n)
    if k == n:  # leave one out: nothing to draw
        return np.arange(n)
    number = np.empty(n, np.intp)
    number[_shuffle_by_class(table, seed)] = np.arange(n) % k
    return number


def hold_out(table: Any, share: float, seed: int = 0, *, target: str | None = None) -> TablePair:  # noqa: ANN401
    """Return the table in two parts: what is left for training, and the share held out.

    Every class is held out in its proportion, rounded so that the whole comes out right; each
    keeps at least one row for training.

    Parameters
    ----------
    table : Table or source
        The rows to divide; a table, or anything that :func:`penjing.read` can read.
    share : float
        How large a part is held out, between 0 and 1.
    seed : int
        Decides which rows it is.
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
    wanted = min(max(int(n * share + 0.5), 1), n - 1)
    held_out = np.zeros(n, bool)
    start = 0
    for size, quota in zip(sizes.tolist(), _rows_per_class(sizes, share, wanted), strict=True):
        held_out[order[start : start + quota]] = True
        start += size
    return table.take(~held_out), table.take(held_out)


def _rows_per_class(sizes: npt.NDArray[np.intp], share: float, wanted: int) -> list[int]:
    """Return how many rows of each class are held out: by largest remainders, first class first."""
    most = sizes - 1 if int((sizes - 1).sum()) >= wanted else sizes
    quotas = np.minimum(np.floor(sizes * share).astype(np.intp), most)
    while (left := wanted - int(quotas.sum())) != 0:
        # Too few: the class that is furthest below its part gets one; too many: the reverse.
        lag = sizes * share - quotas
        if left > 0:
            quotas[np.where(quotas < most, lag, -np.inf).argmax()] += 1
        else:
            quotas[np.where(quotas > 0, lag, np.inf).argmin()] -= 1
    found: list[int] = quotas.tolist()
    return found


def _shuffle_by_class(table: Table, seed: int) -> npt.NDArray[np.intp]:
    """Return the rows class after class, inside a class in an order that the seed decides."""
    drawn = np.atleast_1d(np.random.PCG64(whole_number("seed", seed, 0)).random_raw(table.n_rows))
    return np.lexsort((drawn, _classes(table)))


def _classes(table: Table) -> npt.NDArray[np.int32]:
    if table.target is None or table.is_regression:
        return np.zeros(table.n_rows, np.int32)
    return table.target.codes
