"""Spark grows the tree of memory: locally, on a cluster, with a worker or the driver lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import penjing
from afar import by_memory, columns_of, plain, schema_of, some_table, trimmed
from penjing.engines import blocks, spark

pyspark = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
pytestmark = [
    pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
SCRIPT = Path(__file__).parents[1] / "spark_driver.py"


def written(table, folder, parts=4):
    """Write a table as some Parquet files."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = pa.table(columns_of(table))
    n = -(-table.n_rows // parts)
    for i in range(parts):
        pq.write_table(whole.slice(i * n, n), folder / f"part-{i}.parquet")
    return folder


def session(master, **settings):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    maker = pyspark.SparkSession.builder.master(master).appName("penjing-test")
    usual = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2",
             "spark.driver.host": "127.0.0.1", "spark.log.level": "ERROR"}  # fmt: skip
    for name, value in (usual | settings).items():
        maker = maker.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return maker.getOrCreate()


def test_the_tree_of_memory_by_spark_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "FEW", 50)
    monkeypatch.setattr(spark, "BUCKETS", 16)
    monkeypatch.setattr(spark, "FETCHED", 100)
    table = trimmed(some_table())
    folder = written(table, tmp_path / "rows", parts=2)
    there = session("local[2]")
    try:
        frame = there.read.parquet(str(folder))
        kept = tmp_path / "kept"
        asked = {"schema": schema_of(table), "checkpoint": str(kept)}
        tree = penjing.fit(frame, "y", "cart-binary", max_depth=4, **asked)
        assert tree.about["engine"]["name"] == "spark"
        assert plain(tree) == by_memory(table, "cart-binary", max_depth=4)
        again = penjing.fit(frame, "y", "cart-binary", max_depth=4, **asked)  # nothing is asked
        assert again.to_json() == tree.to_json()
        answers = json.loads((kept / "generations.json").read_text())["answers"]
        assert {answer["run"] for answer in answers} == {1}
        with pytest.raises(penjing.ChoiceError, match="other rows or another recipe"):
            penjing.fit(frame, "y", "id3", **asked)
        told = frame.withColumn("p", tree.spark_udf()()).collect()
        rows = [{name: row[name] for name in table.names} for row in told]
        assert [row["p"] for row in told] == tree.predict(rows).tolist()
        with pytest.raises(penjing.CapabilityError):
            penjing.fit(frame, "y", "rpart")
    finally:
        there.stop()


# -- a cluster ------------------------------------------------------------------------------


def free_port():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


@pytest.fixture
def cluster(tmp_path):
    """A standalone master and two workers, each a process of its own."""
    home = Path(pyspark.__file__).parents[1]
    port = free_port()
    environment = os.environ | {"SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    started = []

    def start(name, *words):
        log = (tmp_path / f"{name}.log").open("w")
        command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{words[0]}", *words[1:]]
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        started.append(process)
        return process

    start("master", "master.Master", "--host", "127.0.0.1", "--port", str(port),
          "--webui-port", str(free_port()))  # fmt: skip
    _wait(tmp_path / "master.log", "I have been elected leader")
    workers = []
    for i in range(2):
        folder = tmp_path / f"work{i}"
        workers.append(
            start(
                f"worker{i}",
                "worker.Worker",
                f"spark://127.0.0.1:{port}",
                "--host",
                "127.0.0.1",
                "--cores",
                "1",
                "--memory",
                "1g",
                "--work-dir",
                str(folder),
                "--webui-port",
                str(free_port()),
            )
        )
        _wait(tmp_path / f"worker{i}.log", "Successfully registered")
    yield f"spark://127.0.0.1:{port}", workers
    for process in started:
        process.terminate()
    for process in started:
        process.wait(30)


def _wait(path, words, seconds=120):
    for _ in range(seconds * 5):
        if path.exists() and words in path.read_text():
            return
        time.sleep(0.2)
    raise AssertionError(path.read_text())


def driver(master, folder, kept, output, *more):
    """Start a driver of its own."""
    words = [sys.executable, SCRIPT, master, folder, kept, output, *more]
    return subprocess.Popen([str(word) for word in words])


def n_answers(kept):
    path = kept / "generations.json"
    return len(json.loads(path.read_text())["answers"]) if path.exists() else 0


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["nobody", "worker", "driver"])
def test_a_cluster_may_lose_anybody(cluster, tmp_path, lost):
    master, workers = cluster
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
