"""The scales of a picture of a regression tree: tints of predictions, and one axis for spreads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from penjing.render.theme import PALETTE, THEMES, Theme, blend, contrast
from penjing.text.labels import rounded_text
from penjing.tree.tree_data import TreeData

DIGITS = 3
"""Numbers on pictures have so many significant digits; tooltips have all."""
N_TINTS = 25
"""The number of different tints."""
WEAKEST, STRONGEST = 1.08, 3.2
"""The contrast of the weakest and the strongest tint with the card."""
LEGEND_STEPS = 6
"""The number of tints in the legend."""


def short_number(value: float) -> str:
    """Return a number with three significant digits.

    Examples
    --------
    >>> short_number(45.0967), short_number(38.0), short_number(206855.8)
    ('45.1', '38', '207000')
    """
    return rounded_text(value, DIGITS) if math.isfinite(value) else str(value)


@lru_cache(maxsize=8)
def value_tints(theme: Theme) -> tuple[str, ...]:
    """Return the tints of a theme, from the lowest to the highest value.

    Their contrast with the card grows by the same factor from each to the next, so that equal
    differences of values look equally large; text on each is readable.
    """
    colour = "#000000" if theme is THEMES["print"] else PALETTE[0]
    if theme is THEMES["dark"]:
        colour = PALETTE[4]
    strongest = STRONGEST
    while contrast(theme.text, _with_contrast(colour, theme.card, strongest)) < 4.6:
        strongest -= 0.05
    factor = (strongest / WEAKEST) ** (1 / (N_TINTS - 1))
    return tuple(_with_contrast(colour, theme.card, WEAKEST * factor**k) for k in range(N_TINTS))


def _with_contrast(colour: str, card: str, wanted: float) -> str:
    """Return the mixture of a colour and the card that has this contrast with the card."""
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        if contrast(blend(colour, card, middle), card) < wanted:
            low = middle
        else:
            high = middle
    return blend(colour, card, high)


@dataclass(frozen=True, slots=True)
class ValueScale:
    """The range of predictions, which tints show, and the axis of means and spreads."""

    lowest: float
    highest: float
    axis_low: float
    axis_high: float

    def tint(self, value: float, theme: Theme) -> str:
        """Return the tint of a value."""
        tints = value_tints(theme)
        return tints[round(self.relative(value) * (len(tints) - 1))]

    def relative(self, value: float) -> float:
        """Return where a value lies between the lowest and the highest prediction, 0 to 1."""
        span = self.highest - self.lowest
        return min(max((value - self.lowest) / span, 0.0), 1.0) if span > 0 else 0.5

    def on_axis(self, value: float) -> float:
        """Return where a value lies on the common axis, 0 to 1."""
        span = self.axis_high - self.axis_low
        return min(max((value - self.axis_low) / span, 0.0), 1.0) if span > 0 else 0.5

    def legend_values(self) -> list[float]:
        """Return the values whose tints the legend shows, in ascending order."""
        span = self.highest - self.lowest
        if not span > 0:
            return [self.lowest]
        return [self.lowest + span * k / (LEGEND_STEPS - 1) for k in range(LEGEND_STEPS)]


def spread_of(tree: TreeData, node: int) -> float:
    """Return the standard deviation of the target in a node of a regression tree."""
    weight = float(tree.weight[node])
    loss = float(tree.reader.loss(tree.nodes.total[node]))
    return math.sqrt(max(loss, 0.0) / weight) if weight > 0 else 0.0


def value_scale(tree: TreeData, sketches: Iterable[Mapping[str, Any]] = ()) -> ValueScale | None:
    """Return the scale of a regression tree; None for classes.

    Parameters
    ----------
    tree : TreeData
        The tree.
    sketches : iterable of mapping
        The sketches that are drawn: their means and spreads fit on the axis too.

    Examples
    --------
    >>> import penjing
    >>> value_scale(penjing.fit(penjing.example("fish"))) is None
    True
    """
    if not tree.is_regression:
        return None
    with_rows = np.flatnonzero(tree.weight > 0)
    with_rows = with_rows if len(with_rows) else np.arange(len(tree.nodes))
    values = tree.values[with_rows]
    lowest, highest = float(values.min()), float(values.max())
    weight = np.maximum(tree.weight[with_rows], 1e-300)
    loss = np.maximum(tree.reader.loss(tree.nodes.total[with_rows]), 0.0)
    spread = np.sqrt(loss / weight) if tree.has_counts else np.zeros(len(values))
    ends = [float((values - spread).min()), float((values + spread).max())]
    for sketch in sketches:
        for count, mean, deviation in _entries(sketch):
            if count > 0:
                ends += [mean - deviation, mean + deviation]
    return ValueScale(lowest, highest, *round_axis(min(ends), max(ends)))


def _entries(sketch: Mapping[str, Any]) -> list[list[float]]:
    return [*sketch["counts"], *([sketch["missing"]] if "missing" in sketch else [])]


def round_axis(low: float, high: float) -> tuple[float, float]:
    """Return the ends of an axis with few digits that holds both numbers.

    Examples
    --------
    >>> round_axis(5.3, 49.2), round_axis(-0.013, 0.97), round_axis(3.0, 3.0)
    ((4.0, 50.0), (-0.05, 1.0), (3.0, 3.0))
    """
    span = high - low
    if not (0 < span < math.inf):
        return low, high
    least = span / 25
    power = 10.0 ** math.floor(math.log10(least))
    step = next((f * power for f in (1.0, 2.0, 5.0, 10.0) if f * power >= least), 10 * power)
    if not (step > 0 and math.isfinite(low / step) and math.isfinite(high / step)):
        return low, high
    digits = max(0, 1 - math.floor(math.log10(step)))
    start, end = math.floor(low / step) * step, math.ceil(high / step) * step
    rounded = (float(f"{start:.{digits}f}"), float(f"{end:.{digits}f}"))
    return rounded if rounded[0] <= low and rounded[1] >= high else (low, high)
