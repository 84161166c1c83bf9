"""How a tree grew and was pruned, as data: iterate it, ask it of a node, write it as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from penjing.data.table import Table
from penjing.errors import ChoiceError
from penjing.explain.node import explain, story
from penjing.grow.trace_record import CUTS, LEVELS, LIMIT
from penjing.tree.tree_data import TreeData

Plain = dict[str, Any]

LIMITS = {"candidates": LIMIT, "cuts": CUTS, "levels": LEVELS}
"""How much a trace keeps: candidates (nodes times columns) in all, cuts and levels of a column."""


class Trace:
    """The steps that led to a tree.

    Iterating yields one dict a step: first the nodes as they were visited (``kind`` is ``grow``:
    stop conditions, every candidate with its counts and measures, the screen, the winner, the
    runner-up, ties, the curve over cuts), then the decisions of pruning (``kind`` is ``prune``:
    both estimates and what was decided).

    Parameters
    ----------
    tree : TreeData
        The tree.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("fish"), trace=True)
    >>> [step["question"] for step in tree.trace]
    ['no surfacing', 'flippers', None, None, None]
    >>> round(tree.trace[0]["candidates"][0]["gain"], 3), tree.trace[0]["runner_up"]
    (0.42, 'flippers')
    """

    def __init__(self, tree: TreeData) -> None:
        self._tree = tree

    @property
    def is_whole(self) -> bool:
        """Whether every node that was visited was kept; see `LIMITS`."""
        kept = self._tree.kept_trace
        return kept is not None and bool(kept.get("is_whole", True))

    @property
    def pruning(self) -> list[Plain]:
        """What each run of pruning decided."""
        return [dict(record) for record in self._tree.about.get("pruning", ())]

    def __len__(self) -> int:
        return len(self._kept()) + sum(len(r.get("decisions", ())) for r in self.pruning)

    def __iter__(self) -> Iterator[Plain]:
        if self._kept():
            for step in story(self._tree):
                yield {"kind": "grow"} | step
        for record in self.pruning:
            for decision in record.get("decisions", ()):
                yield {"kind": "prune", "method": record.get("method")} | dict(decision)

    def __getitem__(self, node: int) -> Plain:
        return self.of(node)

    def of(self, node: int, data: Table | None = None) -> Plain:
        """Return the step of a node; one that was not kept is weighed anew from the rows.

        Parameters
        ----------
        node : int
            Its number in the tree.
        data : Table, optional
            The training rows.
        """
        if isinstance(node, bool) or not isinstance(node, int | np.integer):
            raise ChoiceError("bad_whole", name="node", value=node, least=0)
        if not 0 <= node < self._tree.n_nodes:
            raise ChoiceError("no_such_node", node=node, last=self._tree.n_nodes - 1)
        if any(step.get("node") == node and _is_told(step) for step in self._kept()):
            return explain(self._tree, node)
        return explain(self._tree, node, data)

    def to_json(self) -> Plain:
        """Return all of it as plain data: ``steps``, ``is_whole``, ``limits``, ``pruning``."""
        steps = list(story(self._tree)) if self._kept() else []
        told: Plain = {"steps": steps, "is_whole": self.is_whole}
        return told | {"limits": dict(LIMITS), "pruning": self.pruning}

    def __repr__(self) -> str:
        return f"<Trace of {self._tree!r}: {len(self)} steps>"

    def _kept(self) -> list[Mapping[str, Any]]:
        kept = self._tree.kept_trace
        return [] if kept is None else list(kept.get("steps", ()))


def _is_told(step: Mapping[str, Any]) -> bool:
    """Say whether more is known of a node than its number."""
    return "stop" in step or "candidates" in step


def of_tree(tree: TreeData) -> Trace | None:
    """Return how a tree grew and was pruned; None where nothing of it was kept."""
    return Trace(tree) if tree.kept_trace is not None or tree.about.get("pruning") else None
