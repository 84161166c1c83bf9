"""Rows in a database, counted by its own GROUP BYs: one file for every dialect of SQL.

The user's tables are only read. While few nodes are open, a CASE says in which of them a row is;
beyond that a TEMP table holds the codes and the node of each row that is still in play.
"""

# ruff: noqa: S608 - names and literals are quoted by sqlglot

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from penjing.data.table import Column, Floats, Table, numeric
from penjing.engines.remote_counts import Heap, Ints
from penjing.engines.sql.connection import ROWS, literal
from penjing.engines.sql.routing import Places
from penjing.tree.split import Split

SPANS = 200
"""So many spans of values are asked for in one query."""


class Rows(Places):
    """The rows of a table or query, counted by the database; made as `Places` are."""

    def totals(self) -> Ints:
        """Return how many rows of each class the nodes have."""
        self.settle()
        found = np.zeros((len(self._nodes), len(self.survey.counts)), np.int64)
        for place, class_, n in self._grouped(["y"], f"{self._class()} AS y"):
            found[place, class_] = n
        return found

    def _grouped(
        self, keys: Sequence[str], columns: str, where: str = "", more: str = ""
    ) -> list[tuple[Any, ...]]:
        inner = f"SELECT {self._node} AS node, {columns} FROM {self._from()}"
        listed = ", ".join(keys)
        return self._source.run(
            f"SELECT node, {listed}, COUNT(*) AS n{more} FROM ({inner}) AS placed"
            f" WHERE node IS NOT NULL{where} GROUP BY node, {listed}"
        )

    def _at(self, places: Sequence[int]) -> str:
        if len(places) == len(self._nodes):
            return ""
        return f" AND node IN ({', '.join(map(str, places))})"

    def listed(self, c: int, places: Sequence[int], by: Sequence[Split] | None) -> Heap:
        """Count by level."""
        if by is not None:  # a CASE on a CASE would be repeated for each of its WHENs
            self.settle(1)
        columns = f"{self._value(c)} AS v, {self._class(by)} AS y"
        told = self._grouped(["v", "y"], columns, self._at(places))
        place, value, class_, n = _columns(told, 4)
        key = self._codes(c, value)
        return Heap(_ints(place), key, _ints(class_), _ints(n))

    def _codes(self, c: int, values: Sequence[Any]) -> Ints:
        if self._is_coded(c):
            return np.array([-1 if v is None else v for v in values], np.int64)
        judged = self.survey.columns[c]
        assert judged.codes is not None
        assert judged.values is not None
        code = dict(zip(np.asarray(judged.values, object), judged.codes.tolist(), strict=True))
        return np.array([-1 if v is None else code[v] for v in values], np.int64)

    def buckets(self, c: int, places: Sequence[int]) -> Heap:
        """Count by bucket, with the least and the greatest value of each."""
        columns = f"{self._value(c)} AS v, {self._bucket(c)} AS b, {self._class()} AS y"
        more = ", MIN(v) AS low, MAX(v) AS high"
        told = self._grouped(["b", "y"], columns, self._at(places), more)
        place, key, class_, n, low, high = _columns(told, 6)
        buckets = np.array([-1 if b is None else b for b in key], np.int64)
        ends = (np.array([math.nan if v is None else v for v in end]) for end in (low, high))
        return Heap(_ints(place), buckets, _ints(class_), _ints(n), *ends)

    def values(
        self, c: int, spans: Sequence[tuple[int, float, float]], by: Sequence[Split] | None
    ) -> Heap:
        """Count by value, within spans of values of some nodes."""
        told: list[tuple[Any, ...]] = []
        if by is not None:
            self.settle(1)
        columns = f"{self._value(c)} AS v, {self._class(by)} AS y"
        if spans[0][1] == -math.inf:  # all that these nodes have
            told = self._grouped(["v", "y"], columns, self._at([place for place, *_ in spans]))
            spans = []
        for start in range(0, len(spans), SPANS):
            tests = [
                f"(node = {place} AND v >= {literal(low)} AND v <= {literal(high)})"
                for place, low, high in spans[start : start + SPANS]
            ]
            told += self._grouped(["v", "y"], columns, f" AND ({' OR '.join(tests)})")
        place, value, class_, n = _columns(told, 4)
        numbers = np.array([math.nan if v is None else v for v in value], np.float64)
        return Heap(_ints(place), numbers, _ints(class_), _ints(n))

    def look(self, wanted: Mapping[int, Sequence[tuple[int, float, float]]]) -> dict[int, Heap]:
        """Count by value, within spans of several columns."""
        return {c: self.values(c, spans, None) for c, spans in wanted.items()}

    def distinct(self, c: int) -> Floats:
        """Return the sorted distinct values of a column."""
        v = self._source.number(self.survey.columns[c].column.name)
        told = self._source.run(f"SELECT DISTINCT {v} AS v FROM {ROWS} WHERE {self._where}")
        return np.sort(np.array([v for (v,) in told if v is not None], np.float64))

    def fetch(self, places: Sequence[int]) -> Iterator[tuple[int, Table]]:
        """Yield the rows of some nodes, as codes."""
        columns = self.survey.columns
        parts = [f"{self._node} AS node", f"{self._class()} AS y"]
        parts += [f"{self._value(c)} AS c{c}" for c in range(len(columns))]
        told = self._source.by_column(
            f"SELECT * FROM (SELECT {', '.join(parts)} FROM {self._from()}) AS placed"
            f" WHERE node IN ({', '.join(map(str, places))})"
        )
        place, class_, *cells = told or [[] for _ in parts]
        at, classes = _ints(place), _ints(class_).astype(np.int32)
        made = [self._made(c, values) for c, values in enumerate(cells)]
        target = self.survey.target.column
        whole = Column(target.name, "nominal", target.levels, classes)
        for node in places:
            rows = np.flatnonzero(at == node)
            yield (
                node,
                Table(tuple(column.take(rows) for column in made), whole.take(rows), len(rows)),
            )

    def _made(self, c: int, values: Sequence[Any]) -> Column:
        field = self.survey.columns[c].column
        if not self.survey.columns[c].is_listed:
            return numeric(field.name, np.array(values, np.float64))  # None is NaN
        return Column(field.name, field.kind, field.levels, self._codes(c, values).astype(np.int32))


def _columns(told: Sequence[tuple[Any, ...]], n: int) -> list[Sequence[Any]]:
    return list(zip(*told, strict=True)) if told else [() for _ in range(n)]


def _ints(values: Sequence[Any]) -> Ints:
    return np.array(values, np.int64)
