"""Minimum description length pruning: a split stays if it shortens the code of tree and classes.

The code describes the tree in preorder and the classes of the rows of each leaf, for a receiver
who knows the columns (Quinlan and Rivest 1989; Mehta, Rissanen and Agrawal 1995). A split that
costs more bits than it saves is removed.
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

NODE_BITS = 1.0
"""The bits that encode whether a node is a leaf."""


def prune(tree: TreeData) -> tuple[TreeData, list[Decision]]:
    """Return the tree with the shortest code of the tree and the classes of the training rows.

    Nodes are decided bottom up; a tie is cut. The counts in the tree are sufficient. The numbers
    in the decisions are bits.

    Parameters
    ----------
    tree : TreeData
        The tree to prune; it is not changed.

    Returns
    -------
    (TreeData, list of Decision)
    """
    if tree.is_regression:
        raise CapabilityError("pessimistic_needs_classes", target=tree.target.name)
    if not tree.has_counts:
        raise CapabilityError("pessimistic_needs_counts")
    weight = tree.weight.tolist()
    as_leaf = [NODE_BITS + classes_bits(total) for total in tree.nodes.total]
    bits = list(as_leaf)
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    split_bits_of = {node: NODE_BITS + question_bits(tree, node) for node in inner}
    tree_bits = sum(split_bits_of.values()) + sum(
        bits[i] for i in range(len(bits)) if tree.is_leaf[i]
    )
    decisions = []
    for node in inner_nodes_bottom_up(tree):
        bits_kept = split_bits_of[node] + sum(bits[child] for child in tree.children(node))
        is_cut = as_leaf[node] <= bits_kept * (1 + TIE)
        decision = record_decision(
            node,
            weight[node],
            kept=bits_kept,
            as_leaf=as_leaf[node],
            tree_kept=tree_bits,
            decision="cut" if is_cut else "keep",
        )
        decisions.append(decision)
        bits[node] = as_leaf[node] if is_cut else bits_kept
        tree_bits += bits[node] - bits_kept
    return apply_cuts(tree, decisions), decisions


def classes_bits(counts: Floats) -> float:
    """Return the bits that encode the classes of a leaf's rows, their shares included.

    sum n log2(N / n) + (K - 1) / 2 log2(N / 2) + log2(pi^(K/2) / Gamma(K/2)): the stochastic
    complexity of K classes (Rissanen); 0 without rows.

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
    """Return the bits that encode a split: the column, then its threshold or groups of levels.

    A numeric threshold is one of at most N - 1 in a node of N rows; a split into all levels needs
    the column only.
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
