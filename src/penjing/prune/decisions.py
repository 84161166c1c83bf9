"""Pruning decisions: what every pruning method records for each node.

A pruner is a pure function ``prune(tree, …) -> (tree, decisions)``. One with a parameter ``judge``
needs the sums of validation rows; all other parameters are keyword-only options.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import repeat
from operator import attrgetter
from typing import Any, Literal, Protocol

import numpy as np

from penjing.arguments import one_of
from penjing.data.table import Floats
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import TIE, Classes, Reader, Totals
from penjing.tree.nodes import Ids
from penjing.tree.tree_data import TreeData

Ties = Literal["cut", "keep"]
Measure = Literal["correct", "squares", "errors", "bits", "costs"]
OWN_MEASURES: dict[str, Measure] = {"mdl": "bits", "cost-complexity": "costs"}
"""The measures of methods that do not count errors."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about one node, and the numbers it is based on.

    The numbers are correctly predicted rows (``correct``, more is better), sums of squares
    (``squares``, less is better) or estimated errors (``errors``, less is better).

    Parameters
    ----------
    node : int
        The number of the node in the tree that was given to the pruner.
    rows : float
        The weight of the validation rows in this node, or of the training rows where no
        validation set is used.
    kept : float
        The number for the node if it keeps its split (its descendants already decided).
    as_leaf : float
        The number for the node as a leaf.
    tree_kept, tree_as_leaf : float
        The same for the whole tree, with every decision made so far.
    decision : str
        ``keep``, ``cut``, or ``raise``: the largest branch took the node's place.
    why : str
        Whether the leaf (or the raised branch) is ``better``, ``equal`` or ``worse``;
        ``unreached`` where no validation row is in the node.
    as_branch : float or None
        The number for the node if its largest branch took its place; None where that was not
        considered.
    """

    node: int
    rows: float
    kept: float
    as_leaf: float
    tree_kept: float
    tree_as_leaf: float
    decision: Literal["cut", "keep", "raise"]
    why: Literal["better", "equal", "worse", "unreached"]
    as_branch: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the decision as plain data."""
        data = dict(zip(_DECISION_FIELDS, _values_of(self), strict=True))
        if self.as_branch is None:
            del data["as_branch"]
        return data


_DECISION_FIELDS = tuple(field.name for field in fields(Decision))
_values_of = attrgetter(*_DECISION_FIELDS)


class Judge(Protocol):
    """The part of an engine that provides the sums of validation rows."""

    @property
    def reader(self) -> Reader:
        """Interprets the sums."""

    def totals(self, tree: TreeData | TreeBuilder, nodes: Sequence[int]) -> Totals:
        """Return the sums of the validation rows in these nodes."""


def measure_of(s: Reader) -> Measure:
    """Return the measure of validation rows: correctly predicted rows, or sums of squares."""
    return "correct" if isinstance(s, Classes) else "squares"


def prediction_worth(cells: Floats, answers: np.ndarray[Any, Any], s: Reader) -> Floats:
    """Return the measure of each prediction for the rows of each vector of sums.

    Parameters
    ----------
    cells : (n, S)
        Sums of validation rows, interpreted by ``s``.
    answers : (n,)
        Codes of classes, or numbers.

    Examples
    --------
    Three rows of class 0 and one of class 1, all predicted as class 0:

    >>> prediction_worth(np.array([[3.0, 1.0]]), np.array([0]), Classes(2))
    array([3.])
    """
    if isinstance(s, Classes):
        return np.asarray(np.take_along_axis(cells, answers[:, None], axis=1)[:, 0])
    offset = answers - s.centre
    return np.maximum(cells[:, 2] - 2 * offset * cells[:, 1] + offset**2 * cells[:, 0], 0.0)


def worth_scale(cells: Floats, answers: np.ndarray[Any, Any], s: Reader) -> Floats:
    """Return the size of the terms of `prediction_worth`, which determines its rounding error."""
    if isinstance(s, Classes):
        return s.weight(cells)
    return np.asarray(cells[:, 2] + (answers - s.centre) ** 2 * cells[:, 0])


def decide(
    node: int,
    measure: Measure,
    *,
    rows: float,
    kept: float,
    as_leaf: float,
    size: float,
    tree_kept: float,
    ties: Ties,
) -> Decision:
    """Decide about one node; numbers that differ by no more than the rounding of ``size`` tie."""
    better = as_leaf - kept if measure == "correct" else kept - as_leaf
    if rows == 0:
        why: Literal["better", "equal", "worse", "unreached"] = "unreached"
    elif abs(better) <= TIE * size:
        why = "equal"
    else:
        why = "better" if better > 0 else "worse"
    is_cut = why == "better" or (why != "worse" and ties == "cut")
    return Decision(
        node=node,
        rows=plain_number(rows),
        kept=plain_number(kept),
        as_leaf=plain_number(as_leaf),
        tree_kept=plain_number(tree_kept),
        tree_as_leaf=plain_number(tree_kept + (as_leaf - kept)),
        decision="cut" if is_cut else "keep",
        why=why,
    )


def compare(better: Floats, size: Floats, rows: Floats) -> list[str]:
    """Return the reasons of decisions: whether each leaf is better, and by more than rounding.

    ``better`` is by how much; see `decide`.
    """
    is_better = np.where(better > 0, "better", "worse")
    reason = np.where(np.abs(better) <= TIE * size, "equal", is_better)
    return list(np.where(rows == 0, "unreached", reason).tolist())


def record_decision(
    node: int,
    rows: float,
    *,
    kept: float,
    as_leaf: float,
    tree_kept: float,
    decision: Literal["cut", "keep", "raise"],
    as_branch: float | None = None,
) -> Decision:
    """Return the record of a decision made elsewhere, of numbers where smaller is better."""
    instead = as_branch if decision == "raise" and as_branch is not None else as_leaf
    why: Literal["better", "equal", "worse"] = (
        "equal" if instead == kept else "better" if instead < kept else "worse"
    )
    return Decision(
        node=node,
        rows=plain_number(rows),
        kept=plain_number(kept),
        as_leaf=plain_number(as_leaf),
        tree_kept=plain_number(tree_kept),
        tree_as_leaf=plain_number(tree_kept + (as_leaf - kept)),
        decision=decision,
        why=why,
        as_branch=None if as_branch is None else plain_number(as_branch),
    )


def decision_list(
    node: Ids,
    *,
    rows: Floats,
    kept: Floats,
    as_leaf: Floats,
    tree_kept: Floats,
    decision: Sequence[str],
    why: Sequence[str],
    as_branch: Floats | None = None,
) -> list[Decision]:
    """Return decisions from arrays with an entry for each of them."""
    columns = [rows, kept, as_leaf, tree_kept, tree_kept + (as_leaf - kept)]
    numbers = [plain_numbers(column) for column in columns]
    branch = repeat(None) if as_branch is None else plain_numbers(as_branch)
    return list(map(Decision, node.tolist(), *numbers, decision, why, branch))


def check_ties(ties: str) -> None:
    """Raise an error for an unknown value of ``ties``."""
    one_of("ties", ties, ("cut", "keep"))


def apply_cuts(tree: TreeData, decisions: Iterable[Decision]) -> TreeData:
    """Return the tree in which the nodes decided to be cut are leaves."""
    cut = [d.node for d in decisions if d.decision == "cut"]
    return tree.pruned(cut) if cut else replace(tree)


def plain_number(value: float) -> float:
    """Return a number for JSON: whole numbers as integers, no -0.0."""
    value = float(value)
    return int(value) if value.is_integer() else value


def plain_numbers(values: Floats) -> list[float]:
    """Return each number as `plain_number` does."""
    is_whole = np.isfinite(values) & (np.floor(values) == values)
    return [
        int(value) if whole else value
        for value, whole in zip(values.tolist(), is_whole.tolist(), strict=True)
    ]
