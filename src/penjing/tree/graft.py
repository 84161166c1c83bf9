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
        nodes=_nodes(_Gathering.of(sources, tops, order), rank, parent[order]),
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


@dataclass(frozen=True, slots=True)
class _Gathering:
    """Where the nodes of the new tree are, in the nodes of all trees one after the other.

    Parameters
    ----------
    trees : list of TreeData
        The trees, each once.
    position : (n,) int64
        The position of each new node; a replaced node is the top of its part.
    branch_position : (n,) int64
        The same for the branch that leads to a node: a replaced node is that of the base.
    """

    trees: list[TreeData]
    position: Numbers
    branch_position: Numbers

    @classmethod
    def of(cls, sources: Sequence[_Source], tops: Mapping[int, Part], order: Numbers) -> _Gathering:
        """Return the positions of nodes that are gathered in an order."""
        trees = list({id(source.tree): source.tree for source in sources}.values())
        ends = np.cumsum([tree.n_nodes for tree in trees]).tolist()
        start = {id(tree): end - tree.n_nodes for tree, end in zip(trees, ends, strict=True)}
        position = np.concatenate([source.ids + start[id(source.tree)] for source in sources])
        branch_position = position[order]
        for number, part in tops.items():
            position[number] = start[id(part.tree)] + part.top
        return cls(trees, position[order], branch_position)

    def array(self, name: str) -> npt.NDArray[Any]:
        """Return an array of the new nodes."""
        found: npt.NDArray[Any] = np.concatenate([getattr(t.nodes, name) for t in self.trees])
        return found[self.position]

    def optional_array(self, name: str, *, all_of_them: bool) -> Any:  # noqa: ANN401 - an array, or None
        """Return an array that a tree may lack: None if one lacks it, or only if all of them do."""
        arrays = [getattr(tree.nodes, name) for tree in self.trees]
        is_absent = [array is None for array in arrays]
        if all(is_absent) or (all_of_them and any(is_absent)):
            return None
        filled: list[Ids | Floats] = [
            np.full(tree.n_nodes, NO_BRANCH, np.int32) if array is None else array
            for tree, array in zip(self.trees, arrays, strict=True)
        ]
        return np.concatenate(filled)[self.position]

    def levels(self) -> tuple[Numbers, Ids]:
        """Return the categories of the branch that leads to each node: starts, and codes."""
        starts, sizes, n_codes = [], [], 0
        for tree in self.trees:
            starts.append(tree.nodes.level_start[:-1] + n_codes)
            sizes.append(np.diff(tree.nodes.level_start))
            n_codes += len(tree.nodes.level_codes)
        size = np.concatenate(sizes)[self.branch_position]
        level_start = np.append([0], np.cumsum(size)).astype(np.int64)
        start = np.concatenate(starts)[self.branch_position]
        places = np.repeat(start - level_start[:-1], size)
        codes = np.concatenate([tree.nodes.level_codes for tree in self.trees])
        return level_start, codes[places + np.arange(len(places))].astype(np.int32)


def _nodes(gathering: _Gathering, rank: Numbers, parents: Numbers) -> Nodes:
    """Return the nodes of the new tree, given the parent of each before they were ordered."""
    level_start, level_codes = gathering.levels()
    return Nodes(
        parent=np.where(parents < 0, -1, rank[parents]).astype(np.int32),
        column=gathering.array("column"),
        cut=gathering.array("cut"),
        level_start=level_start,
        level_codes=level_codes,
        total=gathering.array("total"),
        gain=gathering.array("gain"),
        score=gathering.array("score"),
        gap=gathering.optional_array("gap", all_of_them=True),
        missing=gathering.optional_array("missing", all_of_them=False),
    )


def _with_special_nodes(grafted: Grafted, base: TreeData, parts: Mapping[int, Part]) -> TreeData:
    """Return the tree with the surrogates and the odd predictions of its nodes."""
    surrogates: dict[int, Any] = {}
    answers: dict[int, int] = {}
    for tree, numbers in _all_sources(grafted, base, parts):
        for into, mapping in ((surrogates, tree.nodes.surrogates), (answers, tree.nodes.answers)):
            new = numbers[list(mapping)].tolist() if mapping else []
            pairs = zip(new, mapping.values(), strict=True)
            into |= {node: value for node, value in pairs if node >= 0}
    tree = grafted.tree
    return replace(tree, nodes=replace(tree.nodes, surrogates=surrogates, answers=answers))


def _all_sources(
    grafted: Grafted, base: TreeData, parts: Mapping[int, Part]
) -> Iterator[tuple[TreeData, Numbers]]:
    """Yield each tree, and the new number of each of its nodes, -1 if it is not taken from it."""
    numbers = grafted.new_id.copy()
    numbers[list(parts)] = GONE
    yield base, numbers
    for node, part in parts.items():
        yield part.tree, grafted.part_ids[node]


def _about(grafted: Grafted, base: TreeData, parts: Mapping[int, Part]) -> dict[str, Any]:
    """Return the facts about the base, with ties and recorded stops of the new nodes."""
    ties: list[tuple[int, dict[str, Any]]] = []
    n_ties = 0
    stops: dict[str, list[int]] = {}
    for tree, numbers in _all_sources(grafted, base, parts):
        listed = tree.about.get("ties", ())
        new = numbers[[tie["node"] for tie in listed]].tolist() if listed else []
        pairs = zip(new, listed, strict=True)
        kept = [pair for pair in pairs if pair[0] >= 0]
        n_all = int(tree.about.get("n_ties", len(listed)))
        ties += kept
        n_ties += max(n_all - (len(listed) - len(kept)), len(kept))
        for reason, nodes in tree.about.get("stops", {}).items():
            new = numbers[list(nodes)]
            stops.setdefault(reason, []).extend(new[new >= 0].tolist())
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
