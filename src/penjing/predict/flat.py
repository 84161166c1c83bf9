"""Predictions for many rows at once, by the C++ traversal of a flat tree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from penjing._core import FlatTree
from penjing.data.lazy_column import LazyColumn
from penjing.data.memory_limit import n_processors
from penjing.data.read.level_index import LevelIndex
from penjing.data.statistics import weight_sums
from penjing.data.table import MISSING, Column, Field, Floats, Table, numeric
from penjing.errors import DataError
from penjing.i18n import Names
from penjing.predict.inputs import align_all, is_row, used_columns
from penjing.tree.counts import TIE, Classes
from penjing.tree.dialect import dialect_of
from penjing.tree.nodes import Ids
from penjing.tree.split import NO_BRANCH, Split
from penjing.tree.tree_data import TreeData

UNSEEN = -2
"""The code of an unseen level, as C++ expects it."""
STOP, SHARE = -1, -2
"""How a node treats a missing value: the row stops, or becomes a fractional case."""
LEARNED = "learnt"
"""The policy of a tree with branches or surrogates for missing values."""
MAX_LISTED = 20
"""The largest number of levels in an error message."""
ROWS_PER_THREAD = 50_000
"""With fewer rows per thread, starting it costs more than it saves."""

FEW_ROWS = 64
"""Arrays of up to this many rows are not read as a table, which is faster."""
BLOCK_ROWS = 1 << 20
"""The number of rows per block of a large table."""

_INFINITE = (float("inf"), float("-inf"))

Cells = npt.NDArray[np.float64] | npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


class Rows:
    """Rows as C++ expects them: numbers or codes for each column in use, None for others.

    ``table`` is their source; it is not needed for rows without unseen levels.
    """

    def __init__(self, columns: list[Cells | None], n: int, table: Table | None = None) -> None:
        self.columns = columns
        self.n = n
        self.table = table

    def cells(self, c: int) -> Cells:
        """Return the numbers or codes of a column in use."""
        cells = self.columns[c]
        assert cells is not None
        return cells

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
        """Return the number of a row in its source, from 1."""
        return row + 1 if self.table is None else self.table.row_number(row)

    def level(self, row: int, c: int) -> Any:  # noqa: ANN401 - a level may be any plain value
        """Return the level of a row in a column."""
        assert self.table is not None
        column = self.table.columns[c]
        return column.levels[column.codes[row]]


class FlatPredictor:
    """A tree prepared for prediction; it holds arrays of the tree, but not the tree."""

    def __init__(self, tree: TreeData) -> None:
        nodes = tree.nodes
        self._schema = tree.schema
        self._column = nodes.column
        self._first_child = tree.first_child
        self._is_leaf = tree.is_leaf
        self._values = tree.values
        self._reader = tree.reader
        self._is_single = tree.recipe.get("precision") == "single"
        self._used = used_columns(tree)
        self._level_index = {
            c: LevelIndex(tree.schema[c].levels)
            for c in self._used
            if not tree.schema[c].is_numeric
        }
        self._shares = np.ascontiguousarray(
            tree.values[:, None] if tree.is_regression else tree.shares
        )
        cuts = comparison_cuts(tree)
        self.flat = _flat(tree, cuts, np.full(len(nodes), SHARE, np.int32))
        self.learned_flat = self.flat if nodes.missing is None else _flat(tree, cuts, nodes.missing)
        is_nominal = ~tree.is_leaf & (np.isnan(nodes.cut) | np.isposinf(nodes.cut))
        self._splits: list[Split | None] = []
        # NumPy routes the rows where C++ cannot: surrogates; levels that a node did not see in
        # training and that take the branch of missing values; and unseen levels in a split into
        # known and missing values.
        odd = nodes.missing is not None and bool(self._level_index) and is_nominal.any()
        if nodes.surrogates or odd:
            self._splits = [
                _with_cut(tree.split(node), cut) for node, cut in enumerate(cuts.tolist())
            ]
        self.answers = _class_array(tree.classes)
        self._has_no_markers = "missing" not in (tree.reading or ())

    def rows(self, tree: TreeData, source: Any) -> Rows:  # noqa: ANN401 - whatever `align` takes
        """Return the rows of a source as C++ expects them."""
        if (
            self._has_no_markers
            and isinstance(source, Mapping)
            and is_row(source)
            and not self._splits
        ):
            rows = self._row(source)
            if rows is not None:
                return rows
        if (
            self._has_no_markers
            and type(source) is np.ndarray
            and (few := self._few_rows(source)) is not None
        ):
            return few
        table = _align_rows(tree, source)
        columns = _table_cells(table, self._schema, self._used, is_single=self._is_single)
        return Rows(columns, table.n_rows, table)

    def values(self, rows: Rows, unseen: str, missing: str) -> npt.NDArray[Any]:
        """Return the code of the predicted class, or the predicted number, of each row."""
        return self._predict(rows, unseen, missing, None)

    def classes(self, rows: Rows, unseen: str, missing: str) -> npt.NDArray[Any]:
        """Return the predicted class of each row."""
        return self._predict(rows, unseen, missing, self.answers)

    def _predict(
        self, rows: Rows, unseen: str, missing: str, answers: npt.NDArray[Any] | None
    ) -> npt.NDArray[Any]:
        """Return the predictions; classes as codes, or as the elements of ``answers``."""
        node_values = self._values if answers is None else answers[self._values]
        native = self._predict_natively(rows, unseen, missing, node_values)
        if native is not None:
            return native
        stops = self.stop_nodes(rows, unseen, missing)
        predictions = node_values[stops]
        if missing == "fraction" and (fractional := self._fractional_rows(rows, stops)).size:
            best = self._best(self._spread(rows, self._shares, fractional))
            predictions[fractional] = best if answers is None else answers[best]
        return predictions

    def _predict_natively(
        self, rows: Rows, unseen: str, missing: str, node_values: npt.NDArray[Any]
    ) -> npt.NDArray[Any] | None:
        """Return the predictions by one C++ call, None where that is not possible."""
        is_learnt = missing == LEARNED
        if self._level_index or "error" in (unseen, missing) or (is_learnt and self._splits):
            return None
        if node_values.dtype.kind not in "if" or node_values.dtype.itemsize != 8:
            return None
        flat = self.learned_flat if is_learnt else self.flat
        n_threads, only_leaves = _n_threads(rows.n), missing == "fraction"
        predictions = flat.predict(
            rows.columns,
            node_values.view(np.int64),
            rows.n,
            threads=n_threads,
            only_leaves=only_leaves,
        )
        return None if predictions is None else predictions.view(node_values.dtype)

    def shares(self, rows: Rows, unseen: str, missing: str) -> Floats:
        """Return the predicted probability of each class for each row."""
        stops = self.stop_nodes(rows, unseen, missing)
        probabilities = self._shares[stops]
        if missing == "fraction" and (fractional := self._fractional_rows(rows, stops)).size:
            probabilities[fractional] = self._spread(rows, self._shares, fractional)
        return probabilities

    def grouped(
        self, rows: Rows, unseen: str, missing: str
    ) -> tuple[npt.NDArray[Any], Ids, Floats, Ids]:
        """Return predictions and probabilities at once, rows with equal ones as one group.

        Returns
        -------
        predictions : (rows,) array
            As `values` returns them.
        group : (rows,) int
            The group of each row: the node where it stops; each fractional case is one of its own.
        probability : (groups, classes) float64
            The predicted probabilities of each group.
        nodes : (groups,) int
            The node of each group.
        """
        stops = self.stop_nodes(rows, unseen, missing)
        predictions, group = self._values[stops], stops
        probability, nodes = self._shares, np.arange(len(self._shares), dtype=np.int32)
        if missing == "fraction" and (fractional := self._fractional_rows(rows, stops)).size:
            mixed = self._spread(rows, self._shares, fractional)
            predictions[fractional] = self._best(mixed)
            group = stops.astype(np.int64)
            group[fractional] = len(nodes) + np.arange(len(fractional))
            probability = np.concatenate([probability, mixed])
            nodes = np.concatenate([nodes, stops[fractional]])
        return predictions, group, probability, nodes

    def weights_by_group(
        self, rows: Rows, policies: tuple[str, str], weight: Floats, group: Ids, n_groups: int
    ) -> Floats:
        """Return the weight of the rows that end in each group of nodes, given by node.

        A fractional case counts in every group that it reaches, by its fractions.
        """
        stops = self.stop_nodes(rows, *policies)
        counts = weight_sums(group[stops], weight, n_groups)
        if policies[1] == "fraction" and (fractional := self._fractional_rows(rows, stops)).size:
            lost = weight_sums(group[stops[fractional]], weight[fractional], n_groups)
            indicator = np.zeros((len(group), n_groups))
            indicator[np.arange(len(group)), group] = 1.0
            counts = counts - lost + weight[fractional] @ self._spread(rows, indicator, fractional)
        return np.maximum(counts, 0.0)

    def stop_nodes(self, rows: Rows, unseen: str, missing: str) -> Ids:
        """Return the node where each row stops or becomes a fractional case."""
        if unseen == "missing":
            for c in self._level_index:
                rows.columns[c] = np.maximum(rows.cells(c), np.int32(MISSING))
        if missing == LEARNED and self._splits:
            stops = self._route_by_split(rows, unseen)
        else:
            flat = self.learned_flat if missing == LEARNED else self.flat
            stops = flat.apply(rows.columns, rows.n, threads=_n_threads(rows.n))
        if missing == "error":
            self._refuse_missing(rows, stops)
        if unseen == "error":
            self._refuse_unseen(rows, stops, is_shared=missing == "fraction")
        return stops

    # -- internal --------------------------------------------------------------------------

    def _row(self, row: Mapping[str, Any]) -> Rows | None:
        """Return one row quickly if all its values are as expected, else None."""
        columns: list[Cells | None] = [None] * len(self._schema)
        for c in self._used:
            field = self._schema[c]
            if field.name not in row:
                return None  # a part of a date, or an error
            value = row[field.name]
            if isinstance(value, np.generic):
                value = value.item()
            is_gone = value is None or value != value  # noqa: PLR0124 - NaN
            if field.is_numeric:
                if not (is_gone or type(value) in (int, float)) or value in _INFINITE:
                    return None
                cells = np.array([np.nan if is_gone else value], np.float64)
                columns[c] = _to_single(cells) if self._is_single else cells
                continue
            code = MISSING if is_gone else self._level_index[c].of(value)
            if code == MISSING and not is_gone:
                return None
            columns[c] = np.array([code], np.int32)
        return Rows(columns, 1)

    def _few_rows(self, source: npt.NDArray[Any]) -> Rows | None:
        """Return a few rows of finite numbers quickly, None for anything else."""
        width = len(self._schema)
        if source.ndim != 2 or source.dtype != np.float64 or source.shape[1] != width:
            return None
        if not source.flags.aligned:
            return None
        if (
            self._level_index
            or self._splits
            or not 0 < len(source) <= FEW_ROWS
            or np.isinf(source).any()
        ):
            return None
        numbers = np.ascontiguousarray(source)  # strides may be negative or 0
        columns: list[Cells | None] = [None] * width
        for c in self._used:
            columns[c] = _to_single(numbers[:, c]) if self._is_single else numbers[:, c]
        return Rows(columns, len(numbers))

    def _spread(self, rows: Rows, values: Floats, some: npt.NDArray[np.intp]) -> Floats:
        """Return the weighted mean of the values of all nodes that each row reaches."""
        n_threads = _n_threads(len(some))
        return self.flat.predict_fractional(
            rows.columns, values, rows.n, threads=n_threads, rows=some.astype(np.int64, copy=False)
        )

    def _best(self, mixed: Floats) -> npt.NDArray[Any]:
        """Return the prediction for mixed probabilities; ties go to the first class.

        Equal sums of fractions count as a tie in spite of their rounding errors.
        """
        if not isinstance(self._reader, Classes):
            return mixed[:, 0]
        if self._reader.costs is None:
            return np.asarray((mixed >= mixed.max(axis=1, keepdims=True) - TIE).argmax(axis=1))
        risks = self._reader.costs.risks(mixed)
        slack = TIE * risks.max(axis=1, keepdims=True)
        return np.asarray((risks <= risks.min(axis=1, keepdims=True) + slack).argmax(axis=1))

    def _fractional_rows(self, rows: Rows, stops: Ids) -> npt.NDArray[np.intp]:
        """Return the rows that become fractional cases."""
        inside = np.flatnonzero(~self._is_leaf[stops])
        split_columns = self._column[stops[inside]]
        is_missing = np.zeros(len(inside), bool)
        for c in np.unique(split_columns).tolist():  # only the cells that are needed
            at = np.flatnonzero(split_columns == c)
            cells = rows.cells(c)[inside[at]]
            is_missing[at] = np.isnan(cells) if cells.dtype == np.float64 else cells == MISSING
        return inside[is_missing]

    def _is_missing_at(self, rows: Rows, stops: Ids) -> Mask:
        """Return which rows stop at a split on a column where they have no value."""
        split_columns = self._column[stops]
        is_missing = np.zeros(rows.n, bool)
        for c in np.unique(split_columns[split_columns >= 0]).tolist():
            is_missing |= (split_columns == c) & rows.missing(c)
        return is_missing

    def _route_by_split(self, rows: Rows, unseen: str) -> Ids:
        """Return where rows stop in a tree with surrogates: node by node in NumPy."""
        assert rows.table is not None
        known = {"is_single": self._is_single}
        columns = {c: _known_column(rows, c, self._schema[c], **known) for c in self._used}
        odd = {c: rows.unseen(c) for c in self._used}
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
        lacks = self._is_missing_at(rows, stops)
        if lacks.any():
            row = int(lacks.argmax())
            column = self._schema[int(self._column[stops[row]])].name
            raise DataError("value_missing", row=rows.number(row), column=column)

    def _refuse_unseen(self, rows: Rows, stops: Ids, *, is_shared: bool) -> None:
        """Raise an error for the first row that reaches a split with an unseen level.

        Such a row stops there, so the columns of the nodes that a row reaches are sufficient.
        """
        odd = {c: cells for c in self._level_index if (cells := rows.unseen(c)).any()}
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
        known = Names([*field.levels[:MAX_LISTED], *more])
        told = {"column": field.name, "value": rows.level(row, c), "known": known}
        raise DataError("unseen_level", row=rows.number(row), **told)


def unseen_is_known(field: Field, cut: float | None, unseen: str) -> bool:
    """Whether an unseen level takes the branch of known values of a split into known and missing.

    With ``unseen="error"`` it does not, unless the column has no levels at all, as in a tree made
    from a dict.
    """
    return cut == math.inf and (unseen == "stop" or not field.levels)


def threshold_gaps(tree: TreeData, table: Table) -> Floats:
    """Return the values on both sides of each threshold, of the training rows in the node, (n, 2).

    The table is the one that the tree was grown from: its categories have the codes of the tree.
    """
    nodes, used = tree.nodes, used_columns(tree)
    is_single = tree.recipe.get("precision") == "single"
    has_modes = nodes.missing is not None and not nodes.surrogates
    modes = nodes.missing if has_modes else np.full(len(nodes), SHARE, np.int32)
    assert modes is not None
    flat = _flat(tree, comparison_cuts(tree), modes)
    gaps = np.full((len(nodes), 2), np.nan)
    for part in row_blocks(table):
        columns = _table_cells(part, tree.schema, used, is_single=is_single)
        low, high = flat.threshold_gaps(columns, part.n_rows).reshape(-1, 2).T
        gaps[:, 0] = np.fmax(gaps[:, 0], low)
        gaps[:, 1] = np.fmin(gaps[:, 1], high)
    if not is_single:
        return gaps
    # The gaps are the original values; 32-bit floats are used for comparisons only.
    has_gap = np.isfinite(gaps).all(axis=1)
    for c in np.unique(nodes.column[has_gap]).tolist():
        here = np.flatnonzero(has_gap & (nodes.column == c))
        levels = np.asarray(table.columns[c].levels, np.float64)
        compared = _to_single(levels)
        gaps[here, 0] = levels[compared.searchsorted(gaps[here, 0], side="right") - 1]
        gaps[here, 1] = levels[compared.searchsorted(gaps[here, 1], side="left")]
    # Values that are equal as 32-bit floats may lie on both sides of the threshold.
    gaps[:, 0] = np.minimum(gaps[:, 0], tree.nodes.cut)
    return gaps


def row_blocks(table: Table) -> Iterator[Table]:
    """Yield a large table in blocks, so that no complete column has to be in memory."""
    if table.n_rows <= BLOCK_ROWS:
        yield table
        return
    for start in range(0, table.n_rows, BLOCK_ROWS):
        yield table.take(np.arange(start, min(start + BLOCK_ROWS, table.n_rows)))


def _align_rows(tree: TreeData, source: Any) -> Table:  # noqa: ANN401 - whatever `align` takes
    """Return rows as a tree codes them; a source without rows is allowed."""
    try:
        return align_all(tree, source)
    except DataError as error:
        if error.key not in ("no_rows", "empty_table"):
            raise
    nothing = np.empty(0, np.int32)
    columns = [Column(f.name, f.kind, tuple(f.levels), nothing) for f in tree.schema]
    return Table(tuple(columns), None, 0)


def _flat(tree: TreeData, cuts: Floats, missing: Ids) -> FlatTree:
    nodes = tree.nodes
    return FlatTree(
        column=nodes.column,
        cut=cuts,
        first_child=tree.first_child,
        n_children=tree.n_children,
        level_start=nodes.level_start.astype(np.int64, copy=False),
        level_codes=nodes.level_codes,
        missing_mode=missing,
        weight=np.ascontiguousarray(tree.weight, np.float64),
    )


def _with_cut(split: Split | None, cut: float) -> Split | None:
    """Return a split with the threshold that is used in comparisons."""
    return split if split is None or split.cut is None else replace(split, cut=cut)


def comparison_cuts(tree: TreeData) -> Floats:
    """Return the thresholds for comparisons; C4.5 rounds them to 32-bit floats."""
    is_single = tree.recipe.get("precision") == "single"
    rounded = is_single and dialect_of(tree).rounds_thresholds
    return np.asarray(_to_single(tree.nodes.cut), np.float64) if rounded else tree.nodes.cut


def _table_cells(
    table: Table, schema: Sequence[Field], used: Sequence[int], *, is_single: bool
) -> list[Cells | None]:
    """Return the columns of a table that a tree uses, as C++ expects them."""
    columns: list[Cells | None] = [None] * len(schema)
    with np.errstate(over="ignore"):  # once for all columns
        for c in used:
            cells = _cells(table.columns[c], schema[c])
            columns[c] = _rounded(cells) if is_single else cells
    return columns


def _cells(column: Column, field: Field) -> Cells:
    if isinstance(column, LazyColumn):
        return column.raw
    if field.is_numeric:
        return column.numbers()
    codes = np.ascontiguousarray(column.codes, np.int32)
    if len(column.levels) > len(field.levels):
        return np.where(codes < len(field.levels), codes, np.int32(UNSEEN))
    return codes


def _to_single(cells: Cells) -> Cells:
    """Return numbers rounded to 32-bit floats, as they were when the tree was grown."""
    with np.errstate(over="ignore"):
        return _rounded(cells)


def _rounded(cells: Cells) -> Cells:
    return cells.astype(np.float32).astype(np.float64) if cells.dtype == np.float64 else cells


def _known_column(rows: Rows, c: int, field: Field, *, is_single: bool) -> Column:
    """Return a column in which every level is one of the field's, or missing."""
    assert rows.table is not None
    if field.is_numeric:
        return numeric(field.name, rows.cells(c)) if is_single else rows.table.columns[c]
    codes = np.maximum(rows.cells(c), np.int32(MISSING)).astype(np.int32, copy=False)
    return Column(field.name, field.kind, tuple(field.levels), codes)


def _class_array(classes: tuple[Any, ...]) -> npt.NDArray[Any]:
    """Return the classes as an array whose elements keep their types."""
    kinds = {type(c) for c in classes}
    if len(kinds) == 1 and kinds <= {bool, int, float}:
        plain = np.asarray(classes)
        if plain.dtype.kind in "bif":
            return plain
    found = np.empty(len(classes), object)
    found[:] = classes
    return found


def _n_threads(n_rows: int) -> int:
    if n_rows < 2 * ROWS_PER_THREAD:
        return 1
    return max(1, min(n_processors(), n_rows // ROWS_PER_THREAD))
