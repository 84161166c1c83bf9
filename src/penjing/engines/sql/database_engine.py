"""An engine on rows of a database, which the database counts through a connection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from penjing.data.table import Table
from penjing.engines import remote_counts
from penjing.engines.sql import group_by
from penjing.engines.sql.connection import Connection
from penjing.errors import CapabilityError
from penjing.grow.engine import SURROGATES
from penjing.grow.recipe import Recipe


class Engine(remote_counts.Engine):
    """Computes counts by GROUP BY queries to a database.

    Parameters
    ----------
    connection : Connection
        The connection.
    recipe : Recipe
        The recipe of the tree.
    table, query : str
        Where the rows are; exactly one of the two.
    target, schema
        As in :func:`penjing.read`.
    read : Table, optional
        The rows, if they were read and then copied to the database.
    """

    capabilities = replace(remote_counts.Engine.capabilities, meets=frozenset({SURROGATES}))

    def __init__(
        self,
        connection: Connection,
        recipe: Recipe,
        *,
        table: str | None = None,
        query: str | None = None,
        target: str | None = None,
        schema: Mapping[str, Any] | None = None,
        fetch_limit: int | None = None,
        read: Table | None = None,
    ) -> None:
        try:
            import sqlglot  # noqa: F401, PLC0415 - an extra
        except ImportError:
            raise CapabilityError(
                "engine_needs", engine=connection.dialect, package="sqlglot", extra="sql"
            ) from None
        self._connection = connection
        rows = group_by.DatabaseRows(
            connection, table=table, query=query, target=target, schema=schema, read=read
        )
        if recipe.dialect.drops_unknown_rows:
            rows.drop_unknown()
        super().__init__(rows, recipe, fetch_limit)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
