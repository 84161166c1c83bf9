"""A tree that is being rebuilt: branches that no row took are leaves of it, branches may rise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from penjing.data.table import Codes, Floats
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Totals
from penjing.tree.nodes import LEAF, Ids, Nodes
from penjing.tree.split import Split
from penjing.tree.tree_data import TreeData


@dataclass(frozen=True)
class EditedStructure:
    """The shape of a draft at one moment; engines may remember rows by it."""

    splits: Mapping[int, Split]
    kids: Mapping[int, range]
    above: Mapping[int, tuple[int, int]]

    def split(self, node: int) -> Split | None:
        """Return the test of a node."""
        return self.splits.get(node)

    def parent_of(self, node: int) -> tuple[int, int]:
        """Return a node's parent and by which of its branches the node is reached."""
        return self.above[node]

    def children(self, node: int) -> range:
        """Return the ids of a node's children, in the order of its branches."""
        return self.kids.get(node, range(0))

    def weight_of(self, node: int) -> float:
        """Return nothing: a sketch holds no sums, rows are shared out by their own weight."""
        raise NotImplementedError


def majority(total: Floats, tolerance: float = 0.0) -> int:
    """Return the most frequent class: the first one that no later one exceeds by the tolerance.

    Examples
    --------
    >>> majority(np.array([2.0, 2.0000001, 1.0]), tolerance=1e-6)
    0
    """
    best = 0
    for code, weight in enumerate(total.tolist()):
        if weight - total[best] > tolerance:
            best = code
    return best


class RowCounter(Protocol):
    """Whoever holds the training rows: an engine, as seen from here."""

    def totals(self, tree: EditedStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of the rows in these nodes."""


@runtime_checkable
class NativePruner(Protocol):
    """Whoever can prune a whole tree by estimated errors, with the same decisions."""

    def prune_by_errors(self, tree: TreeData, how: Mapping[str, object]) -> dict[str, Any] | None:
        """Return the arrays of the tree and of its decisions; None where Python has to."""


class EditableTree:
    """The nodes of a tree under numbers of its own, in which nodes can become leaves or rise.

    Every level of a nominal column has a branch here: rows that come to a node only when a
    branch is raised may take one that was empty before.

    Parameters
    ----------
    tree : TreeData
        Where it begins.
    label : function, optional
        The class of a vector of sums, where a node that gets other rows is given it anew (J48).
        Without it a node keeps its class as long as no other is more frequent, and a branch
        without rows the one it had (C4.5).
    """

    def __init__(self, tree: TreeData, label: Callable[[Floats], int] | None = None) -> None:
        self._tree = tree
        self._label = label
        self.total: list[Floats] = []
        self.weight: list[float] = []
        self.label: list[int] = []
        self.depth: list[int] = []
        self._above: list[tuple[int, int]] = []
        self._split: dict[int, Split] = {}
        self._kids: dict[int, range] = {}
        self.origin: list[int] = []
        self._append(0, tree.nodes.total[0], int(tree.values[0]), (-1, 0), 0)
        for node in self._walk_down():
            self._expand(node)

    def _append(
        self, origin: int, total: Floats, label: int, above: tuple[int, int], depth: int
    ) -> None:
        self.origin.append(origin)
        self.total.append(total)
        self.weight.append(float(total.sum()))
        self.label.append(label)
        self._above.append(above)
        self.depth.append(depth)

    def _walk_down(self) -> Iterable[int]:
        node = 0
        while node < len(self.origin):
            yield node
            node += 1

    def _expand(self, node: int) -> None:
        origin = self.origin[node]
        if origin < 0 or self._tree.is_leaf[origin]:
            return
        split = self._tree.split(origin)
        assert split is not None
        arms: list[tuple[Codes, int]] = [
            (self._tree.nodes.levels(child), child) for child in self._tree.children(origin)
        ]
        if split.cut is None:
            arms += [(codes, -1) for codes in self._empty(origin)]
            if self._tree.recipe.get("shape") == "multiway":
                arms.sort(key=lambda arm: int(arm[0][0]))  # in the order of levels
            split = replace(split, groups=tuple(codes for codes, _ in arms))
        first = len(self.origin)
        self._split[node] = split
        self._kids[node] = range(first, first + len(arms))
        for branch, (_, child) in enumerate(arms):
            known = child >= 0
            total = self._tree.nodes.total[child] if known else np.zeros_like(self.total[0])
            label = int(self._tree.values[child]) if known else self.label[node]
            self._append(child, total, label, (node, branch), self.depth[node] + 1)

    def _empty(self, origin: int) -> list[Codes]:
        codes = np.asarray(self._tree.empty_levels(origin), np.int32)
        if self._tree.recipe.get("shape") == "multiway":
            return list(codes[:, None])
        return [codes] if codes.size else []

    # -- what is there ----------------------------------------------------------------------

    def is_leaf(self, node: int) -> bool:
        """Whether a node asks nothing."""
        return node not in self._split

    def split_of(self, node: int) -> Split | None:
        """Return what a node asks, None where it asks nothing."""
        return self._split.get(node)

    def children(self, node: int) -> range:
        """Return the children of a node."""
        return self._kids.get(node, range(0))

    def subtree(self, node: int) -> list[int]:
        """Return a node and all that stand below it, each before its children."""
        found = [node]
        for each in found:  # grows while it is walked
            found.extend(self.children(each))
        return found

    def largest_child(self, node: int, tolerance: float) -> int:
        """Return the child of most weight, the last one of equals."""
        children = self.children(node)
        weights = [self.weight[child] for child in children]
        most = max(weights)
        return max(c for c, w in zip(children, weights, strict=True) if w >= most - tolerance)

    # -- what can be done -------------------------------------------------------------------

    def structure_with_raised(self, raised: Mapping[int, int]) -> EditedStructure:
        """Return the shape with these nodes replaced by these children of theirs."""
        splits, kids = dict(self._split), dict(self._kids)
        above = dict(enumerate(self._above))
        for node, branch in raised.items():
            splits[node], kids[node] = self._split[branch], self._kids[branch]
            above |= {child: (node, i) for i, child in enumerate(kids[node])}
        return EditedStructure(splits, kids, above)

    def path_to(self, node: int) -> list[tuple[Split, int]]:
        """Return the questions above a node and the branches that lead to it, the root's first."""
        found: list[tuple[Split, int]] = []
        while node != 0:
            node, branch = self._above[node]
            found.append((self._split[node], branch))
        return found[::-1]

    def origin_of(self, node: int) -> int:
        """Return a node of the tree given: its own, or the one below which it was grown anew."""
        while self.origin[node] < 0:
            node = self._above[node][0]
        return self.origin[node]

    def replace_subtree(self, node: int, growth: TreeBuilder, top: int) -> None:
        """Put what was grown below ``top`` in the place of a node."""
        waiting = [(node, top)]
        for here, grown in waiting:  # grows while it is walked
            split = growth.split(grown)
            self._split.pop(here, None)
            self._kids.pop(here, None)
            if split is None:
                continue
            arms = list(zip(split.groups, growth.children(grown), strict=False))
            if split.cut is None:
                taken = {code for codes, _ in arms for code in codes.tolist()}
                n_levels = len(self._tree.schema[split.column].levels)
                rest = [code for code in range(n_levels) if code not in taken]
                arms += [(np.array([code], np.int32), -1) for code in rest]
                arms.sort(key=lambda arm: int(arm[0][0]))
                split = replace(split, groups=tuple(codes for codes, _ in arms))
                children = [child for _, child in arms]
            else:
                children = list(growth.children(grown))
            first = len(self.origin)
            self._split[here] = split
            self._kids[here] = range(first, first + len(children))
            for branch, child in enumerate(children):
                total = growth.total(child) if child >= 0 else np.zeros_like(self.total[0])
                label = int(total.argmax()) if total.any() else self.label[here]
                self._append(-1, total, label, (here, branch), self.depth[here] + 1)
                if child >= 0:
                    waiting.append((first + branch, child))

    def make_leaf(self, node: int) -> None:
        """Make a node a leaf."""
        del self._split[node], self._kids[node]

    def raise_branch(self, node: int, branch: int) -> None:
        """Put a child in its parent's place, with all that stands below it."""
        self._split[node], self._kids[node] = self._split[branch], self._kids[branch]
        self.label[node] = self.label[branch]
        self.origin[node] = self.origin[branch]
        for i, child in enumerate(self._kids[node]):
            self._above[child] = (node, i)
        for each in self.subtree(node)[1:]:
            self.depth[each] -= 1

    def set_total(self, node: int, total: Floats) -> None:
        """Give a node other rows, and the class that they make."""
        self.total[node] = total
        self.weight[node] = float(total.sum())
        if self._label is not None:
            self.label[node] = self._label(total)
        elif total[self.label[node]] < total.max():
            self.label[node] = int(total.argmax())

    def _is_implied(self, node: int, child: int) -> bool:
        """Whether a branch without rows answers as the node does that asks."""
        if self.weight[child] > 0:
            return False
        return self._label is not None or self.label[child] == self.label[node]

    def finish(self, about: Mapping[str, Any]) -> TreeData:
        """Return the tree; a branch without rows is left to the node that asks, if it can be."""
        growth = TreeBuilder(self._tree.reader)
        growth.set_totals([0], _totals([self.total[0]]))
        waiting = [(0, 0)]
        origin = {}
        for node, grown in waiting:  # grows while it is walked
            origin[grown] = self.origin[node]
            split = self._split.get(node)
            if split is None:
                continue
            arms = list(enumerate(self.children(node)))
            if split.cut is None:
                arms = [arm for arm in arms if not self._is_implied(node, arm[1])]
                split = replace(split, groups=tuple(split.groups[b] for b, _ in arms))
            born = growth.add_children(grown, split)
            growth.set_totals(list(born), _totals([self.total[child] for _, child in arms]))
            waiting.extend(zip((child for _, child in arms), born, strict=True))
        tree = self._tree
        labels = {grown: self.label[node] for node, grown in waiting}
        made, place = growth.finish(tree.schema, tree.target, tree.centre, tree.recipe, about)
        answers = {place[g]: code for g, code in labels.items() if code != made.values[place[g]]}
        made = replace(made, nodes=replace(made.nodes, answers=answers))
        if tree.nodes.gap is None:
            return made
        gap = np.full((len(made.nodes), 2), np.nan)
        for grown, new in place.items():
            if not made.is_leaf[new]:
                gap[new] = tree.nodes.gap[origin[grown]]
        return replace(made, nodes=replace(made.nodes, gap=gap))


def tree_from_arrays(tree: TreeData, told: Mapping[str, Any], about: Mapping[str, Any]) -> TreeData:
    """Return the tree that arrays tell of: which node of the old one asks where, and the sums."""
    origin: Ids = told["origin"]
    asks = origin >= 0
    nodes = tree.nodes
    column = np.where(asks, nodes.column[origin], np.int32(LEAF))
    made = Nodes(
        told["parent"],
        column,
        np.where(asks, nodes.cut[origin], np.nan),
        told["level_start"],
        told["level_codes"],
        told["total"].reshape(len(origin), -1),
        np.where(asks, nodes.gain[origin], 0.0),
        np.where(asks, nodes.score[origin], 0.0),
        None if nodes.gap is None else np.where(asks[:, None], nodes.gap[origin], np.nan),
    )
    new = TreeData(made, tree.schema, tree.target, tree.recipe, tree.centre, about)
    other = np.flatnonzero(told["label"] != new.values).tolist()
    answers = {node: int(told["label"][node]) for node in other}
    return replace(new, nodes=replace(made, answers=answers)) if answers else new


def _totals(cells: list[Floats]) -> Totals:
    return Totals(np.stack(cells), np.zeros(len(cells), bool))
