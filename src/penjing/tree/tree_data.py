"""A tree as a plain record: nodes, schema, target, recipe, and facts about how it was grown.

The record does not depend on engines or dialects. :class:`penjing.Tree`, with methods that
predict, prune, draw and explain, is a subclass of this record.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from penjing.arguments import as_list, bad_value_error, is_whole, optional_text
from penjing.data.source import Label
from penjing.data.table import Field, Floats, Table
from penjing.errors import WrongTypeError
from penjing.tree.counts import Classes, Costs, Number, Reader
from penjing.tree.empty_branches import absent_levels
from penjing.tree.monotonic import node_values, tree_bounds
from penjing.tree.nodes import LEAF, Ids, Nodes
from penjing.tree.split import NO_BRANCH, Split
from penjing.tree.steps import renumber_steps


def _renumber_trace(
    trace: dict[str, Any] | None, new_id: Mapping[int, int], cut: set[int], why: str
) -> dict[str, Any] | None:
    """Return a trace under new node numbers; nodes that became leaves get the reason ``why``."""
    if trace is None:
        return None
    return trace | {"steps": renumber_steps(trace["steps"], new_id, dict.fromkeys(cut, why))}


def renumber_stops(about: Mapping[str, Any], new_id: Mapping[int, int]) -> dict[str, Any]:
    """Return facts about a tree whose recorded stops have the new numbers of their nodes."""
    if "stops" not in about:
        return dict(about)
    stops = {
        reason: [new_id[node] for node in nodes if node in new_id]
        for reason, nodes in about["stops"].items()
    }
    stops = {reason: nodes for reason, nodes in stops.items() if nodes}
    rest = {key: value for key, value in about.items() if key != "stops"}
    return rest | ({"stops": stops} if stops else {})


BY_HAND = "by hand"
"""The name of the recipe of a tree that was made by hand."""


@dataclass(frozen=True, eq=False)
class TreeData:
    """A decision tree: its splits, its predictions, and the counts they were learned from.

    Trees are immutable; methods such as pruning return new ones. ``penjing.fit`` grows a tree,
    ``penjing.load`` reads one from a file, ``Tree.from_dict`` makes one from a nested dict.
    Nodes are numbered breadth first; the root is node 0.
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

    def training_table(self) -> Table | None:
        """Return the training rows, if they can be had: a plain record knows none.

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).training_table() is fish
        True
        """
        return None

    def training_recipe(self) -> Any:  # noqa: ANN401 - `Recipe`, which a layer above defines
        """Return the recipe that `fit` was given, if it can be had: a plain record knows none.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish")).training_recipe().name
        'id3'
        """
        return None

    # -- shape ----------------------------------------------------------------------------

    @cached_property
    def first_child(self) -> Ids:
        """The first child of each node; in a leaf the value has no meaning.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.first_child[:2]
        array([1, 3], dtype=int32)
        """
        # The nodes are in the order of their parents.
        return (np.cumsum(self.n_children) - self.n_children + 1).astype(np.int32)

    @cached_property
    def n_children(self) -> Ids:
        """The number of children of each node.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.n_children
        array([2, 2, 0, 0, 0], dtype=int32)
        """
        counts = np.bincount(self.nodes.parent[1:], minlength=len(self.nodes))
        return counts.astype(np.int32)

    @cached_property
    def depths(self) -> Ids:
        """The number of splits above each node.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.depths
        array([0, 1, 1, 2, 2], dtype=int32)
        """
        parent = self.nodes.parent.tolist()
        depth = [0] * len(parent)
        for node in range(1, len(parent)):
            depth[node] = depth[parent[node]] + 1
        return np.asarray(depth, np.int32)

    @cached_property
    def is_leaf(self) -> npt.NDArray[np.bool_]:
        """Whether each node is a leaf.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.is_leaf
        array([False, False,  True,  True,  True])
        """
        return np.asarray(self.nodes.column == LEAF)

    @property
    def depth(self) -> int:
        """The depth of the tree: the largest number of splits on a path.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.depth
        2
        """
        return int(self.depths.max())

    @property
    def n_nodes(self) -> int:
        """The number of nodes, leaves included; branches without training rows have no node.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.n_nodes
        5
        """
        return len(self.nodes)

    @property
    def n_leaves(self) -> int:
        """The number of leaves; branches without training rows have none.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.n_leaves
        3
        """
        return int(self.is_leaf.sum())

    @property
    def n_empty(self) -> int:
        """The number of categories without a branch, over all nodes.

        A row with such a category gets the prediction of the node where it stops. Categories that
        a split above sends elsewhere are not counted.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("watermelon2.0")).n_empty
        1
        """
        splits = np.flatnonzero(~self.is_leaf).tolist()
        return sum(len(absent_levels(self, node)) for node in splits)

    def checked(self, node: int) -> int:
        """Return a node number as an int, or raise an error if there is no such node.

        Parameters
        ----------
        node : int
            The number of a node.

        Raises
        ------
        ChoiceError
            If the tree has no node of this number.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.checked(4)
        4
        """
        if type(node) is int and 0 <= node < len(self.nodes.parent):  # all but a few calls
            return node
        if not is_whole(node) or not 0 <= node < len(self.nodes.parent):
            raise bad_value_error("no_node", "node", node, int, last=len(self.nodes.parent) - 1)
        return int(node)

    def empty_levels(self, node: int) -> list[int]:
        """Return the codes of the categories for which a node has no branch.

        No training row in the node had one of these categories.

        Parameters
        ----------
        node : int
            The number of a node.

        Returns
        -------
        list of int
            Positions in the ``levels`` of the split column; empty for a leaf and a threshold.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("watermelon2.0"))
        >>> column = tree.schema[tree.split(5).column]
        >>> [column.levels[code] for code in tree.empty_levels(5)]
        ['浅白']
        """
        node = self.checked(node)
        column = int(self.nodes.column[node])
        if column == LEAF or not np.isnan(self.nodes.cut[node]):
            return []
        children = self.children(node)
        if not children:
            return list(range(len(self.schema[column].levels)))
        start, stop = self.nodes.level_start[[children.start, children.stop]].tolist()
        taken = set(self.nodes.level_codes[start:stop].tolist())
        return [code for code in range(len(self.schema[column].levels)) if code not in taken]

    def children(self, node: int) -> range:
        """Return the children of a node, in the order of its branches.

        Parameters
        ----------
        node : int
            The number of a node.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> list(tree.children(0)), list(tree.children(2))
        ([1, 2], [])
        """
        node = self.checked(node)
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to a node, both included.

        Parameters
        ----------
        node : int
            The number of a node.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.path(3)
        [0, 1, 3]
        """
        upwards = [self.checked(node)]
        while (parent := int(self.nodes.parent[upwards[-1]])) >= 0:
            upwards.append(parent)
        return upwards[::-1]

    def walk(self) -> Iterator[int]:
        """Yield every node, each before its children, the first branch first (preorder).

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> list(tree.walk())
        [0, 1, 3, 4, 2]
        """
        stack = [0]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(self.children(node)))

    def split(self, node: int) -> Split | None:
        """Return the split of a node, None for a leaf.

        Parameters
        ----------
        node : int
            The number of a node.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> split = tree.split(0)
        >>> tree.schema[split.column].name, round(split.gain, 3)
        ('no surfacing', 0.42)
        >>> tree.split(2) is None
        True
        """
        node = self.checked(node)
        column = int(self.nodes.column[node])
        if column == LEAF:
            return None
        cut = float(self.nodes.cut[node])
        has_cut = not np.isnan(cut)
        groups = () if has_cut else tuple(self.nodes.levels(c) for c in self.children(node))
        gain, score = float(self.nodes.gain[node]), float(self.nodes.score[node])
        missing = NO_BRANCH if self.nodes.missing is None else int(self.nodes.missing[node])
        surrogates = self.nodes.surrogates.get(node, ())
        return Split(column, cut if has_cut else None, groups, gain, score, missing, surrogates)

    def parent_of(self, node: int) -> tuple[int, int]:
        """Return the parent of a node, and the branch of the parent that leads to the node.

        Parameters
        ----------
        node : int
            The number of a node.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.parent_of(4)
        (1, 1)
        """
        node = self.checked(node)
        parent = int(self.nodes.parent[node])
        return parent, int(node - self.first_child[parent])

    def weight_of(self, node: int) -> float:
        """Return the weight of the training rows in a node.

        Parameters
        ----------
        node : int
            The number of a node.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.weight_of(1)
        3.0
        """
        return float(self.weight[self.checked(node)])

    # -- predictions ----------------------------------------------------------------------

    @property
    def is_regression(self) -> bool:
        """Whether the tree predicts numbers.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.is_regression
        False
        """
        return self.target.is_numeric

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes, in the order of ``predict_proba``; empty for regression.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.classes
        ('yes', 'no')
        """
        return () if self.is_regression else tuple(self.target.levels)

    @cached_property
    def reader(self) -> Reader:
        """Interprets the sums of a node: weight, prediction and loss.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.reader.weight(tree.nodes.total[0])
        array(5.)
        """
        if self.is_regression:
            return Number(self.centre)
        return Classes(len(self.target.levels), Costs.from_json(self.about.get("costs")))

    @cached_property
    def has_counts(self) -> bool:
        """Whether the counts are those of training rows; False for ``Tree.from_dict``.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.has_counts
        True
        """
        return bool(self.about.get("counted", True))

    @cached_property
    def weight(self) -> Floats:
        """The weight of the training rows in each node.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.weight
        array([5., 3., 2., 2., 1.])
        """
        return self.reader.weight(self.nodes.total)

    @cached_property
    def has_weights(self) -> bool:
        """Whether the counts are sums of weights, and not numbers of rows.

        They are if the root has another weight than its number of rows, or if a leaf has a weight
        with decimals although no value is missing. (Missing values divide rows between branches.)

        Examples
        --------
        >>> import penjing
        >>> fish = penjing.example("fish")
        >>> penjing.fit(fish).has_weights, penjing.fit(fish, weight=[2, 1, 1, 1, 1]).has_weights
        (False, True)
        """
        if not self.has_counts:
            return False
        n_rows = self.about.get("n_rows")
        if isinstance(n_rows, int) and not math.isclose(self.weight[0], n_rows, rel_tol=1e-9):
            return True
        return not self.about.get("missing") and self.has_fractions

    @cached_property
    def has_fractions(self) -> bool:
        """Whether the weight of a leaf has decimals.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish")).has_fractions
        False
        """
        weight = self.weight[self.is_leaf]
        return bool((np.abs(weight - np.round(weight)) > 1e-9 * np.maximum(1.0, weight)).any())

    @cached_property
    def values(self) -> npt.NDArray[Any]:
        """The prediction of each node: the position of its class in `classes`, or a number.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.values
        array([1, 0, 1, 0, 1])
        """
        values = self.reader.value(self.nodes.total)
        if self.value_bounds is not None:
            values = self._bounded_values(values, self.value_bounds)
        for node, code in self.nodes.answers.items():
            values[node] = code
        return values

    @cached_property
    def value_range(self) -> tuple[float, float]:
        """The smallest and the largest prediction of a numeric target, over all nodes.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": 1, "y": 0.5}, {"x": 2, "y": 2.5}]
        >>> penjing.fit(rows, "y", "cart-binary", quiet=True).value_range
        (0.5, 2.5)
        """
        return float(self.values.min()), float(self.values.max())

    @cached_property
    def value_bounds(self) -> Floats | None:
        """The bounds of each node's value by ``monotonic_cst``, (nodes, 2); None without it.

        The value is the mean less its centre, or the share of the first class.

        Examples
        --------
        >>> import penjing
        >>> penjing.fit(penjing.example("fish")).value_bounds is None
        True
        """
        return tree_bounds(self)

    def _bounded_values(self, values: npt.NDArray[Any], bounds: Floats) -> npt.NDArray[Any]:
        """Return the predictions of nodes, those whose value exceeds its bounds corrected."""
        if self.is_regression:
            shifted = bounds + self.centre
            return np.asarray(np.clip(values, shifted[:, 0], shifted[:, 1]))
        shares = node_values(self.nodes.total, self.reader)
        clipped = np.clip(shares, bounds[:, 0], bounds[:, 1])
        is_out = clipped != shares
        reader, costs = self.reader, self.reader.costs if isinstance(self.reader, Classes) else None
        total = np.stack([clipped, 1.0 - clipped], axis=1)[:, : len(self.classes)]
        if costs is not None:  # `value` multiplies by the factors again
            total = total / np.asarray(costs.factor)
        return np.where(is_out, reader.value(total), values)

    @cached_property
    def shares(self) -> Floats:
        """The predicted probability of each class in each node, (nodes, classes).

        Recipes differ: they may smooth the shares of the training rows (``laplace``), or predict
        the majority class with probability 1 for a category without a branch (``empty``), in
        which C4.5 and J48 differ.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.shares[1].round(2)
        array([0.67, 0.33])
        """
        total, weight = self.nodes.total, self.weight
        costs = self.reader.costs if isinstance(self.reader, Classes) else None
        if costs is not None:
            total = total * np.asarray(costs.factor)
            weight = self.reader.weight(total)
        if self.recipe.get("laplace"):
            shares = (total + 1) / (weight + total.shape[1])[:, None]
        else:
            shares = total / np.where(weight > 0, weight, 1.0)[:, None]
        if (bounds := self.value_bounds) is not None:
            first = np.clip(shares[:, 0], bounds[:, 0], bounds[:, 1])
            shares = np.stack([first, 1.0 - first], axis=1)[:, : total.shape[1]]
        is_certain = ~self.is_leaf if self.recipe.get("empty") == "majority" else weight == 0
        return np.asarray(
            np.where(is_certain[:, None], np.eye(total.shape[1])[self.values], shares)
        )

    @cached_property
    def losses(self) -> Floats:
        """The weight of the errors of each node as a leaf; for regression, its sum of squares.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.losses
        array([2., 1., 0., 0., 0.])
        """
        losses = self.reader.loss(self.nodes.total)
        for node, prediction in self.nodes.answers.items():
            losses[node] = self.reader.loss_of(self.nodes.total[node], prediction)
        return losses

    def answer(self, node: int) -> Label:
        """Return the prediction of a node: a class, or a number.

        Parameters
        ----------
        node : int
            The number of a node.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.answer(3), tree.answer(4)
        ('yes', 'no')
        """
        value = self.values[self.checked(node)]
        if self.is_regression:
            return float(value)
        label: Label = self.target.levels[int(value)]
        return label

    # -- changed trees ----------------------------------------------------------------------

    def pruned(self, cut_back: Iterable[int], *, why: str | None = None) -> Self:
        """Return the tree with some nodes turned into leaves; its nodes are numbered anew.

        Parameters
        ----------
        cut_back : iterable of int
            The numbers of the nodes that become leaves.
        why : str, optional
            The reason, for pruning that is a part of growing: the trace and the ties of the
            remaining nodes are then kept, and these leaves carry the reason. Without it the new
            tree has neither.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> tree.pruned([1]).to_dict()
        {'no surfacing': {1: 'yes', 0: 'no'}}
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
        is_below_cut = is_cut.tolist()
        for node in range(1, len(parent)):
            if is_below_cut[parent[node]]:
                is_below_cut[node] = True
                keep[node] = False
        kept_ids = np.flatnonzero(keep)
        column = np.where(is_cut, LEAF, nodes.column)[kept_ids]
        new_id = np.cumsum(keep) - 1
        # The codes of a node stand together: those of the kept nodes, one after the other.
        n_codes = np.diff(nodes.level_start)[kept_ids]
        level_start = np.append([0], np.cumsum(n_codes)).astype(np.int64)
        offsets = np.repeat(nodes.level_start[kept_ids] - level_start[:-1], n_codes)
        is_leaf = column == LEAF
        pruned_nodes = Nodes(
            parent=np.append([-1], new_id[nodes.parent[kept_ids[1:]]]).astype(np.int32),
            column=column.astype(np.int32),
            cut=np.where(is_leaf, np.nan, nodes.cut[kept_ids]),
            level_start=level_start,
            level_codes=nodes.level_codes[offsets + np.arange(len(offsets))].astype(np.int32),
            total=nodes.total[kept_ids],
            gain=np.where(is_leaf, 0.0, nodes.gain[kept_ids]),
            score=np.where(is_leaf, 0.0, nodes.score[kept_ids]),
            gap=None
            if nodes.gap is None
            else np.where(is_leaf[:, None], np.nan, nodes.gap[kept_ids]),
            missing=None
            if nodes.missing is None
            else np.where(is_leaf, NO_BRANCH, nodes.missing[kept_ids]).astype(np.int32),
            surrogates={
                int(new_id[i]): s for i, s in nodes.surrogates.items() if keep[i] and not is_cut[i]
            },
            answers={int(new_id[i]): code for i, code in nodes.answers.items() if keep[i]},
        )
        about = {key: value for key, value in self.about.items() if key not in ("ties", "n_ties")}
        number = {int(old): new for new, old in enumerate(kept_ids)}
        about = renumber_stops(about, number)
        trace = None
        if why is not None:
            cut = {number[i] for i in np.flatnonzero(is_cut).tolist() if i in number}
            trace = _renumber_trace(self.kept_trace, number, cut, why)
            about["ties"] = [
                tie | {"node": number[tie["node"]]}
                for tie in self.about.get("ties", ())
                if tie["node"] in number and number[tie["node"]] not in cut
            ]
        # Sketches and the skeleton name nodes by their old numbers.
        return replace(
            self, nodes=pruned_nodes, kept_trace=trace, about=about, sketch=None, skeleton=None
        )

    def exact(self) -> Self:
        """Return the same tree, with thresholds that are printed with all their digits.

        Normally a threshold is printed with as few digits as route every training row, and the
        printed number itself, as the model does. All digits are useful to compare a tree with
        that of another program.

        Examples
        --------
        >>> import penjing
        >>> rows = [{"x": 0.1, "y": "a"}, {"x": 0.2, "y": "b"}]
        >>> tree = penjing.fit(rows, target="y", recipe="id3")
        >>> print(tree)
        x ≤ 0.15: a (1)
        x > 0.15: b (1)
        >>> print(tree.exact())
        x ≤ 0.15000000000000002: a (1)
        x > 0.15000000000000002: b (1)
        """
        return replace(self, nodes=replace(self.nodes, gap=None))

    def __repr__(self) -> str:
        name = self.recipe.get("name", BY_HAND)
        leaves = "1 leaf" if self.n_leaves == 1 else f"{self.n_leaves} leaves"
        return f"<Tree {self.target.name}: {name}, {leaves}, depth {self.depth}>"

    def to_json(self) -> dict[str, Any]:
        """Return the tree as plain data, as it is written to a model file.

        Returns
        -------
        dict
            Dicts, lists, texts and numbers only; ``json.dumps`` can write it.

        Examples
        --------
        >>> import penjing
        >>> tree = penjing.fit(penjing.example("fish"))
        >>> len(tree.to_json()["nodes"])
        5
        """
        from penjing.tree.serialize import to_json  # noqa: PLC0415 - it imports this module

        return to_json(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeData):
            return NotImplemented
        return bool(self.to_json() == other.to_json())

    __hash__ = None  # type: ignore[assignment]
