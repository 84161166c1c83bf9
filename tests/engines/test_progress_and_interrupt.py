"""Growing in C++ can be watched and stopped."""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np
import pytest

import penjing

LONG = """
import numpy as np, penjing
rng = np.random.default_rng(0)
x, y = rng.normal(size=(1_000_000, 20)), rng.integers(0, 2, 1_000_000)
penjing.fit(x[:100], y[:100], "cart-textbook")
try:
    print("begun", flush=True)
    penjing.fit(x, y, "cart-textbook", threads={threads})
    print("grown", flush=True)
except KeyboardInterrupt:
    print("stopped", flush=True)
print(penjing.fit(x[:100], y[:100], "cart-textbook").n_leaves > 1, flush=True)
"""


def test_progress_of_the_native_engine():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(200_000, 8)), rng.integers(0, 3, 200_000)
    seen = []
    tree = penjing.fit(x, y, "cart-textbook", progress=seen.append)
    assert seen, "a growth of this size takes longer than the 50 ms between two calls"
    for name in ("row_levels", "n_placed", "n_leaves"):
        told = [getattr(so_far, name) for so_far in seen]
        assert told == sorted(told)
    assert seen[-1].n_rows == 200_000
    assert 0 < seen[-1].share <= 1
    assert seen[-1].n_leaves <= tree.n_leaves


def test_an_error_of_the_watcher_is_the_callers():
    rng = np.random.default_rng(1)

    def shout(so_far):
        raise RuntimeError(so_far.n_rows)

    x, y = rng.normal(size=(200_000, 8)), rng.integers(0, 3, 200_000)
    with pytest.raises(RuntimeError, match="200000"):
        penjing.fit(x, y, "cart-textbook", progress=shout)


@pytest.mark.skipif(
    sys.platform == "win32" or signal.getsignal(signal.SIGINT) is signal.SIG_IGN,
    reason="Ctrl-C is not heard here",
)
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_stops_a_growth(threads):
    """Random classes: the whole growth takes many seconds; and the engine can be used again."""
    command = [sys.executable, "-c", LONG.format(threads=threads)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begun\n"
        running.send_signal(signal.SIGINT)
        assert running.stdout.read() == "stopped\nTrue\n"
        assert running.wait() == 0
