"""Rows in a DuckDB database, counted there: the same tree as the memory engine's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from penjing.engines import afar, sql
from penjing.errors import DataError
from penjing.recipe import Recipe

SCHEME = "duckdb:"

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_NUMBERS = ("DOUBLE", "FLOAT", "HUGEINT", "UHUGEINT", "UBIGINT")


class Link:
    """A database file, open for reading only, or a connection that somebody has."""

    dialect = "duckdb"

    def __init__(self, source: Any) -> None:  # noqa: ANN401 - text, or a connection
        import duckdb  # noqa: PLC0415 - heavy

        self._error: type[Exception] = duckdb.Error
        self._is_ours = isinstance(source, str)
        if not isinstance(source, str):
            self.name = "duckdb"
            self._link = source.cursor()
            return
        path = source.removeprefix(SCHEME)
        self.name = Path(path).name
        if not Path(path).is_file():
            raise DataError("no_such_file", source=path)
        try:
            self._link = duckdb.connect(path, read_only=True)
        except duckdb.Error as error:
            raise self._told(error) from None
        self._link.execute("SET enable_progress_bar = false")

    def _told(self, error: Exception) -> DataError:
        return DataError("sql_failed", source=self.name, said=sql.first_line(error))

    def columns(self, source: str) -> list[tuple[str, sql.Kind]]:
        """Return the names and kinds of the columns of a table or query."""
        told = self.run(f"DESCRIBE SELECT * FROM {source}")  # noqa: S608 - it is quoted
        return [(row[0], _kind(str(row[1]))) for row in told]

    def run(self, text: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        try:
            found: list[tuple[Any, ...]] = self._link.execute(text).fetchall()
        except self._error as error:
            raise self._told(error) from None
        return found

    def make(self, text: str) -> bool:
        """Make (or drop) a TEMP table; it lives in memory, or in DuckDB's own temporary folder."""
        self.run(text)
        return True

    def close(self) -> None:
        """Let go."""
        self._link.close()


def _kind(name: str) -> sql.Kind:
    if name in _WHOLE:
        return "whole"
    if name in _NUMBERS or name.startswith("DECIMAL"):
        return "number"
    if name == "BOOLEAN":
        return "truth"
    return "text" if name == "VARCHAR" or name.startswith("ENUM") else "other"


class Engine(afar.Engine):
    """Answers from a DuckDB database by GROUP BYs.

    Parameters
    ----------
    source : str or connection
        ``duckdb:file.db``, or an open connection.
    recipe : Recipe
        What is going to be grown.
    table, query : str
        Where the rows are; one of them.
    target, schema
        As in :func:`penjing.read`.
    """

    def __init__(
        self,
        source: Any,  # noqa: ANN401 - text, or a connection
        recipe: Recipe,
        *,
        table: str | None = None,
        query: str | None = None,
        target: str | None = None,
        schema: Mapping[str, Any] | None = None,
        fetched: int | None = None,
    ) -> None:
        self._link = Link(source)
        rows = sql.Rows(self._link, table=table, query=query, target=target, schema=schema)
        super().__init__(rows, recipe, fetched)

    def close(self) -> None:
        """Let the database go."""
        self.rows.forget()
        self._link.close()
