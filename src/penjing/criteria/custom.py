"""User-defined measures: any function of class counts, of one node or of many at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penjing.data.table import Floats
from penjing.errors import ChoiceError

Measure = Callable[[Any], Any]


def apply_measure(name: str, measure: Measure, counts: Floats) -> Floats:
    """Return the value of a function for each vector of class counts (the last axis).

    The function may take the counts of one node and return a number, or those of many nodes
    (one per row) and return a number for each; the second way is faster.

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
        values = _apply_to_all(measure, rows)
        if values is None:
            values = np.array([_apply_to_one(name, measure, row) for row in rows])
    for row in np.flatnonzero(~np.isfinite(values)):
        raise ChoiceError(
            "measure_not_finite", name=name, counts=rows[row].tolist(), value=float(values[row])
        )
    return values.reshape(counts.shape[:-1])


def _apply_to_all(measure: Measure, rows: Floats) -> Floats | None:
    """Return the measure of all rows by one call, None if the function does not work that way."""
    n, size = rows.shape
    # Rows are repeated: in a square array, sums along the wrong axis would have the right shape.
    n_repeats = 2 if n + 1 == size else 1
    try:
        values = np.asarray(
            measure(np.vstack([rows, rows[:1].repeat(n_repeats, axis=0)])), np.float64
        )
    except Exception:  # noqa: BLE001 - a user's function may raise anything
        return None
    if values.shape != (n + n_repeats,):
        return None
    try:
        single = float(measure(rows[0]))
    except Exception:  # noqa: BLE001 - as above; it takes many nodes only
        return values[:n]
    # A function that divides by the sum of its whole argument is wrong for many nodes.
    return values[:n] if np.isclose(values[0], single, 1e-9, 0, equal_nan=True) else None


def _apply_to_one(name: str, measure: Measure, row: Floats) -> float:
    try:
        return float(measure(row))
    except Exception as error:
        reason = f"{type(error).__name__}, {error}"
        raise ChoiceError(
            "measure_failed", name=name, counts=row.tolist(), reason=reason
        ) from error
