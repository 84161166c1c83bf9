"""What a cluster would send: 1e9 rows x 100 columns on 100 workers, with messages made for real.

A block of random rows is coded and counted by the very functions that the workers call; the
messages are pickled as Spark pickles them and their bytes are counted. How often each one is sent
follows from Spark's treeReduce (depth 2) and from the batches of the engine.

    .venv/bin/python bench/messages.py [rows] [columns] [workers]
"""

import math
import pickle
import sys

import numpy as np

from penjing.engines import blocks, spark

GIVEN = [int(float(word)) for word in sys.argv[1:]]
ROWS, COLUMNS, WORKERS = GIVEN if len(GIVEN) == 3 else (10**9, 100, 100)
CLASSES, LEVELS, CORES, SAMPLE = 3, 100, 4, 20_000


def main() -> None:
    rng = np.random.default_rng(0)
    known, codings, columns = np.ones(SAMPLE, bool), [], []
    for c in range(COLUMNS):
        if c % 5 < 3:  # three of five are numbers of many values
            values = rng.normal(size=SAMPLE)
            at = (np.arange(1, spark.BUCKETS) * SAMPLE) // spark.BUCKETS
            edges = np.unique(np.sort(values)[at])
            codings.append(blocks.Coding(len(edges) + 2, None, edges))
        else:
            values = rng.integers(0, LEVELS, SAMPLE)
            place = {level: level for level in range(LEVELS)}
            codings.append(blocks.Coding(LEVELS + 1, place, None))
        columns.append((values, known))
    classes = blocks.Coding(CLASSES + 1, {k: k for k in range(CLASSES)}, None)
    target = (rng.integers(0, CLASSES, SAMPLE), known)
    block = blocks.block_of(columns, codings, target, classes)
    a_row = len(pickle.dumps(block, 5)) / SAMPLE
    parts = WORKERS * CORES
    scale = max(2, math.ceil(parts ** (1 / 2)))
    a_node = sum(coding.n_codes for coding in codings) * CLASSES * 8
    batch = max(1, spark.TABLES // a_node)
    print(f"{ROWS:,} rows x {COLUMNS} columns, {WORKERS} workers x {CORES} tasks")
    print(f"block: {a_row:.0f} bytes a row, {ROWS * a_row / WORKERS / 1e9:.1f} GB a worker")
    print(
        f"a node's tables: {a_node / 1e6:.2f} MB; {batch} nodes a job;"
        f" {scale} sums reach the driver"
    )
    print("depth  nodes  jobs  tree out (MB)  a worker sends (MB)  driver gets (MB)")
    for depth in range(9):
        nodes = 2**depth
        jobs = math.ceil(nodes / batch)
        n = min(nodes, batch)
        names = ("column", "first_child", "n_children", "missing_mode")
        arrays = {name: np.zeros(2 * nodes, np.int32) for name in names}
        arrays |= {name: np.zeros(2 * nodes) for name in ("cut", "weight")}
        arrays["level_start"] = np.zeros(2 * nodes + 1, np.int64)
        arrays["level_codes"] = np.zeros(0, np.int32)
        tree = len(
            pickle.dumps((blocks.Route(arrays, np.zeros(2 * nodes, np.int32), n), codings), 5)
        )
        leaf = {name: array[:1] for name, array in arrays.items()} | {
            "column": np.array([-1], np.int32), "level_start": np.zeros(2, np.int64),
        }  # fmt: skip
        route = blocks.Route(leaf, np.zeros(1, np.int32), n)
        table = len(pickle.dumps(blocks.tables(block, route, codings, CLASSES), 5))
        sent, got = jobs * CORES * table, jobs * scale * table
        print(f"{depth:5d} {nodes:6d} {jobs:5d} {jobs * WORKERS * tree / 1e6:14.1f}"
              f" {sent / 1e6:20.1f} {got / 1e6:17.1f}")  # fmt: skip


if __name__ == "__main__":
    main()
