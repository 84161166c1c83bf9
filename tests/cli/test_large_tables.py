"""The command on tables that may be larger than memory: engines, limits, databases."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import numpy as np
import pytest

pytest.importorskip("pyarrow")


@pytest.fixture
def parquet(run):  # noqa: ARG001 - it changes the folder
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=500), rng.integers(0, 30, 500)
    rows = ",".join(
        f"({a!r}, {b}, '{'ab'[int(a + b / 9 > 2)]}')"
        for a, b in zip(x.tolist(), y.tolist(), strict=True)
    )
    with duckdb.connect("rows.db") as link:
        link.execute("create table melons (x double, y bigint, class varchar)")
        link.execute(f"insert into melons values {rows}")  # noqa: S608 - our own numbers
        link.table("melons").write_parquet("rows.parquet")
    return "rows.parquet"


def nodes(done):
    return json.loads(done.out)["nodes"]


def test_every_engine_prints_the_same_tree(run, parquet):
    asked = ("--json", "--max-depth", "3", "--no-trace", "--recipe", "id3")
    native = run("fit", parquet, "--engine", "native", *asked)
    assert native.code == 0
    for how in (
        (parquet, "--engine", "disk", "--work", "here"),
        (parquet, "--memory-limit", "5KB"),
        ("duckdb:rows.db", "--query", "melons"),
        ("duckdb:rows.db", "--query", "select * from melons", "--engine", "disk"),
    ):
        assert nodes(run("fit", *how, *asked)) == nodes(native)
    assert list(Path("here").iterdir()) == []


def test_the_choice_and_its_reason_are_printed_and_kept(run, parquet):
    done = run(
        "fit",
        parquet,
        "--memory-limit",
        "5KB",
        "--recipe",
        "id3",
        "-o",
        "m.tree",
        "--max-depth",
        "2",
    )
    assert "engine disk" in done.err
    assert "more than the limit of 4.9 KB" in done.err
    assert json.loads(Path("m.tree").read_text("utf-8"))["about"]["engine"]["name"] == "disk"
    assert "engine native" in run("fit", parquet, "--memory-limit", "1GB").err


def test_mistakes_are_one_sentence(run, parquet):
    for words, said in (
        ((parquet, "--memory-limit", "much"), "must be a number of bytes"),
        ((parquet, "--query", "select 1"), "not a database"),
        (("duckdb:rows.db",), "Give an SQL query"),
        (("duckdb:rows.db", "--query", "select nothing from"), "the query on rows.db failed"),
        (("duckdb:none.db", "--query", "x"), "No such file"),
        ((parquet, "--engine", "disk", "--recipe", "c4.5", "--memory-limit", "1KB"), "of memory"),
        (("duckdb:rows.db", "--engine", "disk", "--query", "drop table t"), "not a single SELECT"),
    ):
        done = run("fit", *words)
        assert done.code == 1
        assert said in done.err
        assert "Traceback" not in done.err


def test_text_on_disk_is_read_as_told(run):
    rows = "".join(f"{i % 5}|é{i % 2}|{'pq'[i % 2]}\n" for i in range(40))
    Path("t.csv").write_text(rows, "cp1252")
    how = ("--names", "a,b,y", "--separator", "|", "--encoding", "cp1252", "--target", "y")
    one, two = (run("fit", "t.csv", *how, "--engine", engine) for engine in ("disk", "native"))
    assert one.code == two.code == 0
    assert one.out == two.out
    assert "é0" in one.out
