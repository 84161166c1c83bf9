"""A tree while it grows: nodes are appended, and numbered breadth first at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Field, Floats
from penjing.progress import Progress
from penjing.tree.counts import Classes, Reader, Totals
from penjing.tree.nodes import LEAF, Ids, Nodes
from penjing.tree.split import NO_BRANCH, Split
from penjing.tree.tree_data import TreeData

_NO_LEVELS = np.empty(0, np.int32)


class TreeBuilder:
    """The one mutable form of a tree; ids are never reused, so engines may cache by them."""

    def __init__(self, s: Reader) -> None:
        self._s = s
        self._parent: list[int] = [-1]
        self._branch: list[int] = [0]
        self._depth: list[int] = [0]
        self._total: list[Floats] = [np.zeros(s.size)]
        self._rows: list[float] = [0.0]
        self._pure: list[bool] = [True]
        self._split: dict[int, Split] = {}
        self._children: dict[int, range] = {}
        self.n_leaves = 1
        self._row_levels = self._generation = 0

    @classmethod
    def again(cls, s: Reader, parents: Sequence[int], totals: Totals) -> TreeBuilder:
        """Return a grown tree as rules look at it before a node is asked anything.

        Parameters
        ----------
        s : Reader
            What reads the sums.
        parents : sequence of int
            The parent of each node; parents stand before their children.
        totals : Totals
            The rows of every node.
        """
        growth = cls(s)
        for node, parent in enumerate(parents):
            if node:
                growth._parent.append(parent)
                growth._depth.append(growth._depth[parent] + 1)
                growth._total.append(np.zeros(s.size))
                growth._rows.append(0.0)
                growth._pure.append(True)
                growth._branch.append(0)
        growth.weigh(list(range(len(parents))), totals)
        return growth

    def split(self, node: int) -> Split | None:
        """Return the test of a node, None where it has none (yet)."""
        return self._split.get(node)

    def parent_of(self, node: int) -> tuple[int, int]:
        """Return a node's parent and by which of its branches the node is reached."""
        return self._parent[node], self._branch[node]

    def children(self, node: int) -> range:
        """Return the ids of a node's children."""
        return self._children.get(node, range(0))

    def depth(self, node: int) -> int:
        """Return how many questions stand above a node."""
        return self._depth[node]

    def total(self, node: int) -> Floats:
        """Return the sum of a node's rows."""
        return self._total[node]

    def weight_of(self, node: int) -> float:
        """Return the weight of a node's rows."""
        return float(self._s.weight(self._total[node]))

    def mass_of(self, node: int) -> float:
        """Return the weight of a node's rows, each times what its class counts for."""
        costs = self._s.costs if isinstance(self._s, Classes) else None
        total = self._total[node]
        return float(self._s.weight(total * np.asarray(costs.factor) if costs else total))

    @property
    def n_ids(self) -> int:
        """How many ids have been given."""
        return len(self._parent)

    @property
    def reader(self) -> Reader:
        """What reads the sums."""
        return self._s

    def n_rows(self, node: int) -> float:
        """Return the number of a node's rows, whatever they weigh."""
        return self._rows[node]

    def loss_of(self, node: int) -> float:
        """Return what a node gets wrong as a leaf."""
        return float(self._s.loss(self._total[node]))

    def is_pure(self, node: int) -> bool:
        """Whether all rows of a node have one class (or one number)."""
        return self._pure[node]

    def sprout(self, node: int, split: Split) -> range:
        """Give a node its question; return the ids of the children it gets."""
        born = range(len(self._parent), len(self._parent) + split.n_branches)
        self._split[node] = split
        self._children[node] = born
        self.n_leaves += len(born) - 1
        for branch in range(split.n_branches):
            self._parent.append(node)
            self._branch.append(branch)
            self._depth.append(self._depth[node] + 1)
            self._total.append(np.zeros(self._s.size))
            self._rows.append(0.0)
            self._pure.append(True)
        return born

    def plant(self, node: int, split: Split) -> list[int]:
        """Give a node its question, and its first child the one that follows; return all born."""
        born = list(self.sprout(node, split))
        return born + list(self.sprout(born[0], split.then)) if split.then else born

    def ends(self, node: int) -> list[int]:
        """Return the nodes below this one that ask nothing (yet), as it was planted."""
        split, born = self._split.get(node), list(self.children(node))
        if split is None or split.then is None:
            return born
        return [*self.children(born[0]), *born[1:]]

    def weigh(self, born: list[int], totals: Totals) -> None:
        """Record the sums of new nodes."""
        rows = totals.rows if totals.rows is not None else self._s.weight(totals.cells)
        for i, node in enumerate(born):
            self._total[node] = totals.cells[i]
            self._pure[node] = bool(totals.is_pure[i])
            self._rows[node] = float(rows[i])

    def progress(self, open_nodes: Sequence[int]) -> Progress:
        """Return how far this is, given the nodes that are still open."""
        waiting = sum(self._rows[node] for node in open_nodes)
        self._row_levels += int(waiting)
        n_rows = int(self._rows[0])
        looked_at = n_rows + self._row_levels
        depths = (self.depth(node) for node in open_nodes)
        self._generation = generation = max(depths, default=self._generation)
        n_placed = max(n_rows - int(waiting), 0)  # rows that are shared out wait in several nodes
        n_open = len(open_nodes)
        return Progress(looked_at, n_placed, n_rows, self.n_leaves, generation, n_open)

    def wither(self, node: int) -> None:
        """Take a node's question back; its children are forgotten."""
        self.n_leaves -= len(self.ends(node)) - 1
        del self._split[node], self._children[node]

    def finish(
        self,
        schema: tuple[Field, ...],
        target: Field,
        centre: float,
        recipe: Mapping[str, Any],
        about: Mapping[str, Any],
    ) -> tuple[TreeData, dict[int, int]]:
        """Return the tree, numbered breadth first, and the new number of each old one."""
        order = [0]
        for node in order:  # grows while it is walked: breadth first
            order.extend(self.children(node))
        new_id = {old: new for new, old in enumerate(order)}
        splits = [self._split.get(old) for old in order]
        levels = [self._levels_into(old) for old in order]
        nodes = Nodes(
            parent=np.asarray([new_id.get(self._parent[old], -1) for old in order], np.int32),
            column=np.asarray([LEAF if s is None else s.column for s in splits], np.int32),
            cut=np.asarray([np.nan if s is None or s.cut is None else s.cut for s in splits]),
            level_start=np.append([0], np.cumsum([len(codes) for codes in levels])),
            level_codes=np.concatenate(levels).astype(np.int32),
            total=np.stack([self._total[old] for old in order]),
            gain=np.asarray([0.0 if s is None else s.gain for s in splits]),
            score=np.asarray([0.0 if s is None else s.score for s in splits]),
            missing=self._missing(splits),
            surrogates={i: s.surrogates for i, s in enumerate(splits) if s and s.surrogates},
        )
        return TreeData(nodes, schema, target, recipe, centre, about), new_id

    @staticmethod
    def _missing(splits: Sequence[Split | None]) -> Ids | None:
        found = [NO_BRANCH if s is None else s.missing for s in splits]
        return np.asarray(found, np.int32) if max(found) > NO_BRANCH else None

    def _levels_into(self, node: int) -> Codes:
        split = self._split.get(self._parent[node])
        return split.groups[self._branch[node]] if split and split.groups else _NO_LEVELS


MOST_TIES = 1_000
"""How many ties are kept (trace.TIES)."""


class SubtreeBuilder:
    """A growth of classes into which whole trees are put.

    Parameters
    ----------
    s : Reader
        What reads the sums.
    """

    def __init__(self, s: Reader) -> None:
        self.growth = TreeBuilder(s)
        self.gap: dict[int, tuple[float, float]] = {}
        """The numbers on both sides of the cuts, by node."""
        self._ties: dict[int, dict[str, Any]] = {}
        self._more_ties = 0

    def tie(self, node: int, columns: Sequence[int], score: float) -> None:
        """Remember which columns scored the same."""
        self._ties[node] = {"columns": list(columns), "score": score}

    def plant(self, node: int, tree: TreeData) -> dict[int, int]:
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
            growth.weigh(list(children), unit_totals(tree.nodes.total[mine]))
            assert tree.nodes.gap is not None
            self.gap[here] = tuple(tree.nodes.gap[old].tolist())
            if old in ties:
                self.tie(here, ties[old]["columns"], ties[old]["score"])
        self._more_ties += tree.about["n_ties"] - len(ties)
        return place

    def finished(
        self, schema: tuple[Field, ...], target: Field, recipe: Mapping[str, Any]
    ) -> TreeData:
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


def unit_totals(cells: Any) -> Totals:  # noqa: ANN401 - rows of sums
    """Return the sums of nodes whose rows weigh one each."""
    sums = np.asarray(cells, np.float64)
    return Totals(sums, (sums > 0).sum(axis=1) <= 1)


@dataclass(frozen=True, slots=True, eq=False)
class NodeDivision:
    """A node that is divided.

    Parameters
    ----------
    node : int
        Which one.
    split : Split
        Its test.
    tied : tuple of int
        The columns that would have done as well.
    after : (branches, S)
        The sums of its children.
    gap : (float, float) or None
        The numbers on both sides of its cut.
    branch : array or None
        The branch of each code, where codes are exact. Else rows go by the cut: which bucket holds
        it is not told here, since a later run may have other buckets.
    """

    node: int
    split: Split
    tied: tuple[int, ...]
    after: Floats
    gap: tuple[float, float] | None
    branch: npt.NDArray[np.int32] | None

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        split = self.split
        return {
            "node": self.node, "column": split.column, "cut": split.cut,
            "groups": [codes.tolist() for codes in split.groups],
            "gain": float(split.gain), "score": float(split.score), "tied": list(self.tied),
            "after": np.asarray(self.after).tolist(), "gap": self.gap,
            "branch": None if self.branch is None else self.branch.tolist(),
        }  # fmt: skip

    @classmethod
    def again(cls, told: Mapping[str, Any]) -> NodeDivision:
        """Return what `plain` has told of."""
        groups = tuple(np.array(codes, np.int32) for codes in told["groups"])
        split = Split(told["column"], told["cut"], groups, told["gain"], told["score"])
        branch = None if told["branch"] is None else np.array(told["branch"], np.int32)
        gap = None if told["gap"] is None else (told["gap"][0], told["gap"][1])
        after = np.array(told["after"], np.float64)
        return cls(told["node"], split, tuple(told["tied"]), after, gap, branch)


class DivisionLog(Protocol):
    """Who remembers what generations became."""

    def divided(self, nodes: Sequence[int]) -> tuple[list[NodeDivision], list[int]] | None:
        """Return what these nodes became, and which of them wait for the end."""

    def keep_divided(
        self, nodes: Sequence[int], sprouts: Sequence[NodeDivision], parked: Sequence[int]
    ) -> None:
        """Remember it."""
