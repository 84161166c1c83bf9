"""How much each column matters: by what its questions gained, or by what is lost without it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from penjing import arguments
from penjing.criteria.entropy import bits
from penjing.criteria.gini import gini_of
from penjing.data.read.dispatch import refuse_source
from penjing.data.table import Table
from penjing.errors import ChoiceError
from penjing.predict.inputs import align
from penjing.predict.predict import classes_of
from penjing.tree.tree_data import TreeData

KINDS = ("impurity", "permutation")


def importances(
    tree: TreeData,
    kind: str = "impurity",
    data: Any = None,  # noqa: ANN401 - whatever `align` takes
    *,
    surrogates: bool = False,
    n: int = 10,
    seed: int = 0,
) -> dict[str, float]:
    """Return how much each column of a tree matters, by name, most first.

    Parameters
    ----------
    tree : TreeData
        The tree.
    kind : str
        ``impurity``: the impurity that the questions of a column take away (by the tree's own
        criterion, weighted by rows), as shares of the sum. ``permutation``: what accuracy (or the
        share of variance explained) is lost on ``data`` when the column is shuffled, a mean.
    data : Table or source
        Rows with the target, for ``permutation``; better not those of training.
    surrogates : bool
        Count surrogates too (for ``impurity``): each with the decrease of its question times its
        adjusted agreement, as rpart does.
    n : int
        How often each column is shuffled.
    seed : int
        Decides how.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("golf"), recipe="cart-binary")
    >>> list(importances(tree))[0]
    'temperature'
    """
    arguments.word("importance", kind, KINDS)
    arguments.switch("surrogates", surrogates)
    if data is not None:
        refuse_source(data)
    n = arguments.whole_number("n", n, 1, arguments.MANY)
    seed = arguments.whole_number("seed", seed, 0)
    found = (
        _by_impurity(tree, surrogates=surrogates)
        if kind == "impurity"
        else _by_permutation(tree, data, n, seed)
    )
    order = sorted(range(len(found)), key=lambda c: (-found[c], c))
    return {tree.schema[c].name: float(found[c]) for c in order}


def _by_impurity(tree: TreeData, *, surrogates: bool) -> list[float]:
    found = [0.0] * len(tree.schema)
    impure = tree.weight * _impurity(tree)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        below = impure[tree.first_child[node] :][: tree.n_children[node]].sum()
        decrease = max(float(impure[node] - below), 0.0)
        found[int(tree.nodes.column[node])] += decrease
        for stand_in in tree.nodes.surrogates.get(node, ()) if surrogates else ():
            found[stand_in.column] += decrease * max(float(stand_in.adjusted), 0.0)
    whole = sum(found)
    return [value / whole if whole > 0 else 0.0 for value in found]


def _impurity(tree: TreeData) -> Any:  # noqa: ANN401 - an array
    """Return how mixed each node is, by the measure that the tree was grown by."""
    if tree.is_regression:
        weight = np.where(tree.weight > 0, tree.weight, 1.0)
        return tree.losses / weight
    measure = gini_of if tree.recipe.get("criterion") == "gini" else bits
    return measure(tree.nodes.total)


def _by_permutation(tree: TreeData, data: Any, n: int, seed: int) -> list[float]:  # noqa: ANN401
    if data is None:
        raise ChoiceError("permutation_needs_data")
    table = align(tree, data)
    if table.target is None:
        raise ChoiceError("rules_need_target", target=tree.target.name)
    draw = np.random.default_rng(seed)
    before = _worth(tree, table)
    found = []
    for c, column in enumerate(table.columns):
        if not (tree.nodes.column == c).any() and not _stands_in(tree, c):
            found.append(0.0)
            continue
        lost = []
        for _ in range(n):
            shuffled = column.take(draw.permutation(table.n_rows))
            columns = (*table.columns[:c], shuffled, *table.columns[c + 1 :])
            lost.append(before - _worth(tree, replace(table, columns=columns)))
        found.append(float(np.mean(lost)))
    return found


def _stands_in(tree: TreeData, c: int) -> bool:
    return any(s.column == c for tests in tree.nodes.surrogates.values() for s in tests)


def _worth(tree: TreeData, table: Table) -> float:
    """Return the accuracy on rows, or the share of the variance explained."""
    assert table.target is not None
    answers, weight = classes_of(tree, table), table.weights
    if not tree.is_regression:
        return float(weight[answers == table.target.codes].sum() / weight.sum())
    truth = table.target.numbers()
    mean = float((truth * weight).sum() / weight.sum())
    whole = float((weight * (truth - mean) ** 2).sum())
    return 1 - float((weight * (truth - answers) ** 2).sum()) / whole if whole > 0 else 0.0
