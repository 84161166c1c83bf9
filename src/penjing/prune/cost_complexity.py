"""Cost-complexity pruning: a split stays if it reduces the cost enough for the leaves it adds.

The cost of a subtree is the errors of its leaves (Breiman et al. 1984, rpart) or their impurity
(scikit-learn). Both prune the weakest link first: the node whose subtree reduces the cost least
per added leaf. The counts in the tree are sufficient; only choosing the complexity by
cross-validation needs rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from penjing import _core, arguments
from penjing.criteria import sklearn_impurity
from penjing.data.table import Floats
from penjing.errors import CapabilityError, ChoiceError
from penjing.prune.bottom_up import below_or_in, preorder
from penjing.prune.decisions import Decision, decision_list
from penjing.registry import load
from penjing.tree.counts import Classes
from penjing.tree.dialect import dialect_of
from penjing.tree.nodes import Ids
from penjing.tree.tree_data import TreeData

By = Literal["errors", "impurity"]
"""The order in which equally weak links are pruned depends on rounding."""


@dataclass(frozen=True, slots=True)
class Link:
    """A step of weakest-link pruning: complexity, node, and the cost of the tree after it."""

    alpha: float
    node: int
    cost: float
    n_leaves: int


def pruning_path(tree: TreeData, by: By = "errors") -> list[Link]:
    """Return all pruning steps from the full tree down to its root, the weakest link first.

    Parameters
    ----------
    tree : TreeData
        The tree; it is not changed.
    by : str
        The cost of a leaf: its ``errors`` (for regression, its sum of squares), or its
        ``impurity`` times its share of the rows.

    Returns
    -------
    list of Link
        The first has no node: it is the full tree. Complexities are per leaf, in the unit of the
        cost; ties go to the first node in preorder.

    Examples
    --------
    >>> import penjing
    >>> barks = {"barks": {1: "dog", 0: "cat"}}
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird", 4: barks}})
    >>> [(link.node, link.alpha) for link in pruning_path(tree)]
    [(-1, 0.0), (0, 1.0)]
    """
    return weakest_links(tree, by).to_list()


@dataclass(frozen=True, slots=True, eq=False)
class WeakestLinks:
    """The pruning steps of a tree as arrays; see `Link`."""

    alpha: Floats
    node: Ids
    cost: Floats
    n_leaves: npt.NDArray[np.int64]

    def to_list(self) -> list[Link]:
        """Return the steps one by one."""
        arrays = (self.alpha, self.node, self.cost, self.n_leaves)
        return list(map(Link, *(array.tolist() for array in arrays)))

    def cut_to(self, alpha: float) -> Ids:
        """Return the nodes that are pruned at a complexity."""
        return self.node[1:][self.alpha[1:] <= alpha]


def weakest_links(tree: TreeData, by: By = "errors") -> WeakestLinks:
    """Return all pruning steps from the full tree down to its root; see `pruning_path`."""
    order = preorder(tree)
    position = np.empty_like(order)
    position[order] = np.arange(len(order), dtype=np.int32)
    parent = tree.nodes.parent[order]
    alpha, node, cost, n_leaves = _core.weakest_links(
        np.where(parent < 0, np.int32(-1), position[parent]),
        tree.is_leaf[order].astype(np.uint8),
        np.ascontiguousarray(cost_of(tree, by)[order], np.float64),
    )
    node[1:] = order[node[1:]]
    return WeakestLinks(alpha, node, cost, n_leaves)


def cost_of(tree: TreeData, by: By) -> Floats:
    """Return the cost of each node as a leaf."""
    if by == "errors":
        return tree.losses
    s = tree.reader
    total = tree.nodes.total
    if isinstance(s, Classes) and s.costs is not None:
        total = total * np.asarray(s.costs.factor)
    weight = s.weight(total)
    name = "variance" if tree.is_regression else str(tree.recipe.get("criterion", "gini"))
    if name == "gini":
        impurity = sklearn_impurity.gini(total)
    elif name in (rounded_as := dialect_of(tree).impurities):
        impurity = rounded_as[name](total)
    else:
        name = {"gain_ratio": "gain"}.get(name, name)
        impurity = load("criterion", name)().impurity(total, s)
    return np.asarray(weight * impurity / weight[0])


def prune(
    tree: TreeData,
    *,
    alpha: float | None = None,
    cp: float | None = None,
    by: By = "errors",
    one_se: bool = True,
) -> tuple[TreeData, list[Decision]]:
    """Return the tree without the splits that reduce the cost too little for the leaves they add.

    Parameters
    ----------
    tree : TreeData
        The tree to prune; it is not changed.
    alpha : float, optional
        The cost of each leaf, in the unit of ``by``.
    cp : float, optional
        The same as a share of the cost of the root as a leaf (rpart).
    by : str
        ``errors`` (for regression, sums of squares) or ``impurity``.
    one_se : bool
        With neither ``alpha`` nor ``cp``, the tree's cross-validated cp table decides: the
        smallest tree within one standard error of the smallest error, or without ``one_se`` the
        tree of the smallest error.

    Returns
    -------
    (TreeData, list of Decision)
        The numbers of a decision are costs, with ``alpha`` added for each leaf.
    """
    arguments.one_of("by", by, ("errors", "impurity"))
    if not tree.has_counts:
        raise CapabilityError("complexity_needs_counts")
    cost = cost_of(tree, by)
    if alpha is not None and cp is not None:
        raise ChoiceError("settings_clash", one="cp", other="alpha", name="alpha")
    is_exact = alpha is not None and by == "impurity"  # as scikit-learn compares
    if alpha is None:
        share = best_cp(tree, one_se=one_se) if cp is None else cp
        arguments.number("cp", share)
        alpha = share * float(cost[0])
    arguments.number("alpha", alpha)
    alpha = float(alpha)
    links = weakest_links(tree, by)
    # A cp from a table is a rounded quotient.
    slack = 0.0 if is_exact else 1e-12 * float(cost[0])
    n_cut = len(links.cut_to(alpha + slack))
    cut = links.node[1 : n_cut + 1]
    decisions = _decisions(tree, cost, cut, alpha)
    smaller = tree.pruned(cut) if n_cut else replace(tree)
    if n_cut and by == "errors" and "cp_table" in tree.about:
        table = shorten_cp_table(tree.about["cp_table"], alpha / float(cost[0]))
        smaller = replace(smaller, about=dict(smaller.about) | {"cp_table": table})
    return smaller, decisions


def shorten_cp_table(table: Sequence[Sequence[float]], cp: float) -> list[list[float]]:
    """Return the rows of a cp table that remain after pruning to ``cp``."""
    kept = [list(row) for row in table if row[0] > cp]
    rest = [list(row) for row in table if row[0] <= cp]
    return [*kept, [cp, *rest[0][1:]]] if rest else kept


def best_cp(tree: TreeData, *, one_se: bool = True) -> float:
    """Return the cp that the tree's cross-validated cp table recommends.

    With ``one_se`` the simplest tree whose error is within one standard error of the smallest
    (Breiman et al. 1984, 3.4.3), else the first one with the smallest error.
    """
    rows = [row for row in tree.about.get("cp_table", ()) if len(row) == 5]
    if not rows:
        raise ChoiceError("needs_cp_table")
    _, _, _, error, deviation = min(rows, key=lambda row: float(row[3]))
    most = error + deviation if one_se else error
    return float(next(row[0] for row in rows if row[3] <= most))


def _decisions(tree: TreeData, cost: Floats, cut: Ids, alpha: float) -> list[Decision]:
    """Return the decisions: first the pruned nodes in their order, then those that stay."""
    parent = np.ascontiguousarray(tree.nodes.parent, np.int32)
    is_leaf = tree.is_leaf.astype(np.uint8)
    costs = _core.cut_costs(parent, is_leaf, np.ascontiguousarray(cost, np.float64), cut)
    is_removed = np.zeros(len(parent), bool)
    is_removed[cut] = True
    is_removed = below_or_in(tree, is_removed)
    stays = np.flatnonzero(~is_removed & ~tree.is_leaf).astype(np.int32)
    node = np.concatenate([cut, stays])
    n_cut, tree_cost = len(cut), costs["final_cost"][0]
    kept = np.concatenate([costs["cost"], costs["final_cost"][stays]])
    kept += alpha * np.concatenate([costs["n_leaves"], costs["final_leaves"][stays]])
    whole = np.full(len(node), tree_cost + alpha * costs["final_leaves"][0])
    whole[:n_cut] = costs["tree_cost"] + alpha * costs["tree_leaves"]
    as_leaf = cost[node] + alpha
    is_equal = np.abs(kept - as_leaf) <= 1e-12 * np.maximum(kept, as_leaf)
    return decision_list(
        node,
        rows=tree.weight[node],
        kept=kept,
        as_leaf=as_leaf,
        tree_kept=whole,
        decision=["cut"] * n_cut + ["keep"] * len(stays),
        why=np.where(is_equal, "equal", np.where(as_leaf < kept, "better", "worse")).tolist(),
    )
