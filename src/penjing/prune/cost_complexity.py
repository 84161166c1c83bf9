"""Cost-complexity pruning: a split stays if it reduces the cost enough for the leaves it adds.

The cost of a subtree is the errors of its leaves (Breiman et al. 1984, rpart) or their impurity
(scikit-learn). Both prune the weakest link first: the node whose subtree reduces the cost least
per added leaf. The counts in the tree are sufficient; only choosing the complexity by
cross-validation needs rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from penjing import arguments
from penjing.criteria import sklearn_impurity
from penjing.data.table import Floats
from penjing.errors import CapabilityError, ChoiceError
from penjing.prune.decisions import Decision, apply_cuts, plain_number
from penjing.registry import load
from penjing.tree.counts import Classes
from penjing.tree.dialect import dialect_of
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
    order = np.fromiter(tree.walk(), np.intp, len(tree.nodes))
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    parent = np.where(tree.nodes.parent[order] < 0, -1, position[tree.nodes.parent[order]])
    own = cost_of(tree, by)[order]
    is_leaf = tree.is_leaf[order]
    below, n_leaves = np.where(is_leaf, own, 0.0), is_leaf.astype(np.int64)
    for i in np.flatnonzero(is_leaf).tolist():  # leaf by leaf up to the root: fixed rounding
        ancestor = parent[i]
        while ancestor >= 0:
            below[ancestor] += own[i]
            n_leaves[ancestor] += 1
            ancestor = parent[ancestor]
    last_descendant = _last_descendants(parent)
    links = [Link(0.0, -1, float(below[0]), int(n_leaves[0]))]
    is_inner = ~is_leaf
    while is_inner[0]:
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.where(is_inner, (own - below) / (n_leaves - 1), np.inf)
        weakest = int(rate.argmin())
        added_cost, removed_leaves = own[weakest] - below[weakest], n_leaves[weakest] - 1
        is_inner[weakest : last_descendant[weakest] + 1] = False
        below[weakest], n_leaves[weakest] = own[weakest], 1
        ancestor = parent[weakest]
        while ancestor >= 0:
            below[ancestor] += added_cost
            n_leaves[ancestor] -= removed_leaves
            ancestor = parent[ancestor]
        node = int(order[weakest])
        links.append(Link(float(rate[weakest]), node, float(below[0]), int(n_leaves[0])))
    return links


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


def _last_descendants(parent: np.ndarray[Any, Any]) -> list[int]:
    """Return the last descendant of each node in preorder; the node itself for a leaf."""
    last = list(range(len(parent)))
    for i in range(len(parent) - 1, 0, -1):
        last[parent[i]] = max(last[parent[i]], last[i])
    return last


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
    links = pruning_path(tree, by)
    # A cp from a table is a rounded quotient.
    slack = 0.0 if is_exact else 1e-12 * float(cost[0])
    cut = [link for link in links[1:] if link.alpha <= alpha + slack]
    decisions = _decisions(tree, cost, links[: len(cut) + 1], alpha)
    smaller = apply_cuts(tree, decisions)
    if cut and by == "errors" and "cp_table" in tree.about:
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


def _decisions(tree: TreeData, cost: Floats, links: Sequence[Link], alpha: float) -> list[Decision]:
    """Return the decisions: first the pruned nodes in their order, then those that stay."""
    parent, is_leaf = tree.nodes.parent.tolist(), tree.is_leaf.tolist()
    subtree_cost = [float(cost[i]) if is_leaf[i] else 0.0 for i in range(len(parent))]
    leaves = [int(is_leaf[i]) for i in range(len(parent))]
    for i in range(len(parent) - 1, 0, -1):
        subtree_cost[parent[i]] += subtree_cost[i]
        leaves[parent[i]] += leaves[i]
    weight = tree.weight.tolist()
    is_removed = [False] * len(parent)
    decisions = []

    def decision_of(node: int, *, is_cut: bool) -> Decision:
        kept, as_leaf = subtree_cost[node] + alpha * leaves[node], float(cost[node]) + alpha
        now = subtree_cost[0] + alpha * leaves[0]
        slack = 1e-12 * max(kept, as_leaf)
        why = "equal" if abs(kept - as_leaf) <= slack else "better" if as_leaf < kept else "worse"
        return Decision(
            node=node,
            rows=plain_number(weight[node]),
            kept=plain_number(kept),
            as_leaf=plain_number(as_leaf),
            tree_kept=plain_number(now),
            tree_as_leaf=plain_number(now + (as_leaf - kept)),
            decision="cut" if is_cut else "keep",
            why=why,  # type: ignore[arg-type]
        )

    for link in links[1:]:
        decisions.append(decision_of(link.node, is_cut=True))
        added_cost, removed_leaves = (
            float(cost[link.node]) - subtree_cost[link.node],
            leaves[link.node] - 1,
        )
        ancestor = link.node
        while ancestor >= 0:
            subtree_cost[ancestor] += added_cost
            leaves[ancestor] -= removed_leaves
            ancestor = parent[ancestor]
        is_removed[link.node] = True
    for i in range(len(parent)):
        is_removed[i] = is_removed[i] or (i > 0 and is_removed[parent[i]])
        if not (is_removed[i] or is_leaf[i]):
            decisions.append(decision_of(i, is_cut=False))
    return decisions
