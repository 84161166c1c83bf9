"""A tree from a file larger than memory, against one DuckDB scan of the same columns.

    python bench/make_large_table.py 50000000 big.parquet
    bash -c 'ulimit -d 2500000; python bench/out_of_core.py big.parquet'

Prints the time of both in this run, wall and processor, their ratio, and what the store takes.
With --same, grows the tree with engine native too and compares the two models.
"""

# ruff: noqa: S608 - the names are those of our own file

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq

import penjing
from penjing.data.encode.coded import Wants, coded
from penjing.data.encode.groups import files_of

RECIPE = {"recipe": "cart-binary", "max_depth": 8}


def used() -> float:
    """Return the processor time of this process and of those it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@contextmanager
def timed(name: str, told: dict):
    wall, cpu = time.perf_counter(), used()
    yield
    told[name] = time.perf_counter() - wall, used() - cpu
    print(f"{name:18} wall {told[name][0]:7.2f} s   processor {told[name][1]:7.2f} s", flush=True)


def scan(path: str) -> None:
    """One pass of DuckDB over all columns, in a process of its own: its memory is not ours."""
    kinds = {f.name: str(f.type) for f in pq.ParquetFile(files_of(path)[0]).schema_arrow}
    sums = [f"sum(strlen({n}))" if "string" in k else f"sum({n})" for n, k in kinds.items()]
    asked = f"select {', '.join(sums)} from read_parquet({files_of(path)!r})"
    subprocess.run([sys.executable, "-c", SCAN, asked], check=True)


SCAN = """
import sys, duckdb
link = duckdb.connect()
link.execute("set enable_progress_bar = false")
link.execute(sys.argv[1]).fetchall()
"""


def data_segment() -> float:
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.split("VmData:")[1].split()[0]) / 2**20


def plain(tree) -> str:
    told = tree.to_json()
    for key in ("source", "engine"):
        told["about"].pop(key, None)
    return json.dumps(told, sort_keys=True)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("file")
    words.add_argument("--memory-limit", default="2GB")
    words.add_argument("--same", action="store_true")
    words.add_argument("--work")
    asked = words.parse_args()
    n = sum(pq.ParquetFile(path).metadata.num_rows for path in files_of(asked.file))
    told: dict[str, tuple[float, float]] = {}
    print(f"{asked.file}: {n:,} rows, limit {asked.memory_limit}")
    for i in range(2):
        with timed(f"scan {i + 1}", told):
            scan(asked.file)
    with timed("code", told):
        table, space = coded(asked.file, Wants("class"), work=asked.work)
    try:
        print(f"data segment after coding: {data_segment():.2f} GB")
        print(f"bytes per row of the store: {table.source['bytes_per_row']}")
        with timed("grow", told):
            tree = penjing.fit(table, memory_limit=asked.memory_limit, **RECIPE)
    finally:
        space.close()
    whole = [told["code"][i] + told["grow"][i] for i in (0, 1)]
    least = [min(told["scan 1"][i], told["scan 2"][i]) for i in (0, 1)]
    print(f"{'total':18} wall {whole[0]:7.2f} s   processor {whole[1]:7.2f} s")
    print(
        f"total / scan       wall {whole[0] / least[0]:.2f}   processor {whole[1] / least[1]:.2f}"
    )
    print(f"tree: {tree.n_nodes} nodes, depth {tree.depth}; {n / whole[0]:,.0f} rows/s")
    print(f"peak resident: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")
    if asked.same:
        with timed("native", told):
            other = penjing.fit(asked.file, "class", engine="native", **RECIPE)
        print("same tree as native:", plain(tree) == plain(other))


if __name__ == "__main__":
    main()
