"""Trees of rows in a database: large nodes from counts, small ones from fetched rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from penjing.data.memory_limit import group_by_size
from penjing.data.table import Floats
from penjing.engines import native, remote_counts
from penjing.grow.loop import grow
from penjing.grow.recipe import Recipe
from penjing.grow.search import stops
from penjing.progress import Progress, ProgressCallback
from penjing.tree.builder import TreeAssembler, TreeBuilder, unit_totals
from penjing.tree.tree_data import TreeData


def grow_and_finish(
    engine: remote_counts.Engine, recipe: Recipe, progress: ProgressCallback | None
) -> TreeData | None:
    """Return the tree; None if the native engine cannot grow such a tree.

    A node whose rows are to be fetched is a leaf at first; then the native engine grows its
    subtree.
    """
    survey = engine.rows.survey
    if (
        not recipe.dialect.decides_by_counts
        or recipe.max_leaves is not None
        or not recipe.dialect.is_native(replace(recipe, missing="refuse"))
        or any(judged.n_missing for judged in survey.columns)
    ):
        return None
    settings, recipe = recipe.settings(), replace(recipe, missing="refuse")  # nothing is missing
    least = max(recipe.min_weight, engine.fetch_limit + 1)
    pace = _Pace(progress, survey.n_rows)
    top = grow(engine, replace(recipe, min_weight=least), None, pace.told)
    top = replace(top, nodes=replace(top.nodes, gap=stored_gaps(top, engine)))
    planting = TreeAssembler(engine.reader)
    growth = planting.builder
    growth.set_totals([0], unit_totals(top.nodes.total[:1]))
    place = planting.insert_subtree(0, top)
    waiting = [
        node
        for node in np.flatnonzero(top.is_leaf).tolist()
        if stops(growth, place[node], recipe) is None
        and growth.n_rows(place[node]) <= engine.fetch_limit
    ]
    pace.finish(sum(map(top.weight_of, waiting)), len(waiting))
    for lot in group_by_size(waiting, top.weight_of, remote_counts.MAX_FETCHED_ROWS):
        for i, table in engine.fetch_rows(top, lot):
            node = place[lot[i]]
            mine = recipe
            if recipe.max_depth is not None:
                mine = replace(recipe, max_depth=recipe.max_depth - growth.depth(node))
            tree = native.Engine(table, "refuse", reader=engine.reader).grow(mine)
            assert tree is not None
            planting.insert_subtree(node, tree)
        pace.finished(sum(map(top.weight_of, lot)), len(lot), growth.n_leaves)
    return planting.finish(engine.schema, engine.target, settings)


class _Pace:
    """Tells how far it is: first of the growth there, then of what is finished here."""

    def __init__(self, progress: ProgressCallback | None, n_rows: int) -> None:
        self._progress = progress
        self._last = Progress(0, 0, n_rows, 1)

    def told(self, last: Progress) -> None:
        """Pass on what is told of the growth there: which rows will come here is not known yet."""
        self._tell(replace(last, n_placed=0))

    def finish(self, n_rows: float, n_nodes: int) -> None:
        """Say how many rows and nodes are to be finished here."""
        n_placed = self._last.n_rows - int(n_rows)
        self._tell(replace(self._last, n_placed=n_placed, n_open=n_nodes))

    def finished(self, n_rows: float, n_nodes: int, n_leaves: int) -> None:
        """Tell that nodes of so many rows are done."""
        last, n = self._last, int(n_rows)
        n_open = last.n_open - n_nodes
        n_rows, n_placed = last.row_levels + n, last.n_placed + n
        told = Progress(n_rows, n_placed, last.n_rows, n_leaves, last.generation, n_open)
        self._tell(told)

    def _tell(self, told: Progress) -> None:
        self._last = told
        if self._progress is not None:
            self._progress(told)


def stored_gaps(tree: TreeData, engine: remote_counts.Engine) -> Floats:
    """Return the values on both sides of each cut, as they were found while the tree grew."""
    found = np.full((tree.n_nodes, 2), np.nan)
    growth = engine.current_tree
    assert isinstance(growth, TreeBuilder)
    order = [0]
    for node in order:  # grows while it is walked: breadth first
        order.extend(growth.children(node))
    for new, old in enumerate(order):
        if old in engine.gaps:
            found[new] = engine.gaps[old]
    return found
