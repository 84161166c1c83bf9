"""Rows down a tree: where they stop, what is answered there, and how surely.

A row stops in a leaf, or inside the tree where its value has no branch: it is missing, or its
level was never seen (or not seen in that node: the book's empty branch). The node where it stops
answers. In trees grown with ``missing="fraction"`` a row without a value goes down every branch
instead, with a part of it that is the branch's share of the training rows.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing._core import Flat
from penjing.align import Places, align, align_to, is_row
from penjing.criteria import TIE
from penjing.errors import CapabilityError, DataError, unknown
from penjing.table import MISSING, Column, Field, Floats, Table
from penjing.tree import Ids, Tree

__all__ = ["align", "align_to", "apply", "classes_of", "predict", "predict_proba"]

UNSEEN = -2
"""The code of a level that has no place in its column's order, as the walk wants it."""
SHARE = -2
"""What a node does with a missing value: share the row out."""
ROWS_PER_THREAD = 50_000
"""With fewer rows a second thread costs more than it brings."""

Unseen = Literal["stop", "error"]
Missing = Literal["stop", "fraction", "error"]
Cells = npt.NDArray[np.float64] | npt.NDArray[np.int32]


def predict(
    tree: Tree,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Unseen | None = None,
    missing: Missing | None = None,
) -> npt.NDArray[Any]:
    """Return the answer for each row: a class of the tree, or a number.

    Parameters
    ----------
    tree : Tree
        Who answers.
    source : Table, dict or source
        A table, one row as a dict, or anything that :func:`penjing.read` can read.
    unseen : str, optional
        A level that training never saw: ``stop`` at the node that asks and answer as it would,
        or ``error``. As the tree's recipe says where it is not given.
    missing : str, optional
        A missing value: ``stop``, ``fraction`` (down every branch, by weight), or ``error``. As
        the tree's recipe says: ``fraction`` if it was grown so, else ``stop``.

    Returns
    -------
    (n,) array
        Classes keep their type; an object array unless they are all numbers of one type. Of
        classes that are equally likely the first one is answered.

    Examples
    --------
    >>> tree = Tree.from_dict({"legs": {0: "fish", 2: "bird", 4: {"barks": {1: "dog", 0: "cat"}}}})
    >>> tree.predict({"legs": 4, "barks": 1})
    array(['dog'], dtype=object)
    >>> tree.predict({"legs": 3, "barks": 0}, unseen="error")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    penjing.errors.DataError: row 1: '3' in column 'legs' was not among the training rows, ...
    """
    ready = ready_for(tree)
    found = ready.values(ready.rows(tree, source), *_policies(tree, unseen, missing))
    return found if tree.is_regression else ready.answers[found]


def predict_proba(
    tree: Tree,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Unseen | None = None,
    missing: Missing | None = None,
) -> Floats:
    """Return the share of each class among the training rows of the node that answers.

    Parameters
    ----------
    tree, source, unseen, missing
        As in :func:`predict`.

    Returns
    -------
    (n, classes) array
        In the order of ``tree.classes``; every row sums to 1.

    Examples
    --------
    >>> tree = Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> tree.predict_proba([{"legs": 2}, {"legs": 0}])
    array([[0., 1.],
           [1., 0.]])
    """
    if tree.is_regression:
        raise CapabilityError("shares_need_classes", target=tree.target.name)
    ready = ready_for(tree)
    return ready.shares(ready.rows(tree, source), *_policies(tree, unseen, missing))


def classes_of(
    tree: Tree,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Unseen | None = None,
    missing: Missing | None = None,
) -> npt.NDArray[Any]:
    """Return the code of the class answered for each row, or the number; see :func:`predict`."""
    ready = ready_for(tree)
    return ready.values(ready.rows(tree, source), *_policies(tree, unseen, missing))


def apply(
    tree: Tree,
    source: Any,  # noqa: ANN401 - whatever `align` takes
    *,
    unseen: Unseen | None = None,
    missing: Missing | None = None,
) -> Ids:
    """Return the node where each row stops; for one that is shared out, where that begins.

    Examples
    --------
    >>> tree = Tree.from_dict({"legs": {0: "fish", 2: "bird"}})
    >>> tree.apply([{"legs": 2}, {"legs": None}])
    array([2, 0], dtype=int32)
    """
    ready = ready_for(tree)
    rows = ready.rows(tree, source)
    ready.refuse(rows, *_policies(tree, unseen, missing))
    return ready.stops(rows)


def _policies(tree: Tree, unseen: str | None, missing: str | None) -> tuple[str, str]:
    unseen = str(tree.recipe.get("unseen", "stop")) if unseen is None else unseen
    if unseen not in ("stop", "error"):
        raise unknown("unknown_plug", unseen, ("stop", "error"), socket="unseen")
    if missing is None:
        missing = "fraction" if tree.recipe.get("missing") == "fraction" else "stop"
    if missing not in ("stop", "fraction", "error"):
        raise unknown("unknown_plug", missing, ("stop", "fraction", "error"), socket="missing")
    return unseen, missing


class Rows:
    """Rows as the walk wants them: for each asked column numbers, or codes; None for others."""

    def __init__(self, columns: list[Cells | None], n: int, table: Table | None = None) -> None:
        self.columns = columns
        self.n = n
        self.table = table
        self.odd: dict[int, Any] = {}  # of a single row: the levels that nobody knows

    def missing(self, c: int) -> npt.NDArray[np.bool_]:
        """Return which rows have no value in a column."""
        cells = self.columns[c]
        assert cells is not None
        return np.isnan(cells) if cells.dtype == np.float64 else cells == MISSING

    def take(self, rows: npt.NDArray[np.intp]) -> Rows:
        """Return only these rows."""
        return Rows([None if c is None else c[rows] for c in self.columns], len(rows))


class Ready:
    """A tree made ready for rows; it holds arrays of the tree, never the tree itself."""

    def __init__(self, tree: Tree) -> None:
        nodes = tree.nodes
        self._flat = Flat(
            column=nodes.column,
            cut=nodes.cut,
            first_child=tree.first_child,
            n_children=tree.n_children,
            level_start=nodes.level_start.astype(np.int64, copy=False),
            level_codes=nodes.level_codes,
            missing_mode=np.full(len(nodes), SHARE, np.int32),
            weight=np.ascontiguousarray(tree.weight, np.float64),
        )
        self._schema = tree.schema
        self._column = nodes.column
        self._is_leaf = tree.is_leaf
        self._values = tree.values
        self._is_regression = tree.is_regression
        self._asked: list[int] = self._flat.asked.tolist()
        self._places = {
            c: Places(tree.schema[c].levels) for c in self._asked if not tree.schema[c].is_numeric
        }
        weight = np.where(tree.weight > 0, tree.weight, 1.0)
        self._mixed = np.ascontiguousarray(
            tree.values[:, None] if tree.is_regression else nodes.total / weight[:, None]
        )
        self.answers = _typed(tree.classes)

    # -- rows ------------------------------------------------------------------------------

    def rows(self, tree: Tree, source: Any) -> Rows:  # noqa: ANN401 - whatever `align` takes
        """Return rows as the walk wants them."""
        if isinstance(source, Mapping) and is_row(source):
            return self._one(source)
        table = align(tree, source)
        columns: list[Cells | None] = [None] * len(self._schema)
        for c in self._asked:
            columns[c] = _cells(table.columns[c], self._schema[c])
        return Rows(columns, table.n_rows, table)

    def _one(self, row: Mapping[str, Any]) -> Rows:
        columns: list[Cells | None] = [None] * len(self._schema)
        rows = Rows(columns, 1)
        for c in self._asked:
            field = self._schema[c]
            if field.name not in row:
                raise unknown("unknown_column", field.name, row)
            value = row[field.name]
            if isinstance(value, np.generic):
                value = value.item()
            if field.is_numeric:
                columns[c] = np.array([_number(value, field)])
                continue
            code = MISSING
            if not (value is None or value != value):  # noqa: PLR0124 - NaN
                code = self._places[c].of(value)
                if code < 0:
                    code = UNSEEN
                    rows.odd[c] = value
            columns[c] = np.array([code], np.int32)
        return rows

    # -- answers ---------------------------------------------------------------------------

    def stops(self, rows: Rows) -> Ids:
        """Return the node where each row stops or would be shared out."""
        return self._flat.apply(rows.columns, rows.n, threads=_threads(rows.n))

    def values(self, rows: Rows, unseen: str, missing: str) -> npt.NDArray[Any]:
        """Return the code of the class, or the number, that is answered for each row."""
        self.refuse(rows, unseen, missing)
        stops = self.stops(rows)
        found = self._values[stops]
        shared = self._shared(rows, stops) if missing == "fraction" else None
        if shared is not None:
            mixed = self._spread(rows.take(shared), self._mixed)
            # Parts that add up to the same must not be told apart by their rounding.
            found[shared] = (
                mixed[:, 0]
                if self._is_regression
                else (mixed >= mixed.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
            )
        return found

    def shares(self, rows: Rows, unseen: str, missing: str) -> Floats:
        """Return the share of each class for each row."""
        self.refuse(rows, unseen, missing)
        stops = self.stops(rows)
        found = self._mixed[stops]
        shared = self._shared(rows, stops) if missing == "fraction" else None
        if shared is not None:
            found[shared] = self._spread(rows.take(shared), self._mixed)
        return found

    def refuse(self, rows: Rows, unseen: str, missing: str) -> None:
        """Raise an error for the first row that is asked for a value it must not lack."""
        if unseen == "error":
            odd = {c: cells for c in self._asked if (cells := self._unknown(rows, c)).any()}
            where = self._met(rows, odd, is_shared=missing == "fraction")
            if where is not None:
                raise self._unseen(rows, *where)
        if missing == "error":
            gone = {c: cells for c in self._asked if (cells := rows.missing(c)).any()}
            where = self._met(rows, gone, is_shared=False)
            if where is not None:
                row, c = where
                number = row + 1 if rows.table is None else rows.table.row_number(row)
                raise DataError("value_missing", row=number, column=self._schema[c].name)

    # -- inside ----------------------------------------------------------------------------

    def _spread(self, rows: Rows, values: Floats) -> Floats:
        return self._flat.spread(rows.columns, values, rows.n, threads=_threads(rows.n))

    def _shared(self, rows: Rows, stops: Ids) -> npt.NDArray[np.intp] | None:
        """Return the rows that are shared out, None if there are none."""
        inside = np.flatnonzero(~self._is_leaf[stops])
        if not inside.size:
            return None
        some = rows.take(inside)
        asked = self._column[stops[inside]]
        lacks = np.zeros(len(inside), bool)
        for c in np.unique(asked).tolist():
            lacks |= (asked == c) & some.missing(c)
        return inside[lacks] if lacks.any() else None

    def _unknown(self, rows: Rows, c: int) -> npt.NDArray[np.bool_]:
        """Return which rows have a level in a column that training never saw."""
        cells, field = rows.columns[c], self._schema[c]
        assert cells is not None
        if field.is_numeric:
            return np.zeros(rows.n, bool)
        return np.asarray((cells >= len(field.levels)) | (cells == UNSEEN))

    def _met(
        self, rows: Rows, odd: Mapping[int, npt.NDArray[np.bool_]], *, is_shared: bool
    ) -> tuple[int, int] | None:
        """Return the first row, and the column, that is asked for a value marked as odd.

        The walk ends where it is asked for such a value, so what the nodes ask that a row
        reaches is enough to know.
        """
        if not odd:
            return None
        order = list(odd)
        some = np.flatnonzero(np.any(list(odd.values()), axis=0))
        part = rows.take(some)
        asks = np.stack([self._column == c for c in order], axis=1).astype(np.float64)
        reached = self._spread(part, asks) if is_shared else asks[self.stops(part)]
        met = (reached > 0) & np.stack([odd[c][some] for c in order], axis=1)
        if not met.any():
            return None
        first = int(met.any(axis=1).argmax())
        return int(some[first]), order[int(met[first].argmax())]

    def _unseen(self, rows: Rows, row: int, c: int) -> DataError:
        field = self._schema[c]
        if rows.table is None:
            value, number = rows.odd[c], row + 1
        else:
            column = rows.table.columns[c]
            value, number = column.levels[column.codes[row]], rows.table.row_number(row)
        known = ", ".join(map(str, field.levels))
        return DataError("unseen_level", row=number, column=field.name, value=value, known=known)


_READY: dict[int, tuple[weakref.ref[Tree], Ready]] = {}


def ready_for(tree: Tree) -> Ready:
    """Return what makes a tree quick at answering; made once, and gone when the tree is."""
    found = _READY.get(id(tree))
    if found is not None and found[0]() is tree:
        return found[1]
    made, key = Ready(tree), id(tree)
    _READY[key] = (weakref.ref(tree, lambda _: _READY.pop(key, None)), made)
    return made


def _cells(column: Column, field: Field) -> Cells:
    if field.is_numeric:
        return column.numbers()
    codes = np.ascontiguousarray(column.codes, np.int32)
    if field.kind == "ordered" and len(column.levels) > len(field.levels):
        return np.where(codes < len(field.levels), codes, np.int32(UNSEEN))
    return codes


def _number(value: Any, field: Field) -> float:  # noqa: ANN401 - that is to be found out
    if value is None:
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        said = {"source": "row", "row": 1, "column": field.name, "value": value}
        raise DataError("not_a_number", **said) from None


def _typed(classes: tuple[Any, ...]) -> npt.NDArray[Any]:
    """Return the classes as an array that gives back what was put in."""
    kinds = {type(c) for c in classes}
    if len(kinds) == 1 and kinds <= {bool, int, float}:
        plain = np.asarray(classes)
        if plain.dtype.kind in "bif":
            return plain
    found = np.empty(len(classes), object)
    found[:] = classes
    return found


def _threads(n_rows: int) -> int:
    if n_rows < 2 * ROWS_PER_THREAD:
        return 1
    able = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(able or 1, n_rows // ROWS_PER_THREAD))
