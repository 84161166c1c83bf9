"""Rows down a tree, many at a time: the door to the walk in C++."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import Flat
from penjing.data.lazy_column import LazyColumn
from penjing.data.memory_limit import n_processors
from penjing.data.table import MISSING, Column, Field, Floats, Table, numeric
from penjing.errors import DataError, unknown_name_error
from penjing.predict.inputs import LevelIndex, align_all, is_row, markers_of, used_columns
from penjing.tree.counts import TIE, Classes
from penjing.tree.nodes import Ids
from penjing.tree.split import NO_BRANCH, Split
from penjing.tree.tree_data import TreeData

UNSEEN = -2
"""The code of a level that is not known, as the walk wants it."""
STOP, SHARE = -1, -2
"""What a node does with a missing value: it stops the row, or shares it out."""
LEARNED = "learnt"
"""What a tree does with missing values that has branches or surrogate tests for them."""
MAX_LISTED = 20
"""How many levels an error lists."""
ROWS_PER_THREAD = 50_000
"""With fewer rows a second thread costs more than it brings."""

FEW_ROWS = 64
"""Up to so many rows of an array are not read like a table."""
BLOCK_ROWS = 1 << 20
"""Rows of a large table that are looked at together."""

_INFINITE = (float("inf"), float("-inf"))

Cells = npt.NDArray[np.float64] | npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


class Rows:
    """Rows as the walk wants them: for each asked column numbers, or codes; None for others.

    ``table`` is where they come from; a row that holds nothing but levels that are known needs
    none.
    """

    def __init__(self, columns: list[Cells | None], n: int, table: Table | None = None) -> None:
        self.columns = columns
        self.n = n
        self.table = table

    def cells(self, c: int) -> Cells:
        """Return the numbers or codes of an asked column."""
        found = self.columns[c]
        assert found is not None
        return found

    def missing(self, c: int) -> Mask:
        """Return which rows have no value in a column."""
        cells = self.cells(c)
        return np.asarray(np.isnan(cells) if cells.dtype == np.float64 else cells == MISSING)

    def unseen(self, c: int) -> Mask:
        """Return which rows have a level in a column that training never saw."""
        cells = self.cells(c)
        if cells.dtype == np.float64:
            return np.zeros(self.n, bool)
        return np.asarray(cells == UNSEEN)

    def number(self, row: int) -> int:
        """Return where a row stood in its source, from 1."""
        return row + 1 if self.table is None else self.table.row_number(row)

    def level(self, row: int, c: int) -> Any:  # noqa: ANN401 - a level may be any plain value
        """Return the level of a row in a column."""
        assert self.table is not None
        column = self.table.columns[c]
        return column.levels[column.codes[row]]


class FlatPredictor:
    """A tree made ready for rows; it holds arrays of the tree, never the tree itself."""

    def __init__(self, tree: TreeData) -> None:
        nodes = tree.nodes
        self._schema = tree.schema
        self._column = nodes.column
        self._first_child = tree.first_child
        self._is_leaf = tree.is_leaf
        self._values = tree.values
        self._reader = tree.reader
        self._is_single = tree.recipe.get("precision") == "single"
        self._asked = used_columns(tree)
        self._places = {
            c: LevelIndex(tree.schema[c].levels)
            for c in self._asked
            if not tree.schema[c].is_numeric
        }
        self._shares = np.ascontiguousarray(
            tree.values[:, None] if tree.is_regression else tree.shares
        )
        self.flat = _flat(tree, np.full(len(nodes), SHARE, np.int32))
        self.learnt = self.flat if nodes.missing is None else _flat(tree, nodes.missing)
        is_nominal = ~tree.is_leaf & (np.isnan(nodes.cut) | np.isposinf(nodes.cut))
        self._splits: list[Split | None] = []
        # What the C++ walk cannot do: ask a second test, and send a level of a nominal column
        # that this node did not see in training where missing values go; nor let a level that
        # nobody knows pass where having a value is enough.
        odd = nodes.missing is not None and bool(self._places) and is_nominal.any()
        if nodes.surrogates or odd:
            cuts = enumerate(comparison_cuts(tree).tolist())
            self._splits = [_compared(tree.split(node), cut) for node, cut in cuts]
        self.answers = _typed(tree.classes)
        self._is_quick = markers_of(tree) is None  # cells need no look at missing markers

    def rows(self, tree: TreeData, source: Any) -> Rows:  # noqa: ANN401 - whatever `align` takes
        """Return rows as the walk wants them."""
        if self._is_quick and isinstance(source, Mapping) and is_row(source) and not self._splits:
            rows = self._row(source)
            if rows is not None:
                return rows
        if self._is_quick and type(source) is np.ndarray and (few := self._few(source)) is not None:
            return few
        table = _aligned(tree, source)
        columns: list[Cells | None] = [None] * len(self._schema)
        for c in self._asked:
            cells = _cells(table.columns[c], self._schema[c])
            columns[c] = _single(cells) if self._is_single else cells
        return Rows(columns, table.n_rows, table)

    def values(self, rows: Rows, unseen: str, missing: str) -> npt.NDArray[Any]:
        """Return the code of the class, or the number, that is answered for each row."""
        return self._answered(rows, unseen, missing, None)

    def classes(self, rows: Rows, unseen: str, missing: str) -> npt.NDArray[Any]:
        """Return the class itself that is answered for each row."""
        return self._answered(rows, unseen, missing, self.answers)

    def _answered(
        self, rows: Rows, unseen: str, missing: str, answers: npt.NDArray[Any] | None
    ) -> npt.NDArray[Any]:
        """Return what nodes answer; for a class its code, or what stands for the code."""
        whole = self._values if answers is None else answers[self._values]
        in_one_go = self._in_one_go(rows, unseen, missing, whole)
        if in_one_go is not None:
            return in_one_go
        stops = self.stop_nodes(rows, unseen, missing)
        found = whole[stops]
        if missing == "fraction" and (shared := self._shared(rows, stops)).size:
            best = self._best(self._spread(rows, self._shares, shared))
            found[shared] = best if answers is None else answers[best]
        return found

    def _in_one_go(
        self, rows: Rows, unseen: str, missing: str, whole: npt.NDArray[Any]
    ) -> npt.NDArray[Any] | None:
        """Return the answers of the nodes where rows stop, None where more is to be asked."""
        is_learnt = missing == LEARNED
        if self._places or "error" in (unseen, missing) or (is_learnt and self._splits):
            return None
        if whole.dtype.kind not in "if" or whole.dtype.itemsize != 8:
            return None
        flat = self.learnt if is_learnt else self.flat
        n_threads, only_leaves = _threads(rows.n), missing == "fraction"
        found = flat.answer(
            rows.columns, whole.view(np.int64), rows.n, threads=n_threads, only_leaves=only_leaves
        )
        return None if found is None else found.view(whole.dtype)

    def shares(self, rows: Rows, unseen: str, missing: str) -> Floats:
        """Return the share of each class for each row."""
        stops = self.stop_nodes(rows, unseen, missing)
        found = self._shares[stops]
        if missing == "fraction" and (shared := self._shared(rows, stops)).size:
            found[shared] = self._spread(rows, self._shares, shared)
        return found

    def stop_nodes(self, rows: Rows, unseen: str, missing: str) -> Ids:
        """Return the node where each row stops or would be shared out."""
        if unseen == "missing":
            for c in self._places:
                rows.columns[c] = np.maximum(rows.cells(c), np.int32(MISSING))
        if missing == LEARNED and self._splits:
            stops = self._routed(rows, unseen)
        else:
            flat = self.learnt if missing == LEARNED else self.flat
            stops = flat.apply(rows.columns, rows.n, threads=_threads(rows.n))
        if missing == "error":
            self._refuse_missing(rows, stops)
        if unseen == "error":
            self._refuse_unseen(rows, stops, is_shared=missing == "fraction")
        return stops

    # -- inside ----------------------------------------------------------------------------

    def _row(self, row: Mapping[str, Any]) -> Rows | None:
        """Return one row in no time if all its values are as expected, else None."""
        columns: list[Cells | None] = [None] * len(self._schema)
        for c in self._asked:
            field = self._schema[c]
            if field.name not in row:
                raise unknown_name_error("unknown_column", field.name, row)
            value = row[field.name]
            if isinstance(value, np.generic):
                value = value.item()
            is_gone = value is None or value != value  # noqa: PLR0124 - NaN
            if field.is_numeric:
                if not (is_gone or type(value) in (int, float)) or value in _INFINITE:
                    return None
                cells = np.array([np.nan if is_gone else value], np.float64)
                columns[c] = _single(cells) if self._is_single else cells
                continue
            code = MISSING if is_gone else self._places[c].of(value)
            if code == MISSING and not is_gone:
                return None
            columns[c] = np.array([code], np.int32)
        return Rows(columns, 1)

    def _few(self, source: npt.NDArray[Any]) -> Rows | None:
        """Return a few rows of finite numbers in no time, None if they are anything else."""
        width = len(self._schema)
        if source.ndim != 2 or source.dtype != np.float64 or source.shape[1] != width:
            return None
        if not source.flags.aligned:
            return None
        if (
            self._places
            or self._splits
            or not 0 < len(source) <= FEW_ROWS
            or np.isinf(source).any()
        ):
            return None
        numbers = np.ascontiguousarray(source)  # it may run backwards, or be one row many times
        columns: list[Cells | None] = [None] * width
        for c in self._asked:
            columns[c] = _single(numbers[:, c]) if self._is_single else numbers[:, c]
        return Rows(columns, len(numbers))

    def _spread(self, rows: Rows, values: Floats, some: npt.NDArray[np.intp]) -> Floats:
        """Return the values of the nodes that some rows reach, by parts."""
        n_threads = _threads(len(some))
        return self.flat.spread(
            rows.columns, values, rows.n, threads=n_threads, rows=some.astype(np.int64, copy=False)
        )

    def _best(self, mixed: Floats) -> npt.NDArray[Any]:
        """Return the answer of a mixture; of classes that are as likely, or as cheap, the first.

        Parts that add up to the same must not be told apart by their rounding.
        """
        if not isinstance(self._reader, Classes):
            return mixed[:, 0]
        if self._reader.costs is None:
            return np.asarray((mixed >= mixed.max(axis=1, keepdims=True) - TIE).argmax(axis=1))
        risks = self._reader.costs.risks(mixed)
        slack = TIE * risks.max(axis=1, keepdims=True)
        return np.asarray((risks <= risks.min(axis=1, keepdims=True) + slack).argmax(axis=1))

    def _shared(self, rows: Rows, stops: Ids) -> npt.NDArray[np.intp]:
        """Return the rows that are shared out."""
        inside = np.flatnonzero(~self._is_leaf[stops])
        asked = self._column[stops[inside]]
        lacks = np.zeros(len(inside), bool)
        for c in np.unique(asked).tolist():  # only the cells that were asked for
            here = np.flatnonzero(asked == c)
            cells = rows.cells(c)[inside[here]]
            lacks[here] = np.isnan(cells) if cells.dtype == np.float64 else cells == MISSING
        return inside[lacks]

    def _lacking(self, rows: Rows, stops: Ids) -> Mask:
        """Return which rows stop where they are asked for a value that they do not have."""
        asked = self._column[stops]
        lacks = np.zeros(rows.n, bool)
        for c in np.unique(asked[asked >= 0]).tolist():
            lacks |= (asked == c) & rows.missing(c)
        return lacks

    def _routed(self, rows: Rows, unseen: str) -> Ids:
        """Return where rows stop in a tree with surrogate tests: node after node in NumPy."""
        assert rows.table is not None
        known = {"is_single": self._is_single}
        columns = {c: _known(rows, c, self._schema[c], **known) for c in self._asked}
        odd = {c: rows.unseen(c) for c in self._asked}
        stops = np.zeros(rows.n, np.int32)
        waiting = [(0, np.arange(rows.n))]
        while waiting:
            node, here = waiting.pop()
            stops[here] = node
            split = self._splits[node]
            if split is None or not here.size:
                continue
            branches = split.route_rows(lambda c, here=here: columns[c].take(here))  # type: ignore[misc]
            lost = (
                0 if unseen_is_known(self._schema[split.column], split.cut, unseen) else NO_BRANCH
            )
            branches = np.where(odd[split.column][here], lost, branches)
            for branch in range(split.n_branches):
                child = int(self._first_child[node]) + branch
                waiting.append((child, here[branches == branch]))
        return stops

    def _refuse_missing(self, rows: Rows, stops: Ids) -> None:
        lacks = self._lacking(rows, stops)
        if lacks.any():
            row = int(lacks.argmax())
            column = self._schema[int(self._column[stops[row]])].name
            raise DataError("value_missing", row=rows.number(row), column=column)

    def _refuse_unseen(self, rows: Rows, stops: Ids, *, is_shared: bool) -> None:
        """Raise an error for the first row that is asked for a level nobody knows.

        The walk ends there, so it is enough to know what the nodes ask that a row reaches.
        """
        odd = {c: cells for c in self._places if (cells := rows.unseen(c)).any()}
        if not odd:
            return
        some = np.flatnonzero(np.any(list(odd.values()), axis=0))
        asks = np.stack([self._column == c for c in odd], axis=1).astype(np.float64)
        reached = self._spread(rows, asks, some) if is_shared else asks[stops[some]]
        met = (reached > 0) & np.stack([cells[some] for cells in odd.values()], axis=1)
        if not met.any():
            return
        first = int(met.any(axis=1).argmax())
        row, c = int(some[first]), list(odd)[int(met[first].argmax())]
        field = self._schema[c]
        more = ["…"] if len(field.levels) > MAX_LISTED else []
        known = ", ".join([*map(str, field.levels[:MAX_LISTED]), *more])
        told = {"column": field.name, "value": rows.level(row, c), "known": known}
        raise DataError("unseen_level", row=rows.number(row), **told)


def unseen_is_known(field: Field, cut: float | None, unseen: str) -> bool:
    """Say whether a level that nobody knows takes the first branch: having a value is enough.

    Whoever refuses such levels refuses them there, too, unless the tree names none at all, as one
    made by hand may.
    """
    return cut == math.inf and (unseen == "stop" or not field.levels)


def threshold_gaps(tree: TreeData, table: Table) -> Floats:
    """Return the values on both sides of each cut, of the rows that reach the node, (n, 2)."""
    walk = FlatPredictor(tree)
    flat = walk.flat if tree.nodes.surrogates else walk.learnt
    found = np.full((len(tree.nodes), 2), np.nan)
    for part in row_blocks(table):
        rows = walk.rows(tree, part)
        low, high = flat.gaps(rows.columns, rows.n).reshape(-1, 2).T
        found[:, 0] = np.fmax(found[:, 0], low)
        found[:, 1] = np.fmin(found[:, 1], high)
    if tree.recipe.get("precision") != "single":
        return found
    # Told are the values as they were written; 32 bits are only what they are compared in.
    for c in np.unique(tree.nodes.column[np.isfinite(found[:, 0])]).tolist():
        here = np.flatnonzero((tree.nodes.column == c) & np.isfinite(found).all(axis=1))
        levels = np.asarray(table.columns[c].levels, np.float64)
        compared = _single(levels)
        last = np.searchsorted(compared, found[here, 0], side="right") - 1
        first = np.searchsorted(compared, found[here, 1], side="left")
        found[here] = np.stack([levels[last], levels[first]], axis=1)
    # Values that 32 bits do not tell apart may lie on both sides of the cut itself.
    found[:, 0] = np.minimum(found[:, 0], tree.nodes.cut)
    return found


def row_blocks(table: Table) -> Iterator[Table]:
    """Yield a large table in parts, so that no column of it has to be in memory as a whole."""
    if table.n_rows <= BLOCK_ROWS:
        yield table
        return
    for start in range(0, table.n_rows, BLOCK_ROWS):
        yield table.take(np.arange(start, min(start + BLOCK_ROWS, table.n_rows)))


def _aligned(tree: TreeData, source: Any) -> Table:  # noqa: ANN401 - whatever `align` takes
    """Return rows as a tree codes them; no rows are no mistake."""
    try:
        return align_all(tree, source)
    except DataError as error:
        if error.key not in ("no_rows", "empty_table"):
            raise
    nothing = np.empty(0, np.int32)
    columns = [Column(f.name, f.kind, tuple(f.levels), nothing) for f in tree.schema]
    return Table(tuple(columns), None, 0)


def _flat(tree: TreeData, missing: Ids) -> Flat:
    nodes = tree.nodes
    return Flat(
        column=nodes.column,
        cut=comparison_cuts(tree),
        first_child=tree.first_child,
        n_children=tree.n_children,
        level_start=nodes.level_start.astype(np.int64, copy=False),
        level_codes=nodes.level_codes,
        missing_mode=missing,
        weight=np.ascontiguousarray(tree.weight, np.float64),
    )


def _compared(split: Split | None, cut: float) -> Split | None:
    """Return a test with the cut that is compared."""
    return split if split is None or split.cut is None else replace(split, cut=cut)


def comparison_cuts(tree: TreeData) -> Floats:
    """Return the cuts; C4.5 holds them in 32 bits too, scikit-learn only what it compares."""
    rounded = tree.recipe.get("rules") == "quinlan" and tree.recipe.get("precision") == "single"
    return np.asarray(_single(tree.nodes.cut), np.float64) if rounded else tree.nodes.cut


def _cells(column: Column, field: Field) -> Cells:
    if isinstance(column, LazyColumn):
        return column.raw
    if field.is_numeric:
        return column.numbers()
    codes = np.ascontiguousarray(column.codes, np.int32)
    if len(column.levels) > len(field.levels):
        return np.where(codes < len(field.levels), codes, np.int32(UNSEEN))
    return codes


def _single(cells: Cells) -> Cells:
    """Return numbers as 32 bits hold them, as the tree's were when it grew."""
    if cells.dtype != np.float64:
        return cells
    with np.errstate(over="ignore"):
        return cells.astype(np.float32).astype(np.float64)


def _known(rows: Rows, c: int, field: Field, *, is_single: bool) -> Column:
    """Return a column in which every level is one of the field's, or missing."""
    assert rows.table is not None
    if field.is_numeric:
        return numeric(field.name, rows.cells(c)) if is_single else rows.table.columns[c]
    codes = np.maximum(rows.cells(c), np.int32(MISSING)).astype(np.int32, copy=False)
    return Column(field.name, field.kind, tuple(field.levels), codes)


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
    return max(1, min(n_processors(), n_rows // ROWS_PER_THREAD))
