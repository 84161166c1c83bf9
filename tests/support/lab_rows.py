"""A small table for the lab, as the bytes of a file."""

from __future__ import annotations

import numpy as np


def csv_rows(seed, n=60, is_regression=False):
    """Return a small table as the bytes of a file: two numbers, two categories, a target."""
    random = np.random.RandomState(seed)
    a, b = random.randint(0, 9, n), random.normal(size=n).round(2)
    c, d = random.choice(["x", "y", "z, ü", "= 1"], n), random.choice(["p", "q"], n)
    noise = random.uniform(size=n) < 0.2
    target = (a > 4) ^ (c == "x") ^ noise
    labels = (a + b).round(3) if is_regression else np.where(target, "yes", "no")
    lines = [f'{i},{j},"{k}",{m},{t}' for i, j, k, m, t in zip(a, b, c, d, labels, strict=True)]
    return "\n".join(["a,b,c,d,target", *lines]).encode()
