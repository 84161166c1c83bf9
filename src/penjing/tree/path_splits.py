"""The tightest splits on the paths from the root to nodes: what rules need of a path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import isinf, isnan
from typing import Literal

from penjing.tree.tree_data import TreeData

Side = Literal["in", "<=", ">", "known", "missing"]
"""The side of a split on which a branch lies.

Some categories, at most or above the threshold, the value is known, or it is missing.
"""

PathSplits = Mapping[tuple[int, Side], int]
"""The last node of a path that is reached by a side of a split of a column.

Deeper thresholds are tighter, and deeper groups of categories are smaller, so the last one of each
kind says all. The keys are in the order in which they first occur on the path.
"""


def splits_on_path(tree: TreeData, node: int) -> PathSplits:
    """Return the last split of each kind on the path to a node.

    Examples
    --------
    >>> import penjing
    >>> below = {"x": {"<= 2.0": "a", "> 2.0": "b"}}
    >>> tree = penjing.Tree.from_dict({"x": {"<= 5.0": below, "> 5.0": "a"}})
    >>> splits_on_path(tree, 3), splits_on_path(tree, 4)
    ({(0, '<='): 3}, {(0, '<='): 1, (0, '>'): 4})
    """
    return {_side(tree, parent, child): child for parent, child in pairwise(tree.path(node))}


def splits_on_paths(
    tree: TreeData,
    nodes: Iterable[int],
    children: Callable[[TreeData, int], Sequence[int]] = TreeData.children,
) -> Iterator[tuple[int, PathSplits]]:
    """Yield nodes and the last splits on their paths, each node before the nodes below it.

    What the paths have in common is walked once, so that the time does not grow with the square
    of the depth. The mapping changes when the next node is asked for.

    Parameters
    ----------
    tree : TreeData
        The tree.
    nodes : iterable of int
        The nodes, in any order.
    children : callable
        The children of a node in the order in which they are visited.

    Examples
    --------
    >>> import penjing
    >>> below = {"x": {"<= 2.0": "a", "> 2.0": "b"}}
    >>> tree = penjing.Tree.from_dict({"x": {"<= 5.0": below, "> 5.0": "a"}})
    >>> for node, splits in splits_on_paths(tree, [2, 4]):
    ...     print(node, splits)
    4 {(0, '<='): 1, (0, '>'): 4}
    2 {(0, '>'): 2}
    """
    wanted = {tree.checked(node) for node in nodes}
    parents = tree.nodes.parent.tolist()
    on_path: set[int] = set()
    for node in wanted:
        at = node
        while at >= 0 and at not in on_path:
            on_path.add(at)
            at = parents[at]
    splits: dict[tuple[int, Side], int] = {}
    before: list[tuple[tuple[int, Side], int | None]] = []
    open_nodes = [0] if on_path else []
    while open_nodes:
        node = open_nodes.pop()
        if node < 0:  # all nodes below have been visited
            key, tightest = before.pop()
            if tightest is None:
                del splits[key]
            else:
                splits[key] = tightest
            continue
        if node > 0:
            key = _side(tree, parents[node], node)
            before.append((key, splits.get(key)))
            splits[key] = node
            open_nodes.append(-1)
        if node in wanted:
            yield node, splits
        below = [child for child in children(tree, node) if child in on_path]
        open_nodes += reversed(below)


def _side(tree: TreeData, parent: int, child: int) -> tuple[int, Side]:
    """Return the column of a node's split, and the side on which a branch lies."""
    column, cut = int(tree.nodes.column[parent]), float(tree.nodes.cut[parent])
    is_first = child == tree.first_child[parent]
    if isnan(cut):
        return column, "in"
    if isinf(cut):  # the split tests whether the value is missing
        return column, "known" if is_first else "missing"
    return column, "<=" if is_first else ">"
