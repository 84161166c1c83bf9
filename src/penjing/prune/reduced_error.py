"""Reduced-error pruning: a split stays if it improves predictions of validation rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from penjing.prune.bottom_up import fold_bottom_up, inner_nodes_deepest_first
from penjing.prune.decisions import (
    Decision,
    Judge,
    Ties,
    check_ties,
    compare,
    measure_of,
    prediction_worth,
    worth_scale,
)
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData


def prune(tree: TreeData, judge: Judge, *, ties: Ties = "cut") -> tuple[TreeData, list[Decision]]:
    """Return the tree without the splits that do not help validation rows.

    The deepest splits are decided first, those of one depth from left to right, as in Zhou's
    textbook. The prediction of a leaf comes from its training rows. A validation row that stops
    inside the tree gets the prediction of the node where it stops, a fractional case counts in
    each part, and a class that training never saw is always an error.

    Parameters
    ----------
    tree : TreeData
        The tree to prune; it is not changed.
    judge : engine
        Counts the validation rows, which are coded like the training rows.
    ties : str
        What to do with a split that makes no difference: ``cut`` (Quinlan 1987: the smaller tree)
        or ``keep`` (Zhou's textbook).

    Returns
    -------
    (TreeData, list of Decision)
    """
    check_ties(ties)
    s = judge.reader
    measure = measure_of(s)
    cells = judge.totals(tree, range(len(tree.nodes))).cells
    as_leaf = prediction_worth(cells, tree.values, s)
    rows, size = s.weight(cells), worth_scale(cells, tree.values, s)
    below = np.zeros_like(cells)
    np.add.at(below, tree.nodes.parent[1:], cells[1:])
    # The remaining rows stopped here; in a leaf, all of them. Sums of fractional cases leave a
    # rounding residue, far below the difference that decides.
    stopped = prediction_worth(cells - below, tree.values, s)

    sign = 1.0 if measure == "correct" else -1.0
    is_cut_at_tie = ties == "cut"
    worths, sizes, weights = as_leaf.tolist(), (TIE * size).tolist(), rows.tolist()

    def is_cut(node: int, kept: float) -> bool:
        better = sign * (worths[node] - kept)
        if weights[node] == 0 or abs(better) <= sizes[node]:
            return is_cut_at_tie
        return bool(better > 0)

    fold = fold_bottom_up(
        tree,
        as_leaf,
        is_cut,
        tree_cost=float(np.where(tree.is_leaf, as_leaf, stopped).sum()),
        own=stopped,
        add=_sum,
        order=inner_nodes_deepest_first(tree),
    )
    better = sign * (fold.as_leaf - fold.kept)
    return fold.apply(tree, rows, compare(better, size[fold.node], rows[fold.node]))


def _sum(values: Iterable[float]) -> float:
    """Return the sum of the worth of the branches, rounded as NumPy does."""
    return float(np.sum(np.fromiter(values, np.float64)))
