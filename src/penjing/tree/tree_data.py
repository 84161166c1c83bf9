"""A tree as a plain record: nodes, schema, target, recipe, and what is known about it.

The record does not know who grew it. What users call a tree, with methods that predict, prune,
draw and explain, is :class:`penjing.Tree`, a subclass of this record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from penjing.arguments import as_list, bad_value_error, is_whole, optional_text
from penjing.data.table import Field, Floats
from penjing.errors import WrongTypeError
from penjing.tree.counts import Classes, Costs, Number, Reader
from penjing.tree.nodes import LEAF, Ids, Nodes
from penjing.tree.split import NO_BRANCH, Split


def _renumbered(trace: Any, place: Mapping[int, int], cut: set[int], why: str) -> Any:  # noqa: ANN401
    """Return a trace under new node numbers; nodes that were cut say why."""
    if trace is None:
        return None
    steps = [s | {"node": place[s["node"]]} for s in trace["steps"] if s["node"] in place]
    return trace | {"steps": [s | {"stop": why} if s["node"] in cut else s for s in steps]}


@dataclass(frozen=True, eq=False)
class TreeData:
    """A decision tree: questions, answers, and the counts they were learnt from.

    Trees are immutable; pruning and the like return new ones. ``penjing.fit`` grows one,
    ``penjing.load`` reads one, ``Tree.from_dict`` takes one from a nested dict.
    """

    nodes: Nodes
    schema: tuple[Field, ...]
    target: Field
    recipe: Mapping[str, Any] = field(default_factory=dict)
    centre: float = 0.0
    about: Mapping[str, Any] = field(default_factory=dict)
    kept_trace: Any = None
    reading: Mapping[str, Any] | None = None
    sketch: Sequence[Mapping[str, Any]] | None = None
    skeleton: Mapping[str, Any] | None = None

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickle; one of 0.1.0 keeps how its table was read in ``about``."""
        about = state["about"]
        if "reading" in about and "reading" not in state:
            rest = {key: value for key, value in about.items() if key != "reading"}
            state = state | {"about": rest, "reading": about["reading"]}
        self.__dict__.update(state)

    # -- shape ----------------------------------------------------------------------------

    @cached_property
    def first_child(self) -> Ids:
        """The first child of each node; meaningless in a leaf."""
        ids = np.arange(len(self.nodes), dtype=np.int32)
        return np.searchsorted(self.nodes.parent, ids).astype(np.int32)

    @cached_property
    def n_children(self) -> Ids:
        """The number of children of each node."""
        counts = np.bincount(self.nodes.parent[1:], minlength=len(self.nodes))
        return counts.astype(np.int32)

    @cached_property
    def depths(self) -> Ids:
        """How many questions stand above each node."""
        parent = self.nodes.parent.tolist()
        depth = [0] * len(parent)
        for node in range(1, len(parent)):
            depth[node] = depth[parent[node]] + 1
        return np.asarray(depth, np.int32)

    @cached_property
    def is_leaf(self) -> npt.NDArray[np.bool_]:
        """Whether each node asks nothing."""
        return np.asarray(self.nodes.column == LEAF)

    @property
    def depth(self) -> int:
        """The largest number of questions asked of one row."""
        return int(self.depths.max())

    @property
    def n_nodes(self) -> int:
        """The number of nodes that training rows reached."""
        return len(self.nodes)

    @property
    def n_leaves(self) -> int:
        """The number of leaves that training rows reached."""
        return int(self.is_leaf.sum())

    @property
    def n_empty(self) -> int:
        """The number of branches that no training row took; they answer as their node does."""
        return sum(len(self.empty_levels(node)) for node in np.flatnonzero(~self.is_leaf).tolist())

    def checked(self, node: int) -> int:
        """Return a node's number, or say which there are."""
        if not is_whole(node) or not 0 <= node < len(self.nodes.parent):
            raise bad_value_error("no_node", "node", node, int, last=len(self.nodes.parent) - 1)
        return int(node)

    def empty_levels(self, node: int) -> list[int]:
        """Return the codes of the levels that a nominal question has no branch for."""
        node = self.checked(node)
        asked = int(self.nodes.column[node])
        if asked == LEAF or not np.isnan(self.nodes.cut[node]):
            return []
        taken = {c for child in self.children(node) for c in self.nodes.levels(child).tolist()}
        return [code for code in range(len(self.schema[asked].levels)) if code not in taken]

    def children(self, node: int) -> range:
        """Return the ids of a node's children, in the order of its branches."""
        node = self.checked(node)
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to this one, both included."""
        found = [self.checked(node)]
        while (up := int(self.nodes.parent[found[-1]])) >= 0:
            found.append(up)
        return found[::-1]

    def walk(self) -> Iterator[int]:
        """Yield every node, each before its children, first branches first."""
        waiting = [0]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(self.children(node)))

    def split(self, node: int) -> Split | None:
        """Return the test of a node, None in a leaf."""
        node = self.checked(node)
        asked = int(self.nodes.column[node])
        if asked == LEAF:
            return None
        cut = float(self.nodes.cut[node])
        has_cut = not np.isnan(cut)
        groups = () if has_cut else tuple(self.nodes.levels(c) for c in self.children(node))
        gain, score = float(self.nodes.gain[node]), float(self.nodes.score[node])
        missing = NO_BRANCH if self.nodes.missing is None else int(self.nodes.missing[node])
        stand_ins = self.nodes.surrogates.get(node, ())
        return Split(asked, cut if has_cut else None, groups, gain, score, missing, stand_ins)

    def parent_of(self, node: int) -> tuple[int, int]:
        """Return a node's parent and by which of its branches the node is reached."""
        node = self.checked(node)
        parent = int(self.nodes.parent[node])
        return parent, int(node - self.first_child[parent])

    def weight_of(self, node: int) -> float:
        """Return the weight of the training rows in a node."""
        return float(self.weight[self.checked(node)])

    # -- answers --------------------------------------------------------------------------

    @property
    def is_regression(self) -> bool:
        """Whether the answers are numbers."""
        return self.target.is_numeric

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in order; empty for regression."""
        return () if self.is_regression else tuple(self.target.levels)

    @cached_property
    def reader(self) -> Reader:
        """What reads the sums of a node."""
        if self.is_regression:
            return Number(self.centre)
        return Classes(len(self.target.levels), Costs.from_json(self.about.get("costs")))

    @cached_property
    def has_counts(self) -> bool:
        """Whether the totals were counted from rows; not so in a tree made by hand."""
        return bool(self.about.get("counted", True))

    @cached_property
    def weight(self) -> Floats:
        """The weight of the training rows in each node."""
        return self.reader.weight(self.nodes.total)

    @cached_property
    def values(self) -> npt.NDArray[Any]:
        """The answer of each node: the code of its class, or a number."""
        found = self.reader.value(self.nodes.total)
        for node, code in self.nodes.answers.items():
            found[node] = code
        return found

    @cached_property
    def shares(self) -> Floats:
        """The share of each class in each node, as it is answered; (n, classes).

        A recipe may smooth them (``laplace``), or answer a level without a branch by its node's
        majority for sure (``empty``): C4.5 and J48 part here.
        """
        total, weight = self.nodes.total, self.weight
        costs = self.reader.costs if isinstance(self.reader, Classes) else None
        if costs is not None:  # a row of each class counts for more, or less
            total = total * np.asarray(costs.factor)
            weight = self.reader.weight(total)
        if self.recipe.get("laplace"):
            shares = (total + 1) / (weight + total.shape[1])[:, None]
        else:
            shares = total / np.where(weight > 0, weight, 1.0)[:, None]
        sure = ~self.is_leaf if self.recipe.get("empty") == "majority" else weight == 0
        return np.asarray(np.where(sure[:, None], np.eye(total.shape[1])[self.values], shares))

    @cached_property
    def losses(self) -> Floats:
        """The weight each node would get wrong as a leaf, or its sum of squares."""
        return self.reader.loss(self.nodes.total)

    def answer(self, node: int) -> Any:  # noqa: ANN401 - a class may be any plain value
        """Return what a node answers: a class, or a number."""
        value = self.values[self.checked(node)]
        return float(value) if self.is_regression else self.target.levels[int(value)]

    # -- changed trees ----------------------------------------------------------------------

    def pruned(self, cut_back: Iterable[int], *, why: str | None = None) -> Self:
        """Return the tree with these nodes made leaves; nodes are numbered anew.

        The trace and the ties told of nodes by number, so they are left out; unless pruning is
        a part of growing, and there is a reason ``why`` these nodes are leaves.
        """
        nodes = self.nodes
        is_cut = np.zeros(len(nodes), bool)
        optional_text("why", why)
        cut_nodes = as_list(cut_back)
        if cut_nodes is None:
            raise WrongTypeError("not_nodes", name="cut_back", value=cut_back)
        is_cut[[self.checked(node) for node in cut_nodes]] = True
        keep = np.ones(len(nodes), bool)
        parent = nodes.parent.tolist()
        hidden = is_cut.tolist()
        for node in range(1, len(parent)):
            if hidden[parent[node]]:
                hidden[node] = True
                keep[node] = False
        kept = np.flatnonzero(keep)
        column = np.where(is_cut, LEAF, nodes.column)[kept]
        new_id = np.cumsum(keep) - 1
        spans = [nodes.levels(i) for i in kept.tolist()]
        is_leaf = column == LEAF
        smaller = Nodes(
            parent=np.append([-1], new_id[nodes.parent[kept[1:]]]).astype(np.int32),
            column=column.astype(np.int32),
            cut=np.where(is_leaf, np.nan, nodes.cut[kept]),
            level_start=np.append([0], np.cumsum([len(s) for s in spans])).astype(np.int64),
            level_codes=np.concatenate(spans).astype(np.int32),
            total=nodes.total[kept],
            gain=np.where(is_leaf, 0.0, nodes.gain[kept]),
            score=np.where(is_leaf, 0.0, nodes.score[kept]),
            gap=None if nodes.gap is None else np.where(is_leaf[:, None], np.nan, nodes.gap[kept]),
            missing=None
            if nodes.missing is None
            else np.where(is_leaf, NO_BRANCH, nodes.missing[kept]).astype(np.int32),
            surrogates={
                int(new_id[i]): s for i, s in nodes.surrogates.items() if keep[i] and not is_cut[i]
            },
            answers={int(new_id[i]): code for i, code in nodes.answers.items() if keep[i]},
        )
        about = {key: value for key, value in self.about.items() if key not in ("ties", "n_ties")}
        trace = None
        if why is not None:
            place = {int(old): new for new, old in enumerate(kept)}
            cut = {place[i] for i in np.flatnonzero(is_cut).tolist() if i in place}
            trace = _renumbered(self.kept_trace, place, cut, why)
            about["ties"] = [
                tie | {"node": place[tie["node"]]}
                for tie in self.about.get("ties", ())
                if tie["node"] in place and place[tie["node"]] not in cut
            ]
        # Sketches and the skeleton name nodes by their old numbers.
        return replace(
            self, nodes=smaller, kept_trace=trace, about=about, sketch=None, skeleton=None
        )

    def exact(self) -> Self:
        """Return the same tree, whose cuts are printed with every digit that they have.

        Printed cuts are as short as can be while they route every training row alike, and the
        printed number itself as the model does (``<`` where it goes up, ``≤`` where not); compared
        digit by digit with another program, or asked about values between training rows, a tree
        had better print what it computes with.
        """
        return replace(self, nodes=replace(self.nodes, gap=None))

    def __repr__(self) -> str:
        name = self.recipe.get("name", "by hand")
        return f"<Tree {self.target.name}: {name}, {self.n_leaves} leaves, depth {self.depth}>"

    def to_json(self) -> dict[str, Any]:
        """Return the whole tree as plain data; see :mod:`penjing.tree.serialize`."""
        from penjing.tree.serialize import to_json  # noqa: PLC0415 - it imports this module

        return to_json(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeData):
            return NotImplemented
        return bool(self.to_json() == other.to_json())

    __hash__ = None  # type: ignore[assignment]
