"""A trace carried over pruning: steps of nodes that stayed, under the numbers they have now."""

from __future__ import annotations

from typing import Any

import numpy as np

from penjing.tree import Tree


def carried(before: Tree, after: Tree) -> dict[str, Any] | None:
    """Return the trace of a tree before pruning as the pruned tree numbers its nodes.

    A node stayed if its rows did: everything above it asks as before. What was raised from below
    has other rows than when it grew, so nothing is told of it. A question that became a leaf
    says that it was pruned.
    """
    trace = before.kept_trace
    if trace is None:
        return None
    place = {0: 0}
    waiting = [(0, 0)]
    cut: set[int] = set()
    while waiting:
        old, new = waiting.pop()
        if after.is_leaf[new]:
            if not before.is_leaf[old]:
                cut.add(new)
            continue
        if not _same(before, old, after, new):
            del place[old]
            continue
        for child, now in zip(before.children(old), after.children(new), strict=True):
            place[child] = now
            waiting.append((child, now))
    steps = [s | {"node": place[s["node"]]} for s in trace["steps"] if s["node"] in place]
    steps = [s | {"stop": "pruned"} if s["node"] in cut else s for s in steps]
    steps.sort(key=lambda step: int(step["node"]))
    return {"steps": steps, "is_whole": bool(trace["is_whole"]) and len(place) == len(after.nodes)}


def _same(before: Tree, old: int, after: Tree, new: int) -> bool:
    """Say whether two nodes ask the same of the same rows."""
    one, other = before.split(old), after.split(new)
    if one is None or other is None or one.column != other.column or one.cut != other.cut:
        return False
    if not np.array_equal(before.nodes.total[old], after.nodes.total[new]):
        return False
    return len(one.groups) == len(other.groups) and all(
        np.array_equal(a, b) for a, b in zip(one.groups, other.groups, strict=True)
    )
