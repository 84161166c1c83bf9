"""Decides whether a model keeps its trace: small ones are kept, others computed when needed."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from penjing.data.table import Table
from penjing.errors import CapabilityError
from penjing.grow.candidate_records import CUTS, LEVELS
from penjing.grow.engine import Engine
from penjing.grow.recipe import Recipe
from penjing.grow.trace_steps import with_steps
from penjing.training.steered import finish_steered
from penjing.tree.builder import unit_totals
from penjing.tree.skeleton import skeleton_of
from penjing.tree.steps import Steps
from penjing.tree.tree_data import TreeData

AUTO = "auto"
"""Keep a trace that is small."""
MAX_BYTES = 200_000
"""The largest trace, in bytes of JSON, that a model keeps unless it is asked for."""
MAX_NODES = 4_000
"""Of a tree with more nodes before pruning, no trace is kept unless it is asked for."""
FREE_CELLS = 500_000
"""Counting this many cells (rows of a node times columns) is always quick enough."""
LEAF_BYTES, COLUMN_BYTES, NUMBER_BYTES = 60, 260, 22
"""Bytes of JSON that a leaf takes, a column of a node, and a number with all its digits."""

TraceMode = bool | Literal["auto"]


def finish_with_trace(
    tree: TreeData, engine: Engine, table: Table, recipe: Recipe, trace: TraceMode
) -> TreeData:
    """Return a grown tree after its program's last steps, with its trace if it is to be kept.

    Parameters
    ----------
    tree : TreeData
        The tree as it was grown.
    engine : Engine
        Counts the rows of the table.
    table : Table
        The training rows.
    recipe : Recipe
        The recipe that the tree was grown by.
    trace : bool or "auto"
        Whether to keep the trace; ``"auto"`` if it is small.
    """
    reason = recipe.options.untraceable(recipe.shape)
    if trace is True and reason is not None:
        raise CapabilityError(reason)
    is_large = tree.n_nodes > MAX_NODES
    if trace is False or (trace == AUTO and (reason is not None or is_large)):
        return finish_with_skeleton(tree, engine, recipe)
    has_unit_rows = table.weight is None and not table.is_regression
    totals = unit_totals(tree.nodes.total) if has_unit_rows else None
    traced = with_steps(tree, engine, recipe, totals)
    tree = finish_with_skeleton(traced, engine, recipe)
    if tree.kept_trace is None:  # a dialect that prunes may keep no steps
        return tree
    if trace == AUTO and not _is_small(tree, table):
        return replace(tree, kept_trace=None)
    if trace == AUTO:
        tree.kept_trace["steps"].as_list()
    return tree


def finish_with_skeleton(grown: TreeData, engine: Engine, recipe: Recipe) -> TreeData:
    """Return the finished tree, with the skeleton of the grown one if it was pruned."""
    finished = finish_steered(grown, engine, recipe)
    if finished.n_nodes >= grown.n_nodes:
        return finished
    return replace(finished, skeleton=skeleton_of(grown, finished))


def _is_small(tree: TreeData, table: Table) -> bool:
    """Whether the trace of a finished tree takes few bytes and little time.

    Nothing is computed or timed: the result depends on the tree and the table only.
    """
    steps: Steps = tree.kept_trace["steps"]
    searched = [entry.node for entry in steps.entries if not entry.is_stop]
    rows = tree.weight[searched]
    n_cells = table.n_rows * len(table.columns)
    if float(rows.sum()) * len(table.columns) > max(FREE_CELLS, n_cells):
        return False
    n_bytes: float = LEAF_BYTES * len(steps) + COLUMN_BYTES * len(searched) * len(table.columns)
    size = 3 if tree.is_regression else len(tree.classes)
    for column in table.columns:
        n_levels = np.minimum(len(column.levels), np.ceil(rows))
        if column.has_order:
            numbers = 2 * np.minimum(n_levels - 1, CUTS) + 3 * size / 2
        else:
            numbers = np.minimum(n_levels, LEVELS) / 2 * (size / 2 + 1)
        n_bytes += NUMBER_BYTES * float(np.maximum(numbers, 0).sum())
    return n_bytes <= MAX_BYTES
