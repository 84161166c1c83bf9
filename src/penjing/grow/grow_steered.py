"""Grows a steered tree by an engine that grows whole trees: only forced nodes are made here.

Below a forced split every branch grows by itself from its rows, as it would in that place. Above
one, and beside it, the tree is what the engine grows. The result is the tree of the loop with the
same steering.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from penjing.grow.engine import Engine
from penjing.grow.grow_below import grow_below
from penjing.grow.growth_record import GrowthRecord
from penjing.grow.pre_pruned import can_pre_prune
from penjing.grow.recipe import Recipe
from penjing.grow.search import Choice
from penjing.grow.steering import ForcedNodes, Steering
from penjing.grow.surrogates import add_missing_routes
from penjing.progress import ProgressCallback
from penjing.tree.builder import TreeBuilder
from penjing.tree.graft import Part, graft
from penjing.tree.tree_data import TreeData


@dataclass(frozen=True, slots=True)
class _OpenNode:
    """A node of the upper part, and the subtree that the recipe grows there, if it is known."""

    node: int
    own: Part | None


def grow_steered(
    engine: Engine, recipe: Recipe, steering: Steering, progress: ProgressCallback | None = None
) -> TreeData | None:
    """Return the tree before its program's last steps; None if the loop has to grow it.

    The loop has to where nodes depend on each other: with a limit on leaves, a random order of
    columns, or a branch for missing values.

    Parameters
    ----------
    engine : Engine
        Counts the training rows.
    recipe : Recipe
        The recipe, adapted to the table.
    steering : Steering
        What is forced. Forbidden columns must be masked in the engine's table.
    progress : function, optional
        Called with a `Progress` from time to time.
    """
    if not can_pre_prune(recipe):
        return None
    forced = ForcedNodes(engine, recipe, steering)
    record = GrowthRecord(forced)
    builder = TreeBuilder(engine.reader)
    builder.set_totals([0], engine.totals(builder, [0]))
    parts: dict[int, Part] = {}
    open_nodes = [_OpenNode(0, None)]
    for at in open_nodes:  # the list grows during the loop
        choice, own = _choice(engine, recipe, builder, forced, at, progress)
        if choice is None:
            if own is not None:
                parts[at.node] = own
            continue
        assert choice.split is not None
        record.record_choices([at.node], [choice], recipe)
        children = list(builder.add_children(at.node, choice.split))
        builder.set_totals(children, engine.totals(builder, children))
        forced.split_made(builder, at.node)
        below = [None] * len(children) if own is None else list(own.tree.children(own.top))
        open_nodes += [
            _OpenNode(child, None if own is None or top is None else Part(own.tree, top))
            for child, top in zip(children, below, strict=True)
        ]
    top = record.finish(builder, engine, recipe)
    numbers = _numbers(builder)
    if all(part.tree.nodes.gap is not None for part in parts.values()):
        top = _with_gaps(top, builder, forced, numbers)
    return graft(top, {numbers[node]: part for node, part in parts.items()}).tree


def _choice(  # noqa: PLR0917 - the state of growing
    engine: Engine,
    recipe: Recipe,
    builder: TreeBuilder,
    forced: ForcedNodes,
    at: _OpenNode,
    progress: ProgressCallback | None,
) -> tuple[Choice | None, Part | None]:
    """Return the split of a node that is made here, and the subtree that grows there by itself.

    Without a split the subtree takes the place of the node; without both the node is a leaf.
    """
    node = at.node
    if forced.is_leaf(node):
        forced.stops(node, None)
        return None, None
    if forced.is_split(node):
        best_splits = engine.best_splits(builder, [node], recipe)
        choice = forced.choice(builder, node, best_splits)
        if choice is not None:
            return add_missing_routes(engine, builder, [node], [choice], recipe)[0], None
    own = at.own
    if own is None:
        if not builder.weight_of(node) > 0:
            return None, None
        own = Part(grow_below(engine, builder, node, recipe, progress))
    if not forced.has_any(node):
        return None, own
    split = own.tree.split(own.top)
    tied = (tie["columns"] for tie in own.tree.about["ties"] if tie["node"] == own.top)
    return (None, own) if split is None else (Choice(split, tuple(next(tied, ()))), own)


def _with_gaps(
    tree: TreeData, builder: TreeBuilder, forced: ForcedNodes, numbers: dict[int, int]
) -> TreeData:
    """Return the upper part with the values on both sides of its thresholds."""
    gap = np.full((tree.n_nodes, 2), np.nan)
    for node, number in numbers.items():
        split = builder.split(node)
        if split is not None and split.cut is not None and tree.schema[split.column].is_numeric:
            between = forced.between(builder, node, split)
            gap[number] = between if np.isfinite(between).all() else np.nan
    return replace(tree, nodes=replace(tree.nodes, gap=gap))


def _numbers(builder: TreeBuilder) -> dict[int, int]:
    """Return the number of each node in the finished tree."""
    order = [0]
    for node in order:  # the list grows during the loop: breadth first
        order.extend(builder.children(node))
    return {old: new for new, old in enumerate(order)}
