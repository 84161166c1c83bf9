"""Steering: nodes of a growing tree whose split is given, and columns that are never split on.

A forced split is scored by the dialect like any other. It needs neither to win against other
columns nor to meet the minimum sizes of the recipe, but it must divide the rows of its node.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penjing import arguments
from penjing.data.table import Field
from penjing.errors import ChoiceError, WrongTypeError, closest_match, unknown_name_error
from penjing.grow.engine import Engine, TreeStructure
from penjing.grow.force_syntax import SplitRequest, parse_forced_text, parse_request, resolve
from penjing.grow.forced_choice import ForcedSplit, forced_choice
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice
from penjing.i18n import Names, Word
from penjing.text.node_path import branch_names, match_branch, normalize_path, readable
from penjing.tree.builder import TreeBuilder
from penjing.tree.forced import Step, branch_by_step, step_of
from penjing.tree.split import BestSplits, Split


@dataclass(frozen=True, slots=True)
class Steering:
    """What is forced and forbidden in a tree.

    Parameters
    ----------
    forced : tuple of ForcedSplit
        The nodes whose split is given.
    forbidden : tuple of str
        The columns that no split may use.
    is_strict : bool
        Whether a node that never exists, or a split that does not divide its rows, is an error.
        Otherwise (in the folds of a cross-validation) the recipe decides there.
    """

    forced: tuple[ForcedSplit, ...] = ()
    forbidden: tuple[str, ...] = ()
    is_strict: bool = True

    def __bool__(self) -> bool:
        return bool(self.forced or self.forbidden)


NO_STEERING = Steering()
"""Every node is split as the recipe decides."""


def parse_steering(force_splits: object, forbid: object, schema: Sequence[Field]) -> Steering:
    """Return the steering of ``fit``: paths and columns are those of a table.

    Parameters
    ----------
    force_splits : mapping, or sequence of str, or None
        The split of each node by its path; or texts ``PATH => SPLIT``.
    forbid : sequence of str, or None
        Names of columns.
    schema : sequence of Field
        The columns.

    Examples
    --------
    >>> schema = (Field("x", "numeric"), Field("t", "nominal", ("a", "b")))
    >>> steering = parse_steering({"": "t", "t=a": "x<=3"}, ["x"], schema)
    Traceback (most recent call last):
    penjing.errors.ChoiceError: column 'x' is both forced and forbidden.
    """
    names = [field.name for field in schema]
    forbidden = _column_list("forbid", forbid)
    for name in forbidden:
        if name not in names:
            raise unknown_name_error("unknown_column", name, names)
    forced = tuple(_forced_splits(force_splits, schema))
    for each in forced:
        if each.request.column in forbidden:
            raise ChoiceError("force_forbidden", column=each.request.column)
    return Steering(forced, tuple(dict.fromkeys(forbidden)))


def _column_list(name: str, value: object) -> list[str]:
    if value is None:
        return []
    items = [value] if isinstance(value, str) else arguments.as_list(value)
    if items is None or not all(isinstance(item, str) for item in items):
        raise WrongTypeError("force_bad_columns", name=name, value=value)
    return items


def _forced_splits(force_splits: object, schema: Sequence[Field]) -> Iterable[ForcedSplit]:
    if force_splits is None:
        return
    if isinstance(force_splits, Mapping):
        for path, value in force_splits.items():
            if not isinstance(path, str):
                raise WrongTypeError("force_bad_path", value=path)
            yield ForcedSplit(path, parse_request(value, schema))
        return
    texts = [force_splits] if isinstance(force_splits, str) else arguments.as_list(force_splits)
    if texts is None:
        raise WrongTypeError("force_bad_splits", value=force_splits)
    for text in texts:
        if isinstance(text, ForcedSplit):
            yield text
            continue
        if not isinstance(text, str):
            raise WrongTypeError("force_bad_splits", value=force_splits)
        yield ForcedSplit(*parse_forced_text(text, schema))


@dataclass(frozen=True, slots=True)
class _Pending:
    """A forced split whose node is not reached yet, and the rest of the path to it."""

    forced: ForcedSplit
    rest: str | tuple[Step, ...]

    @property
    def is_here(self) -> bool:
        return not self.rest


class ForcedNodes:
    """Follows the paths of forced splits while a tree grows.

    Parameters
    ----------
    engine : Engine
        Counts the training rows.
    recipe : Recipe
        The recipe of the tree.
    steering : Steering
        What is forced.
    """

    def __init__(self, engine: Engine, recipe: Recipe, steering: Steering) -> None:
        self._engine, self._recipe, self._steering = engine, recipe, steering
        starts = [
            _Pending(f, normalize_path(f.path) if f.steps is None else f.steps)
            for f in steering.forced
        ]
        self._pending: dict[int, list[_Pending]] = {0: starts} if starts else {}
        self._resolved = {
            id(f): resolve(
                f.request,
                engine.schema,
                orders_categories=recipe.options.orders_categories,
            )
            for f in steering.forced
            if f.request.column is not None
        }
        self._acts: dict[int, dict[str, Any]] = {}
        self._leaves: set[int] = set()

    def has_any(self, node: int) -> bool:
        """Whether something is forced in a node, or below it."""
        return node in self._pending

    def request(self, node: int) -> SplitRequest | None:
        """Return what is forced in this node, None if nothing is."""
        here = [p.forced for p in self._pending.get(node, ()) if p.is_here]
        if len(here) > 1:
            raise ChoiceError("force_twice", one=here[0].path, other=here[1].path)
        return here[0].request if here else None

    def is_split(self, node: int) -> bool:
        """Whether a split of this node is forced."""
        request = self.request(node)
        return request is not None and request.column is not None

    def is_leaf(self, node: int) -> bool:
        """Whether this node is forced to be a leaf."""
        request = self.request(node)
        return request is not None and request.column is None

    def choice(
        self, tree: TreeStructure, node: int, best_splits: BestSplits, i: int = 0
    ) -> Choice | None:
        """Return the forced split of a node, scored by the dialect.

        None if it does not divide the rows of the node and the steering is not strict.

        Parameters
        ----------
        tree : TreeStructure
            The tree.
        node : int
            A node with a forced split.
        best_splits : BestSplits
            The best split of each column, for nodes of which this is the one at position ``i``.
        i : int
            That position.
        """
        forced = next(p.forced for p in self._pending[node] if p.is_here)
        wanted = self._resolved[id(forced)]
        try:
            return forced_choice(
                self._engine, tree, node, wanted, self._recipe, best_splits, i, forced
            )
        except ChoiceError:
            if self._steering.is_strict:
                raise
            self._pending[node] = [p for p in self._pending[node] if not p.is_here]
            if not self._pending[node]:
                del self._pending[node]
            return None

    def stops(self, node: int, reason: str | None) -> str | None:
        """Return why a node is a leaf, given the reason of the dialect, if it has one."""
        if node not in self._pending:
            return reason
        if self.is_leaf(node):
            self._leaf_made(node)
            return "forced"
        return None if self.is_split(node) else reason

    def choices(
        self,
        tree: TreeStructure,
        nodes: Sequence[int],
        choices: Sequence[Choice],
        best_splits: BestSplits,
    ) -> list[Choice]:
        """Return the choices of some nodes, with the forced ones in their place."""
        found = list(choices)
        for i, node in enumerate(nodes):
            if node in self._pending and self.is_split(node):
                given = self.choice(tree, node, best_splits, i)
                found[i] = choices[i] if given is None else given
        return found

    def splits_made(self, builder: TreeBuilder, nodes: Iterable[int]) -> None:
        """Follow the paths on from nodes that now have their split."""
        for node in nodes:
            self.split_made(builder, node)

    def kept(self, builder: TreeBuilder) -> set[int]:
        """Return the nodes that pruning keeps: those with a forced split, and all above them.

        A node is also kept if something is forced below it whose split is not made yet.
        """
        kept: set[int] = set()
        for start in (*self.split_nodes(), *self._leading()):
            node = start
            while node not in kept:
                kept.add(node)
                if node == 0:
                    break
                node = builder.parent_of(node)[0]
        return kept

    def _leading(self) -> list[int]:
        """Return the nodes above those whose forced splits are still to come."""
        return list(self._pending)

    def split_made(self, builder: TreeBuilder, node: int) -> None:
        """Follow the paths on from a node that now has its split."""
        split, pending = builder.split(node), self._pending.get(node)
        if split is None or pending is None:
            return
        field = self._engine.schema[split.column]
        between: tuple[float, float] | None = None
        kept = []
        for each in pending:
            if each.is_here:
                self._acts[node] = {"path": each.forced.path, **each.forced.request.to_json()}
                continue
            if between is None:
                between = self.between(builder, node, split)
            found = _next_branch(each, field, split, between)
            if found is None:
                kept.append(each)
                continue
            child = builder.children(node)[found[0]]
            self._pending.setdefault(child, []).append(_Pending(each.forced, found[1]))
        self._pending.pop(node)
        if kept:
            self._pending[node] = kept  # they lead nowhere
        for child in builder.children(node):
            self.split_made(builder, child)  # a split in two steps

    def _leaf_made(self, node: int) -> None:
        """Record that a node is a leaf because that was forced."""
        for each in self._pending[node]:
            if each.is_here:
                self._acts[node] = {"path": each.forced.path, **each.forced.request.to_json()}
        self._leaves.add(node)
        self._pending[node] = [p for p in self._pending[node] if not p.is_here]
        if not self._pending[node]:
            del self._pending[node]

    def split_nodes(self) -> set[int]:
        """Return the nodes whose split was forced, and is made."""
        return {node for node, act in self._acts.items() if act["act"] == "split"}

    def acts(self, builder: TreeBuilder) -> list[dict[str, Any]]:
        """Return the record of what was forced, upper nodes first.

        A path that leads to no node is an error, if the steering is strict.
        """
        if self._steering.is_strict:
            for node, pending in self._pending.items():
                for each in pending:
                    raise self._no_node(builder, node, each)
        depth = builder.depth
        nodes = sorted(self._acts, key=lambda n: (depth(n), n))
        return [self._acts[n] | {"steps": self._steps(builder, n)} for n in nodes]

    def leaves(self) -> set[int]:
        """Return the nodes that were forced to be leaves."""
        return set(self._leaves)

    def _steps(self, builder: TreeBuilder, node: int) -> list[Step]:
        steps = []
        while node:
            parent, branch = builder.parent_of(node)
            split = builder.split(parent)
            assert split is not None
            steps.append(step_of(self._engine.schema[split.column], split, branch))
            node = parent
        return steps[::-1]

    def between(self, builder: TreeBuilder, node: int, split: Split) -> tuple[float, float]:
        """Return the values of a node's rows on both sides of a threshold."""
        c = split.column
        if split.cut is None:
            return math.nan, math.nan
        counts = next(iter(self._engine.tally(builder, [node], [c]))).columns[c]
        is_numeric = self._engine.schema[c].is_numeric
        values = self._engine.level_values(c)[counts.codes] if is_numeric else counts.codes
        above = int(np.searchsorted(values, split.cut, side="right"))
        low = float(values[above - 1]) if above else -math.inf
        high = float(values[above]) if above < len(values) else math.inf
        return low, high

    def _no_node(self, builder: TreeBuilder, node: int, lost: _Pending) -> ChoiceError:
        path, split = lost.forced.path, builder.split(node)
        if split is None:
            return ChoiceError(
                "force_path_leaf", path=path, place=_place(self._steps(builder, node))
            )
        field = self._engine.schema[split.column]
        known = branch_names(field, split)
        values = {"path": path, "column": field.name, "known": Names(known)}
        rest = readable(lost.rest) if isinstance(lost.rest, str) else ""
        near = closest_match(rest.split(",")[0], [name.replace(" ", "") for name in known])
        if near is None:
            return ChoiceError("force_path_unknown", **values)
        return ChoiceError("force_path_unknown_near", near=near, **values)


def _place(steps: Sequence[Step]) -> str:
    """Return the path to a node in messages."""
    words = [
        f"{s['column']} = {s['level']}" if "level" in s else f"{s['column']} {'≤>'[s['side']]} …"
        for s in steps
    ]
    return ", ".join(words) or Word("root")


def _next_branch(
    pending: _Pending, field: Field, split: Split, between: tuple[float, float]
) -> tuple[int, str | tuple[Step, ...]] | None:
    """Return the branch that a path takes, and its rest."""
    if isinstance(pending.rest, str):
        return match_branch(pending.rest, field, split, between)
    branch = branch_by_step(field, split, pending.rest[0])
    return None if branch is None else (branch, pending.rest[1:])
