"""An engine on rows of a DuckDB database; it grows the same tree as the memory engine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from penjing.data.encode.groups import check_database, is_codable
from penjing.data.table import Table
from penjing.engines.sql import database_engine
from penjing.engines.sql.connection import Kind, database_error
from penjing.errors import ChoiceError, NoFileError
from penjing.grow.recipe import Recipe

SCHEME = "duckdb:"

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
          "UBIGINT")  # fmt: skip
_NUMBERS = ("DOUBLE", "FLOAT")
_DECIMALS = ("DECIMAL", "HUGEINT", "UHUGEINT")
ROWS = "penjing_table"
"""The name of the table that holds rows copied to a database in memory."""


class Connection:
    """A read-only connection to a database file, a cursor of the user's, or a copy of a table.

    A `Table` is copied to a database in memory: categories as codes, numbers as they are.
    """

    dialect = "duckdb"

    def __init__(self, source: Any) -> None:  # noqa: ANN401 - text, or a connection
        import duckdb  # noqa: PLC0415 - heavy

        self._error: type[Exception] = duckdb.Error
        if isinstance(source, Table):
            self.name = str(source.source.get("name", "table"))
            self._database = duckdb.connect()
            self._database.execute("SET enable_progress_bar = false")
            self._copy_table(source)
            return
        if not isinstance(source, str | os.PathLike):
            self.name = "duckdb"
            self._database = source.cursor()
            return
        source = os.fspath(source)
        path = source.removeprefix(SCHEME)
        self.name = Path(path).name
        if not Path(path).is_file():
            raise NoFileError("no_such_file", source=path)
        if path == source and is_codable(path):
            raise ChoiceError("query_without_database", source=path)
        try:
            self._database = duckdb.connect(path, read_only=True)
        except duckdb.Error as error:
            check_database(path, self.name)
            raise database_error(self, error) from None
        self._database.execute("SET enable_progress_bar = false")

    def _copy_table(self, table: Table) -> None:
        """Copy the rows of a table to the database."""
        arrays, selected = {}, []
        for i, column in enumerate((*table.columns, table.target)):
            assert column is not None
            name = f"c{i}"
            arrays[name] = column.numbers() if column.is_numeric else column.codes
            selected.append(name if column.is_numeric else f"NULLIF({name}, -1) AS {name}")
        self._database.register("arrays", arrays)
        self._database.execute(f"CREATE TABLE {ROWS} AS SELECT {', '.join(selected)} FROM arrays")  # noqa: S608
        self._database.unregister("arrays")

    def columns(self, source: str) -> list[tuple[str, Kind]]:
        """Return the names and kinds of the columns of a table or query."""
        described = self.run(f"DESCRIBE SELECT * FROM {source}")  # noqa: S608 - it is quoted
        return [(row[0], _kind(str(row[1]))) for row in described]

    def run(self, text: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        try:
            rows: list[tuple[Any, ...]] = self._database.execute(text).fetchall()
        except self._error as error:
            raise database_error(self, error) from None
        return rows

    def run_by_column(self, text: str) -> list[list[Any]]:
        """Return the result of a query by column; much faster than by row."""
        try:
            columns = self._database.execute(text).fetchnumpy()
        except self._error as error:
            raise database_error(self, error) from None
        return [column.tolist() for column in columns.values()]

    def alter_temp(self, text: str) -> bool:
        """Create or drop a TEMP table; it is in memory, or in DuckDB's temporary folder."""
        self.run(text)
        return True

    def close(self) -> None:
        """Close the connection."""
        self._database.close()


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
    """Computes counts by GROUP BY queries to a DuckDB database.

    Parameters
    ----------
    source : str, connection or Table
        ``duckdb:file.db``, an open connection, or a table in memory.
    recipe, **where
        As in :class:`penjing.engines.sql.database_engine.Engine`.
    """

    def __init__(self, source: Any, recipe: Recipe, **where: Any) -> None:  # noqa: ANN401
        if isinstance(source, Table):
            where |= {"table": ROWS, "read": source}
        super().__init__(Connection(source), recipe, **where)

    def close(self) -> None:
        """Drop the TEMP table, which would stay in a connection of the user's, and close."""
        self.rows.reset()
        super().close()
