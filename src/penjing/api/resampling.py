"""Cross-validation, hold-out sets, folds and the bootstrap, from whatever `read` can read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

import numpy as np

from penjing.api.read_table import read_rows
from penjing.api.settings import PruneOptions, Settings
from penjing.api.tree import Tree
from penjing.data import folds as rows
from penjing.data.folds import TablePair
from penjing.data.source import Label, Source, Target
from penjing.data.table import Table
from penjing.dialects.recipes import named_recipe, recipe_of
from penjing.errors import ChoiceError, PenjingError
from penjing.grow.recipe import Recipe
from penjing.training.auto_recipe import is_auto

if TYPE_CHECKING:
    from penjing.evaluate.metrics import Report
    from penjing.evaluate.number_report import NumberReport
    from penjing.evaluate.stability import Stability


def cross_validate(
    table: Source,
    how: str | Recipe | Tree | Callable[[Table], Tree] | Iterable[Any] = "auto",
    k: int | Literal["leave-one-out"] = 10,
    *,
    recipe: str | Recipe | None = None,
    target: Target | None = None,
    seed: int = 0,
    prune: str | None = None,
    validation: float | None = None,
    quiet: bool = False,
    positive: Label | None = None,
    **options: Unpack[PruneOptions],
) -> Report | NumberReport:
    """Grow trees on all folds but one, test each on the fold left out, and report on all rows.

    Parameters
    ----------
    table : Table or source
        All rows: a table, or anything that :func:`penjing.read` can read.
    how : str, Recipe, Tree or function
        How to grow: a recipe, a tree (as it was grown and pruned itself), or a function from
        a table to a tree. In ``cross_validate(X, y)`` these are the classes (or numbers) of the
        rows, and in ``cross_validate(frame, "y")`` the column to predict; the recipe is ``auto``.
    k : int or "leave-one-out"
        The number of folds; stratified.
    recipe : str or Recipe, optional
        The same as ``how``, by the name that :func:`penjing.fit` has for it; also in
        ``cross_validate(X, y, recipe="id3")``.
    target : str or values, optional
        The column to predict, by name, or the class (or number) of each row; not needed for a
        `Table`.
    seed : int
        The seed that assigns rows to folds.
    prune : str, optional
        How to prune each tree.
    validation : float, optional
        The share of the training rows of each fold that is used as the validation set.
    quiet : bool
        Do not warn about decisions made while reading the data.
    positive : object, optional
        The class to which lift, cut-offs and scores refer, as in :meth:`penjing.Tree.score`; by
        default the rarer one of two classes.
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
    >>> penjing.cross_validate([[1], [2], [8], [9]] * 5, list("aabb") * 5, recipe="id3").accuracy
    1.0
    """
    from penjing.evaluate import validation as evaluation

    if isinstance(how, str) and not is_auto(how) and named_recipe(how) is None and target is None:
        table, how = _read_with_target(table, how, quiet=quiet), "auto"
    elif how is not None and not isinstance(how, str | Recipe | Tree) and not callable(how):
        target, how = _only_target(how, target), "auto"
    if recipe is not None:
        if how != "auto":
            raise ChoiceError("setting_twice", one="how", other="recipe")
        how = recipe
    pruning: dict[str, Any] = {"prune": prune, "validation": validation, **options}
    data = read_rows(table, target, quiet=quiet)
    return evaluation.cross_validate(data, how, k, seed=seed, positive=positive, **pruning)


def bootstrap(
    data: Source,
    target: Target | None = None,
    recipe: str | Recipe = "auto",
    n: int = 100,
    *,
    seed: int = 0,
    prune: str | None = None,
    quiet: bool = False,
    **settings: Unpack[Settings],
) -> Stability:
    """Refit a tree on bootstrap samples, and count how often each column is used.

    Parameters
    ----------
    data, target, recipe, **settings
        As in :func:`penjing.fit`.
    n : int
        The number of trees.
    seed : int
        The seed of the bootstrap samples.
    prune : str, optional
        How to prune each tree, by a method that needs no validation set.
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
    from penjing.evaluate import stability

    sample = read_rows(data, target, quiet=quiet)
    return stability.bootstrap(sample, None, recipe, n, seed=seed, prune=prune, **settings)


def hold_out(
    table: Source,
    share: float | Target,
    seed: float = 0,
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
        The share of the rows that is held out, between 0 and 1. The target may stand before it,
        as in ``hold_out(X, y, 0.3)``.
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
    >>> train, test = penjing.hold_out([[1], [2], [3], [4]], ["a", "b", "a", "b"], 0.5)
    >>> train.n_rows, test.n_rows
    (2, 2)
    """
    if _is_target(share):
        target, share, seed = _only_target(share, target), seed, 0
    data: Any = read_rows(table, target, quiet=quiet)
    return rows.hold_out(data, cast("float", share), cast("int", seed))


def folds(
    table: Source,
    k: int | Target,
    seed: int = 0,
    *,
    target: Target | None = None,
    quiet: bool = False,
) -> list[TablePair]:
    """Return k pairs (training rows, held-out rows); every row is held out once.

    The folds are stratified: each has its share of every class. Their sizes differ by at most one
    row.

    Parameters
    ----------
    table : Table or source
        A table, or anything that :func:`penjing.read` can read.
    k : int
        The number of folds. The target may stand before it, as in ``folds(X, y, 5)``.
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
    if _is_target(k):
        target, k, seed = _only_target(k, target), seed, 0
    return rows.folds(read_rows(table, target, quiet=quiet), cast("int", k), seed)


def _read_with_target(table: Source, name: str, *, quiet: bool) -> Table:
    """Return the rows with the target of this name; the name may be meant as that of a recipe."""
    try:
        return read_rows(table, name, quiet=quiet)
    except PenjingError as problem:
        if problem.key != "unknown_column":
            raise
        recipe_of(name)  # raises the error of an unknown recipe
        raise


def _is_target(value: object) -> bool:
    """Return whether an argument is a column's name or the values of the target, not a number."""
    is_scalar = isinstance(value, np.ndarray) and value.ndim == 0
    return isinstance(value, Iterable) and not is_scalar


def _only_target(first: Any, target: Target | None) -> Target:  # noqa: ANN401 - a name, or values
    """Return a target that was given in place of another argument, if it is the only one."""
    if target is not None:
        raise ChoiceError("setting_twice", one="y", other="target")
    given: Target = first
    return given
