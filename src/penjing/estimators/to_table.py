"""X and y of scikit-learn's interface as the columns of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_n_features,
    _get_feature_names,
    check_array,
    column_or_1d,
    validate_data,
)

from penjing.data.lazy_column import LazyColumn
from penjing.data.read.features import Feature, feature_from_values, frame_features
from penjing.data.read.frames import plain_array
from penjing.data.read.python_rows import default_names, plain_value
from penjing.data.table import Codes, Column
from penjing.errors import CapabilityError, DataError
from penjing.i18n import Names


class SparseError(CapabilityError, TypeError):
    """Sparse rows are not supported; a TypeError as in scikit-learn."""


class CellError(DataError, TypeError):
    """A cell is neither a number nor text; a TypeError as in scikit-learn."""


def read_columns(estimator: Any, rows: Any, *, reset: bool) -> tuple[tuple[Column, ...], int]:  # noqa: ANN401
    """Return the columns of any array or frame, and the number of rows.

    With ``reset`` the number and names of the columns are stored in the estimator; without it
    they are compared with the stored ones.
    """
    if issparse(rows):
        raise SparseError("sparse_refused")
    if hasattr(rows, "collect"):  # a lazy frame
        rows = rows.collect()
    if isinstance(rows, np.ma.MaskedArray):
        rows = plain_array(rows)
    frame = None if isinstance(rows, np.ndarray | list | tuple) else frame_features(rows, "X")
    if frame is None:
        rows = check_array(rows, dtype=None, ensure_all_finite=False, input_name="X")
    elif not len(rows):
        raise DataError("no_rows", source="X")
    if frame is None or _get_feature_names(rows) is not None or not _has_text_names(rows):
        validate_data(estimator, rows, reset=reset, skip_check_array=True)
    else:
        _check_names(estimator, rows, frame[0], reset=reset)
    if frame is None:
        names = getattr(estimator, "feature_names_in_", None)
        names = default_names(rows.shape[1]) if names is None else [*map(str, names)]
        frame = names, _array_features(rows, names)
    columns = tuple(_make_column(name, feature) for name, feature in zip(*frame, strict=True))
    if estimator.refuses_missing:
        _refuse_missing(columns)
    return columns, len(rows)


def _refuse_missing(columns: tuple[Column, ...]) -> None:
    for column in columns:
        if column.has_missing:
            row = int((column.codes < 0).argmax()) + 1
            raise DataError("missing_feature", column=column.name, row=row)


def _check_names(estimator: Any, rows: Any, names: list[str], *, reset: bool) -> None:  # noqa: ANN401
    """Store or check the names of a frame of a kind that scikit-learn does not support."""
    _check_n_features(estimator, rows, reset=reset)
    if reset:
        estimator.feature_names_in_ = np.asarray(names, object)
        return
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and list(known) != names:
        raise DataError("other_features", found=Names(names), expected=Names(known))


def _has_text_names(frame: Any) -> bool:  # noqa: ANN401 - any frame
    names = getattr(frame, "column_names", None) or frame.columns
    return all(isinstance(name, str) for name in names)


def _array_features(rows: npt.NDArray[Any], names: list[str]) -> list[Feature]:
    if rows.dtype.kind in "biuf":
        numbers = np.asarray(rows, np.float64)
        return [*numbers.T]
    features = []
    for name, values in zip(names, rows.T, strict=True):
        try:
            features.append(feature_from_values(name, values, "X"))
        except DataError as error:
            if error.key != "nested_cell":
                raise
            raise CellError("nested_argument", **error.values) from None
    return features


def _make_column(name: str, feature: Feature) -> Column:
    if isinstance(feature, Column):
        return feature
    column = LazyColumn(name, feature, "X")
    column.check_finite()
    return column


def _are_whole_numbers(y: Any) -> bool:  # noqa: ANN401 - any array-like
    """Return whether y is an array of integers, which needs no further check."""
    return isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biu" and bool(y.size)


def encode_classes(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Codes]:
    """Return the sorted classes, and the code of each row's class."""
    if not _are_whole_numbers(y):
        check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.reshape(-1).astype(np.int32)


def check_target(y: Any, n_rows: int) -> npt.NDArray[Any]:  # noqa: ANN401 - any array-like
    """Return y as an array with one value per row, none missing."""
    if y is None:
        raise DataError("no_labels")
    if issparse(y):
        raise SparseError("sparse_refused")
    if isinstance(y, np.ma.MaskedArray):
        y = plain_array(y)
    if not _are_whole_numbers(y):
        _refuse_missing_labels(y)
        y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
    if y.ndim == 2 and y.shape[1] > 1:
        raise CapabilityError("outputs_refused", n=y.shape[1])
    target: npt.NDArray[Any] = column_or_1d(y, warn=True)
    if len(target) != n_rows:
        raise DataError("labels_count", source="X", n=len(target), expected=n_rows)
    return target


def _refuse_missing_labels(y: Any) -> None:  # noqa: ANN401 - any array-like
    """Raise an error for None, NaN, NaT or NA among Python objects.

    scikit-learn checks arrays of floats; objects it compares or makes texts, so that NaN could
    become a class.
    """
    kind = getattr(getattr(y, "dtype", None), "kind", "O")
    if kind in "biufUSmM" or getattr(y, "ndim", 1) != 1:
        return
    try:
        cells = y.tolist() if hasattr(y, "tolist") else [*y]
    except TypeError:  # scikit-learn says what is wrong with it
        return
    if {*map(type, cells)} <= {str, int, bool}:  # quick for many rows
        return
    for row, cell in enumerate(cells, start=1):
        if plain_value(cell) is None:
            raise DataError("missing_label", row=row)


def target_name(y: Any, columns: tuple[Column, ...]) -> str:  # noqa: ANN401 - any array-like
    """Return the name of y, made different from the names of all columns."""
    name = getattr(y, "name", None)
    unused = name if isinstance(name, str) and name else "y"
    column_names = {column.name for column in columns}
    while unused in column_names:
        unused += "_"
    return unused
