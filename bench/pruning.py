"""Speed of pruning: rpart's cross-validation beside R, and each method on a tree of 50,000 leaves.

    python bench/pruning.py [--repeat 5] [--only rpart|methods|c5.0]

Times are CPU seconds of one thread, the best of several, measured in one run with the peer. For R
they are those of the call `rpart(y ~ ., data, xval = 10)` by `system.time`, ours those of
`penjing.fit(table, recipe="rpart", xval=10)`. Methods prune one unpruned tree of two and more
classes; the time of the fit that grew it is beside them.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from results_file import save

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src")]

R_SCRIPT = """
library(rpart)
given <- commandArgs(TRUE)
data <- read.csv(given[1], stringsAsFactors = TRUE)
method <- if (is.factor(data$y)) "class" else "anova"
best <- Inf
for (i in seq_len(as.integer(given[2]))) {
  used <- system.time(fit <- rpart(y ~ ., data = data, method = method, xval = 10))
  best <- min(best, used[[1]] + used[[2]])
}
cat(best, nrow(fit$frame))
"""
METHODS = {
    "cost-complexity": {"alpha": 1.0},
    "pessimistic": {},
    "minimum-error": {},
    "mdl": {},
    "collapse": {},
    "simplify": {},
    "error-based": {"raise_branches": False},
    "reduced-error": {"validation": True},
}


def noisy_columns(n: int, target: str, columns: str, seed: int = 0):
    """Return names, cells and the target of n rows: ten columns, six of them tell of the target.

    ``mixed`` columns: six numbers and four categorical columns, 5 % of the values missing.
    """
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 10))
    score = np.sin(2 * z[:, 0]) * z[:, 1] + z[:, 2] ** 2 + z[:, 3] * (z[:, 4] > 0) + abs(z[:, 5])
    cells = []
    for j in range(10):
        if columns == "mixed" and j >= 6:
            k = (3, 4, 6, 8)[j - 6]
            level = (rng.integers(0, k, n) + (z[:, j] > 0)) % k
            score = score + rng.normal(size=k)[level]
            column = np.array([f"v{i}" for i in range(k)], object)[level]
        else:
            column = np.round(z[:, j], (1, 2, 3, 6)[j % 4]).astype(object)
        if columns == "mixed":
            column[rng.random(n) < 0.05] = "NA"
        cells.append(column)
    score = score + rng.normal(size=n) * 0.5
    if target == "regression":
        return cells, score
    cuts = {"two classes": [0.5], "three classes": [0.4, 0.7]}[target]
    return cells, np.array(["a", "b", "c"])[np.digitize(score, np.quantile(score, cuts))]


def seconds(work, repeat: int) -> float:
    """Return the CPU seconds of the fastest of several calls."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def rpart_rows(repeat: int) -> list[dict[str, object]]:
    """Cross-validate with R and with ours, in turn."""
    import penjing

    has_r = shutil.which("Rscript") is not None
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        script, path = Path(folder) / "rpart.R", Path(folder) / "rows.csv"
        script.write_text(R_SCRIPT, "utf-8")
        for n in (600, 4_000, 20_000):
            for target in ("two classes", "three classes", "regression"):
                for columns in ("numeric", "mixed"):
                    cells, y = noisy_columns(n, target, columns)
                    with path.open("w", newline="") as file:
                        writer = csv.writer(file)
                        writer.writerow([*(f"x{j}" for j in range(10)), "y"])
                        writer.writerows(zip(*cells, y, strict=True))
                    table = penjing.read(path, "y", missing=["NA"])

                    def fit(table=table):
                        return penjing.fit(table, recipe="rpart", xval=10, threads=1)

                    row = {"rows": n, "target": target, "columns": columns}
                    row |= {"nodes": fit().n_nodes, "penjing": seconds(fit, repeat)}
                    if has_r:
                        command = ["Rscript", str(script), str(path), str(repeat)]
                        answer = subprocess.run(command, capture_output=True, text=True, check=True)
                        used, nodes = answer.stdout.split()
                        row |= {"R": float(used), "R nodes": int(nodes)}
                    rows.append(row)
                    theirs = f"R {row['R']:.4f} s ({row['R nodes']} nodes)" if has_r else "no R"
                    print(
                        f"rpart xval=10  {n:6,} rows  {target:13} {columns:7} "
                        f"penjing {row['penjing']:.4f} s ({row['nodes']} nodes)  {theirs}",
                        flush=True,
                    )
    return rows


def large_table(n: int, seed: int):
    """Return rows whose classes are mostly noise: the tree has a leaf for every third row."""
    from penjing.data.table import Table, nominal, numeric

    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 6))
    columns = [numeric(f"x{j}", x[:, j]) for j in range(6)]
    columns += [nominal(f"c{j}", rng.integers(0, k, n).astype(str)) for j, k in enumerate((3, 6))]
    y = ((x[:, 0] > 0) ^ (rng.random(n) < 0.38)).astype(int) + (rng.random(n) < 0.2)
    return Table(tuple(columns), nominal("y", y.astype(str)), n)


def method_rows(repeat: int) -> list[dict[str, object]]:
    """Prune a tree of 50,000 leaves by each method."""
    import penjing

    table, validation = large_table(165_000, 3), large_table(20_000, 4)

    def grow():
        return penjing.fit(table, recipe="cart-binary", threads=1)

    tree, fit_seconds = grow(), seconds(grow, repeat)
    print(f"fit of {tree.n_leaves:,} leaves: {fit_seconds:.2f} s", flush=True)
    rows = []
    for method, options in METHODS.items():
        given = {"validation": validation} if "validation" in options else options
        used = seconds(lambda m=method, g=given: tree.prune(m, **g), repeat)
        leaves = tree.prune(method, **given).n_leaves
        rows.append({"method": method, "seconds": used, "fits": used / fit_seconds})
        rows[-1] |= {"fit": fit_seconds, "leaves": tree.n_leaves, "left": leaves}
        print(
            f"{method:16} {used:6.2f} s  {used / fit_seconds:5.2f} x the fit  {leaves:,} leaves",
            flush=True,
        )
    return rows


def c50_rows(repeat: int) -> list[dict[str, object]]:
    """Fit `c4.5` and `c5.0` to 20,000 rows of eleven columns, 3 % missing."""
    import penjing
    from penjing.data.table import Table, nominal, numeric

    rng = np.random.default_rng(5)
    n = 20_000
    z = rng.normal(size=(n, 11))
    columns, score = [], z[:, 0] + z[:, 1] * (z[:, 2] > 0) + np.abs(z[:, 3])
    for j in range(7):
        values = np.round(z[:, j], (1, 2, 3)[j % 3])
        values[rng.random(n) < 0.03] = np.nan
        columns.append(numeric(f"x{j}", values))
    for j, k in enumerate((3, 4, 6, 8)):
        level = (rng.integers(0, k, n) + (z[:, 7 + j] > 0)) % k
        score = score + rng.normal(size=k)[level] * 0.4
        columns.append(nominal(f"c{j}", [None if rng.random() < 0.03 else f"v{c}" for c in level]))
    y = np.digitize(score + rng.normal(size=n) * 0.7, np.quantile(score, [0.4, 0.75]))
    table = Table(tuple(columns), nominal("y", y.astype(str)), n)
    rows = []
    for recipe in ("c4.5", "c5.0"):
        used = seconds(lambda r=recipe: penjing.fit(table, recipe=r, threads=1), repeat)
        rows.append({"recipe": recipe, "rows": n, "seconds": used})
        print(f"{recipe:16} {used:6.2f} s  {n:,} rows", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", choices=("rpart", "methods", "c5.0"))
    asked = parser.parse_args()
    parts = {"rpart": rpart_rows, "methods": method_rows, "c5.0": c50_rows}
    figures = {
        name: part(asked.repeat) for name, part in parts.items() if asked.only in (None, name)
    }
    if asked.only is None:
        print(f"kept in {save('pruning', figures)}")


if __name__ == "__main__":
    main()
