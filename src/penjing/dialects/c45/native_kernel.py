"""Trees by the rules of C4.5 and J48, grown whole in C++ where that can be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penjing import _core
from penjing.data.table import Table
from penjing.dialects.c45.options import C45Options
from penjing.grow.recipe import Recipe
from penjing.progress import NativeProgressCallback
from penjing.tree.counts import Classes, Reader, ties_of
from penjing.tree.nodes import LEAF, Nodes
from penjing.tree.tree_data import TreeData


def grown(
    table: Table,
    s: Reader,
    recipe: Recipe,
    threads: int,
    *,
    lean: bool = False,
    tell: NativeProgressCallback | None = None,
) -> TreeData | None:
    """Return the tree as the rules grow it, not yet pruned; None where Python has to.

    That is: groups of levels, a limit on leaves, costs. The tree is that of the readable loop, to
    the last bit. ``lean``: no column is copied, since memory does not hold them all.
    """
    options = recipe.options
    able = isinstance(options, C45Options) and isinstance(s, Classes) and s.costs is None
    if not able or recipe.shape != "multiway" or recipe.max_leaves is not None:
        return None
    assert isinstance(options, C45Options)
    if recipe.criterion not in ("gain", "gain_ratio"):
        return None
    assert table.target is not None
    counted = options.in_average(table.columns, float(table.weights.sum()))
    told: dict[str, Any] = _core.grow_quinlan(
        _told(table, counted),
        np.ascontiguousarray(table.target.codes, np.int32),
        None if table.weight is None else np.ascontiguousarray(table.weight, np.float64),
        {
            "n_sums": s.size,
            "max_depth": -1 if recipe.max_depth is None else recipe.max_depth,
            "threads": threads,
            "progress": tell,
            "fraction": recipe.missing == "fraction",
            "lean": lean,
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
    return _tree(told, table, s, recipe)


def pruned(
    table: Table, s: Reader, tree: TreeData, how: Mapping[str, object], missing: str
) -> dict[str, Any] | None:
    """Return what error-based pruning makes of a tree and each decision; None where Python has to.

    That is: groups of levels, costs, sums that are not the rows' own.
    """
    is_plain = isinstance(s, Classes) and s.costs is None and table.target is not None
    if not is_plain or tree.recipe.get("shape") != "multiway" or tree.schema != table.schema:
        return None
    assert table.target is not None
    nodes = tree.nodes
    return _core.prune_quinlan(
        _told(table, [True] * len(table.columns)),
        np.ascontiguousarray(table.target.codes, np.int32),
        None if table.weight is None else np.ascontiguousarray(table.weight, np.float64),
        {
            "parent": np.ascontiguousarray(nodes.parent, np.int32),
            "column": np.ascontiguousarray(nodes.column, np.int32),
            "cut": np.ascontiguousarray(nodes.cut, np.float64),
            "level_start": np.ascontiguousarray(nodes.level_start, np.int64),
            "level_codes": np.ascontiguousarray(nodes.level_codes, np.int32),
            "total": np.ascontiguousarray(nodes.total, np.float64).ravel(),
            "label": np.ascontiguousarray(tree.values, np.int32),
        },
        dict(how) | {"n_sums": s.size, "fraction": missing == "fraction"},
    )


def _told(table: Table, counted: Sequence[bool]) -> list[Any]:
    return [
        (
            np.ascontiguousarray(column.codes, np.int32),
            np.ascontiguousarray(column.levels, np.float64) if column.is_numeric else None,
            len(column.levels),
            column.has_order,
            counts,
        )
        for column, counts in zip(table.columns, counted, strict=True)
    ]


def _tree(told: dict[str, Any], table: Table, s: Reader, recipe: Recipe) -> TreeData:
    worth = told["worth"].reshape(-1, s.size)
    asks = told["column"] != LEAF
    gain = np.where(asks, worth[:, 0], 0.0)
    score = np.where(asks, worth[:, min(1, s.size - 1)], 0.0)
    nodes = Nodes(
        told["parent"],
        told["column"],
        told["cut"],
        told["level_start"],
        told["level_codes"],
        told["total"].reshape(-1, s.size),
        gain,
        score,
    )
    assert table.target is not None
    about = {"n_ties": told["n_ties"], "ties": ties_of(told, score)}
    return TreeData(nodes, table.schema, table.target.field, recipe.settings(), 0.0, about)
