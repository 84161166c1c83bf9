"""Frames of pandas, polars and pyarrow, NumPy arrays, and tables of our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.errors import DataError
from penjing.read.cells import Cells, Sheet
from penjing.read.code import codes_of, ranks_of, through
from penjing.read.rows import from_rows, plain_cells
from penjing.table import MISSING, Table


def from_array(array: npt.NDArray[Any], names: Sequence[str] | None, name: str) -> Sheet:
    """Take a NumPy array: two dimensions, or one of records with names."""
    if array.dtype.names:
        titles: Sequence[str] = names if names is not None else array.dtype.names
        columns = [array[field] for field in array.dtype.names]
    elif array.ndim == 2:
        n_columns = array.shape[1]
        titles = names if names is not None else [f"x{n}" for n in range(1, n_columns + 1)]
        columns = [*array.T]
    else:
        raise DataError("array_shape", source=name, n=array.ndim)
    if len(titles) != len(columns):
        raise DataError("names_count", source=name, n=len(titles), expected=len(columns))
    if not len(array):
        raise DataError("empty_file", source=name)
    if not columns:
        return from_rows([[] for _ in array], [], name)
    cells = [array_cells(str(t), column, name) for t, column in zip(titles, columns, strict=True)]
    return Sheet(cells, len(array), {"name": name, "form": "array"})


def array_cells(title: str, values: npt.NDArray[Any], name: str) -> Cells:
    """Make a column of an array; numbers stay an array."""
    if values.dtype.kind in "iuf":
        return Cells(title, *ranks_of(values))
    if values.dtype.kind == "M":
        values = values.astype("datetime64[us]")
    return plain_cells(title, values, name)


def from_table(table: Table) -> Sheet:
    """Take a table apart again, so that it can be read for a tree."""
    every = [*table.columns, *([table.target] if table.target is not None else [])]
    cells = [
        Cells(c.name, c.levels, c.codes, c.kind, is_fixed=not c.is_numeric) for c in every
    ]
    source = {"name": "table", **table.source}
    goal = table.target.name if table.target is not None else None
    return Sheet(cells, table.n_rows, source, [], goal, is_chosen=True)


def is_frame(source: object) -> bool:
    """Say whether narwhals knows what this is."""
    import narwhals as nw  # noqa: PLC0415

    try:
        nw.from_native(source)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def from_frame(source: Any, name: str) -> Sheet:  # noqa: ANN401 - any library's frame
    """Take a frame; categories keep their order, ordered ones are ordered."""
    import narwhals as nw  # noqa: PLC0415

    frame = nw.from_native(source)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    titles = [str(title) for title in frame.columns]
    if not len(frame):
        raise DataError("no_rows" if titles else "empty_file", source=name)
    cells = [
        frame_cells(title, frame[column], name)
        for title, column in zip(titles, frame.columns, strict=True)
    ]
    return Sheet(cells, len(frame), {"name": name, "form": "frame"})


def frame_cells(title: str, series: Any, name: str) -> Cells:  # noqa: ANN401 - a narwhals series
    """Make a column of one of a frame's."""
    import narwhals as nw  # noqa: PLC0415

    kind = series.dtype
    if kind == nw.Categorical or kind == nw.Enum:  # noqa: PLR1714 - Enum compares by class only
        return _categories(title, series)
    if kind.is_numeric():
        if kind.is_decimal() or series.is_null().any():
            series = series.cast(nw.Float64)
        return array_cells(title, np.asarray(series.to_numpy()), name)
    return plain_cells(title, series.to_list(), name)


def _categories(title: str, series: Any) -> Cells:  # noqa: ANN401
    """Keep declared categories in their order, those that no row shows included."""
    import narwhals as nw  # noqa: PLC0415

    native = series.to_native()
    kind = getattr(native, "dtype", getattr(native, "type", None))
    is_ordered = bool(getattr(kind, "ordered", False))
    values = series.to_list()
    found, codes = codes_of([None if value != value else value for value in values])
    is_declared = series.implementation.is_pandas_like() or series.dtype == nw.Enum
    declared = [*series.cat.get_categories().to_list()] if is_declared else found
    place = {level: code for code, level in enumerate(declared)}
    moved = np.asarray([place.get(level, MISSING) for level in found], np.int32)
    return Cells(
        title,
        declared,
        through(moved, codes),
        "ordered" if is_ordered else "nominal",
        is_fixed=True,
    )
