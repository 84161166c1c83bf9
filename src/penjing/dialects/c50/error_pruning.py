"""Error-based pruning as C5.0 does it: small branches are estimated together, few may rise.

As in C4.5 a leaf, the subtree and a branch in its parent's place are compared, the deepest nodes
first. The branch is the heaviest that asks something; unless it had nearly all the rows, it is
grown anew when it is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Literal

from penjing.data.table import Floats
from penjing.prune.confidence import ErrorBound
from penjing.prune.decisions import Decision, record_decision
from penjing.prune.editable_tree import EditableTree, RowCounter
from penjing.prune.error_based import MARGIN
from penjing.tree.builder import TreeBuilder
from penjing.tree.split import Split
from penjing.tree.tree_data import TreeData

Regrow = Callable[[Sequence[tuple[Split, int]], Split], tuple[TreeBuilder, int]]
"""Grows what stands below a question, given the questions and branches above it."""


def prune(
    tree: TreeData,
    counter: RowCounter,
    regrow: Regrow | None = None,
    *,
    confidence: float = 0.25,
    min_branch: float = 2.0,
    raise_share: float | None = 0.1,
    regrow_share: float = 0.95,
) -> tuple[TreeData, list[Decision]]:
    """Return the tree pruned by estimated errors, and what was decided of each question.

    Parameters
    ----------
    tree : TreeData
        What to prune; it stays as it is.
    counter : engine
        Holds the training rows.
    regrow : function, optional
        Grows a branch anew that was raised with other rows; without it, it stays as it is.
    confidence : float
        The CF of C4.5, between 0 and 1; the smaller, the more is cut.
    min_branch : float
        Branches that weigh less are estimated together, as one leaf would be.
    raise_share : float or None
        A branch may take its parent's place only with so much of its rows; None: none may.
    regrow_share : float
        With less of them it is grown anew.

    Returns
    -------
    (TreeData, list of Decision)
        Nodes in the decisions are numbered as in the tree that was given.
    """
    work = _Work(EditableTree(tree), ErrorBound(confidence), min_branch)
    work.settle(counter, raise_share, regrow_share, regrow)
    about = {k: v for k, v in tree.about.items() if k != "ties"}
    return work.draft.finish(about), work.decisions


class _Work:
    """The draft, and what was decided of it."""

    def __init__(self, draft: EditableTree, bound: ErrorBound, min_branch: float) -> None:
        self.draft = draft
        self._bound = bound
        self._least = min_branch
        self.decisions: list[Decision] = []
        self._whole = self._estimate(0, draft.total)

    def settle(
        self, counter: RowCounter, share: float | None, regrow_share: float, regrow: Regrow | None
    ) -> None:
        """Decide each question, the deepest first; what was raised is decided anew."""
        draft = self.draft
        waiting = {node for node in draft.subtree(0) if not draft.is_leaf(node)}
        while waiting:
            node = max(waiting, key=lambda n: (draft.depth[n], n))
            waiting.remove(node)
            kept, as_leaf = self._estimate(node, draft.total), self._as_leaf(draft.total[node])
            branch = None if share is None else self._rising(node, share)
            as_branch, totals = inf, {}
            if branch is not None:
                asked = draft.subtree(branch)[1:]
                cells = counter.totals(draft.structure_with_raised({node: branch}), asked).cells
                totals = dict(zip(asked, cells, strict=True))
                as_branch = self._estimate(branch, totals)
            told = None if branch is None else as_branch
            if as_leaf <= as_branch + MARGIN and as_leaf <= kept + MARGIN:
                self._record(node, kept, as_leaf, "cut", told)
                draft.make_leaf(node)
            elif branch is not None and as_branch <= kept + MARGIN:
                self._record(node, kept, as_leaf, "raise", told)
                if regrow is None or draft.weight[branch] >= regrow_share * draft.weight[node]:
                    draft.raise_branch(node, branch)
                    draft.set_total(node, draft.total[node])
                    for each, total in totals.items():
                        draft.set_total(each, total)
                else:
                    question = draft.split_of(branch)
                    assert question is not None
                    draft.replace_subtree(node, *regrow(draft.path_to(node), question))
                waiting |= {each for each in draft.subtree(node) if not draft.is_leaf(each)}
            else:
                self._record(node, kept, as_leaf, "keep", told)

    def _record(
        self,
        node: int,
        kept: float,
        as_leaf: float,
        decision: Literal["cut", "keep", "raise"],
        as_branch: float | None = None,
    ) -> None:
        made = record_decision(
            self.draft.origin_of(node),
            self.draft.weight[node],
            kept=kept,
            as_leaf=as_leaf,
            tree_kept=self._whole,
            decision=decision,
            as_branch=as_branch,
        )
        self.decisions.append(made)
        if decision == "cut":
            self._whole += as_leaf - kept
        elif decision == "raise" and as_branch is not None:
            self._whole += as_branch - kept

    def _rising(self, node: int, share: float) -> int | None:
        """Return the heaviest branch that asks something else and has enough rows."""
        draft = self.draft
        asked = draft.split_of(node)
        inner = [c for c in draft.children(node) if not draft.is_leaf(c)]
        if not inner or asked is None:
            return None
        branch = max(inner, key=lambda c: (draft.weight[c], c))
        below = draft.split_of(branch)
        assert below is not None
        again = asked.cut is not None and asked.column == below.column
        return None if again or draft.weight[branch] < share * draft.weight[node] else branch

    def _as_leaf(self, total: Floats) -> float:
        weight = float(total.sum())
        return self._bound.estimate(weight, weight - float(total.max()))

    def _estimate(self, node: int, totals: Mapping[int, Floats] | Sequence[Floats]) -> float:
        """Return the estimate of a node with all that stands below it, had it these sums."""
        now: dict[int, float] = {}
        for each in reversed(self.draft.subtree(node)):
            if self.draft.is_leaf(each):
                now[each] = self._as_leaf(totals[each])
            else:
                now[each] = self._together({c: totals[c] for c in self.draft.children(each)}, now)
        return now[node]

    def _together(self, totals: Mapping[int, Floats], now: Mapping[int, float]) -> float:
        """Return the estimate of some branches, the small ones as one."""
        found = pooled = wrong = 0.0
        for node, total in totals.items():
            weight = float(total.sum())
            if weight < self._least:
                pooled += weight
                wrong += weight - float(total.max())
            else:
                found += now[node]
        return found + self._bound.estimate(pooled, wrong)
