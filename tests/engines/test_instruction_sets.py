"""One build serves every machine: with fewer instructions the same tree grows."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

GROW = """
import hashlib, json, numpy as np, penjing
rng = np.random.default_rng(5)
n = 20_000
x = np.column_stack([rng.normal(size=(n, 3)), rng.integers(0, 2, (n, 3)), rng.integers(0, 99, n)])
for k in (2, 5):
    score = x[:, 0] + x[:, 3] - x[:, 4] * x[:, 1] + rng.normal(size=n) * 0.2
    y = np.digitize(score, np.quantile(score, np.arange(1, k) / k))
    for recipe in ("cart-textbook", "id3", "c4.5-textbook", "sklearn"):
        for threads in (1, 2):
            tree = penjing.fit(x, y, recipe, threads=threads, max_depth=12)
            text = json.dumps(tree.to_json(), sort_keys=True)
            told = tree.predict(np.tile(x, (4, 1))).tobytes()
            print(recipe, k, tree.n_leaves, hashlib.sha256(text.encode() + told).hexdigest())
"""


def grown(most: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", GROW],
        env=os.environ | {"PENJING_SIMD": most},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("most", ["avx2", "portable"])
def test_fewer_instructions_grow_the_same_tree(most):
    found = grown(most)
    assert found.count("\n") == 16
    assert found == grown("avx512")
