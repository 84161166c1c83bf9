"""Importance of columns: by decrease in impurity, or by permutation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from penjing import arguments
from penjing.criteria.entropy import entropy_bits
from penjing.criteria.gini import gini_impurity
from penjing.data.read.dispatch import check_source_type
from penjing.data.source import Source
from penjing.data.table import Floats, Table
from penjing.errors import ChoiceError
from penjing.predict.inputs import align
from penjing.predict.predict import classes_of
from penjing.tree.tree_data import TreeData

KINDS = ("impurity", "permutation")


def importances(
    tree: TreeData,
    kind: str = "impurity",
    data: Source | None = None,
    *,
    surrogates: bool = False,
    n: int = 10,
    seed: int = 0,
) -> dict[str, float]:
    """Return the importance of each column, by name, largest first.

    Parameters
    ----------
    tree : TreeData
        The tree.
    kind : str
        ``impurity``: the decrease in impurity by the splits on a column (by the tree's own
        criterion, weighted by rows), as shares of the sum. ``permutation``: the loss in accuracy
        (or in explained variance) on ``data`` when the column is shuffled, a mean.
    data : Table or source
        Rows with the target, for ``permutation``; preferably not the training rows.
    surrogates : bool
        Count surrogates too (for ``impurity``): each with the decrease of its split times its
        adjusted agreement, as rpart does.
    n : int
        How often each column is shuffled.
    seed : int
        The seed of the shuffling.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("golf"), recipe="cart-binary")
    >>> list(importances(tree))[0]
    'temperature'
    """
    arguments.one_of("importance", kind, KINDS)
    arguments.boolean("surrogates", surrogates)
    if data is not None:
        check_source_type(data)
    n = arguments.whole_number("n", n, 1, arguments.MAX_REPETITIONS)
    seed = arguments.whole_number("seed", seed, 0)
    values = (
        _by_impurity(tree, surrogates=surrogates)
        if kind == "impurity"
        else _by_permutation(tree, data, n, seed)
    )
    order = sorted(range(len(values)), key=lambda c: (-values[c], c))
    return {tree.schema[c].name: float(values[c]) for c in order}


def _by_impurity(tree: TreeData, *, surrogates: bool) -> list[float]:
    values = [0.0] * len(tree.schema)
    weighted_impurity = tree.weight * _impurity(tree)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        of_children = weighted_impurity[tree.first_child[node] :][: tree.n_children[node]]
        decrease = max(float(weighted_impurity[node] - of_children.sum()), 0.0)
        values[int(tree.nodes.column[node])] += decrease
        for surrogate in tree.nodes.surrogates.get(node, ()) if surrogates else ():
            values[surrogate.column] += decrease * max(float(surrogate.adjusted), 0.0)
    total = sum(values)
    return [value / total if total > 0 else 0.0 for value in values]


def _impurity(tree: TreeData) -> Floats:
    """Return the impurity of each node, by the criterion that the tree was grown by."""
    if tree.is_regression:
        weight = np.where(tree.weight > 0, tree.weight, 1.0)
        return tree.losses / weight
    measure = gini_impurity if tree.recipe.get("criterion") == "gini" else entropy_bits
    return measure(tree.nodes.total)


def _by_permutation(tree: TreeData, data: Source | None, n: int, seed: int) -> list[float]:
    if data is None:
        raise ChoiceError("permutation_needs_data")
    table = align(tree, data)
    if table.target is None:
        raise ChoiceError("rules_need_target", target=tree.target.name)
    random = np.random.default_rng(seed)
    before = _goodness_of_fit(tree, table)
    losses = []
    for c, column in enumerate(table.columns):
        if not (tree.nodes.column == c).any() and not _is_surrogate(tree, c):
            losses.append(0.0)
            continue
        column_losses = []
        for _ in range(n):
            shuffled = column.take(random.permutation(table.n_rows))
            columns = (*table.columns[:c], shuffled, *table.columns[c + 1 :])
            column_losses.append(before - _goodness_of_fit(tree, replace(table, columns=columns)))
        losses.append(float(np.mean(column_losses)))
    return losses


def _is_surrogate(tree: TreeData, c: int) -> bool:
    return any(s.column == c for tests in tree.nodes.surrogates.values() for s in tests)


def _goodness_of_fit(tree: TreeData, table: Table) -> float:
    """Return the accuracy on rows, or the share of the variance that the tree explains."""
    assert table.target is not None
    predicted, weight = classes_of(tree, table), table.weights
    if not tree.is_regression:
        return float(weight[predicted == table.target.codes].sum() / weight.sum())
    actual = table.target.numbers()
    mean = float((actual * weight).sum() / weight.sum())
    variance = float((weight * (actual - mean) ** 2).sum())
    return 1 - float((weight * (actual - predicted) ** 2).sum()) / variance if variance > 0 else 0.0
