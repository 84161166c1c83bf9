"""A large table as Parquet: 8 float64 of different shapes, 4 integers, 8 strings, 3 classes.

    python bench/make_large_table.py ROWS FILE [--sorted] [--noise]

Row groups hold a million rows. With --sorted rows ascend by the first column; with --noise the
classes have nothing to do with the columns.
"""

from __future__ import annotations

import argparse

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

GROUP = 1_000_000
LEVELS = (2, 5, 12, 40, 100, 250, 600, 1000)


def rows(n: int, seed: int, start: float, width: float, *, noise: bool, is_sorted: bool):
    rng = np.random.default_rng(seed)
    u = rng.random(n)
    if is_sorted:
        u = start + np.sort(u) * width
    normal = rng.normal(size=n)
    floats = {
        "uniform": u,
        "normal": normal,
        "lognormal": rng.lognormal(sigma=2.0, size=n),
        "rounded": np.round(rng.normal(size=n), 2),
        "two_peaks": np.where(rng.random(n) < 0.3, rng.normal(-3, 0.2, n), rng.normal(2, 1.0, n)),
        "mostly_zero": np.where(rng.random(n) < 0.8, 0.0, rng.exponential(size=n)),
        "heavy_tail": rng.standard_cauchy(n),
        "related": normal * 0.5 + u + rng.normal(size=n) * 0.1,
    }
    wholes = {
        "age": rng.integers(0, 100, n),
        "count": rng.poisson(3.0, n),
        "year": rng.integers(1950, 2026, n),
        "amount": rng.integers(0, 1_000_000, n),
    }
    places = {f"word{k}": (rng.random(n) ** 2 * k).astype(np.int32) for k in LEVELS}
    score = (
        (u > 0.37) * 1.0
        + np.tanh(normal - 0.2)
        + (floats["lognormal"] > 1.3) * 0.6
        + (wholes["age"] > 41) * 0.8
        + (places["word40"] % 7 == 3) * 0.9
        + (floats["two_peaks"] > 0) * (floats["rounded"] > 0.31) * 0.7
        + rng.normal(size=n) * 0.5
    )
    classes = rng.integers(0, 3, n) if noise else np.digitize(score, [0.6, 1.8])
    columns = {name: pa.array(x) for name, x in floats.items()}
    columns |= {name: pa.array(x.astype(np.int64)) for name, x in wholes.items()}
    for k in LEVELS:
        words = pa.array([f"level-{k}-{i}" for i in range(k)])
        coded = pa.DictionaryArray.from_arrays(pa.array(places[f"word{k}"]), words)
        columns[f"word{k}"] = coded.cast(pa.string())
    columns["class"] = pa.DictionaryArray.from_arrays(
        pa.array(classes.astype(np.int32)), pa.array(["low", "middle", "high"])
    ).cast(pa.string())
    return pa.table(columns)


def make(n: int, path: str, *, is_sorted: bool = False, noise: bool = False, group: int = GROUP):
    writer = None
    groups = -(-n // group)
    for i in range(groups):
        size = min(group, n - i * group)
        table = rows(size, i, i / groups, 1 / groups, noise=noise, is_sorted=is_sorted)
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table, row_group_size=group)
    writer.close()


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("rows", type=int)
    words.add_argument("file")
    words.add_argument("--sorted", action="store_true")
    words.add_argument("--noise", action="store_true")
    told = words.parse_args()
    make(told.rows, told.file, is_sorted=told.sorted, noise=told.noise)
