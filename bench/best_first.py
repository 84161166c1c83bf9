"""Speed of trees grown best first (`max_leaves`), beside scikit-learn's in the same run.

    python bench/best_first.py [--rows 60000] [--leaves 2000] [--repeat 3]

Times are CPU seconds of one thread, the best of several. Every recipe grows the node of the
greatest weighted gain first, without pruning; scikit-learn's is `max_leaf_nodes`.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from results_file import save

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

RECIPES = {
    "id3": {},
    "c4.5-textbook": {},
    "cart-textbook": {},
    "cart-binary": {},
    "c4.5": {"pruning": "none", "collapse": False},
    "j48": {"pruning": "none", "collapse": False},
    "c5.0": {"pruning": "none", "collapse": False, "gather": False},
    "rpart": {"cp": 0.0, "minsplit": 2},
    "sklearn": {},
}


def rows(n: int):
    """Return ten numeric columns and three classes with noise."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 10))
    score = np.sin(2 * x[:, 0]) * x[:, 1] + x[:, 2] ** 2 + x[:, 3] * (x[:, 4] > 0)
    score += rng.normal(size=n)
    return x, np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))


def best_time(call, repeat: int):
    """Return the least CPU time of a call, and its last answer."""
    least, answer = np.inf, None
    for _ in range(repeat):
        start = time.process_time()
        answer = call()
        least = min(least, time.process_time() - start)
    return least, answer


def main() -> None:
    """Print the table and save it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--leaves", type=int, default=2_000)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    from sklearn.tree import DecisionTreeClassifier

    import penjing

    x, y = rows(given.rows)
    model = DecisionTreeClassifier(max_leaf_nodes=given.leaves, random_state=0)
    peer, fitted = best_time(lambda: model.fit(x, y), given.repeat)
    print(f"scikit-learn: {peer:.2f} s, {fitted.get_n_leaves()} leaves")
    names = [f"x{i}" for i in range(x.shape[1])]
    frame = {name: x[:, i] for i, name in enumerate(names)} | {"y": [f"k{v}" for v in y]}
    table = penjing.read(frame, "y")
    results = {"scikit-learn": {"seconds": peer, "leaves": int(fitted.get_n_leaves())}}
    for name, settings in RECIPES.items():
        seconds, tree = best_time(
            lambda name=name, settings=settings: penjing.fit(
                table, recipe=name, max_leaves=given.leaves, threads=1, **settings
            ),
            given.repeat,
        )
        results[name] = {"seconds": seconds, "leaves": tree.n_leaves, "of peer": seconds / peer}
        print(f"{name}: {seconds:.2f} s, {tree.n_leaves} leaves, {seconds / peer:.2f} of the peer")
    save("best_first", results)


if __name__ == "__main__":
    main()
