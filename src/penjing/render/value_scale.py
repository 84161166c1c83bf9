"""The scales of a picture of a regression tree: tints of predictions, and one axis for spreads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.render.theme import PALETTE, THEMES, Theme, blend, contrast
from penjing.text.labels import digits_between, number_text, without_rounding
from penjing.tree.tree_data import TreeData

DIGITS = 3
"""Numbers on pictures have so many significant digits, or more if their range is narrow."""
MAX_ZEROS = 6
"""More zeros after the digits are written as a power of ten."""
N_TINTS = 25
"""The number of different tints."""
WEAKEST, STRONGEST = 1.08, 3.2
"""The contrast of the weakest and the strongest tint with the card."""
LEGEND_STEPS = 6
"""The number of tints in the legend."""


def short_number(value: float, digits: int = DIGITS) -> str:
    """Return a number with a few significant digits; many zeros are a power of ten.

    Examples
    --------
    >>> short_number(45.0967), short_number(38.0), short_number(206855.8), short_number(1.2345e9)
    ('45.1', '38', '207000', '1.23e+09')
    """
    if not math.isfinite(value):
        return str(value)
    if abs(value) >= 10.0 ** (digits + MAX_ZEROS):
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        shortest = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{shortest}e{exponent}"
    return number_text(float(f"{value:.{digits}g}"))


def short_ends(low: float, high: float) -> tuple[str, str]:
    """Return the ends of an axis with as many digits as the distance between them needs.

    Examples
    --------
    >>> short_ends(0.42, 80.0), short_ends(1987.0, 2023.0)
    (('0.42', '80'), ('1987', '2023'))
    """
    digits = digits_between(low, high, DIGITS)
    return short_number(low, digits), short_number(high, digits)


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

    def text(self, value: float) -> str:
        """Return a value with as many digits as the range of the predictions needs."""
        ends = (self.lowest, self.highest)
        if not self.lowest < self.highest:
            ends = (self.axis_low, self.axis_high)
        return short_number(without_rounding(value, *ends), digits_between(*ends, DIGITS))

    def legend_values(self) -> list[float]:
        """Return the values whose tints the legend shows, in ascending order."""
        span = self.highest - self.lowest
        if not span > 0:
            return [self.lowest]
        return [self.lowest + span * k / (LEGEND_STEPS - 1) for k in range(LEGEND_STEPS)]


def squares_of(tree: TreeData) -> npt.NDArray[np.float64]:
    """Return the sum of squares about the mean of each node of a regression tree.

    It is the difference of two sums. One that is not larger than what these sums are rounded by is
    zero: a node whose rows have one number has no spread.
    """
    total = tree.nodes.total
    squares = np.asarray(tree.reader.loss(total), np.float64)
    n_added = np.maximum(total[:, 0], 2.0)
    if n_rows := tree.about.get("n_rows"):  # weights may add up to more
        n_added = np.minimum(n_added, float(n_rows) + 2.0)
    rounding = np.finfo(np.float64).eps * n_added * np.abs(total[:, 2])
    return np.where(squares > rounding, squares, 0.0)


def spreads_of(tree: TreeData) -> npt.NDArray[np.float64]:
    """Return the standard deviation of the target in each node of a regression tree."""
    return np.asarray(np.sqrt(squares_of(tree) / np.where(tree.weight > 0, tree.weight, 1.0)))


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
    spread = spreads_of(tree)[with_rows] if tree.has_counts else np.zeros(len(values))
    ends = [float((values - spread).min()), float((values + spread).max())]
    for sketch in sketches:
        for count, mean, deviation in _entries(sketch):
            if count > 0:
                ends += [mean - deviation, mean + deviation]
    return ValueScale(lowest, highest, *round_axis(min(ends), max(ends)))


def shared_scale(trees: Iterable[TreeData]) -> ValueScale | None:
    """Return one scale for several regression trees; None for classes.

    Examples
    --------
    >>> import penjing
    >>> shared_scale([penjing.fit(penjing.example("fish"))]) is None
    True
    """
    scales = [scale for tree in trees if (scale := value_scale(tree)) is not None]
    if not scales:
        return None
    return ValueScale(
        min(scale.lowest for scale in scales),
        max(scale.highest for scale in scales),
        *round_axis(
            min(scale.axis_low for scale in scales), max(scale.axis_high for scale in scales)
        ),
    )


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
