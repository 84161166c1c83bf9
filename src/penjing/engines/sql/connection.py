"""A table or query of a database, and the SQL for its names, values and columns.

SQL is written in DuckDB's dialect; sqlglot translates it into the dialect of the database.
"""

# ruff: noqa: S608 - names and literals are quoted by sqlglot

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np

from penjing.data.read.infer_remote import MAX_LISTED_NUMBERS, ColumnSummary, sort_key
from penjing.errors import CapabilityError, DataError

ROWS = '"penjing:rows"'
"""Placeholder of the source in our SQL; no column is likely to have such a name."""
QUOTED = re.compile("'[^']*'" + '|"[^"]*"')
"""A string literal or a quoted name: an alias inside a string literal is not replaced."""
MAX_INT64 = np.iinfo(np.int64).max
NUMBERS = ("whole", "number", "decimal")
Kind = Literal["whole", "number", "decimal", "truth", "text", "other"]
"""The type of a column. "decimal": the database's own cast does not give the nearest double."""


class Connection(Protocol):
    """A connection to a database."""

    dialect: str
    name: str

    def columns(self, source: str) -> list[tuple[str, Kind]]:
        """Return the names and kinds of the columns of a table or query."""

    def run(self, text: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""

    def run_by_column(self, text: str) -> list[list[Any]]:
        """Return the result of a query by column; NULL is None."""

    def alter_temp(self, text: str) -> bool:
        """Create or drop a TEMP table; return False if that is not allowed."""

    def close(self) -> None:
        """Close the connection."""


def quoted(name: str) -> str:
    """Return a name as a quoted SQL identifier."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    return exp.to_identifier(name, quoted=True).sql("duckdb")


def literal(value: object) -> str:
    """Return a value as SQL literal; a float by its shortest exact text."""
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float | np.floating):
        return f"CAST('{float(value)!r}' AS DOUBLE)"
    if isinstance(value, int | np.integer):
        return str(int(value))
    return "'" + str(value).replace("'", "''") + "'"


class Source:
    """A table or a query of a database, and the SQL for its columns."""

    def __init__(self, connection: Connection, table: str | None, query: str | None) -> None:
        self.connection = connection
        if (
            query is not None and len(query.strip().rstrip(";").split()) == 1
        ):  # only the name of a table
            table, query = query.strip().rstrip(";"), None
        if query is not None:
            text = f"({query.strip().rstrip(';')}\n) AS penjing_rows"  # it may end with a comment
        else:
            assert table is not None
            from sqlglot import exp  # noqa: PLC0415 - heavy

            parts = exp.to_table(table, dialect=connection.dialect)
            for part in parts.find_all(exp.Identifier):
                part.set("quoted", True)
            text = f"{parts.sql(connection.dialect)} AS penjing_rows"
        self._from = text
        self._aliases: dict[str, str] = {}
        self._temporary: dict[str, str] = {}
        self.kinds = dict(connection.columns(text))
        self._column_of: dict[str, str] = {}

    def rename_columns(self, names: Sequence[str]) -> None:
        """Give the columns these names, whatever their names in the database are."""
        self._column_of = dict(zip(names, self.kinds, strict=True))
        self.kinds = dict(zip(names, self.kinds.values(), strict=True))

    def column_sql(self, name: str) -> str:
        """Return the quoted name of a column in the database."""
        return quoted(self._column_of.get(name, name))

    def to_dialect(self, text: str) -> str:
        """Return a statement in the dialect of the database, with all aliases replaced."""
        import sqlglot  # noqa: PLC0415 - heavy

        try:
            (translated,) = sqlglot.transpile(text, read="duckdb", write=self.connection.dialect)
        except RecursionError:  # a CASE inside a CASE for each ancestor of a node
            raise CapabilityError("sql_too_deep", source=self.connection.name) from None
        return QUOTED.sub(self._expand_alias, translated)

    def _expand_alias(self, match: re.Match[str]) -> str:
        """Return the SQL that an alias stands for; anything else unchanged."""
        name = match.group()
        return self._from if name == ROWS else self._aliases.get(name, name)

    def define_alias(self, name: str, expression: str) -> str:
        """Define an alias for a long expression, so that it is translated only once."""
        import sqlglot  # noqa: PLC0415 - heavy

        if name not in self._aliases:
            (self._aliases[name],) = sqlglot.transpile(
                expression, read="duckdb", write=self.connection.dialect
            )
        return name

    def temporary_alias(self, expression: str) -> str:
        """Return an alias for an expression, valid until `drop_temporary_aliases`."""
        if expression not in self._temporary:
            name = f'"penjing:short_{len(self._temporary)}"'
            self._temporary[expression] = self.define_alias(name, expression)
        return self._temporary[expression]

    def drop_temporary_aliases(self) -> None:
        """Remove the temporary aliases."""
        for name in self._temporary.values():
            del self._aliases[name]
        self._temporary = {}

    def run(self, text: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self.connection.run(self.to_dialect(text))

    def run_by_column(self, text: str) -> list[list[Any]]:
        """Return the result of a query by column."""
        return self.connection.run_by_column(self.to_dialect(text))

    def value_sql(self, name: str) -> str:
        """Return the SQL for a column's values: numbers, booleans or text, NULL if missing."""
        column, kind = self.column_sql(name), self.kinds[name]
        if kind in ("number", "decimal"):
            return self.number_sql(name)
        return column if kind in ("whole", "truth", "text") else f"CAST({column} AS TEXT)"

    def number_sql(self, name: str) -> str:
        """Return the SQL for a column as double; NaN becomes NULL, and -0.0 becomes 0.0."""
        column = self.column_sql(name)
        if self.kinds[name] == "decimal":
            column = f"CAST({column} AS TEXT)"
        return f"NULLIF(CAST({column} AS DOUBLE) + 0, CAST('NaN' AS DOUBLE))"

    def summarize_column(self, name: str, where: str) -> ColumnSummary:
        """Return the distinct values of a column; of very many numbers only their range."""
        raw, kind = self.value_sql(name), self.kinds[name]
        if kind in NUMBERS:
            limit = MAX_LISTED_NUMBERS + 2
            first = self.run(f"SELECT DISTINCT {raw} AS v FROM {ROWS} WHERE {where} LIMIT {limit}")
            if len(first) > MAX_LISTED_NUMBERS + 1:
                return self._summarize_range(name, where)
        groups = self.run(f"SELECT {raw} AS v, COUNT(*) AS n FROM {ROWS} WHERE {where} GROUP BY 1")
        known = sorted(
            ((v, n) for v, n in groups if v is not None), key=lambda pair: sort_key(pair[0])
        )
        n_missing = sum(n for v, n in groups if v is None)
        counts = np.array([n for _, n in known], np.int64)
        values: Any = [v for v, _ in known]
        is_wide = kind == "whole" and any(abs(v) > MAX_INT64 for v in values)
        if kind in NUMBERS and not is_wide:
            values = np.array(values, np.int64 if kind == "whole" else np.float64)
        return ColumnSummary(name, values, counts, n_missing)

    def _summarize_range(self, name: str, where: str) -> ColumnSummary:
        v, is_whole = self.number_sql(name), self.kinds[name] == "whole"
        ends = self.column_sql(name) if is_whole else v  # a double could lose digits
        selected = f"COUNT(*), COUNT({v}), MIN({ends}), MAX({ends})"
        selected += f", COUNT(DISTINCT {ends})" if is_whole else ""
        ((n, known, low, high, *distinct),) = self.run(
            f"SELECT {selected} FROM {ROWS} WHERE {where}"
        )
        is_distinct = bool(distinct) and distinct[0] == known
        return ColumnSummary(
            name,
            None,
            n_missing=n - known,
            span=(low, high),
            is_whole=is_whole,
            is_distinct=is_distinct,
        )


def database_error(connection: Connection, error: Exception) -> DataError:
    """Return the error for a query that the database has refused, with its message."""
    return DataError("sql_failed", source=connection.name, said=_first_line(error))


def _first_line(error: Exception) -> str:
    """Return the message of a database without the position in our SQL."""
    return str(error).strip().split("\n", 1)[0]
