"""The SQL for the columns of a table: values, codes, buckets, and the class.

The types of the columns are inferred once, from their distinct values. If a TEMP table holds the
rows, the columns are read from it.
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
from penjing.engines.sql.connection import ROWS, Connection, Source, literal
from penjing.errors import CapabilityError

BUCKETS = 256
"""A column of many numbers is counted in this many buckets first."""
SAMPLE_ROWS = 50_000
"""The borders of the buckets are quantiles of about this many rows."""
MAX_CODED_VALUES = 256
"""A TEMP table holds codes for columns of at most this many distinct values, else values."""


class Columns:
    """The columns of a table or query.

    Parameters
    ----------
    connection : Connection
        The connection.
    table, query : str
        Where the rows are; exactly one of the two.
    target : str or None
        The column to predict.
    schema : mapping, optional
        The types of columns, as in :func:`penjing.read`.
    read : Table, optional
        The rows, if they were read and then copied to the database: then the types are known.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        table: str | None,
        query: str | None,
        target: str | None,
        schema: Mapping[str, Any] | None = None,
        read: Table | None = None,
    ) -> None:
        self.connection = connection
        self._edges: dict[int, Floats] = {}
        self._temp_table: str | None = None
        self._source = source = Source(connection, table, query)
        if read is not None:
            self.survey: RemoteTable = remote_table_of(read, connection.name)
            source.rename_columns([*read.names, self.survey.target.column.name])
            self._where = "TRUE"
            return
        target_name = find_remote_target([*source.kinds], target, connection.name)
        self.survey = infer_remote_target(
            source.summarize_column(target_name, "TRUE"), schema, connection.name
        )
        self._where = self._known_sql(self.survey.target, target_name)
        for name in source.kinds:
            if name != target_name:
                add_remote_column(self.survey, source.summarize_column(name, self._where), schema)
        if not self.survey.columns:
            raise CapabilityError("remote_no_columns", source=connection.name)

    def _known_sql(self, target: RemoteColumn, name: str) -> str:
        assert target.codes is not None
        assert target.values is not None
        raw = self._source.value_sql(name)
        missing = [literal(v) for v, c in zip(target.values, target.codes, strict=True) if c < 0]
        return f"{raw} IS NOT NULL" + (
            f" AND {raw} NOT IN ({', '.join(missing)})" if missing else ""
        )

    def drop_unknown(self) -> None:
        """Leave out the rows in which every column but the target is missing, as rpart does."""
        survey = self.survey
        if not all(judged.n_missing for judged in survey.columns):
            return
        known = " OR ".join(self._is_known_sql(judged) for judged in survey.columns)
        dropped = self._source.run(
            f"SELECT y, COUNT(*) FROM (SELECT {self._target_sql()} AS y FROM {ROWS}"
            f" WHERE {self._where} AND NOT ({known})) AS unknown GROUP BY y"
        )
        if not dropped:
            return
        self._where = f"{self._where} AND ({known})"
        for class_, n in dropped:
            survey.counts[class_] -= n
            survey.n_rows -= n
        n_dropped = sum(n for _, n in dropped)
        survey.columns = [replace(j, n_missing=j.n_missing - n_dropped) for j in survey.columns]

    def _is_known_sql(self, judged: RemoteColumn) -> str:
        name = judged.column.name
        if judged.is_listed:
            return f"({self._known_sql(judged, name)})"
        return f"{self._source.number_sql(name)} IS NOT NULL"

    # -- SQL of columns -----------------------------------------------------------------------

    def _from_sql(self) -> str:
        return f"{ROWS} WHERE {self._where}" if self._temp_table is None else self._temp_table

    def _value_sql(self, c: int) -> str:
        judged = self.survey.columns[c]
        name = judged.column.name
        if self._temp_table is not None:
            return f"c{c}"
        if not judged.is_listed:
            return self._source.number_sql(name)
        return self._source.value_sql(name)

    def _code_sql(self, judged: RemoteColumn, raw: str) -> str:
        assert judged.values is not None
        assert judged.codes is not None
        pairs = zip(judged.values, judged.codes.tolist(), strict=True)
        whens = " ".join(f"WHEN {literal(v)} THEN {code}" for v, code in pairs if code >= 0)
        return f"CASE {raw} {whens} END" if whens else "NULL"

    def _target_sql(self) -> str:
        """Return the SQL for the class of a row, as code."""
        if self._temp_table is not None:
            return "y"
        target = self.survey.target
        return self._code_sql(target, self._source.value_sql(target.column.name))

    def _bucket_sql(self, c: int) -> str:
        """Return the SQL for a value's bucket: the number of borders below it, by bisection."""
        if self._temp_table is not None:
            return f"b{c}"
        edges, v = self._borders(c), self._value_sql(c)

        def between(low: int, high: int) -> str:
            if low == high:
                return str(low)
            middle = (low + high) // 2
            left, right = between(low, middle), between(middle + 1, high)
            return f"CASE WHEN {v} <= {literal(float(edges[middle]))} THEN {left} ELSE {right} END"

        bucket = f"CASE WHEN {v} IS NOT NULL THEN {between(0, len(edges))} END"
        return self._source.define_alias(f'"penjing:bucket_{c}"', bucket)

    def _borders(self, c: int) -> Floats:
        """Return the borders of the buckets: quantiles of a sample; any give the same tree."""
        if not self._edges:
            bucketed = [i for i, judged in enumerate(self.survey.columns) if not judged.is_listed]
            selected = ", ".join(
                self._source.number_sql(self.survey.columns[i].column.name) for i in bucketed
            )
            share = min(1.0, SAMPLE_ROWS / self.survey.n_rows)
            rows = self._source.run(
                f"SELECT {selected} FROM {ROWS} WHERE {self._where} AND RANDOM() <= {share!r}"
            )
            samples = list(zip(*rows, strict=True)) if rows else [()] * len(bucketed)
            for i, column in zip(bucketed, samples, strict=True):
                values = np.sort(np.array([v for v in column if v is not None], np.float64))
                at = (np.arange(1, BUCKETS) * len(values)) // BUCKETS
                self._edges[i] = np.unique(values[at]) if len(values) else np.empty(0)
        return self._edges[c]

    def _is_coded(self, c: int) -> bool:
        values = self.survey.columns[c].values
        return (
            self._temp_table is not None and values is not None and len(values) <= MAX_CODED_VALUES
        )
