"""Whether two trees have the same nodes, whatever their records say about how they were made."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from penjing.tree.tree_data import TreeData


def have_same_nodes(one: TreeData, other: TreeData) -> bool:
    """Return whether two trees of one table have the same splits, counts and predictions.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("fish"))
    >>> have_same_nodes(tree, tree.regrow_at(0)), have_same_nodes(tree, tree.prune_at(1))
    (True, False)
    """
    if one.n_nodes != other.n_nodes:
        return False
    for each in fields(one.nodes):
        a, b = getattr(one.nodes, each.name), getattr(other.nodes, each.name)
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
            if a.shape != b.shape or not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
                return False
        elif each.name != "gap" and _plain(each.name, a) != _plain(each.name, b):
            return False
    return np.array_equal(one.values, other.values)


def _plain(name: str, value: Any) -> object:  # noqa: ANN401 - a field of the nodes
    """Return a field of the nodes as plain data, which can be compared."""
    if name != "surrogates":
        return value is None if isinstance(value, np.ndarray | None) else dict(value)
    return {
        node: [
            (s.column, s.cut, s.below, [np.asarray(group).tolist() for group in s.groups])
            for s in surrogates
        ]
        for node, surrogates in value.items()
    }
