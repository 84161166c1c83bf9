"""Grow trees as rpart does in C++, with surrogates, where the C++ code supports the recipe."""

from __future__ import annotations

from typing import Any

import numpy as np

from penjing import _core
from penjing.data.scratch import ScratchFolder
from penjing.data.table import Codes, Column, Floats, Table
from penjing.dialects.rpart.options import RpartOptions
from penjing.dialects.rpart.sorted_rows import sorted_rows
from penjing.grow.constraints import core_constraints
from penjing.grow.engine import NativeEngine
from penjing.grow.recipe import Recipe
from penjing.progress import NativeProgressCallback, ProgressCallback
from penjing.tree.counts import Classes, Reader, native_record
from penjing.tree.nodes import Nodes
from penjing.tree.split import Surrogate
from penjing.tree.tree_data import TreeData

MOST_LEVELS = 26
"""With more than two classes, columns of more categories than this are left to Python."""
ROWS = 2**31
"""Row numbers must fit in 31 bits; the last bit of 32 is a flag."""


def is_native(recipe: Recipe) -> bool:  # noqa: ARG001 - the protocol's
    """Return whether C++ grows whole trees by a recipe, as far as memory is concerned."""
    return True


def grow(
    engine: NativeEngine, recipe: Recipe, progress: ProgressCallback | None
) -> TreeData | None:
    """Return the tree before pruning; None if only the Python code supports the recipe.

    Arrays as large as a column are kept in files if the engine has a space for them.
    """
    table, s, tell = engine.table, engine.reader, engine.progress_reporter(progress)
    request = kernel_request(table, s, recipe, engine.n_threads, space=engine.space, tell=tell)
    if request is None:
        return None
    return _tree(_core.grow_rpart(*request), table, s, recipe)


CoreColumn = tuple[Codes, Floats | None, int, bool]
"""Codes, their numbers if they are ordered, how many there are, whether they are ordered."""
KernelRequest = tuple[list[CoreColumn], dict[str, Any], dict[str, object]]
"""The arguments of the kernel: columns, arrays of the rows, settings."""


def kernel_request(
    table: Table,
    s: Reader,
    recipe: Recipe,
    threads: int,
    *,
    space: ScratchFolder | None = None,
    tell: NativeProgressCallback | None = None,
) -> KernelRequest | None:
    """Return the arguments of the kernel; None if only the Python code supports the recipe.

    That is: rows or classes of weight 0, fractional cases; with more than two
    classes, categorical columns of many categories or of weighted rows; and numbers of weighted
    rows that are to be added row by row.
    """
    options = recipe.options
    assert isinstance(options, RpartOptions)
    assert table.target is not None
    has_policy = recipe.missing in ("surrogate", "refuse")
    has_criterion = recipe.criterion in ("gini", "gain", "variance")
    fits_target = (recipe.criterion == "variance") != isinstance(s, Classes)
    if not (
        has_policy and has_criterion and fits_target and 0 < table.n_rows < ROWS and table.columns
    ):
        return None
    weight = table.weight
    if weight is not None and not bool((weight > 0).all()):
        return None
    if weight is not None and options.sums == "cases" and table.is_regression:
        return None  # agreements of surrogates would be added in another order
    counts = np.bincount(table.target.codes, weight, s.size) if isinstance(s, Classes) else None
    n_seen = 0 if counts is None else int(np.flatnonzero(counts)[-1]) + 1
    if isinstance(s, Classes) and s.costs is not None:
        n_seen = s.costs.n_seen or n_seen  # of the whole table, for the rows of a node
    altered, alike = _altered(s, options, n_seen)
    if (
        altered is not None
        and counts is not None
        and bool(((altered <= 0) & (counts[:n_seen] > 0)).any())
    ):
        return None
    if n_seen > 2 and any(
        not c.has_order and (len(c.levels) > MOST_LEVELS or weight is not None)
        for c in table.columns
    ):
        return None
    costs = s.costs if isinstance(s, Classes) else None
    return (
        [_core_column(column) for column in table.columns],
        {
            "target": np.ascontiguousarray(table.target.codes, np.int32),
            **_cases(table, options, space),
            "lists": [] if space is None else _lists(table, space),
            "y": None if isinstance(s, Classes) else table.target.numbers() - s.centre,
            "weight": None if weight is None else np.ascontiguousarray(weight, np.float64),
            "altered": altered,
            "means": None if costs is None else np.asarray(costs.altered, np.float64),
            "factor": None if costs is None else np.asarray(costs.factor, np.float64),
            "loss": None if costs is None else np.asarray(costs.loss, np.float64).ravel(),
            "cost": None if options.cost is None else np.asarray(options.cost, np.float64),
        },
        {
            "n_sums": s.size,
            "n_seen": n_seen,
            "by_bits": recipe.criterion == "gain",
            "centre": 0.0 if isinstance(s, Classes) else s.centre,
            "alike": alike,
            "alpha": -1.0 if options.alpha is None else float(options.alpha),
            "cp": float(options.cp),
            "min_gain": float(recipe.min_gain),
            "max_depth": -1 if recipe.max_depth is None else recipe.max_depth,
            "max_leaves": -1 if recipe.max_leaves is None else recipe.max_leaves,
            "min_split": min(options.minsplit, ROWS),
            "least": min(options.least, ROWS),
            "max_surrogates": options.maxsurrogate if recipe.missing == "surrogate" else 0,
            "use_surrogates": options.usesurrogate,
            "surrogate_style": options.surrogatestyle,
            "threads": threads,
            "progress": tell,
            "constraints": core_constraints(recipe, table, s),
        },
    )


def _lists(table: Table, space: ScratchFolder) -> list[Any]:
    """Return arrays in files for the sorted rows of each column that has an order."""
    return [
        space.array(f"list{c}", np.uint32, table.n_rows, "w+") if column.has_order else None
        for c, column in enumerate(table.columns)
    ]


def _cases(table: Table, options: RpartOptions, space: ScratchFolder | None) -> dict[str, Any]:
    """Return the target and the order in which rpart adds its rows, if sums are by cases."""
    assert table.target is not None
    if options.sums == "exact" or not table.is_regression:
        return {"cases": None, "sorted": []}
    numbers = np.ascontiguousarray(table.target.numbers(), np.float64)
    orders = []
    for c, column in enumerate(table.columns):
        rows = sorted_rows(column)
        if rows is not None and space is not None:
            stored = space.array(f"sorted{c}", np.int32, len(rows), "w+")
            stored[:] = rows
            rows = stored
        orders.append(rows)
    return {"cases": numbers, "sorted": orders}


def _altered(s: Reader, options: RpartOptions, n_seen: int) -> tuple[Floats | None, float]:
    """Return the altered priors of the classes, and the one that all share."""
    if not isinstance(s, Classes) or s.costs is None:
        return None, 1.0
    altered = np.asarray(s.costs.altered, np.float64)[:n_seen]
    present = np.unique(altered[altered > 0])
    alike = float(present[0]) if len(present) == 1 else 1.0
    return (altered.copy() if options.has_costs or alike != 1.0 else None), alike


def _core_column(column: Column) -> CoreColumn:
    codes, n_levels = np.ascontiguousarray(column.codes, np.int32), len(column.levels)
    if not column.has_order:
        return codes, None, n_levels, False
    numbers = column.levels if column.is_numeric else np.arange(n_levels)
    return codes, np.ascontiguousarray(numbers, np.float64), n_levels, True


def _tree(arrays: dict[str, Any], table: Table, s: Reader, recipe: Recipe) -> TreeData:
    options = recipe.options
    assert isinstance(options, RpartOptions)
    surrogates: dict[int, tuple[Surrogate, ...]] = {}
    for node, column, cut, below, agreement, adjusted, *groups in arrays["surrogates"]:
        by_cut = not np.isnan(cut)
        one = Surrogate(
            column,
            cut if by_cut else None,
            below,
            () if by_cut else tuple(groups),
            agreement,
            adjusted,
            is_used=options.usesurrogate > 0,
        )
        surrogates[node] = (*surrogates.get(node, ()), one)
    nodes = Nodes(
        arrays["parent"],
        arrays["column"],
        arrays["cut"],
        arrays["level_start"],
        arrays["level_codes"],
        arrays["total"].reshape(-1, s.size),
        arrays["gain"],
        arrays["score"],
        missing=arrays["missing_branch"] if bool((arrays["missing_branch"] >= 0).any()) else None,
        surrogates=surrogates,
    )
    assert table.target is not None
    centre = 0.0 if isinstance(s, Classes) else s.centre
    about = native_record(arrays, arrays["score"])
    return TreeData(nodes, table.schema, table.target.field, recipe.settings(), centre, about)
