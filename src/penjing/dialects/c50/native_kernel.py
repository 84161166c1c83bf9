"""Grow trees by C5.0 in C++, and search the best split of every column in some nodes."""

from __future__ import annotations

from collections.abc import Sequence
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
from penjing.tree.split import BestSplits
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
