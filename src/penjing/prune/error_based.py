"""Error-based pruning (C4.5, J48): subtrees become leaves, or make way for their largest branch.

Three estimates are compared at each node, the deepest ones first: its errors as a leaf, the
errors of its subtree, and the errors of its largest branch if that took the node's place and got
all of its rows. The last one needs the rows again: a sketch of the changed tree is shown to
whoever counts them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import inf
from typing import Any, Literal

import numpy as np

from penjing import arguments
from penjing.data.table import Floats
from penjing.errors import CapabilityError
from penjing.prune.confidence import ErrorBound
from penjing.prune.decisions import Decision, record_decision
from penjing.prune.editable_tree import (
    EditableTree,
    NativePruner,
    RowCounter,
    majority,
    tree_from_arrays,
)
from penjing.tree.tree_data import TreeData

MARGIN = 0.1
"""The simpler tree may promise so many errors more."""


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
    """Return the tree pruned by estimated errors, and what was decided of each question.

    What is not given is as the tree's recipe says, else as in C4.5 release 8.

    Parameters
    ----------
    tree : TreeData
        What to prune; it stays as it is.
    counter : engine, optional
        Holds the training rows; needed where branches may be raised.
    confidence : float
        The CF of C4.5, between 0 and 1; the smaller, the more is cut.
    raise_branches : bool
        Whether the largest branch may take the place of its parent.
    deviate, last_errors, precision
        How errors are estimated; see :class:`penjing.prune.confidence.Bound`.
    tolerance : float
        Estimates (and weights of branches) that differ by less are equal.

    Returns
    -------
    (TreeData, list of Decision)
        Nodes in the decisions are numbered as in the tree that was given.
    """
    if tree.is_regression:
        raise CapabilityError("pessimistic_needs_classes", target=tree.target.name)
    if not tree.has_counts:
        raise CapabilityError("pessimistic_needs_counts")

    def said(name: str, given: object, usual: object) -> Any:  # noqa: ANN401 - a setting's
        return given if given is not None else tree.recipe.get(name, usual)

    raising = said("raise_branches", raise_branches, True)
    if raising and counter is None:
        raise CapabilityError("raising_needs_rows")
    exact = said("precision", precision, "double")
    bound = ErrorBound(
        arguments.confidence(said("confidence", confidence, 0.25)),
        arguments.one_of("deviate", said("deviate", deviate, "table"), ("table", "quantile")),
        arguments.number("last_errors", said("last_errors", last_errors, 0.67)),
        arguments.one_of("precision", exact, ("double", "single")) == "single",
    )
    slack = arguments.number("tolerance", said("tolerance", tolerance, 0.0))
    about = {k: v for k, v in tree.about.items() if k != "ties"}
    how = bound.native_arguments() | {"tolerance": slack, "margin": MARGIN, "raises": bool(raising)}
    engine: object = counter
    if isinstance(engine, NativePruner):
        told = engine.prune_by_errors(tree, how | {"relabels": slack > 0})
        if told is not None:
            return tree_from_arrays(tree, told, about), _decisions(told, raising=bool(raising))
    draft = EditableTree(tree, partial(majority, tolerance=slack) if slack else None)
    work = _Work(draft, bound, slack)
    while work.open:
        depth = max(work.draft.depth[node] for node in work.open)
        batch = [node for node in sorted(work.open) if work.draft.depth[node] == depth]
        work.settle(batch, counter if raising else None)
    return work.draft.finish(about), work.decisions


def _decisions(told: Mapping[str, Any], *, raising: bool) -> list[Decision]:
    """Return decisions that were made elsewhere."""
    names = ("node", "rows", "kept", "as_leaf", "whole", "as_branch", "decision")
    return [
        record_decision(
            node,
            rows,
            kept=kept,
            as_leaf=as_leaf,
            tree_kept=whole,
            decision=_WORDS[word],
            as_branch=as_branch if raising else None,
        )
        for node, rows, kept, as_leaf, whole, as_branch, word in zip(
            *(told[name].tolist() for name in names), strict=True
        )
    ]


_WORDS: tuple[Literal["keep", "cut", "raise"], ...] = ("keep", "cut", "raise")


class _Work:
    """The draft, the estimate of each of its nodes, and which of them are not decided yet."""

    def __init__(self, draft: EditableTree, bound: ErrorBound, tolerance: float) -> None:
        self.draft = draft
        self.bound = bound
        self.tolerance = tolerance
        totals = np.stack(draft.total)
        pairs = zip(draft.weight, totals.max(axis=1).tolist(), strict=True)
        self.now = [bound.estimate(n, n - most) for n, most in pairs]
        every = draft.subtree(0)
        self.open = {node for node in every if not draft.is_leaf(node)}
        self.whole = sum(self.now[node] for node in every if draft.is_leaf(node))
        self.decisions: list[Decision] = []

    def _as_leaf(self, total: Floats) -> float:
        n = float(total.sum())
        return self.bound.estimate(n, n - float(total.max()))

    def settle(self, batch: list[int], counter: RowCounter | None) -> None:
        """Decide nodes of one depth, below which everything is decided."""
        largest = {node: self.draft.largest_child(node, self.tolerance) for node in batch}
        inner = {n: b for n, b in largest.items() if not self.draft.is_leaf(b)}
        totals = self._totals(inner, counter) if counter is not None else {}
        for node in batch:
            as_leaf = self.now[node]
            as_branch: float | None = None if counter is None else as_leaf
            if counter is not None and node in inner:
                leaves = [n for n in self.draft.subtree(inner[node]) if self.draft.is_leaf(n)]
                as_branch = sum(self._as_leaf(totals[leaf]) for leaf in leaves)
            self._decide(node, as_leaf, as_branch, largest[node], totals)

    def _totals(self, raised: Mapping[int, int], counter: RowCounter) -> dict[int, Floats]:
        """Return the sums of all nodes below these branches, had they taken the nodes' places."""
        asked = [each for branch in raised.values() for each in self.draft.subtree(branch)[1:]]
        cells = (
            counter.totals(self.draft.structure_with_raised(raised), asked).cells if asked else ()
        )
        return dict(zip(asked, cells, strict=True))

    def _decide(
        self,
        node: int,
        as_leaf: float,
        as_branch: float | None,
        largest: int,
        totals: Mapping[int, Floats],
    ) -> None:
        draft, allowed = self.draft, MARGIN + self.tolerance
        kept = sum(self.now[child] for child in draft.children(node))
        branch = inf if as_branch is None else as_branch
        decision: Literal["cut", "keep", "raise"] = "keep"
        if as_leaf <= branch + allowed and as_leaf <= kept + allowed:
            decision = "cut"
        elif branch <= kept + allowed:
            decision = "raise"
        made = record_decision(
            draft.origin[node],
            draft.weight[node],
            kept=kept,
            as_leaf=as_leaf,
            tree_kept=self.whole,
            decision=decision,
            as_branch=as_branch,
        )
        self.decisions.append(made)
        self.open.discard(node)
        if decision == "keep":
            self.now[node] = kept
        elif decision == "cut":
            draft.make_leaf(node)
            self.now[node] = as_leaf
            self.whole += as_leaf - kept
        else:
            self._lift(node, largest, totals)
            self.whole += branch - kept

    def _lift(self, node: int, branch: int, totals: Mapping[int, Floats]) -> None:
        """Raise a branch; what stands below it has other rows now and is decided anew."""
        draft = self.draft
        draft.raise_branch(node, branch)
        draft.set_total(node, draft.total[node])
        for each in draft.subtree(node)[1:]:
            draft.set_total(each, totals[each])
            self.now[each] = self._as_leaf(totals[each])
        self.open |= {each for each in draft.subtree(node) if not draft.is_leaf(each)}
