"""The order in which scikit-learn tried the columns in each node of a finished tree.

The random numbers depend on the nodes that were grown before, so the order is drawn again for
all nodes, in the order in which they were grown. If nodes have been pruned since, it is not
exactly the same.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from penjing.data.table import Codes
from penjing.dialects.sklearn.feature_order import NEVER, FeatureOrder
from penjing.grow.engine import Engine, RowSource, TreeStructure
from penjing.grow.recipe import Recipe
from penjing.tree.builder import TreeBuilder
from penjing.tree.tree_data import TreeData

ConstantColumns = Callable[[Sequence[int]], Sequence[Sequence[bool]]]
"""Returns whether each column is constant in each of some nodes."""

_ORDERS: WeakKeyDictionary[Engine | RowSource, tuple[TreeData, FeatureOrder, Codes]] = (
    WeakKeyDictionary()
)


def finished_order(
    engine: Engine | RowSource,
    tree: TreeStructure,
    recipe: Recipe,
    feature_order: FeatureOrder,
    constant_columns: ConstantColumns,
) -> Codes:
    """Return the rank of each column in each node of a tree, NEVER if it was not tried.

    The column that a node is split on comes first: it won all ties.
    """
    assert isinstance(tree, TreeData)
    known = _ORDERS.get(engine)
    if known is not None and known[0] is tree and known[1].has_settings_of(feature_order):
        return known[2]
    totals = engine.totals(tree, range(tree.n_nodes))
    builder = TreeBuilder.from_totals(engine.reader, tree.nodes.parent.tolist(), totals)
    searched = [
        node
        for node in range(tree.n_nodes)
        if not tree.is_leaf[node] or recipe.dialect.stops(builder, node, recipe) is None
    ]
    constant = dict(zip(searched, constant_columns(searched), strict=True))
    best_first = recipe.max_leaves is not None
    grown = _best_first(tree, builder) if best_first else _depth_first(tree)
    ranks = np.zeros((tree.n_nodes, len(tree.schema)), np.int32)
    drawn = feature_order.restarted()
    for node in grown:
        if node not in constant:
            continue
        ranks[node] = drawn.ranks(node, tree.parent_of(node)[0], constant[node])
        if not tree.is_leaf[node]:
            column = int(tree.nodes.column[node])
            if ranks[node, column] == NEVER:  # not the nodes that it was grown with
                ranks[node] = 1
            ranks[node, column] = 0
    _ORDERS[engine] = tree, feature_order, ranks
    return ranks


def _depth_first(tree: TreeData) -> Iterator[int]:
    """Yield the nodes depth first, the first branch first."""
    stack = [0]
    while stack:
        node = stack.pop()
        yield node
        if not tree.is_leaf[node]:
            stack.extend(reversed(tree.children(node)))


def _best_first(tree: TreeData, builder: TreeBuilder) -> Iterator[int]:
    """Yield the nodes in the order of the loop with a limit on leaves: the best split first."""
    n_nodes = 1
    open_splits: list[tuple[float, int, int]] = []

    def add(node: int, number: int) -> None:
        if not tree.is_leaf[node]:
            worth = builder.adjusted_weight_of(node) * float(tree.nodes.gain[node])
            heapq.heappush(open_splits, (-worth, number, node))

    yield 0
    add(0, 0)
    while open_splits:
        for child in tree.children(heapq.heappop(open_splits)[2]):
            yield child
            add(child, n_nodes)
            n_nodes += 1
