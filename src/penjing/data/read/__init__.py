"""Read any file, frame or list of rows as a Table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from penjing import arguments
from penjing.data.memory_limit import memory_bytes
from penjing.data.read.build_table import build_table, check_columns_exist
from penjing.data.read.conform import conform_to_fields
from penjing.data.read.csv_duckdb import column_hints
from penjing.data.read.dispatch import read_source
from penjing.data.read.example_files import example_target, is_example
from penjing.data.read.missing_markers import make_markers, serializable_markers
from penjing.data.read.schema import check_schema
from penjing.data.read.text_encoding import check_encoding
from penjing.data.source import ColumnSchema, Source
from penjing.data.table import Field, Table
from penjing.errors import ChoiceError, WrongTypeError

__all__ = ["read"]

SEPARATES_ROWS = '\r\n"'
"""Characters that cannot separate cells: they end rows or quote cells."""


def read(
    source: Source,
    target: str | Field | Literal[False] | None = None,
    schema: Mapping[str, ColumnSchema] | Sequence[Field] | None = None,
    *,
    missing: Iterable[str] | Mapping[str, Iterable[str]] | None = None,
    encoding: str | None = None,
    weight: str | None = None,
    keep: str | Iterable[str] = (),
    dates: str | Iterable[str] | None = None,
    name: str | None = None,
    names: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    separator: str | None = None,
    memory_limit: float | str | None = None,
) -> Table:
    """Read a table and infer the type of each column.

    Parameters
    ----------
    source : path, "-", "example:NAME", bytes, open file, frame, array, list or dict
        CSV or TSV (also .gz), ARFF, C4.5 .names/.data/.test, Parquet, JSON lines or a JSON
        array; a pandas, polars or pyarrow frame; a NumPy array; a list of dicts; a list of
        rows; a dict ``{(values…): class}`` or ``{name: values}``. "-" is standard input,
        "example:watermelon2.0" a built-in table.
    target : str, False or None
        The column to predict. None: the target of the schema or of the file (ARFF, .names), a
        column that is called class, label, target, 类别 or 标签, or the last column if it has at
        most 20 distinct values. False: no target.
    schema : dict, or the fields of a tree
        The types of columns: ``{"编号": "ignore", "密度": "numeric", "色泽": ["青绿", "乌黑"],
        "size": {"ordered": ["S", "M", "L"]}}``; the allowed words are nominal, ordered, numeric,
        date, ignore, target and weight. With the fields of a tree, the table has exactly these
        columns; values that the tree has not seen come after its own categories.
    missing : list of str, or {"only": list of str}
        Markers of a missing value, in addition to the usual ones or instead of them. An empty cell
        is always missing. A tree that is grown from the table uses them for prediction, too.
    encoding : str
        The encoding of the text. By default it is detected: byte-order mark, UTF-8, GB18030,
        Big5, cp1252, in this order.
    weight : str
        The column with the weight of each row.
    keep : str or list of str
        Columns to keep although they look like ids or dates.
    dates : str or list of str
        The columns to make from each date: year, month, day, weekday, hour, number.
    name : str
        The name of the source in messages.
    names : list of str
        The names of the columns, if the source has none.
    labels : list
        The class of each row, if the rows do not contain it.
    separator : str
        The character between the cells of a line. By default it is detected.
    memory_limit : int or str
        How much memory may be used, in bytes or as ``"2GB"``; by default half of the free memory.
        A source that needs more, compressed or not, is refused before it is loaded.

    Returns
    -------
    Table
        Its ``notes`` list the decisions made while reading, its ``left_out`` the columns that no
        tree may split on.

    Raises
    ------
    DataError
        The source is not readable, or a cell does not fit the type of its column.
    ChoiceError
        A named column does not exist, or no target can be found.

    Examples
    --------
    >>> table = read([[1, 1, "yes"], [1, 0, "no"], [0, 1, "no"]], names=["legs", "fins", "fish"])
    >>> table.names, table.target.name, table.target.levels
    (('legs', 'fins'), 'fish', ('yes', 'no'))
    """
    if isinstance(source, Table):
        if labels is not None:
            raise ChoiceError("table_is_read", name="labels")
        options = (target, schema, missing, encoding, weight, dates, name, names, separator)
        if isinstance(keep, tuple) and not keep and all(option is None for option in options):
            return source
    if is_example(source) and target is None and not schema:
        target = example_target(str(source))
    missing = serializable_markers(missing)
    if memory_limit is not None:
        memory_bytes(memory_limit)  # raises an error if it is invalid
    keep_names = arguments.texts("keep", keep)
    check_schema(schema)
    _check_call(target, separator, encoding=encoding, weight=weight, name=name)
    raw_table = read_source(
        source,
        encoding=encoding,
        name=name,
        names=names,
        labels=labels,
        separator=separator,
        target=target.name if isinstance(target, Field) else (target or None),
        hints=None if isinstance(source, np.ndarray) else column_hints(schema, missing),
        memory_limit=memory_limit,
    )
    if missing is not None:  # stored in the table, and in a tree that is grown from it
        raw_table.source = {**raw_table.source, "reading": {"missing": missing}}
    markers = make_markers(missing, usual=raw_table.has_usual_markers)
    if isinstance(schema, Mapping) or schema is None:
        return build_table(
            raw_table, markers, target, schema, weight=weight, keep=keep_names, dates=dates
        )
    check_columns_exist(raw_table, keep_names)
    return conform_to_fields(raw_table, markers, tuple(schema), target, weight=weight)


def _check_call(target: object, separator: object, **texts: object) -> None:
    """Check the arguments before anything is read."""
    if not (target is None or target is False or isinstance(target, str | Field)):
        raise WrongTypeError("bad_target", value=target)
    for parameter, value in texts.items():
        arguments.optional_text(parameter, value)
    if isinstance(texts["encoding"], str):
        check_encoding(texts["encoding"])
    if separator is None:
        return
    if not isinstance(separator, str) or len(separator) != 1 or separator in SEPARATES_ROWS:
        raise arguments.bad_value_error("bad_separator", "separator", separator, str)
