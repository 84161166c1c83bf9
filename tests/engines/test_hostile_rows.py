"""The rows of hostile files, put into PostgreSQL and Spark: the trees are those of memory."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import penjing
from databases import postgres_of_our_own
from hostile_files import hostile_file
from penjing.data.table import Column, Table
from penjing.engines import remote_counts
from penjing.errors import PenjingError
from remote_tables import by_memory, columns_of, plain, schema_of, sorted_levels

RECIPES = ("cart-binary", "id3", "c4.5-textbook")


def readable(tmp_path, *, without: str = "") -> Iterator[tuple[int, Table]]:
    """Yield tables of hostile files that hold classes, and the seeds of the files."""
    seed = -1
    while True:
        seed += 1
        file = hostile_file(seed)
        path = tmp_path / file.name
        path.write_bytes(file.data)
        try:
            table = penjing.read(path, file.target)
        except PenjingError:
            continue
        if table.columns and not table.is_regression and table.n_rows <= 500:
            yield seed, as_stored(table, without)


def as_stored(table: Table, without: str) -> Table:
    """Return a table as a database shows it: levels of one type, that rows have, and in order."""
    columns = [_stored(column, without) for column in (*table.columns, table.target)]
    return Table(tuple(columns[:-1]), columns[-1], table.n_rows)


def _stored(column: Column, without: str) -> Column:
    if column.is_numeric:
        return Column(column.name, "numeric", np.asarray(column.levels), column.codes)
    present = np.unique(column.codes[column.codes >= 0])
    place = np.full(len(column.levels) + 1, -1, np.int32)
    place[present] = np.arange(len(present))
    levels: list[Any] = [column.levels[i] for i in present]
    kinds = {type(level) for level in levels}
    is_whole = kinds == {int} and all(-(2**63) <= level < 2**63 for level in levels)
    if not (is_whole or kinds == {bool}):
        plain_texts = kinds <= {str} and not any(w in level for level in levels for w in without)
        levels = levels if plain_texts else [f"level {i} {x!r}" for i, x in enumerate(levels)]
    return sorted_levels(Column(column.name, "nominal", tuple(levels), place[column.codes]))


def same_tree(source: Any, read: Table, seed: int, **where: Any) -> str:
    """Return what differs between the tree of an engine and that of memory."""
    recipe = RECIPES[seed % len(RECIPES)]
    how = {"missing": "branch", "max_depth": 4}
    tree = penjing.fit(source, "y", recipe, schema=schema_of(read), **how, **where)
    return "" if plain(tree) == by_memory(read, recipe, **how) else f"seed {seed}"


def in_postgres(tmp_path, monkeypatch, n: int) -> list[str]:
    monkeypatch.setattr(remote_counts, "FETCH_LIMIT", 15)
    with postgres_of_our_own() as put:
        wrong = []
        for seed, table in islice(readable(tmp_path, without="\0"), n):
            source, where = put(table)
            wrong.append(same_tree(source, table, seed, **where))
    return [text for text in wrong if text]


def test_postgres(tmp_path, monkeypatch):
    assert in_postgres(tmp_path, monkeypatch, 6) == []


@pytest.mark.slow
def test_postgres_200(tmp_path, monkeypatch):
    assert in_postgres(tmp_path, monkeypatch, 200) == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_spark_40(tmp_path):
    pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    import pyarrow.parquet as pq  # noqa: PLC0415

    from spark_cluster import session  # noqa: PLC0415 - needs PySpark

    spark = session("local[2]")
    wrong = []
    try:
        for seed, table in islice(readable(tmp_path), 40):
            rows = tmp_path / f"rows{seed}.parquet"
            pq.write_table(pa.table(columns_of(table)), rows)
            frame = spark.read.parquet(str(rows))
            wrong.append(same_tree(frame if seed % 2 else frame.repartition(3), table, seed))
    finally:
        spark.stop()
    assert [text for text in wrong if text] == []
