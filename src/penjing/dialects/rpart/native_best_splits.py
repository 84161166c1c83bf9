"""The best split of every column in some nodes, by rpart's rules, searched in C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from penjing import _core
from penjing.dialects.rpart.dialect import MOST_LEVELS, SplitScorer, n_present, rpart_options
from penjing.dialects.rpart.sorted_rows import order_of_codes, positions_of
from penjing.errors import CapabilityError
from penjing.grow.constraints import core_limits, limits_of
from penjing.grow.engine import RowSource, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.tree.counts import Classes
from penjing.tree.split import BestSplits, groups_from_core

MOST_ROWS = 2**31
"""A larger minimum size stands for this one, which fits the integers of C++."""

Rows = npt.NDArray[np.uint32]
Positions = npt.NDArray[np.int32]

_ORDERS: WeakKeyDictionary[RowSource, tuple[list[Positions | None], list[Rows | None]]] = (
    WeakKeyDictionary()
)


def native_best_splits(
    source: RowSource, tree: TreeStructure, nodes: Sequence[int], recipe: Recipe
) -> BestSplits | None:
    """Return the best split of each column of each node; None for a table without columns."""
    if not source.schema:
        return None
    s, options = source.reader, rpart_options(recipe)
    is_classes = isinstance(s, Classes)
    scorer = SplitScorer(s, recipe, n_present(source.totals(tree, [0]).cells[0], s))
    classes, y = source.target_arrays
    limits = limits_of(source, tree, nodes, recipe)
    by_row = not is_classes and options.sums == "cases"
    costs = s.costs if isinstance(s, Classes) else None
    columns = source.core_columns
    keys, orders = _rpart_orders(source) if by_row else ([c[0] for c in columns], source.row_orders)
    arrays: dict[str, Any] = _core.best_splits_rpart(
        columns,
        {
            "target": classes,
            "y": None if y is None or isinstance(s, Classes) else y - s.centre,
            "cases": y if by_row else None,
            "keys": keys,
            "orders": orders,
            "altered": scorer.altered if is_classes else None,
            "means": None if costs is None else np.asarray(costs.altered, np.float64),
            "is_root": np.asarray([node == 0 for node in nodes], np.uint8),
        },
        source.rows_for_core(tree, nodes),
        {
            "n_sums": s.size,
            "n_classes": scorer.n_classes,
            "centre": 0.0 if isinstance(s, Classes) else s.centre,
            "common_prior": scorer.shared_prior,
            "is_entropy": scorer.is_entropy,
            "min_bucket": min(scorer.least, MOST_ROWS),
            "threads": source.n_threads,
            "limits": core_limits(limits, len(source.schema)),
        },
    )
    shape = len(nodes), len(source.schema)
    for c, n in zip(np.tile(range(shape[1]), shape[0]), arrays["too_many_categories"], strict=True):
        if n:
            name = source.schema[c].name
            raise CapabilityError("too_many_levels", column=name, n=int(n), most=MOST_LEVELS)
    gain = arrays["gain"].reshape(shape)
    return BestSplits(
        gain,
        np.full(shape, np.nan),
        arrays["impurity"].reshape(shape),
        arrays["cut"].reshape(shape),
        arrays["n_candidates"].reshape(shape),
        groups_from_core(arrays, arrays["cut"], shape),
        worth=gain if is_classes or by_row else None,
        limits=limits,
    )


def _rpart_orders(source: RowSource) -> tuple[list[Positions | None], list[Rows | None]]:
    """Return rpart's order of rows by each column: their positions, and the rows in order.

    Both are None for a column without an order.
    """
    if source not in _ORDERS:
        orders = [
            order_of_codes(codes, levels, n_levels) if is_ordered else None
            for codes, levels, n_levels, is_ordered in source.core_columns
        ]
        _ORDERS[source] = (
            [None if order is None else positions_of(order) for order in orders],
            [None if order is None else order.astype(np.uint32) for order in orders],
        )
    return _ORDERS[source]
