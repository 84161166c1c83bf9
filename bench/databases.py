"""A tree counted by SQL: how many rows a second, how many questions a generation, bytes a row.

    python bench/make_large_table.py 1000000 big.parquet
    python bench/databases.py big.parquet                         # DuckDB
    python bench/databases.py big.parquet postgresql://me@/bench  # PostgreSQL: makes a table

The tree is cart-binary, depth 5, on all columns.
"""

# ruff: noqa: S608 - the names are those of our own file

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from pathlib import Path

import duckdb
import pyarrow.parquet as pq

import penjing
from penjing.engines.sql import duckdb as duckdb_engine
from penjing.engines.sql import postgres as postgres_engine

HOW = {"recipe": "cart-binary", "max_depth": 5}
KINDS = {"double": "DOUBLE PRECISION", "int64": "BIGINT"}


def into_duckdb(path: str, folder: str) -> tuple[str, int]:
    """Put the rows into a file of DuckDB; return where it is, and its size."""
    file = Path(folder) / "rows.db"
    with duckdb.connect(file) as link:
        link.execute(f"CREATE TABLE big AS SELECT * FROM read_parquet('{path}')")
    return f"duckdb:{file}", file.stat().st_size


def into_postgres(path: str, where: str) -> tuple[str, int]:
    """Put the rows into a table of PostgreSQL; return where it is, and its size."""
    import psycopg

    file = pq.ParquetFile(path)
    kinds = [KINDS.get(str(field.type), "TEXT") for field in file.schema_arrow]
    columns = ", ".join(f'"{n}" {k}' for n, k in zip(file.schema_arrow.names, kinds, strict=True))
    with psycopg.connect(where) as link, link.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS big; CREATE TABLE big ({columns})")
        with cursor.copy("COPY big FROM STDIN") as copy:
            for batch in file.iter_batches(50_000):
                for row in zip(*(c.to_pylist() for c in batch.columns), strict=True):
                    copy.write_row(row)
        size = cursor.execute("SELECT pg_total_relation_size('big')").fetchone()[0]
    return where, size


def watched(link: type, asked: Counter) -> None:
    """Count the questions that go over a connection."""
    run = link.run

    def counted(self, text: str):
        asked["questions"] += 1
        return run(self, text)

    link.run = counted


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("file")
    words.add_argument("database", nargs="?")
    given = words.parse_args()
    asked: Counter = Counter()
    generations = []

    def tell(so_far: penjing.progress.Progress) -> None:
        generations.append((so_far.generation, so_far.n_open, asked["questions"]))

    n = pq.ParquetFile(given.file).metadata.num_rows
    with tempfile.TemporaryDirectory() as folder:
        if given.database is None:
            source, size = into_duckdb(given.file, folder)
            engine, link = "duckdb", duckdb_engine.Connection
        else:
            source, size = into_postgres(given.file, given.database)
            engine, link = "postgres", postgres_engine.Connection
        watched(link, asked)
        start, used = time.perf_counter(), time.process_time()
        tree = penjing.fit(source, "class", engine=engine, query="big", progress=tell, **HOW)
        wall, processor = time.perf_counter() - start, time.process_time() - used
    told = {
        "engine": engine, "rows": n, "nodes": tree.n_nodes, "wall": round(wall, 1),
        "processor here": round(processor, 1), "rows a second": round(n / wall),
        "bytes a row": round(size / n, 1), "generations": generations,
    }  # fmt: skip
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
