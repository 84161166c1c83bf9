"""Puts trees in the place of nodes of another tree; all nodes are numbered breadth first again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.table import Floats
from penjing.tree.builder import MAX_TIES
from penjing.tree.nodes import Ids, Nodes
from penjing.tree.split import NO_BRANCH
from penjing.tree.tree_data import TreeData

Numbers = npt.NDArray[np.int64]
GONE = -1
"""The new number of a node that is not in the new tree."""


@dataclass(frozen=True, slots=True)
class Part:
    """A subtree: a tree, and the number of its top node in it."""

    tree: TreeData
    top: int = 0


@dataclass(frozen=True, slots=True)
class Grafted:
    """A tree with other subtrees, and where the nodes of both went.

    Parameters
    ----------
    tree : TreeData
        The new tree. Its trace, sketches and skeleton are gone.
    new_id : (n,) int64
        The new number of each node of the base, -1 if it is gone.
    part_ids : dict
        For each replaced node of the base, the new number of each node of the part's tree.
    """

    tree: TreeData
    new_id: Numbers
    part_ids: Mapping[int, Numbers]


def graft(base: TreeData, parts: Mapping[int, Part]) -> Grafted:
    """Return a tree in which some nodes, with all below them, are replaced by subtrees.

    Parameters
    ----------
    base : TreeData
        The tree; it is not changed.
    parts : mapping of int to Part
        The subtree that takes the place of each node. No node may be below another of them.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"a": {0: "x", 1: "y"}})
    >>> other = penjing.Tree.from_dict({"a": {0: "y", 1: "x"}})
    >>> graft(tree, {1: Part(other)}).tree.n_leaves
    3
    """
    sources = [_Source(base, np.flatnonzero(~_below(base, list(parts))), -1)]
    offset = len(sources[0].ids)
    for part in parts.values():
        inside = np.flatnonzero(_inside(part.tree, part.top))
        sources.append(_Source(part.tree, inside[inside != part.top], offset))
        offset += len(sources[-1].ids)
    global_of = [np.full(source.tree.n_nodes, GONE, np.int64) for source in sources]
    for source, numbers in zip(sources, global_of, strict=True):
        numbers[source.ids] = np.arange(len(source.ids)) + max(source.offset, 0)
    for (node, part), numbers in zip(parts.items(), global_of[1:], strict=True):
        numbers[part.top] = global_of[0][node]
    tops = {int(global_of[0][node]): part for node, part in parts.items()}
    parent = np.concatenate(
        [_parents(source, numbers) for source, numbers in zip(sources, global_of, strict=True)]
    )
    order, rank = _breadth_first(parent)
    tree = replace(
        base,
        nodes=_nodes(sources, tops, order, rank, parent),
        kept_trace=None,
        sketch=None,
        skeleton=None,
    )
    new_ids = [np.where(numbers < 0, GONE, rank[numbers]) for numbers in global_of]
    found = Grafted(tree, new_ids[0], dict(zip(parts, new_ids[1:], strict=True)))
    tree = _with_special_nodes(found, base, parts)
    return replace(found, tree=replace(tree, about=_about(found, base, parts)))


@dataclass(frozen=True, slots=True)
class _Source:
    """The nodes of one tree that go into the new one, from this position of all nodes on."""

    tree: TreeData
    ids: npt.NDArray[np.intp]
    offset: int


def _below(tree: TreeData, tops: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Return which nodes are below some nodes (not the nodes themselves)."""
    below = np.zeros(tree.n_nodes, bool)
    generation = np.asarray(tops, np.int64)
    while generation.size:
        counts = tree.n_children[generation].astype(np.int64)
        start = tree.first_child[generation] - (np.cumsum(counts) - counts)
        generation = np.repeat(start, counts) + np.arange(counts.sum())
        below[generation] = True
    return below


def _inside(tree: TreeData, top: int) -> npt.NDArray[np.bool_]:
    """Return which nodes are a node or below it."""
    if top == 0:
        return np.ones(tree.n_nodes, bool)
    inside = _below(tree, [top])
    inside[top] = True
    return inside


def _parents(source: _Source, numbers: Numbers) -> Numbers:
    parent = source.tree.nodes.parent[source.ids]
    return np.where(parent < 0, GONE, numbers[parent])


def _breadth_first(parent: Numbers) -> tuple[Numbers, Numbers]:
    """Return the nodes in breadth-first order, and the place of each node in it.

    The children of a node stay in the order of their numbers.
    """
    n = len(parent)
    order, rank = np.empty(n, np.int64), np.empty(n, np.int64)
    order[0] = rank[0] = 0
    by_parent = np.argsort(parent, kind="stable")[1:]  # the root has no parent
    n_children = np.bincount(parent[by_parent], minlength=n)
    first = np.cumsum(n_children) - n_children
    start, end = 0, 1
    while start < end:  # one generation at a time
        generation = order[start:end]
        counts = n_children[generation]
        places = np.repeat(first[generation] - (np.cumsum(counts) - counts), counts)
        children = by_parent[places + np.arange(len(places))]
        order[end : end + len(children)] = children
        start, end = end, end + len(children)
    rank[order] = np.arange(n)
    return order, rank


def _nodes(
    sources: Sequence[_Source],
    tops: Mapping[int, Part],
    order: Numbers,
    rank: Numbers,
    parent: Numbers,
) -> Nodes:
    def gathered(name: str) -> npt.NDArray[Any]:
        """Return an array of all nodes; replaced nodes are those of their parts."""
        found = np.concatenate([getattr(s.tree.nodes, name)[s.ids] for s in sources])
        for number, part in tops.items():
            found[number] = getattr(part.tree.nodes, name)[part.top]
        return found[order]

    starts, sizes, codes, n_codes = [], [], [], 0
    for source in sources:
        nodes = source.tree.nodes
        starts.append(nodes.level_start[source.ids] + n_codes)
        sizes.append(np.diff(nodes.level_start)[source.ids])
        codes.append(nodes.level_codes)
        n_codes += len(nodes.level_codes)
    size = np.concatenate(sizes)[order]
    level_start = np.append([0], np.cumsum(size)).astype(np.int64)
    places = np.repeat(np.concatenate(starts)[order] - level_start[:-1], size)
    parents = parent[order]
    return Nodes(
        parent=np.where(parents < 0, -1, rank[parents]).astype(np.int32),
        column=gathered("column"),
        cut=gathered("cut"),
        level_start=level_start,
        level_codes=np.concatenate(codes)[places + np.arange(len(places))].astype(np.int32),
        total=gathered("total"),
        gain=gathered("gain"),
        score=gathered("score"),
        gap=_optional(sources, tops, order, "gap", all_of_them=True),
        missing=_optional(sources, tops, order, "missing", all_of_them=False),
    )


def _optional(
    sources: Sequence[_Source],
    tops: Mapping[int, Part],
    order: Numbers,
    name: str,
    *,
    all_of_them: bool,
) -> Any:  # noqa: ANN401 - an array, or None
    """Return an array that a tree may lack: None if one lacks it, or only if all of them do."""
    arrays = [getattr(source.tree.nodes, name) for source in sources]
    is_absent = [array is None for array in arrays]
    if all(is_absent) or (all_of_them and any(is_absent)):
        return None
    filled: list[Ids | Floats] = [
        np.full(s.tree.n_nodes, NO_BRANCH, np.int32) if array is None else array
        for s, array in zip(sources, arrays, strict=True)
    ]
    found = np.concatenate([a[s.ids] for s, a in zip(sources, filled, strict=True)])
    for (number, part), array in zip(tops.items(), filled[1:], strict=True):
        found[number] = array[part.top]
    return found[order]


def _with_special_nodes(grafted: Grafted, base: TreeData, parts: Mapping[int, Part]) -> TreeData:
    """Return the tree with the surrogates and the odd predictions of its nodes."""
    surrogates: dict[int, Any] = {}
    answers: dict[int, int] = {}
    for tree, numbers in _all_sources(grafted, base, parts):
        for into, mapping in ((surrogates, tree.nodes.surrogates), (answers, tree.nodes.answers)):
            into |= {numbers[node]: value for node, value in mapping.items() if numbers[node] >= 0}
    tree = grafted.tree
    return replace(tree, nodes=replace(tree.nodes, surrogates=surrogates, answers=answers))


def _all_sources(
    grafted: Grafted, base: TreeData, parts: Mapping[int, Part]
) -> Iterator[tuple[TreeData, list[int]]]:
    """Yield each tree, and the new number of each of its nodes, -1 if it is not taken from it."""
    numbers = grafted.new_id.copy()
    numbers[list(parts)] = GONE
    yield base, numbers.tolist()
    for node, part in parts.items():
        yield part.tree, grafted.part_ids[node].tolist()


def _about(grafted: Grafted, base: TreeData, parts: Mapping[int, Part]) -> dict[str, Any]:
    """Return the facts about the base, with ties and recorded stops of the new nodes."""
    ties: list[tuple[int, dict[str, Any]]] = []
    n_ties = 0
    stops: dict[str, list[int]] = {}
    for tree, numbers in _all_sources(grafted, base, parts):
        listed = tree.about.get("ties", ())
        pairs = [(numbers[tie["node"]], tie) for tie in listed]
        kept = [pair for pair in pairs if pair[0] >= 0]
        n_all = int(tree.about.get("n_ties", len(listed)))
        ties += kept
        n_ties += max(n_all - (len(listed) - len(kept)), len(kept))
        for reason, nodes in tree.about.get("stops", {}).items():
            new = (numbers[node] for node in nodes)
            stops.setdefault(reason, []).extend(number for number in new if number >= 0)
    about = {k: v for k, v in base.about.items() if k not in ("ties", "n_ties", "stops")}
    ties.sort(key=itemgetter(0))
    # A tree that was pruned later does not tell all of its ties.
    known = parts[0].tree.about if 0 in parts else base.about
    if "n_ties" in known:
        about["n_ties"] = n_ties
    if "ties" in known:
        about["ties"] = [tie | {"node": node} for node, tie in ties[:MAX_TIES]]
    found = {reason: sorted(nodes) for reason, nodes in stops.items() if nodes}
    return about | ({"stops": found} if found else {})
