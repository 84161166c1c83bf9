"""Grow trees by C4.5 and J48 in C++, where the C++ code supports the recipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penjing import _core
from penjing.data.table import Table
from penjing.dialects.c45.options import C45Options
from penjing.grow.engine import NativeEngine
from penjing.grow.recipe import Recipe
from penjing.progress import ProgressCallback
from penjing.tree.counts import Classes, Reader, ties_of
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
    table, s = engine.table, engine.reader
    options = recipe.options
    is_supported = isinstance(options, C45Options) and isinstance(s, Classes) and s.costs is None
    if not is_supported or recipe.shape != "multiway":
        return None
    assert isinstance(options, C45Options)
    if not is_native(recipe):
        return None  # cases are ordered as C4.5 does it depth first
    if recipe.criterion not in ("gain", "gain_ratio"):
        return None
    assert table.target is not None
    in_average = options.in_average(table.columns, float(table.weights.sum()))
    arrays: dict[str, Any] = _core.grow_c45(
        _core_columns(table, in_average),
        {
            "target": np.ascontiguousarray(table.target.codes, np.int32),
            "y": None,
            "weight": None
            if table.weight is None
            else np.ascontiguousarray(table.weight, np.float64),
        },
        {
            "n_sums": s.size,
            "max_leaves": -1 if recipe.max_leaves is None else recipe.max_leaves,
            "max_depth": -1 if recipe.max_depth is None else recipe.max_depth,
            "threads": engine.n_threads,
            "progress": engine.progress_reporter(progress),
            "fraction": recipe.missing == "fraction",
            "lean": engine.space is not None,  # not all columns fit memory: none is copied
            "single": options.precision == "single",
            "cases": options.sums == "cases",
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
        },
    )
    return _tree(arrays, table, s, recipe)


def _core_columns(table: Table, in_average: Sequence[bool]) -> list[Any]:
    """Return the columns as the C++ code takes them."""
    return [
        (
            np.ascontiguousarray(column.codes, np.int32),
            np.ascontiguousarray(column.levels, np.float64) if column.is_numeric else None,
            len(column.levels),
            column.has_order,
            counts_for_average,
        )
        for column, counts_for_average in zip(table.columns, in_average, strict=True)
    ]


def _tree(arrays: dict[str, Any], table: Table, s: Reader, recipe: Recipe) -> TreeData:
    nodes = Nodes(
        arrays["parent"],
        arrays["column"],
        arrays["cut"],
        arrays["level_start"],
        arrays["level_codes"],
        arrays["total"].reshape(-1, s.size),
        arrays["gain"],
        arrays["score"],
    )
    assert table.target is not None
    about = {"n_ties": arrays["n_ties"], "ties": ties_of(arrays, arrays["score"])}
    return TreeData(nodes, table.schema, table.target.field, recipe.settings(), 0.0, about)
