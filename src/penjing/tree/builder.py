"""Trees under construction: nodes are appended, and numbered breadth first at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from penjing.data.table import Codes, Field, Floats
from penjing.progress import Progress
from penjing.tree.counts import Classes, Reader, Totals
from penjing.tree.held_rows import HeldRows
from penjing.tree.nodes import LEAF, Ids, Nodes
from penjing.tree.split import NO_BRANCH, Split
from penjing.tree.tree_data import TreeData

_NO_LEVELS = np.empty(0, np.int32)


class TreeBuilder:
    """A tree under construction; node ids are never reused, so engines may cache by them.

    Parameters
    ----------
    s : Reader
        Interprets the sums of a node.
    """

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
        self.held_rows: HeldRows | None = None
        """Rows of nodes that are known already; they are not found again."""

    @classmethod
    def from_totals(cls, s: Reader, parents: Sequence[int], totals: Totals) -> TreeBuilder:
        """Return a builder with the nodes and sums of a finished tree, but without its splits.

        Stop rules can be applied again to each of its nodes.

        Parameters
        ----------
        s : Reader
            Interprets the sums.
        parents : sequence of int
            The parent of each node; parents come before their children.
        totals : Totals
            The sums of every node.
        """
        builder = cls(s)
        depths = [0] * len(parents)
        for node in range(1, len(parents)):
            depths[node] = depths[parents[node]] + 1
        rows = s.weight(totals.cells) if totals.rows is None else totals.rows
        builder._parent, builder._branch = list(parents), [0] * len(parents)
        builder._depth, builder._total = depths, list(totals.cells)
        builder._rows, builder._pure = rows.tolist(), totals.is_pure.tolist()
        return builder

    def _add_node(self, parent: int, branch: int) -> None:
        self._parent.append(parent)
        self._branch.append(branch)
        self._depth.append(self._depth[parent] + 1)
        self._total.append(np.zeros(self._s.size))
        self._rows.append(0.0)
        self._pure.append(True)

    def split(self, node: int) -> Split | None:
        """Return the split of a node, None where it has none (yet)."""
        return self._split.get(node)

    def parent_of(self, node: int) -> tuple[int, int]:
        """Return a node's parent, and the branch of the parent that leads to the node."""
        return self._parent[node], self._branch[node]

    def children(self, node: int) -> range:
        """Return the ids of a node's children."""
        return self._children.get(node, range(0))

    def depth(self, node: int) -> int:
        """Return the number of splits above a node."""
        return self._depth[node]

    def total(self, node: int) -> Floats:
        """Return the sum of a node's rows."""
        return self._total[node]

    def weight_of(self, node: int) -> float:
        """Return the weight of a node's rows."""
        return float(self._s.weight(self._total[node]))

    def adjusted_weight_of(self, node: int) -> float:
        """Return the weight of a node's rows, each multiplied by the factor of its class."""
        costs = self._s.costs if isinstance(self._s, Classes) else None
        total = self._total[node]
        return float(self._s.weight(total * np.asarray(costs.factor) if costs else total))

    @property
    def n_ids(self) -> int:
        """The number of ids given so far, those of removed nodes included."""
        return len(self._parent)

    @property
    def reader(self) -> Reader:
        """Interprets the sums of a node."""
        return self._s

    def n_rows(self, node: int) -> float:
        """Return the number of a node's rows, whatever their weights."""
        return self._rows[node]

    def loss_of(self, node: int) -> float:
        """Return the loss of a node as a leaf: the weight of its errors, or its sum of squares."""
        return float(self._s.loss(self._total[node]))

    def totals(self) -> Floats:
        """Return the sums of every node, by its id."""
        return np.stack(self._total)

    def is_pure(self, node: int) -> bool:
        """Whether all rows of a node have one class (or one number)."""
        return self._pure[node]

    def add_children(self, node: int, split: Split) -> range:
        """Set the split of a node; return the ids of its new children."""
        children = range(len(self._parent), len(self._parent) + split.n_branches)
        self._split[node] = split
        self._children[node] = children
        self.n_leaves += len(children) - 1
        for branch in range(split.n_branches):
            self._add_node(node, branch)
        return children

    def apply_split(self, node: int, split: Split) -> list[int]:
        """Set the split of a node and, if it has a following one, that of its first child.

        Return the ids of all new nodes.
        """
        children = list(self.add_children(node, split))
        if split.then is None:
            return children
        return children + list(self.add_children(children[0], split.then))

    def final_children(self, node: int) -> list[int]:
        """Return the new nodes of `apply_split` that have no split themselves."""
        split, children = self._split.get(node), list(self.children(node))
        if split is None or split.then is None:
            return children
        return [*self.children(children[0]), *children[1:]]

    def set_totals(self, nodes: list[int], totals: Totals) -> None:
        """Record the sums of new nodes."""
        rows = totals.rows if totals.rows is not None else self._s.weight(totals.cells)
        each = zip(nodes, totals.cells, totals.is_pure.tolist(), rows.tolist(), strict=True)
        for node, total, is_pure, n_rows in each:
            self._total[node] = total
            self._pure[node] = is_pure
            self._rows[node] = n_rows

    def progress(self, open_nodes: Sequence[int]) -> Progress:
        """Return the progress of growing, given the nodes that are still open."""
        open_rows = sum(self._rows[node] for node in open_nodes)
        self._row_levels += int(open_rows)
        n_rows = int(self._rows[0])
        n_scanned = n_rows + self._row_levels
        depths = (self.depth(node) for node in open_nodes)
        self._generation = generation = max(depths, default=self._generation)
        n_placed = max(n_rows - int(open_rows), 0)  # fractional cases are open in several nodes
        n_open = len(open_nodes)
        return Progress(n_scanned, n_placed, n_rows, self.n_leaves, generation, n_open)

    def remove_children(self, node: int) -> None:
        """Take back what `apply_split` did to a node."""
        self.n_leaves -= len(self.final_children(node)) - 1
        del self._split[node], self._children[node]

    def finish(
        self,
        schema: tuple[Field, ...],
        target: Field,
        centre: float,
        recipe: Mapping[str, Any],
        about: Mapping[str, Any],
    ) -> tuple[TreeData, dict[int, int]]:
        """Return the tree, numbered breadth first, and the new number of each node id."""
        order = [0]
        for node in order:  # the list grows during the loop: breadth first
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
        """Return the branch of missing values of each node, None where no node has one."""
        branches = [NO_BRANCH if s is None else s.missing for s in splits]
        return np.asarray(branches, np.int32) if max(branches) > NO_BRANCH else None

    def _levels_into(self, node: int) -> Codes:
        """Return the codes of the levels that lead into a node."""
        split = self._split.get(self._parent[node])
        return split.groups[self._branch[node]] if split and split.groups else _NO_LEVELS


MAX_TIES = 1_000
"""The largest number of ties that a tree records (the same as `growth_record.TIES`)."""


class TreeAssembler:
    """Assembles one classification tree from an upper part and subtrees grown elsewhere.

    Parameters
    ----------
    s : Reader
        Interprets the sums.

    Attributes
    ----------
    builder : TreeBuilder
        The upper part.
    gap : dict
        For each node with a threshold, the training values on both sides of it.
    """

    def __init__(self, s: Reader) -> None:
        self.builder = TreeBuilder(s)
        self.gap: dict[int, tuple[float, float]] = {}
        self._ties: dict[int, dict[str, Any]] = {}
        self._more_ties = 0

    def record_tie(self, node: int, columns: Sequence[int], score: float) -> None:
        """Record the columns that scored the same in a node."""
        self._ties[node] = {"columns": list(columns), "score": score}

    def insert_subtree(self, node: int, tree: TreeData) -> dict[int, int]:
        """Put a tree in the place of a node; return the new id of each of the tree's nodes."""
        builder = self.builder
        new_id = {0: node}
        ties = {int(tie["node"]): tie for tie in tree.about["ties"]}
        for old in range(tree.n_nodes):
            split = tree.split(old)
            if split is None:
                continue
            here = new_id[old]
            children = builder.add_children(here, split)
            old_children = list(tree.children(old))
            new_id |= dict(zip(old_children, children, strict=True))
            builder.set_totals(list(children), unit_totals(tree.nodes.total[old_children]))
            assert tree.nodes.gap is not None
            self.gap[here] = tuple(tree.nodes.gap[old].tolist())
            if old in ties:
                self.record_tie(here, ties[old]["columns"], ties[old]["score"])
        self._more_ties += tree.about["n_ties"] - len(ties)
        return new_id

    def finish(
        self, schema: tuple[Field, ...], target: Field, recipe: Mapping[str, Any]
    ) -> TreeData:
        """Return the assembled tree."""
        about: dict[str, Any] = {}
        tree, new_id = self.builder.finish(schema, target, 0.0, recipe, about)
        about["n_ties"] = len(self._ties) + self._more_ties
        ties = [{"node": new_id[node]} | tie for node, tie in self._ties.items()]
        about["ties"] = sorted(ties, key=lambda tie: int(tie["node"]))[:MAX_TIES]
        gap = np.full((tree.n_nodes, 2), np.nan)
        for node, between in self.gap.items():
            gap[new_id[node]] = between
        return replace(tree, nodes=replace(tree.nodes, gap=gap))


def unit_totals(cells: npt.ArrayLike) -> Totals:
    """Return the totals of nodes whose rows all have weight 1, from their class counts."""
    sums = np.asarray(cells, np.float64)
    return Totals(sums, (sums > 0).sum(axis=1) <= 1)


@dataclass(frozen=True, slots=True, eq=False)
class NodeSplit:
    """The split that an engine chose for a node, with all that is needed to apply it again.

    Parameters
    ----------
    node : int
        The node.
    split : Split
        Its split.
    tied : tuple of int
        The columns that scored the same.
    after : (branches, S)
        The sums of the children.
    gap : (float, float) or None
        The training values on both sides of the threshold.
    branch : array or None
        The branch of each code, where codes are exact. Otherwise rows are routed by the
        threshold; its bucket is not recorded, since a later run may have other buckets.
    """

    node: int
    split: Split
    tied: tuple[int, ...]
    after: Floats
    gap: tuple[float, float] | None
    branch: npt.NDArray[np.int32] | None

    def to_json(self) -> dict[str, Any]:
        """Return the split as plain data."""
        split = self.split
        return {
            "node": self.node, "column": split.column, "cut": split.cut,
            "groups": [codes.tolist() for codes in split.groups],
            "gain": float(split.gain), "score": float(split.score), "tied": list(self.tied),
            "after": np.asarray(self.after).tolist(), "gap": self.gap,
            "branch": None if self.branch is None else self.branch.tolist(),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> NodeSplit:
        """Return the split that `to_json` wrote."""
        groups = tuple(np.array(codes, np.int32) for codes in data["groups"])
        split = Split(data["column"], data["cut"], groups, data["gain"], data["score"])
        branch = None if data["branch"] is None else np.array(data["branch"], np.int32)
        gap = None if data["gap"] is None else (data["gap"][0], data["gap"][1])
        after = np.array(data["after"], np.float64)
        return cls(data["node"], split, tuple(data["tied"]), after, gap, branch)


class SplitLog(Protocol):
    """Records the splits of each generation, so that an interrupted run can be resumed."""

    def recorded_splits(self, nodes: Sequence[int]) -> tuple[list[NodeSplit], list[int]] | None:
        """Return the splits of these nodes and the nodes put off to the end; None if unknown."""

    def record_splits(
        self, nodes: Sequence[int], splits: Sequence[NodeSplit], deferred: Sequence[int]
    ) -> None:
        """Record the splits of these nodes, and the nodes put off to the end."""
