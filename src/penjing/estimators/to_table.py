"""Rows and answers as scikit-learn hands them over, made into a table."""

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
from penjing.data.read.python_rows import default_names
from penjing.data.table import Codes, Column
from penjing.errors import CapabilityError, DataError


class SparseError(CapabilityError, TypeError):
    """Sparse rows are refused; scikit-learn raises a TypeError where it refuses them."""


class CellError(DataError, TypeError):
    """A cell is neither a number nor a text; scikit-learn raises a TypeError for such."""


def columns_of(estimator: Any, rows: Any, *, reset: bool) -> tuple[tuple[Column, ...], int]:  # noqa: ANN401
    """Return the columns of any array or frame, and the number of rows.

    With ``reset`` the estimator learns its number of columns and their names, without it they
    are checked against what it learnt.
    """
    if issparse(rows):
        raise SparseError("sparse_refused")
    if hasattr(rows, "collect"):  # a frame that has not been computed yet
        rows = rows.collect()
    found = None if isinstance(rows, np.ndarray | list | tuple) else frame_features(rows, "X")
    if found is None:
        rows = check_array(rows, dtype=None, ensure_all_finite=False, input_name="X")
    elif not len(rows):
        raise DataError("no_rows", source="X")
    if found is None or _get_feature_names(rows) is not None or not _are_texts(rows):
        validate_data(estimator, rows, reset=reset, skip_check_array=True)
    else:
        _check_names(estimator, rows, found[0], reset=reset)
    if found is None:
        names = getattr(estimator, "feature_names_in_", None)
        titles = default_names(rows.shape[1]) if names is None else [*map(str, names)]
        found = titles, _array_features(rows, titles)
    columns = tuple(_column(title, feature) for title, feature in zip(*found, strict=True))
    if estimator.refuses_missing:
        _refuse_missing(columns)
    return columns, len(rows)


def _refuse_missing(columns: tuple[Column, ...]) -> None:
    for column in columns:
        if column.has_missing:
            row = int((column.codes < 0).argmax()) + 1
            raise DataError("missing_feature", column=column.name, row=row)


def _check_names(estimator: Any, rows: Any, titles: list[str], *, reset: bool) -> None:  # noqa: ANN401
    """Learn or check the names of a frame of a kind that this scikit-learn does not know."""
    _check_n_features(estimator, rows, reset=reset)
    if reset:
        estimator.feature_names_in_ = np.asarray(titles, object)
        return
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and list(known) != titles:
        raise DataError("other_features", found=", ".join(titles), expected=", ".join(known))


def _are_texts(frame: Any) -> bool:  # noqa: ANN401 - any library's frame
    names = getattr(frame, "column_names", None) or frame.columns
    return all(isinstance(name, str) for name in names)


def _array_features(rows: npt.NDArray[Any], titles: list[str]) -> list[Feature]:
    if rows.dtype.kind in "biuf":
        numbers = np.asarray(rows, np.float64)
        return [*numbers.T]
    found = []
    for title, values in zip(titles, rows.T, strict=True):
        try:
            found.append(feature_from_values(title, values, "X"))
        except DataError as error:
            if error.key != "nested_cell":
                raise
            raise CellError("nested_argument", **error.values) from None
    return found


def _column(title: str, feature: Feature) -> Column:
    if isinstance(feature, Column):
        return feature
    column = LazyColumn(title, feature, "X")
    column.check_finite()
    return column


def _is_simple(y: Any) -> bool:  # noqa: ANN401 - any array-like
    """Whether answers are an array of whole numbers, of which nothing has to be checked."""
    return isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biu" and bool(y.size)


def coded(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Codes]:
    """Return the classes in their order, and the code of each row's."""
    if not _is_simple(y):
        check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.reshape(-1).astype(np.int32)


def answers_of(y: Any, n_rows: int) -> npt.NDArray[Any]:  # noqa: ANN401 - any array-like
    """Return one answer a row, none of them missing."""
    if y is None:
        raise DataError("no_answers")
    if issparse(y):
        raise SparseError("sparse_refused")
    if not _is_simple(y):
        y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
    if y.ndim == 2 and y.shape[1] > 1:
        raise CapabilityError("outputs_refused", n=y.shape[1])
    found: npt.NDArray[Any] = column_or_1d(y, warn=True)
    if len(found) != n_rows:
        raise DataError("labels_count", source="X", n=len(found), expected=n_rows)
    return found


def name_of(y: Any, columns: tuple[Column, ...]) -> str:  # noqa: ANN401 - any array-like
    """Return what the answers are called, by a name that no column has."""
    name = getattr(y, "name", None)
    found = name if isinstance(name, str) and name else "y"
    taken = {column.name for column in columns}
    while found in taken:
        found += "_"
    return found
