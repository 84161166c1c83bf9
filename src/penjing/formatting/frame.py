"""Results as pandas data frames; pandas is imported only when a frame is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from penjing.errors import CapabilityError

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame  # noqa: PLC0414, TID251 - the type only, for others to import


def frame_of(
    columns: Mapping[str, Sequence[object]], index: Sequence[object] | None = None, name: str = ""
) -> DataFrame:
    """Return columns as a data frame.

    Parameters
    ----------
    columns : mapping
        The values of each column, by name.
    index : sequence, optional
        The labels of the rows; by default they are numbered from 0.
    name : str
        The name of the index.

    Examples
    --------
    >>> frame_of({"correct": [7, 9]}, ["yes", "no"], "class")
           correct
    class
    yes          7
    no           9
    """
    try:
        import pandas as pd  # noqa: PLC0415, TID251 - results become frames of pandas here only
    except ImportError:
        raise CapabilityError("needs_pandas") from None
    frame = pd.DataFrame({key: list(values) for key, values in columns.items()})
    if index is not None:
        frame.index = pd.Index(list(index), name=name or None)
    return frame
