"""Grow trees of the textbook in C++, where the C++ code supports the recipe."""

from __future__ import annotations

from typing import Any

import numpy as np

from penjing import _core
from penjing.criteria.criterion import Criterion, impurity_decrease, kernel_of
from penjing.criteria.entropy import entropy_bits
from penjing.data.lazy_column import LazyColumn
from penjing.data.table import Floats
from penjing.grow.constraints import core_constraints, has_constraints
from penjing.grow.engine import NativeEngine
from penjing.grow.recipe import Recipe
from penjing.progress import ProgressCallback
from penjing.tree.counts import Classes, Reader, native_record
from penjing.tree.nodes import LEAF, Nodes
from penjing.tree.tree_data import TreeData


def is_native(recipe: Recipe) -> bool:
    """Return whether C++ grows whole trees by a recipe.

    It does not for a criterion without a kernel, or a branch for missing values.
    """
    return _has_kernel(recipe, recipe.measure())


def _has_kernel(recipe: Recipe, criterion: Criterion) -> bool:
    return criterion.native is not None and recipe.missing != "branch"


def grow(
    engine: NativeEngine, recipe: Recipe, progress: ProgressCallback | None
) -> TreeData | None:
    """Grow a whole tree, or return None if the loop in Python has to."""
    reader, table, criterion = engine.reader, engine.table, recipe.measure()
    if not _has_kernel(recipe, criterion) or not table.n_rows:
        return None
    arrays: dict[str, Any] | None = None
    if engine.space is None and recipe.max_leaves is None and not has_constraints(recipe):
        arrays = _grow_native(engine, recipe, criterion, progress, unit_weights=True)
    uncoded = [column for column in table.columns if isinstance(column, LazyColumn)]
    if arrays is None:
        arrays = _grow_native(engine, recipe, criterion, progress, unit_weights=False)
        missing_counts = [] if arrays is None else arrays["n_missing"].tolist()
        for column, n_missing in zip(table.columns, missing_counts, strict=False):
            column.mark_finite(n_missing) if isinstance(column, LazyColumn) else None
        for column in uncoded:
            column.check_finite()
        recipe.refuse_missing(uncoded)
        assert arrays is not None
    for column in uncoded:
        column.mark_finite() if not arrays["after"].size else None
    nodes = tree_arrays(arrays, criterion, reader)
    centre = 0.0 if isinstance(reader, Classes) else reader.centre
    about = native_record(arrays, nodes.score)
    assert table.target is not None
    return TreeData(nodes, engine.schema, table.target.field, recipe.settings(), centre, about)


def _grow_native(
    engine: NativeEngine,
    recipe: Recipe,
    criterion: Criterion,
    progress: ProgressCallback | None,
    *,
    unit_weights: bool,
) -> dict[str, Any] | None:
    """Return the arrays of a tree that C++ has grown.

    None if ``unit_weights`` was requested and rows cannot be counted as ones (they have
    weights, a numeric target or missing values), or if a number is infinite.
    """
    s, table = engine.reader, engine.table
    assert table.target is not None
    classes, numbers = engine.target_arrays
    weight = None if table.weight is None else np.ascontiguousarray(table.weight, np.float64)
    arrays: dict[str, Any] | None = _core.grow(
        engine.kernel_columns(),
        {"target": classes, "y": numbers, "weight": weight},
        {
            "measure": kernel_of(criterion),
            "n_sums": s.size,
            "centre": 0.0 if isinstance(s, Classes) else s.centre,
            "multiway": recipe.shape == "multiway",
            "fraction": engine.missing == "fraction",
            "max_depth": -1 if recipe.max_depth is None else recipe.max_depth,
            "max_leaves": -1 if recipe.max_leaves is None else recipe.max_leaves,
            "min_weight": float(recipe.min_weight),
            "min_branch": float(recipe.min_branch),
            "min_gain": float(recipe.min_gain),
            "threads": engine.n_threads,
            "by_count": unit_weights,
            "whole": recipe.missing == "refuse",
            "progress": engine.progress_reporter(progress),
            "constraints": core_constraints(recipe, engine, s),
            **engine.kernel_settings,
        },
    )
    return arrays


def tree_arrays(arrays: dict[str, Any], criterion: Criterion, s: Reader) -> Nodes:
    """Return the nodes, with gains and scores by the formulas of the criterion."""
    parent, column = arrays["parent"], arrays["column"]
    total = arrays["total"].reshape(-1, s.size)
    if arrays["gain"].size:
        gain, score = arrays["gain"], arrays["gain"].copy()
    else:
        gain, score = _gains(arrays, criterion, s, total)
    gap = arrays["gap"].reshape(-1, 2) if arrays["has_gap"] else None
    flat = arrays["level_start"], arrays["level_codes"]
    return Nodes(parent, column, arrays["cut"], *flat, total, gain, score, gap)


def _gains(
    arrays: dict[str, Any], criterion: Criterion, s: Reader, total: Floats
) -> tuple[Floats, Floats]:
    """Return gain and score of every split; nodes with equally many branches at once."""
    n = len(total)
    gain, information = np.zeros(n), np.ones(n)
    inner = np.flatnonzero(arrays["column"] != LEAF)
    counts = np.bincount(arrays["parent"][1:], minlength=n)[inner]
    first = np.searchsorted(arrays["parent"], inner)
    is_complete = not arrays["after"].size  # nothing was missing: the children's sums are complete
    after = total if is_complete else arrays["after"].reshape(n, s.size)
    known = total if is_complete else arrays["known"].reshape(n, s.size)
    by_ratio = kernel_of(criterion) == "gain_ratio"
    # Every node is a branch of one split only, so each impurity is computed once.
    weight = s.weight(after)
    impurity = criterion.impurity(after, s)
    impurity_before = impurity if is_complete else criterion.impurity(known, s)
    known_weight = weight if is_complete else s.weight(known)
    for n_branches in np.flatnonzero(np.bincount(counts)).tolist():
        has_n_branches = counts == n_branches
        parents = inner[has_n_branches]
        parts = first[has_n_branches][:, None] + np.arange(n_branches)
        gain[parents] = impurity_decrease(
            impurity_before[parents], known_weight[parents], impurity[parts], weight[parts]
        )
        if by_ratio:
            information[parents] = entropy_bits(weight[parts])
    if not is_complete:
        with_value = known_weight[inner]
        gain[inner] *= with_value / (
            with_value + s.weight(arrays["missing"].reshape(n, s.size)[inner])
        )
    if not by_ratio:
        return gain, gain.copy()
    return gain, np.where(gain > 0, gain / information, 0.0)
