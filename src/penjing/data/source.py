"""What `read`, `fit` and `predict` accept as data, as one type."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

    from penjing.data.table import Table

Source: TypeAlias = (
    "Table | str | os.PathLike[str] | Mapping[Any, Any] | Iterable[Any] | npt.NDArray[Any]"
    " | IntoFrame"
)
"""A table, the path of a file, a frame (pandas, polars, pyarrow), an array, or rows."""

ArrayOrFrame: TypeAlias = "npt.ArrayLike | Sequence[Sequence[object]] | IntoFrame"
"""The rows that an estimator accepts: an array, lists of values, or a frame."""

Label: TypeAlias = str | int | float | bool
"""A class of the target, or the number that a regression tree predicts."""

ColumnSchema: TypeAlias = str | Sequence[Any] | Mapping[str, Any]
"""What a column is: a kind such as ``"numeric"``, its categories, or ``{"ordered": [...]}``."""
