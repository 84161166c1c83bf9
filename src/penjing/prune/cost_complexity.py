"""Cost-complexity pruning: a question stays if what it saves is worth the leaves it costs.

Two measures of what a subtree costs are in use: what its leaves get wrong (Breiman et al. 1984,
rpart) and how mixed they are (scikit-learn). Both cut the weakest link first: the node whose
subtree saves least for each leaf it adds. The counts that a tree keeps are enough, no rows are
needed; only the choice of the complexity by cross-validation wants them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from penjing.errors import CapabilityError, ChoiceError, unknown
from penjing.plugs import load
from penjing.prune import Decision, cut_back, plain
from penjing.table import Floats
from penjing.tally import Classes
from penjing.tree import Tree

By = Literal["errors", "impurity"]


# -- the weakest link ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Link:
    """One cut of the weakest link: at which complexity, which node, what the tree then costs."""

    alpha: float
    node: int
    cost: float
    n_leaves: int


def path(tree: Tree, by: By = "errors") -> list[Link]:
    """Return all cuts from the whole tree down to its root, the weakest link first.

    Parameters
    ----------
    tree : Tree
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
    >>> from penjing.tree import Tree
    >>> tree = Tree.from_dict({"legs": {0: "fish", 2: "bird", 4: {"barks": {1: "dog", 0: "cat"}}}})
    >>> [(link.node, link.alpha) for link in path(tree)]
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


def cost_of(tree: Tree, by: By) -> Floats:
    """Return what each node costs as a leaf."""
    if by == "errors":
        return tree.losses
    s = tree.reader
    total = tree.nodes.total
    if isinstance(s, Classes) and s.costs is not None:
        total = total * np.asarray(s.costs.factor)
    weight = s.weight(total)
    name = "variance" if tree.is_regression else str(tree.recipe.get("criterion", "gini"))
    name = {"gain_ratio": "gain"}.get(name, name)
    impurity = load("criterion", name)().impurity(total, s)
    return np.asarray(weight * impurity / weight[0])


def _last_below(parent: np.ndarray[Any, Any]) -> list[int]:
    """Return the last node below each, in the order of a walk; itself for a leaf."""
    last = list(range(len(parent)))
    for i in range(len(parent) - 1, 0, -1):
        last[parent[i]] = max(last[parent[i]], last[i])
    return last


# -- as a pruner -----------------------------------------------------------------------------


def prune(
    tree: Tree,
    *,
    alpha: float | None = None,
    cp: float | None = None,
    by: By = "errors",
    one_se: bool = True,
) -> tuple[Tree, list[Decision]]:
    """Return the tree without the questions that save too little for the leaves they add.

    Parameters
    ----------
    tree : Tree
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
    (Tree, list of Decision)
        The numbers of a decision are costs, with ``alpha`` added for each leaf.
    """
    if by not in ("errors", "impurity"):
        raise unknown("unknown_plug", by, ("errors", "impurity"), socket="by")
    if not tree.has_counts:
        raise CapabilityError("complexity_needs_counts")
    cost = cost_of(tree, by)
    if alpha is None:
        share = best_cp(tree, one_se=one_se) if cp is None else cp
        _check_number("cp", share)
        alpha = share * float(cost[0])
    _check_number("alpha", alpha)
    links = path(tree, by)
    slack = 1e-12 * float(cost[0])  # a cp read from a table is a quotient, rounded
    cut = [link for link in links[1:] if link.alpha <= alpha + slack]
    decisions = _decisions(tree, cost, links[: len(cut) + 1], alpha)
    return cut_back(tree, decisions), decisions


def best_cp(tree: Tree, *, one_se: bool = True) -> float:
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


def _decisions(tree: Tree, cost: Floats, links: Sequence[Link], alpha: float) -> list[Decision]:
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
            rows=plain(weight[node]),
            kept=plain(kept),
            as_leaf=plain(as_leaf),
            tree_kept=plain(now),
            tree_as_leaf=plain(now + (as_leaf - kept)),
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


def _check_number(name: str, value: object) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number and 0 <= value < math.inf):  # type: ignore[operator]
        raise ChoiceError("bad_number", name=name, value=value)


# -- rpart's table ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Complexities:
    """At which complexity each question goes, and which are not worth it from the start."""

    of: Floats
    cut: list[int]


@dataclass(slots=True)
class Row:
    """A row of rpart's table: up to which complexity a tree is the best, its splits and risk."""

    cp: float
    n_splits: int = 0
    risk: float = 0.0

    def to_json(self, root: float) -> list[float]:
        """Return the row as rpart prints it: as shares of the root's risk."""
        share = 1 / root if root > 0 else 0.0
        return [self.cp * share, self.n_splits, self.risk * share]


def complexities(tree: Tree, alpha: float) -> Complexities:
    """Return the complexity of each node of a binary tree, as rpart reckons it depth first.

    A node's complexity is what its subtree saves for each split, where a child that would go
    before it counts as a leaf. A node whose complexity is at most ``alpha`` is cut; so is one
    of which it is known before that its splits cannot pay.
    """
    risk = tree.losses.tolist()
    n = len(risk)
    found, sums, splits = [alpha] * n, list(risk), [0] * n
    found[0] = risk[0]
    sons = [lower_first(tree, i) for i in range(n)]
    cut: list[int] = []
    waiting: list[tuple[int, int]] = [(0, 0)]
    while waiting:
        node, stage = waiting.pop()
        left, right = sons[node] or (0, 0)
        if stage == 0:
            most = min(risk[node], found[node])
            if sons[node] is None or most <= alpha:
                if sons[node] is not None:
                    cut.append(node)
                found[node], sums[node], splits[node] = alpha, risk[node], 0
                continue
            found[left] = most - alpha
            waiting += [(node, 1), (left, 0)]
        elif stage == 1:
            most = max((risk[node] - sums[left]) / (splits[left] + 1), risk[node] - risk[left])
            found[right] = min(most, found[node]) - alpha
            waiting += [(node, 2), (right, 0)]
        else:
            found[node] = _rate(node, (left, right), risk, found, sums, splits)
            if found[node] <= alpha:
                cut.append(node)
                sums[node], splits[node] = risk[node], 0
    for node in range(1, n):
        found[node] = min(found[node], found[tree.nodes.parent[node]])
    return Complexities(np.asarray(found), cut)


def _rate(
    node: int,
    sons: tuple[int, int],
    risk: list[float],
    found: list[float],
    sums: list[float],
    splits: list[int],
) -> float:
    """Return what a node's subtree saves for each split; set its sum and number of splits."""
    left, right = sons
    parts = {left: (sums[left], splits[left]), right: (sums[right], splits[right])}

    def rate() -> float:
        below = parts[left][0] + parts[right][0]
        return (risk[node] - below) / (parts[left][1] + parts[right][1] + 1)

    first, second = (left, right) if found[right] > found[left] else (right, left)
    if rate() > found[first]:
        parts[first] = (risk[first], 0)
        if rate() > found[second]:
            parts[second] = (risk[second], 0)
    sums[node] = parts[left][0] + parts[right][0]
    splits[node] = parts[left][1] + parts[right][1] + 1
    return rate()


def lower_first(tree: Tree, node: int) -> tuple[int, int] | None:
    """Return a node's two children, the one of the lower mean first; None in a leaf."""
    if tree.is_leaf[node]:
        return None
    children = tree.children(node)
    if len(children) != 2:
        raise CapabilityError("complexity_needs_two", n=len(children))
    one, other = children
    if np.isnan(tree.nodes.cut[node]) or _mean(tree, one) < _mean(tree, other):
        return one, other
    return other, one


def _mean(tree: Tree, node: int) -> float:
    if tree.is_regression:
        return float(tree.values[node])
    total = tree.nodes.total[node]
    costs = tree.reader.costs if isinstance(tree.reader, Classes) else None
    part = total * np.asarray(costs.altered) if costs else total
    return float((part * np.arange(len(part))).sum() / max(part.sum(), 1e-300))


def cp_table(tree: Tree, alpha: float) -> list[Row]:
    """Return rpart's table of a tree that has been cut to ``alpha``, largest complexity first."""
    found = complexities(tree, alpha).of.tolist()
    root = float(tree.losses[0])
    if tree.is_leaf[0]:
        return [Row(max(alpha, found[0]), 0, root)]
    parent, risk = tree.nodes.parent.tolist(), tree.losses.tolist()
    distinct = {found[0]}
    for i in range(1, len(parent)):
        mine, above = max(found[i], alpha), max(found[parent[i]], alpha)
        if mine < above:
            distinct.add(mine)
    rows = [Row(cp) for cp in sorted(distinct, reverse=True)]
    for i in range(len(parent)):
        above = math.inf if i == 0 else found[parent[i]]
        for row in rows:
            # A leaf of the tree at this complexity: its parent is still divided, it is not.
            if row.cp < above and (tree.is_leaf[i] or found[i] <= row.cp):
                row.risk += risk[i]
                row.n_splits += 1
    for row in rows:
        row.n_splits -= 1
    return rows
