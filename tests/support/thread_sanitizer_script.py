"""Script for the thread sanitizer: several threads grow trees and predict.

Without pytest, which would bring in modules that the sanitizer was not built for.
"""

# ruff: noqa: T201 - it says what it saw

from __future__ import annotations

import json
import threading
from importlib.util import find_spec

import numpy as np

import penjing


def main() -> None:
    spec = find_spec("penjing._core")
    assert spec is not None
    assert "build/threads" in str(spec.origin), spec.origin
    rng = np.random.default_rng(0)
    n = 30_000
    x = rng.normal(size=(n, 6)).round(2)
    y = ((x[:, 0] + x[:, 1] > 0) ^ (rng.random(n) < 0.1)).astype(int)
    gaps = np.where(rng.random(x.shape) < 0.02, np.nan, x)
    cases = [
        (x, y, "cart-textbook", {}),
        (x, y, "c4.5-textbook", {"max_depth": 8}),
        (x, y, "c4.5", {}),
        (x, y, "sklearn", {}),
        (x[:4000], y[:4000], "rpart", {"cp": 0.001}),
        (x, x[:, 2] + rng.normal(size=n), "cart-textbook", {"max_depth": 6}),
        (gaps[:8000], y[:8000], "cart-textbook", {"missing": "fraction", "max_depth": 5}),
    ]
    for rows, target, recipe, changes in cases:
        trees = [
            penjing.fit(rows, target, recipe, threads=threads, **changes) for threads in (1, 2, 4)
        ]
        assert len({json.dumps(tree.to_json()) for tree in trees}) == 1, recipe
        answers = trees[0].predict(rows)
        print(f"{recipe}: {trees[0].n_leaves} leaves, one tree for 1, 2 and 4 threads")
        pool = [
            threading.Thread(target=lambda t=trees[0], r=rows, a=answers: same(t, r, a))
            for _ in range(3)
        ]
        for one in pool:
            one.start()
        for one in pool:
            one.join()
    print("no race was seen")


def same(tree: penjing.Tree, rows: np.ndarray, answers: np.ndarray) -> None:
    assert (tree.predict(rows) == answers).all()


if __name__ == "__main__":
    main()
