"""Pruning by description length: a question stays if it shortens the message of tree and classes.

A sender who knows the columns tells a receiver the class of every training row: the tree in
preorder, and for each leaf its classes (Quinlan and Rivest 1989; Mehta, Rissanen and Agrawal
1995). A question that costs more bits than it saves is noise.
"""

from __future__ import annotations

from math import lgamma, log, log2, pi

import numpy as np

from penjing.data.table import Floats
from penjing.errors import CapabilityError
from penjing.prune.decisions import Decision, apply_cuts, record_decision
from penjing.prune.pessimistic import inner_nodes_bottom_up
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData

NODE = 1.0
"""Bits that say whether a node is a leaf."""


def prune(tree: TreeData) -> tuple[TreeData, list[Decision]]:
    """Return the tree whose description, with the classes of the training rows, is shortest.

    Bottom up; a tie is cut. The counts that the tree keeps are enough. The numbers in the
    decisions are bits.

    Parameters
    ----------
    tree : TreeData
        What to prune; it stays as it is.

    Returns
    -------
    (TreeData, list of Decision)
    """
    if tree.is_regression:
        raise CapabilityError("pessimistic_needs_classes", target=tree.target.name)
    if not tree.has_counts:
        raise CapabilityError("pessimistic_needs_counts")
    weight = tree.weight.tolist()
    as_leaf = [NODE + classes_bits(total) for total in tree.nodes.total]
    now = list(as_leaf)
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    asking = {node: NODE + question_bits(tree, node) for node in inner}
    whole = sum(asking.values()) + sum(now[i] for i in range(len(now)) if tree.is_leaf[i])
    decisions = []
    for node in inner_nodes_bottom_up(tree):
        kept = asking[node] + sum(now[child] for child in tree.children(node))
        cut = as_leaf[node] <= kept * (1 + TIE)
        made = record_decision(
            node,
            weight[node],
            kept=kept,
            as_leaf=as_leaf[node],
            tree_kept=whole,
            decision="cut" if cut else "keep",
        )
        decisions.append(made)
        now[node] = as_leaf[node] if cut else kept
        whole += now[node] - kept
    return apply_cuts(tree, decisions), decisions


def classes_bits(counts: Floats) -> float:
    """Return the bits that tell the classes of a leaf's rows, their shares included.

    sum n log2(N / n) + (K - 1) / 2 log2(N / 2) + log2(pi^(K/2) / Gamma(K/2)): the stochastic
    complexity of K classes (Rissanen); nothing for no rows.

    Examples
    --------
    >>> round(classes_bits(np.array([8.0, 0.0])), 3), round(classes_bits(np.array([4.0, 4.0])), 3)
    (2.651, 10.651)
    """
    n, k = float(counts.sum()), len(counts)
    if n <= 0:
        return 0.0
    some = counts[counts > 0]
    rows = float((some * np.log2(n / some)).sum())
    shares = (k - 1) / 2 * log2(n / 2) + (k / 2 * log(pi) - lgamma(k / 2)) / log(2)
    return rows + max(shares, 0.0)


def question_bits(tree: TreeData, node: int) -> float:
    """Return the bits that tell a question: the column, then its cut or its groups of levels.

    A cut of a number is one of at most N - 1, where N rows are in the node; a division into
    all levels needs no more than the column.
    """
    column = int(tree.nodes.column[node])
    bits = log2(len(tree.schema))
    field = tree.schema[column]
    children = tree.children(node)
    if not np.isnan(tree.nodes.cut[node]):
        cuts = tree.weight_of(node) - 1 if field.is_numeric else len(field.levels) - 1
        return bits + log2(max(cuts, 1.0))
    if any(len(tree.nodes.levels(child)) > 1 for child in children):
        return bits + len(field.levels) * log2(max(len(children), 1))
    return bits
