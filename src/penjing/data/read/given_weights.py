"""Weights that are given beside the rows: an array, a series or a list, one number per row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from penjing.data.read.frames import plain_array
from penjing.data.table import Floats
from penjing.errors import ChoiceError, DataError, WrongTypeError


def are_values(weight: object) -> bool:
    """Return whether a weight is given as values and not as the name of a column."""
    return weight is not None and not isinstance(weight, str)


def weight_values(weight: Any, n_rows: int, source: str) -> Floats:  # noqa: ANN401 - checked here
    """Return one weight per row; raise an error for a wrong number of them, or for a bad one.

    Examples
    --------
    >>> weight_values([1, 2.5], 2, "table")
    array([1. , 2.5])
    """
    values = _as_floats(weight)
    if len(values) != n_rows:
        raise DataError("weight_count", source=source, n=len(values), expected=n_rows)
    for key, is_bad in (
        ("weight_missing", np.isnan(values)),
        ("weight_infinite", np.isinf(values)),
        ("weight_negative", values < 0),
    ):
        if is_bad.any():
            row = int(np.argmax(is_bad))
            raise DataError(key, row=row + 1, value=float(values[row]))
    return values


def _as_floats(weight: Any) -> Floats:  # noqa: ANN401 - checked here
    if isinstance(weight, bytes | bytearray | Mapping) or not isinstance(weight, Iterable):
        raise WrongTypeError("weight_values", value=weight)
    try:
        if isinstance(weight, np.ma.MaskedArray):
            weight = plain_array(weight)
        values = np.asarray(weight if hasattr(weight, "__len__") else list(weight))
        if values.dtype.kind == "O":  # such as a column of pandas with None
            values = np.array([np.nan if v is None else v for v in values.tolist()])
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise ChoiceError("weight_values", value=weight) from None
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        raise WrongTypeError("weight_values", value=weight)
    return values.astype(np.float64)
