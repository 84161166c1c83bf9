"""Read pandas, polars and pyarrow frames, NumPy arrays and penjing tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, count
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.read.dictionary import encode_numbers, encode_values, remap_codes
from penjing.data.read.python_rows import column_from_python, default_names, plain_value
from penjing.data.read.raw_columns import (
    EAGER_CHECK_SIZE,
    RawColumn,
    RawNumbers,
    RawTable,
    duplicate_column_error,
)
from penjing.data.row_ids import MAX_ROWS, RowIds
from penjing.data.table import MISSING, Kind, Table
from penjing.errors import ChoiceError, DataError, WrongTypeError

LABEL_NAMES = ("class", "target", "label", "y")
"""What labels without a name are called: the first name that no column has."""
NOT_LABELS = (str, bytes, bytearray, Mapping, AbstractSet)
"""Iterable types that do not have one label per row."""


def from_array(array: npt.NDArray[Any], names: Sequence[str] | None, name: str) -> RawTable:
    """Return the columns of an array: two-dimensional, or one-dimensional with named fields."""
    array = array if array.dtype.names else plain_array(array)
    if array.dtype.names and array.ndim == 1:
        column_names = [*(names if names is not None else array.dtype.names)]
        columns = [array[field] for field in array.dtype.names]
    elif array.ndim == 2:
        column_names = [*(names if names is not None else default_names(array.shape[1]))]
        columns = [*array.T]
    else:
        raise DataError("array_shape", source=name, n=array.ndim)
    if len(column_names) != len(columns):
        raise DataError("names_count", source=name, n=len(column_names), expected=len(columns))
    if not array.size:
        raise DataError("empty_table", source=name)
    source = {"name": name, "form": "array"}
    named_columns = [
        (str(column_name), values)
        for column_name, values in zip(column_names, columns, strict=True)
    ]
    is_small = array.dtype.kind == "f" and array.size <= EAGER_CHECK_SIZE
    if is_small and np.isfinite(array).all():  # checked once instead of column by column
        return RawTable(
            [
                RawNumbers(column_name, values, is_whole=True)
                for column_name, values in named_columns
            ],
            len(array),
            source,
        )
    return RawTable(
        [column_from_array(column_name, values, name) for column_name, values in named_columns],
        len(array),
        source,
    )


def add_labels(raw_table: RawTable, labels: Iterable[Any], target: str | None) -> RawTable:
    """Add labels that were passed separately, as the last column and the target."""
    if isinstance(labels, NOT_LABELS) or not isinstance(labels, Iterable):
        raise WrongTypeError("bad_labels", source=raw_table.name, value=labels)
    if getattr(labels, "ndim", 1) != 1:  # arrays and frames of several columns
        raise ChoiceError("bad_labels", source=raw_table.name, value=labels)
    values: Any = labels if hasattr(labels, "__len__") else [*labels]
    if len(values) != raw_table.n_rows:
        raise DataError(
            "labels_count", source=raw_table.name, n=len(values), expected=raw_table.n_rows
        )
    raw_table.target = target or _series_name(labels, raw_table) or _unused_name(raw_table)
    raw_table.columns.append(column_from_values(raw_table.target, values, raw_table.name))
    return raw_table


def _series_name(labels: Any, raw_table: RawTable) -> str | None:  # noqa: ANN401 - checked here
    """Return the name of a series of labels; None if it has none, or one that a column has."""
    if isinstance(labels, list | tuple | np.ndarray):
        return None
    name = getattr(labels, "name", None)
    return name if isinstance(name, str) and name and name not in raw_table.names else None


def _unused_name(raw_table: RawTable) -> str:
    """Return a name for labels that have none; a column may be called ``class``."""
    names = raw_table.names
    wanted = chain(LABEL_NAMES, (f"class_{i}" for i in count(2)))
    return next(name for name in wanted if name not in names)


def column_from_values(column_name: str, values: Any, name: str) -> RawColumn:  # noqa: ANN401 - an array, a series, a list
    """Return a column from an array, a series, or a list."""
    if isinstance(values, np.ndarray) and values.ndim == 1:
        return column_from_array(column_name, values, name)
    if not isinstance(values, (list, tuple)):
        import narwhals as nw  # noqa: PLC0415

        series = nw.from_native(values, pass_through=True, series_only=True)
        if isinstance(series, nw.Series):
            return column_from_series(column_name, series, name)
        values = values.to_pylist() if hasattr(values, "to_pylist") else values  # an Arrow array
    return column_from_python(column_name, values, name)


def column_from_sequence(column_name: str, values: Any, name: str) -> RawColumn:  # noqa: ANN401 - an array, a series, a list
    """Return a column of a dict of columns; arrays are read cell by cell, as lists are."""
    if isinstance(values, np.ndarray):
        return column_from_python(column_name, values, name)
    return column_from_values(column_name, values, name)


def column_from_array(column_name: str, values: npt.NDArray[Any], name: str) -> RawColumn:
    """Return a column from a one-dimensional array; numbers stay an array."""
    values = plain_array(values)
    if values.dtype.kind in "iuf":
        return RawNumbers(column_name, values)
    return column_from_python(column_name, values, name)


def plain_array(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array of NumPy's own class; masked values become NaN or None.

    Examples
    --------
    >>> plain_array(np.ma.masked_array([0.7, 0.2], [False, True]))
    array([0.7, nan])
    >>> plain_array(np.ma.masked_array([7, 2], [False, True]))
    array([7, None], dtype=object)
    """
    if not isinstance(values, np.ma.MaskedArray) or not np.ma.is_masked(values):
        return np.asarray(values)
    if values.dtype.kind == "f":
        return np.asarray(values.filled(np.nan))
    objects = np.asarray(values.data).astype(object)
    objects[np.ma.getmaskarray(values)] = None
    return objects


def column_from_numbers(
    column_name: str, numbers: npt.NDArray[Any], is_known: npt.NDArray[np.bool_]
) -> RawColumn:
    """Return a column from the numbers of the rows that are known; NaN is missing too."""
    codes = np.full(len(is_known), MISSING, np.int32)
    levels, codes[is_known] = encode_numbers(numbers)
    return RawColumn(column_name, levels, codes)


def from_table(table: Table) -> RawTable:
    """Return the columns of a Table, so that it can be read for another tree or target."""
    columns = [*table.columns, *([table.target] if table.target is not None else [])]
    return RawTable(
        [RawColumn(c.name, c.levels, c.codes, c.kind, is_fixed=not c.is_numeric) for c in columns],
        table.n_rows,
        {"name": "table", **table.source},
        target=None if table.target is None else table.target.name,
        is_chosen=True,
        weight=table.weight,
        row_numbers=table.row_numbers,
        row_ids=table.row_ids,
    )


def from_frame(source: Any, name: str) -> RawTable | None:  # noqa: ANN401 - any library's frame
    """Return the columns of a frame; categories keep their order.

    None if narwhals does not recognise the source as a frame.
    """
    series_list = frame_series(source, name)
    if series_list is None:
        return None
    if not series_list or not len(series_list[0]):
        raise DataError("empty_table", source=name)
    columns = [column_from_series(name_text(series.name), series, name) for series in series_list]
    n_rows = len(series_list[0])
    row_ids = _index_ids(source, n_rows)
    return RawTable(columns, n_rows, {"name": name, "form": "frame"}, row_ids=row_ids)


def _index_ids(source: Any, n_rows: int) -> RowIds | None:  # noqa: ANN401 - any library's frame
    """Return the named index of a frame of pandas as the ids of its rows, if they are distinct."""
    index: Any = getattr(source, "index", None)
    name = getattr(index, "name", None)
    if name is None or n_rows > MAX_ROWS or not getattr(index, "is_unique", False):
        return None
    values = np.empty(n_rows, object)
    values[:] = index.tolist()
    return RowIds(name_text(name), values)


def frame_series(source: Any, name: str) -> list[Any] | None:  # noqa: ANN401 - any library's frame
    """Return the columns of a frame as narwhals series; None if the source is not a frame."""
    import narwhals as nw  # noqa: PLC0415

    try:
        frame = nw.from_native(source, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
        return [*frame.iter_columns()] if isinstance(frame, nw.DataFrame) else None
    except nw.exceptions.DuplicateError:
        names = _native_names(source)  # 1 and True are the same name for pandas
        texts = [name_text(names[names.index(column_name)]) for column_name in names]
        raise duplicate_column_error(name, texts) from None


def column_from_series(column_name: str, series: Any, name: str) -> RawColumn:  # noqa: ANN401 - a narwhals series
    """Return a column from a series."""
    import narwhals as nw  # noqa: PLC0415

    if series.dtype in (nw.Categorical, nw.Enum):
        return _column_from_categories(column_name, series)
    if series.dtype.is_numeric():
        if series.dtype.is_decimal():
            return RawNumbers(column_name, exact_floats(series))
        if series.dtype in (nw.Int128, nw.UInt128):  # NumPy has no such type
            return column_from_python(column_name, series.to_list(), name)
        if series.dtype.is_float() or not series.null_count():
            numbers = np.asarray(series.to_numpy())
            if numbers.dtype.kind in "iuf":
                return RawNumbers(column_name, numbers)
        is_known = ~np.asarray(series.is_null().to_numpy(), np.bool_)
        return column_from_numbers(
            column_name, np.asarray(series.drop_nulls().to_numpy()), is_known
        )
    if series.dtype == nw.Duration:  # whole, where a Python value has no nanoseconds
        durations = np.asarray(series.to_numpy())
        if durations.dtype.kind == "m":
            return column_from_array(column_name, durations, name)
    return column_from_python(column_name, series.to_list(), name)


def exact_floats(series: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401 - a narwhals series
    """Return decimals or integers of any length as the nearest doubles, NaN for missing."""
    cells = series.to_list()
    return np.array([np.nan if cell is None else float(cell) for cell in cells], np.float64)


def _column_from_categories(column_name: str, series: Any) -> RawColumn:  # noqa: ANN401
    """Return a column with the declared categories in their order, unused ones included.

    polars shares the categories of a Categorical between columns, so that only those of this
    column are taken, in order of first appearance.
    """
    native = series.to_native()
    is_arrow = series.implementation.is_pyarrow()
    if hasattr(getattr(native, "dtype", None), "pyarrow_dtype"):  # Arrow's categories in pandas
        native, is_arrow = series.to_arrow(), True
    dtype = getattr(native, "dtype", getattr(native, "type", None))
    if is_arrow:
        array = _unify_chunks(native)
        categories = [_plain_category(value) for value in array.dictionary.to_pylist()]
        codes = np.asarray(
            array.indices.fill_null(MISSING).to_numpy(zero_copy_only=False), np.int32
        )
    elif series.implementation.is_pandas_like():
        categories = [_plain_category(value) for value in native.cat.categories]
        codes = np.asarray(native.cat.codes, np.int32)
    else:
        codes = native.to_physical().cast(int).fill_null(MISSING).to_numpy().astype(np.int32)
        if _is_enum(series):
            categories = [_plain_category(value) for value in series.dtype.categories]
        else:
            present = native.drop_nulls().unique(maintain_order=True)
            categories = [_plain_category(value) for value in present.to_list()]
            new_codes = np.full(int(codes.max()) + 1, MISSING, np.int32)
            new_codes[present.to_physical().to_numpy()] = np.arange(len(categories), dtype=np.int32)
            codes = remap_codes(new_codes, codes)
    distinct, new_codes = encode_values(categories)
    if len(distinct) < len(categories):  # Arrow allows nulls and duplicates among categories
        categories, codes = distinct, remap_codes(new_codes, codes)
    is_ordered = bool(getattr(dtype, "ordered", False))
    kind: Kind = "ordered" if is_ordered else "nominal"
    return RawColumn(column_name, categories, codes, kind, is_fixed=True)


def _unify_chunks(array: Any) -> Any:  # noqa: ANN401 - an array of Arrow, with or without chunks
    """Return an array of categories without chunks."""
    chunks = getattr(array, "chunks", [array])
    if any(chunk.dictionary.null_count for chunk in chunks):  # Arrow cannot unify these
        array = array.cast(array.type.value_type).dictionary_encode()
    if hasattr(array, "chunks"):
        array = array.unify_dictionaries().combine_chunks()
    return array.chunk(0) if hasattr(array, "chunk") else array


def _is_enum(series: Any) -> bool:  # noqa: ANN401 - a narwhals series
    import narwhals as nw  # noqa: PLC0415

    return bool(series.dtype == nw.Enum)


def frame_column_names(source: Any) -> list[str]:  # noqa: ANN401 - any library's frame
    """Return the names of a frame's columns as texts; duplicates are possible."""
    return [name_text(name) for name in _native_names(source)]


def _native_names(source: Any) -> list[Any]:  # noqa: ANN401 - any library's frame
    """Return the names of a frame's columns, which pandas allows to be of any type."""
    if hasattr(source, "column_names"):
        return [*source.column_names]
    is_lazy = hasattr(source, "collect_schema")
    return [*(source.collect_schema().names() if is_lazy else source.columns)]


def name_text(name: object) -> str:
    """Return a column's name as text; the parts of a multi-level name are joined by dots."""
    return ".".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _plain_category(value: Any) -> Any:  # noqa: ANN401
    """Return a category as a plain value; others, such as intervals, as text."""
    plain = plain_value(value)
    return str(value) if plain is NotImplemented else plain
