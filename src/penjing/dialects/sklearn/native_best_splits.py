"""The best split of every column in some nodes, by scikit-learn's rules, searched in C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penjing import _core
from penjing.dialects.sklearn.dialect import (
    SplitScorer,
    feature_order_of,
    sklearn_options,
    too_small_decrease,
)
from penjing.dialects.sklearn.feature_order import NEVER
from penjing.grow.engine import RowSource, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.tree.counts import Classes
from penjing.tree.split import BestSplits


def native_best_splits(
    source: RowSource, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
) -> BestSplits:
    """Return the best split of each column of each node."""
    s, options = source.reader, sklearn_options(recipe)
    scorer = SplitScorer(s, recipe)
    total_weight = float(scorer.weight(source.totals(tree, [0]).cells[0]))
    costs = s.costs if isinstance(s, Classes) else None
    classes, y = source.target_arrays
    arrays: dict[str, Any] = _core.best_splits_sklearn(
        source.core_columns,
        {
            "target": classes,
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
            "min_weight_leaf": options.min_weight_fraction_leaf * total_weight,
            "ties_by_rounding": not options.depth_first,
            "threads": source.n_threads,
        },
    )
    shape = len(nodes), len(source.schema)
    gain = arrays["gain"].reshape(shape)
    order = np.zeros(shape, np.int32)
    feature_order = feature_order_of(tree, len(source.schema), recipe)
    is_constant = arrays["is_constant"].reshape(shape).astype(bool)
    for i, node in enumerate(nodes):
        if feature_order is not None:
            order[i] = feature_order.ranks(node, tree.parent_of(node)[0], is_constant[i].tolist())
            gain[i, order[i] == NEVER] = np.nan
        if too_small_decrease(gain[i], float(arrays["node_weight"][i]), total_weight, options):
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
    )
