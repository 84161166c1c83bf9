"""Rows in a DuckDB database, counted there: the same tree as the memory engine's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from penjing.data.encode.groups import is_codable
from penjing.data.table import Table
from penjing.engines.sql import database_engine
from penjing.engines.sql.connection import Kind, failed
from penjing.errors import ChoiceError, NoFileError
from penjing.grow.recipe import Recipe

SCHEME = "duckdb:"

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
          "UBIGINT")  # fmt: skip
_NUMBERS = ("DOUBLE", "FLOAT")
_DECIMALS = ("DECIMAL", "HUGEINT", "UHUGEINT")
ROWS = "penjing_table"
"""What rows are called that were put into a database of our own."""


class Link:
    """A database file, open for reading only, a connection that somebody has, or our own.

    A table is put into a database in memory: names as codes, numbers as they are.
    """

    dialect = "duckdb"

    def __init__(self, source: Any) -> None:  # noqa: ANN401 - text, or a connection
        import duckdb  # noqa: PLC0415 - heavy

        self._error: type[Exception] = duckdb.Error
        if isinstance(source, Table):
            self.name = str(source.source.get("name", "table"))
            self._link = duckdb.connect()
            self._link.execute("SET enable_progress_bar = false")
            self._put(source)
            return
        if not isinstance(source, str | os.PathLike):
            self.name = "duckdb"
            self._link = source.cursor()
            return
        source = os.fspath(source)
        path = source.removeprefix(SCHEME)
        self.name = Path(path).name
        if not Path(path).is_file():
            raise NoFileError("no_such_file", source=path)
        if path == source and is_codable(path):
            raise ChoiceError("query_without_database", source=path)
        try:
            self._link = duckdb.connect(path, read_only=True)
        except duckdb.Error as error:
            raise failed(self, error) from None
        self._link.execute("SET enable_progress_bar = false")

    def _put(self, table: Table) -> None:
        """Put the rows of a table into the database."""
        arrays, told = {}, []
        for i, column in enumerate((*table.columns, table.target)):
            assert column is not None
            name = f"c{i}"
            arrays[name] = column.numbers() if column.is_numeric else column.codes
            told.append(name if column.is_numeric else f"NULLIF({name}, -1) AS {name}")
        self._link.register("arrays", arrays)
        self._link.execute(f"CREATE TABLE {ROWS} AS SELECT {', '.join(told)} FROM arrays")  # noqa: S608
        self._link.unregister("arrays")

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
    if name in _NUMBERS:
        return "number"
    if name.startswith(_DECIMALS):
        return "decimal"
    if name == "BOOLEAN":
        return "truth"
    return "text" if name == "VARCHAR" or name.startswith("ENUM") else "other"


class Engine(database_engine.Engine):
    """Answers from a DuckDB database by GROUP BYs.

    Parameters
    ----------
    source : str, connection or Table
        ``duckdb:file.db``, an open connection, or rows that were read.
    recipe, **where
        As in :class:`penjing.engines.sql.database_engine.Engine`.
    """

    def __init__(self, source: Any, recipe: Recipe, **where: Any) -> None:  # noqa: ANN401
        if isinstance(source, Table):
            where |= {"table": ROWS, "read": source}
        super().__init__(Link(source), recipe, **where)

    def close(self) -> None:
        """Let the database go; a connection that is somebody's keeps no table of ours."""
        self.rows.forget()
        super().close()
