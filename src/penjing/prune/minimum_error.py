"""Minimum-error pruning (Niblett and Bratko 1986): errors are expected by smoothed shares."""

from __future__ import annotations

import numpy as np

from penjing import arguments
from penjing.data.table import Floats
from penjing.errors import CapabilityError
from penjing.prune.decisions import Decision, apply_cuts, record_decision
from penjing.prune.pessimistic import inner_nodes_bottom_up
from penjing.tree.counts import TIE
from penjing.tree.tree_data import TreeData


def prune(tree: TreeData, *, m: float | None = None) -> tuple[TreeData, list[Decision]]:
    """Return the tree with the fewest expected errors, by the counts it keeps.

    A leaf of N rows, n of them of its class, is expected to err at the rate
    1 - (n + p m) / (N + m), p being the class's share at the root (Cestnik and Bratko 1991).
    Without ``m`` it is Laplace's rule: every class has one row more, (N - n + K - 1) / (N + K).
    The rate of a question is that of its branches, by their weight; a tie is cut.

    Parameters
    ----------
    tree : TreeData
        What to prune; it stays as it is.
    m : float, optional
        How many rows the shares at the root are worth; the more, the more is cut.

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
    weight = tree.weight.tolist()
    as_leaf = (tree.weight * expected_error_rates(tree, m)).tolist()
    now = list(as_leaf)
    whole = sum(now[i] for i in range(len(now)) if tree.is_leaf[i])
    decisions = []
    for node in inner_nodes_bottom_up(tree):
        kept = sum(now[child] for child in tree.children(node))
        cut = as_leaf[node] <= kept + TIE * weight[node]
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


def expected_error_rates(tree: TreeData, m: float | None = None) -> Floats:
    """Return the rate at which each node is expected to err as a leaf.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird"}})  # a row in each leaf
    >>> expected_error_rates(tree).round(3).tolist()
    [0.5, 0.333, 0.333]
    """
    n = tree.weight
    right = n - tree.losses
    if m is None:
        k = len(tree.classes)
        return np.asarray((n - right + k - 1) / (n + k))
    prior = (tree.nodes.total[0] / n[0])[tree.values]
    whole = n + m
    return np.asarray(1 - (right + prior * m) / np.where(whole > 0, whole, 1.0))
