"""The columns of a database as SQL reads them: values, codes, buckets, and the class.

What the columns are is judged once from their distinct values. Where a TEMP table holds the rows,
columns are read from it.
"""

# ruff: noqa: S608 - names and literals are quoted by sqlglot

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from penjing.data.read.infer_remote import (
    RemoteColumn,
    RemoteTable,
    add_remote_column,
    find_remote_target,
    infer_remote_target,
    remote_table_of,
)
from penjing.data.table import Floats, Table
from penjing.engines.sql.connection import ROWS, Link, Source, literal
from penjing.errors import CapabilityError

BUCKETS = 256
"""In how many buckets a column of many numbers is counted first."""
SAMPLED = 50_000
"""From about so many rows the borders of the buckets are taken."""
CODED = 256
"""Up to so many distinct values a TEMP table holds codes; beyond, the values themselves."""


class Columns:
    """The columns of a table or query.

    Parameters
    ----------
    link : Link
        The connection.
    table, query : str
        Where the rows are; one of them.
    target : str or None
        The column to predict.
    schema : mapping, optional
        What columns are, as in :func:`penjing.read`.
    read : Table, optional
        The rows as they were read before they were put there; nothing is left to be judged.
    """

    def __init__(
        self,
        link: Link,
        *,
        table: str | None,
        query: str | None,
        target: str | None,
        schema: Mapping[str, Any] | None = None,
        read: Table | None = None,
    ) -> None:
        self.link = link
        self._edges: dict[int, Floats] = {}
        self._work: str | None = None
        self._source = source = Source(link, table, query)
        if read is not None:
            self.survey: RemoteTable = remote_table_of(read, link.name)
            source.call([*read.names, self.survey.target.column.name])
            self._where = "TRUE"
            return
        goal = find_remote_target([*source.kinds], target, link.name)
        self.survey = infer_remote_target(source.seen(goal, "TRUE"), schema, link.name)
        self._where = self._known(self.survey.target, goal)
        for name in source.kinds:
            if name != goal:
                add_remote_column(self.survey, source.seen(name, self._where), schema)
        if not self.survey.columns:
            raise CapabilityError("remote_no_columns", source=link.name)

    def _known(self, target: RemoteColumn, name: str) -> str:
        assert target.codes is not None
        assert target.values is not None
        raw = self._source.raw(name)
        lost = [literal(v) for v, c in zip(target.values, target.codes, strict=True) if c < 0]
        return f"{raw} IS NOT NULL" + (f" AND {raw} NOT IN ({', '.join(lost)})" if lost else "")

    def drop_unknown(self) -> None:
        """Leave out the rows of which nothing but the class is known, as rpart does."""
        found = self.survey
        if not all(judged.n_missing for judged in found.columns):
            return
        known = " OR ".join(self._is_known(judged) for judged in found.columns)
        lost = self._source.run(
            f"SELECT y, COUNT(*) FROM (SELECT {self._target()} AS y FROM {ROWS}"
            f" WHERE {self._where} AND NOT ({known})) AS unknown GROUP BY y"
        )
        if not lost:
            return
        self._where = f"{self._where} AND ({known})"
        for class_, n in lost:
            found.counts[class_] -= n
            found.n_rows -= n
        n_lost = sum(n for _, n in lost)
        found.columns = [replace(j, n_missing=j.n_missing - n_lost) for j in found.columns]

    def _is_known(self, judged: RemoteColumn) -> str:
        name = judged.column.name
        if judged.is_listed:
            return f"({self._known(judged, name)})"
        return f"{self._source.number(name)} IS NOT NULL"

    # -- how columns read -------------------------------------------------------------------

    def _from(self) -> str:
        return f"{ROWS} WHERE {self._where}" if self._work is None else self._work

    def _value(self, c: int) -> str:
        judged = self.survey.columns[c]
        name = judged.column.name
        if self._work is not None:
            return f"c{c}"
        if not judged.is_listed:
            return self._source.number(name)
        return self._source.raw(name)

    def _coded(self, judged: RemoteColumn, raw: str) -> str:
        assert judged.values is not None
        assert judged.codes is not None
        pairs = zip(judged.values, judged.codes.tolist(), strict=True)
        whens = " ".join(f"WHEN {literal(v)} THEN {code}" for v, code in pairs if code >= 0)
        return f"CASE {raw} {whens} END" if whens else "NULL"

    def _target(self) -> str:
        """Return the class of a row, as code."""
        if self._work is not None:
            return "y"
        target = self.survey.target
        return self._coded(target, self._source.raw(target.column.name))

    def _bucket(self, c: int) -> str:
        """Return the bucket of a value: how many borders lie below it, by halving."""
        if self._work is not None:
            return f"b{c}"
        edges, v = self._borders(c), self._value(c)

        def between(low: int, high: int) -> str:
            if low == high:
                return str(low)
            middle = (low + high) // 2
            left, right = between(low, middle), between(middle + 1, high)
            return f"CASE WHEN {v} <= {literal(float(edges[middle]))} THEN {left} ELSE {right} END"

        whole = f"CASE WHEN {v} IS NOT NULL THEN {between(0, len(edges))} END"
        return self._source.name(f'"penjing:bucket_{c}"', whole)

    def _borders(self, c: int) -> Floats:
        """Return the borders of the buckets: quantiles of some rows; any will do."""
        if not self._edges:
            many = [i for i, judged in enumerate(self.survey.columns) if not judged.is_listed]
            listed = ", ".join(
                self._source.number(self.survey.columns[i].column.name) for i in many
            )
            share = min(1.0, SAMPLED / self.survey.n_rows)
            rows = self._source.run(
                f"SELECT {listed} FROM {ROWS} WHERE {self._where} AND RANDOM() <= {share!r}"
            )
            for i, column in zip(many, zip(*rows, strict=True) if rows else [()] * len(many),
                                 strict=True):  # fmt: skip
                values = np.sort(np.array([v for v in column if v is not None], np.float64))
                at = (np.arange(1, BUCKETS) * len(values)) // BUCKETS
                self._edges[i] = np.unique(values[at]) if len(values) else np.empty(0)
        return self._edges[c]

    def _is_coded(self, c: int) -> bool:
        values = self.survey.columns[c].values
        return self._work is not None and values is not None and len(values) <= CODED
