"""Grow trees as scikit-learn does in C++, where the C++ code supports the recipe."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter
from typing import Any

import numpy as np

from penjing import _core
from penjing.data.lazy_column import LazyColumn
from penjing.data.table import Codes, Column, Floats, Table
from penjing.dialects.sklearn.options import SklearnOptions
from penjing.grow.constraints import core_constraints
from penjing.grow.engine import NativeEngine
from penjing.grow.recipe import Recipe
from penjing.progress import ProgressCallback
from penjing.tree.counts import Classes, Reader, native_record
from penjing.tree.nodes import LEAF, Nodes
from penjing.tree.tree_data import TreeData

_CRITERIA = {"gini", "gain", "variance"}


def is_native(recipe: Recipe) -> bool:  # noqa: ARG001 - the protocol's
    """Return whether C++ grows whole trees by a recipe, as far as memory is concerned."""
    return True


def grow(
    engine: NativeEngine, recipe: Recipe, progress: ProgressCallback | None
) -> TreeData | None:
    """Return the tree before pruning; None if only the Python code supports the recipe.

    That is: rows or classes of weight 0 or less, or a criterion of a plug-in.
    """
    table, s, threads = engine.table, engine.reader, engine.n_threads
    options, weight = recipe.options, table.weight
    assert isinstance(options, SklearnOptions)
    factor = None
    if isinstance(s, Classes) and s.costs is not None:
        factor = np.asarray(s.costs.factor, np.float64)
    has_criterion = recipe.criterion in _CRITERIA and (
        recipe.criterion == "variance"
    ) != isinstance(s, Classes)
    has_weight = all(w is None or bool((w > 0).all()) for w in (weight, factor))
    if not (has_criterion and has_weight and table.n_rows and table.columns):
        return None
    assert table.target is not None
    _encode_columns(table, threads)
    start = options.start
    arrays: dict[str, Any] = _core.grow_sklearn(
        [_core_column(column) for column in table.columns],
        {
            "target": np.ascontiguousarray(table.target.codes, np.int32),
            "y": None if isinstance(s, Classes) else table.target.numbers() - s.centre,
            "weight": None if weight is None else np.ascontiguousarray(weight, np.float64),
            "factor": factor,
        },
        {
            "n_sums": s.size,
            "by_bits": recipe.criterion == "gain",
            "single": options.precision == "single",
            "gap": float(options.gap),
            "min_samples_split": float(options.min_samples_split),
            "min_samples_leaf": float(options.min_samples_leaf),
            "min_weight_share": float(options.min_weight_fraction_leaf),
            "min_decrease": float(options.min_impurity_decrease),
            "min_gain": float(recipe.min_gain),
            "max_depth": -1 if recipe.max_depth is None else recipe.max_depth,
            "max_leaves": -1 if recipe.max_leaves is None else recipe.max_leaves,
            "state": -1 if start is None else start,
            "n_looked_at": options.n_looked_at(len(table.columns)),
            "threads": threads,
            "progress": engine.progress_reporter(progress),
            "constraints": core_constraints(recipe, engine, s),
        },
    )
    return _tree(arrays, table, s, recipe)


def _encode_columns(table: Table, threads: int) -> None:
    """Encode the columns that are not encoded yet, in parallel."""
    unencoded = [column for column in table.columns if isinstance(column, LazyColumn)]
    if threads > 1 and len(unencoded) > 1:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(attrgetter("codes"), unencoded))


def _core_column(column: Column) -> tuple[Codes, Floats, int, bool]:
    levels = column.levels if column.is_numeric else np.arange(len(column.levels))
    codes = np.ascontiguousarray(column.codes, np.int32)
    return codes, np.ascontiguousarray(levels, np.float64), len(levels), True


def _tree(arrays: dict[str, Any], table: Table, s: Reader, recipe: Recipe) -> TreeData:
    gain = arrays["gain"]
    gap = arrays["gap"].reshape(-1, 2)
    gap[~np.array([column.is_numeric for column in table.columns])[arrays["column"]]] = np.nan
    nodes = Nodes(
        arrays["parent"],
        arrays["column"],
        arrays["cut"],
        arrays["level_start"],
        arrays["level_codes"],
        arrays["total"].reshape(-1, s.size),
        gain,
        gain.copy(),
        gap,
        missing=arrays["missing_branch"] if arrays["column"][0] != LEAF else None,
    )
    assert table.target is not None
    about = native_record(arrays, gain)
    centre = 0.0 if isinstance(s, Classes) else s.centre
    return TreeData(nodes, table.schema, table.target.field, recipe.settings(), centre, about)
