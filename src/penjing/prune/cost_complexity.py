"""Cost-complexity pruning: a question stays if what it saves is worth the leaves it costs.

Two measures of what a subtree costs are in use: what its leaves get wrong (Breiman et al. 1984,
rpart) and how mixed they are (scikit-learn). Both cut the weakest link first: the node whose
subtree saves least for each leaf it adds. The counts that a tree keeps are enough, no rows are
needed; only the choice of the complexity by cross-validation wants them.
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
from penjing.tree.tree_data import TreeData

By = Literal["errors", "impurity"]
_AS_THERE = {"gain": sklearn_impurity.entropy, "variance": sklearn_impurity.variance}
"""In which order links of equal strength are cut hangs on rounding."""


@dataclass(frozen=True, slots=True)
class Link:
    """One cut of the weakest link: at which complexity, which node, what the tree then costs."""

    alpha: float
    node: int
    cost: float
    n_leaves: int


def pruning_path(tree: TreeData, by: By = "errors") -> list[Link]:
    """Return all cuts from the whole tree down to its root, the weakest link first.

    Parameters
    ----------
    tree : TreeData
        The tree; it stays as it is.
    by : str
        What a leaf costs: its ``errors`` (for a number, its squares), or its ``impurity`` times
        its share of the rows.

    Returns
    -------
    list of Link
        The first has no node: the tree as it is. Complexities are per leaf, in the unit of the
        cost; of equal ones the node that a walk through the tree meets first is cut first.

    Examples
    --------
    >>> import penjing
    >>> barks = {"barks": {1: "dog", 0: "cat"}}
    >>> tree = penjing.Tree.from_dict({"legs": {0: "fish", 2: "bird", 4: barks}})
    >>> [(link.node, link.alpha) for link in pruning_path(tree)]
    [(-1, 0.0), (0, 1.0)]
    """
    order = np.fromiter(tree.walk(), np.intp, len(tree.nodes))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    parent = np.where(tree.nodes.parent[order] < 0, -1, place[tree.nodes.parent[order]])
    own = cost_of(tree, by)[order]
    is_leaf = tree.is_leaf[order]
    below, n_leaves = np.where(is_leaf, own, 0.0), is_leaf.astype(np.int64)
    for i in np.flatnonzero(is_leaf).tolist():  # leaf after leaf up to the root: one rounding
        up = parent[i]
        while up >= 0:
            below[up] += own[i]
            n_leaves[up] += 1
            up = parent[up]
    last = _last_below(parent)
    found = [Link(0.0, -1, float(below[0]), int(n_leaves[0]))]
    asks = ~is_leaf
    while asks[0]:
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.where(asks, (own - below) / (n_leaves - 1), np.inf)
        weakest = int(rate.argmin())
        saved, fewer = own[weakest] - below[weakest], n_leaves[weakest] - 1
        asks[weakest : last[weakest] + 1] = False
        below[weakest], n_leaves[weakest] = own[weakest], 1
        up = parent[weakest]
        while up >= 0:
            below[up] += saved
            n_leaves[up] -= fewer
            up = parent[up]
        node = int(order[weakest])
        found.append(Link(float(rate[weakest]), node, float(below[0]), int(n_leaves[0])))
    return found


def cost_of(tree: TreeData, by: By) -> Floats:
    """Return what each node costs as a leaf."""
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
    elif tree.recipe.get("rules") == "sklearn" and name in _AS_THERE:
        impurity = _AS_THERE[name](total)
    else:
        name = {"gain_ratio": "gain"}.get(name, name)
        impurity = load("criterion", name)().impurity(total, s)
    return np.asarray(weight * impurity / weight[0])


def _last_below(parent: np.ndarray[Any, Any]) -> list[int]:
    """Return the last node below each, in the order of a walk; itself for a leaf."""
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
    """Return the tree without the questions that save too little for the leaves they add.

    Parameters
    ----------
    tree : TreeData
        What to prune; it stays as it is.
    alpha : float, optional
        What a leaf costs, in the unit of ``by``.
    cp : float, optional
        The same as a share of what the root costs as a leaf (rpart).
    by : str
        ``errors`` (for a number, squares) or ``impurity``.
    one_se : bool
        With neither ``alpha`` nor ``cp``, the tree's cross-validated table decides: its smallest
        error, or the smallest tree within one standard error of that.

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
    # a cp read from a table is a quotient, rounded
    slack = 0.0 if is_exact else 1e-12 * float(cost[0])
    cut = [link for link in links[1:] if link.alpha <= alpha + slack]
    decisions = _decisions(tree, cost, links[: len(cut) + 1], alpha)
    smaller = apply_cuts(tree, decisions)
    if cut and by == "errors" and "cp_table" in tree.about:
        table = shorten_cp_table(tree.about["cp_table"], alpha / float(cost[0]))
        smaller = replace(smaller, about=dict(smaller.about) | {"cp_table": table})
    return smaller, decisions


def shorten_cp_table(table: Sequence[Sequence[float]], cp: float) -> list[list[float]]:
    """Return the rows of a table of complexities that are left after pruning to ``cp``."""
    kept = [list(row) for row in table if row[0] > cp]
    rest = [list(row) for row in table if row[0] <= cp]
    return [*kept, [cp, *rest[0][1:]]] if rest else kept


def best_cp(tree: TreeData, *, one_se: bool = True) -> float:
    """Return the cp that the tree's cross-validated table recommends.

    With ``one_se`` the simplest tree whose error is within one standard error of the smallest
    (Breiman et al. 1984, 3.4.3), else the first of the smallest error itself.
    """
    rows = [row for row in tree.about.get("cp_table", ()) if len(row) == 5]
    if not rows:
        raise ChoiceError("needs_cp_table")
    _, _, _, error, deviation = min(rows, key=lambda row: float(row[3]))
    most = error + deviation if one_se else error
    return float(next(row[0] for row in rows if row[3] <= most))


def _decisions(tree: TreeData, cost: Floats, links: Sequence[Link], alpha: float) -> list[Decision]:
    """Return what was cut, in its order, and then what stayed."""
    parent, is_leaf = tree.nodes.parent.tolist(), tree.is_leaf.tolist()
    below = [float(cost[i]) if is_leaf[i] else 0.0 for i in range(len(parent))]
    leaves = [int(is_leaf[i]) for i in range(len(parent))]
    for i in range(len(parent) - 1, 0, -1):
        below[parent[i]] += below[i]
        leaves[parent[i]] += leaves[i]
    weight = tree.weight.tolist()
    gone = [False] * len(parent)
    made = []

    def decided(node: int, *, is_cut: bool) -> Decision:
        kept, as_leaf = below[node] + alpha * leaves[node], float(cost[node]) + alpha
        now = below[0] + alpha * leaves[0]
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
        made.append(decided(link.node, is_cut=True))
        saved, fewer = float(cost[link.node]) - below[link.node], leaves[link.node] - 1
        up = link.node
        while up >= 0:
            below[up] += saved
            leaves[up] -= fewer
            up = parent[up]
        gone[link.node] = True
    for i in range(len(parent)):
        gone[i] = gone[i] or (i > 0 and gone[parent[i]])
        if not (gone[i] or is_leaf[i]):
            made.append(decided(i, is_cut=False))
    return made
