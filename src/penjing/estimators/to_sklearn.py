"""A tree of ours as scikit-learn's own array tree, node for node in its numbering."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.tree._tree import NODE_DTYPE
from sklearn.tree._tree import Tree as Arrays

from penjing.api.tree import Tree
from penjing.data.table import Floats
from penjing.dialects.recipes import recipe_of
from penjing.dialects.sklearn.dialect import SplitScorer
from penjing.grow.recipe import Recipe
from penjing.tree.counts import Classes

Places = npt.NDArray[np.intp]
UNDEFINED = -2
"""What scikit-learn writes for the feature and the threshold of a leaf."""


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """Where each node of a tree stands in scikit-learn's numbering, and how deep the tree is."""

    place: Places
    depth: int


def depth_first(tree: Tree) -> Order:
    """Return the numbering of a walk: a node, all below its left branch, all below its right.

    Nodes are numbered breadth first here, so a generation is a range: no walk is needed.
    """
    parent, first = tree.nodes.parent, tree.first_child
    ends = _generations(tree)
    size = np.ones(len(parent), np.intp)
    for begin, end in reversed(list(pairwise(ends))):
        np.add.at(size, parent[begin:end], size[begin:end])
    place = np.zeros(len(parent), np.intp)
    for begin, end in pairwise(ends):
        ids = np.arange(begin, end)
        up = parent[begin:end]
        is_right = ids != first[up]
        place[ids] = place[up] + 1 + np.where(is_right, size[first[up]], 0)
    return Order(place, len(ends) - 1)


def best_first(tree: Tree) -> Order:
    """Return the numbering of a tree of few leaves: whichever node gains most is divided next."""
    worth = (-tree.reader.weight(_weighted(tree)) * tree.nodes.gain).tolist()
    is_leaf = tree.is_leaf.tolist()
    place = np.zeros(len(is_leaf), np.intp)
    born = 1
    waiting = [] if is_leaf[0] else [(worth[0], 0)]
    while waiting:
        _, node = heapq.heappop(waiting)
        for child in tree.children(node):
            place[child] = born
            born += 1
            if not is_leaf[child]:
                heapq.heappush(waiting, (worth[child], child))
    return Order(place, len(_generations(tree)) - 1)


def _generations(tree: Tree) -> list[int]:
    """Return where each generation of nodes ends."""
    ends, n = [1], len(tree.nodes)
    while ends[-1] < n:
        begin = ends[-2] if len(ends) > 1 else 0
        ends.append(int(np.searchsorted(tree.nodes.parent, ends[-1])))
        assert begin < ends[-1]
    return ends


@cache
def _recipe(criterion: str) -> Recipe:
    return recipe_of("sklearn", criterion=criterion)


def arrays_of(tree: Tree, order: Order, *, is_weighted: bool = False) -> Any:  # noqa: ANN401
    """Return scikit-learn's array tree.

    Parameters
    ----------
    tree : Tree
        A tree of binary questions about numbers.
    order : Order
        The numbering.
    is_weighted : bool
        Whether any row weighed anything but 1 (or what its class weighs); then how many rows a
        node had is not known from the tree.
    """
    nodes, place, s = tree.nodes, order.place, tree.reader
    asks = np.flatnonzero(~tree.is_leaf)
    total = _weighted(tree, is_each_one=not is_weighted)
    weight = s.weight(total)
    judge = SplitScorer(s, _recipe(str(tree.recipe["criterion"])))
    told = np.zeros(len(nodes), NODE_DTYPE)
    told["left_child"] = told["right_child"] = -1
    told["feature"] = told["threshold"] = UNDEFINED
    at, first = place[asks], tree.first_child[asks]
    told["left_child"][at], told["right_child"][at] = place[first], place[first + 1]
    told["feature"][at], told["threshold"][at] = nodes.column[asks], nodes.cut[asks]
    told["impurity"][place] = judge.impurity(nodes.total)
    told["weighted_n_node_samples"][place] = weight
    if not is_weighted:
        told["n_node_samples"][place] = s.weight(nodes.total)
    if nodes.missing is not None:
        told["missing_go_to_left"][at] = nodes.missing[asks] == 0
    answers = total / weight[:, None] if isinstance(s, Classes) else tree.values[:, None]
    values = np.empty((len(nodes), 1, answers.shape[1]))
    values[place, 0] = answers
    n_classes = np.array([answers.shape[1]], np.intp)
    made = Arrays(len(tree.schema), n_classes, 1)
    state = {"max_depth": order.depth, "node_count": len(nodes), "nodes": told, "values": values}
    made.__setstate__(state)
    return made


def _weighted(tree: Tree, *, is_each_one: bool = False) -> Floats:
    """Return the sums of all nodes, class weights included.

    Where every row weighs as much as its class, sums are rounded as those of scikit-learn, which
    adds row after row: balanced classes are equally likely but for that, and the largest wins.
    """
    total, s = tree.nodes.total, tree.reader
    if not isinstance(s, Classes) or s.costs is None:
        return total
    factor = np.asarray(s.costs.factor)
    if not is_each_one:
        return np.asarray(total * factor)
    found = np.empty_like(total)
    for k, each in enumerate(factor):
        rows = total[:, k].astype(np.intp)
        sums = np.full(rows[0] + 1, each)
        sums[0] = 0.0
        found[:, k] = np.cumsum(sums)[rows]
    return found


def rows_of(arrays: Any, leaves: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:  # noqa: ANN401
    """Return how many rows come through each node, from the leaf where each of them ends."""
    found = np.bincount(leaves, minlength=arrays.node_count).astype(np.int64)
    left, right = arrays.children_left, arrays.children_right
    waiting = [np.zeros(1, np.intp)]
    while (asks := waiting[-1][left[waiting[-1]] >= 0]).size:
        waiting[-1] = asks
        waiting.append(np.concatenate([left[asks], right[asks]]))
    for asks in reversed(waiting[:-1]):
        found[asks] = found[left[asks]] + found[right[asks]]
    return found


def made_leaves(whole: Any, pruned: Any) -> Places:  # noqa: ANN401 - scikit-learn's array trees
    """Return which nodes of the whole tree are leaves of the pruned one, and were none before."""
    found = []
    old = new = np.zeros(1, np.intp)
    while old.size:
        asks, stays = whole.children_left[old] >= 0, pruned.children_left[new] >= 0
        found.append(old[asks & ~stays])
        old, new = old[stays], new[stays]
        old = np.concatenate([whole.children_left[old], whole.children_right[old]])
        new = np.concatenate([pruned.children_left[new], pruned.children_right[new]])
    return np.concatenate(found)


def are_equal(one: Any, other: Any) -> bool:  # noqa: ANN401 - scikit-learn's array trees
    """Whether two array trees say the same in every number."""
    left, right = one.__getstate__(), other.__getstate__()
    return left.keys() == right.keys() and all(
        np.array_equal(left[key], right[key]) for key in left
    )
