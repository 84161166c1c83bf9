"""Any file, frame or list of rows as a Table, with warnings about decisions made on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from penjing import arguments
from penjing.api.data_warnings import warn_of
from penjing.data.read import read as read_silently
from penjing.data.source import ColumnSchema, Source, Target, Weights
from penjing.data.table import Field, Table
from penjing.dialects.recipes import named_recipe
from penjing.errors import ChoiceError
from penjing.training.auto_recipe import is_auto


def read(
    source: Source,
    target: str | Field | Literal[False] | None = None,
    schema: Mapping[str, ColumnSchema] | Sequence[Field] | None = None,
    *,
    missing: Iterable[str] | Mapping[str, Iterable[str]] | None = None,
    encoding: str | None = None,
    weight: Weights | None = None,
    keep: str | Iterable[str] = (),
    dates: str | Iterable[str] | None = None,
    name: str | None = None,
    names: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    fold_case: bool | str | Iterable[str] = False,
    sheet: str | int | None = None,
    memory_limit: float | str | None = None,
    quiet: bool = False,
) -> Table:
    """Read a table and infer the type of each column.

    Parameters
    ----------
    source : path, "-", "example:NAME", bytes, open file, frame, array, list or dict
        CSV or TSV (also .gz), a workbook (.xlsx; with the extra ``excel``), ARFF, C4.5
        .names/.data/.test, Parquet, JSON lines or a JSON array; a pandas, polars or pyarrow
        frame; a NumPy array; a list of dicts; a list of rows; a dict ``{(values…): class}`` or
        ``{name: values}``. "-" is standard input, "example:watermelon2.0" a built-in table.
    target : str, False or None
        The column to predict. None: the target of the schema or of the file (ARFF, .names), a
        column that is called class, label, target, 类别 or 标签, or the last column if it has at
        most 20 distinct values. False: no target.
    schema : dict, or the fields of a tree
        The types of columns: ``{"编号": "ignore", "密度": "numeric", "色泽": ["青绿", "乌黑"],
        "size": {"ordinal": ["S", "M", "L"]}}``; the allowed words are categorical, ordinal,
        numeric, date, ignore, target and weight. With the fields of a tree, the table has
        exactly these columns; values that the tree has not seen come after its own categories.
    missing : list of str, or {"only": list of str}
        Markers of a missing value, in addition to the usual ones or instead of them. An empty cell
        is always missing. A tree that is grown from the table uses them for prediction, too.
    encoding : str
        The encoding of the text. By default it is detected: byte-order mark, UTF-8, GB18030,
        Big5, cp1252, in this order.
    weight : str or values
        The column with the weight of each row; or the weights themselves, one number per row.
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
    decimal : "." or ","
        The decimal mark of numbers in texts; the other one separates thousands. By default, for
        each column the one that fits all its values; a point if both do, with a note.
    fold_case : bool, str or list of str
        Treat categories that differ in case and blanks only as one, in all columns or in these.
        The most frequent spelling names it.
    sheet : str or int
        The sheet of a workbook, by name or number from 1. By default the first.
    memory_limit : int or str
        How much memory may be used, in bytes or as ``"2GB"``; by default half of the free memory.
        A source that needs more, compressed or not, is refused before it is loaded.
    quiet : bool
        Do not warn about the decisions that ``notes`` lists.

    Returns
    -------
    Table
        Its ``notes`` list the decisions made while reading, its ``left_out`` the columns that no
        tree may split on. How the table was read is kept in a tree that is grown from it, and
        applied to the rows that are read for the tree.

    Raises
    ------
    DataError
        The source is not readable, or a cell does not fit the type of its column.
    ChoiceError
        A named column does not exist, or no target can be found.

    Warns
    -----
    DataWarning
        For each of the table's ``notes``: a column left out, rows dropped, a type inferred.

    Examples
    --------
    >>> import penjing
    >>> rows = [[1, 1, "yes"], [1, 0, "no"], [0, 1, "no"]]
    >>> table = penjing.read(rows, "fish", names=["legs", "fins", "fish"])
    >>> table.names, table.target.name, table.target.levels
    (('legs', 'fins'), 'fish', ('yes', 'no'))
    """
    options = {**locals()}
    is_quiet = arguments.boolean("quiet", options.pop("quiet"))
    table = read_silently(**options)
    if not is_quiet:
        known = source.notes if isinstance(source, Table) else ()
        warn_of(note for note in table.notes if note not in known)
    return table


def read_rows(data: Source, target: Target | None, *, quiet: bool) -> Table:
    """Return the table of any data; the target may be given as values, as in ``fit(X, y)``."""
    if target is None or isinstance(target, str):
        with ExplainRecipeAsTarget(target):
            return read(data, target, quiet=quiet)
    return read(data, labels=target, quiet=quiet)


class ExplainRecipeAsTarget:
    """Say so in the error if the name of a recipe was given in the place of the target."""

    def __init__(self, target: object) -> None:
        self._target = target

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        target = self._target
        if (
            isinstance(error, ChoiceError)
            and isinstance(target, str)
            and error.key.startswith(("unknown_column", "other_target"))
            and target in (error.values.get("word"), error.values.get("target"))
            and (is_auto(target) or named_recipe(target))
        ):
            raise ChoiceError("target_is_recipe", word=target) from None
