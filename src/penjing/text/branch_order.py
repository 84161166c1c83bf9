"""The order of branches in every picture and text."""

from __future__ import annotations

import math
from collections.abc import Iterator

from penjing.tree.tree_data import TreeData


def children_in_order(tree: TreeData, node: int, order: str = "rows") -> list[int]:
    """Return the children of a node in the order in which they are drawn.

    The branches of a categorical split are sorted by weight, largest first (then splits before
    leaves, then the order of levels); the branches of a threshold keep their order.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        The number of the node.
    order : str
        ``rows``, or ``levels`` for the order of the levels.

    Examples
    --------
    >>> import penjing
    >>> children_in_order(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}), 0)
    [1, 2]
    """
    children = list(tree.children(node))
    is_nominal = len(children) > 1 and math.isnan(tree.nodes.cut[node])
    if order == "rows" and is_nominal and tree.has_counts:
        children.sort(key=lambda c: (-float(tree.weight[c]), bool(tree.is_leaf[c])))
    return children


def walk_in_order(tree: TreeData) -> Iterator[int]:
    """Yield every node, each before its children, in the order of the drawing."""
    stack = [0]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children_in_order(tree, node)))
