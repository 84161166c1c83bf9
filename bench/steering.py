"""CPU time of steered nodes: a node of 60,000 rows gets another split, by every recipe.

`python bench/steering.py [RECIPE ...]` prints, for each recipe and table, the CPU seconds of a fit
to the rows of the node, of a fit whose root is forced to another column, of `replace_split` and of
`regrow_at` at an inner node with the same rows, and their ratios to the fit. The four take turns in
one process, and the best of several rounds counts. A run of all recipes is saved in
bench/results/steering.json.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from results_file import save

import penjing
from penjing.data.table import Column, Table, numeric

ROWS, COLUMNS, ROUNDS = 60_000, 10, 5
WAYS = ("fit", "forced", "replace", "regrow")
RECIPES = (
    "id3", "c4.5-textbook", "cart-textbook", "cart-binary", "c4.5", "j48", "c5.0", "rpart",
    "sklearn",
)  # fmt: skip


def table_of(kind: str, seed: int) -> Table:
    """Return 120,000 rows whose first column divides them in half, and ten more columns."""
    rng = np.random.default_rng(seed)
    n = 2 * ROWS
    half = np.arange(n) % 2
    columns = [Column("half", "nominal", ("a", "b"), half.astype(np.int32))]
    signal = np.zeros(n)
    for i in range(COLUMNS - 1):
        if kind == "numbers" or i % 2:
            values = rng.normal(size=n).round(3)
            columns.append(numeric(f"x{i}", values))
            signal += values * (i % 3)
        else:
            codes = rng.integers(0, 6, n).astype(np.int32)
            columns.append(Column(f"t{i}", "nominal", tuple("uvwxyz"), codes))
            signal += codes * (i % 3)
    noise = rng.normal(size=n) * signal.std() * 0.4
    cuts = np.quantile(signal + noise, [0.4, 0.8])
    classes = np.searchsorted(cuts, signal + noise).astype(np.int32)
    target = Column("y", "nominal", ("p", "q", "r"), classes)
    return Table(tuple(columns), target, n)


def cpu(run: Callable[[], Any]) -> float:
    """Return the CPU seconds of a run."""
    start = time.process_time()
    run()
    return time.process_time() - start


def measure(name: str, whole: Table, node_rows: Table) -> list[float]:
    """Return the CPU seconds of a fit to the rows of a node, and of three ways to steer it."""
    options: dict[str, Any] = {"recipe": name, "quiet": True}
    other = whole.columns[1].name
    tree = penjing.fit(whole, force_splits={"": "half"}, **options)
    ways: list[Callable[[], Any]] = [
        lambda: penjing.fit(node_rows, **options),
        lambda: penjing.fit(node_rows, force_splits={"": other}, **options),
        lambda: tree.replace_split(1, other),
        lambda: tree.regrow_at(1),
    ]
    rounds = [[cpu(way) for way in ways] for _ in range(ROUNDS)]
    return np.min(rounds, axis=0).tolist()  # type: ignore[no-any-return]


def main(recipes: list[str]) -> None:
    """Print the table, and save it if it has all recipes."""
    rows = []
    print("recipe          table     fit s  forced  replace  regrow   ratios")
    for kind in ("numbers", "mixed"):
        whole = table_of(kind, 1)
        node_rows = whole.take(np.flatnonzero(whole.columns[0].codes == 0))
        for name in recipes:
            seconds = measure(name, whole, node_rows)
            fitted, forced, replaced, regrown = seconds
            ratios = [round(each / fitted, 2) for each in seconds[1:]]
            print(
                f"{name:<15} {kind:<8} {fitted:6.3f}  {forced:6.3f}  {replaced:7.3f} {regrown:7.3f}"
                f"   {'  '.join(f'{ratio:.2f}' for ratio in ratios)}",
                flush=True,
            )
            named = dict(zip(WAYS, (round(each, 4) for each in seconds), strict=True))
            row = {"recipe": name, "table": kind, "cpu_s": named}
            rows.append(row | {"ratio": dict(zip(WAYS[1:], ratios, strict=True))})
    if set(recipes) >= set(RECIPES):
        size = {"rows": ROWS, "columns": COLUMNS, "rounds": ROUNDS}
        print(save("steering", size | {"results": rows}))


if __name__ == "__main__":
    main(sys.argv[1:] or list(RECIPES))
