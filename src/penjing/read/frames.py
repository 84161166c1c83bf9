"""Frames of pandas, polars and pyarrow, NumPy arrays, and tables of our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.errors import DataError
from penjing.read.cells import Cells, Sheet, twins
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
        return number_cells(title, values, np.ones(len(values), np.bool_))
    if values.dtype.kind in "mM":
        values = values.astype(f"{values.dtype.kind}8[us]")
    return plain_cells(title, values, name)


def number_cells(title: str, numbers: npt.NDArray[Any], known: npt.NDArray[np.bool_]) -> Cells:
    """Make a column of the numbers of the rows that are known; NaN is missing too."""
    codes = np.full(len(known), MISSING, np.int32)
    levels, codes[known] = ranks_of(numbers)
    return Cells(title, levels, codes)


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


def from_frame(source: Any, name: str) -> Sheet | None:  # noqa: ANN401 - any library's frame
    """Take a frame; categories keep their order, ordered ones are ordered.

    None if narwhals does not know what this is.
    """
    import narwhals as nw  # noqa: PLC0415

    try:
        frame = nw.from_native(source, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
        if not isinstance(frame, nw.DataFrame):
            return None
        columns = [*frame.iter_columns()]
    except nw.exceptions.DuplicateError:
        titles = [_title(x) for x in getattr(source, "column_names", source.columns)]
        raise twins(name, titles) from None
    if not columns or not len(columns[0]):
        raise DataError("empty_table", source=name)
    cells = [frame_cells(_title(series.name), series, name) for series in columns]
    return Sheet(cells, len(columns[0]), {"name": name, "form": "frame"})


def frame_cells(title: str, series: Any, name: str) -> Cells:  # noqa: ANN401 - a narwhals series
    """Make a column of one of a frame's."""
    import narwhals as nw  # noqa: PLC0415

    if series.dtype in (nw.Categorical, nw.Enum):
        return _categories(title, series)
    if series.dtype.is_numeric():
        known = ~np.asarray(series.is_null().to_numpy(), np.bool_)
        if series.dtype.is_decimal():
            series = series.cast(nw.Float64)
        return number_cells(title, np.asarray(series.drop_nulls().to_numpy()), known)
    return plain_cells(title, series.to_list(), name)


def _categories(title: str, series: Any) -> Cells:  # noqa: ANN401
    """Keep declared categories in their order, those that no row shows included.

    polars shares the categories of a Categorical between columns; those of this one are taken
    in order of first appearance.
    """
    native = series.to_native()
    kind = getattr(native, "dtype", getattr(native, "type", None))
    found, codes = codes_of([_level(value) for value in series.to_list()])
    declared = found
    if series.implementation.is_pandas_like():
        declared = [_level(value) for value in native.cat.categories]
    elif hasattr(series.dtype, "categories"):
        declared = [_level(value) for value in series.dtype.categories]
    elif series.implementation.is_pyarrow() and native.num_chunks:
        declared = native.unify_dictionaries().chunk(0).dictionary.to_pylist()
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


def _title(name: object) -> str:
    """Return a column's name as text; the parts of a name of several levels by dots."""
    return ".".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _level(value: Any) -> Any:  # noqa: ANN401
    """Return a category as a plain value; intervals and the like as their text."""
    plain = plain_value(value)
    return str(value) if plain is NotImplemented else plain
