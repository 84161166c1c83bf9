"""Cross-validation and the bootstrap: what other rows of the same kind would have given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Unpack

from penjing.api.settings import PruneOptions, Settings
from penjing.api.tree import Tree
from penjing.data.source import Source
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
    target: str | None = None,
    seed: int = 0,
    prune: str | None = None,
    validation: float | None = None,
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
    target : str, optional
        The column to predict, by name; not needed for a `Table`.
    seed : int
        The seed that decides which rows make a fold.
    prune : str, optional
        How to prune each tree.
    validation : float, optional
        The share of the training rows of each fold that decides the pruning.
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
    return evaluation.cross_validate(table, how, k, target=target, seed=seed, **pruning)


def bootstrap(
    data: Source,
    target: str | None = None,
    recipe: str | Recipe = "auto",
    n: int = 100,
    *,
    seed: int = 0,
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
    return stability.bootstrap(data, target, recipe, n, seed=seed, **settings)
