"""The skeleton of an unpruned tree: splits and counts, so that pruning can be shown afterwards."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from penjing.tree.nodes import LEAF
from penjing.tree.tree_data import TreeData

MAX_NODES = 2_000
"""A skeleton has at most this many nodes."""
DIGITS = 3
"""Fractional counts are rounded to this many digits after the point."""
MIN_NODES = 100
"""The top of a larger tree has this many, or a third as many as the pruned tree."""


def skeleton_of(tree: TreeData, pruned: TreeData) -> dict[str, Any]:
    """Return the skeleton of a tree before pruning, as plain data.

    It has all nodes if there are at most `MAX_NODES`. Otherwise it has the first ones, breadth
    first, a third as many as the pruned tree has; a node whose children are left out looks like a
    leaf. Nodes keep their numbers, so the decisions of pruning refer to them.

    Parameters
    ----------
    tree : TreeData
        The tree before pruning.
    pruned : TreeData
        The pruned tree.

    Returns
    -------
    dict
        ``n_nodes`` of the whole tree, and ``nodes`` with ``parent``, ``total``, ``levels``,
        ``column`` and ``cut``, as a model file has them.
    """
    n = tree.n_nodes
    if n > MAX_NODES:
        n = _end_of_siblings(tree, min(max(pruned.n_nodes // 3, MIN_NODES), MAX_NODES))
    nodes = tree.nodes
    is_split = (nodes.column[:n] != LEAF) & (tree.first_child[:n] + tree.n_children[:n] <= n)
    starts = nodes.level_start[: n + 1].tolist()
    codes = nodes.level_codes[: starts[-1]].tolist()
    columns = (nodes.parent, nodes.column, nodes.cut, nodes.total)
    rows = []
    for parent, column, cut, total, (start, end), has_split in zip(
        *(values[:n].tolist() for values in columns), pairwise(starts), is_split.tolist(),
        strict=True,
    ):  # fmt: skip
        row: dict[str, Any] = {"parent": parent}
        if end > start:
            row["levels"] = codes[start:end]
        row["total"] = [int(v) if v == int(v) else round(v, DIGITS) for v in total]
        if has_split:
            row["column"] = column
            if not math.isnan(cut):
                row["cut"] = cut if math.isfinite(cut) else None
        rows.append(row)
    return {"n_nodes": tree.n_nodes, "nodes": rows}


def _end_of_siblings(tree: TreeData, n: int) -> int:
    """Return the largest number of nodes up to n that does not part siblings."""
    parent = tree.nodes.parent
    return n if n >= len(parent) else int(np.searchsorted(parent, parent[n]))
