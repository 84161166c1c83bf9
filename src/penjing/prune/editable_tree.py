"""A mutable copy of a tree for pruning that can turn nodes into leaves and raise branches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from penjing.data.table import Codes, Floats
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Totals
from penjing.tree.held_rows import HeldOutside, HeldRows
from penjing.tree.nodes import LEAF, Ids, Nodes
from penjing.tree.split import NO_BRANCH, Split
from penjing.tree.tree_data import TreeData


class EditedStructure:
    """The structure of an `EditableTree` in which some nodes are replaced by a branch of theirs.

    It is valid until the tree is changed; engines may cache rows by it. Rows of nodes that have
    the same rows in the tree itself are in ``held_rows``, for later structures too.

    Parameters
    ----------
    tree : EditableTree
        The tree.
    raised : mapping
        The nodes that are replaced, and the child that replaces each.
    """

    def __init__(self, tree: EditableTree, raised: Mapping[int, int]) -> None:
        self._tree = tree
        self._raised = raised
        self._parents = {
            child: (node, i)
            for node, branch in raised.items()
            for i, child in enumerate(tree.children(branch))
        }
        self.below_raised = {node: tree.subtree(branch)[1:] for node, branch in raised.items()}
        """The nodes below each raised branch: they have other rows than in the tree."""
        changed = {each for nodes in self.below_raised.values() for each in nodes}
        self.held_rows = HeldOutside(tree.held_rows, changed)

    def split(self, node: int) -> Split | None:
        """Return the split of a node."""
        return self._tree.split_of(self._raised.get(node, node))

    def parent_of(self, node: int) -> tuple[int, int]:
        """Return the parent of a node, and the branch of the parent that leads to the node."""
        return self._parents.get(node) or self._tree.parent_of(node)

    def children(self, node: int) -> range:
        """Return the ids of a node's children, in the order of its branches."""
        return self._tree.children(self._raised.get(node, node))

    def weight_of(self, node: int) -> float:
        """Not available: the structure has no sums; fractions come from the counted rows."""
        raise NotImplementedError


def row_sums(cells: Floats) -> list[float]:
    """Return the sum of each row of an array, as `sum` of that row alone would round it."""
    return np.ascontiguousarray(cells).sum(axis=1).tolist()  # type: ignore[no-any-return]


def majority(total: Floats, tolerance: float = 0.0) -> int:
    """Return the most frequent class: the first that no later one exceeds by the tolerance.

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
    """The part of an engine that provides the sums of training rows."""

    def totals(self, tree: EditedStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of the rows in these nodes."""

    def totals_below(self, tree: EditedStructure, nodes: Sequence[int]) -> Totals:
        """Return the sums of all nodes below these, breadth first, one subtree after the other."""

    def prune_by_errors(
        self, tree: TreeData, options: Mapping[str, object]
    ) -> dict[str, Any] | None:
        """Return the arrays of the tree and of its decisions, pruned by estimated errors.

        None where the engine cannot do that itself.
        """


class GrownSubtree(Protocol):
    """A subtree that was grown to replace another."""

    top: int
    """The number of its root."""

    @property
    def totals(self) -> Floats:
        """The sums of each node, by its number."""

    def split(self, node: int) -> Split | None:
        """Return the split of a node, None for a leaf."""

    def children(self, node: int) -> range:
        """Return the children of a node."""


class EditableTree:
    """A mutable copy of a tree with its own node numbers.

    Every level of a categorical column has a branch here: rows that reach a node only after a
    branch is raised may take one that was empty before.

    Parameters
    ----------
    tree : TreeData
        The tree to copy.
    label : function, optional
        Returns the class for a vector of sums; it is applied to every node whose rows change
        (J48). Without it a node keeps its class as long as no other is more frequent, and a branch
        without rows keeps its class (C4.5).
    """

    def __init__(self, tree: TreeData, label: Callable[[Floats], int] | None = None) -> None:
        self._tree = tree
        self._label = label
        self.total: list[Floats] = []
        self.weight: list[float] = []
        self.most: list[float] = []
        """The greatest of each node's sums: the weight of its most frequent class."""
        self.label: list[int] = []
        self.depth: list[int] = []
        self._parent: list[tuple[int, int]] = []
        self._split: dict[int, Split] = {}
        self._children: dict[int, range] = {}
        self.origin: list[int] = []
        self.held_rows = HeldRows()
        self._no_rows = np.zeros_like(tree.nodes.total[0])
        weight, most = row_sums(tree.nodes.total), tree.nodes.total.max(axis=1).tolist()
        label_of, is_leaf = tree.values.tolist(), tree.is_leaf.tolist()
        self._append(0, tree.nodes.total[0], weight[0], most[0], label_of[0], (-1, 0), 0)
        for node in self._walk_down():
            origin = self.origin[node]
            if origin < 0 or is_leaf[origin]:
                continue
            below = self.depth[node] + 1
            for branch, child in enumerate(self._expand(node, origin)):
                above = (node, branch)
                if child < 0:
                    self._append(-1, self._no_rows, 0.0, 0.0, self.label[node], above, below)
                    continue
                total, answer = tree.nodes.total[child], int(label_of[child])
                self._append(child, total, weight[child], most[child], answer, above, below)

    def _append(  # noqa: PLR0917 - the lists of a node's attributes
        self,
        origin: int,
        total: Floats,
        weight: float,
        most: float,
        label: int,
        above: tuple[int, int],
        depth: int,
    ) -> None:
        self.origin.append(origin)
        self.total.append(total)
        self.weight.append(weight)
        self.most.append(most)
        self.label.append(label)
        self._parent.append(above)
        self.depth.append(depth)

    def _walk_down(self) -> Iterable[int]:
        node = 0
        while node < len(self.origin):
            yield node
            node += 1

    def _expand(self, node: int, origin: int) -> list[int]:
        """Set the split of a node; return the original node of each child, -1 for an empty one."""
        split = self._tree.split(origin)
        assert split is not None
        children = list(self._tree.children(origin))
        if split.cut is None:
            levels = [self._tree.nodes.levels(child) for child in children]
            branches: list[tuple[Codes, int]] = list(zip(levels, children, strict=True))
            branches += [(codes, -1) for codes in self._empty(origin)]
            if self._tree.recipe.get("shape") == "multiway":
                branches.sort(key=lambda arm: int(arm[0][0]))  # in the order of levels
            split = replace(split, groups=tuple(codes for codes, _ in branches))
            children = [child for _, child in branches]
        first = len(self.origin)
        self._split[node] = split
        self._children[node] = range(first, first + len(children))
        return children

    def _empty(self, origin: int) -> list[Codes]:
        codes = np.asarray(self._tree.empty_levels(origin), np.int32)
        if self._tree.recipe.get("shape") == "multiway":
            return list(codes[:, None])
        return [codes] if codes.size else []

    # -- queries ----------------------------------------------------------------------------

    def is_leaf(self, node: int) -> bool:
        """Whether a node is a leaf."""
        return node not in self._split

    def split_of(self, node: int) -> Split | None:
        """Return the split of a node, None for a leaf."""
        return self._split.get(node)

    def children(self, node: int) -> range:
        """Return the children of a node."""
        return self._children.get(node, range(0))

    def subtree(self, node: int) -> list[int]:
        """Return a node and its descendants, each before its children."""
        nodes, children = [node], self._children
        for each in nodes:  # the list grows during the loop
            if each in children:
                nodes.extend(children[each])
        return nodes

    def largest_child(self, node: int, tolerance: float) -> int:
        """Return the child of the greatest weight; ties go to the last."""
        children = self.children(node)
        weights = [self.weight[child] for child in children]
        most = max(weights)
        return max(c for c, w in zip(children, weights, strict=True) if w >= most - tolerance)

    # -- changes -----------------------------------------------------------------------------

    def structure_with_raised(self, raised: Mapping[int, int]) -> EditedStructure:
        """Return the structure in which these nodes are replaced by one of their children each."""
        return EditedStructure(self, raised)

    def parent_of(self, node: int) -> tuple[int, int]:
        """Return the parent of a node, and the branch of the parent that leads to the node."""
        return self._parent[node]

    def path_to(self, node: int) -> list[tuple[Split, int]]:
        """Return the splits and branches from the root to a node."""
        steps: list[tuple[Split, int]] = []
        while node != 0:
            node, branch = self._parent[node]
            steps.append((self._split[node], branch))
        return steps[::-1]

    def origin_of(self, node: int) -> int:
        """Return the original node of a node, or of its closest ancestor that has one."""
        while self.origin[node] < 0:
            node = self._parent[node][0]
        return self.origin[node]

    def replace_subtree(self, node: int, grown: GrownSubtree) -> None:
        """Replace a node by a subtree."""
        self._drop_rows_below(node)
        cells = grown.totals
        weight, most = row_sums(cells), cells.max(axis=1).tolist()
        most_frequent = cells.argmax(axis=1).tolist()
        pairs = [(node, grown.top)]
        for here, built in pairs:  # the list grows during the loop
            split = grown.split(built)
            self._split.pop(here, None)
            self._children.pop(here, None)
            if split is None:
                continue
            branches = list(zip(split.groups, grown.children(built), strict=False))
            if split.cut is None:
                used_codes = {code for codes, _ in branches for code in codes.tolist()}
                n_levels = len(self._tree.schema[split.column].levels)
                unused_codes = [code for code in range(n_levels) if code not in used_codes]
                branches += [(np.array([code], np.int32), -1) for code in unused_codes]
                branches.sort(key=lambda arm: int(arm[0][0]))
                split = replace(split, groups=tuple(codes for codes, _ in branches))
                children = [child for _, child in branches]
            else:
                children = list(grown.children(built))
            first = len(self.origin)
            self._split[here] = split
            self._children[here] = range(first, first + len(children))
            depth = self.depth[here] + 1
            for branch, child in enumerate(children):
                above = (here, branch)
                if child < 0:
                    self._append(-1, self._no_rows, 0.0, 0.0, self.label[here], above, depth)
                    continue
                label = most_frequent[child] if most[child] > 0 else self.label[here]
                self._append(-1, cells[child], weight[child], most[child], label, above, depth)
                pairs.append((first + branch, child))

    def make_leaf(self, node: int) -> None:
        """Make a node a leaf."""
        del self._split[node], self._children[node]

    def raise_branch(self, node: int, branch: int) -> None:
        """Put a child, with its subtree, in the place of its parent."""
        self._drop_rows_below(node)
        self._split[node], self._children[node] = self._split[branch], self._children[branch]
        self.label[node] = self.label[branch]
        self.origin[node] = self.origin[branch]
        for i, child in enumerate(self._children[node]):
            self._parent[child] = (node, i)
        for each in self.subtree(node)[1:]:
            self.depth[each] -= 1

    def _drop_rows_below(self, node: int) -> None:
        """Drop the rows of the nodes below a node: they get other rows, or are removed."""
        self.held_rows.drop(self.subtree(node)[1:])

    def set_total(self, node: int, total: Floats) -> None:
        """Set the sums of a node, and update its class."""
        self.total[node] = total
        self.weight[node], self.most[node] = float(total.sum()), float(total.max())
        if self._label is not None:
            self.label[node] = self._label(total)
        elif total[self.label[node]] < self.most[node]:
            self.label[node] = int(total.argmax())

    def _is_implied(self, node: int, child: int) -> bool:
        """Whether a branch without rows has the prediction of its parent."""
        if self.weight[child] > 0:
            return False
        return self._label is not None or self.label[child] == self.label[node]

    def finish(self, about: Mapping[str, Any]) -> TreeData:
        """Return the tree; a branch without rows is left out if its parent predicts the same."""
        builder = TreeBuilder(self._tree.reader)
        builder.set_totals([0], _totals([self.total[0]]))
        pairs = [(0, 0)]
        origin = {}
        for node, built in pairs:  # the list grows during the loop
            origin[built] = self.origin[node]
            split = self._split.get(node)
            if split is None:
                continue
            branches = list(enumerate(self.children(node)))
            if split.cut is None:
                branches = [arm for arm in branches if not self._is_implied(node, arm[1])]
                split = _with_branches(split, [b for b, _ in branches])
            children = builder.add_children(built, split)
            builder.set_totals(
                list(children), _totals([self.total[child] for _, child in branches])
            )
            pairs.extend(zip((child for _, child in branches), children, strict=True))
        tree = self._tree
        label_of = {built: self.label[node] for node, built in pairs}
        new_tree, new_id = builder.finish(tree.schema, tree.target, tree.centre, tree.recipe, about)
        answers = {
            new_id[g]: code for g, code in label_of.items() if code != new_tree.values[new_id[g]]
        }
        new_tree = replace(new_tree, nodes=replace(new_tree.nodes, answers=answers))
        if tree.nodes.gap is None:
            return new_tree
        gap = np.full((len(new_tree.nodes), 2), np.nan)
        for built, new in new_id.items():
            if not new_tree.is_leaf[new]:
                gap[new] = tree.nodes.gap[origin[built]]
        return replace(new_tree, nodes=replace(new_tree.nodes, gap=gap))


def _with_branches(split: Split, branches: list[int]) -> Split:
    """Return a split into groups of categories with only these of its branches.

    Raising may have added a branch; surrogates are for two branches.
    """
    has_both = branches == [0, 1]
    return replace(
        split,
        groups=tuple(split.groups[b] for b in branches),
        missing=branches.index(split.missing) if split.missing in branches else NO_BRANCH,
        surrogates=split.surrogates if has_both else (),
    )


def tree_from_arrays(
    tree: TreeData, arrays: Mapping[str, Any], about: Mapping[str, Any]
) -> TreeData:
    """Return the pruned tree from the arrays of `prune_by_errors`: original nodes and sums."""
    origin: Ids = arrays["origin"]
    is_inner = origin >= 0
    nodes = tree.nodes
    column = np.where(is_inner, nodes.column[origin], np.int32(LEAF))
    new_nodes = Nodes(
        arrays["parent"],
        column,
        np.where(is_inner, nodes.cut[origin], np.nan),
        arrays["level_start"],
        arrays["level_codes"],
        arrays["total"].reshape(len(origin), -1),
        np.where(is_inner, nodes.gain[origin], 0.0),
        np.where(is_inner, nodes.score[origin], 0.0),
        None if nodes.gap is None else np.where(is_inner[:, None], nodes.gap[origin], np.nan),
    )
    new_tree = TreeData(new_nodes, tree.schema, tree.target, tree.recipe, tree.centre, about)
    relabelled = np.flatnonzero(arrays["label"] != new_tree.values).tolist()
    answers = {node: int(arrays["label"][node]) for node in relabelled}
    return replace(new_tree, nodes=replace(new_nodes, answers=answers)) if answers else new_tree


def _totals(cells: list[Floats]) -> Totals:
    return Totals(np.stack(cells), np.zeros(len(cells), bool))
