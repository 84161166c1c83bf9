"""A small table for the lab, as the bytes of a file."""

from __future__ import annotations

import numpy as np


def csv_rows(seed, n=60, is_regression=False, *, has_missing=False, has_weights=False):
    """Return a small table as the bytes of a file: two numbers, two categories, a target.

    With missing values, a tenth of the cells of three columns is empty; with weights, the column
    ``w`` before the target has them, with sums that are rounded.
    """
    random = np.random.RandomState(seed)
    a, b = random.randint(0, 9, n), random.normal(size=n).round(2)
    c, d = random.choice(["x", "y", "z, ü", "= 1"], n), random.choice(["p", "q"], n)
    noise = random.uniform(size=n) < 0.2
    target = (a > 4) ^ (c == "x") ^ noise
    labels = (a + b).round(3) if is_regression else np.where(target, "yes", "no")
    cells = [a.astype(str), b.astype(str), np.array([f'"{text}"' for text in c]), d]
    if has_missing:
        cells[:3] = [np.where(random.uniform(size=n) < 0.1, "", column) for column in cells[:3]]
    names = ["a", "b", "c", "d"]
    if has_weights:
        names.append("w")
        cells.append((random.randint(1, 40, n) / 10).astype(str))
    lines = [",".join(map(str, row)) for row in zip(*cells, labels, strict=True)]
    return "\n".join([",".join([*names, "target"]), *lines]).encode()
