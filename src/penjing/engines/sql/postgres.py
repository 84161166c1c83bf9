"""An engine on rows of PostgreSQL; it needs the SELECT privilege, and is faster with TEMP."""

from __future__ import annotations

from typing import Any

from penjing.engines.sql import database_engine
from penjing.engines.sql.connection import Kind, database_error
from penjing.errors import CapabilityError
from penjing.grow.recipe import Recipe

SCHEMES = ("postgresql://", "postgres://")

_KINDS: dict[int, Kind] = {
    16: "truth", 20: "whole", 21: "whole", 23: "whole", 700: "number", 701: "number",
    1700: "number", 25: "text", 1043: "text",
}  # fmt: skip
"""Kinds by the type ids of PostgreSQL's catalogue (pg_type.oid)."""


class Connection:
    """A connection in one transaction, so that every query sees the same rows."""

    dialect = "postgres"

    def __init__(self, source: str) -> None:
        try:
            import psycopg  # noqa: PLC0415 - heavy
        except ImportError:
            raise CapabilityError(
                "engine_needs", engine="postgres", package="psycopg", extra="postgres"
            ) from None
        self._error: type[Exception] = psycopg.Error
        self.name = "postgres"
        try:
            self._database = psycopg.connect(source)
        except psycopg.Error as error:
            raise database_error(self, error) from None
        self.name = str(self._database.info.dbname)
        self._database.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ

    def columns(self, source: str) -> list[tuple[str, Kind]]:
        """Return the names and kinds of the columns of a table or query."""
        try:
            described = self._database.execute(f"SELECT * FROM {source} LIMIT 0").description  # noqa: S608
        except self._error as error:
            raise database_error(self, error) from None
        return [(column.name, _KINDS.get(column.type_code, "other")) for column in described or ()]

    def run(self, text: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        try:
            return list(self._database.execute(text).fetchall())
        except self._error as error:
            raise database_error(self, error) from None

    def run_by_column(self, text: str) -> list[list[Any]]:
        """Return the result of a query by column."""
        return [list(column) for column in zip(*self.run(text), strict=True)]

    def alter_temp(self, text: str) -> bool:
        """Create or drop a TEMP table; return False if the role may not."""
        try:
            with self._database.transaction():
                self._database.execute(text)
        except self._error:
            return False
        return True

    def close(self) -> None:
        """Close the connection; nothing was written, and TEMP tables end with it."""
        self._database.rollback()
        self._database.close()


class Engine(database_engine.Engine):
    """Computes counts by GROUP BY queries to a PostgreSQL database.

    Parameters
    ----------
    source : str
        ``postgresql://user@host/database``.
    recipe, **where
        As in :class:`penjing.engines.sql.database_engine.Engine`.
    """

    @classmethod
    def check_source(cls, source: object) -> None:
        """Raise an error for anything but the address of a database."""
        if not isinstance(source, str):
            raise CapabilityError("postgres_needs_address", source=f"<{type(source).__name__}>")
        if not source.startswith(SCHEMES):
            raise CapabilityError("postgres_needs_address", source=source)

    def __init__(self, source: str, recipe: Recipe, **where: Any) -> None:  # noqa: ANN401
        super().__init__(Connection(source), recipe, **where)
