"""What `read`, `fit` and `predict` accept as data, as one type."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy.typing as npt

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame, IntoSeries

    from penjing.data.table import Table

Source: TypeAlias = (
    "Table | str | os.PathLike[str] | Mapping[Any, Any] | Iterable[Any] | npt.NDArray[Any]"
    " | IntoFrame | IntoSeries"
)
"""A table, the path of a file, a frame (pandas, polars, pyarrow), an array, or rows; one row as a
dict or as a series of pandas."""

Target: TypeAlias = "str | Sequence[Any] | npt.NDArray[Any] | IntoSeries"
"""The target: a column by name, or its values, one per row."""

Weights: TypeAlias = "str | Sequence[float] | npt.NDArray[Any] | IntoSeries"
"""The weights of rows: a column by name, or one number per row."""

ClassNames: TypeAlias = "Sequence[str] | npt.NDArray[Any] | Mapping[Any, str]"
"""What classes are called in texts and pictures: by class, or in ascending order of classes."""

ArrayOrFrame: TypeAlias = "npt.ArrayLike | Sequence[Sequence[object]] | IntoFrame"
"""The rows that an estimator accepts: an array, lists of values, or a frame."""

Label: TypeAlias = str | int | float | bool
"""A class of the target, or the number that a regression tree predicts."""

ColumnSchema: TypeAlias = str | Sequence[Any] | Mapping[str, Any]
"""What a column is: a kind such as ``"numeric"``, its categories, or ``{"ordered": [...]}``."""

ForcedSplits: TypeAlias = Mapping[str, Any] | Sequence[str]
"""Splits of nodes by their paths: a column, a column with its threshold or groups, None for a leaf;
or texts ``PATH => SPLIT``."""
