"""Functions that write a table to DuckDB or PostgreSQL and return its address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from export_programs import postgres as postgres_server
from penjing.data.table import Table
from remote_tables import columns_of, created, rows_of

Put = Callable[[Table], tuple[str, dict[str, Any]]]


@contextmanager
def duckdb_file(folder) -> Iterator[Put]:
    """A file of DuckDB."""
    path, number = folder / "rows.db", count(1)

    def put(table: Table) -> tuple[str, dict[str, Any]]:
        name = f"t{next(number)}"
        with duckdb.connect(path) as link:
            link.execute(created(table, name))
            rows = pa.table(columns_of(table))  # noqa: F841 - DuckDB finds it by name
            link.execute(f'INSERT INTO "{name}" SELECT * FROM rows')  # noqa: S608
        return f"duckdb:{path}", {"table": name, "engine": "duckdb"}

    yield put


@contextmanager
def postgres_of_our_own() -> Iterator[Put]:
    """A PostgreSQL that ends with the test."""
    psycopg = pytest.importorskip("psycopg")
    number = count(1)
    with postgres_server() as psql:
        owner = f"postgresql://penjing@/postgres?host={psql[psql.index('-h') + 1]}"

        def put(table: Table) -> tuple[str, dict[str, Any]]:
            name = f"t{next(number)}"
            with psycopg.connect(owner) as link, link.cursor() as cursor:
                cursor.execute(created(table, name))
                with cursor.copy(f'COPY "{name}" FROM STDIN') as copy:
                    for row in rows_of(table):
                        copy.write_row(row)
            return owner, {"table": name}

        yield put
