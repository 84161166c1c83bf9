"""Trees that are hard to draw: many classes, many categories, long and hostile names, numbers."""

from __future__ import annotations

import numpy as np

from penjing import fit
from penjing.api.tree import Tree
from penjing.data.table import Table, nominal, numeric

LONG = "Horizontal_Distance_To_Hydrology_And_Roads_Of_The_Upper_County"
HOSTILE = [
    "</script><img src=x onerror=alert(1)>", "javascript:alert(1)", "=cmd|' /C calc'!A0", "]]>",
    "שלום \u202eabc", "\U0001f468\u200d\U0001f469", "x" * 300, "two\nlines", "&amp;<b>", "",
    "市区 一",
]  # fmt: skip


def table_of(seed: int, target: str, names: list[str], *, n: int = 400) -> Table:
    """Return a table with two numbers and a column of categories; some values are missing."""
    rng = np.random.RandomState(seed)
    x, z = np.round(rng.rand(n), 2), np.exp(3 * rng.randn(n))
    codes = rng.randint(0, len(names), n)
    signal = x * 3 + np.log(z) / 3 + (codes % 3) + rng.randn(n) / 3
    holes = np.where(rng.rand(n) < 0.1, np.nan, x)
    columns = (
        numeric("x", holes), numeric(LONG, z), nominal("kind of place", [names[c] for c in codes]),
    )  # fmt: skip
    if target == "number":
        return Table(columns, numeric("y", 1e6 * signal), n)
    k = int(target)
    ranks = np.argsort(np.argsort(signal)) * k // n
    labels = [f"class {v}" for v in range(k)] if k <= 26 else [*HOSTILE]
    return Table(columns, nominal("y", [labels[v % len(labels)] for v in ranks]), n)


PLACES = [f"place {v}" for v in range(5)]
TREES: dict[str, tuple[str, list[str], str]] = {
    "2 classes": ("2", PLACES, "rpart"),
    "7 classes": ("7", PLACES, "c4.5"),
    "19 classes": ("19", PLACES, "rpart"),
    "26 classes": ("26", PLACES, "c4.5"),
    "regression": ("number", PLACES, "rpart"),
    "200 categories": ("2", [f"City of {v * 7919} in {LONG}" for v in range(200)], "c4.5-textbook"),
    "200 categories, regression": ("number", [f"c{v}" for v in range(200)], "rpart"),
    "long names": ("7", [f"{LONG} {v}" for v in range(4)], "rpart"),
    "hostile names": ("11", HOSTILE, "c4.5-textbook"),
}


def tree_of(name: str) -> Tree:
    """Return one of the trees."""
    target, names, recipe = TREES[name]
    table = table_of(len(name), "40" if name == "hostile names" else target, names)
    return fit(table, recipe=recipe)


def target_and_names(name: str) -> tuple[str, list[str]]:
    """Return the kind of the target of a tree, and its categories."""
    target, names, _ = TREES[name]
    return ("40" if name == "hostile names" else target), names
