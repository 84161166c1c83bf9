"""Node numbers before and after pruning; carries the trace and earlier decisions over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing.tree.tree_data import TreeData


@dataclass(frozen=True, slots=True)
class NodeMapping:
    """Maps the nodes of a tree to those of the pruned tree.

    Parameters
    ----------
    now : dict
        The new number of each node that kept its rows.
    nearest : list of int
        For every old node its new number, or that of its closest remaining ancestor.
    cut : set of int
        The new numbers of nodes that became leaves.
    other : set of int
        The new numbers of nodes with another split, because a branch was raised.
    """

    now: Mapping[int, int]
    nearest: list[int]
    cut: set[int]
    other: set[int]


def map_nodes(before: TreeData, after: TreeData) -> NodeMapping:
    """Return the mapping of the nodes of a tree to those of the pruned tree.

    Examples
    --------
    >>> import penjing
    >>> below = {"b": {0: "x", 1: {"c": {0: "y", 1: "z"}}}}
    >>> tree = penjing.Tree.from_dict({"a": {0: "x", 1: below}})
    >>> found = map_nodes(tree, tree.pruned([2]))
    >>> dict(found.now), found.nearest, found.cut
    ({0: 0, 1: 1, 2: 2}, [0, 1, 2, 2, 2, 2, 2], {2})
    """
    new_number = {0: 0}
    cut: set[int] = set()
    changed: set[int] = set()
    stack = [(0, 0)]
    while stack:
        old, new = stack.pop()
        if after.is_leaf[new]:
            if not before.is_leaf[old]:
                cut.add(new)
        elif not _have_same_split(before, old, after, new):
            changed.add(new)
        else:
            pairs = [*zip(before.children(old), after.children(new), strict=True)]
            new_number.update(pairs)
            stack += pairs
    nearest = [0] * len(before.nodes)
    for node, parent in enumerate(before.nodes.parent.tolist()):
        nearest[node] = new_number[node] if node in new_number else nearest[parent]
    return NodeMapping(new_number, nearest, cut, changed)


def carry_trace(
    before: TreeData, after: TreeData, mapping: NodeMapping | None = None
) -> dict[str, Any] | None:
    """Return the trace of a tree before pruning as the pruned tree numbers its nodes.

    A node is kept if its rows are the same, that is, if all splits above it are. Raised nodes have
    other rows than when they were grown and get no step. A node that became a leaf gets the reason
    ``pruned``.
    """
    trace = before.kept_trace
    if trace is None:
        return None
    mapping = mapping or map_nodes(before, after)
    new_number = {old: new for old, new in mapping.now.items() if new not in mapping.other}
    steps = [s | {"node": new_number[s["node"]]} for s in trace["steps"] if s["node"] in new_number]
    steps = [s | {"stop": "pruned"} if s["node"] in mapping.cut else s for s in steps]
    steps.sort(key=lambda step: int(step["node"]))
    return {
        "steps": steps,
        "is_whole": bool(trace["is_whole"]) and len(new_number) == len(after.nodes),
    }


def renumber_decisions(
    decisions: Iterable[Mapping[str, Any]], mapping: NodeMapping
) -> list[dict[str, Any]]:
    """Return the decisions with the new number of each node.

    ``now`` is the node's number in the pruned tree; for a removed node (``is_gone``), that of its
    closest remaining ancestor. Decisions of earlier prunings are mapped again.
    """
    renumbered = []
    for decision in decisions:
        node = int(decision.get("now", decision["node"]))
        is_gone = bool(decision.get("is_gone", False)) or node not in mapping.now
        renumbered.append(dict(decision) | {"now": mapping.nearest[node], "is_gone": is_gone})
    return renumbered


def _have_same_split(before: TreeData, old: int, after: TreeData, new: int) -> bool:
    """Whether two nodes have the same split and the same rows."""
    one, other = before.nodes, after.nodes
    if one.column[old] != other.column[new] or before.n_children[old] != after.n_children[new]:
        return False
    if not np.array_equal(one.total[old], other.total[new]):
        return False
    if not np.isnan(one.cut[old]) or not np.isnan(other.cut[new]):
        return bool(one.cut[old] == other.cut[new])
    return all(
        np.array_equal(one.levels(a), other.levels(b))
        for a, b in zip(before.children(old), after.children(new), strict=True)
    )
