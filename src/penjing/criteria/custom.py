"""A measure of one's own: any function of class counts, for one node or for many at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penjing.data.table import Floats
from penjing.errors import ChoiceError

Measure = Callable[[Any], Any]


def apply_measure(name: str, measure: Measure, counts: Floats) -> Floats:
    """Return what a function makes of each vector of class counts (the last axis).

    The function may take the counts of one node and return a number, or those of many nodes
    (one a row) and return a number for each; the second way is quicker.

    Examples
    --------
    >>> counts = np.array([[3.0, 1.0], [2.0, 2.0], [4.0, 0.0]])
    >>> apply_measure("errors", lambda c: 1 - max(c) / sum(c), counts)
    array([0.25, 0.5 , 0.  ])
    >>> apply_measure("errors", lambda c: 1 - c.max(-1) / c.sum(-1), counts)
    array([0.25, 0.5 , 0.  ])
    """
    rows = counts.reshape(-1, counts.shape[-1])
    with np.errstate(all="ignore"):
        found = _at_once(measure, rows)
        if found is None:
            found = np.array([_alone(name, measure, row) for row in rows])
    for row in np.flatnonzero(~np.isfinite(found)):
        raise ChoiceError(
            "measure_not_finite", name=name, counts=rows[row].tolist(), value=float(found[row])
        )
    return found.reshape(counts.shape[:-1])


def _at_once(measure: Measure, rows: Floats) -> Floats | None:
    """Return the measure of all rows by one call, None if the function does not work that way."""
    n, size = rows.shape
    # Some rows come twice: in a square, sums along the wrong axis would have the right shape.
    again = 2 if n + 1 == size else 1
    try:
        found = np.asarray(measure(np.vstack([rows, rows[:1].repeat(again, axis=0)])), np.float64)
    except Exception:  # noqa: BLE001 - whatever a stranger's function raises
        return None
    if found.shape != (n + again,):
        return None
    try:
        alone = float(measure(rows[0]))
    except Exception:  # noqa: BLE001 - as above; it takes many nodes only
        return found[:n]
    # A function that divides by the sum of all it is given would be wrong for many nodes.
    return found[:n] if np.isclose(found[0], alone, 1e-9, 0, equal_nan=True) else None


def _alone(name: str, measure: Measure, row: Floats) -> float:
    try:
        return float(measure(row))
    except Exception as error:
        reason = f"{type(error).__name__}, {error}"
        raise ChoiceError(
            "measure_failed", name=name, counts=row.tolist(), reason=reason
        ) from error
