"""Rows in PostgreSQL, counted there: a role that may SELECT suffices, TEMP makes it quicker."""

from __future__ import annotations

from typing import Any

from penjing.engines.sql import database_engine
from penjing.engines.sql.connection import Kind, failed
from penjing.errors import CapabilityError
from penjing.grow.recipe import Recipe

SCHEMES = ("postgresql://", "postgres://")

_KINDS: dict[int, Kind] = {
    16: "truth", 20: "whole", 21: "whole", 23: "whole", 700: "number", 701: "number",
    1700: "number", 25: "text", 1043: "text",
}  # fmt: skip
"""Kinds by the numbers that PostgreSQL's catalogue gives its own types (pg_type.oid)."""


class Link:
    """A connection in one transaction, so that every query sees the same rows."""

    dialect = "postgres"

    def __init__(self, source: str) -> None:
        try:
            import psycopg  # noqa: PLC0415 - heavy
        except ImportError:
            raise CapabilityError("engine_needs", engine="postgres", package="psycopg") from None
        self._error: type[Exception] = psycopg.Error
        self.name = "postgres"
        try:
            self._link = psycopg.connect(source)
        except psycopg.Error as error:
            raise failed(self, error) from None
        self.name = str(self._link.info.dbname)
        self._link.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ

    def columns(self, source: str) -> list[tuple[str, Kind]]:
        """Return the names and kinds of the columns of a table or query."""
        try:
            told = self._link.execute(f"SELECT * FROM {source} LIMIT 0").description  # noqa: S608
        except self._error as error:
            raise failed(self, error) from None
        return [(column.name, _KINDS.get(column.type_code, "other")) for column in told or ()]

    def run(self, text: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        try:
            return list(self._link.execute(text).fetchall())
        except self._error as error:
            raise failed(self, error) from None

    def by_column(self, text: str) -> list[list[Any]]:
        """Return the columns of what a query finds."""
        return [list(column) for column in zip(*self.run(text), strict=True)]

    def make(self, text: str) -> bool:
        """Make (or drop) a TEMP table; False where the role may not."""
        try:
            with self._link.transaction():
                self._link.execute(text)
        except self._error:
            return False
        return True

    def close(self) -> None:
        """Let go; nothing was written, and TEMP tables end with the connection."""
        self._link.rollback()
        self._link.close()


class Engine(database_engine.Engine):
    """Answers from a PostgreSQL database by GROUP BYs.

    Parameters
    ----------
    source : str
        ``postgresql://user@host/database``.
    recipe, **where
        As in :class:`penjing.engines.sql.database_engine.Engine`.
    """

    def __init__(self, source: str, recipe: Recipe, **where: Any) -> None:  # noqa: ANN401
        super().__init__(Link(source), recipe, **where)
