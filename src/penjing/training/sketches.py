"""Sketches: how the rows of a model's largest nodes are distributed over their split columns.

Pictures of a saved model show them; the model holds no rows. The rules:

* At most `MAX_NODES` inner nodes, the largest, have a sketch; none of fewer than `MIN_ROWS` rows.
* A numeric column has at most `MAX_BINS` bins. They are equally wide, and their bounds are whole
  multiples of 1, 2 or 5 times a power of ten. If one of them would hold most of the rows, the bins
  hold about equally many rows instead. The threshold of the node is always a bound: of the two
  next to it, the nearer one makes way. A value that equals a bound belongs below it.
* Other columns have one entry for each category, in the order of the column. Of more than
  `MAX_BINS` categories the largest are kept, and the others are added up.
* An entry counts the `MAX_CLASSES` largest classes of the node and, if the target has more, all
  others together. If
  the target is a number, it has the count, the mean and the standard deviation.
* The runner-up, the column with the second-best score, is searched again for the largest nodes,
  as far as that takes little time (`SEARCHED_ROWS`); for others it is computed when needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from penjing.data.table import Floats
from penjing.grow.engine import Engine
from penjing.grow.recipe import Recipe
from penjing.grow.trace_steps import TraceComputer
from penjing.tree.counts import Classes, Counts, Reader
from penjing.tree.tree_data import TreeData

MAX_NODES, MIN_ROWS = 64, 5
MAX_BINS, MAX_CLASSES = 24, 8
MOST_ROWS = 0.6
"""Bins hold equally many rows if one of equal width would hold more than this share of them."""
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
    inner = np.flatnonzero(~tree.is_leaf & (tree.weight >= MIN_ROWS))
    largest = inner[np.argsort(-tree.weight[inner], kind="stable")][:MAX_NODES]
    runner_ups = _runner_ups(tree, engine, recipe, largest.tolist())
    found: dict[int, dict[str, Any]] = {}
    depths = tree.depths
    for node in sorted(largest.tolist(), key=lambda n: (depths[n], n)):  # as engines route rows
        column = int(tree.nodes.column[node])
        tally = next(iter(engine.tally(tree, [node], [column])))
        counts = tally.columns[column]
        if _n_rows(counts, engine.reader) >= MIN_ROWS:
            found[node] = {"node": node, "column": column} | _sketch(
                counts, engine, column, float(tree.nodes.cut[node])
            )
    for node, runner_up in runner_ups.items():
        if node in found and runner_up is not None:
            found[node]["runner_up"] = runner_up
    return [found[node] for node in sorted(found)]


def _runner_ups(
    tree: TreeData, engine: Engine, recipe: Recipe, largest: Sequence[int]
) -> dict[int, int | None]:
    """Return the runner-up of the largest nodes, as far as the search takes little time."""
    if not recipe.options.can_be_traced or not largest:
        return {}
    n_nodes = int((np.cumsum(tree.weight[list(largest)]) <= SEARCHED_ROWS).sum())
    computer = TraceComputer(engine, tree, recipe)
    computer.search(largest[:n_nodes])
    return {node: computer.runner_up(node) for node in largest[:n_nodes]}


def _n_rows(counts: Counts, s: Reader) -> float:
    """Return the number of rows, whatever their weights."""
    if counts.rows is not None:
        return float(s.weight(counts.rows.sum(axis=0))) + (counts.missing_rows or 0.0)
    return float(s.weight(counts.known) + s.weight(counts.missing))


def _sketch(counts: Counts, engine: Engine, column: int, cut: float) -> dict[str, Any]:
    field, s = engine.schema[column], engine.reader
    sketch: dict[str, Any] = {}
    if isinstance(s, Classes):
        total = counts.known + counts.missing
        largest = np.sort(np.argsort(-total, kind="stable")[:MAX_CLASSES])
        sketch["classes"] = largest.tolist()
    if field.is_numeric and len(counts.codes):
        values = (
            engine.level_values(column)[counts.codes]
            if counts.spans is None
            else counts.spans[:, 1]
        )
        low = float(values[0] if counts.spans is None else counts.spans[0, 0])
        weight = s.weight(counts.cells)
        bounds = bin_bounds(values, weight, cut, low)
        bins = np.searchsorted(bounds, values, side="left")
        cells = _added_up(counts.cells, bins, len(bounds) + 1)
        sketch |= {"range": [low, float(values[-1])], "bounds": bounds.tolist()}
    else:
        by_size = np.argsort(-s.weight(counts.cells), kind="stable")
        n_kept = MAX_BINS if len(by_size) <= MAX_BINS else MAX_BINS - 1
        kept = np.sort(by_size[:n_kept])
        cells = counts.cells[kept]
        sketch["codes"] = counts.codes[kept].tolist()
        if len(by_size) > n_kept:
            cells = np.concatenate([cells, counts.cells[by_size[n_kept:]].sum(axis=0)[None]])
    sketch["counts"] = [_entry(cell, s, sketch.get("classes", ())) for cell in cells]
    if s.weight(counts.missing) > 0:
        sketch["missing"] = _entry(counts.missing, s, sketch.get("classes", ()))
    return sketch


def bin_bounds(values: Floats, weight: Floats, cut: float, low: float) -> Floats:
    """Return the bounds between the bins of a numeric column; see the rules above.

    Parameters
    ----------
    values : (n,) float64
        The values that occur, ascending.
    weight : (n,) float64
        The weight of each.
    cut : float
        The threshold of the node; NaN or infinite where there is none.
    low : float
        The smallest number.

    Examples
    --------
    >>> bin_bounds(np.arange(0.0, 11.0), np.ones(11), 4.4, 0.0).tolist()
    [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.4, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5]
    """
    high = float(values[-1])
    bounds = _equal_widths(low, high)
    share = _added_up(weight[:, None], np.searchsorted(bounds, values), len(bounds) + 1)[:, 0]
    if share.max() > MOST_ROWS * share.sum():
        places = np.searchsorted(np.cumsum(weight), weight.sum() * np.arange(1, 23) / 23)
        places = np.unique(np.clip(places, 0, len(values) - 2)) if len(values) > 1 else places[:0]
        bounds = np.unique(values[places] / 2 + values[places + 1] / 2)
    if math.isfinite(cut) and low <= cut < high and not (bounds == cut).any():
        if len(bounds) and len(bounds) >= 2 and _has_neighbour(bounds, cut):
            bounds = np.delete(bounds, np.argmin(np.abs(bounds - cut)))
        bounds = np.sort(np.append(bounds, cut))
    return bounds


def _has_neighbour(bounds: Floats, cut: float) -> bool:
    """Whether a threshold is closer to a bound than half a bin, or there are as many as can be."""
    gap = float(np.diff(bounds).min())
    return len(bounds) >= MAX_BINS - 1 or float(np.abs(bounds - cut).min()) < gap / 2


def _equal_widths(low: float, high: float) -> Floats:
    """Return round bounds of equally wide bins, at most 22 of them."""
    span = high - low
    if not (0 < span < math.inf):
        return np.empty(0)
    least = span / (MAX_BINS - 3)
    power = 10.0 ** math.floor(math.log10(least)) if least > 1e-300 else least
    step = next((f * power for f in (1.0, 2.0, 5.0, 10.0) if f * power >= least), 10 * power)
    first, last = math.floor(low / step) + 1, math.ceil(high / step) - 1
    if not (math.isfinite(step) and last - first < MAX_BINS):
        return np.empty(0)
    bounds = np.array([_rounded(k * step, step) for k in range(first, last + 1)])
    return np.unique(bounds[(bounds >= low) & (bounds < high)])


def _rounded(value: float, step: float) -> float:
    """Return a multiple of a step without the error of the multiplication: 0.3, not 0.30000…4."""
    return float(f"{value:.{max(0, 1 - math.floor(math.log10(step)))}f}") if step < 1e15 else value


def _added_up(cells: Floats, bins: Any, n_bins: int) -> Floats:  # noqa: ANN401 - positions
    columns = [np.bincount(bins, column, n_bins) for column in cells.T]
    return np.stack(columns, axis=1) if columns else np.zeros((n_bins, 0))


def _entry(cell: Floats, s: Reader, classes: Sequence[int]) -> list[float]:
    """Return a bin as plain numbers: the classes and the rest; or count, mean and deviation."""
    if isinstance(s, Classes):
        listed = cell[list(classes)]
        rest = [] if len(cell) <= MAX_CLASSES else [float(np.delete(cell, list(classes)).sum())]
        return [_short(v) for v in (*listed.tolist(), *rest)]
    weight = float(s.weight(cell))
    if weight <= 0:
        return [0.0, 0.0, 0.0]
    deviation = math.sqrt(max(float(s.loss(cell)), 0.0) / weight)
    return [_short(weight), _short(float(s.value(cell))), _short(deviation)]


def _short(value: float) -> float:
    """Return a number without digits that no picture shows; whole numbers as integers."""
    if float(value).is_integer():
        return int(value)
    return round(value, DIGITS) if abs(value) >= 1 else float(f"{value:.{DIGITS}g}")
