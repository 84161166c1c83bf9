"""Trees over mapped columns: processor time, and memory that is not a mapped file, a row.

    python bench/memory_mapped.py 1000000

Eight numeric columns and eight of twenty levels, a twentieth of the values missing; depth 6, one
thread. Memory is that of growing alone, above what the process had when columns were mapped.
"""

from __future__ import annotations

import ctypes
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import penjing
from penjing.engines.out_of_core import engine as disk_engine

ASKED = [
    ("c4.5-textbook", "class", None),
    ("c4.5-textbook", "class", "weight"),
    ("cart-binary", "number", None),
    ("c4.5", "class", None),
    ("j48", "class", None),
    ("cart", "class", None),
    ("cart", "number", None),
]


def made(n: int, path: Path) -> None:
    """Write the rows."""
    rng = np.random.default_rng(1)
    numbers = [np.round(rng.normal(size=n), 2) for _ in range(8)]
    score = numbers[0] + numbers[5] / 3 + rng.normal(size=n)
    columns = {}
    for i, values in enumerate(numbers):
        values[rng.random(n) < 0.05] = np.nan
        columns[f"x{i}"] = pa.array(values, from_pandas=True)
        columns[f"s{i}"] = pa.array(rng.integers(0, 20, n).astype(str))
    columns["number"] = pa.array(score)
    columns["weight"] = pa.array(rng.choice([0.5, 1.0, 2.0], n))
    columns["class"] = pa.array(np.where(score > 0.8, "a", "b"))
    pq.write_table(pa.table(columns), path, row_group_size=200_000)


def anonymous() -> int:
    """Return how much memory is not a mapped file."""
    with Path("/proc/self/status").open() as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon")) * 1024


class Watch:
    """The most memory that was in use."""

    def __init__(self) -> None:
        ctypes.CDLL(None).malloc_trim(0)  # what others have let go of is not ours
        self.before = self.most = anonymous()
        self._is_over = False
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        while not self._is_over:
            self.most = max(self.most, anonymous())
            time.sleep(0.005)

    def end(self) -> int:
        """Return how much more it was than at first."""
        self._is_over = True
        self._thread.join()
        return self.most - self.before


def main() -> None:
    n = int(sys.argv[1])
    plain = disk_engine.mapped
    watches: list[Watch] = []

    def mapped(*args):
        found = plain(*args)
        watches.append(Watch())
        return found

    disk_engine.mapped = mapped
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        made(n, path)
        for recipe, target, weight in ASKED:
            others = {"class", "number", "weight"} - {target, weight}
            how = {} if recipe in {"c4.5", "j48", "cart"} else {"missing": "fraction"}
            start = time.process_time()
            tree = penjing.fit(
                str(path), target, recipe, engine="disk", max_depth=6, threads=1, weight=weight,
                schema=dict.fromkeys(others, "ignore"), memory_limit="2GB", **how,
            )  # fmt: skip
            spent = time.process_time() - start
            row = watches.pop().end() / n
            print(f"{recipe:14} {target:7} {weight or 'no weight':9} {tree.n_nodes:4} nodes"
                  f" {spent:5.1f} s of processor, {row:4.0f} bytes a row")  # fmt: skip


if __name__ == "__main__":
    main()
