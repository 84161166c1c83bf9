"""Columns for the estimators: all of them are kept, and their types are not inferred."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.read.frames import (
    column_from_series,
    exact_floats,
    frame_column_names,
    frame_series,
)
from penjing.data.read.python_rows import column_from_python
from penjing.data.read.raw_columns import RawColumn
from penjing.data.table import Column, Floats
from penjing.errors import DataError

Feature = Floats | Column
"""An array of numbers, NaN for missing; or a categorical column."""


def frame_features(source: Any, name: str) -> tuple[list[str], list[Feature]] | None:  # noqa: ANN401
    """Return the names and columns of a frame; None if the source is not a frame.

    Examples
    --------
    >>> frame_features(np.zeros((2, 2)), "X") is None
    True
    """
    series_list = frame_series(source, name)
    if series_list is None:
        return None
    names = frame_column_names(source)
    columns = zip(names, series_list, strict=True)
    return names, [
        _feature_from_series(column_name, series, name) for column_name, series in columns
    ]


def _feature_from_series(column_name: str, series: Any, name: str) -> Feature:  # noqa: ANN401 - a narwhals series
    import narwhals as nw  # noqa: PLC0415

    if not series.dtype.is_numeric():
        return _feature_from_column(column_from_series(column_name, series, name), name)
    if series.dtype.is_decimal() or series.dtype in (nw.Int128, nw.UInt128):
        return exact_floats(series)
    if not series.null_count():
        return np.asarray(series.to_numpy(), np.float64)
    numbers = np.full(len(series), np.nan)
    is_known = ~np.asarray(series.is_null().to_numpy(), np.bool_)
    numbers[is_known] = np.asarray(series.drop_nulls().to_numpy(), np.float64)
    return numbers


def feature_from_values(
    column_name: str, values: npt.NDArray[Any] | Iterable[Any], name: str
) -> Feature:
    """Return a feature from Python values: numbers if all of them are, otherwise categories.

    Examples
    --------
    >>> feature_from_values("x1", [1, None, 2.5], "X")
    array([1. , nan, 2.5])
    >>> feature_from_values("x1", ["a", None, "b"], "X").codes
    array([ 0, -1,  1], dtype=int32)
    """
    return _feature_from_column(column_from_python(column_name, values, name), name)


def _feature_from_column(raw: RawColumn, name: str) -> Feature:
    levels = raw.plain_levels()
    if raw.declared in ("nominal", "ordered"):
        kind = "ordered" if raw.declared == "ordered" else "nominal"
        return Column(raw.name, kind, tuple(levels), raw.codes)  # type: ignore[arg-type]
    if any(isinstance(level, dt.date) for level in levels):
        raise DataError("dates_in_feature", source=name, column=raw.name)
    if all(isinstance(level, int | float) and not isinstance(level, bool) for level in levels):
        return np.append(np.asarray(levels, np.float64), np.nan)[raw.codes]
    return Column(raw.name, "nominal", tuple(levels), raw.codes)
