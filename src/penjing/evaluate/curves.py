"""Curves as plain data: the learning curve, the pruning curve, and calibration.

Every curve is a dict with the measure and a list of points. The measure is the accuracy for
classes, and the root mean squared error for numbers. Measures of test rows have a standard error:
of an accuracy that of a share, of a root mean squared error that of its square by the delta method.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from penjing.data.folds import each_fold, hold_out
from penjing.data.table import Table
from penjing.errors import CapabilityError, ChoiceError, DataError
from penjing.evaluate.metrics import Report
from penjing.evaluate.number_report import NumberReport
from penjing.evaluate.validation import score
from penjing.grow.recipe import Recipe
from penjing.prune.cost_complexity import Link, pruning_path
from penjing.registry import load
from penjing.training.cross_validate import Grower, grower_of
from penjing.tree.tree_data import TreeData

if TYPE_CHECKING:
    from penjing.formatting.chart_protocol import AnyChart

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""The shares of the training rows from which the trees of a learning curve are grown."""
MOST_POINTS = 60
"""A pruning curve has at most this many points; of a longer one some are left out."""
BINS = 10


class Curve(dict[str, Any]):
    """A curve as plain data, which can be drawn.

    Examples
    --------
    >>> curve = Curve(kind="learning", measure="accuracy", points=[{"rows": 9, "train": 1.0}])
    >>> curve.chart().kind
    'learning'
    """

    def chart(
        self, *, lang: str = "en", theme: str = "light", title: str | None = None
    ) -> AnyChart:
        """Return the curve as a chart, with bars of one standard error.

        Parameters
        ----------
        lang : str
            ``en`` or ``zh``.
        theme : str
            ``light``, ``dark`` or ``print``.
        title : str, optional
            The heading; default: the kind of the curve.

        Examples
        --------
        >>> Curve(kind="learning", points=[{"rows": 9, "train": 1.0}]).chart(lang="zh").title
        '学习曲线'
        """
        draw = load("chart", self["kind"])
        made: AnyChart = draw(self, lang=lang, theme=theme, title=title)
        return made


def learning_curve(
    table: Table,
    how: str | Recipe | TreeData | Grower,
    *,
    shares: Sequence[float] = SHARES,
    k: int = 5,
    seed: int = 0,
) -> Curve:
    """Grow trees from increasing shares of the rows, and test each on the fold left out.

    Parameters
    ----------
    table : Table
        All rows.
    how : str, Recipe, TreeData or function
        How to grow; as in :func:`penjing.cross_validate`.
    shares : sequence of float
        The shares of the training rows to use, each above 0 and at most 1.
    k : int
        The number of folds.
    seed : int
        The seed that assigns rows to folds and selects those that are used.

    Returns
    -------
    dict
        ``kind``, ``measure``, and ``points``: each with ``rows`` (the mean number of rows that
        a tree was grown from), ``train`` and ``test`` (the mean measure over the folds),
        ``folds`` (the measure on the test rows of each fold), and ``se`` (the standard error of
        their mean).

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
    grow = grower_of(how, table, seed)
    results: list[list[tuple[int, float, float]]] = [[] for _ in shares]
    for train, held_out in each_fold(table, k, seed):
        for share, of_share in zip(shares, results, strict=True):
            rows = train if share == 1 else hold_out(train, share, seed)[1]
            tree = grow(rows)
            of_share.append((rows.n_rows, _score(tree, rows), _score(tree, held_out)))
    points = [
        {
            "rows": _mean(n for n, _, _ in folds),
            "train": _mean(train for _, train, _ in folds),
            "test": _mean(test for _, _, test in folds),
            "folds": [test for _, _, test in folds],
            "se": _standard_error([test for _, _, test in folds]),
        }
        for folds in results
    ]
    curve = {"kind": "learning", "measure": _measure(table), "tested": "folds"}
    return Curve(curve, folds=len(results[0]) if results else 0, points=points)


def pruning_curve(
    tree: TreeData,
    train: Table | None = None,
    test: Table | None = None,
    *,
    k: int = 10,
    seed: int = 0,
    cross_validation: bool = True,
) -> Curve:
    """Prune a tree by cost-complexity, weakest link first, and measure every tree on the way.

    Parameters
    ----------
    tree : TreeData
        The tree, with counts of training rows.
    train : Table, optional
        Its training rows. Without ``test`` they are cross-validated: for each fold a tree is
        grown from the other folds, pruned to the same complexities, and tested on the fold.
    test : Table, optional
        The test set.
    k, seed : int
        The number of folds and their seed, for cross-validation.
    cross_validation : bool
        Whether to cross-validate without ``test``; otherwise the points have no test measure.

    Returns
    -------
    dict
        ``kind``, ``measure``, ``tested`` (``rows``, ``folds`` or None), and ``points``: each with
        ``alpha`` (the smallest complexity per leaf at which the tree is pruned this far),
        ``leaves``, ``train``, ``test`` (of folds, over all rows together) and ``se``, its
        standard error. Measures are None if there are no rows to compute them from.
        ``own_leaves`` is the size of the tree itself, ``best_leaves`` that of the best tree on
        test rows, and ``one_se_leaves`` that of the smallest tree within one standard error of
        the best one (Breiman et al. 1984); None without test rows.

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
    path = pruning_path(tree)
    links = _distinct(path)
    shown = _evenly_spaced(len(links))
    subtrees = [_pruned(tree, path, links[i].alpha) for i in shown]
    test_scores: list[tuple[float, float | None]] | None = None
    tested = None
    if test is not None:
        test_scores = [_pooled([score(subtree, test)]) for subtree in subtrees]
        tested = "rows"
    elif cross_validation and train is not None and train.target is not None:
        alphas = _geometric_means([link.alpha for link in links])
        test_scores = _cross_validated(tree, train, [alphas[i] for i in shown], k, seed)
        tested = "folds"
    points = []
    for position, (i, subtree) in enumerate(zip(shown, subtrees, strict=True)):
        point: dict[str, float | None] = {"alpha": links[i].alpha, "leaves": subtree.n_leaves}
        point["train"] = None if train is None else _score(subtree, train)
        tested_as = (None, None) if test_scores is None else test_scores[position]
        point["test"], point["se"] = tested_as
        points.append(point)
    measure = _measure(tree)
    sizes: dict[str, Any] = {"own_leaves": tree.n_leaves, **_choices(points, measure)}
    if tested == "folds":
        assert train is not None
        sizes["folds"] = min(k, train.n_rows)
    return Curve(kind="pruning", measure=measure, tested=tested, points=points, **sizes)


def _choices(points: Sequence[dict[str, Any]], measure: str) -> dict[str, int | None]:
    """Return the size of the best tree, and that of the smallest within one standard error.

    The error of classes is their share of wrong predictions, that of numbers the mean squared
    error, as rpart's table of complexities has them. Of equally good trees the smallest is best.
    """
    tested = [point for point in points if point["test"] is not None]
    if not tested:
        return {"best_leaves": None, "one_se_leaves": None}

    def error(point: dict[str, Any]) -> float:
        return float(1 - point["test"] if measure == "accuracy" else point["test"] ** 2)

    best = min(tested, key=lambda point: (error(point), point["leaves"]))
    se = best["se"] or 0.0
    limit = error(best) + (se if measure == "accuracy" else 2 * best["test"] * se)
    within = [point for point in tested if error(point) <= limit]
    chosen = min(within, key=lambda point: int(point["leaves"]))
    return {"best_leaves": int(best["leaves"]), "one_se_leaves": int(chosen["leaves"])}


def calibration(tree: TreeData, table: Table, bins: int = BINS) -> dict[str, Any]:
    """Compare the predicted probability of predictions with the share that is correct.

    Parameters
    ----------
    tree : TreeData
        A tree for classes.
    table : Table
        Rows with the target.
    bins : int
        The number of intervals of equal width between 0 and 1.

    Returns
    -------
    dict
        ``kind`` and ``points``: for each interval that has rows ``low``, ``high``, ``weight``,
        ``said`` (the mean predicted probability of the predicted class) and ``right`` (the share
        of correct predictions).

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
    report = score(tree, table)
    assert isinstance(report, Report)
    return report.calibration(bins)


def _measure(data: Table | TreeData) -> str:
    return "rmse" if data.is_regression else "accuracy"


def _score(tree: TreeData, table: Table) -> float:
    return _pooled([score(tree, table)])[0]


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _standard_error(values: Sequence[float]) -> float | None:
    """Return the standard error of a mean; None of a single value."""
    return float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else None


def _distinct(links: Sequence[Link]) -> list[Link]:
    """Return the last link of each complexity, the one that leaves the smallest tree."""
    by_alpha: dict[float, Link] = {}
    highest = 0.0
    for link in links:
        highest = max(highest, link.alpha)  # rounding may make it decrease slightly
        by_alpha[highest] = replace(link, alpha=highest)
    return list(by_alpha.values())


def _evenly_spaced(n: int) -> list[int]:
    """Return at most `MOST_POINTS` of the indices below n, the first and the last among them."""
    if n <= MOST_POINTS:
        return list(range(n))
    return sorted({round(i * (n - 1) / (MOST_POINTS - 1)) for i in range(MOST_POINTS)})


def _pruned(tree: TreeData, links: Sequence[Link], alpha: float) -> TreeData:
    """Return the tree without the subtrees whose complexity is at most ``alpha``."""
    nodes, highest = [], 0.0
    for link in links:
        highest = max(highest, link.alpha)
        if highest > alpha:
            break
        if link.node >= 0:
            nodes.append(link.node)
    return tree.pruned(nodes)


def _geometric_means(alphas: Sequence[float]) -> list[float]:
    """Return the complexity that represents each tree of the sequence in cross-validation.

    A tree is the best one from its own complexity up to the next; the geometric mean of both
    represents it (Breiman et al. 1984, 3.4.2). The last tree, the root alone, is represented by
    infinity, since the tree of a fold may have a larger last complexity.
    """
    return [*(float(np.sqrt(a * b)) for a, b in pairwise(alphas)), np.inf]


def _cross_validated(
    tree: TreeData, train: Table, alphas: Sequence[float], k: int, seed: int
) -> list[tuple[float, float | None]]:
    """Return the measure of each complexity over the rows of all folds, and its error."""
    k = min(k, train.n_rows)
    grow = grower_of(replace(tree, about={}), train, seed)
    reports: list[list[Report | NumberReport]] = [[] for _ in alphas]
    for rows, held_out in each_fold(train, k, seed):
        fold_tree = grow(rows)
        links = pruning_path(fold_tree)
        share = float(rows.weights.sum() / train.weights.sum())
        for alpha, of_alpha in zip(alphas, reports, strict=True):
            of_alpha.append(score(_pruned(fold_tree, links, alpha * share), held_out))
    return [_pooled(of_alpha) for of_alpha in reports]


def _pooled(reports: Sequence[Report | NumberReport]) -> tuple[float, float | None]:
    """Return the measure over the rows of several reports together, and its standard error."""
    weight = sum(report.weight for report in reports)
    correct = [report.correct for report in reports if isinstance(report, Report)]
    if correct:
        share = min(sum(correct) / weight, 1.0)  # sums of weights are rounded
        return share, math.sqrt(share * (1 - share) / weight)
    numbers = [report for report in reports if isinstance(report, NumberReport)]
    mean_square = sum(r.rmse**2 * r.weight for r in numbers) / weight
    rmse = math.sqrt(mean_square)
    if weight <= 1 or rmse == 0:
        return rmse, None
    squares = [
        float(r.weights @ ((r.pairs[1] - r.pairs[0]) ** 2 - mean_square) ** 2)
        for r in numbers
        if r.pairs is not None and r.weights is not None
    ]
    return rmse, math.sqrt(sum(squares) / (weight - 1) / weight) / (2 * rmse)
