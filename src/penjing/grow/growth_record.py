"""What only growing knows: ties, and the nodes that a limit or the validation set made leaves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from penjing.grow.engine import Engine
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice
from penjing.grow.steering import ForcedNodes
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Classes
from penjing.tree.forced import STEERING
from penjing.tree.tree_data import TreeData

TIES = 1_000
"""The largest number of ties that are recorded."""


class GrowthRecord:
    """Collects, while a tree grows, what its rows cannot tell afterwards.

    Candidates are not recorded: `penjing.grow.trace_steps` computes them from the tree.
    """

    def __init__(self, forced: ForcedNodes) -> None:
        self._forced = forced
        self._ties: list[dict[str, Any]] = []
        self._n_ties = 0
        self._with_split: list[int] = []
        self._reverted: set[int] = set()

    def record_choices(
        self, nodes: Sequence[int], choices: Sequence[Choice], recipe: Recipe
    ) -> None:
        """Record which nodes have a split that gains enough, and its ties."""
        for node, choice in zip(nodes, choices, strict=True):
            split = choice.split
            is_forced = self._forced.is_split(node)
            if split is None or (split.total_gain < recipe.min_gain and not is_forced):
                continue
            self._with_split.append(node)
            if choice.tied:
                self._n_ties += 1
                if len(self._ties) < TIES:
                    tie = {"columns": list(choice.tied), "score": split.score}
                    self._ties.append({"node": node} | tie)

    def record_reverted(self, nodes: Iterable[int]) -> None:
        """Record the nodes whose split did not help the validation set."""
        self._reverted.update(nodes)

    def finish(self, growth: TreeBuilder, engine: Engine, recipe: Recipe) -> TreeData:
        """Return the grown tree; ``about`` has its ties, and its leaves that had a split."""
        about: dict[str, Any] = {"n_ties": self._n_ties}
        centre = 0.0 if isinstance(engine.reader, Classes) else engine.reader.centre
        tree, new_id = growth.finish(engine.schema, engine.target, centre, recipe.settings(), about)
        about["ties"] = [
            tie | {"node": new_id[tie["node"]]}
            for tie in self._ties
            if tie["node"] in new_id and growth.split(tie["node"]) is not None
        ]
        stops: dict[str, list[int]] = {}
        for node in self._with_split:
            if node in new_id and growth.split(node) is None:
                reason = "validation" if node in self._reverted else "max_leaves"
                stops.setdefault(reason, []).append(new_id[node])
        for node in self._forced.leaves():
            stops.setdefault("forced", []).append(new_id[node])
        if stops:
            about["stops"] = {reason: sorted(nodes) for reason, nodes in stops.items()}
        if acts := self._forced.acts(growth):
            about[STEERING] = {"acts": acts}
        return tree
