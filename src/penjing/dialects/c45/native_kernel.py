"""Grow trees by C4.5 and J48 in C++, where the C++ code supports the recipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penjing import _core
from penjing.dialects.c45.options import C45Options
from penjing.grow.engine import NativeEngine, RowSource
from penjing.grow.recipe import Recipe
from penjing.progress import ProgressCallback
from penjing.tree.counts import Classes, Reader, native_record
from penjing.tree.nodes import Nodes
from penjing.tree.tree_data import TreeData


def is_native(recipe: Recipe) -> bool:
    """Return whether C++ grows whole trees by a recipe, as far as memory is concerned."""
    options = recipe.options
    assert isinstance(options, C45Options)
    return recipe.max_leaves is None or options.sums == "exact"


def grow(
    engine: NativeEngine, recipe: Recipe, progress: ProgressCallback | None
) -> TreeData | None:
    """Return the tree before pruning; None if only the Python code supports the recipe.

    That is: groups of categories, costs. The tree equals that of the Python loop to the last bit.
    """
    options = recipe.options
    assert isinstance(options, C45Options)
    if not (is_searched(recipe, engine.reader) and is_native(recipe)):
        return None  # cases are ordered as C4.5 does it depth first
    table = engine.table
    arrays = _core.grow_c45(
        core_columns(engine, options.in_average(engine.schema, float(table.weights.sum()))),
        core_rows(engine),
        kernel_settings(engine, recipe, options)
        | {
            "cases": options.sums == "cases",
            "lean": engine.space is not None,  # not all columns fit memory: none is copied
            "progress": engine.progress_reporter(progress),
        },
    )
    return grown_tree(arrays, engine, recipe)


def is_searched(recipe: Recipe, s: Reader) -> bool:
    """Return whether C++ searches splits by a recipe: not groups of categories, not costs."""
    return (
        isinstance(s, Classes)
        and s.costs is None
        and recipe.shape == "multiway"
        and recipe.criterion in {"gain", "gain_ratio"}
    )


def kernel_settings(source: RowSource, recipe: Recipe, options: C45Options) -> dict[str, Any]:
    """Return the settings as the C++ code takes them."""
    return {
        "n_sums": source.reader.size,
        "max_leaves": -1 if recipe.max_leaves is None else recipe.max_leaves,
        "max_depth": -1 if recipe.max_depth is None else recipe.max_depth,
        "threads": source.n_threads,
        "progress": None,
        "fraction": recipe.missing == "fraction",
        "lean": True,
        "single": options.precision == "single",
        "single_numbers": options.precision == "single",
        "by_ratio": recipe.criterion == "gain_ratio",
        "cut_cost": options.cut_cost,
        "cut_at_value": options.cut_at == "value",
        "min_weight": float(recipe.min_weight),
        "min_branch": float(recipe.min_branch),
        "min_gain": float(recipe.min_gain),
        "tolerance": float(options.tolerance),
        "gap": float(options.gap),
        "side_share": float(options.side_share),
        "side_most": float(options.side_most),
        "cut_tolerance": float(options.cut_tolerance),
        "slack": float(options.slack),
        "start": -options.slack if options.zero_gain else 0.0,
        "tie": options.tie,
    }


def core_columns(source: RowSource, in_average: Sequence[bool]) -> list[Any]:
    """Return the columns, each with whether it counts for the average gain."""
    return [(*column, flag) for column, flag in zip(source.core_columns, in_average, strict=True)]


def core_rows(engine: NativeEngine) -> dict[str, Any]:
    """Return the classes and the weights of the rows."""
    weight = engine.table.weight
    return {
        "target": engine.target_arrays[0],
        "y": None,
        "weight": None if weight is None else np.ascontiguousarray(weight, np.float64),
    }


def grown_tree(arrays: dict[str, Any], engine: RowSource, recipe: Recipe) -> TreeData:
    """Return the tree that C++ has grown."""
    nodes = Nodes(
        arrays["parent"],
        arrays["column"],
        arrays["cut"],
        arrays["level_start"],
        arrays["level_codes"],
        arrays["total"].reshape(-1, engine.reader.size),
        arrays["gain"],
        arrays["score"],
    )
    about = native_record(arrays, arrays["score"])
    return TreeData(nodes, engine.schema, engine.target, recipe.settings(), 0.0, about)
