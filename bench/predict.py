"""Speed of answering, ours and scikit-learn's, in one run: many rows, one row, a small fit.

    python bench/predict.py

10 million rows of 20 numbers go down a tree of depth 20, with one core and with two; then one
row at a time through the Python API; then a fit of 150 rows of 4 numbers; then `import penjing`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from results_file import save

HERE = Path(__file__).resolve().parent


def best(work, repeat):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def many(n):
    """Return seconds for n rows, by program and number of cores."""
    from sklearn.tree import DecisionTreeClassifier
    from workloads import numeric

    import penjing

    x, y = numeric(200_000)
    ours = penjing.fit(x, y, "cart-textbook", max_depth=20)
    theirs = DecisionTreeClassifier(max_depth=20, random_state=0).fit(x, y)
    rows = np.ascontiguousarray(np.resize(x, (n, x.shape[1])))
    np.random.default_rng(0).shuffle(rows)
    cores = sorted(os.sched_getaffinity(0))
    found = {"rows": n, "leaves": ours.n_leaves, "depth": ours.depth}
    for k in (1, 2):
        os.sched_setaffinity(0, cores[:k])
        found[f"penjing {k}"] = best(lambda: ours.predict(rows), 3)
        if k == 1:
            found["sklearn"] = best(lambda: theirs.predict(rows), 2)
    found["same"] = float((ours.predict(rows) == theirs.predict(rows)).mean())
    return found


def one_row():
    """Return microseconds for one row, and for a fit of 150 x 4, by program."""
    from sklearn.tree import DecisionTreeClassifier
    from workloads import small

    import penjing

    x, y = small()
    found = {}
    fit = DecisionTreeClassifier(random_state=0).fit
    for name, work in (
        ("penjing fit 150 x 4", lambda: penjing.fit(x, y, "cart-textbook")),
        ("sklearn fit 150 x 4", lambda: fit(x, y)),
    ):
        work()
        found[name] = best(lambda work=work: [work() for _ in range(20)], 20) / 20 * 1e6
    tree, theirs = penjing.fit(x, y, "cart-textbook"), fit(x, y)
    row = dict(zip([f.name for f in tree.schema], x[0].tolist(), strict=True))
    for name, work in (
        ("penjing one row, a dict", lambda: tree.predict(row)),
        ("penjing one row, an array", lambda: tree.predict(x[:1])),
        ("sklearn one row, an array", lambda: theirs.predict(x[:1])),
    ):
        work()
        found[name] = best(lambda work=work: [work() for _ in range(100)], 20) / 100 * 1e6
    return found


def importing():
    """Return the CPU seconds that `import penjing` adds to Python itself."""
    code = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"
    return {
        f"import {name}": min(
            float(
                subprocess.run(
                    [sys.executable, "-c", code.format(name)], capture_output=True, check=True
                ).stdout
            )
            for _ in range(5)
        )
        for name in ("penjing", "sklearn.tree")
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    asked = parser.parse_args()
    found = many(asked.rows)
    for k in (1, 2):
        ratio = found["sklearn"] / found[f"penjing {k}"]
        print(
            f"{asked.rows:,} rows, depth {found['depth']}, {k} core(s): "
            f"{found[f'penjing {k}']:.3f} s, {ratio:.1f}x scikit-learn; "
            f"{found['same']:.4f} of the answers are the same"
        )
    for name, took in (small := one_row()).items():
        print(f"{name}: {took:.1f} µs")
    for name, took in (loads := importing()).items():
        print(f"{name}: {took:.3f} s CPU")
    save("predict", found | small | loads)


if __name__ == "__main__":
    main()
