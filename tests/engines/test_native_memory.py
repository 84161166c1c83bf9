"""Growing takes little beside the rows: in a process of its own, above what was there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

GROWTH = """
import json, sys
from pathlib import Path
import numpy as np
import penjing

def memory(key):
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(x.split()[1]) / 1024 for x in lines if x.startswith(key))

task, n = sys.argv[1], 300_000
rng = np.random.default_rng(0)
x = rng.normal(size=(n, 20))
y = np.sin(2 * x[:, 0]) * x[:, 1] + x[:, 2] + rng.normal(size=n) * 0.3
if task == "missing":
    x[rng.random(x.shape) < 0.1] = np.nan
told = {
    "number": (y, "cart-textbook", {}),
    "missing": ((y > 0).astype(np.int32), "cart-textbook", {"missing": "fraction"}),
    "ratio": ((y > 0).astype(np.int32), "c4.5-textbook", {}),
    "classes": (rng.integers(0, 100, n), "cart-textbook", {"schema": {"class": "nominal"}}),
}
y, recipe, changes = told[task]
penjing.fit(x[:200], y[:200], recipe, threads=1, max_depth=2, **changes)  # what fits is loaded
Path("/proc/self/clear_refs").write_text("5", "ascii")
before = memory("VmRSS")
tree = penjing.fit(x, y, recipe, threads=int(sys.argv[2]), max_depth=8, **changes)
print(json.dumps({"taken": memory("VmHWM") - before, "coded": 4 * x.size / 2**20}))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="tells of Linux only")
@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="a sanitizer takes memory of its own")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("task", "most"), [("number", 1.2), ("missing", 2), ("ratio", 2), ("classes", 2)]
)
def test_a_fit_takes_little_more_than_a_coded_table(task, most, threads):
    command = [sys.executable, "-c", GROWTH, task, str(threads)]
    told = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert 0 < told["taken"] < most * told["coded"]
