"""Node numbers before and after pruning; carries the trace and earlier decisions over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.prune.decisions import Decision
from penjing.tree.serialize import MAX_DECISIONS
from penjing.tree.steps import renumber_steps
from penjing.tree.tree_data import TreeData

_Ids = npt.NDArray[np.intp]


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
    cut: list[int] = []
    changed: list[int] = []
    new_of = np.full(len(before.nodes), -1)
    old, new = np.zeros(1, np.intp), np.zeros(1, np.intp)
    while len(old):  # one generation at a time
        new_of[old] = new
        is_leaf = after.is_leaf[new]
        cut += new[is_leaf & ~before.is_leaf[old]].tolist()
        old, new = old[~is_leaf], new[~is_leaf]
        is_same = _have_same_splits(before, old, after, new)
        changed += new[~is_same].tolist()
        old, new = old[is_same], new[is_same]
        n_children = before.n_children[old]
        old = _ranges(before.first_child[old], n_children)
        new = _ranges(after.first_child[new], n_children)
    kept = np.flatnonzero(new_of >= 0)
    new_number = dict(zip(kept.tolist(), new_of[kept].tolist(), strict=True))
    nearest = [0] * len(before.nodes)
    for node, parent in enumerate(before.nodes.parent.tolist()):
        nearest[node] = new_number[node] if node in new_number else nearest[parent]
    return NodeMapping(new_number, nearest, set(cut), set(changed))


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


def _have_same_splits(
    before: TreeData, old: _Ids, after: TreeData, new: _Ids
) -> npt.NDArray[np.bool_]:
    """Return which pairs of nodes have the same split and the same rows."""
    one, other = before.nodes, after.nodes
    is_same = one.column[old] == other.column[new]
    is_same &= before.n_children[old] == after.n_children[new]
    is_same &= (one.total[old] == other.total[new]).all(axis=1)
    has_cut = ~np.isnan(one.cut[old]) | ~np.isnan(other.cut[new])
    is_same &= ~has_cut | (one.cut[old] == other.cut[new])
    by_level = np.flatnonzero(is_same & ~has_cut)
    if len(by_level):
        is_same[by_level] = _have_same_levels(before, old[by_level], after, new[by_level])
    return np.asarray(is_same)


def _have_same_levels(
    before: TreeData, old: _Ids, after: TreeData, new: _Ids
) -> npt.NDArray[np.bool_]:
    """Return which pairs of nodes, of equally many branches, have the same levels in each."""
    n_children = before.n_children[old]
    owner = np.repeat(np.arange(len(old)), n_children)
    starts, sizes = [], []
    for tree, nodes in ((before, old), (after, new)):
        children = _ranges(tree.first_child[nodes], n_children)
        starts.append(tree.nodes.level_start[children])
        sizes.append(tree.nodes.level_start[children + 1] - starts[-1])
    is_same = np.ones(len(old), bool)
    is_same[owner[sizes[0] != sizes[1]]] = False
    fits = is_same[owner]
    codes = [
        tree.nodes.level_codes[_ranges(start[fits], sizes[0][fits])]
        for tree, start in zip((before, after), starts, strict=True)
    ]
    is_same[np.repeat(owner[fits], sizes[0][fits])[codes[0] != codes[1]]] = False
    return is_same


def _ranges(starts: npt.NDArray[Any], sizes: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return the numbers of several ranges, one after the other."""
    offsets = np.cumsum(sizes) - sizes
    within = np.arange(int(sizes.sum())) - np.repeat(offsets, sizes)
    return np.asarray(np.repeat(starts, sizes) + within, np.intp)
