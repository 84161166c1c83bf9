"""Frames of pandas, polars and pyarrow, NumPy arrays, and tables of our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.errors import DataError
from penjing.read.cells import Cells, Sheet
from penjing.read.code import codes_of, ranks_of, through
from penjing.read.rows import numbered, plain_cells, plain_value
from penjing.table import MISSING, Table


def from_array(array: npt.NDArray[Any], names: Sequence[str] | None, name: str) -> Sheet:
    """Take a NumPy array: two dimensions, or one of records with names."""
    if array.dtype.names and array.ndim == 1:
        titles = [*(names if names is not None else array.dtype.names)]
        columns = [array[field] for field in array.dtype.names]
    elif array.ndim == 2:
        titles = [*(names if names is not None else numbered(array.shape[1]))]
        columns = [*array.T]
    else:
        raise DataError("array_shape", source=name, n=array.ndim)
    if len(titles) != len(columns):
        raise DataError("names_count", source=name, n=len(titles), expected=len(columns))
    if not array.size:
        raise DataError("empty_table", source=name)
    cells = [array_cells(str(t), values, name) for t, values in zip(titles, columns, strict=True)]
    return Sheet(cells, len(array), {"name": name, "form": "array"})


def array_cells(title: str, values: npt.NDArray[Any], name: str) -> Cells:
    """Make a column of an array; numbers stay an array."""
    if values.dtype.kind in "iuf":
        return Cells(title, *ranks_of(values))
    if values.dtype.kind in "mM":
        values = values.astype(f"{values.dtype.kind}8[us]")
    return plain_cells(title, values, name)


def from_table(table: Table) -> Sheet:
    """Take a table apart again, so that it can be read for a tree."""
    every = [*table.columns, *([table.target] if table.target is not None else [])]
    return Sheet(
        [Cells(c.name, c.levels, c.codes, c.kind, is_fixed=not c.is_numeric) for c in every],
        table.n_rows,
        {"name": "table", **table.source},
        target=None if table.target is None else table.target.name,
        is_chosen=True,
        weight=table.weight,
        row_numbers=table.row_numbers,
    )


def is_frame(source: object) -> bool:
    """Say whether narwhals knows what this is."""
    import narwhals as nw  # noqa: PLC0415

    native = nw.from_native(source, pass_through=True)
    return isinstance(native, (nw.DataFrame, nw.LazyFrame))


def from_frame(source: Any, name: str) -> Sheet:  # noqa: ANN401 - any library's frame
    """Take a frame; categories keep their order, ordered ones are ordered."""
    import narwhals as nw  # noqa: PLC0415

    frame = nw.from_native(source)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    columns = [*frame.iter_columns()]
    if not columns or not len(columns[0]):
        raise DataError("empty_table", source=name)
    cells = [frame_cells(str(series.name), series, name) for series in columns]
    return Sheet(cells, len(columns[0]), {"name": name, "form": "frame"})


def frame_cells(title: str, series: Any, name: str) -> Cells:  # noqa: ANN401 - a narwhals series
    """Make a column of one of a frame's."""
    import narwhals as nw  # noqa: PLC0415

    if series.dtype in (nw.Categorical, nw.Enum):
        return _categories(title, series)
    if series.dtype.is_numeric():
        if series.dtype.is_decimal() or series.is_null().any():
            series = series.cast(nw.Float64)
        return array_cells(title, np.asarray(series.to_numpy()), name)
    return plain_cells(title, series.to_list(), name)


def _categories(title: str, series: Any) -> Cells:  # noqa: ANN401
    """Keep declared categories in their order, those that no row shows included.

    Where a library shares its categories between columns, those of this column are taken in
    order of first appearance.
    """
    import narwhals as nw  # noqa: PLC0415

    native = series.to_native()
    kind = getattr(native, "dtype", getattr(native, "type", None))
    found, codes = codes_of([_level(value) for value in series.to_list()])
    is_declared = series.implementation.is_pandas_like() or series.dtype == nw.Enum
    declared = [_level(x) for x in series.cat.get_categories().to_list()] if is_declared else found
    place = {level: code for code, level in enumerate(declared)}
    moved = np.asarray([place.get(level, MISSING) for level in found], np.int32)
    is_ordered = bool(getattr(kind, "ordered", False))
    return Cells(
        title,
        declared,
        through(moved, codes),
        "ordered" if is_ordered else "nominal",
        is_fixed=True,
    )


def _level(value: Any) -> Any:  # noqa: ANN401
    """Return a category as a plain value; intervals and the like as their text."""
    plain = plain_value(value)
    return str(value) if plain is NotImplemented else plain
