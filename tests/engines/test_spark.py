"""Spark grows the tree of memory: locally, on a cluster, with a worker or the driver lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import penjing
from penjing.data import store as data_store
from penjing.data.table import Column, Table, numeric
from penjing.engines.spark import engine as spark_engine
from penjing.engines.spark import jobs as spark_jobs
from penjing.engines.spark import parquet_lots, planned
from penjing.errors import CapabilityError
from remote_tables import by_memory, columns_of, plain, schema_of, some_table, trimmed
from shared import shared

pyspark = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
from spark_cluster import cluster, session  # noqa: E402 - needs PySpark

pytestmark = [
    pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
SCRIPT = Path(__file__).parents[1] / "support" / "spark_driver.py"


def written(table, folder, parts=4):
    """Write a table as some Parquet files."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = pa.table(columns_of(table))
    n = -(-table.n_rows // parts)
    for i in range(parts):
        pq.write_table(whole.slice(i * n, n), folder / f"part-{i}.parquet")
    return folder


@pytest.fixture(scope="module")
def local():
    there = session("local[2]")
    yield there
    there.stop()


@pytest.mark.parametrize("is_folder", [True, False])
def test_durations_of_files_are_refused(local, tmp_path, is_folder):
    folder = tmp_path / "rows"
    folder.mkdir()
    waits = pa.array([i % 5 for i in range(40)], pa.duration("ms"))
    rows = {"wait": waits, "a": [i // 2 for i in range(40)], "y": ["uv"[i > 9] for i in range(40)]}
    pq.write_table(pa.table(rows), folder / "part-0.parquet")
    path = str(folder if is_folder else folder / "part-0.parquet")
    options = {"engine": "spark", "session": local, "quiet": True}
    with pytest.raises(CapabilityError) as caught:
        penjing.fit(path, "y", "cart-binary", **options)
    assert (caught.value.key, caught.value.values["column"]) == ("spark_durations", "wait")
    tree = penjing.fit(path, "y", "cart-binary", schema={"wait": "ignore"}, **options)
    assert tree.nodes.cut[0] == 4.5


@pytest.fixture
def coarse(monkeypatch):
    """Few cells, few rows in the driver: all ways of counting are gone even by small tables."""
    monkeypatch.setattr(data_store, "N_CELLS", 64)
    monkeypatch.setattr(data_store, "MAX_SINGLE_VALUE_CELLS", 20)
    monkeypatch.setattr(spark_engine, "FETCH_LIMIT", 100)
    monkeypatch.setattr(spark_engine, "DIRECT_NUMBERS", 150)


SLOW = pytest.mark.slow
RECIPES = [
    ("id3", {"max_depth": 3}),
    ("cart-binary", {"max_depth": 6}),
    pytest.param("c4.5-textbook", {"max_depth": 4}, marks=SLOW),
    pytest.param("cart-textbook", {"max_depth": 3}, marks=SLOW),
    pytest.param("cart-binary", {"max_leaves": 4}, marks=SLOW),
    pytest.param("c4.5", {}, marks=SLOW),
    pytest.param("j48", {}, marks=SLOW),
]


@pytest.mark.parametrize(("recipe", "settings"), RECIPES)
@pytest.mark.usefixtures("coarse")
def test_the_tree_of_memory_from_random_rows(local, tmp_path, recipe, settings):
    table = trimmed(some_table(2_500))
    frame = local.read.parquet(str(written(table, tmp_path / "rows", parts=2)))
    tree = penjing.fit(frame, "y", recipe, schema=schema_of(table), **settings)
    assert tree.about["engine"]["name"] == "spark"
    assert plain(tree) == by_memory(table, recipe, **settings)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["car/car.csv", "iris/iris.csv", "diabetes/diabetes.csv"])
@pytest.mark.parametrize("recipe", ["id3", "c4.5-textbook", "cart-binary", "c4.5"])
@pytest.mark.usefixtures("coarse")
def test_the_tree_of_memory_from_data(local, tmp_path, name, recipe):
    table = trimmed(penjing.read(shared(f"data/{name}")))
    frame = local.read.parquet(str(written(table, tmp_path / "rows", parts=3)))
    tree = penjing.fit(frame, table.target.name, recipe, schema=schema_of(table))
    assert plain(tree) == by_memory(table, recipe)


@pytest.mark.slow
@pytest.mark.usefixtures("coarse")
def test_missing_values_have_a_branch_or_are_refused(local, tmp_path):
    table = trimmed(some_table(2_500, missing=True))
    frame = local.read.parquet(str(written(table, tmp_path / "rows", parts=2)))
    asked = {"schema": schema_of(table), "max_depth": 4}
    tree = penjing.fit(frame, "y", "cart-binary", missing="branch", **asked)
    assert plain(tree) == by_memory(table, "cart-binary", max_depth=4, missing="branch")
    for recipe, key in (("id3", "missing_refused"), ("c4.5-textbook", "engine_lacks_missing")):
        with pytest.raises(ValueError, match=r".") as told:
            penjing.fit(frame, "y", recipe, **asked)
        assert told.value.key == key


@pytest.mark.slow
@pytest.mark.usefixtures("coarse")
def test_rows_that_spark_hands_in(local, tmp_path):
    """What is no plain file goes through Spark's own reader: here rows that were moved about."""
    table = trimmed(some_table(2_500, seed=5))
    frame = local.read.parquet(str(written(table, tmp_path / "rows")))
    asked = {"schema": schema_of(table), "max_depth": 5}
    kinds = dict(frame.dtypes)
    assert parquet_lots.groups_of(frame, kinds) is not None
    for moved in (frame.repartition(12), frame.filter("few >= 0"), frame.withColumn("x", frame.x)):
        assert parquet_lots.groups_of(moved, kinds) is None or moved.columns == frame.columns
    moved = frame.repartition(12)
    assert plain(penjing.fit(moved, "y", "cart-binary", **asked)) == by_memory(
        table, "cart-binary", max_depth=5
    )


def surprising():
    """Rows of which the first ones say little: levels, numbers and a class come later."""
    rng = np.random.default_rng(11)
    n = 4_000
    late = np.arange(n) >= 2_500
    whole = np.where(late, rng.integers(-9, 30, n), rng.integers(0, 5, n))
    few = np.where(late, rng.integers(0, 9, n), rng.integers(0, 3, n)) / 4
    names = np.where(late, rng.integers(0, 400, n), rng.integers(3, 6, n))
    x = rng.normal(size=n)
    score = x + whole / 5 + few + (names % 3 == 1) + rng.normal(size=n) / 3
    classes = np.where(late & (rng.random(n) < 0.2), 3, np.digitize(score, [0.5, 2.0]))
    columns = (
        numeric("whole", whole.astype(float)),
        numeric("few", few),
        Column("name", "nominal", tuple(f"n{i:03}" for i in range(400)), names.astype(np.int32)),
        numeric("x", x),
        numeric("climbs", np.arange(n) % 1_000 / 7),
    )
    levels = ("high", "low", "middle", "new")
    return trimmed(Table(columns, Column("y", "nominal", levels, classes.astype(np.int32)), n))


@pytest.mark.parametrize("climbs", [True, False])
@pytest.mark.usefixtures("coarse")
def test_what_the_plan_did_not_foresee(local, tmp_path, monkeypatch, climbs):
    """The plan sees forty rows: what comes later has codes of its own, or is planned anew."""
    monkeypatch.setattr(planned, "LEAST", 40)
    monkeypatch.setattr(planned, "SAMPLED", 40)
    monkeypatch.setattr(planned, "GROUPS", (1, 1))
    table = surprising()
    if not climbs:  # a column that is sorted where the plan looks is coded by all of its rows
        table = Table(table.columns[:-1], table.target, table.n_rows)
    folder = tmp_path / "rows"
    folder.mkdir()
    whole = pa.table(columns_of(table)).set_column(
        0, "whole", pa.array(table.columns[0].values(), pa.float64()).cast(pa.int64())
    )
    for i in range(4):
        part = whole.slice(i * 1_000, 1_000)
        pq.write_table(part, folder / f"{i}.parquet", row_group_size=500, write_statistics=i < 2)
    asked, straight = spark_jobs.Jobs._put_straight, []

    def told(self, plans):
        found = asked(self, plans)
        straight.append(found is not None)
        return found

    monkeypatch.setattr(spark_jobs.Jobs, "_put_straight", told)
    frame = local.read.parquet(str(folder))
    tree = penjing.fit(frame, "y", "cart-binary", schema=schema_of(table), max_depth=6)
    assert plain(tree) == by_memory(table, "cart-binary", max_depth=6)
    assert straight[0] is False
    assert straight[-1] is not climbs


@pytest.mark.usefixtures("coarse")
def test_rows_without_a_class_are_left_out_of_files(local, tmp_path):
    table = trimmed(some_table(2_000, seed=8))
    columns = columns_of(table)
    some = [None if i % 7 == 0 else "?" if i % 11 == 0 else y for i, y in enumerate(columns["y"])]
    kept = [i for i, y in enumerate(some) if y not in (None, "?")]
    folder = tmp_path / "rows"
    folder.mkdir()
    pq.write_table(pa.table(columns | {"y": some}), folder / "all.parquet", row_group_size=500)
    frame = local.read.parquet(str(folder))
    tree = penjing.fit(frame, "y", "cart-binary", schema=schema_of(table), max_depth=4)
    found, alone = plain(tree), by_memory(table.take(np.array(kept)), "cart-binary", max_depth=4)
    assert tree.about["n_rows"] == len(kept)
    assert found["nodes"] == alone["nodes"]


@pytest.mark.slow
@pytest.mark.usefixtures("coarse")
def test_many_partitions_are_added_up_by_workers(local, tmp_path, monkeypatch):
    monkeypatch.setattr(spark_jobs, "MAX_PARTS_BY_DRIVER", 1)
    monkeypatch.setattr(spark_engine, "DRIVER_MEMORY", 1 << 20)  # and nodes go in lots
    table = trimmed(some_table(2_500, seed=6))
    frame = local.read.parquet(str(written(table, tmp_path / "rows")))
    tree = penjing.fit(frame, "y", "cart-binary", schema=schema_of(table), max_depth=4)
    assert plain(tree) == by_memory(table, "cart-binary", max_depth=4)


@pytest.mark.slow
@pytest.mark.usefixtures("coarse")
def test_files_that_are_gone_are_made_again(local, tmp_path, monkeypatch):
    table = trimmed(some_table(2_500, seed=7))
    frame = local.read.parquet(str(written(table, tmp_path / "rows")))
    asked, jobs = spark_jobs.Jobs._run, []

    def lossy(self, question):
        jobs.append(question)
        if len(jobs) == 4:
            for _, folder, _ in self._places.collect()[:1]:
                shutil.rmtree(folder)
        return asked(self, question)

    monkeypatch.setattr(spark_jobs.Jobs, "_run", lossy)
    tree = penjing.fit(frame, "y", "cart-binary", schema=schema_of(table), max_depth=5)
    assert len(jobs) > 4
    assert plain(tree) == by_memory(table, "cart-binary", max_depth=5)


@pytest.mark.usefixtures("coarse")
def test_generations_are_kept_and_told(local, tmp_path):
    table = trimmed(some_table(2_500))
    frame = local.read.parquet(str(written(table, tmp_path / "rows", parts=2)))
    kept, told = tmp_path / "kept", []
    asked = {"schema": schema_of(table), "checkpoint": str(kept), "max_depth": 4}
    tree = penjing.fit(frame, "y", "cart-binary", progress=told.append, **asked)
    assert [p.generation for p in told if p.n_open] == [1, 2, 3, 4]
    assert all(p.n_rows == table.n_rows for p in told if not p.is_reading)
    assert told[-1].row_levels >= told[0].row_levels > 0
    again = penjing.fit(frame, "y", "cart-binary", **asked)  # nothing is asked
    assert again.to_json() == tree.to_json()
    answers = json.loads((kept / "generations.json").read_text())["answers"]
    assert {answer["run"] for answer in answers} == {1}
    with pytest.raises(penjing.ChoiceError, match="another table or recipe"):
        penjing.fit(frame, "y", "id3", **asked)
    rows = frame.withColumn("p", tree.spark_udf()()).collect()
    asked_of = [{name: row[name] for name in table.names} for row in rows]
    assert [row["p"] for row in rows] == tree.predict(asked_of).tolist()


@pytest.mark.usefixtures("coarse")
def test_kept_generations_serve_a_run_that_has_other_buckets(local, tmp_path, monkeypatch):
    monkeypatch.setattr(spark_jobs, "SAMPLE", 1)
    table = trimmed(some_table(4_000))
    frame = local.read.parquet(str(written(table, tmp_path / "rows", parts=2)))
    asked = {"schema": schema_of(table), "checkpoint": str(tmp_path / "kept"), "max_depth": 5}
    tree = penjing.fit(frame.repartition(2), "y", "cart-binary", **asked)
    path = tmp_path / "kept" / "generations.json"
    kept = json.loads(path.read_text())
    path.write_text(json.dumps(kept | {"answers": kept["answers"][:2]}))
    again = penjing.fit(frame.repartition(3), "y", "cart-binary", **asked)  # other samples
    assert again.to_json() == tree.to_json()


def test_columns_are_judged_as_in_files(local):
    rows = [
        (i, "a" if i % 3 else " b ", "?" if i % 5 == 0 else str(i % 4), i % 7, f"n{i}", None)
        for i in range(40)
    ]
    frame = local.createDataFrame(rows, "id int, s string, class string, n int, t string, u string")
    tree = penjing.fit(frame, schema={"t": "ignore"})
    assert ["id", "id"] in tree.about["left_out"]
    assert ["t", "ignored"] in tree.about["left_out"]
    assert tree.about["n_rows"] == 32
    assert tree.schema[0].levels == ("a", "b")


@pytest.mark.parametrize(
    ("pair", "as_file"), [((2**53, 2**53 + 1), True), ((-(2**62) - 3, 2**62 + 5), False)]
)
def test_two_whole_numbers_beyond_doubles_are_names(local, tmp_path, pair, as_file):
    rows = [(pair[i % 2], i % 5 / 4, "ab"[i % 2]) for i in range(60)]
    frame = local.createDataFrame(rows, "n bigint, x double, class string")
    if as_file:
        frame.write.parquet(str(tmp_path / "rows"))
        frame = local.read.parquet(str(tmp_path / "rows"))
    tree = penjing.fit(frame, "class", "cart-binary")
    assert tree.schema[0].levels == tuple(sorted(pair))
    assert tree.about["training"]["correct"] == 60


def test_decimals_are_the_nearest_doubles(local):
    kind = pa.decimal128(29, 28)
    x = [Decimal(3) / 7, Decimal("0.1234567890123456789012345678")] * 20
    table = pa.table({"x": pa.array(x, kind), "class": ["a", "b"] * 20})
    rows = [(row["x"], row["class"]) for row in table.to_pylist()]
    frame = local.createDataFrame(rows, "x decimal(29,28), class string")
    one = penjing.fit(frame, "class", "cart-binary")
    assert plain(one)["nodes"] == by_memory(penjing.read(table, "class"), "cart-binary")["nodes"]


def test_columns_of_very_many_texts(local):
    n = 70_000
    frame = local.range(n).selectExpr(
        "concat(' row ', id) AS who",
        f"concat('shop ', id % {n - 3_000}) AS shop",
        "id % 7 / 4 AS x",
        "if(id % 7 > 3, 'yes', 'no') AS class",
    )
    with pytest.raises(CapabilityError, match="'shop' has more than 65,534 categories"):
        penjing.fit(frame, "class", "cart-binary")
    tree = penjing.fit(frame, "class", "cart-binary", schema={"shop": "ignore"})
    assert tree.about["left_out"] == [["who", "id"], ["shop", "ignored"]]


def test_partitions_may_be_empty(local):
    rows = [(i % 97 / 7, "ab"[i % 2], "yes" if i % 3 else "no") for i in range(1_300)]
    frame = local.createDataFrame(rows, "x double, s string, class string").repartition(6)
    few = frame.filter("x < 0.3 and s = 'a'")
    assert penjing.fit(few, "class", "cart-binary").about["n_rows"] == few.count()
    for none in (frame.filter("x < -1"), frame.limit(0)):
        with pytest.raises(penjing.DataError):
            penjing.fit(none, "class", "cart-binary")


def test_what_cannot_be_done_is_refused_before_a_row_is_read():
    for recipe, settings in (("rpart", {}), ("sklearn", {}), ("id3", {"weight": "w"})):
        with pytest.raises(penjing.CapabilityError) as told:
            penjing.fit("/not/there", "y", recipe, engine="spark", **settings)
        assert str(told.value).count(recipe) <= 1  # it is not among those that Spark knows


# -- a cluster ------------------------------------------------------------------------------


def driver(master, folder, kept, output, *more):
    """Start a driver of its own."""
    words = [sys.executable, SCRIPT, master, folder, kept, output, *more]
    return subprocess.Popen([str(word) for word in words])


def n_answers(kept):
    path = kept / "generations.json"
    return len(json.loads(path.read_text())["answers"]) if path.exists() else 0


@pytest.mark.slow
def test_spark_connect(tmp_path):
    """A session that has no RDDs, in a process of its own: the same tree."""
    pytest.importorskip("grpc", reason="pyspark[connect] is not installed")
    pytest.importorskip("grpc_status", reason="pyspark[connect] is not installed")
    table = trimmed(some_table(2_500))
    folder = written(table, tmp_path / "rows", parts=2)
    output = tmp_path / "tree.json"
    running = driver("connect", folder, tmp_path / "kept", output)
    assert running.wait(300) == 0
    found = json.loads(output.read_text())["tree"]
    assert found == json.loads(json.dumps(by_memory(table, "cart-binary", max_depth=6)))


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["nobody", "worker", "driver"])
def test_a_cluster_may_lose_anybody(tmp_path, lost):
    with cluster(tmp_path) as (master, workers):
        _lose(tmp_path, lost, master, workers)


def _lose(tmp_path, lost, master, workers):
    table = trimmed(some_table(20_000))
    folder = written(table, tmp_path / "rows", parts=6)
    kept, output = tmp_path / "kept", tmp_path / "tree.json"
    running = driver(master, folder, kept, output)
    if lost != "nobody":
        while n_answers(kept) < 3 and running.poll() is None:
            time.sleep(0.05)
        assert running.poll() is None, "the tree was grown before anybody could be lost"
    if lost == "worker":
        before = _children(workers[0].pid)
        for pid in [workers[0].pid, *before]:
            os.kill(pid, signal.SIGKILL)
    first = 0
    if lost == "driver":
        running.send_signal(signal.SIGKILL)
        running.wait()
        first = n_answers(kept)
        assert not output.exists()
        running = driver(master, folder, kept, output)
    assert running.wait(600) == 0
    found = json.loads(output.read_text())
    assert found["tree"] == json.loads(json.dumps(by_memory(table, "cart-binary", max_depth=6)))
    answers = json.loads((kept / "generations.json").read_text())["answers"]
    runs = [answer["run"] for answer in answers]
    assert runs == [1] * first + [2] * (len(runs) - first) if first else set(runs) == {1}


def _children(pid):
    """Return the processes that a process has started, by what the system knows."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            child = int(path.parent.name)
            found += [child, *_children(child)]
    return found
