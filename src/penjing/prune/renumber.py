"""Node numbers before and after pruning; carries the trace and earlier decisions over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.prune.decisions import Decision
from penjing.tree.serialize import MAX_DECISIONS
from penjing.tree.steps import renumber_steps
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
    if before.nodes is after.nodes:
        numbers = list(range(before.n_nodes))
        return NodeMapping(dict(zip(numbers, numbers, strict=True)), numbers, set(), set())
    now, nearest, cut, changed = _core.map_nodes(_arrays(before), _arrays(after))
    kept = np.flatnonzero(now >= 0)
    new_number = dict(zip(kept.tolist(), now[kept].tolist(), strict=True))
    return NodeMapping(new_number, nearest.tolist(), set(cut.tolist()), set(changed.tolist()))


def _arrays(tree: TreeData) -> tuple[npt.NDArray[Any], ...]:
    """Return the splits of a tree as C++ takes them."""
    nodes = tree.nodes
    return (
        np.ascontiguousarray(tree.first_child, np.int32),
        np.ascontiguousarray(tree.n_children, np.int32),
        np.ascontiguousarray(nodes.parent, np.int32),
        np.ascontiguousarray(nodes.column, np.int32),
        np.ascontiguousarray(nodes.cut, np.float64),
        np.ascontiguousarray(nodes.total, np.float64).ravel(),
        np.ascontiguousarray(nodes.level_start, np.int64),
        np.ascontiguousarray(nodes.level_codes, np.int32),
    )


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
    stops = dict.fromkeys(mapping.cut, "pruned")
    return {
        "steps": renumber_steps(trace["steps"], new_number, stops),
        "is_whole": bool(trace["is_whole"]) and len(new_number) == len(after.nodes),
    }


def decisions_to_json(decisions: Sequence[Decision], mapping: NodeMapping) -> dict[str, Any]:
    """Return decisions as plain data with the new number of each node.

    Of more than `MAX_DECISIONS`, those about nodes that are gone are left out, and
    ``n_decisions`` says how many there were.
    """
    kept = list(decisions)
    if len(kept) > MAX_DECISIONS:
        kept = [decision for decision in kept if decision.node in mapping.now]
    plain = renumber_decisions([decision.to_json() for decision in kept], mapping)
    left_out = {} if len(kept) == len(decisions) else {"n_decisions": len(decisions)}
    return {"decisions": plain} | left_out


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
        renumbered.append({**decision, "now": mapping.nearest[node], "is_gone": is_gone})
    return renumbered
