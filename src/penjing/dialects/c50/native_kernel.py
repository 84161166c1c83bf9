"""Grow trees by C5.0 in C++, and search the best split of every column in some nodes."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, nan
from typing import Any

from penjing import _core
from penjing.dialects.c45.native_best_splits import core_splits
from penjing.dialects.c45.native_kernel import (
    core_columns,
    core_rows,
    grown_tree,
    is_searched,
    kernel_settings,
)
from penjing.dialects.c50.dialect import screened_splits
from penjing.dialects.c50.options import C50Options
from penjing.grow.engine import NativeEngine, RowSource, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.progress import ProgressCallback
from penjing.tree.builder import TreeBuilder
from penjing.tree.split import BestSplits, Split
from penjing.tree.tree_data import TreeData


def grow(
    engine: NativeEngine, recipe: Recipe, progress: ProgressCallback | None
) -> TreeData | None:
    """Return the tree before pruning; None if only the Python code supports the recipe."""
    if not is_searched(recipe, engine.reader):
        return None
    total = float(engine.totals(TreeBuilder(engine.reader), [0]).cells[0].sum())
    options = recipe.options
    assert isinstance(options, C50Options)
    arrays = _core.grow_c50(
        core_columns(engine, options.in_average(engine.schema, total)),
        core_rows(engine),
        _settings(engine, recipe, total)
        | {
            "lean": engine.space is not None,  # not all columns fit memory: none is copied
            "progress": engine.progress_reporter(progress),
        },
    )
    return grown_tree(arrays, engine, recipe)


def native_best_splits(
    source: RowSource, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
) -> BestSplits | None:
    """Return the best split of each column of each node."""
    if not is_searched(recipe, source.reader):
        return None
    total = tree.weight_of(0)
    options = recipe.options
    assert isinstance(options, C50Options)
    arrays = _core.best_splits_c50(
        core_columns(source, options.in_average(source.schema, total)),
        {"target": source.target_arrays[0], "y": None, "weight": None},
        _settings(source, recipe, total),
        source.rows_for_core(tree, nodes),
    )
    shape = len(nodes), len(source.schema)
    weights = source.totals(tree, nodes).cells.sum(axis=1)
    cost = arrays["cost"].reshape(shape)
    return screened_splits(source, recipe, total, weights, core_splits(arrays, shape), cost)


MIN_CELLS = 100_000
"""Subtrees of fewer cells (rows x columns) are grown again by one thread."""


def native_regrow(  # noqa: PLR0917 - the engine's arguments
    source: RowSource,
    tree: TreeStructure,
    node: int,
    split: Split,
    recipe: Recipe,
    total: float,
) -> TreeData | None:
    """Return the tree that grows from a node whose split is given, and the weight of the table.

    A categorical column has a branch for each category of the rows. Neither ``max_leaves`` nor
    ``min_gain`` limits the tree.
    """
    if not is_searched(recipe, source.reader):
        return None
    options = recipe.options
    assert isinstance(options, C50Options)
    depth, at = 0, node
    while at:
        at, depth = tree.parent_of(at)[0], depth + 1
    rows = source.rows_for_core(tree, [node])[0]
    limits: dict[str, Any] = {"max_leaves": -1, "min_gain": 0.0}
    if len(rows[0]) * len(source.schema) < MIN_CELLS:
        limits["threads"] = 1
    low = -1 if split.cut is None else _last_code_below(source, split.column, split.cut)
    arrays = _core.regrow_c50(
        core_columns(source, options.in_average(source.schema, total)),
        {"target": source.target_arrays[0], "y": None, "weight": None},
        _settings(source, recipe, total) | limits,
        {
            "rows": rows,
            "depth": depth,
            "column": split.column,
            "cut": nan if split.cut is None else split.cut,
            "low": low,
        },
    )
    return grown_tree(arrays, source, recipe)


def _last_code_below(source: RowSource, column: int, cut: float) -> int:
    """Return the last code of an ordered column that is not above a threshold."""
    _, levels, n_levels, _ = source.core_columns[column]
    if levels is None:
        return int(min(floor(cut), n_levels))
    return int(levels.searchsorted(cut, side="right")) - 1


def _settings(source: RowSource, recipe: Recipe, total_weight: float) -> dict[str, Any]:
    options = recipe.options
    assert isinstance(options, C50Options)
    return kernel_settings(source, recipe, options) | {
        "single_numbers": options.numbers == "single",
        "gap_cost": options.gap_cost,
        "least_gain": float(options.least_gain),
        "screen_share": float(options.screen_share),
        "screen_few": float(options.screen_few),
        "screen_many": float(options.screen_many),
        "near_ties": float(options.near_ties),
        "pure_share": float(options.pure_share),
        "per_class": total_weight / max(source.reader.size, 1),
    }
