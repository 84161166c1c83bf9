"""Conversion of a `Tree` to scikit-learn's array tree, with the same numbering of nodes."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from sklearn.tree._tree import NODE_DTYPE
from sklearn.tree._tree import Tree as ArrayTree

from penjing.api.tree import Tree
from penjing.criteria import sklearn_impurity
from penjing.data.table import Floats
from penjing.tree.counts import Classes

Positions = npt.NDArray[np.intp]
UNDEFINED = -2
"""scikit-learn's value for the feature and the threshold of a leaf."""


@dataclass(frozen=True, slots=True, eq=False)
class NodeOrder:
    """The position of each node in scikit-learn's numbering, and the depth of the tree."""

    position: Positions
    depth: int


def depth_first(tree: Tree) -> NodeOrder:
    """Return the depth-first order: a node, its left subtree, its right subtree.

    Nodes of a `Tree` are numbered breadth first, so that each level is a range of numbers.
    """
    parent, first = tree.nodes.parent, tree.first_child
    ends = _level_ends(tree)
    size = np.ones(len(parent), np.intp)
    for begin, end in reversed(list(pairwise(ends))):
        np.add.at(size, parent[begin:end], size[begin:end])
    position = np.zeros(len(parent), np.intp)
    for begin, end in pairwise(ends):
        ids = np.arange(begin, end)
        parents = parent[begin:end]
        is_right = ids != first[parents]
        position[ids] = position[parents] + 1 + np.where(is_right, size[first[parents]], 0)
    return NodeOrder(position, len(ends) - 1)


def best_first(tree: Tree) -> NodeOrder:
    """Return the order of growing with ``max_leaf_nodes``: the largest weighted gain first."""
    priority = (-tree.reader.weight(_weighted_totals(tree)) * tree.nodes.gain).tolist()
    is_leaf = tree.is_leaf.tolist()
    position = np.zeros(len(is_leaf), np.intp)
    n_numbered = 1
    heap = [] if is_leaf[0] else [(priority[0], 0)]
    while heap:
        _, node = heapq.heappop(heap)
        for child in tree.children(node):
            position[child] = n_numbered
            n_numbered += 1
            if not is_leaf[child]:
                heapq.heappush(heap, (priority[child], child))
    return NodeOrder(position, len(_level_ends(tree)) - 1)


def _level_ends(tree: Tree) -> list[int]:
    """Return the end of each level in the breadth-first numbering."""
    ends, n = [1], len(tree.nodes)
    while ends[-1] < n:
        begin = ends[-2] if len(ends) > 1 else 0
        ends.append(int(np.searchsorted(tree.nodes.parent, ends[-1])))
        assert begin < ends[-1]
    return ends


def to_arrays(tree: Tree, order: NodeOrder, *, is_weighted: bool = False) -> ArrayTree:
    """Return scikit-learn's array tree.

    Parameters
    ----------
    tree : Tree
        A tree with binary splits on numeric columns.
    order : NodeOrder
        The order of the nodes.
    is_weighted : bool
        Whether a row has a weight other than 1 (class weights aside). Then the tree does not
        hold the number of rows of a node, and ``n_node_samples`` stays 0.
    """
    nodes, position, s = tree.nodes, order.position, tree.reader
    splits = np.flatnonzero(~tree.is_leaf)
    total = _weighted_totals(tree, has_unit_weights=not is_weighted)
    weight = s.weight(total)
    impurity = sklearn_impurity.impurity(nodes.total, s, str(tree.recipe["criterion"]))
    records = np.zeros(len(nodes), NODE_DTYPE)
    records["left_child"] = records["right_child"] = -1
    records["feature"] = records["threshold"] = UNDEFINED
    at, first = position[splits], tree.first_child[splits]
    records["left_child"][at], records["right_child"][at] = position[first], position[first + 1]
    records["feature"][at], records["threshold"][at] = nodes.column[splits], nodes.cut[splits]
    records["impurity"][position] = impurity
    records["weighted_n_node_samples"][position] = weight
    if not is_weighted:
        records["n_node_samples"][position] = s.weight(nodes.total)
    if nodes.missing is not None:
        records["missing_go_to_left"][at] = nodes.missing[splits] == 0
    predictions = total / weight[:, None] if isinstance(s, Classes) else tree.values[:, None]
    if isinstance(s, Classes) and tree.value_bounds is not None:
        first = np.clip(predictions[:, 0], *tree.value_bounds.T)
        predictions = np.stack([first, 1.0 - first], axis=1)[:, : s.n]
    values = np.empty((len(nodes), 1, predictions.shape[1]))
    values[position, 0] = predictions
    n_classes = np.array([predictions.shape[1]], np.intp)
    arrays = ArrayTree(len(tree.schema), n_classes, 1)
    state = {"max_depth": order.depth, "node_count": len(nodes), "nodes": records, "values": values}
    arrays.__setstate__(state)
    return arrays


def _weighted_totals(tree: Tree, *, has_unit_weights: bool = False) -> Floats:
    """Return the class counts of all nodes, times the class weights.

    With ``has_unit_weights`` the sums are rounded as in scikit-learn, which adds the weights row
    by row: among balanced classes of equal sums the rounding decides which one is predicted.
    """
    total, s = tree.nodes.total, tree.reader
    if not isinstance(s, Classes) or s.costs is None:
        return total
    factor = np.asarray(s.costs.factor)
    if not has_unit_weights:
        return np.asarray(total * factor)
    weighted = np.empty_like(total)
    for k, class_weight in enumerate(factor):
        rows = total[:, k].astype(np.intp)
        sums = np.full(rows[0] + 1, class_weight)
        sums[0] = 0.0
        weighted[:, k] = np.cumsum(sums)[rows]
    return weighted


def count_rows(arrays: ArrayTree, leaves: Positions) -> npt.NDArray[np.int64]:
    """Return the number of rows of each node, given the leaf of each row."""
    counts = np.bincount(leaves, minlength=arrays.node_count).astype(np.int64)
    left, right = arrays.children_left, arrays.children_right
    levels = [np.zeros(1, np.intp)]
    while (splits := levels[-1][left[levels[-1]] >= 0]).size:
        levels[-1] = splits
        levels.append(np.concatenate([left[splits], right[splits]]))
    for splits in reversed(levels[:-1]):
        counts[splits] = counts[left[splits]] + counts[right[splits]]
    return counts


def new_leaves(unpruned: ArrayTree, pruned: ArrayTree) -> Positions:
    """Return the nodes that are splits of the unpruned tree and leaves of the pruned one."""
    leaves = []
    before = after = np.zeros(1, np.intp)
    while before.size:
        was_split, is_split = unpruned.children_left[before] >= 0, pruned.children_left[after] >= 0
        leaves.append(before[was_split & ~is_split])
        before, after = before[is_split], after[is_split]
        before = np.concatenate([unpruned.children_left[before], unpruned.children_right[before]])
        after = np.concatenate([pruned.children_left[after], pruned.children_right[after]])
    return np.concatenate(leaves)


def are_equal(one: ArrayTree, other: ArrayTree) -> bool:
    """Return whether two array trees are equal in every number."""
    left, right = one.__getstate__(), other.__getstate__()
    return left.keys() == right.keys() and all(
        np.array_equal(left[key], right[key]) for key in left
    )
