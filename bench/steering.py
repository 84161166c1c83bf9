"""CPU time of steered nodes: a node of 60,000 rows gets another split, by every recipe.

`python bench/steering.py [RECIPE ...]` prints, for each recipe and table, the CPU seconds of a fit
to the rows of the node, of a fit whose root is forced to another column, of `replace_split` and of
`regrow_at` at an inner node with the same rows, and their ratios to the fit. The best of several
runs counts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import penjing
from penjing.data.table import Column, Table, numeric

ROWS, COLUMNS, RUNS = 60_000, 10, 3
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
    """Return the least CPU seconds of some runs."""
    best = np.inf
    for _ in range(RUNS):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def measure(name: str, whole: Table, node_rows: Table) -> tuple[float, ...]:
    """Return the CPU seconds of a fit to the rows of a node, and of three ways to steer it."""
    options: dict[str, Any] = {"recipe": name, "quiet": True}
    other = whole.columns[1].name
    tree = penjing.fit(whole, force_splits={"": "half"}, **options)
    return (
        cpu(lambda: penjing.fit(node_rows, **options)),
        cpu(lambda: penjing.fit(node_rows, force_splits={"": other}, **options)),
        cpu(lambda: tree.replace_split(1, other)),
        cpu(lambda: tree.regrow_at(1)),
    )


def main(recipes: list[str]) -> None:
    """Print the table."""
    print("recipe          table     fit s  forced  replace  regrow   ratios")
    for kind in ("numbers", "mixed"):
        whole = table_of(kind, 1)
        node_rows = whole.take(np.flatnonzero(whole.columns[0].codes == 0))
        for name in recipes:
            fitted, forced, replaced, regrown = measure(name, whole, node_rows)
            ratios = "  ".join(f"{each / fitted:.2f}" for each in (forced, replaced, regrown))
            print(
                f"{name:<15} {kind:<8} {fitted:6.3f}  {forced:6.3f}  {replaced:7.3f} {regrown:7.3f}"
                f"   {ratios}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:] or list(RECIPES))
