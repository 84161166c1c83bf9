"""Sketches: how the rows of a model's largest nodes are distributed over their split columns.

Pictures of a saved model show them; the model holds no rows. The rules:

* At most `MAX_NODES` inner nodes, the largest, have a sketch; none of fewer than `MIN_ROWS` rows.
* A numeric column has at most `MAX_BINS` bins (:mod:`penjing.training.sketch_bins`). They are
  equally wide, and their bounds are whole multiples of 1, 2 or 5 times a power of ten. If one of
  them would hold most of the rows, the bins hold about equally many rows instead. The threshold of
  the node is always a bound: of the two next to it, the nearer one makes way. A value that equals a
  bound belongs below it.
* Other columns have one entry for each category, in the order of the column. Of more than
  `MAX_BINS` categories the largest are kept, and the others are added up.
* An entry counts the `MAX_CLASSES` largest classes of the node and, if the target has more, all
  others together. If the target is a number, it has the count, the mean and the standard
  deviation.
* The distributions of at most `MAX_COLUMNS` columns that the tree splits on, those with the most
  rows in their splits, are kept for comparisons with new rows (:mod:`penjing.data.column_bins`);
  none of fewer than `MIN_ROWS` rows.
* The runner-up, the column with the second-best score, is searched again for the largest nodes,
  as far as that takes little time (`SEARCHED_ROWS`); for others it is computed when needed.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np

from penjing.data.column_bins import column_bins
from penjing.data.table import Floats, Table
from penjing.grow.engine import Engine
from penjing.grow.recipe import Recipe
from penjing.grow.trace_steps import TraceComputer
from penjing.training.sketch_bins import MAX_BINS, numeric_bins
from penjing.tree.bins import Bins, SplitCounts
from penjing.tree.counts import Classes, Reader
from penjing.tree.nodes import LEAF
from penjing.tree.tree_data import TreeData

MAX_NODES, MIN_ROWS = 64, 5
MAX_CLASSES = 8
MAX_COLUMNS = 64
SEARCHED_ROWS = 5_000
"""Runner-ups are searched in the largest nodes that have at most so many rows together."""
DIGITS = 4
"""Fractional counts, means and deviations are rounded to this many digits after the point, or to
as many that count."""


def sketches(tree: TreeData, engine: Engine, recipe: Recipe) -> list[dict[str, Any]]:
    """Return the sketches of a tree's largest nodes, as plain data in the order of nodes.

    Parameters
    ----------
    tree : TreeData
        The finished tree.
    engine : Engine
        Counts its training rows.
    recipe : Recipe
        The recipe that the tree was grown by.
    """
    largest = _largest_nodes(tree)
    runner_ups = _runner_ups(tree, engine, recipe, largest)
    found: dict[int, dict[str, Any]] = {}
    for counts in engine.split_counts(tree, sorted(largest)):
        found |= _sketches(counts, tree, engine)
    for node, runner_up in runner_ups.items():
        if node in found and runner_up is not None:
            found[node]["runner_up"] = runner_up
    return [found[node] for node in sorted(found)]


def column_distributions(tree: TreeData, table: Table) -> list[dict[str, Any]]:
    """Return the distributions of the columns that a tree splits on, as plain data.

    Parameters
    ----------
    tree : TreeData
        The finished tree.
    table : Table
        Its training rows.
    """
    if table.n_rows < MIN_ROWS:
        return []
    inner = np.flatnonzero(~tree.is_leaf)
    split_rows = np.bincount(
        tree.nodes.column[inner], tree.weight[inner], minlength=len(tree.schema)
    )
    n_used = int((split_rows > 0).sum())
    largest = np.argsort(-split_rows, kind="stable")[: min(n_used, MAX_COLUMNS)]
    return [
        {"column": c} | column_bins(table.columns[c], tree.schema[c], table.weights).to_json()
        for c in np.sort(largest).tolist()
    ]


def _largest_nodes(tree: TreeData) -> list[int]:
    """Return the largest nodes that have a split, in the order of their weight.

    A node is at most as large as its parent, so most of a tree need not be looked at.
    """
    column, total = tree.nodes.column, tree.nodes.total
    largest: list[int] = []
    waiting = [(0.0, 0)] if column[0] != LEAF else []
    while waiting and len(largest) < MAX_NODES:
        _, node = heapq.heappop(waiting)
        largest.append(node)
        children = tree.children(node)
        weights = tree.reader.weight(total[children.start : children.stop]).tolist()
        for child, weight in zip(children, weights, strict=True):
            if column[child] != LEAF and weight >= MIN_ROWS:
                heapq.heappush(waiting, (-weight, child))
    return largest


def _runner_ups(
    tree: TreeData, engine: Engine, recipe: Recipe, largest: Sequence[int]
) -> dict[int, int | None]:
    """Return the runner-up of the largest nodes, as far as the search takes little time."""
    if recipe.options.untraceable(recipe.shape) is not None or not largest:
        return {}
    n_nodes = int(
        (np.cumsum(tree.reader.weight(tree.nodes.total[list(largest)])) <= SEARCHED_ROWS).sum()
    )
    if not n_nodes:
        return {}
    computer = TraceComputer(engine, tree, recipe)
    computer.search(largest[:n_nodes])
    return {node: computer.runner_up(node) for node in largest[:n_nodes]}


def _sketches(counts: SplitCounts, tree: TreeData, engine: Engine) -> dict[int, dict[str, Any]]:
    """Return the sketches of some nodes."""
    nodes, s = tree.nodes, engine.reader
    large = {node: bins for node, bins in counts.first().items() if bins.n_rows >= MIN_ROWS}
    cuts = {
        node: float(nodes.cut[node])
        for node, bins in large.items()
        if bins.codes is None and len(bins.cells)
    }
    binned = numeric_bins(counts, cuts, s)
    found = {}
    for node, bins in large.items():
        sketch: dict[str, Any] = {"node": node, "column": int(nodes.column[node])}
        classes: list[int] = []
        if isinstance(s, Classes):
            classes = sketch["classes"] = _largest_classes(bins)
        if node in binned:
            bounds, between = binned[node]
            low, high = bins.spans()
            sketch |= {"range": [float(low[0]), float(high[-1])], "bounds": bounds.tolist()}
            cells = between.cells
        else:
            sketch["codes"], cells = _largest_categories(bins, s)
        sketch["counts"] = _entries(cells, s, classes)
        if bins.missing.any():
            sketch["missing"] = _entries(bins.missing[None], s, classes)[0]
        found[node] = sketch
    return found


def _largest_classes(bins: Bins) -> list[int]:
    n_classes = len(bins.missing)
    if n_classes <= MAX_CLASSES:
        return list(range(n_classes))
    total = bins.cells.sum(axis=0) + bins.missing
    return np.sort(np.argsort(-total, kind="stable")[:MAX_CLASSES]).tolist()  # type: ignore[no-any-return]


def _largest_categories(bins: Bins, s: Reader) -> tuple[list[int], Floats]:
    """Return the codes of the largest categories, and their sums; those of others added up."""
    codes = np.empty(0, np.int32) if bins.codes is None else bins.codes
    by_size = np.argsort(-s.weight(bins.cells), kind="stable")
    n_kept = MAX_BINS if len(by_size) <= MAX_BINS else MAX_BINS - 1
    kept = np.sort(by_size[:n_kept])
    cells = bins.cells[kept]
    if len(by_size) > n_kept:
        cells = np.concatenate([cells, bins.cells[by_size[n_kept:]].sum(axis=0)[None]])
    return codes[kept].tolist(), cells


def _entries(cells: Floats, s: Reader, classes: Sequence[int]) -> list[list[float]]:
    """Return bins as plain numbers: the classes and the rest; or count, mean and deviation."""
    if isinstance(s, Classes):
        rows = cells
        if cells.shape[1] > MAX_CLASSES:
            rows = cells[:, list(classes)]
            rest = np.delete(cells, list(classes), axis=1).sum(axis=1)
            rows = np.concatenate([rows, rest[:, None]], axis=1)
        whole = rows.astype(np.int64)
        if (whole == rows).all():
            return whole.tolist()  # type: ignore[no-any-return]
    else:
        weight = s.weight(cells)
        deviation = np.sqrt(np.maximum(s.loss(cells), 0.0) / np.where(weight > 0, weight, 1.0))
        rows = np.stack([weight, s.value(cells), deviation], axis=1)
        rows[weight <= 0] = 0.0
    return [[_short(value) for value in row] for row in rows.tolist()]


def _short(value: float) -> float:
    """Return a number without digits that no picture shows; whole numbers as integers."""
    if value.is_integer():
        return int(value)
    return round(value, DIGITS) if abs(value) >= 1 else float(f"{value:.{DIGITS}g}")
