"""The cross-validated error of each complexity of a tree, for cost-complexity pruning.

For each fold a tree is grown from the rows outside it, and predicts the rows inside it at a
complexity between each two of the tree's own. A dialect may have its own way to do it.
"""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import numpy as np

from penjing.data.table import Floats, Table
from penjing.dialects.recipes import recipe_of
from penjing.errors import DataError
from penjing.grow.engine_of_table import engine_of_table
from penjing.grow.loop import grow
from penjing.grow.recipe import Recipe
from penjing.predict.inputs import align
from penjing.predict.predict import classes_of
from penjing.prune.cost_complexity import weakest_links
from penjing.tree.counts import prediction_costs
from penjing.tree.tree_data import TreeData

TOLERANCE = 1e-12
"""Complexities are equal if they differ by less than this share of the root's risk."""


def cross_validated(tree: TreeData, source: Any, folds: int = 10) -> TreeData:  # noqa: ANN401
    """Return a tree with a cp table that contains cross-validated errors.

    Then ``tree.prune("cost-complexity")`` chooses the complexity by the table. This works for any
    tree whose recipe can grow another one; for rpart's, ``fit(…, xval=10)`` does the same.

    Parameters
    ----------
    tree : TreeData
        The unpruned tree.
    source : Table or source
        Its training rows.
    folds : int
        Number of folds; row i is in fold i modulo folds.

    Examples
    --------
    >>> import penjing
    >>> melons = penjing.example("watermelon2.0")
    >>> tree = cross_validated(penjing.fit(melons), melons, folds=5)
    >>> for row in tree.about["cp_table"]:
    ...     print([round(number, 3) for number in row])
    [0.312, 0, 1.0, 1.25, 0.254]
    [0.125, 1, 0.375, 1.0, 0.257]
    [0.062, 2, 0.25, 0.625, 0.235]
    [0.0, 5, 0.0, 0.75, 0.246]
    >>> tree.prune("cost-complexity").n_leaves
    4
    """
    table = align(tree, source)
    if table.target is None:
        raise DataError("no_target_in_table")
    setting_names = {f.name for f in fields(Recipe) if f.init} | {
        f.name for f in fields(_options_of(tree))
    }
    settings = {k: v for k, v in tree.recipe.items() if k in setting_names - {"name", "options"}}
    recipe = recipe_of(str(tree.recipe.get("name")), **settings)
    own_table = recipe.dialect.cross_validated_table
    if own_table is not None:
        return _with_table(tree, own_table(tree, table, recipe, folds))
    links = weakest_links(tree)
    root = float(tree.losses[0])
    alphas = [0.0]
    for alpha in sorted(links.alpha[1:].tolist()):
        if alpha > alphas[-1] + TOLERANCE * root:
            alphas.append(alpha)
    alphas.reverse()
    between = [10 * alphas[0], *(float(np.sqrt(a * b)) for a, b in pairwise(alphas))]
    folds = min(folds, table.n_rows)  # further folds would be empty
    fold_of, weight = np.arange(table.n_rows) % folds, table.weights
    losses = np.zeros((table.n_rows, len(alphas)))
    for fold in range(folds):
        held_out = fold_of == fold
        training = table.take(~held_out)
        if not held_out.any() or not training.n_rows:
            continue
        prepared = recipe.prepared(training)
        engine = engine_of_table("memory", prepared, recipe)
        fold_tree = grow(engine, recipe.fits(prepared))
        share = float(weight[~held_out].sum() / weight.sum())
        fold_links, test_rows = weakest_links(fold_tree), table.take(held_out)
        for k, alpha in enumerate(between):
            smaller = fold_tree.pruned(fold_links.cut_to(alpha * share))
            losses[held_out, k] = _row_losses(smaller, test_rows)
    rows = []
    for k, alpha in enumerate(alphas):
        smaller = tree.pruned(links.cut_to(alpha + TOLERANCE * root))
        loss = losses[:, k]
        error = float((loss * weight).sum())
        spread = float((loss * loss * weight).sum()) - error * error / float(weight.sum())
        risk = float(smaller.losses[smaller.is_leaf].sum())
        numbers = (alpha, risk, error, float(np.sqrt(max(spread, 0.0))))
        cp, relative, xerror, xstd = (n / root if root > 0 else 0.0 for n in numbers)
        rows.append([cp, int((~smaller.is_leaf).sum()), relative, xerror, xstd])
    return _with_table(tree, rows)


def cut_to(tree: TreeData, alpha: float) -> TreeData:
    """Return a tree pruned to a complexity."""
    return tree.pruned(weakest_links(tree).cut_to(alpha))


def _row_losses(tree: TreeData, table: Table) -> Floats:
    """Return the loss of the prediction for each row."""
    assert table.target is not None
    predictions = classes_of(tree, table)
    if tree.is_regression:
        return np.asarray((table.target.numbers() - predictions) ** 2)
    return prediction_costs(table.target.codes, predictions, tree.reader)


def _with_table(tree: TreeData, rows: list[list[float]]) -> TreeData:
    return replace(tree, about=dict(tree.about) | {"cp_table": rows})


def _options_of(tree: TreeData) -> Any:  # noqa: ANN401 - the options of any dialect
    return recipe_of(str(tree.recipe.get("name"))).options
