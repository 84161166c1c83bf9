"""Curves: how well a tree does with more rows, with fewer leaves, and how sure it may be.

Every curve is plain data: what is measured, and a list of points. For classes the measure is
the accuracy, for numbers the root of the mean squared error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from penjing.data.folds import each_fold, hold_out
from penjing.data.table import Table
from penjing.errors import CapabilityError, ChoiceError, DataError
from penjing.evaluate.metrics import NumberReport, Report
from penjing.evaluate.validation import score
from penjing.grow.recipe import Recipe
from penjing.prune.cost_complexity import Link, path
from penjing.training.cross_validate import Grower, grower_of
from penjing.tree.tree_data import TreeData

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""The parts of the training rows from which trees are grown."""
MOST_POINTS = 60
"""A pruning curve has no more points than this; of a longer one some are left out."""
BINS = 10
Curve = dict[str, Any]


def learning_curve(
    table: Table,
    how: str | Recipe | TreeData | Grower,
    *,
    shares: Sequence[float] = SHARES,
    k: int = 5,
    seed: int = 0,
) -> Curve:
    """Grow trees from more and more rows, and test each on the fold left out.

    Parameters
    ----------
    table : Table
        All rows.
    how : str, Recipe, TreeData or function
        How to grow; as in :func:`penjing.cross_validate`.
    shares : sequence of float
        Which parts of the training rows are used, above 0 up to 1.
    k : int
        The number of folds.
    seed : int
        Decides which rows make a fold, and which of them are used.

    Returns
    -------
    dict
        ``kind``, ``measure``, and ``points``: each with ``rows`` (the mean number of rows that
        grew a tree), ``train`` and ``test`` (means over the folds), ``folds`` (each test).

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> table = Table((nominal("x", ["a", "b"] * 20),), nominal("y", ["u", "v"] * 20), 40)
    >>> curve = learning_curve(table, "id3", shares=[0.5, 1])
    >>> [(point["rows"], point["test"]) for point in curve["points"]]
    [(16.0, 1.0), (32.0, 1.0)]
    """
    if table.target is None:
        raise DataError("no_target_in_table")
    for share in shares:
        if not 0 < share <= 1:
            raise ChoiceError("bad_share", value=share)
    grow = grower_of(how, seed, None, None, {})
    found: list[list[tuple[int, float, float]]] = [[] for _ in shares]
    for train, held_out in each_fold(table, k, seed):
        for place, share in enumerate(shares):
            rows = train if share == 1 else hold_out(train, share, seed)[1]
            tree = grow(rows)
            found[place].append((rows.n_rows, _measured(tree, rows), _measured(tree, held_out)))
    points = [
        {
            "rows": _mean(n for n, _, _ in folds),
            "train": _mean(train for _, train, _ in folds),
            "test": _mean(test for _, _, test in folds),
            "folds": [test for _, _, test in folds],
        }
        for folds in found
    ]
    return {"kind": "learning", "measure": _measure(table), "points": points}


def pruning_curve(
    tree: TreeData,
    train: Table | None = None,
    test: Table | None = None,
    *,
    k: int = 10,
    seed: int = 0,
) -> Curve:
    """Cut a tree back link by link, weakest first, and measure every tree on the way.

    Parameters
    ----------
    tree : TreeData
        The tree; grown from rows, not by hand.
    train : Table, optional
        Its training rows. Without rows to test on, they are divided into folds: a tree is grown
        from the others, cut back as far, and tested on the fold.
    test : Table, optional
        Rows to test on.
    k, seed : int
        The folds, where they are needed.

    Returns
    -------
    dict
        ``kind``, ``measure``, ``tested`` (``rows``, ``folds`` or None), and ``points``: each with
        ``alpha`` (the complexity per leaf from which on the tree is cut so far), ``leaves``,
        ``train`` and ``test`` (of folds, over all rows together), None where no rows are at hand.

    Examples
    --------
    >>> from penjing import fit
    >>> from penjing.data.table import nominal
    >>> table = Table((nominal("x", ["a", "b"] * 20),), nominal("y", ["u", "v"] * 20), 40)
    >>> [(p["leaves"], p["train"]) for p in pruning_curve(fit(table), table)["points"]]
    [(2, 1.0), (1, 0.5)]
    """
    if not tree.has_counts:
        raise CapabilityError("complexity_needs_counts")
    links = _distinct(path(tree))
    kept = _some(len(links))
    smaller = [_cut(tree, path(tree), links[i].alpha) for i in kept]
    tested: list[float] | None = None
    how = None
    if test is not None:
        tested, how = [_measured(one, test) for one in smaller], "rows"
    elif train is not None and train.target is not None:
        middle = _middles([link.alpha for link in links])
        tested, how = _folded(tree, train, [middle[i] for i in kept], k, seed), "folds"
    points = []
    for place, (i, one) in enumerate(zip(kept, smaller, strict=True)):
        point = {"alpha": links[i].alpha, "leaves": one.n_leaves}
        point["train"] = None if train is None else _measured(one, train)  # type: ignore[assignment]
        point["test"] = None if tested is None else tested[place]  # type: ignore[assignment]
        points.append(point)
    return {"kind": "pruning", "measure": _measure(tree), "tested": how, "points": points}


def calibration(tree: TreeData, table: Table, bins: int = BINS) -> Curve:
    """Compare how sure a tree is of its answers with how often they are right.

    Returns
    -------
    dict
        ``kind`` and ``points``: for each tenth of the way from 0 to 1 that has rows ``low``,
        ``high``, ``weight``, ``said`` (the mean share of the answered class) and ``right``.

    Examples
    --------
    >>> from penjing.data.table import nominal
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"x": {"a": "u", "b": "v"}}, target="y")
    >>> table = Table((nominal("x", ["a", "b"]),), nominal("y", ["u", "u"]), 2)
    >>> calibration(tree, table)["points"]
    [{'low': 0.9, 'high': 1.0, 'weight': 2.0, 'said': 1.0, 'right': 0.5}]
    """
    if tree.is_regression:
        raise CapabilityError("shares_need_classes", target=tree.target.name)
    from penjing.predict.inputs import align  # noqa: PLC0415 - only here
    from penjing.predict.predict import classes_of, predict_proba  # noqa: PLC0415

    rows = align(tree, table)
    if rows.target is None:
        raise DataError("no_target_in_table")
    rows = rows.take(rows.target.codes >= 0)
    assert rows.target is not None
    answers = classes_of(tree, rows)
    said = predict_proba(tree, rows)[np.arange(rows.n_rows), answers]
    right, weight = answers == rows.target.codes, rows.weights
    place = np.minimum((said * bins).astype(np.intp), bins - 1)
    points = []
    for i in np.unique(place).tolist():
        here = place == i
        whole = float(weight[here].sum())
        point = {"low": i / bins, "high": (i + 1) / bins, "weight": whole}
        point["said"] = float((said * weight)[here].sum()) / whole if whole else 0.0
        point["right"] = float((right * weight)[here].sum()) / whole if whole else 0.0
        points.append(point)
    return {"kind": "calibration", "points": points}


# -- inside ---------------------------------------------------------------------------------


def _measure(of: Table | TreeData) -> str:
    return "rmse" if of.is_regression else "accuracy"


def _measured(tree: TreeData, table: Table) -> float:
    report = score(tree, table)
    return float(report.accuracy if hasattr(report, "accuracy") else report.rmse)


def _mean(values: Any) -> float:  # noqa: ANN401 - numbers
    return float(np.mean(list(values)))


def _distinct(links: Sequence[Link]) -> list[Link]:
    """Return one link of each complexity: the last, with the smallest tree."""
    by_alpha: dict[float, Link] = {}
    highest = 0.0
    for link in links:
        highest = max(highest, link.alpha)  # rounding may let it fall by a hair
        by_alpha[highest] = replace(link, alpha=highest)
    return list(by_alpha.values())


def _some(n: int) -> list[int]:
    if n <= MOST_POINTS:
        return list(range(n))
    return sorted({round(i * (n - 1) / (MOST_POINTS - 1)) for i in range(MOST_POINTS)})


def _cut(tree: TreeData, links: Sequence[Link], alpha: float) -> TreeData:
    """Return the tree with every link cut that is not worth so much a leaf."""
    nodes, highest = [], 0.0
    for link in links:
        highest = max(highest, link.alpha)
        if highest > alpha:
            break
        if link.node >= 0:
            nodes.append(link.node)
    return tree.pruned(nodes)


def _middles(alphas: Sequence[float]) -> list[float]:
    """Return the complexity that stands for each tree: between two the tree stays the same.

    It is their geometric mean (Breiman et al. 1984, 3.4.2). Beyond the last one there is the root
    alone, however much a leaf costs; a fold's tree may need more to be cut back so far.
    """
    return [*(float(np.sqrt(a * b)) for a, b in pairwise(alphas)), np.inf]


def _folded(
    tree: TreeData, train: Table, alphas: Sequence[float], k: int, seed: int
) -> list[float]:
    """Return the measure of each complexity over the rows of all folds together."""
    k = min(k, train.n_rows)
    grow = grower_of(replace(tree, about={}), seed, None, None, {})
    found: list[list[Report | NumberReport]] = [[] for _ in alphas]
    for rows, held_out in each_fold(train, k, seed):
        grown = grow(rows)
        links = path(grown)
        part = float(rows.weights.sum() / train.weights.sum())
        for place, alpha in enumerate(alphas):
            found[place].append(score(_cut(grown, links, alpha * part), held_out))
    return [_pooled(tests) for tests in found]


def _pooled(reports: Sequence[Report | NumberReport]) -> float:
    """Return what one report of all rows would say: shares, or squares, by their weights."""
    weight = sum(report.weight for report in reports)
    right = [report.correct for report in reports if isinstance(report, Report)]
    if right:
        return sum(right) / weight
    squares = [r.rmse**2 * r.weight for r in reports if isinstance(r, NumberReport)]
    return math.sqrt(sum(squares) / weight)
