"""Reading: any file, frame or list of rows becomes a Table."""

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
from penjing.data.read.missing_markers import make_markers, serializable_markers
from penjing.data.read.schema import check_schema
from penjing.data.read.text_encoding import check_encoding
from penjing.data.table import Field, Table
from penjing.errors import ChoiceError, WrongTypeError

__all__ = ["read"]

SEPARATES_ROWS = '\r\n"'
"""Letters that mean something else in a text of rows."""


def read(
    source: Any,  # noqa: ANN401 - a path, bytes, an open file, a frame, an array, rows
    target: str | Field | Literal[False] | None = None,
    schema: Mapping[str, Any] | Sequence[Field] | None = None,
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
    """Read a table and say what each of its columns is.

    Parameters
    ----------
    source : path, "-", bytes, open file, frame, array, list or dict
        CSV or TSV (also .gz), ARFF, C4.5 .names/.data/.test, Parquet, JSON lines or a JSON
        array; a pandas, polars or pyarrow frame; a NumPy array; a list of dicts; a list of
        rows; a dict ``{(values…): class}`` or ``{name: values}``. "-" is standard input.
    target : str, False or None
        The column to learn. None: the schema's, the file's own (ARFF, .names), one that is
        called class, label, target, 类别 or 标签, or the last one if it has at most 20 distinct
        values. False: no target, every column is a question.
    schema : dict, or the fields of a tree
        What columns are: ``{"编号": "ignore", "密度": "numeric", "色泽": ["青绿", "乌黑"],
        "size": {"ordered": ["S", "M", "L"]}}``; the words are nominal, ordered, numeric, date,
        ignore, target and weight. With the fields of a tree the columns come out as these,
        and values that the tree does not know stand after its own levels.
    missing : list of str, or {"only": list of str}
        Words for a missing value, besides or instead of the usual ones. An empty cell always is.
        A tree that is grown from the table applies them to the rows that it predicts.
    encoding : str
        The encoding of the text, where the ladder BOM, UTF-8, GB18030, Big5, cp1252 errs.
    weight : str
        The column that says how much each row weighs.
    keep : str or list of str
        Columns to keep though they look like ids or dates.
    dates : str or list of str
        What to make of dates: year, month, day, weekday, hour, number.
    name : str
        How sentences call the source.
    names : list of str
        The names of the columns, where the source has none.
    labels : list
        The class of each row, where the rows do not hold it.
    separator : str
        What divides the cells of a line, where guessing errs.
    memory_limit : int or str
        How much memory may be used, in bytes or as ``"2GB"``; half of what is free where it is not
        said. A source that holds more, packed or not, is refused before it is in memory.

    Returns
    -------
    Table
        Its ``notes`` tell what was decided on the way, ``left_out`` which columns no tree may
        ask about.

    Raises
    ------
    DataError
        The source is not readable, or a cell is not what its column demands.
    ChoiceError
        A column that is named does not exist, or no target can be found.

    Examples
    --------
    >>> table = read([[1, 1, "yes"], [1, 0, "no"], [0, 1, "no"]], names=["legs", "fins", "fish"])
    >>> table.names, table.target.name, table.target.levels
    (('legs', 'fins'), 'fish', ('yes', 'no'))
    """
    if isinstance(source, Table):
        if labels is not None:
            raise ChoiceError("table_is_read", name="labels")
        how = (target, schema, missing, encoding, weight, dates, name, names, separator)
        if isinstance(keep, tuple) and not keep and all(said is None for said in how):
            return source
    missing = serializable_markers(missing)
    if memory_limit is not None:
        memory_bytes(memory_limit)  # refused here if it is none
    kept = arguments.texts("keep", keep)
    check_schema(schema)
    _check_call(target, separator, encoding=encoding, weight=weight, name=name)
    sheet = read_source(
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
    if missing is not None:  # kept by the table, and by a tree that is grown from it
        sheet.source = {**sheet.source, "reading": {"missing": missing}}
    marks = make_markers(missing, usual=sheet.has_usual_markers)
    if isinstance(schema, Mapping) or schema is None:
        return build_table(sheet, marks, target, schema, weight=weight, keep=kept, dates=dates)
    check_columns_exist(sheet, kept)
    return conform_to_fields(sheet, marks, tuple(schema), target, weight=weight)


def _check_call(target: object, separator: object, **texts: object) -> None:
    """Refuse what cannot be used, before anything is read."""
    if not (target is None or target is False or isinstance(target, str | Field)):
        raise WrongTypeError("bad_target", value=target)
    for called, value in texts.items():
        arguments.optional_text(called, value)
    if isinstance(texts["encoding"], str):
        check_encoding(texts["encoding"])
    if separator is None:
        return
    if not isinstance(separator, str) or len(separator) != 1 or separator in SEPARATES_ROWS:
        raise arguments.bad_value_error("bad_separator", "separator", separator, str)
