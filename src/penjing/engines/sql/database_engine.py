"""An engine on rows of a database: a connection, and the counts that the database makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penjing.data.table import Table
from penjing.engines import remote_counts
from penjing.engines.sql import group_by
from penjing.engines.sql.connection import Link
from penjing.grow.recipe import Recipe


class Engine(remote_counts.Engine):
    """Answers from a database by GROUP BYs.

    Parameters
    ----------
    link : Link
        The connection.
    recipe : Recipe
        What is going to be grown.
    table, query : str
        Where the rows are; one of them.
    target, schema
        As in :func:`penjing.read`.
    read : Table, optional
        The rows as they were read before they were put there.
    """

    def __init__(
        self,
        link: Link,
        recipe: Recipe,
        *,
        table: str | None = None,
        query: str | None = None,
        target: str | None = None,
        schema: Mapping[str, Any] | None = None,
        fetched: int | None = None,
        read: Table | None = None,
    ) -> None:
        self._link = link
        rows = group_by.Rows(
            link, table=table, query=query, target=target, schema=schema, read=read
        )
        if recipe.rules == "rpart":
            rows.drop_unknown()
        super().__init__(rows, recipe, fetched)

    def close(self) -> None:
        """Let the database go."""
        self._link.close()
