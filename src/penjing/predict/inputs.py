"""Rows of any source, coded as a tree codes them: by column name and by level."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from penjing.arguments import as_list
from penjing.data.notes import quoted, record_notes
from penjing.data.read import read
from penjing.data.read.frames import name_text
from penjing.data.read.level_index import LevelIndex
from penjing.data.read.missing_markers import Markers, make_markers
from penjing.data.read.numbers import SHARES, parse_numbers
from penjing.data.read.reading import (
    FileLayout,
    Reading,
    merge_readings,
)
from penjing.data.table import MISSING, Codes, Column, Field, Note, Table, numeric
from penjing.errors import DataError, WrongTypeError, unknown_name_error
from penjing.tree.nodes import LEAF
from penjing.tree.tree_data import TreeData


def align(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `read` can read
    *others: TreeData,
) -> Table:
    """Return the rows of a source with exactly the columns of a tree, coded by its levels.

    Levels are matched by value, then by text. One that the tree has never seen gets a code of
    ``len(levels)`` or more. A column that the tree does not use may be absent; it is then missing
    in every row.

    Parameters
    ----------
    tree : TreeData
        The tree whose columns, levels and classes are used.
    source : Table or source
        A table, one row as a dict, or anything that :func:`penjing.read` can read.
    *others : TreeData
        Trees with the same columns that shall predict these rows, too.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"texture": {"clear": "ripe", "faint": "not"}})
    >>> from penjing.data.table import nominal
    >>> table = Table((nominal("texture", ["faint", "odd", "clear"]),), None, 3)
    >>> align(tree, table).columns[0].codes
    array([1, 2, 0], dtype=int32)
    """
    used = _used_names(tree).union(*map(_used_names, others))
    return align_to(tree.schema, tree.target, source, used, reading=tree.reading)


def align_all(
    tree: TreeData,
    source: Any,  # noqa: ANN401 - whatever `read` can read
    *,
    keeps_weight: bool = False,
) -> Table:
    """Return every row of a source for prediction, with or without a class.

    :func:`align` leaves out rows whose class is missing, as reading for training or testing does.
    With ``keeps_weight`` the rows are weighted as in training, if they have that column.

    Examples
    --------
    >>> import penjing
    >>> nested = {"texture": {"clear": "ripe", "faint": "not"}}
    >>> tree = penjing.Tree.from_dict(nested, target="melon")
    >>> rows = [{"texture": "clear", "melon": None}, {"texture": "faint", "melon": "not"}]
    >>> align_all(tree, rows).n_rows, align(tree, rows).n_rows
    (2, 1)
    """
    return align_to(
        tree.schema,
        tree.target,
        source,
        _used_names(tree),
        aim=False,
        reading=tree.reading,
        keeps_weight=keeps_weight,
    )


def align_labelled(tree: TreeData, source: Any, labels: Any) -> Table:  # noqa: ANN401 - as in `read`
    """Return the rows of a source as `align` does, with a target that is given beside them.

    Parameters
    ----------
    tree : TreeData
        The tree whose columns, levels and classes are used.
    source : Table or source
        The rows; a target among their columns is not used.
    labels : values
        The class (or number) of each row: a list, an array or a series.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"texture": {"clear": "ripe", "faint": "not"}})
    >>> align_labelled(tree, [{"texture": "faint"}], ["not"]).target.values()
    ['not']
    """
    rows = align_all(tree, source)
    name = str(rows.source.get("name", "table"))
    is_array = isinstance(labels, np.ndarray) and labels.ndim == 1
    values = labels.tolist() if is_array else as_list(labels)
    if values is None:
        raise WrongTypeError("bad_labels", source=name, value=labels)
    if len(values) != rows.n_rows:
        raise DataError("labels_count", source=name, n=len(values), expected=rows.n_rows)
    target = read([[value] for value in values], False, [tree.target], names=[tree.target.name])
    return replace(rows, target=target.columns[0])


def reading_of(*trees: TreeData | Table) -> dict[str, Any] | None:
    """Return how the tables of trees were read, or how a table was; None if there is no record.

    For trees that were trained on tables read in different ways it is what they have in common;
    each tree applies its own reading to a table that was read in this way.
    """
    readings = [Reading.from_json(_kept_reading(tree)) for tree in trees]
    names = [{field.name for field in tree.schema} for tree in trees]
    return merge_readings(readings, names).to_json() or None


def _kept_reading(one: TreeData | Table) -> Mapping[str, Any] | None:
    reading = one.reading if isinstance(one, TreeData) else one.source.get("reading")
    return reading if isinstance(reading, Mapping) else None


def complete_row(tree: TreeData, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with None for the columns it lacks; a date stands for the columns made from it.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.Tree.from_dict({"texture": {"clear": "ripe", "faint": "not"}})
    >>> complete_row(tree, {})
    {'texture': None}
    """
    complete: dict[str, Any] = {}
    for field in tree.schema:
        date = date_of(tree, field.name)
        name = date if field.name not in row and date in row else field.name
        complete[str(name)] = row.get(str(name))
    return complete


def date_of(tree: TreeData, name: str) -> str | None:
    """Return the column of dates that a column such as ``signup.month`` was made from."""
    stem, _, part = name.rpartition(".")
    parts = Reading.from_json(tree.reading).column(stem).date_parts
    return stem if part in parts else None


def row_names(tree: TreeData) -> list[str]:
    """Return the names that a row for a tree may have: its columns, and its dates."""
    names = [field.name for field in tree.schema]
    dates = [date for name in names if (date := date_of(tree, name)) is not None]
    return [*names, *dict.fromkeys(dates)]


def _used_names(tree: TreeData) -> set[str]:
    return {tree.schema[c].name for c in used_columns(tree)}


def used_columns(tree: TreeData, *, with_surrogates: bool = True) -> list[int]:
    """Return the columns that a tree splits on, in surrogates, too."""
    # Not np.unique: that loads numpy.ma, 2 MB and 7 ms of the first fit.
    counts = np.bincount(tree.nodes.column - LEAF)
    counts[0] = 0  # the leaves
    split_columns: list[int] = (counts.nonzero()[0] + LEAF).tolist()
    if not (with_surrogates and tree.nodes.surrogates):
        return split_columns
    surrogate_columns = {s.column for tests in tree.nodes.surrogates.values() for s in tests}
    return sorted(surrogate_columns.union(split_columns))


def align_to(
    schema: Sequence[Field],
    target: Field | None,
    source: Any,  # noqa: ANN401 - whatever `read` can read
    needed: Collection[str] | None = None,
    *,
    aim: bool = True,
    reading: Mapping[str, Any] | Reading | None = None,
    keeps_weight: bool = False,
) -> Table:
    """Return the rows of a source with exactly these columns, and this target if it has it.

    Parameters
    ----------
    schema : sequence of Field
        The columns, in their order.
    target : Field or None
        The target; unknown classes come after its own.
    source : Table or source
        The rows.
    needed : collection of str, optional
        Names of the columns that must be present; by default, all of them.
    aim : bool
        Whether the target is read, too; rows without it are then left out.
    reading : dict or Reading, optional
        How the table of the tree was read, as its model stores it. A table that was read with
        markers of its own keeps those.
    keeps_weight : bool
        Whether rows that are read without the target are weighted as in training.
    """
    wanted = [f for f in schema if needed is None or f.name in needed]
    if not isinstance(source, Table):
        source = as_row(source)
        if isinstance(source, Mapping) and is_row(source):
            source = [source]
        if wanted and _are_empty_rows(source):  # they would be read as no rows
            raise unknown_name_error("unknown_column", wanted[0].name, ())
        names = _names(source, [f.name for f in schema], target)
        like = layout_of(reading or {}, schema, target)
        aimed = (aim and target) or False
        table = read(source, aimed, wanted, names=names, like=like, keeps_weight=keeps_weight)
        record_notes(note for note in table.notes if note.key in OTHER_READING)
    else:
        table = source
    kept = _as_reading(reading)
    _note_own_markers(kept, table)
    _refuse_other_shares(kept, table, wanted)
    is_marked = kept.missing is None or "missing" in (_kept_reading(table) or {})
    marks = None if is_marked else make_markers(kept.missing, usual=True)
    have = {column.name: column for column in _columns(table)}
    for field in wanted:
        if field.name not in have:
            raise unknown_name_error("unknown_column", field.name, have)
    columns = tuple(
        match_levels(have[field.name], field, table, marks, kept)
        if field.name in have
        else _absent_column(field, table.n_rows)
        for field in schema
    )
    found = None
    if aim and target is not None and target.name in have:
        found = match_levels(have[target.name], target, table, marks, kept)
    return replace(table, columns=columns, target=found)


def _as_reading(reading: Mapping[str, Any] | Reading | None) -> Reading:
    return reading if isinstance(reading, Reading) else Reading.from_json(reading)


def layout_of(
    reading: Mapping[str, Any] | Reading, schema: Sequence[Field], target: Field | None
) -> FileLayout:
    """Return what is known about the layout of a file for a tree with these columns."""
    kept = _as_reading(reading)
    dates = {name for name, column in kept.columns.items() if column.date_parts}
    known = {field.name for field in schema} | dates
    name = None if target is None else target.name
    return FileLayout(kept, frozenset(known if name is None else {*known, name}), name)


OTHER_READING = frozenset(
    f"note_{key}"
    for key in (
        "other_separator", "other_encoding", "other_sheet", "has_header", "other_decimal",
        "weighted",
    )
)  # fmt: skip
"""Notes that rows are not read as those of training were."""


def _note_own_markers(kept: Reading, table: Table) -> None:
    """Note that a table has other missing markers than the table of training had."""
    own = (_kept_reading(table) or {}).get("missing")
    if kept.missing is None or own is None or own == kept.missing:
        return
    own, markers = (m["only"] if isinstance(m, Mapping) else m for m in (own, kept.missing))
    if markers:
        key = "note_other_markers" if own else "note_no_markers"
        said = {"said": quoted(own)} if own else {}
        record_notes([Note(key, {"kept": quoted(markers), **said})])


def _refuse_other_shares(kept: Reading, table: Table, fields: Sequence[Field]) -> None:
    """Raise an error for a table of percentages where the training table had other numbers."""
    own = Reading.from_json(_kept_reading(table))
    for field in fields if kept.columns else ():  # else nothing is known
        units = {*own.column(field.name).number.units} & {*SHARES}
        if units - {*kept.column(field.name).number.units}:
            source = table.source.get("name", "table")
            raise DataError("table_of_shares", source=source, column=field.name, unit=units.pop())


def as_row(source: Any) -> Any:  # noqa: ANN401 - whatever `read` can read
    """Return a series of pandas as one row, a dict; other sources as they are.

    Examples
    --------
    >>> import pandas
    >>> as_row(pandas.Series({"legs": 2, "fins": None}, dtype=object))
    {'legs': 2, 'fins': None}
    """
    is_series = (
        not isinstance(source, type)
        and getattr(source, "ndim", None) == 1
        and hasattr(source, "index")
        and hasattr(source, "to_dict")
    )
    return {name_text(name): value for name, value in source.items()} if is_series else source


def _are_empty_rows(source: object) -> bool:
    """Whether a source is a list of dicts without any column."""
    return (
        isinstance(source, list | tuple)
        and bool(source)
        and all(isinstance(row, Mapping) and not row for row in source)
    )


def is_row(source: Mapping[Any, Any]) -> bool:
    """Whether a dict is one row ``{name: value}`` and not a table of columns."""
    return all(isinstance(name, str) for name in source) and not any(
        isinstance(value, Iterable) and not isinstance(value, str) for value in source.values()
    )


def match_levels(
    column: Column,
    field: Field,
    table: Table,
    marks: Markers | None = None,
    reading: Reading | None = None,
) -> Column:
    """Return a column coded by the levels of a field; unknown levels come after them.

    Values that ``marks`` names are missing. ``reading`` says how texts become values.
    """
    kept = reading or Reading()
    if marks is not None:
        column = _mark_missing(column, marks)
    if field.is_numeric:
        return column if column.is_numeric else _as_numbers(column, field, table, kept)
    if not column.is_numeric and tuple(column.levels) == tuple(field.levels):
        return Column(field.name, field.kind, tuple(field.levels), column.codes)
    column_reading = kept.column(field.name)
    places = LevelIndex(field.levels, fold_case=column_reading.fold_case)
    given = np.asarray(column.levels).tolist() if column.is_numeric else column.levels
    codes: list[int] = []
    extra: list[Any] = []
    unread = {*column_reading.missing, *_unread_markers(column, table, kept)}
    for level in given:
        code = places.of(level)
        if code < 0 and level in unread:
            code = MISSING
        elif code < 0:
            code = len(field.levels) + len(extra)
            extra.append(level)
        codes.append(code)
    rows = np.append(np.asarray(codes, np.int32), np.int32(MISSING))[column.codes]
    return Column(field.name, field.kind, (*field.levels, *extra), rows)


def _unread_markers(column: Column, table: Table, reading: Reading) -> frozenset[Any]:
    """Return the missing markers among categories that a frame declared, which reading keeps."""
    own = (_kept_reading(table) or {}).get("missing")
    if column.is_numeric or own is not None or table.source.get("form") != "frame":
        return frozenset()
    markers = make_markers(reading.missing, usual=True)
    texts = {level: level.strip() for level in column.levels if isinstance(level, str)}
    missing = markers.missing_levels(texts.values())
    return frozenset(level for level, text in texts.items() if text in missing)


def _mark_missing(column: Column, marks: Markers) -> Column:
    """Return a column in which missing markers are missing values."""
    if column.is_numeric:
        if not marks.numbers:
            return column
        values = column.numbers()
        gone = marks.are_markers(values)
        return numeric(column.name, np.where(gone, np.nan, values)) if gone.any() else column
    gone = np.array([marks.is_named_marker(level) for level in column.levels] + [False], np.bool_)
    if not gone.any():
        return column
    codes: Codes = np.where(gone[column.codes], np.int32(MISSING), column.codes)
    return replace(column, codes=codes)


def hide_unordered_levels(table: Table, schema: Sequence[Field]) -> Table:
    """Return an aligned table in which unknown levels of ordered columns are missing.

    An engine compares codes with a threshold; an unknown level must not look like the last one.
    """
    columns = []
    for column, field in zip(table.columns, schema, strict=True):
        if field.kind == "ordered" and len(column.levels) > len(field.levels):
            codes: Codes = np.where(column.codes < len(field.levels), column.codes, MISSING)
            column = Column(column.name, column.kind, tuple(field.levels), codes)  # noqa: PLW2901
        columns.append(column)
    return replace(table, columns=tuple(columns))


def _columns(table: Table) -> list[Column]:
    return [*table.columns, *([] if table.target is None else [table.target])]


def _absent_column(field: Field, n_rows: int) -> Column:
    codes = np.full(n_rows, MISSING, np.int32)
    return Column(field.name, field.kind, () if field.is_numeric else field.levels, codes)


def _as_numbers(column: Column, field: Field, table: Table, reading: Reading) -> Column:
    """Return a column of texts as numbers; words such as "none" are missing among them."""
    found = np.empty(len(column.levels) + 1)
    found[-1] = np.nan
    words = make_markers(reading.missing, usual=True).missing_among_numbers(column.levels)
    words |= _unread_markers(column, table, reading)
    style = reading.number_style(field.name)
    numbers = parse_numbers(tuple(column.levels), style, is_numeric=True)
    for code, level in enumerate(column.levels):
        found[code] = numbers.values[code]
        if not numbers.is_number[code] and level not in words:
            rows = np.flatnonzero(column.codes == code)
            if not rows.size:
                found[code] = np.nan
                continue
            source = table.source.get("name", "table")
            where = {"source": source, "row": table.row_number(int(rows[0]))}
            raise DataError("not_a_number", column=field.name, value=level, **where)
    return numeric(field.name, found[column.codes])


def _names(source: Any, names: list[str], target: Field | None) -> list[str] | None:  # noqa: ANN401
    """Return the names for rows without column names, by the number of columns."""
    is_array = isinstance(source, np.ndarray) and source.ndim == 2 and source.dtype.names is None
    is_rows = isinstance(source, list) and bool(source) and isinstance(source[0], list | tuple)
    if not (is_array or is_rows):
        return None
    width = source.shape[1] if is_array else len(source[0])
    if target is not None and width == len(names) + 1:
        return [*names, target.name]
    return names if width == len(names) else None


def labelled_rows(table: Table, target: str) -> tuple[Table, int]:
    """Return the rows with a value of the target, and the number of rows without."""
    name = table.source.get("name", "table")
    if table.target is None:
        raise DataError("test_needs_target", source=name, target=target)
    is_known = table.target.codes >= 0
    n = int(is_known.sum())
    if not n:
        raise DataError("test_without_rows", source=name, target=target)
    return (table if n == table.n_rows else table.take(is_known)), table.n_rows - n
