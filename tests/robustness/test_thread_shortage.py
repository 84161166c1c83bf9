"""Where the system gives fewer threads than were asked for, those there are grow the tree."""

from __future__ import annotations

import subprocess
import sys

import pytest

GROW = """
import resource, numpy as np, penjing
x = np.random.default_rng(0).normal(size=(2000, 3)); y = (x[:, 0] > 0) * 1
one = penjing.fit(x, y, "cart-textbook", threads=1)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 30_000_000,) * 2)  # a thread's stack takes 8 MB
many = penjing.fit(x, y, "cart-textbook", threads=8)
print(many.to_json() == one.to_json())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks the system how much memory it uses")
def test_fewer_threads_than_asked_for_grow_the_same_tree():
    done = subprocess.run([sys.executable, "-c", GROW], capture_output=True, text=True, check=False)
    assert done.stdout == "True\n", done.stderr
