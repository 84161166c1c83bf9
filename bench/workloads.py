"""The tables of the speed comparison, made from a seed: no download, the same for everybody."""

from __future__ import annotations

import numpy as np


def numeric(n: int = 1_000_000, seed: int = 0):
    """20 numbers: 10 tell of the class, 5 are mixtures of those, 5 noise; 10 % flipped."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(4, 10)) * 1.5
    cluster = rng.integers(0, 4, n)
    told = rng.normal(size=(n, 10)) + centres[cluster]
    x = np.column_stack([told, told @ rng.normal(size=(10, 5)), rng.normal(size=(n, 5))])
    y = (cluster % 2) ^ (rng.random(n) < 0.1)
    return np.ascontiguousarray(x[:, rng.permutation(20)]), y.astype(np.int32)


def mixed(n: int = 581_012, seed: int = 1):
    """10 whole numbers of thousands of values, 4 + 40 one-hot columns, 7 classes."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 10))
    n_values = rng.integers(2900, 7900, 10)
    whole = [
        np.clip((0.5 + z[:, j] / 7) * n_values[j], 0, n_values[j]).astype(int) for j in range(10)
    ]
    scores = z[:, :6] @ rng.normal(size=(6, 7)) * 1.2 + rng.gumbel(size=(n, 7)) * 0.6
    scores[:, :2] += 1.2
    one_hot = []
    for k, strength in ((4, 1.0), (40, 0.7)):
        pull = z[:, :3] @ rng.normal(size=(3, k)) * strength + rng.gumbel(size=(n, k))
        level = pull.argmax(1)
        scores += rng.normal(size=(k, 7))[level] * strength
        one_hot += [level == i for i in range(k)]
    return np.column_stack([*whole, *one_hot]).astype(np.float64), scores.argmax(1).astype(np.int32)


def _codes(n: int, n_levels, seed: int):
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.integers(0, k, n) for k in n_levels]).astype(np.int32)
    told = min(8, len(n_levels))
    score = sum(rng.normal(size=n_levels[j])[x[:, j]] for j in range(told)) + rng.normal(size=n)
    return x, (score > 0).astype(np.int32)


def nominal(n: int = 1_000_000, seed: int = 2):
    """A frame of 20 categories of 5 to 50 levels; 2 classes."""
    import pandas as pd

    n_levels = np.random.default_rng(seed).integers(5, 51, 20)
    x, y = _codes(n, n_levels, seed)
    columns = {
        f"c{j}": pd.Categorical.from_codes(x[:, j], [f"c{j} level {v}" for v in range(k)])
        for j, k in enumerate(n_levels.tolist())
    }
    return pd.DataFrame(columns), y


def strings(n: int = 1_000_000, seed: int = 2):
    """The same as Python strings in object columns."""
    frame, y = nominal(n, seed)
    return frame.astype(object), y


def many_levels(n: int = 1_000_000, seed: int = 5):
    """A frame of 8 categories of 10,000 levels; 2 classes."""
    import pandas as pd

    x, y = _codes(n, [10_000] * 8, seed)
    names = [f"level {v}" for v in range(10_000)]
    columns = {f"c{j}": pd.Categorical.from_codes(x[:, j], names) for j in range(8)}
    return pd.DataFrame(columns), y


def letters(n: int = 200_000, seed: int = 6):
    """16 whole numbers of 16 values, 26 classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 26, n).astype(np.int32)
    centres = rng.integers(2, 14, (26, 16))
    return np.clip(rng.normal(centres[y], 2.5).round(), 0, 15), y


def thousand(n: int = 100_000, seed: int = 7):
    """20 numbers, 1,000 classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 1000, n).astype(np.int32)
    return rng.normal(rng.normal(size=(1000, 20))[y] * 2, 1.0), y


def missing(n: int = 1_000_000, seed: int = 8):
    """The numeric table with every tenth value missing."""
    x, y = numeric(n, seed)
    x[np.random.default_rng(seed).random(x.shape) < 0.1] = np.nan
    return x, y


def regression(n: int = 1_000_000, seed: int = 9):
    """20 numbers; the target is a smooth function of six of them, and noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 20))
    y = np.sin(2 * x[:, 0]) * x[:, 1] + x[:, 2] ** 2 + x[:, 3] * (x[:, 4] > 0) + np.abs(x[:, 5])
    return x, y + rng.normal(size=n) * 0.3


def wide(n: int = 5_000, width: int = 5_000, seed: int = 10):
    """5,000 rows of 5,000 numbers, 30 of which tell of the class."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, width))
    y = x[:, :30] @ rng.normal(size=30) + rng.normal(size=n) > 0
    return x, y.astype(np.int32)


def small(n: int = 150, seed: int = 3):
    """150 rows of 4 numbers, 3 classes."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(3, dtype=np.int32), n // 3)
    return rng.normal(size=(n, 4)) + y[:, None] * 1.5, y


TABLES = {
    "numeric 1M x 20": numeric,
    "numeric 100k x 20": lambda: numeric(100_000),
    "mixed 581k x 54": mixed,
    "categories 1M x 20": nominal,
    "strings 1M x 20": strings,
    "10,000 levels 1M x 8": many_levels,
    "26 classes 200k x 16": letters,
    "1,000 classes 100k x 20": thousand,
    "10 % missing 1M x 20": missing,
    "regression 1M x 20": regression,
    "wide 5k x 5k": wide,
    "small 150 x 4": small,
}


def faithful(n: int = 100_000, seed: int = 4):
    """10 numbers and 10 nominal columns of 2 to 12 levels, 3 % missing in half of them, 3 classes.

    Returns names, cells (text, `?` for missing), whether each column is a number, and classes.
    """
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 8))
    pull = z[:, :5] @ rng.normal(size=(5, 3)) * 0.8 + rng.gumbel(size=(n, 3)) * 0.9
    columns, is_number = [], []
    for j in range(10):  # hundreds, thousands and as many values as rows
        x = z[:, j % 8] + rng.normal(size=n) * 0.5
        cells = np.round(x, (1, 2, 3, 6, 6)[j % 5]).astype(str)
        columns.append(cells)
        is_number.append(True)
    for j in range(10):
        k = int(rng.integers(2, 13))
        level = (z[:, :4] @ rng.normal(size=(4, k)) * 0.6 + rng.gumbel(size=(n, k))).argmax(1)
        if j < 5:
            pull += rng.normal(size=(k, 3))[level] * 0.6
        columns.append(np.array([f"v{i}" for i in range(k)])[level])
        is_number.append(False)
    for j in range(0, 20, 2):
        columns[j] = np.where(rng.random(n) < 0.03, "?", columns[j])
    names = [f"{'x' if is_number[j] else 'c'}{j}" for j in range(20)]
    return names, columns, is_number, np.array(["a", "b", "c"])[pull.argmax(1)]
