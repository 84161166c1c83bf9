"""Columns for an estimator: taken as they are, none judged, none left out, no text read anew."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.read.frames import column_from_series, exact_floats, frame_column_names
from penjing.data.read.python_rows import column_from_python
from penjing.data.read.raw_columns import RawColumn, duplicate_column_error
from penjing.data.table import Column, Floats
from penjing.errors import DataError

Feature = Floats | Column
"""A column of numbers, NaN where one is missing; or one of levels."""


def frame_features(source: Any, name: str) -> tuple[list[str], list[Feature]] | None:  # noqa: ANN401
    """Return the names and columns of a frame; None if this is no frame.

    Examples
    --------
    >>> frame_features(np.zeros((2, 2)), "X") is None
    True
    """
    import narwhals as nw  # noqa: PLC0415

    try:
        frame = nw.from_native(source, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
        if not isinstance(frame, nw.DataFrame):
            return None
    except nw.exceptions.DuplicateError:
        raise duplicate_column_error(name, frame_column_names(source)) from None
    titles = frame_column_names(source)
    every = zip(titles, frame.iter_columns(), strict=True)
    return titles, [_feature_from_series(title, series, name) for title, series in every]


def _feature_from_series(title: str, series: Any, name: str) -> Feature:  # noqa: ANN401 - a narwhals series
    import narwhals as nw  # noqa: PLC0415

    if not series.dtype.is_numeric():
        return _feature_from_column(column_from_series(title, series, name), name)
    if series.dtype.is_decimal() or series.dtype in (nw.Int128, nw.UInt128):
        return exact_floats(series)
    if not series.null_count():
        return np.asarray(series.to_numpy(), np.float64)
    found = np.full(len(series), np.nan)
    known = ~np.asarray(series.is_null().to_numpy(), np.bool_)
    found[known] = np.asarray(series.drop_nulls().to_numpy(), np.float64)
    return found


def feature_from_values(title: str, values: npt.NDArray[Any] | Iterable[Any], name: str) -> Feature:
    """Return a column of any Python values: numbers if all of them are, else levels.

    Examples
    --------
    >>> feature_from_values("x1", [1, None, 2.5], "X")
    array([1. , nan, 2.5])
    >>> feature_from_values("x1", ["a", None, "b"], "X").codes
    array([ 0, -1,  1], dtype=int32)
    """
    return _feature_from_column(column_from_python(title, values, name), name)


def _feature_from_column(cells: RawColumn, name: str) -> Feature:
    levels = cells.plain_levels()
    if cells.declared in ("nominal", "ordered"):
        kind = "ordered" if cells.declared == "ordered" else "nominal"
        return Column(cells.name, kind, tuple(levels), cells.codes)  # type: ignore[arg-type]
    if any(isinstance(level, dt.date) for level in levels):
        raise DataError("dates_in_feature", source=name, column=cells.name)
    if all(isinstance(level, int | float) and not isinstance(level, bool) for level in levels):
        return np.append(np.asarray(levels, np.float64), np.nan)[cells.codes]
    return Column(cells.name, "nominal", tuple(levels), cells.codes)
