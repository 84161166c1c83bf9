"""The best split of every column in some nodes, by the rules of C4.5 and J48, searched in C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penjing import _core
from penjing.dialects.c45.native_kernel import core_columns, is_searched, kernel_settings
from penjing.dialects.c45.options import C45Options
from penjing.grow.engine import RowSource, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.tree.split import BestSplits, groups_from_core


def native_best_splits(
    source: RowSource, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
) -> BestSplits | None:
    """Return the best split of each column of each node; None for groups of categories."""
    options = recipe.options
    assert isinstance(options, C45Options)
    if not is_searched(recipe, source.reader) or options.sums == "cases":
        return None
    counted = options.in_average(source.schema, tree.weight_of(0))
    arrays = _core.best_splits_c45(
        core_columns(source, counted),
        {"target": source.target_arrays[0], "y": None, "weight": None},
        kernel_settings(source, recipe, options),
        source.rows_for_core(tree, nodes),
    )
    shape = len(nodes), len(source.schema)
    # The impurity is used only as a scale of rounding errors; gains are a few bits, so it is 1.
    return BestSplits(
        **core_splits(arrays, shape),
        counted=np.array(counted, bool),
        cut_cost=arrays["cost"].reshape(shape) if options.cut_cost else None,
    )


def core_splits(arrays: dict[str, Any], shape: tuple[int, int]) -> dict[str, Any]:
    """Return the fields of `BestSplits`; each category is a group of its own."""
    one_code_each = {"group_sizes": np.ones(len(arrays["group_codes"]), np.int64)}
    groups = groups_from_core(arrays | one_code_each, arrays["cut"], shape)
    return {
        "gain": arrays["gain"].reshape(shape),
        "split_information": arrays["information"].reshape(shape),
        "impurity": np.ones(shape),
        "cut": arrays["cut"].reshape(shape),
        "n_candidates": arrays["n_candidates"].reshape(shape),
        "groups": groups,
    }
