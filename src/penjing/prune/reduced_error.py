"""Reduced-error pruning: a split stays if it improves predictions of validation rows."""

from __future__ import annotations

import numpy as np

from penjing.prune.decisions import (
    Decision,
    Judge,
    Ties,
    apply_cuts,
    check_ties,
    decide,
    measure_of,
    prediction_worth,
    worth_scale,
)
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

    inner = np.flatnonzero(~tree.is_leaf)
    in_order = inner[np.lexsort((inner, -tree.depths[inner]))]
    worth = np.where(tree.is_leaf, as_leaf, stopped)
    tree_worth = float(worth.sum())
    decisions = []
    for node in in_order.tolist():
        children = tree.children(node)
        worth_kept = float(worth[node] + worth[children.start : children.stop].sum())
        decision = decide(
            node,
            measure,
            rows=float(rows[node]),
            kept=worth_kept,
            as_leaf=float(as_leaf[node]),
            size=float(size[node]),
            tree_kept=tree_worth,
            ties=ties,
        )
        if decision.decision == "cut":
            tree_worth += float(as_leaf[node]) - worth_kept
            worth_kept = float(as_leaf[node])
        worth[node] = worth_kept
        decisions.append(decision)
    return apply_cuts(tree, decisions), decisions
