"""Minimum-error pruning (Niblett and Bratko 1986): errors estimated by smoothed class shares."""

from __future__ import annotations

import numpy as np

from penjing import arguments
from penjing.data.table import Floats
from penjing.errors import CapabilityError
from penjing.prune.bottom_up import fold_bottom_up
from penjing.prune.decisions import Decision
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData


def prune(tree: TreeData, *, m: float | None = None) -> tuple[TreeData, list[Decision]]:
    """Return the tree with the fewest expected errors, from the counts in the tree.

    The expected error rate of a leaf of N rows, n of them of its class, is
    1 - (n + p m) / (N + m), where p is the share of the class at the root (Cestnik and Bratko
    1991). Without ``m`` it is Laplace's rule, one more row per class: (N - n + K - 1) / (N + K).
    The rate of a split is the weighted mean of its branches; a tie is cut.

    Parameters
    ----------
    tree : TreeData
        The tree to prune; it is not changed.
    m : float, optional
        The weight of the shares at the root, in rows; a larger value prunes more.

    Returns
    -------
    (TreeData, list of Decision)
    """
    if tree.is_regression:
        raise CapabilityError("pessimistic_needs_classes", target=tree.target.name)
    if not tree.has_counts:
        raise CapabilityError("pessimistic_needs_counts")
    if m is not None:
        arguments.number("m", m)
    errors = tree.weight * expected_error_rates(tree, m)
    as_leaf, tie = errors.tolist(), (TIE * tree.weight).tolist()
    fold = fold_bottom_up(
        tree,
        errors,
        lambda node, kept: as_leaf[node] <= kept + tie[node],
        tree_cost=sum(errors[tree.is_leaf].tolist()),
    )
    return fold.apply(tree, tree.weight)


def expected_error_rates(tree: TreeData, m: float | None = None) -> Floats:
    """Return the expected error rate of each node as a leaf.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})  # a row in each leaf
    >>> expected_error_rates(tree).round(3).tolist()
    [0.5, 0.333, 0.333]
    """
    n = tree.weight
    n_correct = n - tree.losses
    if m is None:
        k = len(tree.classes)
        return np.asarray((n - n_correct + k - 1) / (n + k))
    prior = (tree.nodes.total[0] / n[0])[tree.values]
    total = n + m
    return np.asarray(1 - (n_correct + prior * m) / np.where(total > 0, total, 1.0))
