"""What outlives pruning: the trace of nodes that stayed, and where each decision's node is now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing.tree.tree_data import TreeData


@dataclass(frozen=True, slots=True)
class NodeMapping:
    """Which nodes of a tree are still there after pruning, by number.

    Parameters
    ----------
    now : dict
        The number that each node has now whose rows stand where they stood.
    nearest : list of int
        For every node before: its number now, or that of the nearest node above it that stayed.
    cut : set of int
        The numbers, now, of questions that became leaves.
    other : set of int
        The numbers, now, of nodes that ask something else, since a branch was raised.
    """

    now: Mapping[int, int]
    nearest: list[int]
    cut: set[int]
    other: set[int]


def map_nodes(before: TreeData, after: TreeData) -> NodeMapping:
    """Return where the nodes of a tree are in what pruning made of it; no paths are compared.

    Examples
    --------
    >>> import penjing
    >>> below = {"b": {0: "x", 1: {"c": {0: "y", 1: "z"}}}}
    >>> tree = penjing.Tree.from_dict({"a": {0: "x", 1: below}})
    >>> found = map_nodes(tree, tree.pruned([2]))
    >>> dict(found.now), found.nearest, found.cut
    ({0: 0, 1: 1, 2: 2}, [0, 1, 2, 2, 2, 2, 2], {2})
    """
    now = {0: 0}
    cut: set[int] = set()
    other: set[int] = set()
    waiting = [(0, 0)]
    while waiting:
        old, new = waiting.pop()
        if after.is_leaf[new]:
            if not before.is_leaf[old]:
                cut.add(new)
        elif not _same(before, old, after, new):
            other.add(new)
        else:
            pairs = [*zip(before.children(old), after.children(new), strict=True)]
            now.update(pairs)
            waiting += pairs
    nearest = [0] * len(before.nodes)
    for node, parent in enumerate(before.nodes.parent.tolist()):
        nearest[node] = now[node] if node in now else nearest[parent]
    return NodeMapping(now, nearest, cut, other)


def carry_trace(
    before: TreeData, after: TreeData, found: NodeMapping | None = None
) -> dict[str, Any] | None:
    """Return the trace of a tree before pruning as the pruned tree numbers its nodes.

    A node stayed if its rows did: everything above it asks as before. What was raised from below
    has other rows than when it grew, so nothing is told of it. A question that became a leaf
    says that it was pruned.
    """
    trace = before.kept_trace
    if trace is None:
        return None
    found = found or map_nodes(before, after)
    place = {old: new for old, new in found.now.items() if new not in found.other}
    steps = [s | {"node": place[s["node"]]} for s in trace["steps"] if s["node"] in place]
    steps = [s | {"stop": "pruned"} if s["node"] in found.cut else s for s in steps]
    steps.sort(key=lambda step: int(step["node"]))
    return {"steps": steps, "is_whole": bool(trace["is_whole"]) and len(place) == len(after.nodes)}


def renumber_decisions(
    decisions: Iterable[Mapping[str, Any]], found: NodeMapping
) -> list[dict[str, Any]]:
    """Return decisions of which each says by number where its node is now.

    ``now`` is the node's number in the pruned tree; of one that is gone (``is_gone``), the number
    of what took its place. Decisions of a tree even earlier are followed on.
    """
    told = []
    for decision in decisions:
        at = int(decision.get("now", decision["node"]))
        is_gone = bool(decision.get("is_gone", False)) or at not in found.now
        told.append(dict(decision) | {"now": found.nearest[at], "is_gone": is_gone})
    return told


def _same(before: TreeData, old: int, after: TreeData, new: int) -> bool:
    """Say whether two nodes ask the same of the same rows."""
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
