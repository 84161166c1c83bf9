"""Reduced-error pruning: a question stays if validation rows fare better with it than without."""

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
    """Return the tree without the questions that do not help validation rows.

    Bottom up, the deepest questions first and those of one depth from left to right, as the
    watermelon book goes: children are decided before their parent. A leaf answers as its
    training rows say. A validation row that stops inside the tree is judged by the node where
    it stops, one that is shared out counts in each part; a class that training never saw is
    always answered wrongly.

    Parameters
    ----------
    tree : TreeData
        What to prune; it stays as it is.
    judge : engine
        Holds the validation rows, coded as the tree codes them.
    ties : str
        What becomes of a question that makes no difference: ``cut`` (Quinlan 1987: the smaller
        tree) or ``keep`` (as the watermelon book does).

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
    # What is left over stopped here. In a leaf that is everything; where rows are shared out,
    # sums of parts leave a residue, which is far below what two numbers must differ by.
    stopped = prediction_worth(cells - below, tree.values, s)

    inner = np.flatnonzero(~tree.is_leaf)
    in_order = inner[np.lexsort((inner, -tree.depths[inner]))]
    now = np.where(tree.is_leaf, as_leaf, stopped)
    whole = float(now.sum())
    decisions = []
    for node in in_order.tolist():
        children = tree.children(node)
        kept = float(now[node] + now[children.start : children.stop].sum())
        made = decide(
            node,
            measure,
            rows=float(rows[node]),
            kept=kept,
            as_leaf=float(as_leaf[node]),
            size=float(size[node]),
            tree_kept=whole,
            ties=ties,
        )
        if made.decision == "cut":
            whole += float(as_leaf[node]) - kept
            kept = float(as_leaf[node])
        now[node] = kept
        decisions.append(made)
    return apply_cuts(tree, decisions), decisions
