"""Grown trees put in the place of nodes: a growth, with the gaps and the ties of its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from penjing.growth import Growth
from penjing.table import Field
from penjing.tally import Reader, Totals
from penjing.tree import Tree

MOST_TIES = 1_000
"""How many ties are kept (trace.TIES)."""


class Planting:
    """A growth of classes into which whole trees are put.

    Parameters
    ----------
    s : Reader
        What reads the sums.
    """

    def __init__(self, s: Reader) -> None:
        self.growth = Growth(s)
        self.gap: dict[int, tuple[float, float]] = {}
        """The numbers on both sides of the cuts, by node."""
        self._ties: dict[int, dict[str, Any]] = {}
        self._more_ties = 0

    def tie(self, node: int, columns: Sequence[int], score: float) -> None:
        """Remember which columns scored the same."""
        self._ties[node] = {"columns": list(columns), "score": score}

    def plant(self, node: int, tree: Tree) -> dict[int, int]:
        """Put a tree in the place of a node; return where each of the tree's nodes is now."""
        growth = self.growth
        place = {0: node}
        ties = {int(tie["node"]): tie for tie in tree.about["ties"]}
        for old in range(tree.n_nodes):
            split = tree.split(old)
            if split is None:
                continue
            here = place[old]
            children = growth.sprout(here, split)
            mine = list(tree.children(old))
            place |= dict(zip(mine, children, strict=True))
            growth.weigh(list(children), whole(tree.nodes.total[mine]))
            assert tree.nodes.gap is not None
            self.gap[here] = tuple(tree.nodes.gap[old].tolist())
            if old in ties:
                self.tie(here, ties[old]["columns"], ties[old]["score"])
        self._more_ties += tree.about["n_ties"] - len(ties)
        return place

    def finished(self, schema: tuple[Field, ...], target: Field, recipe: Mapping[str, Any]) -> Tree:
        """Return all of it as one tree."""
        about: dict[str, Any] = {}
        tree, new_id = self.growth.finish(schema, target, 0.0, recipe, about)
        about["n_ties"] = len(self._ties) + self._more_ties
        ties = [{"node": new_id[node]} | tie for node, tie in self._ties.items()]
        about["ties"] = sorted(ties, key=lambda tie: int(tie["node"]))[:MOST_TIES]
        gap = np.full((tree.n_nodes, 2), np.nan)
        for node, between in self.gap.items():
            gap[new_id[node]] = between
        return replace(tree, nodes=replace(tree.nodes, gap=gap))


def whole(cells: Any) -> Totals:  # noqa: ANN401 - rows of sums
    """Return the sums of nodes whose rows weigh one each."""
    sums = np.asarray(cells, np.float64)
    return Totals(sums, (sums > 0).sum(axis=1) <= 1)
