"""Error-based pruning (C4.5, J48): a subtree becomes a leaf or is replaced by its largest branch.

Three estimates are compared at each node, the deepest nodes first: its errors as a leaf, the
errors of its subtree, and the errors of its largest branch if that replaced the node and received
all of its rows. The last one needs the training rows: an engine counts them in the changed
structure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing import arguments
from penjing.data.table import Floats
from penjing.errors import CapabilityError
from penjing.prune.bottom_up import (
    BottomUpFold,
    UndecidedNodes,
    fold_bottom_up,
    inner_nodes_deepest_first,
)
from penjing.prune.confidence import ErrorBound
from penjing.prune.decisions import Decision, decision_list, record_decision
from penjing.prune.editable_tree import (
    EditableTree,
    RowCounter,
    majority,
    tree_from_arrays,
)
from penjing.prune.kept_splits import (
    KeptSplitRemovedError,
    check_kept_split,
    check_kept_splits,
)
from penjing.tree.tree_data import TreeData

MARGIN = 0.1
"""The simpler tree may have this many more estimated errors."""


def prune(
    tree: TreeData,
    counter: RowCounter | None = None,
    *,
    confidence: float | None = None,
    raise_branches: bool | None = None,
    deviate: Literal["table", "quantile"] | None = None,
    last_errors: float | None = None,
    tolerance: float | None = None,
    precision: Literal["double", "single"] | None = None,
) -> tuple[TreeData, list[Decision]]:
    """Return the tree pruned by estimated errors, and the decision about each split.

    Options default to the tree's recipe, and otherwise to those of C4.5 release 8.

    Parameters
    ----------
    tree : TreeData
        The tree to prune; it is not changed.
    counter : engine, optional
        Counts the training rows; needed where branches may be raised.
    confidence : float
        The CF of C4.5, between 0 and 1; a smaller value prunes more.
    raise_branches : bool
        Whether the largest branch may replace its parent.
    deviate, last_errors, precision
        How errors are estimated; see :class:`penjing.prune.confidence.Bound`.
    tolerance : float
        Estimates (and weights of branches) that differ by less tie.

    Returns
    -------
    (TreeData, list of Decision)
        The decisions use the node numbers of the given tree.
    """
    return prune_keeping(
        (), tree, counter, confidence=confidence, raise_branches=raise_branches, deviate=deviate,
        last_errors=last_errors, tolerance=tolerance, precision=precision,
    )  # fmt: skip


def prune_keeping(
    kept: Collection[int],
    tree: TreeData,
    counter: RowCounter | None = None,
    *,
    confidence: float | None = None,
    raise_branches: bool | None = None,
    deviate: Literal["table", "quantile"] | None = None,
    last_errors: float | None = None,
    tolerance: float | None = None,
    precision: Literal["double", "single"] | None = None,
) -> tuple[TreeData, list[Decision]]:
    """Return what `prune` returns; `KeptSplitRemovedError` if the split of a kept node would go."""

    def setting(name: str, given: object, default: object) -> Any:  # noqa: ANN401 - any setting
        return given if given is not None else tree.recipe.get(name, default)

    may_raise = bool(setting("raise_branches", raise_branches, True))
    has_missing_branches = _has_missing_branches(tree)
    _check(tree, counter, may_raise=may_raise)
    float_precision = setting("precision", precision, "double")
    bound = ErrorBound(
        arguments.confidence(setting("confidence", confidence, 0.25)),
        arguments.one_of("deviate", setting("deviate", deviate, "table"), ("table", "quantile")),
        arguments.number("last_errors", setting("last_errors", last_errors, 0.67)),
        arguments.one_of("precision", float_precision, ("double", "single")) == "single",
    )
    slack = arguments.number("tolerance", setting("tolerance", tolerance, 0.0))
    about = {k: v for k, v in tree.about.items() if k not in ("ties", "stops")}
    native_arguments = bound.native_arguments() | {
        "tolerance": slack,
        "margin": MARGIN,
        "raises": may_raise,
    }
    if counter is not None and not has_missing_branches:
        arrays = counter.prune_by_errors(
            tree, native_arguments | {"relabels": slack > 0, "kept": _mask(tree, kept)}
        )
        if arrays is not None:
            if arrays["removes_kept"]:
                raise KeptSplitRemovedError
            return tree_from_arrays(tree, arrays, about), _decisions(arrays, may_raise=may_raise)
    if not may_raise and (has_missing_branches or _keeps_its_branches(tree)):
        fold = _fold(tree, bound, MARGIN + slack)
        check_kept_splits(fold.node[fold.is_cut], kept)
        smaller, decisions = fold.apply(tree, tree.weight)
        return replace(smaller, about=about, kept_trace=None, reading=None), decisions
    editable = EditableTree(tree, partial(majority, tolerance=slack) if slack else None)
    pruning = _ErrorBasedPruning(editable, bound, slack, kept)
    while pruning.undecided:
        pruning.decide_nodes(pruning.undecided.take_deepest(), counter if may_raise else None)
    return pruning.tree.finish(about), pruning.decisions


def _has_missing_branches(tree: TreeData) -> bool:
    """Return whether a split of the tree is on whether a value is missing."""
    return bool(np.isinf(tree.nodes.cut[~tree.is_leaf]).any())


def _check(tree: TreeData, counter: RowCounter | None, *, may_raise: bool) -> None:
    """Refuse trees that cannot be pruned in this way."""
    if tree.is_regression:
        raise CapabilityError("pessimistic_needs_classes", target=tree.target.name)
    if not tree.has_counts:
        raise CapabilityError("pessimistic_needs_counts")
    if may_raise and _has_missing_branches(tree):
        raise CapabilityError("raising_has_no_missing_branches")
    if may_raise and counter is None:
        raise CapabilityError("raising_needs_rows")


def _mask(tree: TreeData, kept: Collection[int]) -> npt.NDArray[np.uint8] | None:
    """Return which splits must stay, as C++ takes them; None if none must."""
    if not kept:
        return None
    mask = np.zeros(tree.n_nodes, np.uint8)
    mask[list(kept)] = 1
    return mask


def _keeps_its_branches(tree: TreeData) -> bool:
    """Whether pruning without raising leaves all branches of the remaining splits as they are.

    An `EditableTree` drops a branch without rows that predicts as its parent, and sorts branches
    by category.
    """
    if not (tree.weight > 0).all():
        return False
    if tree.recipe.get("shape") != "multiway":
        return True
    nodes = tree.nodes
    has_codes = np.flatnonzero(np.diff(nodes.level_start) > 0)
    code = nodes.level_codes[nodes.level_start[has_codes]]
    parent = nodes.parent[has_codes]
    return not bool(((np.diff(parent) == 0) & (np.diff(code) < 0)).any())


def _fold(tree: TreeData, bound: ErrorBound, margin: float) -> BottomUpFold:
    """Decide every split, the deepest first, where branches are not raised."""
    most = tree.nodes.total.max(axis=1).tolist()
    pairs = zip(tree.weight.tolist(), most, strict=True)
    as_leaf = [bound.estimate(n, n - correct) for n, correct in pairs]
    errors = np.asarray(as_leaf)
    return fold_bottom_up(
        tree,
        errors,
        lambda node, kept: as_leaf[node] <= kept + margin,
        tree_cost=sum(errors[tree.is_leaf].tolist()),
        order=inner_nodes_deepest_first(tree),
    )


def _decisions(arrays: Mapping[str, Any], *, may_raise: bool) -> list[Decision]:
    """Return the decisions that a native pruner made."""
    kept, as_leaf, as_branch = arrays["kept"], arrays["as_leaf"], arrays["as_branch"]
    decision = [_DECISION_NAMES[code] for code in arrays["decision"].tolist()]
    is_raised = np.asarray([name == "raise" for name in decision], bool) & may_raise
    instead = np.where(is_raised, as_branch, as_leaf)
    why = np.where(instead == kept, "equal", np.where(instead < kept, "better", "worse"))
    return decision_list(
        arrays["node"],
        rows=arrays["rows"],
        kept=kept,
        as_leaf=as_leaf,
        tree_kept=arrays["whole"],
        decision=decision,
        why=why.tolist(),
        as_branch=as_branch if may_raise else None,
    )


_DECISION_NAMES: tuple[Literal["keep", "cut", "raise"], ...] = ("keep", "cut", "raise")


class _ErrorBasedPruning:
    """The editable tree, the estimate of each node, and the nodes that are not decided yet."""

    def __init__(
        self, tree: EditableTree, bound: ErrorBound, tolerance: float, kept: Collection[int]
    ) -> None:
        self.tree = tree
        self._kept = frozenset(kept)
        self.bound = bound
        self.tolerance = tolerance
        totals = np.stack(tree.total)
        pairs = zip(tree.weight, totals.max(axis=1).tolist(), strict=True)
        self.estimates = [bound.estimate(n, n - most) for n, most in pairs]
        nodes = tree.subtree(0)
        self.undecided = UndecidedNodes()
        self._add_undecided(nodes)
        self.tree_errors = sum(self.estimates[node] for node in nodes if tree.is_leaf(node))
        self.decisions: list[Decision] = []

    def _add_undecided(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            if not self.tree.is_leaf(node):
                self.undecided.add(node, self.tree.depth[node])

    def _as_leaf(self, total: Floats) -> float:
        n = float(total.sum())
        return self.bound.estimate(n, n - float(total.max()))

    def decide_nodes(self, batch: list[int], counter: RowCounter | None) -> None:
        """Decide nodes of one depth whose descendants are all decided."""
        largest = {node: self.tree.largest_child(node, self.tolerance) for node in batch}
        inner = {n: b for n, b in largest.items() if not self.tree.is_leaf(b)}
        totals = self._totals(inner, counter) if counter is not None else {}
        for node in batch:
            as_leaf = self.estimates[node]
            as_branch: float | None = None if counter is None else as_leaf
            if counter is not None and node in inner:
                leaves = [n for n in self.tree.subtree(inner[node]) if self.tree.is_leaf(n)]
                as_branch = sum(self._as_leaf(totals[leaf]) for leaf in leaves)
            self._decide(node, as_leaf, as_branch, largest[node], totals)

    def _totals(self, raised: Mapping[int, int], counter: RowCounter) -> dict[int, Floats]:
        """Return the sums of all nodes below these branches if they replaced their parents."""
        if not raised:
            return {}
        structure = self.tree.structure_with_raised(raised)
        nodes = [each for subtree in structure.below_raised.values() for each in subtree]
        return dict(zip(nodes, counter.totals_below(structure, list(raised)).cells, strict=True))

    def _decide(
        self,
        node: int,
        as_leaf: float,
        as_branch: float | None,
        largest: int,
        totals: Mapping[int, Floats],
    ) -> None:
        tree, margin = self.tree, MARGIN + self.tolerance
        kept = sum(self.estimates[child] for child in tree.children(node))
        branch = inf if as_branch is None else as_branch
        decision: Literal["cut", "keep", "raise"] = "keep"
        if as_leaf <= branch + margin and as_leaf <= kept + margin:
            decision = "cut"
        elif branch <= kept + margin:
            decision = "raise"
        if decision != "keep" and tree.origin[node] in self._kept:
            check_kept_split(tree, node, largest if decision == "raise" else None)
        record = record_decision(
            tree.origin[node],
            tree.weight[node],
            kept=kept,
            as_leaf=as_leaf,
            tree_kept=self.tree_errors,
            decision=decision,
            as_branch=as_branch,
        )
        self.decisions.append(record)
        if decision == "keep":
            self.estimates[node] = kept
        elif decision == "cut":
            tree.make_leaf(node)
            self.estimates[node] = as_leaf
            self.tree_errors += as_leaf - kept
        else:
            self._raise_branch(node, largest, totals)
            self.tree_errors += branch - kept

    def _raise_branch(self, node: int, branch: int, totals: Mapping[int, Floats]) -> None:
        """Raise a branch; its descendants have other rows now and are decided again."""
        tree = self.tree
        tree.raise_branch(node, branch)
        tree.set_total(node, tree.total[node])
        for each in tree.subtree(node)[1:]:
            tree.set_total(each, totals[each])
            self.estimates[each] = self._as_leaf(totals[each])
        self._add_undecided(tree.subtree(node))
