"""Random tables with columns of every kind, missing values, weights, classes or numbers."""

from __future__ import annotations

import numpy as np

from penjing.data.table import Column, Table, numeric


def some_column(rng, name, n, missing, scale):
    kind = str(rng.choice(["nominal", "ordered", "numeric"]))
    n_levels = int(rng.integers(1, 9)) if rng.random() < 0.8 else int(rng.integers(9, 9 + scale))
    lost = rng.random(n) < 0.15 if missing else np.zeros(n, bool)
    if kind == "numeric":
        few = rng.random() < 0.5
        values = rng.integers(0, n_levels * 2, n) / 3 if few else rng.normal(size=n)
        values[lost] = np.nan
        return numeric(name, values)
    codes = np.where(lost, -1, rng.integers(0, n_levels, n)).astype(np.int32)
    return Column(name, kind, tuple(f"l{i}" for i in range(n_levels)), codes)


def some_table(rng, n, *, regression, missing, weighted, n_columns=5, scale=40):
    columns = tuple(
        some_column(rng, f"c{i}", n, missing, scale) for i in range(rng.integers(1, n_columns + 1))
    )
    weight = None
    if weighted:
        weight = rng.integers(0, 4, n) / 3 if rng.random() < 0.5 else rng.random(n)
        weight[0] = 1.0
    if regression:
        whole = rng.random() < 0.5
        target = numeric("y", rng.integers(0, 5, n) / 7 if whole else rng.normal(size=n))
    else:
        k = int(rng.integers(1, 5)) if rng.random() < 0.8 else int(rng.integers(5, 30))
        shares = rng.dirichlet(np.ones(k))
        codes = rng.choice(k, n, p=shares).astype(np.int32)
        if rng.random() < 0.5 and columns[0].codes.min() >= 0:
            codes = ((columns[0].codes + (rng.random(n) < 0.2)) % k).astype(np.int32)
        target = Column("y", "nominal", tuple(f"k{i}" for i in range(k)), codes)
    return Table(columns, target, n, weight)
