"""Pre-pruning: a split is reverted at once unless it improves predictions of validation rows."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
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
    """Evaluates splits on validation rows while a tree grows.

    A split is compared with a leaf, as if nothing were to grow below it. A split that helps only
    together with the next one is hence never made, as in Zhou's watermelon example.

    Parameters
    ----------
    judge : engine
        Counts the validation rows, which are coded like the training rows.
    ties : str
        What to do with a split that makes no difference: ``cut`` or ``keep``. A node without
        validation rows is a tie, too.
    source : dict
        The description of the validation set for `pruning_records`.
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
        self._tree_worth = 0.0
        self._builder: TreeBuilder | None = None
        self.decisions: list[Decision] = []

    def splits_to_revert(
        self, builder: TreeBuilder, split_nodes: list[int], kept: Container[int] = ()
    ) -> list[int]:
        """Return the nodes whose splits are reverted; each split is decided in turn.

        Splits of the nodes in ``kept`` stay, whatever the validation rows say.
        """
        if builder is not self._builder:
            self._start(builder)
        reverted = []
        for node in split_nodes:
            cells = self._cells.pop(node)
            children = builder.final_children(node)
            parts = self._judge.totals(builder, children).cells
            self._cells |= dict(zip(children, parts, strict=True))
            as_leaf = self._worth(builder, [node], cells[None])
            # Rows without a branch stop here and get the prediction of this node.
            stopped = self._worth(builder, [node], (cells - parts.sum(axis=0))[None])
            split_worth = stopped + self._worth(builder, children, parts)
            decision = decide(
                node,
                measure_of(self._judge.reader),
                rows=float(self._judge.reader.weight(cells)),
                kept=split_worth,
                as_leaf=as_leaf,
                size=self._size(builder, node, cells),
                tree_kept=self._tree_worth + (split_worth - as_leaf),
                ties=self._ties,
            )
            if decision.decision == "cut" and node in kept:
                decision = replace(decision, decision="keep")
            if decision.decision == "cut":
                reverted.append(node)
                for child in children:
                    del self._cells[child]
            else:
                self._tree_worth += split_worth - as_leaf
            self.decisions.append(decision)
        return reverted

    def pruning_records(self) -> list[dict[str, Any]]:
        """Return the decisions as plain data, with the node numbers of the finished tree."""
        order = [0]
        for node in order:  # the list grows during the loop: breadth first
            order.extend(self._builder.children(node) if self._builder else ())
        new_id = {old: new for new, old in enumerate(order)}
        decisions = [d.to_json() | {"node": new_id[d.node]} for d in self.decisions]
        return [
            {
                "method": METHOD,
                "options": {"ties": self._ties},
                "measure": measure_of(self._judge.reader),
                "validation": self._source,
                "decisions": decisions,
            }
        ]

    def _start(self, builder: TreeBuilder) -> None:
        self._builder = builder
        self._cells = {0: self._judge.totals(builder, [0]).cells[0]}
        self._tree_worth = self._worth(builder, [0], self._cells[0][None])
        self.decisions = []

    def _predictions(self, builder: TreeBuilder, nodes: list[int]) -> np.ndarray[Any, Any]:
        totals = np.stack([builder.total(node) for node in nodes])
        # The builder's own reader: its moments are relative to the centre of the training rows.
        return np.asarray(builder.reader.value(totals))

    def _worth(self, builder: TreeBuilder, nodes: list[int], cells: Floats) -> float:
        return float(
            prediction_worth(cells, self._predictions(builder, nodes), self._judge.reader).sum()
        )

    def _size(self, builder: TreeBuilder, node: int, cells: Floats) -> float:
        return float(
            worth_scale(cells[None], self._predictions(builder, [node]), self._judge.reader)[0]
        )
