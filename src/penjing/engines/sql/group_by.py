"""Rows in a database, counted by GROUP BY queries; the same code for all SQL dialects.

The user's tables are only read. While few nodes are open, a CASE computes the node of a row; with
more, a TEMP table holds the codes and the node of each row in an open node.
"""

# ruff: noqa: S608 - names and literals are quoted by sqlglot

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from penjing.data.table import Column, Floats, Table, numeric
from penjing.engines.remote_counts import GroupedCounts, Ints
from penjing.engines.sql.connection import ROWS, literal
from penjing.engines.sql.routing import RoutedRows
from penjing.tree.split import Split

SPANS_PER_QUERY = 200
"""One query counts at most this many spans of values."""


class DatabaseRows(RoutedRows):
    """The rows of a table or query, counted by the database; parameters as in `Columns`."""

    def totals(self) -> Ints:
        """Return how many rows of each class the nodes have."""
        self.store_nodes()
        totals = np.zeros((len(self._nodes), len(self.survey.counts)), np.int64)
        for slot, class_, n in self._group_by(["y"], f"{self._class_sql()} AS y"):
            totals[slot, class_] = n
        return totals

    def _group_by(
        self, keys: Sequence[str], columns: str, where: str = "", aggregates: str = ""
    ) -> list[tuple[Any, ...]]:
        inner = f"SELECT {self._node_sql} AS node, {columns} FROM {self._from_sql()}"
        listed = ", ".join(keys)
        return self._source.run(
            f"SELECT node, {listed}, COUNT(*) AS n{aggregates} FROM ({inner}) AS placed"
            f" WHERE node IS NOT NULL{where} GROUP BY node, {listed}"
        )

    def _slot_filter(self, slots: Sequence[int]) -> str:
        if len(slots) == len(self._nodes):
            return ""
        return f" AND node IN ({', '.join(map(str, slots))})"

    def count_levels(
        self, c: int, slots: Sequence[int], by: Sequence[Split] | None
    ) -> GroupedCounts:
        """Count by level."""
        if by is not None:  # a CASE inside a CASE would be repeated for each WHEN
            self.store_nodes(1)
        columns = f"{self._value_sql(c)} AS v, {self._class_sql(by)} AS y"
        groups = self._group_by(["v", "y"], columns, self._slot_filter(slots))
        slot, value, class_, n = _columns(groups, 4)
        key = self._codes(c, value)
        return GroupedCounts(_ints(slot), key, _ints(class_), _ints(n))

    def _codes(self, c: int, values: Sequence[Any]) -> Ints:
        if self._is_coded(c):
            return np.array([-1 if v is None else v for v in values], np.int64)
        judged = self.survey.columns[c]
        assert judged.codes is not None
        assert judged.values is not None
        code = dict(zip(np.asarray(judged.values, object), judged.codes.tolist(), strict=True))
        return np.array([-1 if v is None else code[v] for v in values], np.int64)

    def count_buckets(self, c: int, slots: Sequence[int]) -> GroupedCounts:
        """Count by bucket, with the smallest and the largest value of each."""
        columns = f"{self._value_sql(c)} AS v, {self._bucket_sql(c)} AS b, {self._class_sql()} AS y"
        aggregates = ", MIN(v) AS low, MAX(v) AS high"
        groups = self._group_by(["b", "y"], columns, self._slot_filter(slots), aggregates)
        slot, key, class_, n, low, high = _columns(groups, 6)
        buckets = np.array([-1 if b is None else b for b in key], np.int64)
        ends = (np.array([math.nan if v is None else v for v in end]) for end in (low, high))
        return GroupedCounts(_ints(slot), buckets, _ints(class_), _ints(n), *ends)

    def count_values(
        self, c: int, spans: Sequence[tuple[int, float, float]], by: Sequence[Split] | None
    ) -> GroupedCounts:
        """Count by value, within spans of values of some nodes."""
        groups: list[tuple[Any, ...]] = []
        if by is not None:
            self.store_nodes(1)
        columns = f"{self._value_sql(c)} AS v, {self._class_sql(by)} AS y"
        if spans[0][1] == -math.inf:  # all values of these nodes
            groups = self._group_by(
                ["v", "y"], columns, self._slot_filter([slot for slot, *_ in spans])
            )
            spans = []
        for start in range(0, len(spans), SPANS_PER_QUERY):
            tests = [
                f"(node = {slot} AND v >= {literal(low)} AND v <= {literal(high)})"
                for slot, low, high in spans[start : start + SPANS_PER_QUERY]
            ]
            groups += self._group_by(["v", "y"], columns, f" AND ({' OR '.join(tests)})")
        slot, value, class_, n = _columns(groups, 4)
        numbers = np.array([math.nan if v is None else v for v in value], np.float64)
        return GroupedCounts(_ints(slot), numbers, _ints(class_), _ints(n))

    def count_spans(
        self, spans: Mapping[int, Sequence[tuple[int, float, float]]]
    ) -> dict[int, GroupedCounts]:
        """Count by value, within spans of several columns."""
        return {c: self.count_values(c, of_column, None) for c, of_column in spans.items()}

    def distinct_values(self, c: int) -> Floats:
        """Return the sorted distinct values of a column."""
        v = self._source.number_sql(self.survey.columns[c].column.name)
        rows = self._source.run(f"SELECT DISTINCT {v} AS v FROM {ROWS} WHERE {self._where}")
        return np.sort(np.array([v for (v,) in rows if v is not None], np.float64))

    def fetch_rows(self, slots: Sequence[int]) -> Iterator[tuple[int, Table]]:
        """Yield slot and rows of some nodes, coded."""
        n_columns = len(self.survey.columns)
        parts = [f"{self._node_sql} AS node", f"{self._class_sql()} AS y"]
        parts += [f"{self._value_sql(c)} AS c{c}" for c in range(n_columns)]
        result = self._source.run_by_column(
            f"SELECT * FROM (SELECT {', '.join(parts)} FROM {self._from_sql()}) AS placed"
            f" WHERE node IN ({', '.join(map(str, slots))})"
        )
        slot_values, classes, *cells = result or [[] for _ in parts]
        slot_of_row = _ints(slot_values)
        columns = [self._to_column(c, values) for c, values in enumerate(cells)]
        field = self.survey.target.column
        target = Column(field.name, "nominal", field.levels, _ints(classes).astype(np.int32))
        for slot in slots:
            rows = np.flatnonzero(slot_of_row == slot)
            yield (
                slot,
                Table(tuple(column.take(rows) for column in columns), target.take(rows), len(rows)),
            )

    def _to_column(self, c: int, values: Sequence[Any]) -> Column:
        field = self.survey.columns[c].column
        if not self.survey.columns[c].is_listed:
            return numeric(field.name, np.array(values, np.float64))  # None is NaN
        return Column(field.name, field.kind, field.levels, self._codes(c, values).astype(np.int32))


def _columns(rows: Sequence[tuple[Any, ...]], n: int) -> list[Sequence[Any]]:
    return list(zip(*rows, strict=True)) if rows else [() for _ in range(n)]


def _ints(values: Sequence[Any]) -> Ints:
    return np.array(values, np.int64)
