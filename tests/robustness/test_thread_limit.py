"""However many threads are asked for, only so many are started as a machine can use."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest

import penjing
from penjing.data.memory_limit import max_threads

LINUX = Path("/proc/self/task")


class Watch:
    """Counts the threads of this process, as the system sees them, while it is open."""

    def __enter__(self):
        self.most, self._ends = 0, threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def _look(self):
        while not self._ends.is_set():
            self.most = max(self.most, len(list(LINUX.iterdir())))
            time.sleep(0.001)

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()


@pytest.mark.skipif(not LINUX.exists(), reason="asks the system for its threads")
@pytest.mark.parametrize("recipe", ["cart-textbook", "c4.5", "rpart", "sklearn"])
def test_20000_threads_are_not_started_and_the_tree_is_the_same(recipe):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20_000, 3)).round(2)
    y = ((x[:, 0] > 0) ^ (rng.random(len(x)) < 0.1)) * 1
    with Watch() as before:
        one = penjing.fit(x, y, recipe, threads=1)
    with Watch() as seen:
        many = penjing.fit(x, y, recipe, threads=20_000)
    assert many.to_json() == one.to_json()
    assert seen.most <= before.most + max_threads() + 2


@pytest.mark.skipif(not LINUX.exists(), reason="asks the system for its threads")
def test_the_disk_engine_starts_no_more_either(tmp_path):
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    rows = "".join(f"{a:.3f},{'pq'[int(a > 0)]}\n" for a in rng.normal(size=20_000))
    (tmp_path / "t.csv").write_text("x,y\n" + rows, "utf-8")
    how = {"recipe": "cart-textbook", "engine": "disk"}
    with Watch() as before:
        one = penjing.fit(tmp_path / "t.csv", "y", threads=max_threads(), **how)
    with Watch() as seen:
        many = penjing.fit(tmp_path / "t.csv", "y", threads=20_000, **how)
    assert many.to_json()["nodes"] == one.to_json()["nodes"]
    assert seen.most <= before.most + 64  # DuckDB, Arrow and NumPy have threads of their own
