"""Rows a second of `engine="spark"` against MLlib's DecisionTreeClassifier: same rows, same depth.

    .venv/bin/python bench/spark.py [rows] [master]

The master is a cluster's address, or local[2]. MLlib wants strings as numbers: they are indexed
before its clock starts, while ours counts looking at the columns and coding them too.
"""

import os
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import penjing

N = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
MASTER = sys.argv[2] if len(sys.argv) > 2 else "local[2]"
DEPTH, BINS, PARTS = 5, 1_000, 8


def rows(n, seed):
    rng = np.random.default_rng(seed)
    found = {f"x{i}": rng.normal(size=n) ** (1 + i % 3) for i in range(8)}
    found |= {f"s{i}": rng.integers(0, 5 * 3**i, n) for i in range(5)}
    score = found["x0"] + (found["s1"] % 3) + found["x4"] * (found["s0"] == 1) + rng.normal(size=n)
    found["y"] = np.digitize(score, [0.5, 2.0])
    return found


def main() -> None:
    from pyspark.ml.classification import DecisionTreeClassifier
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as of

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master(MASTER).config("spark.ui.enabled", "false").getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        for part in range(PARTS):
            made = rows(N // PARTS, part)
            named = {c: [f"l{v}" for v in a] if c[0] == "s" else a for c, a in made.items()}
            named |= {f"i{c}": a for c, a in made.items() if c[0] == "s"}
            pq.write_table(pa.table(named), f"{folder}/{part}.parquet")
        frame = session.read.parquet(folder)
        plain = [c for c in frame.columns if not c.startswith("i")]
        ours = frame.select(*plain).withColumn("y", of.concat(of.lit("k"), of.col("y")))
        ours.limit(1).mapInArrow(lambda batches: batches, ours.schema).collect()  # workers start
        start = time.perf_counter()
        tree = penjing.fit(ours, "y", "cart-binary", max_depth=DEPTH, engine="spark")
        mine = time.perf_counter() - start
        asked = [c for c in frame.columns if c[0] in "xi"]
        theirs = VectorAssembler(inputCols=asked, outputCol="features").transform(frame)
        theirs = theirs.withColumn("label", of.col("y").cast("double")).cache()
        theirs.count()
        start = time.perf_counter()
        model = DecisionTreeClassifier(maxDepth=DEPTH, maxBins=BINS).fit(theirs)
        other = time.perf_counter() - start
    print(f"{N:,} rows, depth {DEPTH}, {MASTER}")
    print(f"penjing: {mine:8.1f} s  {N / mine:12,.0f} rows/s  {tree.n_leaves} leaves")
    print(f"MLlib:   {other:8.1f} s  {N / other:12,.0f} rows/s  {model.numNodes} nodes")
    print(f"ratio:   {other / mine:8.1f}")
    session.stop()


if __name__ == "__main__":
    main()
