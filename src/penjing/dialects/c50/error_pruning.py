"""Error-based pruning as C5.0 does it: small branches are estimated together.

As in C4.5 a leaf, the subtree, and a branch in its parent's place are compared, the deepest nodes
first. The branch is the heaviest one with a split. It is grown again when it is raised, unless it
had nearly all the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from penjing.data.table import Floats
from penjing.prune.bottom_up import UndecidedNodes
from penjing.prune.confidence import ErrorBound
from penjing.prune.decisions import Decision, record_decision
from penjing.prune.editable_tree import EditableTree, GrownSubtree, RowCounter, row_sums
from penjing.prune.error_based import MARGIN
from penjing.prune.kept_splits import check_kept_split
from penjing.tree.split import Split
from penjing.tree.tree_data import TreeData

_Numbers = Mapping[int, float] | Sequence[float]
"""A number for each node."""
Regrow = Callable[[EditableTree, int, Split], GrownSubtree]
"""Grows the subtree of a node again, below a given split."""


def prune(
    tree: TreeData,
    counter: RowCounter,
    regrow: Regrow | None = None,
    *,
    confidence: float = 0.25,
    min_branch: float = 2.0,
    raise_share: float | None = 0.1,
    regrow_share: float = 0.95,
    kept: Collection[int] = (),
) -> tuple[TreeData, list[Decision]]:
    """Return the tree pruned by estimated errors, and the decision on each split.

    Parameters
    ----------
    tree : TreeData
        The tree; it is not changed.
    counter : engine
        The engine that counts the training rows.
    regrow : function, optional
        Grows a raised branch again; without it, the branch keeps its splits.
    confidence : float
        The confidence (CF) of C4.5, between 0 and 1; smaller values prune more.
    min_branch : float
        Branches that weigh less are estimated together, as one leaf.
    raise_share : float or None
        The least share of its parent's rows that a branch needs to replace it; None: no branch
        is raised.
    regrow_share : float
        A raised branch with a smaller share is grown again.
    kept : collection of int
        Nodes whose splits must stay: `KeptSplitRemovedError` is raised when one would go.

    Returns
    -------
    (TreeData, list of Decision)
        Nodes in the decisions are numbered as in ``tree``.
    """
    pruning = _Pruning(EditableTree(tree), ErrorBound(confidence), min_branch, kept)
    pruning.run(counter, raise_share, regrow_share, regrow)
    about = {k: v for k, v in tree.about.items() if k not in ("ties", "stops")}
    return pruning.draft.finish(about), pruning.decisions


class _Pruning:
    """The tree being pruned, and the decisions so far."""

    def __init__(
        self, draft: EditableTree, bound: ErrorBound, min_branch: float, kept: Collection[int]
    ) -> None:
        self.draft = draft
        self._kept = frozenset(kept)
        self._bound = bound
        self._min_branch = min_branch
        self.decisions: list[Decision] = []
        self._leaf_estimates: dict[tuple[float, float], float] = {}
        self._tree_errors = self._estimate(0, draft.weight, draft.most)
        self._estimates: dict[int, float] = {}
        """The estimated errors of the subtrees that are decided."""
        self._undecided = UndecidedNodes()
        self._uncounted: dict[int, dict[int, None]] = {}
        """For each depth the undecided nodes whose raised branch is not counted yet."""
        self._regrown: set[tuple[object, ...]] = set()
        """The splits from which nodes were grown again; see `_may_regrow`."""

    def run(
        self, counter: RowCounter, share: float | None, regrow_share: float, regrow: Regrow | None
    ) -> None:
        """Decide on each split, the deepest first; those below a raised branch again."""
        draft = self.draft
        self._add_undecided(0)
        candidates: dict[int, _RaisedBranch | None] = {}
        while self._undecided:
            node = self._undecided.take_last()
            as_subtree = self._pooled_estimate(draft.children(node), draft.weight, draft.most)
            as_leaf = self._as_leaf(draft.weight[node], draft.most[node])
            if node not in candidates:
                candidates |= self._raised_branches(node, counter, share)
            raised = candidates.pop(node)
            as_branch = inf if raised is None else raised.estimate
            branch_estimate = None if raised is None else as_branch
            if as_leaf <= as_branch + MARGIN and as_leaf <= as_subtree + MARGIN:
                if draft.origin[node] in self._kept:
                    check_kept_split(draft, node, None)
                self._record(node, as_subtree, as_leaf, "cut", branch_estimate)
                draft.make_leaf(node)
                draft.held_rows.drop([node])
            elif raised is not None and as_branch <= as_subtree + MARGIN:
                if draft.origin[node] in self._kept:
                    check_kept_split(draft, node, raised.branch)
                self._record(node, as_subtree, as_leaf, "raise", branch_estimate)
                branch = raised.branch
                split = draft.split_of(branch)
                assert split is not None
                is_small = draft.weight[branch] < regrow_share * draft.weight[node]
                if regrow is None or not is_small or not self._may_regrow(node, split):
                    draft.raise_branch(node, branch)
                    draft.set_total(node, draft.total[node])
                    for each, total in raised.totals.items():
                        draft.set_total(each, total)
                else:
                    draft.replace_subtree(node, regrow(draft, node, split))
                self._add_undecided(node)
            else:
                self._record(node, as_subtree, as_leaf, "keep", branch_estimate)
                self._estimates[node] = as_subtree
                draft.held_rows.drop([node])  # if it is decided again, it has other rows

    def _may_regrow(self, node: int, split: Split) -> bool:
        """Whether a node has not been grown again from a split before, with the same rows.

        It would get the same subtree and the same decisions as then, and so on without end: two
        branches would raise each other in turn.
        """
        groups = tuple(codes.tobytes() for codes in split.groups)
        key = (node, split.column, split.cut, groups, self.draft.total[node].tobytes())
        if key in self._regrown:
            return False
        self._regrown.add(key)
        return True

    def _add_undecided(self, node: int) -> None:
        """Add the splits of a subtree to those that are decided later."""
        draft = self.draft
        for each in draft.subtree(node):
            if not draft.is_leaf(each):
                depth = draft.depth[each]
                self._undecided.add(each, depth)
                self._uncounted.setdefault(depth, {})[each] = None

    def _raised_branches(
        self, node: int, counter: RowCounter, share: float | None
    ) -> dict[int, _RaisedBranch | None]:
        """Return the branch that may replace each uncounted node of one depth.

        The nodes below them are all decided and in no other node's subtree, so that their rows
        are counted together. Only a node whose own subtree has changed is counted again.
        """
        draft = self.draft
        batch = list(self._uncounted.pop(draft.depth[node]))
        found: dict[int, _RaisedBranch | None] = dict.fromkeys(batch)
        if share is None:
            return found
        raised = {}
        for each in batch:
            branch = self._branch_to_raise(each, share)
            if branch is not None:
                raised[each] = branch
        if not raised:
            return found
        structure = draft.structure_with_raised(raised)
        below = structure.below_raised
        nodes = [one for subtree in below.values() for one in subtree]
        cells = counter.totals_below(structure, list(below)).cells
        weight = dict(zip(nodes, row_sums(cells), strict=True))
        most = dict(zip(nodes, cells.max(axis=1).tolist(), strict=True))
        next_cells = iter(cells)
        for each, subtree in below.items():
            totals = dict(zip(subtree, next_cells, strict=False))
            branch = raised[each]
            found[each] = _RaisedBranch(branch, self._estimate(branch, weight, most), totals)
        return found

    def _record(
        self,
        node: int,
        as_subtree: float,
        as_leaf: float,
        decision: Literal["cut", "keep", "raise"],
        as_branch: float | None = None,
    ) -> None:
        record = record_decision(
            self.draft.origin_of(node),
            self.draft.weight[node],
            kept=as_subtree,
            as_leaf=as_leaf,
            tree_kept=self._tree_errors,
            decision=decision,
            as_branch=as_branch,
        )
        self.decisions.append(record)
        if decision == "cut":
            self._tree_errors += as_leaf - as_subtree
        elif decision == "raise" and as_branch is not None:
            self._tree_errors += as_branch - as_subtree

    def _branch_to_raise(self, node: int, share: float) -> int | None:
        """Return the heaviest branch that splits on another column and has enough rows."""
        draft = self.draft
        split = draft.split_of(node)
        inner = [c for c in draft.children(node) if not draft.is_leaf(c)]
        if not inner or split is None:
            return None
        branch = max(inner, key=lambda c: (draft.weight[c], c))
        below_split = draft.split_of(branch)
        assert below_split is not None
        repeats_column = split.cut is not None and split.column == below_split.column
        return (
            None if repeats_column or draft.weight[branch] < share * draft.weight[node] else branch
        )

    def _as_leaf(self, weight: float, most: float) -> float:
        estimate = self._leaf_estimates.get((weight, most))
        if estimate is None:
            estimate = self._leaf_estimates[weight, most] = self._bound.estimate(
                weight, weight - most
            )
        return estimate

    def _estimate(self, node: int, weight: _Numbers, most: _Numbers) -> float:
        """Return the estimated errors of a subtree, given the sums of the nodes below its root."""
        draft = self.draft
        estimates: dict[int, float] = {}
        known = self._leaf_estimates
        for each in reversed(draft.subtree(node)):
            if children := draft.children(each):
                estimates[each] = self._pooled_estimate(children, weight, most, estimates)
                continue
            leaf = weight[each], most[each]
            estimates[each] = known[leaf] if leaf in known else self._as_leaf(*leaf)
        return estimates[node]

    def _pooled_estimate(
        self,
        nodes: Iterable[int],
        weight: _Numbers,
        most: _Numbers,
        estimates: Mapping[int, float] | None = None,
    ) -> float:
        """Return the estimated errors of some branches, the small ones as one leaf.

        Without ``estimates`` they are decided subtrees.
        """
        total_estimate = pooled = wrong = 0.0
        for node in nodes:
            here = weight[node]
            if here < self._min_branch:
                pooled += here
                wrong += here - most[node]
            elif estimates is not None:
                total_estimate += estimates[node]
            elif self.draft.is_leaf(node):
                total_estimate += self._as_leaf(here, most[node])
            else:
                total_estimate += self._estimates[node]
        return total_estimate + (self._bound.estimate(pooled, wrong) if pooled > 0 else 0.0)


@dataclass(frozen=True, slots=True)
class _RaisedBranch:
    """A branch that may replace its parent: its estimated errors and sums if it does.

    The sums are those of the nodes below it.
    """

    branch: int
    estimate: float
    totals: dict[int, Floats]
