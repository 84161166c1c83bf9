"""The best split of every column in some nodes, by the rules of the textbook, searched in C++.

C++ finds the best candidate of each column; its gain, impurity and split information are then
computed by the criterion itself, since the logarithm of NumPy may differ from that of C in the
last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.criteria.criterion import Criterion, impurity_decrease, kernel_of
from penjing.criteria.entropy import entropy_bits
from penjing.grow.constraints import core_limits, limits_of
from penjing.grow.engine import RowSource, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.tree.counts import Classes, Reader
from penjing.tree.split import BestSplits, groups_from_core


def native_best_splits(
    source: RowSource, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
) -> BestSplits | None:
    """Return the best split of each column of each node; None for a criterion without a kernel."""
    criterion, s = recipe.measure(), source.reader
    kernel = kernel_of(criterion)
    if kernel is None or (kernel == "variance") == isinstance(s, Classes):
        return None
    classes, y = source.target_arrays
    limits = limits_of(source, tree, nodes, recipe)
    arrays: dict[str, Any] = _core.best_splits(
        source.core_columns,
        classes,
        y,
        source.rows_for_core(tree, nodes),
        {
            "measure": kernel,
            "n_sums": s.size,
            "centre": 0.0 if isinstance(s, Classes) else s.centre,
            "multiway": recipe.shape == "multiway",
            "missing_branch": recipe.missing == "branch",
            "min_branch": float(recipe.min_branch),
            "threads": source.n_threads,
            "limits": core_limits(limits, len(source.schema)),
        },
    )
    shape = len(nodes), len(source.schema)
    return replace(_scored(arrays, shape, criterion, s), limits=limits)


def _scored(
    arrays: dict[str, Any], shape: tuple[int, int], criterion: Criterion, s: Reader
) -> BestSplits:
    """Return the candidates with their gains; those with equally many branches at once."""
    n_branches: npt.NDArray[np.int32] = arrays["n_branches"]
    known = arrays["known"].reshape(-1, s.size)
    after = arrays["after"].reshape(-1, s.size)
    first = np.append(0, np.cumsum(n_branches))[:-1]
    gain, information, impurity = (np.full(len(n_branches), np.nan) for _ in range(3))
    known_weight = s.weight(known)
    share = np.ones(len(n_branches))
    has_rows = known_weight > 0
    share[has_rows] = known_weight[has_rows] / (
        known_weight[has_rows] + s.weight(arrays["missing"].reshape(-1, s.size)[has_rows])
    )
    part_weight, part_impurity = s.weight(after), criterion.impurity(after, s)
    for n in np.flatnonzero(np.bincount(n_branches)).tolist():
        if n == 0:
            continue
        of_size = np.flatnonzero(n_branches == n)
        parts = first[of_size, None] + np.arange(n)
        impurity[of_size] = criterion.impurity(known[of_size], s)
        gain[of_size] = share[of_size] * impurity_decrease(
            impurity[of_size], known_weight[of_size], part_impurity[parts], part_weight[parts]
        )
        information[of_size] = entropy_bits(part_weight[parts])
    cut = arrays["cut"]
    return BestSplits(
        gain.reshape(shape),
        information.reshape(shape),
        impurity.reshape(shape),
        cut.reshape(shape),
        arrays["n_candidates"].reshape(shape),
        groups_from_core(arrays, cut, shape),
    )
