"""The speed of penjing._core against NumPy and plain Python, in one run; ratios, best of five."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from penjing import _core

N = 1_000_000


def best(work: Callable[[], object], times: int = 5) -> float:
    """Return the shortest of several runs, in seconds."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def line(what: str, ours: float, theirs: float, other: str) -> None:
    """Print one comparison."""
    print(f"{what:42}{ours * 1e3:9.1f} ms{theirs * 1e3:10.1f} ms{theirs / ours:8.1f} x  {other}")


def by_dict(values: list[str]) -> np.ndarray:
    """Code strings as quickly as Python alone can."""
    place = {level: code for code, level in enumerate(dict.fromkeys(values))}
    return np.fromiter(map(place.__getitem__, values), np.int32, len(values))


def coding(rng: np.random.Generator) -> None:
    """Code a million numbers, a million strings."""
    columns = {
        "normal": rng.normal(size=N),
        "uniform": rng.random(N),
        "rounded to 3 digits": rng.normal(size=N).round(3),
        "7,000 integers": rng.integers(0, 7000, N).astype(float),
        "50 integers": rng.integers(0, 50, N).astype(float),
        "10 % missing": np.where(rng.random(N) < 0.1, np.nan, rng.normal(size=N)),
    }
    for name, values in columns.items():
        ours = best(lambda values=values: _core.code_floats(values))
        theirs = best(lambda values=values: np.unique(values, return_inverse=True), 3)
        line(f"code 1M numbers, {name}", ours, theirs, "np.unique")
    for n_levels in (50, 10_000):
        words = [f"level-{k}" for k in range(n_levels)]
        values = [words[k] for k in rng.integers(0, n_levels, N).tolist()]
        parts = [word.encode() for word in values]
        data = np.frombuffer(b"".join(parts), np.uint8)
        offsets = np.cumsum([0, *map(len, parts)]).astype(np.int64)
        theirs = best(lambda values=values: by_dict(values), 3)
        ours = best(lambda values=values: _core.code_objects(values))
        line(f"code 1M str objects, {n_levels} levels", ours, theirs, "dict")
        ours = best(lambda data=data, offsets=offsets: _core.code_strings(data, offsets))
        line(f"code 1M strings in a buffer, {n_levels} levels", ours, theirs, "dict")


def flat_tree(rng: np.random.Generator, depth: int, n_columns: int) -> _core.Flat:
    """Return a full binary tree of random cuts."""
    inner = 2**depth - 1
    n = 2 * inner + 1
    ids = np.arange(n)
    is_leaf = ids >= inner
    return _core.Flat(
        column=np.where(is_leaf, -1, rng.integers(0, n_columns, n)).astype(np.int32),
        cut=np.where(is_leaf, np.nan, rng.normal(size=n)),
        first_child=np.where(is_leaf, 0, 2 * ids + 1).astype(np.int32),
        n_children=np.where(is_leaf, 0, 2).astype(np.int32),
        level_start=np.zeros(n + 1, np.int64),
        level_codes=np.empty(0, np.int32),
        missing_mode=np.full(n, -1, np.int32),
        weight=np.ones(n),
    )


def prediction(rng: np.random.Generator) -> None:
    """Send a million rows of twenty numbers down full trees."""
    columns = [rng.normal(size=N) for _ in range(20)]
    holes = [np.where(rng.random(N) < 0.02, np.nan, c) for c in columns]
    for depth in (5, 10, 13):
        flat = flat_tree(rng, depth, 20)
        single = best(lambda flat=flat: flat.apply(holes, N))
        one = best(lambda flat=flat: flat.apply(columns, N))
        two = best(lambda flat=flat: flat.apply(columns, N, threads=2))
        line(f"apply 1M x 20, depth {depth}, 8 rows in step", one, single, "a third of rows alone")
        line(f"apply 1M x 20, depth {depth}, 2 threads", two, one, "1 thread")
    row = [column[:1] for column in columns]
    line("apply one row", best(lambda: flat.apply(row, 1), 1000), float("nan"), "")


if __name__ == "__main__":
    print(f"{'':42}{'ours':>12}{'other':>13}{'ratio':>9}")
    generator = np.random.default_rng(0)
    coding(generator)
    prediction(generator)
