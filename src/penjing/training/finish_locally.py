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
    reporter = _Reporter(progress, survey.n_rows)
    top = grow(engine, replace(recipe, min_weight=least), None, reporter.report_remote)
    top = replace(top, nodes=replace(top.nodes, gap=stored_gaps(top, engine)))
    assembler = TreeAssembler(engine.reader)
    growth = assembler.builder
    growth.set_totals([0], unit_totals(top.nodes.total[:1]))
    place = assembler.insert_subtree(0, top)
    waiting = [
        node
        for node in np.flatnonzero(top.is_leaf).tolist()
        if stops(growth, place[node], recipe) is None
        and growth.n_rows(place[node]) <= engine.fetch_limit
    ]
    reporter.begin_local(sum(map(top.weight_of, waiting)), len(waiting))
    for lot in group_by_size(waiting, top.weight_of, remote_counts.MAX_FETCHED_ROWS):
        for i, table in engine.fetch_rows(top, lot):
            node = place[lot[i]]
            mine = recipe
            if recipe.max_depth is not None:
                mine = replace(recipe, max_depth=recipe.max_depth - growth.depth(node))
            tree = native.Engine(table, "refuse", reader=engine.reader).grow(mine)
            assert tree is not None
            assembler.insert_subtree(node, tree)
        reporter.report_local(sum(map(top.weight_of, lot)), len(lot), growth.n_leaves)
    return assembler.finish(engine.schema, engine.target, settings)


class _Reporter:
    """Reports the progress: first of the engine's growth, then of the nodes finished here."""

    def __init__(self, progress: ProgressCallback | None, n_rows: int) -> None:
        self._progress = progress
        self._last = Progress(0, 0, n_rows, 1)

    def report_remote(self, last: Progress) -> None:
        """Report the engine's progress; which rows are fetched is not known yet."""
        self._report(replace(last, n_placed=0))

    def begin_local(self, n_rows: float, n_nodes: int) -> None:
        """Report how many rows and nodes remain to be finished here."""
        n_placed = self._last.n_rows - int(n_rows)
        self._report(replace(self._last, n_placed=n_placed, n_open=n_nodes))

    def report_local(self, n_rows: float, n_nodes: int, n_leaves: int) -> None:
        """Report that nodes with so many rows are finished."""
        last, n = self._last, int(n_rows)
        n_open = last.n_open - n_nodes
        n_rows, n_placed = last.row_levels + n, last.n_placed + n
        self._report(Progress(n_rows, n_placed, last.n_rows, n_leaves, last.generation, n_open))

    def _report(self, now: Progress) -> None:
        self._last = now
        if self._progress is not None:
            self._progress(now)


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
