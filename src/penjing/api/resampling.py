"""Cross-validation, hold-out sets, folds and the bootstrap, from whatever `read` can read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Unpack

from penjing.api.read_table import read_rows
from penjing.api.settings import PruneOptions, Settings
from penjing.api.tree import Tree
from penjing.data import folds as rows
from penjing.data.folds import TablePair
from penjing.data.source import Source, Target
from penjing.data.table import Table
from penjing.evaluate import stability
from penjing.evaluate import validation as evaluation
from penjing.evaluate.metrics import NumberReport, Report
from penjing.grow.recipe import Recipe


def cross_validate(
    table: Source,
    how: str | Recipe | Tree | Callable[[Table], Tree],
    k: int | Literal["leave-one-out"] = 10,
    *,
    target: Target | None = None,
    seed: int = 0,
    prune: str | None = None,
    validation: float | None = None,
    quiet: bool = False,
    **options: Unpack[PruneOptions],
) -> Report | NumberReport:
    """Grow trees on all folds but one, test each on the fold left out, and report on all rows.

    Parameters
    ----------
    table : Table or source
        All rows: a table, or anything that :func:`penjing.read` can read.
    how : str, Recipe, Tree or function
        How to grow: a recipe, a tree (as it was grown and pruned itself), or a function from
        a table to a tree.
    k : int or "leave-one-out"
        The number of folds; stratified.
    target : str or values, optional
        The column to predict, by name, or the class (or number) of each row; not needed for a
        `Table`.
    seed : int
        The seed that decides which rows make a fold.
    prune : str, optional
        How to prune each tree.
    validation : float, optional
        The share of the training rows of each fold that decides the pruning.
    quiet : bool
        Do not warn about decisions made while reading the data.
    **options
        Options of the pruning method; see :meth:`penjing.Tree.prune`.

    Returns
    -------
    Report or NumberReport
        Over all rows, each predicted by the tree that has not seen it.

    Examples
    --------
    >>> import penjing
    >>> report = penjing.cross_validate(penjing.example("watermelon2.0"), "id3", 5)
    >>> report.n
    17
    """
    pruning: dict[str, Any] = {"prune": prune, "validation": validation, **options}
    data = read_rows(table, target, quiet=quiet)
    return evaluation.cross_validate(data, how, k, seed=seed, **pruning)


def bootstrap(
    data: Source,
    target: Target | None = None,
    recipe: str | Recipe = "auto",
    n: int = 100,
    *,
    seed: int = 0,
    quiet: bool = False,
    **settings: Unpack[Settings],
) -> stability.Stability:
    """Grow a tree again and again from rows drawn with replacement, and count its splits.

    Parameters
    ----------
    data, target, recipe, **settings
        As in :func:`penjing.fit`.
    n : int
        The number of trees.
    seed : int
        The seed that decides which rows are drawn.
    quiet : bool
        Do not warn about decisions made while reading the data.

    Returns
    -------
    Stability

    Examples
    --------
    >>> import penjing
    >>> stability = penjing.bootstrap(penjing.example("watermelon2.0"), n=20)
    >>> stability.root, max(stability.roots, key=stability.roots.get)
    ('纹理', '纹理')
    """
    sample = read_rows(data, target, quiet=quiet)
    return stability.bootstrap(sample, None, recipe, n, seed=seed, **settings)


def hold_out(
    table: Source,
    share: float,
    seed: int = 0,
    *,
    target: Target | None = None,
    quiet: bool = False,
) -> TablePair:
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
    target : str or values, optional
        The column to predict, by name, or the class (or number) of each row; not needed for a
        `Table`.
    quiet : bool
        Do not warn about decisions made while reading the data.

    Returns
    -------
    pair of Table

    Examples
    --------
    >>> import penjing
    >>> train, test = penjing.hold_out(penjing.example("watermelon2.0"), 0.3)
    >>> train.n_rows, test.n_rows
    (12, 5)
    """
    return rows.hold_out(read_rows(table, target, quiet=quiet), share, seed)


def folds(
    table: Source, k: int, seed: int = 0, *, target: Target | None = None, quiet: bool = False
) -> list[TablePair]:
    """Return k pairs (training rows, held-out rows); every row is held out once.

    The folds are stratified: each has its share of every class. Their sizes differ by at most one
    row.

    Parameters
    ----------
    table : Table or source
        A table, or anything that :func:`penjing.read` can read.
    k : int
        The number of folds.
    seed : int
        The seed that assigns rows to folds.
    target : str or values, optional
        The column to predict, by name, or the class (or number) of each row; not needed for a
        `Table`.
    quiet : bool
        Do not warn about decisions made while reading the data.

    Returns
    -------
    list of pairs of Table

    Examples
    --------
    >>> import penjing
    >>> [test.n_rows for _, test in penjing.folds(penjing.example("watermelon2.0"), 5)]
    [4, 4, 3, 3, 3]
    """
    return rows.folds(read_rows(table, target, quiet=quiet), k, seed)
