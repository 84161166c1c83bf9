"""What is grown over mapped columns stays within the memory limit: measured, not promised."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

N = 600_000
LIMIT = 70_000_000
"""Less than half of what the table takes in memory."""
SCRIPT = """
import json, sys, threading, time
import penjing
from penjing.engines.out_of_core import engine as disk

path, recipe, how = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])

def anonymous():
    with open("/proc/self/status") as file:
        return next(int(l.split()[1]) for l in file if l.startswith("RssAnon")) * 1024

peak, is_over = 0, False

def watch():
    global peak
    while not is_over:
        peak = max(peak, anonymous())
        time.sleep(0.005)

before = None
plain = disk.mapped

def mapped(*args):  # from here on memory is counted: reading has a budget of its own
    global before
    before = anonymous()
    threading.Thread(target=watch, daemon=True).start()
    return plain(*args)

disk.mapped = mapped
tree = penjing.fit(path, "class", recipe, engine="disk", threads=1, **how)
is_over = True
print(json.dumps([peak - before, tree.n_nodes]))
"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    rng = np.random.default_rng(4)
    columns = {f"x{i}": np.round(rng.normal(size=N), 2) for i in range(6)}
    score = columns["x0"] + columns["x1"] + rng.normal(size=N)
    for values in columns.values():
        values[rng.random(N) < 0.05] = np.nan
    columns = {name: pa.array(values, from_pandas=True) for name, values in columns.items()}
    columns |= {f"s{i}": pa.array(rng.integers(0, 9, N).astype(str)) for i in range(6)}
    columns["class"] = pa.array(np.where(score > 0.4, "a", "b"))
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=100_000)
    return str(path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what memory is used")
@pytest.mark.parametrize("recipe", ["c4.5-textbook", "c4.5", "j48", "cart"])
def test_memory_stays_within_the_limit(rows, recipe):
    how = json.dumps({"max_depth": 6, "memory_limit": LIMIT})
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, rows, recipe, how],
        capture_output=True,
        text=True,
        check=True,
    )
    used, n_nodes = json.loads(run.stdout)
    assert n_nodes > 3
    assert used < LIMIT
