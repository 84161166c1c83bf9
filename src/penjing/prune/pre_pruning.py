"""Pre-pruning: a division is taken back at once unless validation rows fare better with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from penjing.data.table import Floats
from penjing.prune.decisions import (
    Decision,
    Judge,
    Ties,
    check_ties,
    decide,
    measure_of,
    prediction_worth,
    worth_scale,
)
from penjing.tree.builder import TreeBuilder

METHOD = "prepruned"


class ValidationPrePruner:
    """Judges divisions by validation rows while a tree grows.

    A division is compared with leaving the node whole, as if nothing were to grow below it;
    hence a question that pays off only together with the next one is never asked. That is the
    price of pre-pruning, and the watermelon book's example pays it.

    Parameters
    ----------
    judge : engine
        Holds the validation rows, coded as the training rows are.
    ties : str
        What becomes of a division that makes no difference: ``cut`` (it must help) or ``keep``.
        No validation row in a node at all is a tie, too.
    source : dict
        What the validation rows are called; told in `story`.
    """

    def __init__(
        self,
        judge: Judge,
        ties: Ties = "cut",
        source: Mapping[str, Any] | None = None,
    ) -> None:
        check_ties(ties)
        self._judge = judge
        self._ties = ties
        self._source = dict(source or {})
        self._cells: dict[int, Floats] = {}
        self._now = 0.0
        self._growth: TreeBuilder | None = None
        self.decisions: list[Decision] = []

    def splits_to_revert(self, growth: TreeBuilder, divided: list[int]) -> list[int]:
        """Return the nodes that are better left whole, each division judged in its turn."""
        if growth is not self._growth:
            self._begin(growth)
        refused = []
        for node in divided:
            cells = self._cells.pop(node)
            children = growth.final_children(node)
            parts = self._judge.totals(growth, children).cells
            self._cells |= dict(zip(children, parts, strict=True))
            as_leaf = self._worth(growth, [node], cells[None])
            # Rows that no branch takes stay here and are answered by this node.
            stopped = self._worth(growth, [node], (cells - parts.sum(axis=0))[None])
            divided_worth = stopped + self._worth(growth, children, parts)
            made = decide(
                node,
                measure_of(self._judge.reader),
                rows=float(self._judge.reader.weight(cells)),
                kept=divided_worth,
                as_leaf=as_leaf,
                size=self._size(growth, node, cells),
                tree_kept=self._now + (divided_worth - as_leaf),
                ties=self._ties,
            )
            if made.decision == "cut":
                refused.append(node)
                for child in children:
                    del self._cells[child]
            else:
                self._now += divided_worth - as_leaf
            self.decisions.append(made)
        return refused

    def pruning_records(self) -> list[dict[str, Any]]:
        """Return what was decided as plain data, nodes numbered as the finished tree has them."""
        order = [0]
        for node in order:  # grows while it is walked: breadth first
            order.extend(self._growth.children(node) if self._growth else ())
        place = {old: new for new, old in enumerate(order)}
        decisions = [d.to_json() | {"node": place[d.node]} for d in self.decisions]
        return [
            {
                "method": METHOD,
                "options": {"ties": self._ties},
                "measure": measure_of(self._judge.reader),
                "validation": self._source,
                "decisions": decisions,
            }
        ]

    def _begin(self, growth: TreeBuilder) -> None:
        self._growth = growth
        self._cells = {0: self._judge.totals(growth, [0]).cells[0]}
        self._now = self._worth(growth, [0], self._cells[0][None])
        self.decisions = []

    def _answers(self, growth: TreeBuilder, nodes: list[int]) -> np.ndarray[Any, Any]:
        totals = np.stack([growth.total(node) for node in nodes])
        # The growth's own reader: its moments are about the centre of the training rows.
        return np.asarray(growth.reader.value(totals))

    def _worth(self, growth: TreeBuilder, nodes: list[int], cells: Floats) -> float:
        return float(
            prediction_worth(cells, self._answers(growth, nodes), self._judge.reader).sum()
        )

    def _size(self, growth: TreeBuilder, node: int, cells: Floats) -> float:
        return float(worth_scale(cells[None], self._answers(growth, [node]), self._judge.reader)[0])
