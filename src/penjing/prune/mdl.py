"""Minimum description length pruning: a split stays if it shortens the code of tree and classes.

The code describes the tree in preorder and the classes of the rows of each leaf, for a receiver
who knows the columns (Quinlan and Rivest 1989; Mehta, Rissanen and Agrawal 1995). A split that
costs more bits than it saves is removed.
"""

from __future__ import annotations

from math import lgamma, log, log2, pi

import numpy as np
import numpy.typing as npt

from penjing.data.table import Floats
from penjing.errors import CapabilityError
from penjing.prune.bottom_up import fold_bottom_up
from penjing.prune.decisions import Decision
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData

NODE_BITS = 1.0
"""The bits that encode whether a node is a leaf."""
PAIRWISE = 8
"""NumPy adds as many numbers in another order if they are a row of a matrix with zeros."""


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
    as_leaf = NODE_BITS + leaf_bits(tree.nodes.total)
    inner = np.flatnonzero(~tree.is_leaf)
    split_bits = np.zeros(len(as_leaf))
    split_bits[inner] = NODE_BITS + column_and_branch_bits(tree, inner)
    bits = as_leaf.tolist()
    fold = fold_bottom_up(
        tree,
        as_leaf,
        lambda node, kept: bits[node] <= kept * (1 + TIE),
        tree_cost=sum(split_bits[inner].tolist()) + sum(as_leaf[tree.is_leaf].tolist()),
        own=split_bits,
    )
    return fold.apply(tree, tree.weight)


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


def leaf_bits(total: Floats) -> Floats:
    """Return `classes_bits` of each row of counts."""
    k = total.shape[1]
    if k >= PAIRWISE:
        return np.array([classes_bits(counts) for counts in total])
    n = total.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rows = np.where(total > 0, total * np.log2(n[:, None] / total), 0.0).sum(axis=1)
    constant = (k / 2 * log(pi) - lgamma(k / 2)) / log(2)
    shares = [(k - 1) / 2 * log2(x / 2) + constant if x > 0 else 0.0 for x in n.tolist()]
    return np.where(n > 0, rows + np.maximum(shares, 0.0), 0.0)


def column_and_branch_bits(tree: TreeData, inner: npt.NDArray[np.intp]) -> Floats:
    """Return the bits that encode each split: the column, then its threshold or groups of levels.

    A numeric threshold is one of at most N - 1 in a node of N rows; a split into all levels needs
    the column only.
    """
    fields = [tree.schema[column] for column in tree.nodes.column[inner].tolist()]
    n_levels = np.array([0 if field.is_numeric else len(field.levels) for field in fields])
    is_numeric = np.array([field.is_numeric for field in fields], bool)
    n_codes = np.diff(tree.nodes.level_start)
    largest = np.zeros(len(tree.nodes), np.int64)  # levels that lead into one child
    np.maximum.at(largest, tree.nodes.parent[1:], n_codes[1:])
    cuts = np.maximum(np.where(is_numeric, tree.weight[inner], n_levels) - 1, 1.0)
    bits = np.array([log2(n) for n in cuts.tolist()])
    branches = [log2(max(n, 1)) for n in tree.n_children[inner].tolist()]
    groups = np.where(largest[inner] > 1, n_levels * np.asarray(branches), 0.0)
    by_cut = ~np.isnan(tree.nodes.cut[inner])
    return np.asarray(log2(max(len(tree.schema), 1)) + np.where(by_cut, bits, groups))
