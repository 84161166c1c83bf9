"""What a cluster would send: 1e9 rows x 100 columns on 100 workers, with messages made for real.

Random rows are put into a block, coded and counted by the very functions that the workers call;
the messages are pickled as they are sent and their bytes are counted. How often each one is sent
follows from the jobs: a question goes to every task, tables are added up by the workers, each
column's by one of them, and reach the driver once.

    .venv/bin/python bench/cluster_messages.py [rows] [columns] [workers]
"""

from __future__ import annotations

import math
import pickle
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

from penjing.data.store import quantile_cells
from penjing.engines.out_of_core import driver
from penjing.engines.spark import coded_rows
from penjing.engines.spark import engine as spark_engine
from penjing.engines.spark import jobs as spark_jobs
from penjing.engines.spark.spilled import Spill

GIVEN = [int(float(word)) for word in sys.argv[1:]]
ROWS, COLUMNS, WORKERS = GIVEN if len(GIVEN) == 3 else (10**9, 100, 100)
CLASSES, LEVELS, CORES, SAMPLE = 3, 100, 4, 200_000


def a_block(folder: Path):
    """Return a block of random rows, how it was coded, and what its columns showed."""
    rng = np.random.default_rng(0)
    columns, codings = {}, []
    for c in range(COLUMNS):
        if c % 5 < 3:  # three of five are numbers of many values
            columns[f"c{c}"] = rng.normal(size=SAMPLE)
            codings.append((c, coded_rows.Coding(256, cells=quantile_cells(columns[f"c{c}"]))))
        else:
            columns[f"c{c}"] = [f"level {i}" for i in rng.integers(0, LEVELS, SAMPLE)]
            place = {f"level {i}": i for i in range(LEVELS)}
            codings.append((c, coded_rows.Coding(LEVELS + 1, place)))
    columns["class"] = [f"class {i}" for i in rng.integers(0, CLASSES, SAMPLE)]
    place = {f"class {i}": i for i in range(CLASSES)}
    codings.append((COLUMNS, coded_rows.Coding(CLASSES, place, first=0)))
    are_numbers = [c % 5 < 3 for c in range(COLUMNS)] + [False]
    spill = Spill(folder, are_numbers, COLUMNS, max(1_000, spark_jobs.SAMPLE // (WORKERS * CORES)))
    spill.add(pa.table(columns), ())
    looks = spill.close()
    coded_rows.code(folder, SAMPLE, codings)
    return coded_rows.Block(folder), codings, looks


def tests_of(generation: int):
    """Return the tests of a generation of a binary tree: half ask numbers, half ask names."""
    ids = np.arange(2**generation, 2 ** (generation + 1), dtype=np.int32)
    tests = [(i % COLUMNS, 2 * int(at), -1, 7, 9, 0.5) for i, at in enumerate(ids)]
    branches = np.zeros(len(ids) // 2 * (LEVELS + 1), np.int32)
    return coded_rows.Move(ids, tests, branches, 2 ** (generation + 2))


def main() -> None:
    parts = WORKERS * CORES
    with tempfile.TemporaryDirectory() as folder:
        block, codings, looks = a_block(Path(folder))
        files = [path for path in Path(folder).iterdir() if path.suffix in
                 {".codes", ".high", ".raw"}]  # fmt: skip
        a_row = sum(path.stat().st_size for path in files) / SAMPLE + 4  # its node
        told = len(pickle.dumps(looks, 5))
        coded = len(pickle.dumps(codings, 5))
        each = sum(coding.n_codes for _, coding in codings[:-1]) * CLASSES * 4
        copies = 1 + spark_jobs.MAX_PARTS_BY_DRIVER + 3
        batch = max(1, spark_engine.DRIVER_MEMORY // driver.COUNTS_FRACTION // (each * copies))
        print(f"{ROWS:,} rows x {COLUMNS} columns, {WORKERS} workers x {CORES} tasks")
        print(f"block: {a_row:.0f} bytes a row, {ROWS * a_row / WORKERS / 1e9:.1f} GB a worker")
        print(f"looks: {told / 1e6:.2f} MB a task, {parts * told / 1e6:.0f} MB to the driver, once")
        print(f"codings: {coded / 1e6:.1f} MB to each worker, once")
        print(f"a node's tables: {each / 1e6:.2f} MB; {batch} nodes a job")
        print("depth  nodes  jobs  question, to all (MB)  a worker sends (MB)  driver gets (MB)")
        moves = coded_rows.Moves("one", [])
        for depth in range(9):
            nodes = 2**depth
            jobs, n = math.ceil(nodes / batch), min(nodes, batch)
            slot_of = np.full(2 * nodes, -1, np.int32)
            slot_of[1] = 0  # all rows are in the root here; what is sent is as long as elsewhere
            said = (moves, CLASSES, slot_of, n)
            question = spark_jobs.BlockTask(spark_engine._move_and_count, said, in_parts=True)
            out = len(pickle.dumps(question, 5))
            answer = spark_engine._move_and_count(
                block, coded_rows.Moves("none", []), CLASSES, slot_of, n
            )
            sent = sum(len(pickle.dumps(table, 5)) for table in answer)
            got = sum(len(pickle.dumps(table.astype(np.int64), 5)) for table in answer)
            print(f"{depth:5d} {nodes:6d} {jobs:5d} {jobs * parts * out / 1e6:22.1f}"
                  f" {jobs * CORES * sent / 1e6:20.1f} {jobs * got / 1e6:17.1f}")  # fmt: skip
            moves.steps.append(tests_of(depth))


if __name__ == "__main__":
    main()
