"""Rows in a DuckDB database, counted there: the same tree as the memory engine's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from penjing.engines import in_database
from penjing.engines.sql_source import Kind, failed
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
            raise failed(self, error) from None
        self._link.execute("SET enable_progress_bar = false")

    def columns(self, source: str) -> list[tuple[str, Kind]]:
        """Return the names and kinds of the columns of a table or query."""
        told = self.run(f"DESCRIBE SELECT * FROM {source}")  # noqa: S608 - it is quoted
        return [(row[0], _kind(str(row[1]))) for row in told]

    def run(self, text: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        try:
            found: list[tuple[Any, ...]] = self._link.execute(text).fetchall()
        except self._error as error:
            raise failed(self, error) from None
        return found

    def by_column(self, text: str) -> list[list[Any]]:
        """Return the columns of what a query finds; far quicker than by rows."""
        try:
            found = self._link.execute(text).fetchnumpy()
        except self._error as error:
            raise failed(self, error) from None
        return [column.tolist() for column in found.values()]

    def make(self, text: str) -> bool:
        """Make (or drop) a TEMP table; it lives in memory, or in DuckDB's own temporary folder."""
        self.run(text)
        return True

    def close(self) -> None:
        """Let go."""
        self._link.close()


def _kind(name: str) -> Kind:
    if name in _WHOLE:
        return "whole"
    if name in _NUMBERS or name.startswith("DECIMAL"):
        return "number"
    if name == "BOOLEAN":
        return "truth"
    return "text" if name == "VARCHAR" or name.startswith("ENUM") else "other"


class Engine(in_database.Engine):
    """Answers from a DuckDB database by GROUP BYs.

    Parameters
    ----------
    source : str or connection
        ``duckdb:file.db``, or an open connection.
    recipe, **where
        As in :class:`penjing.engines.in_database.Engine`.
    """

    def __init__(self, source: Any, recipe: Recipe, **where: Any) -> None:  # noqa: ANN401
        super().__init__(Link(source), recipe, **where)

    def close(self) -> None:
        """Let the database go; a connection that is somebody's keeps no table of ours."""
        self.rows.forget()
        super().close()
