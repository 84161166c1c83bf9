"""Frames of pandas, polars and pyarrow, NumPy arrays, and tables of our own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing.data.read.dictionary import encode_numbers, remap_codes
from penjing.data.read.python_rows import column_from_python, default_names, plain_value
from penjing.data.read.raw_columns import (
    EAGER_CHECK_SIZE,
    RawColumn,
    RawNumbers,
    RawTable,
    duplicate_column_error,
)
from penjing.data.table import MISSING, Kind, Table
from penjing.errors import ChoiceError, DataError, WrongTypeError

NOT_LABELS = (str, bytes, bytearray, Mapping, AbstractSet)
"""What can be gone through, but does not say one thing of each row."""


def from_array(array: npt.NDArray[Any], names: Sequence[str] | None, name: str) -> RawTable:
    """Take a NumPy array: two dimensions, or one of records with names."""
    if array.dtype.names and array.ndim == 1:
        titles = [*(names if names is not None else array.dtype.names)]
        columns = [array[field] for field in array.dtype.names]
    elif array.ndim == 2:
        titles = [*(names if names is not None else default_names(array.shape[1]))]
        columns = [*array.T]
    else:
        raise DataError("array_shape", source=name, n=array.ndim)
    if len(titles) != len(columns):
        raise DataError("names_count", source=name, n=len(titles), expected=len(columns))
    if not array.size:
        raise DataError("empty_table", source=name)
    about = {"name": name, "form": "array"}
    pairs = [(str(title), values) for title, values in zip(titles, columns, strict=True)]
    is_small = array.dtype.kind == "f" and array.size <= EAGER_CHECK_SIZE
    if is_small and np.isfinite(array).all():  # looked at once, not column by column
        return RawTable(
            [RawNumbers(t, values, is_whole=True) for t, values in pairs], len(array), about
        )
    return RawTable([column_from_array(t, values, name) for t, values in pairs], len(array), about)


def add_labels(sheet: RawTable, labels: Iterable[Any], target: str | None) -> RawTable:
    """Add the classes that came apart from the rows, as the last column."""
    if isinstance(labels, NOT_LABELS) or not isinstance(labels, Iterable):
        raise WrongTypeError("bad_labels", source=sheet.name, value=labels)
    if isinstance(labels, np.ndarray) and labels.ndim != 1:
        raise ChoiceError("bad_labels", source=sheet.name, value=labels)
    values: Any = labels if hasattr(labels, "__len__") else [*labels]
    if len(values) != sheet.n_rows:
        raise DataError("labels_count", source=sheet.name, n=len(values), expected=sheet.n_rows)
    sheet.target = target or "class"
    sheet.columns.append(column_from_values(sheet.target, values, sheet.name))
    return sheet


def column_from_values(title: str, values: Any, name: str) -> RawColumn:  # noqa: ANN401 - an array, a series, a list
    """Make a column of values that came by themselves."""
    if isinstance(values, np.ndarray) and values.ndim == 1:
        return column_from_array(title, values, name)
    if not isinstance(values, (list, tuple)):
        import narwhals as nw  # noqa: PLC0415

        series = nw.from_native(values, pass_through=True, series_only=True)
        if isinstance(series, nw.Series):
            return column_from_series(title, series, name)
    return column_from_python(title, values, name)


def column_from_array(title: str, values: npt.NDArray[Any], name: str) -> RawColumn:
    """Make a column of an array; numbers stay an array."""
    if values.dtype.kind in "iuf":
        return RawNumbers(title, values)
    if values.dtype.kind in "mM":
        values = values.astype(f"{values.dtype.kind}8[us]")
    return column_from_python(title, values, name)


def column_from_numbers(
    title: str, numbers: npt.NDArray[Any], known: npt.NDArray[np.bool_]
) -> RawColumn:
    """Make a column of the numbers of the rows that are known; NaN is missing too."""
    codes = np.full(len(known), MISSING, np.int32)
    levels, codes[known] = encode_numbers(numbers)
    return RawColumn(title, levels, codes)


def from_table(table: Table) -> RawTable:
    """Take a table apart again, so that it can be read for a tree."""
    every = [*table.columns, *([table.target] if table.target is not None else [])]
    return RawTable(
        [RawColumn(c.name, c.levels, c.codes, c.kind, is_fixed=not c.is_numeric) for c in every],
        table.n_rows,
        {"name": "table", **table.source},
        target=None if table.target is None else table.target.name,
        is_chosen=True,
        weight=table.weight,
        row_numbers=table.row_numbers,
    )


def from_frame(source: Any, name: str) -> RawTable | None:  # noqa: ANN401 - any library's frame
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
        raise duplicate_column_error(name, frame_column_names(source)) from None
    if not columns or not len(columns[0]):
        raise DataError("empty_table", source=name)
    cells = [column_from_series(_name_text(series.name), series, name) for series in columns]
    return RawTable(cells, len(columns[0]), {"name": name, "form": "frame"})


def column_from_series(title: str, series: Any, name: str) -> RawColumn:  # noqa: ANN401 - a narwhals series
    """Make a column of one of a frame's."""
    import narwhals as nw  # noqa: PLC0415

    if series.dtype in (nw.Categorical, nw.Enum):
        return _column_from_categories(title, series)
    if series.dtype.is_numeric():
        if series.dtype.is_decimal():
            return RawNumbers(title, exact_floats(series))
        if series.dtype in (nw.Int128, nw.UInt128):  # NumPy has none
            return column_from_python(title, series.to_list(), name)
        if series.dtype.is_float() or not series.null_count():
            plain = np.asarray(series.to_numpy())
            if plain.dtype.kind in "iuf":
                return RawNumbers(title, plain)
        known = ~np.asarray(series.is_null().to_numpy(), np.bool_)
        return column_from_numbers(title, np.asarray(series.drop_nulls().to_numpy()), known)
    return column_from_python(title, series.to_list(), name)


def exact_floats(series: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401 - a narwhals series
    """Return decimals or integers of any length as the nearest doubles, NaN where there is none."""
    cells = series.to_list()
    return np.array([np.nan if cell is None else float(cell) for cell in cells], np.float64)


def _column_from_categories(title: str, series: Any) -> RawColumn:  # noqa: ANN401
    """Keep declared categories in their order, those that no row shows included.

    polars shares the categories of a Categorical between columns; those of this one are taken
    in order of first appearance.
    """
    native = series.to_native()
    kind = getattr(native, "dtype", getattr(native, "type", None))
    if series.implementation.is_pandas_like():
        declared = [_plain_category(value) for value in native.cat.categories]
        codes = np.asarray(native.cat.codes, np.int32)
    elif series.implementation.is_pyarrow():
        whole = native.unify_dictionaries().combine_chunks()
        whole = whole.chunk(0) if hasattr(whole, "chunk") else whole
        declared = [_plain_category(value) for value in whole.dictionary.to_pylist()]
        codes = np.asarray(
            whole.indices.fill_null(MISSING).to_numpy(zero_copy_only=False), np.int32
        )
    else:
        codes = native.to_physical().cast(int).fill_null(MISSING).to_numpy().astype(np.int32)
        if _is_enum(series):
            declared = [_plain_category(value) for value in series.dtype.categories]
        else:
            shown = native.drop_nulls().unique(maintain_order=True)
            declared = [_plain_category(value) for value in shown.to_list()]
            place = np.full(int(codes.max()) + 1, MISSING, np.int32)
            place[shown.to_physical().to_numpy()] = np.arange(len(declared), dtype=np.int32)
            codes = remap_codes(place, codes)
    is_ordered = bool(getattr(kind, "ordered", False))
    found: Kind = "ordered" if is_ordered else "nominal"
    return RawColumn(title, declared, codes, found, is_fixed=True)


def _is_enum(series: Any) -> bool:  # noqa: ANN401 - a narwhals series
    import narwhals as nw  # noqa: PLC0415

    return bool(series.dtype == nw.Enum)


def frame_column_names(source: Any) -> list[str]:  # noqa: ANN401 - any library's frame
    """Return the names of a frame's columns as texts, equal ones too."""
    if hasattr(source, "column_names"):
        return [_name_text(x) for x in source.column_names]
    lazy = source.collect_schema().names() if hasattr(source, "collect_schema") else source.columns
    return [_name_text(x) for x in lazy]


def _name_text(name: object) -> str:
    """Return a column's name as text; the parts of a name of several levels by dots."""
    return ".".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _plain_category(value: Any) -> Any:  # noqa: ANN401
    """Return a category as a plain value; intervals and the like as their text."""
    plain = plain_value(value)
    return str(value) if plain is NotImplemented else plain
