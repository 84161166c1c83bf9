"""Rows a second of `engine="spark"` against MLlib's DecisionTreeClassifier, on a real cluster.

    .venv/bin/python bench/spark.py [--rows 2.4e7] [--depth 8] [--times 3] [--only penjing|mllib]
                                    [--compression snappy] [--memory 8g] [--json FILE]

A standalone master and two workers of one core each are started on loopback. Both read the same
Parquet files (bench/make_large_table.py: 8 floats, 4 whole numbers, 8 texts of up to 1,000 levels,
3 classes), compressed as Spark's own files are (snappy). Ours takes the file as it is, so its clock
counts looking at the columns and coding them. MLlib wants texts as numbers and all columns as one
vector; its time is told with that work and without it (all vectors are in memory before the clock
starts). Both have grown some trees of 160,000 rows before, so that neither pays for the start of
its processes, nor for the compiler of Java: a cluster at work has done both. Spark talks to Python
on the workers by sockets of the system, not of the network
(`spark.python.unix.domain.socket.enabled`, Spark 4.1): that spares ours 30 ms a job, and is
nothing to MLlib, which runs in Java. Processor time is that of the driver, the workers and all
that they started: other work on the machine does not disturb it. Each grows its tree as often as
`--times` says, and its best time counts; ours first, since MLlib leaves nearly all memory to its
vectors, and our files would have to come from the disk again. The more rows, the less weigh the
jobs of which a fit consists, some 25 whatever the number of rows.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

import pyarrow.parquet as pq
from make_large_table import rows
from pyspark.ml import Pipeline
from pyspark.ml.classification import DecisionTreeClassifier
from pyspark.ml.feature import StringIndexer, VectorAssembler
from pyspark.sql import SparkSession
from results_file import save

import penjing
from penjing.engines.spark import engine

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from spark_cluster import cluster

BINS, PARTS, WORKERS = 1_000, 16, 2
FEW, TIMES = 160_000, 10
TARGET = "class"
KINDS = ("wall", "processor")


def written(folder: Path, n: int, compression: str) -> str:
    """Write rows as Parquet files."""
    folder.mkdir(parents=True)
    for part in range(PARTS):
        table = rows(n // PARTS, part, 0.0, 1.0, noise=False, is_sorted=False)
        pq.write_table(table, folder / f"{part:03}.parquet", compression=compression)
    os.sync()  # the system does not write them while a clock runs
    return str(folder)


def by_penjing(session, path: str, depth: int, told: list | None = None):
    frame = session.read.parquet(path)
    clock = time.perf_counter()

    def watch(progress):
        if told is not None:
            told.append((round(time.perf_counter() - clock, 2), progress.generation))

    asked = {"max_depth": depth, "engine": "spark", "progress": watch}
    return penjing.fit(frame, TARGET, "cart-binary", **asked)


def prepared(session, path: str):
    """Return rows as MLlib wants them: texts indexed, all columns in a vector."""
    frame = session.read.parquet(path)
    texts = [name for name, kind in frame.dtypes if kind == "string"]
    made = [f"{name}_" for name in texts]
    others = [name for name, kind in frame.dtypes if kind != "string"]
    inputs = [*others, *(name for name in made if name != f"{TARGET}_")]
    steps = [
        StringIndexer(inputCols=texts, outputCols=made),
        VectorAssembler(inputCols=inputs, outputCol="features"),
    ]
    whole = Pipeline(stages=steps).fit(frame).transform(frame)
    return whole.select("features", f"{TARGET}_")


def by_mllib(frame, depth: int):
    asked = {"maxDepth": depth, "maxBins": BINS, "labelCol": f"{TARGET}_"}
    return DecisionTreeClassifier(**asked).fit(frame)


def used() -> float:
    """Return the processor time of this process and of all below it: driver, workers, theirs."""
    times, parent = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        pid = int(path.parent.name)
        parent[pid], times[pid] = int(fields[1]), sum(map(int, fields[11:15]))
    mine, found = {os.getpid()}, 0
    while found < len(mine):
        found = len(mine)
        mine |= {pid for pid, above in parent.items() if above in mine}
    return sum(times[pid] for pid in mine) / os.sysconf("SC_CLK_TCK")


class Clock:
    """Wall and processor time since the last question."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Forget what was."""
        self._wall, self._cpu = time.perf_counter(), used()

    def told(self) -> dict[str, float]:
        """Return both, and start anew."""
        found = {"wall": time.perf_counter() - self._wall, "processor": used() - self._cpu}
        self.start()
        return found


def warm(session, path: str, asked) -> None:
    """Let both grow some small trees; ours by as many generations as a large one."""
    usual, engine.FETCH_LIMIT = engine.FETCH_LIMIT, 100
    for _ in range(TIMES):
        if asked.only != "mllib":
            by_penjing(session, path, asked.depth)
        if asked.only != "penjing":
            by_mllib(prepared(session, path), asked.depth)
    engine.FETCH_LIMIT = usual


def compared(session, path: str, n: int, asked) -> dict[str, dict[str, float]]:
    """Let both grow their trees some times; return the best of each, and how they compare."""
    found = {}
    if asked.only != "mllib":
        found["penjing"] = best([measured(session, path, n, asked) for _ in range(asked.times)])
    if asked.only != "penjing":
        rounds = [measured_mllib(session, path, n, asked) for _ in range(asked.times)]
        found["mllib"] = best([alone for alone, _ in rounds])
        found["mllib_whole"] = best([whole for _, whole in rounds])
    if asked.only is None:
        for name in ("mllib", "mllib_whole"):
            ratio = {kind: found[name][kind] / found["penjing"][kind] for kind in KINDS}
            found[f"{name}_ratio"] = ratio
            print(f"{name} / penjing: wall {ratio['wall']:.1f}, processor {ratio['processor']:.1f}")
    return found


def best(rounds: list[dict[str, float]]) -> dict[str, float]:
    """Return the best of each kind of time."""
    return {kind: min(one[kind] for one in rounds) for kind in KINDS}


def measured(session, path: str, n: int, asked) -> dict[str, float]:
    steps: list = []
    clock = Clock()
    tree = by_penjing(session, path, asked.depth, steps)
    told = clock.told()
    say("penjing, from file", told, n, f"{tree.n_nodes} nodes")
    print(f"  generations done at {steps}")
    return told


def measured_mllib(session, path: str, n: int, asked) -> tuple[dict[str, float], dict[str, float]]:
    """Return the times of its fit alone, and from the file."""
    clock = Clock()
    frame = prepared(session, path).cache()
    frame.count()
    ready = clock.told()
    model = by_mllib(frame, asked.depth)
    alone = clock.told()
    frame.unpersist(blocking=True)
    whole = {kind: ready[kind] + alone[kind] for kind in KINDS}
    say("MLlib, fit alone", alone, n, f"{model.numNodes} nodes")
    say("MLlib, from file", whole, n, "")
    return alone, whole


def say(name: str, told: dict[str, float], n: int, more: str) -> None:
    wall, cpu = told["wall"], told["processor"]
    print(f"{name:20} wall {wall:8.1f} s {n / wall:11,.0f} rows/s   processor {cpu:8.1f} s"
          f" {n / cpu:11,.0f} rows/s   {more}", flush=True)  # fmt: skip


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--rows", type=float, default=2.4e7)
    words.add_argument("--depth", type=int, default=8)
    words.add_argument("--times", type=int, default=3)
    words.add_argument("--compression", default="snappy", help="of the files, as Parquet calls it")
    words.add_argument("--memory", default="8g", help="of each worker")
    words.add_argument("--only", choices=["penjing", "mllib"])
    words.add_argument("--json", help="where figures go; bench/results/spark.json if not said")
    asked = words.parse_args()
    n = int(asked.rows) // PARTS * PARTS
    warnings.simplefilter("ignore")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory() as above:
        path = written(Path(above, "rows"), n, asked.compression)
        few = written(Path(above, "few"), FEW, asked.compression)
        with cluster(above, WORKERS, asked.memory) as (master, _):
            maker = SparkSession.builder.master(master).appName("penjing-bench")
            for name, value in {
                "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1",
                "spark.executor.memory": asked.memory, "spark.driver.memory": "2g",
                "spark.log.level": "ERROR", "spark.ui.showConsoleProgress": "false",
                "spark.python.unix.domain.socket.enabled": "true",
            }.items():  # fmt: skip
                maker = maker.config(name, value)
            session = maker.getOrCreate()
            print(f"{n:,} rows x 20 columns, depth {asked.depth}, {master}, {WORKERS} workers",
                  flush=True)  # fmt: skip
            warm(session, few, asked)
            found = compared(session, path, n, asked)
            session.stop()
    if asked.only is None:
        said = {"rows": n, "columns": 20, "depth": asked.depth, "workers": WORKERS, "bins": BINS}
        said |= {"worker_memory": asked.memory, "compression": asked.compression}
        if asked.json:
            Path(asked.json).write_text(json.dumps(said | found, indent=1) + "\n")
        else:
            save("spark", said | found)


if __name__ == "__main__":
    main()
