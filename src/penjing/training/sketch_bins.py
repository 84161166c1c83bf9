"""The bins of a sketch of a numeric column: equally wide or equally full, with the threshold.

The rules are in :mod:`penjing.training.sketches`. An engine counts between any bounds, so that
they work alike whether the rows are in memory or in files.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from penjing.data.table import Floats
from penjing.tree.bins import Bins, SplitCounts
from penjing.tree.counts import Reader

MAX_BINS = 24
MOST_ROWS = 0.6
"""Bins hold equally many rows if one of equal width would hold more than this share of them."""
N_PARTS = MAX_BINS - 1
"""The number of bins that hold about equally many rows, before the threshold is added."""
FINE_BINS = 1_024
"""How many bins are counted at a time to find those that hold equally many rows."""
FEW_ROWS = 4
"""Such a bin ends within this part of a bin from where it should end."""

_SIGN = 1 << 63


def numeric_bins(
    counts: SplitCounts, nodes: Mapping[int, float], s: Reader
) -> dict[int, tuple[Floats, Bins]]:
    """Return the bounds between the bins of each node, and the bins.

    Parameters
    ----------
    counts : SplitCounts
        The counts of the nodes.
    nodes : mapping of int to float
        The threshold of each node whose column is numeric; NaN or infinite where it has none.
    s : Reader
        Interprets the sums.

    Examples
    --------
    >>> from penjing.tree.bins import KnownCounts
    >>> from penjing.tree.counts import Classes
    >>> values = np.arange(0.0, 11.0)
    >>> counts = KnownCounts({0: Bins(np.ones((11, 1)), np.zeros(1), 11, None, values, values)})
    >>> bounds, bins = numeric_bins(counts, {0: 4.4}, Classes(1))[0]
    >>> bounds.tolist()
    [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.4, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5]
    """
    first = counts.first()
    span = {node: _span(first[node]) for node in nodes}
    bounds = {node: _equal_widths(*span[node]) for node in nodes}
    # The threshold is added before it is known which bound makes way: then one count suffices.
    counted = _count(counts, bounds, nodes)
    uneven = [n for n in nodes if _is_uneven(s.weight(counted[n].cells), bounds[n], nodes[n])]
    if uneven:
        cuts = {node: nodes[node] for node in uneven}
        for node, (even, fine) in _equal_parts(counts, cuts, s).items():
            bounds[node], counted[node] = even, fine
    for node, cut in nodes.items():
        bounds[node] = _with_threshold(bounds[node], cut, *span[node])
    return {node: (at, counted[node].merged(at)) for node, at in bounds.items()}


def _span(bins: Bins) -> tuple[float, float]:
    low, high = bins.spans()
    return float(low[0]), float(high[-1])


def _count(
    counts: SplitCounts, bounds: Mapping[int, Floats], cuts: Mapping[int, float]
) -> dict[int, Bins]:
    """Return the bins between bounds and at the threshold."""
    wanted = {
        node: _with(at, cuts[node]) if math.isfinite(cuts[node]) else at
        for node, at in bounds.items()
    }
    return dict(counts.within(wanted))


def _is_uneven(weight: Floats, bounds: Floats, cut: float) -> bool:
    """Whether a bin between bounds holds most of the rows, which were counted at ``cut`` too."""
    largest = weight.max()
    if len(weight) > len(bounds) + 1:
        at = int(np.searchsorted(bounds, cut))
        largest = max(largest, weight[at] + weight[at + 1])
    return bool(largest > MOST_ROWS * weight.sum())


def _with_threshold(bounds: Floats, cut: float, low: float, high: float) -> Floats:
    """Return bounds that include the threshold: of the two next to it the nearer makes way."""
    if not (math.isfinite(cut) and low <= cut < high) or cut in bounds:
        return bounds
    if len(bounds) >= 2:
        with np.errstate(over="ignore"):  # numbers of opposite signs near the largest float
            distance = np.abs(bounds - cut)
            narrowest = float((bounds[1:] - bounds[:-1]).min())
        nearest = int(distance.argmin())
        if len(bounds) >= MAX_BINS - 1 or distance[nearest] < narrowest / 2:
            bounds = np.concatenate([bounds[:nearest], bounds[nearest + 1 :]])
    return _with(bounds, cut)


def _with(bounds: Floats, cut: float) -> Floats:
    """Return bounds with one more, unless it is one of them."""
    at = int(np.searchsorted(bounds, cut))
    if at < len(bounds) and bounds[at] == cut:
        return bounds
    return np.concatenate([bounds[:at], [cut], bounds[at:]])


# -- equally wide bins ------------------------------------------------------------------------


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
    bounds = [_rounded(k * step, step) for k in range(first, last + 1)]
    return np.array(sorted({bound for bound in bounds if low <= bound < high}))


def _rounded(value: float, step: float) -> float:
    """Return a multiple of a step without the error of the multiplication: 0.3, not 0.30000…4."""
    return float(f"{value:.{max(0, 1 - math.floor(math.log10(step)))}f}") if step < 1e15 else value


# -- equally full bins ------------------------------------------------------------------------


def _equal_parts(
    counts: SplitCounts, cuts: Mapping[int, float], s: Reader
) -> dict[int, tuple[Floats, Bins]]:
    """Return bounds between bins that hold about equally many rows, and finer bins.

    A bound lies halfway between two numbers that follow each other. The bins in which it may lie
    are divided until each holds few rows, or one number; no sorted column is needed. What the
    result depends on is the numbers, not how they are stored.
    """
    found: dict[int, tuple[Floats, Bins]] = {}
    first = counts.first()
    waiting: Mapping[int, Bins] = {node: first[node].merged(np.empty(0)) for node in cuts}
    bounds = {node: np.array([cut] if math.isfinite(cut) else []) for node, cut in cuts.items()}
    while waiting:
        for node, each in waiting.items():
            is_full = s.weight(each.cells) > 0
            weight = s.weight(each.cells[is_full])
            low, high = (numbers[is_full] for numbers in each.spans())
            parts = weight.sum() * np.arange(1, N_PARTS) / N_PARTS
            places = np.unique(np.clip(np.searchsorted(np.cumsum(weight), parts), 0, len(low) - 1))
            is_coarse = weight[places] > weight.sum() / (N_PARTS * FEW_ROWS)
            wide = places[(low[places] < high[places]) & is_coarse]
            if len(wide):
                finer = [_between(low[p], high[p], FINE_BINS // len(wide)) for p in wide.tolist()]
                bounds[node] = np.unique(np.concatenate([bounds[node], *finer]))
                continue
            below = np.minimum(places, len(low) - 2) if len(low) > 1 else places[:0]
            found[node] = np.unique(high[below] / 2 + low[below + 1] / 2), each
        open_nodes = [node for node in waiting if node not in found]
        waiting = counts.within({n: bounds[n] for n in open_nodes}) if open_nodes else {}
    return found


def _between(low: float, high: float, n: int) -> Floats:
    """Return up to ``n`` bounds from ``low`` on, below ``high``.

    They divide the floats between them, not the distance, into equal parts: so few steps suffice
    for any distribution.
    """
    first, last = _rank(low), _rank(high)
    n = min(n, last - first)
    ranks = np.uint64(first) + np.uint64((last - first) // n) * np.arange(n, dtype=np.uint64)
    sign = np.uint64(_SIGN)
    return np.where(ranks >= sign, ranks - sign, ~ranks).view(np.float64)


def _rank(number: float) -> int:
    """Return the position of a float among all floats, in ascending order."""
    bits = int(np.float64(number).view(np.uint64))
    return 2 * _SIGN - 1 - bits if bits >= _SIGN else bits + _SIGN
