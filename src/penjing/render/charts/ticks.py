"""The ticks of an axis: round numbers with equally precise labels that do not overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence

from penjing.text.font_metrics import width as text_width

LABEL = 12.0
"""The size of labels."""
LINE_HEIGHT = 18.0
"""The distance of labels that stand above each other."""
GAP = 12.0
"""The least distance of labels that stand side by side."""
OUTSIDE = 22.0
"""A label may reach so far beyond the end of a horizontal axis."""
MAX_TICKS = 9
_LEAST_IN_FULL, _MOST_DECIMALS = 1e7, 6
Ticks = tuple[tuple[float, ...], tuple[str, ...]]


def ticks_between(
    low: float, high: float, room: float, *, whole: bool = False, is_vertical: bool = False
) -> Ticks:
    """Return the ticks between two numbers, and their labels.

    Parameters
    ----------
    low, high : float
        The ends of the axis.
    room : float
        Its length in pixels.
    whole : bool
        Whether only whole numbers are ticks.
    is_vertical : bool
        Whether labels stand above each other.

    Examples
    --------
    >>> ticks_between(-1e-7, 2.2e-7, 300)[1]
    ('-1e-07', '0', '1e-07', '2e-07')
    """
    finest: Ticks | None = None
    for factor, power in _steps((high - low) / MAX_TICKS, whole=whole):
        step = float(f"{factor}e{power}")
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        n = last - first + 1
        if n > MAX_TICKS:
            continue
        if n < 2 and finest is not None:
            break
        # Not place * step, which may be 0.30000000000000004.
        ticks = tuple(float(f"{place * factor}e{power}") for place in range(first, last + 1))
        found = ticks, tick_texts(ticks, power)
        needed = LINE_HEIGHT if is_vertical else max(map(_width, found[1]), default=0.0) + GAP
        if n < 2 or step / (high - low) * room >= needed:
            if is_vertical:
                return found
            found = _inside(found, low, high, room)
            if len(found[0]) > 1 or n < 2:
                return found
        finest = finest or found
    return ((), ()) if finest is None else _ends(finest, low, high, room)


def _steps(least: float, *, whole: bool) -> Sequence[tuple[int, int]]:
    """Return round steps in ascending order, as factors and powers of ten."""
    exponent = math.floor(math.log10(least))
    steps = [(factor, power) for power in range(exponent, exponent + 3) for factor in (1, 2, 5)]
    return [(f, p) for f, p in steps if (p >= 0 or not whole) and float(f"{f}e{p}") > 0]


def tick_texts(ticks: Sequence[float], power: int) -> tuple[str, ...]:
    """Return the labels of ticks, with the decimals that steps of 10 ** power need.

    Zero is 0. Either all other labels are powers of ten, or none is.

    Examples
    --------
    >>> tick_texts((0.0, 0.1, 0.2), -1), tick_texts((0.0, 20000.0), 4)
    (('0', '0.1', '0.2'), ('0', '20,000'))
    >>> tick_texts((0.0, 5e6, 1e7), 6), tick_texts((1600000200.0, 1600000400.0), 2)
    (('0', '5e+06', '1e+07'), ('1,600,000,200', '1,600,000,400'))
    """
    largest = max((abs(tick) for tick in ticks), default=0.0)
    if not largest > 0:
        return tuple("0" for _ in ticks)
    n_digits = _digits(largest, power)
    is_power = power < -_MOST_DECIMALS or (
        largest >= _LEAST_IN_FULL and (n_digits <= 6 or largest >= 1e15)
    )
    labels = []
    for tick in ticks:
        if tick == 0:
            labels.append("0")
        elif is_power:
            labels.append(f"{tick:.{min(_digits(tick, power), 17)}g}")
        else:
            labels.append(f"{tick:,.{max(0, -power)}f}")
    return tuple(labels)


def _digits(value: float, power: int) -> int:
    """Return the number of significant digits of a multiple of 10 ** power."""
    return max(math.floor(math.log10(abs(value))) - power + 1, 1)


def _width(text: str) -> float:
    return text_width(text, LABEL)


def _inside(found: Ticks, low: float, high: float, room: float) -> Ticks:
    """Return the ticks whose labels do not reach far beyond the ends of the axis."""
    shown = [
        (tick, label)
        for tick, label in zip(*found, strict=True)
        if _start(tick, label, low, high, room) >= -OUTSIDE
        and _start(tick, label, low, high, room) + _width(label) <= room + OUTSIDE
    ]
    return tuple(tick for tick, _ in shown), tuple(label for _, label in shown)


def _start(tick: float, label: str, low: float, high: float, room: float) -> float:
    """Return the left end of a label."""
    return (tick - low) / (high - low) * room - _width(label) / 2


def _ends(found: Ticks, low: float, high: float, room: float) -> Ticks:
    """Return the outermost ticks if there is room for their labels, else one in the middle."""
    ticks, labels = _inside(found, low, high, room)
    if not ticks:
        return ticks, labels
    starts = [_start(*pair, low, high, room) for pair in zip(ticks, labels, strict=True)]
    if len(ticks) > 1 and starts[-1] >= starts[0] + _width(labels[0]) + GAP:
        return (ticks[0], ticks[-1]), (labels[0], labels[-1])
    middle = len(ticks) // 2
    return (ticks[middle],), (labels[middle],)
