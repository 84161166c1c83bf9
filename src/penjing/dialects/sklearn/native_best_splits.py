"""The best split of every column in some nodes, by scikit-learn's rules, searched in C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.data.table import Codes
from penjing.dialects.sklearn.dialect import (
    SplitScorer,
    far_apart,
    feature_order_of,
    sklearn_options,
    too_small_decrease,
)
from penjing.dialects.sklearn.feature_order import NEVER
from penjing.dialects.sklearn.finished_order import finished_order
from penjing.dialects.sklearn.options import SklearnOptions
from penjing.grow.constraints import core_limits, limits_of
from penjing.grow.engine import RowSource, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.tree.builder import TreeBuilder
from penjing.tree.counts import Classes
from penjing.tree.monotonic import NodeLimits
from penjing.tree.split import BestSplits

Bits = npt.NDArray[np.uint8]

_CLOSE: WeakKeyDictionary[RowSource, dict[tuple[str, float], list[Bits | None]]] = (
    WeakKeyDictionary()
)


def native_best_splits(
    source: RowSource, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
) -> BestSplits:
    """Return the best split of each column of each node."""
    options = sklearn_options(recipe)
    total_weight = _total_weight(source, tree, recipe)
    limits = limits_of(source, tree, nodes, recipe)
    arrays = _search(source, tree, nodes, recipe, limits)
    shape = len(nodes), len(source.schema)
    gain = arrays["gain"].reshape(shape)
    order = _column_orders(source, tree, nodes, recipe, arrays["is_constant"].reshape(shape))
    gain[order == NEVER] = np.nan
    if options.min_impurity_decrease > 0:
        for i, weight in enumerate(arrays["node_weight"].tolist()):
            if too_small_decrease(gain[i], weight, total_weight, options):
                gain[i] = np.nan
    return BestSplits(
        gain,
        np.full(shape, np.nan),
        arrays["impurity"].reshape(shape),
        arrays["cut"].reshape(shape),
        arrays["n_candidates"].reshape(shape),
        {},
        arrays["missing"].reshape(shape),
        arrays["worth"].reshape(shape),
        order,
        limits=limits,
    )


def _total_weight(source: RowSource, tree: TreeStructure, recipe: Recipe) -> float:
    """Return the weight of all rows, class weights included."""
    return float(SplitScorer(source.reader, recipe).weight(source.totals(tree, [0]).cells[0]))


def _search(
    source: RowSource,
    tree: TreeStructure,
    nodes: Sequence[int],
    recipe: Recipe,
    limits: Sequence[NodeLimits] | None = None,
) -> dict[str, Any]:
    """Return what C++ finds in each column of each node."""
    s, options = source.reader, sklearn_options(recipe)
    costs = s.costs if isinstance(s, Classes) else None
    least = options.min_weight_fraction_leaf * _total_weight(source, tree, recipe)
    classes, y = source.target_arrays
    return _core.best_splits_sklearn(
        source.core_columns,
        {
            "target": classes,
            "keys": [column[0] for column in source.core_columns],
            "orders": source.row_orders,
            "is_close": _close_values(source, options),
            "y": None if y is None or isinstance(s, Classes) else y - s.centre,
            "factor": None if costs is None else np.asarray(costs.factor, np.float64),
        },
        source.rows_for_core(tree, nodes),
        {
            "n_sums": s.size,
            "is_entropy": recipe.measure().name != "gini",
            "compare_as_float": options.precision == "single",
            "gap": float(options.gap),
            "min_samples_leaf": float(options.min_samples_leaf),
            "min_weight_leaf": least,
            "ties_by_rounding": not options.depth_first,
            "threads": source.n_threads,
            "limits": core_limits(limits, len(source.schema)),
        },
    )


def _column_orders(
    source: RowSource,
    tree: TreeStructure,
    nodes: Sequence[int],
    recipe: Recipe,
    is_constant: npt.NDArray[np.uint8],
) -> Codes:
    """Return the rank of each column in a tie; zeros for the order of the table."""
    order = np.zeros(is_constant.shape, np.int32)
    feature_order = feature_order_of(tree, len(source.schema), recipe)
    if feature_order is None:
        return order
    if isinstance(tree, TreeBuilder):
        for i, node in enumerate(nodes):
            constant = is_constant[i].astype(bool).tolist()
            order[i] = feature_order.ranks(node, tree.parent_of(node)[0], constant)
        return order

    def constant_columns(searched: Sequence[int]) -> list[list[bool]]:
        arrays = _search(source, tree, searched, recipe)
        flags = arrays["is_constant"].reshape(len(searched), len(source.schema))
        return [list(row) for row in flags.astype(bool).tolist()]

    return finished_order(source, tree, recipe, feature_order, constant_columns)[list(nodes)]


def _close_values(source: RowSource, options: SklearnOptions) -> list[Bits | None]:
    """Return which codes of each column lie within the gap of the next, as bits; None: none."""
    known = _CLOSE.setdefault(source, {})
    settings = options.precision, float(options.gap)
    if settings not in known:
        known[settings] = []
        for _, levels, n_levels, _ in source.core_columns:
            numbers = np.arange(float(n_levels)) if levels is None else levels
            is_close = np.append(~far_apart(numbers, options), False)[:n_levels]
            bits = np.packbits(is_close, bitorder="little")
            known[settings].append(bits if bits.any() else None)
    return known[settings]
